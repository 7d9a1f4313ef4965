/* The plans by which the products of a contraction over several ranks are done. */
#include "contract/ranks.h"

#include "base/checked.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { A, B, C };

/* Plans are made one after the other, each with lists of its own. */
enum { PIECES_MOST = 4096, BATCHES_MOST = 1 << 22 };

/* ---- batches ---- */

/* The plan of a value of the batch whose matrices begin with these processes; a new one if there is none. */
static int find_piece(ashi_over_ranks *o, const int64_t process[ASHI_MATRICES], int team)
{
    for (int i = 0; i < o->pieces; i++)
        if (o->piece[i].team == team && memcmp(o->piece[i].process, process, ASHI_MATRICES * sizeof *process) == 0)
            return i;
    if (o->pieces == PIECES_MOST)
        return -1;
    memcpy(o->piece[o->pieces].process, process, ASHI_MATRICES * sizeof *process);
    o->piece[o->pieces].team = team;
    o->piece[o->pieces].some = (ashi_some_ranks){.step = 1};
    return o->pieces++;
}

static ashlar_status find_pieces(ashi_over_ranks *o, const int *team_of, const ashi_runs *run, ashlar_error *err)
{
    for (int64_t z = 0; z < o->batches; z++) {
        int64_t process[ASHI_MATRICES] = {0};
        for (int x = 0; x < ASHI_MATRICES; x++) {
            process[x] = o->dealt[x].layout ? run[x].process[z] : 0;
            o->base[x][z] = o->dealt[x].layout ? run[x].offset[z] : 0;
        }
        const int found = find_piece(o, process, team_of ? team_of[z] : 0);
        if (found < 0)
            return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "values of the batch have more than %d sets of owners",
                             (int)PIECES_MOST);
        o->piece_of[z] = found;
        o->piece[found].count++;
    }
    return ASHLAR_OK;
}

ashlar_status ashi_over_ranks_divide(ashi_over_ranks *o, const int *team_of, ashlar_error *err)
{
    ashi_runs run[ASHI_MATRICES] = {{0}};
    if (o->batches > BATCHES_MOST)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "%" PRId64 " values of the batch, at most %d are supported",
                         o->batches, (int)BATCHES_MOST);
    const size_t numbers = (size_t)ashi_max(o->batches, 1);
    bool room = (o->piece_of = malloc(numbers * sizeof *o->piece_of)) != NULL;
    room = room && (o->piece = calloc((size_t)ashi_min(o->batches, PIECES_MOST) + 1, sizeof *o->piece)) != NULL;
    for (int x = 0; x < ASHI_MATRICES; x++)
        room = room && (o->base[x] = malloc(numbers * sizeof *o->base[x])) != NULL;
    ashlar_status status = room ? ASHLAR_OK : ashi_fail_memory(err, "batch", (int64_t)numbers * 28);
    for (int x = 0; x < ASHI_MATRICES && status == ASHLAR_OK; x++)
        if (o->dealt[x].layout)
            status = ashi_runs_make(&o->dealt[x], &o->group[ASHI_OF_BATCH], true, &run[x], err);
    if (status == ASHLAR_OK)
        status = find_pieces(o, team_of, run, err);
    for (int x = 0; x < ASHI_MATRICES; x++)
        ashi_runs_free(&run[x]);
    return status;
}

/* ---- plans ---- */

/* What remains of the limit for a plan and its matrices. */
typedef struct remaining {
    int64_t other, all;  /* words that a rank holds beside them, and with them */
    int64_t plans;       /* plans have buffers of equal size for what is in files; else 1 */
    int64_t words;
} remaining;

/* Collective. */
static remaining limit_of(const ashlar_contraction_plan *plan, const ashi_over_ranks *o, ashlar_layout *const *layout)
{
    remaining r = {.plans = o->files ? o->pieces : 1};
    int64_t mine[2] = {o->held + (o->files ? 0 : o->windows), o->held}, most[2] = {0, 0};
    for (int x = 0; x < ASHI_MATRICES; x++)
        mine[0] -= layout[x] ? ashlar_layout_words(layout[x], plan->context->rank) : 0;
    ashi_note(plan->context, MPI_Allreduce(mine, most, 2, MPI_INT64_T, MPI_MAX, plan->context->comm),
              "MPI_Allreduce");
    r.other = most[0];
    r.all = most[1];
    const int64_t free_words = plan->memory_words - r.all;
    r.words = plan->memory_words - r.other - (free_words - free_words / r.plans);
    return r;
}

