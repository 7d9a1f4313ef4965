/* Plans a product, with as much memory as is due to it. */
#include "pblas/planning.h"

#include "pblas/limit.h"
#include "pblas/memory.h"
#include "pblas/place.h"

#include <stdlib.h>

enum { MEMORY_TO_SPARE = 4 };

/* In A's communicator, the rank of each place of another grid over the same processes. */
static int *ranks_seen_from(const ashi_grid *grid, const ashi_grid *from)
{
    const int count = grid->at.rows * grid->at.cols;
    int *ranks = malloc((size_t)count * sizeof *ranks);
    MPI_Group own = MPI_GROUP_NULL, other = MPI_GROUP_NULL;
    bool known = ranks && MPI_Comm_group(grid->comm, &own) == MPI_SUCCESS &&
                 MPI_Comm_group(from->comm, &other) == MPI_SUCCESS &&
                 MPI_Group_translate_ranks(own, count, grid->ranks, other, ranks) == MPI_SUCCESS;
    if (own != MPI_GROUP_NULL)
        MPI_Group_free(&own);
    if (other != MPI_GROUP_NULL)
        MPI_Group_free(&other);
    if (!known) {
        free(ranks);
        ranks = NULL;
    }
    return ranks;
}

static ashlar_status place(const ashi_submatrix *sub, const ashi_grid *grid, const ashi_grid *from,
                           ashlar_layout **out, ashlar_error *err)
{
    if (grid == from)
        return ashi_place_layout(sub, &grid->at, grid->ranks, out, err);
    int *ranks = ranks_seen_from(grid, from);
    const ashlar_status status = ranks ? ashi_place_layout(sub, &grid->at, ranks, out, err) : ASHLAR_ERR_MEMORY;
    free(ranks);
    return status;
}

/* They point into the settings. */
static ashlar_options options_of(const ashi_settings *s)
{
    ashlar_options o = ashlar_options_default();
    o.strategy = s->strategy[0] ? s->strategy : NULL;
    o.transport = s->transport;
    o.caller_workspace = s->transport == ASHLAR_TWO_SIDED;
    o.trusted = true;
    if (s->machine_is_given)
        o.machine = &s->machine;
    return o;
}

/* What plans are tried for. */
typedef struct job {
    const ashi_gemm_call *call;
    const ashi_grid *grid;
    ashlar_problem problem;
    int64_t word;  /* bytes */
    int64_t share; /* words of A, B and C that a process has, the most of all */
} job;

static ashlar_status plan_within(const job *j, int64_t words, ashlar_plan **out, ashlar_error *err)
{
    ashlar_options o = options_of(&j->grid->settings);
    o.memory_words = words;
    return ashlar_plan_create(j->grid->context, &j->problem, &o, out, err);
}

static int64_t most(const ashi_grid *grid, int64_t own)
{
    int64_t all = own;
    return MPI_Allreduce(&own, &all, 1, MPI_INT64_T, MPI_MAX, grid->comm) == MPI_SUCCESS ? all : own;
}

/* With the least memory, up from `words`, that is enough; `ample` certainly is. */
static ashlar_status plan_small(const job *j, int64_t words, int64_t ample, ashlar_plan **out, ashlar_error *err)
{
    ashlar_status status = plan_within(j, words, out, err);
    for (int64_t more = words - j->share; status == ASHLAR_ERR_LIMIT && words < ample; more *= 2) {
        words = more < ample - j->share ? j->share + more : ample;
        status = plan_within(j, words, out, err);
    }
    return status;
}

/* Of the best plan and one that takes less memory, the one to keep in *best. */
static void choose(const job *j, ashlar_plan **best, ashlar_plan **small)
{
    ashlar_figures fast, slim;
    if (!*small || ashlar_plan_predicted(*best, &fast, NULL) != ASHLAR_OK ||
        ashlar_plan_predicted(*small, &slim, NULL) != ASHLAR_OK)
        return;
    const int64_t holds = fast.memory_words * j->word;
    const bool saves = fast.words_max < slim.words_max;
    if (saves && j->grid->memory_bytes / MEMORY_TO_SPARE >= holds)
        return;
    ashlar_plan *kept = *small;
    *small = *best;
    *best = kept;
}

/* Within ASHLAR_MEMORY. */
static ashlar_status plan_limited(const job *j, ashlar_plan **out, ashlar_error *err)
{
    const ashi_limit limit = {.bytes = j->grid->settings.memory_bytes, .word = j->word, .share = j->share};
    const int64_t words = limit.bytes / j->word;
    const ashlar_status status = plan_within(j, words > 0 ? words : 1, out, err);
    if (status == ASHLAR_ERR_LIMIT)
        ashi_limit_explain(&limit, ashlar_context_memory_words(j->grid->context), err);
    return status;
}

static ashlar_status plan(const job *j, ashlar_plan **out, ashlar_error *err)
{
    if (j->grid->settings.memory_bytes > 0)
        return plan_limited(j, out, err);
    ashlar_figures best;
    ashlar_plan *small = NULL;
    const ashlar_status status = plan_within(j, 0, out, err);
    if (status != ASHLAR_OK || ashlar_plan_predicted(*out, &best, err) != ASHLAR_OK)
        return status;
    const int64_t allowed = ashi_memory_allowed(j->call, &j->grid->at, j->share);
    if (best.memory_words <= allowed)
        return status;
    plan_small(j, allowed, best.memory_words, &small, NULL);
    choose(j, out, &small);
    ashlar_plan_free(&small);
    return status;
}

ashlar_status ashi_planning(const ashi_gemm_call *call, ashi_grid *const grid[3], ashlar_plan **out, ashlar_error *err)
{
    const ashi_grid *g = grid[0];
    const int rank = g->ranks[g->at.row * g->at.cols + g->at.col];
    ashlar_layout *layout[3] = {NULL, NULL, NULL};
    ashlar_status status = ASHLAR_OK;
    int64_t share = 0;
    *out = NULL;
    for (int x = call->nothing ? 2 : 0; x < 3 && status == ASHLAR_OK; x++) {
        status = place(&call->sub[x], grid[x], g, &layout[x], err);
        share += ashlar_layout_words(layout[x], rank);
    }
    if (ashi_grid_all(g, status == ASHLAR_OK)) {
        const job j = {call, g,
                       {.type = call->type, .op_a = call->op[0], .op_b = call->op[1], .m = call->m, .n = call->n,
                        .k = call->nothing ? 0 : call->k, .a = layout[0], .b = layout[1], .c = layout[2]},
                       (int64_t)ashlar_type_bytes(call->type), most(g, share)};
        status = plan(&j, out, err);
    } else {
        status = ASHLAR_ERR_MEMORY;
    }
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&layout[x]);
    return status;
}
