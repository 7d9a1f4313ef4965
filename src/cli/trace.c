/* ashlar trace: what waited for what in a run that was recorded. */
#include "base/error.h"
#include "cli/command.h"
#include "cli/figures.h"
#include "cli/named_files.h"
#include "cli/text_file.h"
#include "draw/timeline.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    const char *svg;
    bool json;
} request;

static double part_of(double part, double all)
{
    return all > 0 ? part / all : 0;
}

/* ---- the table ---- */

static void print_share(double part, double all)
{
    if (part > 0)
        printf(" %8.1f%%", 100 * part_of(part, all));
    else
        printf(" %9s", "-");
}

static void print_longest(const ashi_timeline *t)
{
    const ashi_timed *wait = ashi_timeline_longest_wait(t);
    if (!wait)
        return;
    printf("longest   rank %d: %s, %s at %s, step %" PRId64, wait->rank, wait->name,
           ashi_figure_seconds(1e-6 * (wait->end - wait->begin)).text,
           ashi_figure_seconds(1e-6 * (wait->begin - t->begin)).text, wait->step);
    if (wait->peer >= 0)
        printf(": %" PRId64 " words with rank %d", wait->words, wait->peer);
    printf("\n");
}

static bool has_device(const ashi_timeline *t)
{
    bool any = false;
    for (int64_t i = 0; i < t->count; i++)
        any = any || t->event[i].lane >= ASHI_LANE_DEVICE_IN;
    return any;
}

static ashlar_status print_table(const ashi_timeline *t, ashlar_error *err)
{
    const double all = t->end - t->begin;
    printf("trace     %d rank%s, %" PRId64 " event%s, %s\n", t->ranks, t->ranks == 1 ? "" : "s", t->count,
           t->count == 1 ? "" : "s", ashi_figure_seconds(1e-6 * all).text);
    if (t->dropped > 0)
        printf("note      %" PRId64 " later events were not recorded: what follows is of those before\n", t->dropped);
    const bool device = has_device(t);
    printf("  %8s %9s %9s %9s %9s", "rank", "cores", "waiting", "network", "disk");
    if (device)
        printf(" %9s %9s %10s", "device in", "device", "device out");
    printf(" %9s\n", "hidden");
    for (int r = 0; r < t->ranks; r++) {
        ashi_timeline_rank of;
        const ashlar_status status = ashi_timeline_measure(t, r, &of, err);
        if (status != ASHLAR_OK)
            return status;
        printf("  %8d", r);
        print_share(of.busy[ASHI_LANE_CORES], all);
        print_share(of.waiting, all);
        print_share(of.busy[ASHI_LANE_NETWORK], all);
        print_share(of.busy[ASHI_LANE_DISK], all);
        if (device) {
            print_share(of.busy[ASHI_LANE_DEVICE_IN], all);
            print_share(of.busy[ASHI_LANE_DEVICE], all);
            printf(" ");
            print_share(of.busy[ASHI_LANE_DEVICE_OUT], all);
        }
        print_share(of.hidden, of.moving);
        printf("\n");
    }
    print_longest(t);
    return ASHLAR_OK;
}

/* ---- JSON ---- */

static json_t *longest_json(const ashi_timeline *t)
{
    const ashi_timed *wait = ashi_timeline_longest_wait(t);
    if (!wait)
        return json_null();
    return json_pack("{s:i, s:s, s:f, s:f, s:I, s:I, s:o}", "rank", wait->rank, "name", wait->name, "seconds",
                     1e-6 * (wait->end - wait->begin), "at", 1e-6 * (wait->begin - t->begin), "step",
                     (json_int_t)wait->step, "words", (json_int_t)wait->words, "peer",
                     wait->peer >= 0 ? json_integer(wait->peer) : json_null());
}

