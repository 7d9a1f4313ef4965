/* The near-optimal sequential schedule as a stream of operations, and its row in the table of strategies.
 *
 * Source: Kwasniewski et al., SC 2019 (COSMA), Listing 1. Wins where the matrices are in files and the ranks' memory
 * does not hold them: what is read of A and B is close to the least. Nothing is sent between ranks. */
#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "strategy/sequential.h"
#include "strategy/strategy.h"

#include <stdlib.h>

/* A rank's part of C, and how many tiles it really has. */
typedef struct part {
    ashi_box box;
    int64_t down, across;
} part;

static part part_of(const ashi_sequential *s, int64_t rank)
{
    if (rank >= s->grid[0] * s->grid[1])
        return (part){{0, 0, 0, 0}, 0, 0};
    const int64_t i = rank % s->grid[0], j = rank / s->grid[0];
    part p = {.box = {ashi_cut(s->size[0], s->grid[0], i), ashi_cut(s->size[0], s->grid[0], i + 1),
                      ashi_cut(s->size[1], s->grid[1], j), ashi_cut(s->size[1], s->grid[1], j + 1)}};
    p.down = ashi_min(s->tiles[0], p.box.minor_hi - p.box.minor_lo);
    p.across = ashi_min(s->tiles[1], p.box.major_hi - p.box.major_lo);
    return p;
}

static ashi_box tile_of(const part *p, int64_t number)
{
    const int64_t i = number % p->down, j = number / p->down;
    const int64_t rows = p->box.minor_hi - p->box.minor_lo, cols = p->box.major_hi - p->box.major_lo;
    return (ashi_box){p->box.minor_lo + ashi_cut(rows, p->down, i), p->box.minor_lo + ashi_cut(rows, p->down, i + 1),
                      p->box.major_lo + ashi_cut(cols, p->across, j),
                      p->box.major_lo + ashi_cut(cols, p->across, j + 1)};
}

typedef struct emission {
    ashi_visit visit;
    void *context;
    ashlar_error *err;
    ashlar_status status;
} emission;

static void tell(emission *e, ashi_op op)
{
    op.owner = -1;
    op.pack_offset = -1;
    op.chunk = ashi_whole;
    if (e->status == ASHLAR_OK)
        e->status = e->visit(e->context, &op, e->err);
}

/* One buffer of A or B: acquired and filled. */
static void tell_slab(emission *e, ashlar_operand x, const ashi_box *box)
{
    const int64_t words = ashi_box_words(box);
    tell(e, (ashi_op){.kind = ASHI_ACQUIRE, .operand = x, .words = words});
    tell(e, (ashi_op){.kind = ASHI_READ, .operand = x, .words = words, .box = *box});
}

static void tell_product(emission *e, const ashi_box *tile, int64_t k_lo, int64_t k_hi)
{
    const ashi_box a = {tile->minor_lo, tile->minor_hi, k_lo, k_hi}, b = {tile->major_lo, tile->major_hi, k_lo, k_hi};
    tell_slab(e, ASHLAR_A, &a);
    tell_slab(e, ASHLAR_B, &b);
    tell(e, (ashi_op){.kind = ASHI_MULTIPLY, .operand = ASHLAR_C, .box = *tile, .k_lo = k_lo, .k_hi = k_hi});
    tell(e, (ashi_op){.kind = ASHI_RELEASE});
}

/* A step is one slab of one tile. The first tile is the largest, so its buffer serves for all. */
static ashlar_status emit(ashi_schedule *schedule, int64_t rank, int64_t step, ashi_visit visit, void *context,
                          ashlar_error *err)
{
    const ashi_sequential *s = schedule->own;
    const part p = part_of(s, rank);
    const int64_t turns = ashi_max(s->slabs, 1), number = step / turns, slab = step % turns;
    emission e = {visit, context, err, ASHLAR_OK};
    if (number >= p.down * p.across)
        return ASHLAR_OK;
    const ashi_box tile = tile_of(&p, number);
    const int64_t words = ashi_box_words(&tile);
    if (step == 0)
        tell(&e, (ashi_op){.kind = ASHI_ACQUIRE, .operand = ASHLAR_C, .slot = ASHI_NO_SLOT, .words = words});
    if (slab == 0 && s->adds)
        tell(&e, (ashi_op){.kind = ASHI_READ, .operand = ASHLAR_C, .slot = ASHI_NO_SLOT, .words = words, .box = tile});
    if (s->slabs > 0)
        tell_product(&e, &tile, ashi_cut(s->size[2], s->slabs, slab), ashi_cut(s->size[2], s->slabs, slab + 1));
    if (slab == turns - 1)
        tell(&e, (ashi_op){.kind = ASHI_WRITE, .operand = ASHLAR_C, .slot = ASHI_NO_SLOT, .words = words, .box = tile});
    return e.status;
}

