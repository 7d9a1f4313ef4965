/* `ashlar plan` and `ashlar simulate`: which strategy and grid, how many words, how near the bound, and why. */
#include "base/error.h"
#include "cli/command.h"
#include "cli/named_files.h"
#include "cli/plan_files.h"
#include "cli/plan_tiles.h"
#include "cli/problem_line.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/svg.h"
#include "cli/svg_links.h"
#include "cli/text_file.h"
#include "cli/walkable.h"

#include <stdlib.h>
#include <string.h>

/* What differs between the two commands, and what both were told. */
typedef struct telling {
    const char *command;
    bool walk, json, quiet;
    bool files, local_disks; /* plan alone, as are the next two */
    ashi_plan_device_wish device_wish;
    ashi_plan_device device;
    const char *svg, *trace; /* trace: simulate alone */
    ashlar_status (*draw)(const ashi_report *report, char **out, ashlar_error *err); /* an SVG */
    ashi_tiles_wish tiles;
} telling;

static ashlar_status draw(const telling *t, const ashi_report *report, ashlar_error *err)
{
    char *text = NULL;
    ashlar_status status = t->draw(report, &text, err);
    if (status == ASHLAR_OK)
        status = ashi_text_file_write(t->svg, text, err);
    free(text);
    return status;
}

static ashlar_status write_trace(const telling *t, const ashi_report *report, ashi_joint_trace *trace,
                                 ashlar_error *err)
{
    if (!report->play.played && !ashi_problem_is_empty(&report->problem))
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "--trace: the schedule was not played against lanes, since it has more than %d tasks",
                         ASHI_JOINT_TASKS);
    return ashi_joint_trace_write(trace, report->problem.ranks, t->trace, err);
}

static int tell(const telling *t, const ashi_problem *problem, const ashi_problem_line *line)
{
    ashi_report report;
    ashi_joint_trace trace = {0};
    ashlar_error err;
    const ashi_report_wish wish = {.only = line->every ? NULL : line->strategy, .all = line->every, .walk = t->walk,
                                   .play = t->walk, .device = &t->device, .trace = t->trace ? &trace : NULL,
                                   .progress = !t->quiet};
    ashi_progress_clock_start("planning", !t->quiet);
    ashlar_status status = ashi_report_make(problem, &wish, &report, &err);
    ashi_progress_clock_end();
    int code = ASHI_EXIT_DONE;
    if (status == ASHLAR_OK && t->svg)
        status = draw(t, &report, &err);
    if (status == ASHLAR_OK && t->trace)
        status = write_trace(t, &report, &trace, &err);
    ashi_joint_trace_free(&trace);
    if (status != ASHLAR_OK)
        code = ashi_plan_device_complain(&t->device, t->command, &err);
    else if (t->json)
        code = ashi_json_print(t->command, ashi_report_json(&report));
    else
        ashi_report_print(&report);
    ashi_report_free(&report);
    return code;
}

/* What would take hours is refused before it begins. */
static int refuse(const telling *t, const ashi_problem *problem, const ashi_problem_line *line)
{
    ashlar_error err;
    const bool by_device = t->device.device && !ashi_problem_is_empty(problem);
    const ashi_walk walk = {by_device ? "--device" : t->command, line->every ? NULL : line->strategy, line->every,
                            t->walk || by_device, ASHI_WALKED_MOST};
    if (ashi_walkable(problem, &walk, &err) == ASHLAR_OK)
        return -1;
    return ashi_complain(t->command, &err);
}

static ashlar_status check_files(const telling *t, ashlar_error *err)
{
    if (t->local_disks && !t->files)
        return ashi_fail(err, ASHLAR_ERR_ARG, "--local-disks says something of files: wanted with --files");
    if (t->files && t->svg)
        return ashi_fail(err, ASHLAR_ERR_ARG, "--svg is not for --files, whose tiles follow one another");
    return ASHLAR_OK;
}

/* What says something of dense matrices alone. */
static const char *dense_option(const telling *t, const ashi_problem_line *line)
{
    const ashi_problem_line usual = ashi_problem_line_default();
    const struct {
        const char *name;
        bool given;
    } dense[] = {
        {"--strategy", line->strategy}, {"--torus", line->torus}, {"--layout", line->layouts || line->layout[0] ||
         line->layout[1] || line->layout[2]}, {"--node-ranks", line->node_ranks != usual.node_ranks},
        {"--objective", line->objective != usual.objective}, {"--idle", line->idle != usual.idle},
        {"--route", line->route != usual.route}, {"--svg", t->svg}, {"--trace", t->trace}, {"--files", t->files},
        {"--local-disks", t->local_disks},
    };
    for (size_t i = 0; i < sizeof dense / sizeof dense[0]; i++)
        if (dense[i].given)
            return dense[i].name;
    return NULL;
}