static ashlar_status print_json(const ashi_timeline *t, ashlar_error *err)
{
    const double unit = 1e-6;
    json_t *lanes = json_array();
    ashlar_status status = ASHLAR_OK;
    for (int r = 0; r < t->ranks && status == ASHLAR_OK; r++) {
        ashi_timeline_rank of;
        status = ashi_timeline_measure(t, r, &of, err);
        json_t *row = json_pack("{s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "rank", r, "cores",
                                unit * of.busy[ASHI_LANE_CORES], "waiting", unit * of.waiting, "network",
                                unit * of.busy[ASHI_LANE_NETWORK], "disk", unit * of.busy[ASHI_LANE_DISK], "device in",
                                unit * of.busy[ASHI_LANE_DEVICE_IN], "device", unit * of.busy[ASHI_LANE_DEVICE],
                                "device out", unit * of.busy[ASHI_LANE_DEVICE_OUT], "moving",
                                unit * of.moving, "hidden", unit * of.hidden);
        if (status == ASHLAR_OK && json_array_append_new(lanes, row) != 0)
            status = ashi_fail(err, ASHLAR_ERR_MEMORY, "no memory for the JSON document");
    }
    json_t *root = json_pack("{s:i, s:i, s:I, s:I, s:f, s:o, s:o}", "schema", 1, "ranks", t->ranks, "events",
                             (json_int_t)t->count, "dropped", (json_int_t)t->dropped, "seconds",
                             unit * (t->end - t->begin), "lanes", lanes, "longest_wait", longest_json(t));
    if (status == ASHLAR_OK && (!root || json_dumpf(root, stdout, JSON_INDENT(2)) != 0 || puts("") < 0))
        status = ashi_fail(err, ASHLAR_ERR_IO, "standard output: cannot write");
    json_decref(root);
    return status;
}

/* ---- the command ---- */

static ashlar_status write_svg(const ashi_timeline *t, const char *path, ashlar_error *err)
{
    char *svg = NULL;
    ashlar_status status = ashi_timeline_draw(t, &svg, err);
    if (status == ASHLAR_OK)
        status = ashi_text_file_write(path, svg, err);
    free(svg);
    return status;
}

static int show(const char *path, const request *r)
{
    const ashi_named_file files[] = {{"FILE", path, false, false}, {"--svg", r->svg, true, false}};
    ashi_timeline t = {0};
    ashlar_error err = {0};
    ashlar_status status = ashi_named_files_differ(files, 2, &err);
    if (status == ASHLAR_OK)
        status = ashi_timeline_read(path, &t, &err);
    if (status == ASHLAR_OK && r->svg)
        status = write_svg(&t, r->svg, &err);
    if (status == ASHLAR_OK)
        status = r->json ? print_json(&t, &err) : print_table(&t, &err);
    if (status == ASHLAR_OK && fflush(stdout) != 0)
        status = ashi_fail(&err, ASHLAR_ERR_IO, "standard output: cannot write");
    ashi_timeline_free(&t);
    return status == ASHLAR_OK ? ASHI_EXIT_DONE : ashi_complain("trace", &err);
}

enum { OPTIONS = 2 };

static ashi_usage usage_of(request *r, ashi_option options[OPTIONS])
{
    options[0] = (ashi_option){"svg", 0, ASHI_FILE, "FILE", NULL, "draw each rank's lanes along time to this file",
                               &r->svg, NULL};
    options[1] = (ashi_option){"json", 0, ASHI_FLAG, NULL, NULL, "print one JSON document and nothing else", &r->json,
                               NULL};
    return (ashi_usage){.command = "trace", .synopsis = "FILE [OPTION...]",
                        .summary = "Show what each rank did and what it waited for, from a file of ashlar multiply "
                                   "--trace.",
                        .example = "ashlar trace run.json --svg=run.svg", .options = options, .option_count = OPTIONS,
                        .least = 1, .most = 1, .files = true};
}

void ashi_describe_trace(ashi_usage_use use, void *context)
{
    request r = {0};
    ashi_option options[OPTIONS];
    const ashi_usage usage = usage_of(&r, options);
    use(&usage, context);
}

int ashi_command_trace(int argc, char **argv)
{
    request r = {0};
    ashi_option options[OPTIONS];
    const ashi_usage usage = usage_of(&r, options);
    int count = 0;
    const int status = ashi_options_parse(&usage, argc, argv, true, &count);
    return status >= 0 ? status : show(argv[1], &r);
}
