/* Plans that run one of the paper's 48 schedules: numbers of tiles, figures and memory. */
#include "plan/looped.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "exec/mpi.h"
#include "model/bounds.h"
#include "search/paper.h"
#include "simulate/count.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* How often tiles are made smaller until they fit beside what moves. */
enum { TRIES = 40 };

bool ashi_looped_named(const char *strategy)
{
    return strategy && ashi_paper_named(strategy) >= 0;
}

/* A disk whose figure is 0 is taken for the usual one. */
static ashi_paper_problem problem_of(const ashlar_plan *plan, const ashlar_machine *machine)
{
    const ashlar_problem *p = &plan->problem;
    const double bytes = (double)ashlar_type_bytes(p->type);
    return (ashi_paper_problem){.extent = {p->m, p->n, p->k}, .batch = 1, .ranks = plan->context->ranks,
                                .disk = machine->disk_bandwidth / bytes, .network = machine->bandwidth / bytes,
                                .runs = true, .sets = plan->filed.file[ASHI_FILED_C0] == NULL};
}

ashlar_status ashi_looped_player(const ashlar_plan *plan, const ashi_tile_loops *loops, ashi_program *program,
                                 ashi_player **player, ashi_on_device *on_device, ashlar_error *err)
{
    const ashlar_context *c = plan->context;
    const ashi_on_device_request device = {c, plan->problem.type, program, &plan->machine, plan->c_is_new, false};
    ashi_onto_sums none;
    ashi_onto *onto = NULL;
    ashlar_status status = ashi_tile_loops_program(loops, program, err);
    if (status == ASHLAR_OK)
        status = ashi_on_device_settle(&device, on_device, &onto, &none, err);
    const ashi_player_request request = {.program = program, .rank = c->rank, .type = plan->problem.type,
                                         .comm = c->comm, .tag_most = c->tag_most, .message_most = ASHI_MESSAGE_MOST,
                                         .keeps = ASHI_PLAYER_KEEPS,
                                         .disk_threads = ashi_filed_calls(&plan->filed) ? 0 : 1,
                                         .onto = onto, .threads = onto ? 1 : ashi_context_threads(c),
                                         .workers = onto ? NULL : c->workers,
                                         .blas_threads = ashi_context_blas_threads(c), .others = &c->trace,
                                         .no_workspace = true};
    return status == ASHLAR_OK ? ashi_player_create(&request, player, err) : status;
}

/* ---- figures ---- */

enum { RECEIVED, READ, WRITTEN, PRODUCTS, SUMS, PEAK = SUMS, MESSAGES };

/* What a rank's program does, and the most and the sum over all ranks. Collective. */
static ashlar_status count(ashlar_plan *plan, const ashi_tile_loops *loops, ashi_figures *f, ashlar_error *err)
{
    ashi_program program;
    ashi_need need = {0};
    *f = (ashi_figures){0};
    ashlar_status status = ashi_tile_loops_program(loops, &program, err);
    const ashi_passes_request passes = {.program = &program, .rank = plan->context->rank, .look_ahead = 0,
                                        .tags = (int64_t)plan->context->tag_most + 1};
    if (status == ASHLAR_OK)
        status = ashi_count_in_full(&program, passes.rank, &need, err);
    if (status == ASHLAR_OK)
        status = ashi_passes_peak_of(&passes, &f->greatest[PEAK], err);
    ashi_program_free(&program);
    const int64_t own[SUMS] = {need.received, need.read, need.written, need.products};
    for (int i = 0; i < SUMS; i++)
        f->greatest[i] = f->sum[i] = own[i];
    f->greatest[MESSAGES] = ashi_max(need.received_messages, need.sent_messages);
    return ashi_agree_figures_first(plan->context, status, f, err);
}

static void take_figures(ashi_streamed *t, const ashi_figures *f)
{
    t->memory_words = f->greatest[PEAK];
    t->total = (ashi_nest_figures){.received = f->sum[RECEIVED], .disk = f->sum[READ] + f->sum[WRITTEN],
                                   .products = f->sum[PRODUCTS]};
    t->most = (ashi_nest_figures){.received = f->greatest[RECEIVED], .received_messages = f->greatest[MESSAGES],
                                  .sent_messages = f->greatest[MESSAGES],
                                  .disk = f->greatest[READ] + f->greatest[WRITTEN], .products = f->greatest[PRODUCTS]};
}

/* ---- choosing ---- */