/* Whether the command line is of matrices of tiles: two places, or a tiling. Else options that describe tiles are a
 * mistake. */
static ashlar_status see_tiles(const telling *t, const ashi_problem_line *line, int count, char **argv, bool *tiled,
                               ashlar_error *err)
{
    const ashi_tiles_wish *w = &t->tiles;
    const char *dense = dense_option(t, line);
    *tiled = w->tiling || count == 2;
    if (!w->tiling && (w->density_given || w->decay_given || w->seed_given))
        return ashi_fail(err, ASHLAR_ERR_ARG, "--%s wants --tiling",
                         w->density_given ? "density" : w->decay_given ? "decay" : "seed");
    if (w->tiling && count != 3)
        return ashi_fail(err, ASHLAR_ERR_ARG, "--tiling describes matrices that are in no file: wanted M N K");
    if (!w->tiling && count == 2 && !strstr(argv[1], ":/") && !strstr(argv[2], ":/"))
        return ashi_fail(err, ASHLAR_ERR_ARG, "usage: ashlar %s M N K --ranks=P [OPTION...], or A B, matrices of tiles "
                                              "in FILE.h5:/GROUP", t->command);
    if (*tiled && dense)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s is for dense matrices, and these are of tiles", dense);
    return ASHLAR_OK;
}

/* -1 if the command line is not of matrices of tiles. */
static int run_tiles(telling *t, ashi_problem_line *line, int count, char **argv)
{
    ashlar_error err;
    bool tiled = false;
    if (see_tiles(t, line, count, argv, &tiled, &err) != ASHLAR_OK)
        return ashi_complain(t->command, &err);
    if (!tiled)
        return -1;
    t->tiles.command = t->command;
    t->tiles.plays = t->walk;
    t->tiles.json = t->json;
    t->tiles.quiet = t->quiet;
    t->tiles.device = t->device_wish;
    return ashi_plan_tiles(&t->tiles, line, argv + 1);
}

/* An empty product has no schedule: its figures are those of closed forms. */
static int run(telling *t, const ashi_usage *usage, ashi_problem_line *line, int argc, char **argv)
{
    ashi_problem problem;
    ashlar_error err;
    int count = 0;
    int status = ashi_options_parse(usage, argc, argv, true, &count);
    if (status < 0)
        status = run_tiles(t, line, count, argv);
    if (status < 0)
        status = ashi_problem_line_read(t->command, line, argv + 1, 0, &problem);
    if (status < 0 && ashi_problem_is_empty(&problem))
        t->walk = false;
    const ashi_named_file files[] = {{"--machine", line->machine, false, false}, {"--svg", t->svg, true, false},
                                     {"--trace", t->trace, true, false}};
    if (status < 0 && ashi_named_files_differ(files, 3, &err) != ASHLAR_OK)
        status = ashi_complain(t->command, &err);
    if (status < 0 && t->walk && t->svg && ashi_svg_links_check(&problem.torus, &err) != ASHLAR_OK)
        status = ashi_complain(t->command, &err);
    if (status < 0 && check_files(t, &err) != ASHLAR_OK)
        status = ashi_complain(t->command, &err);
    if (status < 0 && ashi_plan_device_terms(&t->device_wish, problem.type, &problem.machine, &t->device, &err) !=
                          ASHLAR_OK)
        status = ashi_complain(t->command, &err);
    if (status < 0)
        problem.memory_words = ashi_plan_device_leaves(&t->device, problem.memory_words);
    if (status < 0 && t->files)
        status = ashi_plan_files(t->command, &problem, line, t->local_disks, &t->device, t->json);
    if (status < 0)
        status = refuse(t, &problem, line);
    if (status < 0)
        status = tell(t, &problem, line);
    ashi_problem_line_free(line);
    return status;
}

enum { OPTIONS = ASHI_PROBLEM_OPTIONS + 7, PLAN_OPTIONS = OPTIONS + 4, SIMULATE_OPTIONS = OPTIONS + 1 };