static ashi_box domain(const ashi_schedule *schedule, int64_t rank, int64_t which)
{
    (void)which;
    return part_of(schedule->own, rank).box;
}

static ashi_home home(const ashi_schedule *schedule, int64_t rank, int64_t which)
{
    (void)schedule;
    (void)which;
    (void)rank;
    return (ashi_home){ASHI_HOME_BUFFER, 0, 0};
}

static void free_own(ashi_schedule *schedule)
{
    free(schedule->own);
}

ashlar_status ashi_sequential_schedule(const ashi_sequential *s, ashi_schedule *out, ashlar_error *err)
{
    int64_t steps = 0;
    if (!ashi_mul(s->tiles[0], s->tiles[1], &steps) || !ashi_mul(steps, ashi_max(s->slabs, 1), &steps))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the steps of streaming so little at a time do not fit in 64 bits");
    ashi_sequential *own = malloc(sizeof *own);
    if (!own)
        return ashi_fail_memory(err, "plan", (int64_t)sizeof *own);
    *own = *s;
    *out = (ashi_schedule){.strategy = "sequential", .m = s->size[0], .n = s->size[1], .k = s->size[2],
                           .ranks = s->ranks, .grid = {s->grid[0], s->grid[1], 1},
                           .ranks_used = s->grid[0] * s->grid[1], .rounds = steps, .reduce_rounds = 1, .window = 1,
                           .in_files = true, .adds = s->adds, .steps = steps, .own = own, .emit = emit,
                           .parts = ashi_schedule_one_part, .domain = domain, .home = home, .free_own = free_own};
    return ASHLAR_OK;
}

/* ---- the row of the table ---- */

static ashlar_status choose(const ashi_problem *q, ashi_sequential *out, ashlar_error *err)
{
    const ashi_sequential_request request = {.size = {q->size[0], q->size[1], q->size[2]}, .ranks = q->ranks,
                                             .memory_words = q->memory_words > 0 ? q->memory_words : INT64_MAX,
                                             .bytes = (int64_t)ashi_type_of(q->type)->bytes, .adds = q->adds};
    return ashi_sequential_choose(&request, out, err);
}

static ashlar_status propose(const ashi_problem *q, ashi_proposals *out, ashlar_error *err)
{
    ashi_sequential s;
    if (!q->in_files)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "only matrices in files are streamed; these are in memory");
    ashlar_status status = choose(q, &s, err);
    if (status != ASHLAR_OK)
        return status;
    const int64_t grid[3] = {s.grid[0], s.grid[1], 1};
    ashi_proposal p = {.origin = "tiles of C stay while slabs of A and B are read past them",
                       .estimate = (double)ashi_sequential_busiest(&s).all,
                       .rounds = ashi_max(s.slabs, 1), .reduce_rounds = 1, .window = 1};
    status = ashi_bricks_even(grid, q->size, &p.bricks, err);
    if (status == ASHLAR_OK)
        return ashi_proposals_add(out, &p, err);
    ashi_proposal_free(&p);
    return status;
}

static ashlar_status schedule(const ashi_problem *q, const ashi_proposal *p, ashi_schedule *out, ashlar_error *err)
{
    ashi_sequential s;
    const ashlar_status status = choose(q, &s, err);
    (void)p;
    return status == ASHLAR_OK ? ashi_sequential_schedule(&s, out, err) : status;
}

const ashi_strategy ashi_strategy_sequential = {
    .name = "sequential",
    .summary = "matrices in files: tiles of C stay in memory, slabs of A and B are read past them",
    .propose = propose,
    .schedule = schedule};
