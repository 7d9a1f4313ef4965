/* `ashlar plan --files`: how matrices in files would be multiplied that do not fit in memory. */
#include "cli/plan_files.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "cli/command.h"
#include "cli/figures.h"
#include "cli/report.h"
#include "engine/nest_play.h"
#include "model/bounds.h"
#include "search/tiling.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SCHEMA = 1, PLAYED_MOST = 300000 }; /* tasks that are played in less than a second */

/* What is found out. */
typedef struct filed_plan {
    const ashi_problem *problem;
    ashi_nest nest;
    ashi_nest_figures total, most;
    ashi_tiling_seconds seconds; /* of closed forms */
    ashi_joint_play play;
    ashi_bound bound;
    int64_t ranks_used, steps;
    ashi_plan_device device;
    char reason[ASHLAR_MESSAGE_MAX];
} filed_plan;

/* --files has a plan of its own kind: what chooses another is refused. */
static ashlar_status check_line(const ashi_problem *q, const ashi_problem_line *line, ashlar_error *err)
{
    const bool layouts = q->layout[0] || q->layout[1] || q->layout[2];
    if (line->strategy && strcmp(line->strategy, "sequential") != 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "--strategy is '%.64s', wanted sequential with --files", line->strategy);
    if (q->grid[0] > 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "--grid is not for --files, which finds its own tiles");
    if (layouts)
        return ashi_fail(err, ASHLAR_ERR_ARG, "--layout is not for --files, whose matrices are not in memory");
    return ASHLAR_OK;
}

static void say_why(filed_plan *p)
{
    const ashi_nest *nest = &p->nest;
    const bool joint = nest->team[0] * nest->team[1] > 1;
    int64_t shape[3];
    ashi_nest_shape(nest, shape);
    if (nest->cut[2] == 0) {
        snprintf(p->reason, sizeof p->reason, "there is nothing to multiply: C is written in pieces of %" PRId64 " x %"
                 PRId64, shape[0], shape[1]);
        return;
    }
    static const int side[3][3] = {[ASHLAR_A] = {0, 2, 1}, [ASHLAR_B] = {2, 1, 0}, [ASHLAR_C] = {0, 1, 2}};
    const int *d = side[nest->stays];
    const char letter[] = "ABC";
    snprintf(p->reason, sizeof p->reason,
             "tiles of %" PRId64 " x %" PRId64 " of %c stay in each rank's memory, slabs %" PRId64 " thick of %c and "
             "%c are read past them%s%s", shape[d[0]], shape[d[1]], letter[nest->stays], shape[d[2]],
             letter[nest->stays == ASHLAR_A ? 1 : 0], letter[nest->stays == ASHLAR_C ? 1 : 2],
             nest->ahead ? ", and the next are read meanwhile" : "",
             p->problem->ranks == 1 ? "" : joint ? "; the ranks read each word of a slab once and send it to each other"
                                                 : "; each rank reads for itself");
}

static ashlar_status make(const ashi_problem *q, bool local_disks, filed_plan *p, ashlar_error *err)
{
    const ashi_type *type = ashi_type_of(q->type);
    const int64_t memory = q->memory_words > 0 ? q->memory_words : INT64_MAX;
    /* Files in the order of rows: along k for A, along n for B and C, unless they are transposed. */
    const bool along[2] = {q->op[0] != ASHLAR_OP_N, q->op[1] == ASHLAR_OP_N};
    const ashi_tiling_request request = {.size = {q->size[0], q->size[1], q->size[2]}, .ranks = q->ranks,
                                         .memory_words = memory, .bytes = (int64_t)type->bytes, .flops = type->flops,
                                         .minor = {along[0], along[1]},
                                         .file_minor = {along[0], along[1]}, .apart = local_disks,
                                         .fewest_words = q->least_words, .machine = &q->machine};
    *p = (filed_plan){.problem = q};
    ashlar_status status = ashi_tiling_choose(&request, &p->nest, err);
    if (status == ASHLAR_OK)
        status = ashi_nest_total(&p->nest, &p->total, &p->most, err);
    if (status == ASHLAR_OK)
        status = ashi_nest_steps(&p->nest, &p->steps, err);
    if (status != ASHLAR_OK)
        return status;
    const ashi_joint_request how = {.machine = &q->machine, .bytes = request.bytes, .flops = request.flops,
                                    .disk_share = ashi_joint_disk_share(q->ranks_per_core),
                                    .local_disks = local_disks, .tasks = PLAYED_MOST};
    status = ashi_nest_play(&p->nest, &how, &p->play, err);
    if (status != ASHLAR_OK)
        return status;
    const int64_t *parts = p->nest.parts, *team = p->nest.team;
    p->seconds = ashi_tiling_predict(&request, &p->nest);
    p->ranks_used = parts[0] * parts[1] * team[0] * team[1];
    p->bound = ashi_bound_files(q->size[0], q->size[1], q->size[2], ashi_mul_most(memory, q->ranks));
    say_why(p);
    return ASHLAR_OK;
}