/* The limit with which a plan and its matrices have so many words. */
static int64_t enough_of(const remaining *r, int64_t words)
{
    return r->plans * (words + r->other) - (r->plans - 1) * r->all;
}

static ashlar_status make_plan(ashlar_contraction_plan *plan, ashi_over_ranks *o, const ashi_matricised *matrix,
                               int which, ashlar_options options, int64_t *enough, ashlar_error *err)
{
    remaining left = {.plans = 1, .words = 1};
    ashlar_layout *layout[ASHI_MATRICES] = {NULL};
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < ASHI_MATRICES && status == ASHLAR_OK; x++)
        if (o->dealt[x].layout)
            status = ashi_matricised_layout(&matrix[x], o->piece[which].process[x], plan->context->rank, o->turned[x],
                                            &layout[x], err);
    status = ashi_agree(plan->context, status, err);
    ashlar_problem problem = ashi_over_ranks_problem(plan, o, layout);
    problem.a_file = o->view[A];
    problem.b_file = o->view[B];
    problem.c_file = o->view[C];
    problem.c0_file = o->view[ASHI_MATRICES];
    if (status == ASHLAR_OK && plan->memory_words > 0)
        left = limit_of(plan, o, layout);
    options.memory_words = plan->memory_words > 0 ? ashi_max(left.words, 1) : 0;
    const bool before = ashi_contract_begin_new(plan->context, o->prepared[C].plan != NULL);
    if (status == ASHLAR_OK)
        status = ashlar_plan_create(plan->context, &problem, &options, &o->piece[which].plan, err);
    plan->context->c_is_new = before;
    *enough = status == ASHLAR_ERR_LIMIT ? enough_of(&left, ashlar_context_memory_words(plan->context)) : 0;
    if (status == ASHLAR_OK && !options.caller_workspace)
        o->windows += o->files ? ashi_over_ranks_own_words(o->piece[which].plan)
                               : ashlar_plan_workspace(o->piece[which].plan);
    if (status == ASHLAR_OK && left.words < 1) {
        *enough = enough_of(&left, 1);
        status = ASHLAR_ERR_LIMIT;
    }
    for (int x = 0; x < ASHI_MATRICES; x++)
        ashlar_layout_free(&layout[x]);
    return status;
}

ashlar_status ashi_over_ranks_plans(ashlar_contraction_plan *plan, ashi_over_ranks *o, const ashi_options_taken *how,
                                ashlar_error *err)
{
    ashi_matricised matrix[ASHI_MATRICES] = {{0}};
    ashlar_options options = how->options;
    int64_t least = 0;
    ashlar_status status = ASHLAR_OK;
    options.trusted = !o->files;
    options.caller_workspace = options.transport == ASHLAR_TWO_SIDED && !o->files;
    for (int x = 0; x < ASHI_MATRICES && status == ASHLAR_OK; x++) {
        const int *const side = ashi_matrix_sides[x];
        if (o->dealt[x].layout)
            status = ashi_matricised_make(&o->dealt[x], &o->group[side[0]], &o->group[side[1]],
                                          ASHI_MULTIPLIED_TILES_MOST, &matrix[x], err);
    }
    status = ashi_agree(plan->context, status, err);
    for (int i = 0; i < o->pieces && (status == ASHLAR_OK || status == ASHLAR_ERR_LIMIT); i++) {
        int64_t enough = 0;
        const ashlar_status made = make_plan(plan, o, matrix, i, options, &enough, err);
        status = made == ASHLAR_OK ? status : made;
        least = ashi_max(least, enough);
    }
    for (int x = 0; x < ASHI_MATRICES; x++)
        ashi_matricised_free(&matrix[x]);
    if (status == ASHLAR_OK && o->pieces == 0 && plan->memory_words > 0 && !o->files) {
        least = limit_of(plan, o, (ashlar_layout *const[ASHI_MATRICES]){NULL}).all; /* no plan has looked at it */
        status = least > plan->memory_words ? ASHLAR_ERR_LIMIT : ASHLAR_OK;
    }
    if (status != ASHLAR_ERR_LIMIT)
        return status;
    ashi_refuse(plan->context, least);
    return ashi_fail(err, status, "memory_words = %" PRId64 ": %" PRId64 " would do", plan->memory_words, least);
}