/* The options of both, whose values are in `t` and `line`; `svg` says what is drawn. */
static void fill_options(telling *t, ashi_problem_line *line, const char *svg, ashi_option out[OPTIONS])
{
    const ashi_option own[OPTIONS - ASHI_PROBLEM_OPTIONS] = {
        {"json", 0, ASHI_FLAG, NULL, NULL, "print one JSON document and nothing else", &t->json, NULL},
        {"svg", 0, ASHI_FILE, "FILE", NULL, svg, &t->svg, NULL},
        {"quiet", 'q', ASHI_FLAG, NULL, NULL, "show no progress", &t->quiet, NULL},
        {"tiling", 0, ASHI_TEXT, "TILING", NULL,
         "the matrices are of tiles: random:MEAN[:SPREAD] or even:MEAN, as 'ashlar generate' makes them",
         &t->tiles.tiling, NULL},
        {"density", 0, ASHI_NUMBER, "D", "0 to 1", "with --tiling: the part of the tiles that are present (default 1)",
         &t->tiles.density, &t->tiles.density_given},
        {"decay", 0, ASHI_NUMBER, "X", "0 to 1000",
         "with --tiling: elements fall off by exp(-X) a tile from the diagonal (default 0)", &t->tiles.decay,
         &t->tiles.decay_given},
        {"seed", 's', ASHI_COUNT, "N", "0 to 9223372036854775806", "with --tiling: which of many matrices (default 0)",
         &t->tiles.seed, &t->tiles.seed_given},
    };
    line->takes_all = true;
    ashi_problem_line_options(line, out);
    memcpy(out + ASHI_PROBLEM_OPTIONS, own, sizeof own);
}

static ashi_usage plan_usage(telling *t, ashi_problem_line *line, ashi_option options[PLAN_OPTIONS])
{
    const ashi_option own[PLAN_OPTIONS - OPTIONS] = {
        {"files", 0, ASHI_FLAG, NULL, NULL, "the matrices are in files, and are read as they are needed", &t->files,
         NULL},
        {"local-disks", 0, ASHI_FLAG, NULL, NULL, "with --files: each rank has a disk of its own", &t->local_disks,
         NULL},
        {"device", 0, ASHI_TEXT, "DEVICE", NULL,
         "each rank has a device: none (default), auto if that is predicted to be faster, or KIND[:N] always",
         &t->device_wish.device, NULL},
        {"device-memory", 0, ASHI_SIZE, "SIZE", NULL, "the most that a rank may hold of its device's memory",
         &t->device_wish.bytes, &t->device_wish.bytes_given},
    };
    t->tiles.density = 1;
    fill_options(t, line, "draw how the M x N x K box is cut, one rank's part marked", options);
    memcpy(options + OPTIONS, own, sizeof own);
    return (ashi_usage){.command = "plan", .synopsis = "M N K | A B --ranks=P [OPTION...]",
                        .summary = "Choose how to multiply op(A), M x K, by op(B), K x N, on P ranks, and say why.",
                        .example = "ashlar plan 17408 17408 3735552 --ranks=12288", .options = options,
                        .option_count = PLAN_OPTIONS, .least = 2, .most = 3};
}

static ashi_usage simulate_usage(telling *t, ashi_problem_line *line, ashi_option options[SIMULATE_OPTIONS])
{
    t->tiles.density = 1;
    fill_options(t, line, "draw the load of the links of a torus of two or three dimensions", options);
    options[OPTIONS] = (ashi_option){"trace", 0, ASHI_FILE, "FILE", NULL,
                                     "write what each rank is predicted to do and when, for ashlar trace", &t->trace,
                                     NULL};
    return (ashi_usage){.command = "simulate", .synopsis = "M N K | A B --ranks=P [OPTION...]",
                        .summary = "Count every rank's words, messages and memory, and play all ranks against lanes.",
                        .example = "ashlar simulate 4096 4096 4096 --ranks=9217 --json", .options = options,
                        .option_count = SIMULATE_OPTIONS, .least = 2, .most = 3};
}

void ashi_describe_plan(ashi_usage_use use, void *context)
{
    telling t = {.command = "plan"};
    ashi_problem_line line = ashi_problem_line_default();
    ashi_option options[PLAN_OPTIONS];
    const ashi_usage usage = plan_usage(&t, &line, options);
    use(&usage, context);
}

void ashi_describe_simulate(ashi_usage_use use, void *context)
{
    telling t = {.command = "simulate"};
    ashi_problem_line line = ashi_problem_line_default();
    ashi_option options[SIMULATE_OPTIONS];
    const ashi_usage usage = simulate_usage(&t, &line, options);
    use(&usage, context);
}

int ashi_command_plan(int argc, char **argv)
{
    telling t = {.command = "plan", .draw = ashi_svg_draw};
    ashi_problem_line line = ashi_problem_line_default();
    ashi_option options[PLAN_OPTIONS];
    const ashi_usage usage = plan_usage(&t, &line, options);
    return run(&t, &usage, &line, argc, argv);
}

int ashi_command_simulate(int argc, char **argv)
{
    telling t = {.command = "simulate", .walk = true, .draw = ashi_svg_links_draw};
    ashi_problem_line line = ashi_problem_line_default();
    ashi_option options[SIMULATE_OPTIONS];
    const ashi_usage usage = simulate_usage(&t, &line, options);
    return run(&t, &usage, &line, argc, argv);
}