/* Those of the play, unless it would have been too long. */
static double seconds_of(const filed_plan *p)
{
    return p->play.played ? p->play.seconds : p->seconds.all;
}

static json_t *seconds_json(const ashi_tiling_seconds *s)
{
    return json_pack("{s:o, s:o, s:o}", "disk", ashi_json_real(s->disk), "network", ashi_json_real(s->network),
                     "cores", ashi_json_real(s->cores));
}

static json_t *candidate_json(const filed_plan *p)
{
    const int64_t *parts = p->nest.parts, *team = p->nest.team;
    const int64_t grid[3] = {parts[0] * team[0], parts[1] * team[1], 1};
    return json_pack("{s:s, s:b, s:s, s:o, s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "name",
                     "sequential", "applicable", 1, "reason", p->reason, "grid", ashi_grid_json(grid), "ranks_used",
                     (json_int_t)p->ranks_used, "rounds", (json_int_t)p->steps, "words_max",
                     (json_int_t)p->most.received, "words_mean",
                     ashi_json_real((double)p->total.received / (double)p->problem->ranks), "words_total",
                     (json_int_t)p->total.received, "messages_max",
                     (json_int_t)ashi_max(p->most.received_messages, p->most.sent_messages), "memory_words",
                     (json_int_t)ashi_nest_memory(&p->nest), "disk_words", (json_int_t)p->total.disk,
                     "disk_words_max", (json_int_t)p->most.disk, "seconds", ashi_json_real(seconds_of(p)), "lanes",
                     seconds_json(&p->seconds));
}

static json_t *plan_json(const filed_plan *p)
{
    return json_pack("{s:i, s:o, s:o, s:[o], s:s, s:s, s:s, s:o, s:o}", "schema", SCHEMA, "problem",
                     ashi_problem_json(p->problem), "bound", ashi_bound_json(&p->bound), "strategies",
                     candidate_json(p), "chosen", "sequential", "why", p->reason, "counted", "closed form",
                     "play", ashi_play_json(&p->play), "device", ashi_plan_device_json(&p->device));
}

static void print_plan(const filed_plan *p)
{
    const ashi_tiling_seconds *s = &p->seconds;
    const double bytes = (double)ashi_type_of(p->problem->type)->bytes;
    const int64_t memory = ashi_nest_memory(&p->nest);
    ashi_problem_print(p->problem);
    printf("bound    %s words of files: %s\n", ashi_figure_of(p->bound.words, "").text, p->bound.which);
    printf("chosen   sequential: %" PRId64 " rank%s used, %" PRId64 " step%s\n", p->ranks_used,
           p->ranks_used == 1 ? "" : "s", p->steps, p->steps == 1 ? "" : "s");
    printf("files    %" PRId64 " words in all, %" PRId64 " on the busiest rank\n", p->total.disk, p->most.disk);
    printf("ranks    receive %" PRId64 " words at most, %" PRId64 " in all\n", p->most.received, p->total.received);
    printf("memory   %" PRId64 " words a rank (%s)\n", memory, ashi_figure_of((double)memory * bytes, "B").text);
    printf("seconds  %s: the disk is busy for %s,", ashi_figure_seconds(seconds_of(p)).text,
           ashi_figure_seconds(s->disk).text);
    printf(" the network for %s,", ashi_figure_seconds(s->network).text);
    printf(" the cores for %s\n", ashi_figure_seconds(s->cores).text);
    ashi_cache_print(9);
    ashi_plan_device_print(&p->device);
    printf("\nwhy      %s\n", p->reason);
}

/* What the programs of all ranks take of devices. */
static ashlar_status predict_device(filed_plan *p, const ashi_plan_device *device, ashlar_error *err)
{
    ashi_program program;
    p->device = *device;
    if (!device->device || p->nest.cut[2] == 0)
        return ASHLAR_OK;
    ashlar_status status = ashi_nest_program(&p->nest, &program, err);
    if (status != ASHLAR_OK)
        return status;
    status = ashi_plan_device_count(&program, p->problem->ranks, &p->problem->machine, &p->device, err);
    ashi_program_free(&program);
    return status;
}

int ashi_plan_files(const char *command, const ashi_problem *problem, const ashi_problem_line *line, bool local_disks,
                    const ashi_plan_device *device, bool json)
{
    filed_plan plan;
    ashlar_error err;
    ashlar_status status = check_line(problem, line, &err);
    if (status == ASHLAR_OK)
        status = make(problem, local_disks, &plan, &err);
    if (status == ASHLAR_OK)
        status = predict_device(&plan, device, &err);
    if (status != ASHLAR_OK)
        return ashi_plan_device_complain(device, command, &err);
    if (json)
        return ashi_json_print(command, plan_json(&plan));
    print_plan(&plan);
    return ASHI_EXIT_DONE;
}