static ashlar_status too_little(const ashlar_plan *plan, int64_t least, const char *name, int64_t limit,
                                ashlar_error *err)
{
    ashi_refuse(plan->context, least);
    return ashi_fail(err, ASHLAR_ERR_LIMIT, "the schedule \"%s\" needs %" PRId64 " words on a rank, the limit is %"
                     PRId64, name, least, limit);
}

/* Tiles of a third of the limit each; smaller ones if what moves does not fit beside them. */
static ashlar_status choose(ashlar_plan *plan, const ashlar_options *o, int64_t limit, ashlar_error *err)
{
    ashi_streamed *t = &plan->filed.streamed;
    ashi_paper_problem q = problem_of(plan, o->machine);
    ashi_paper_schedule all[ASHI_PAPER_SCHEDULES], *s = &all[ashi_paper_named(o->strategy)];
    ashi_figures figures;
    const int64_t most = ashi_max(ashi_max(q.extent[0], q.extent[1]), q.extent[2]);
    q.tile_words = ashi_max(1, ashi_min(limit / 3, ashi_mul_most(most, most)));
    for (int i = 0; i < TRIES; i++) {
        ashi_paper_plan(&q, all);
        if (!s->applicable)
            return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "the schedule \"%s\" is none for this product: %s",
                             o->strategy, s->reason);
        t->loops = ashi_paper_loops_to_run(&q, s);
        for (int x = 0; x < 3; x++)
            t->loops.minor[x] = ashi_streamed_minor(plan, x);
        t->seconds = fmax((s->rank.reads + s->rank.writes) / q.disk + s->rank.network / q.network, 0);
        const ashlar_status status = count(plan, &t->loops, &figures, err);
        if (status != ASHLAR_OK)
            return status;
        take_figures(t, &figures);
        if (t->memory_words <= limit)
            return ASHLAR_OK;
        if (q.tile_words == 1)
            break;
        const double smaller = 0.97 * (double)q.tile_words * (double)limit / (double)t->memory_words;
        q.tile_words = ashi_max(1, ashi_min(q.tile_words - 1, (int64_t)smaller));
    }
    return too_little(plan, t->memory_words, o->strategy, limit, err);
}

static void explain(ashi_streamed *t, const ashlar_options *o, int64_t limit)
{
    const ashi_tile_loops *l = &t->loops;
    const bool rotates = l->method == ASHI_TOGETHER_ROTATE;
    snprintf(t->name, sizeof t->name, "%s", o->strategy);
    snprintf(t->reason, sizeof t->reason,
             "asked for: m, n and k of a rank are cut into %" PRId64 ", %" PRId64 " and %" PRId64
             " tiles; reads, messages, products and writes take turns", l->count[0][0] * l->count[0][1],
             l->count[1][0] * l->count[1][1], l->count[2][0] * l->count[2][1]);
    const ashi_bound bound = ashi_bound_files(l->size[0], l->size[1], l->size[2], ashi_mul_most(limit, l->ranks));
    t->bound = bound.words;
    t->which = bound.which;
    t->nest = (ashi_nest){.size = {l->size[0], l->size[1], l->size[2]}, .ranks = l->ranks, .adds = l->adds,
                          .parts = {rotates ? l->grid[0] : l->method == ASHI_TOGETHER_REPLICATE_B ? l->ranks : 1,
                                    rotates ? l->grid[1] : l->method == ASHI_TOGETHER_REPLICATE_A ? l->ranks : 1},
                          .team = {1, 1}, .cut = {1, 1, 1}, .strips = 1, .stays = ASHLAR_C};
}

static ashlar_status prepare(ashlar_plan *plan, ashlar_error *err)
{
    ashi_streamed *t = &plan->filed.streamed;
    const ashlar_status status = ashi_looped_player(plan, &t->loops, &t->program, &t->player, &t->on_device, err);
    return status == ASHLAR_OK ? ashi_streamed_allocate(plan, t, err) : status;
}

ashlar_status ashi_looped_make(ashlar_plan *plan, const ashlar_options *o, int64_t memory_words, ashlar_error *err)
{
    ashi_streamed *t = &plan->filed.streamed;
    const int64_t limit = memory_words > 0 ? memory_words : INT64_MAX;
    ashlar_status status = ASHLAR_OK;
    if (o->grid[0] > 0)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "--grid is not for the schedule \"%s\", which has its own",
                           o->strategy);
    if (status == ASHLAR_OK)
        status = choose(plan, o, limit, err);
    if (status != ASHLAR_OK)
        return status;
    t->on = t->looped = true;
    explain(t, o, limit);
    return ashi_agree_named(plan->context, prepare(plan, err), err);
}
