/* The programs of loops over tiles: which step does what. */
#include "engine/tile_loops.h"

#include "base/checked.h"
#include "base/error.h"
#include "engine/tile_loops_do.h"

#include <inttypes.h>
#include <stdlib.h>

enum { M, N, K, FILED_STEPS = 3 };

/* ---- how many steps there are ---- */

static bool is_outside(const ashi_loops *l, ashi_together method)
{
    return !l->q.inside && l->q.method == method;
}

/* Each item reads, moves, multiplies and writes. */
static int64_t item_steps(const ashi_loops *l)
{
    if (!l->q.inside)
        return 3;
    if (l->q.method == ASHI_TOGETHER_ROTATE)
        return 2 + 2 * l->pieces;
    return ashi_loops_accumulates(l) ? 2 + ashi_loops_join_steps(l) : 4;
}

/* Steps before the loops, after those of one round, and after all of them. */
static int64_t steps_before(const ashi_loops *l)
{
    const int x = ashi_loops_replicated(l);
    return x >= 0 && !l->q.inside ? FILED_STEPS * ashi_loops_all(l, x) : 0;
}

static int64_t shift_steps(const ashi_loops *l, int x)
{
    return is_outside(l, ASHI_TOGETHER_ROTATE) && l->moves[x] ? FILED_STEPS * ashi_loops_all(l, x) : 0;
}

static int64_t rounds(const ashi_loops *l)
{
    return is_outside(l, ASHI_TOGETHER_ROTATE) ? l->pieces : 1;
}

static int64_t steps_after(const ashi_loops *l)
{
    return ashi_loops_accumulates(l) && (!l->q.inside || l->q.resident[ASHLAR_C])
               ? ashi_loops_all(l, ASHLAR_C) * ashi_loops_join_steps(l) : 0;
}

/* ---- one step ---- */

static void read_item(ashi_loops *l, const ashi_loop_item *item)
{
    for (int i = 0; i < 3; i++)
        if (l->q.order[i] == ASHLAR_C)
            ashi_loops_open(l, item);
        else
            ashi_loops_read(l, item, l->q.order[i]);
}

static void make_item(ashi_loops *l, const ashi_loop_item *item, int64_t step)
{
    const int64_t last = item_steps(l) - 1;
    if (step == 0)
        read_item(l, item);
    else if (l->q.inside && ashi_loops_accumulates(l) && step > 1)
        ashi_loops_join(l, item, step - 2);
    else if (step == last)
        ashi_loops_close(l, item);
    else if (l->q.inside && l->q.method == ASHI_TOGETHER_ROTATE && step % 2 == 0)
        ashi_loops_shift(l, item, step / 2 - 1);
    else if (l->q.inside && l->q.method == ASHI_TOGETHER_ROTATE)
        ashi_loops_multiply(l, item, step / 2);
    else if (l->q.inside && ashi_loops_replicated(l) >= 0 && step == 1)
        ashi_loops_spread(l, item);
    else
        ashi_loops_multiply(l, item, l->round);
}

/* Behind the items of a round: sums that stayed are written, and blocks move on. */
static void make_between(ashi_loops *l, int64_t step)
{
    const int64_t of_a = shift_steps(l, 0), at = step - 1;
    if (step == 0) {
        if (l->q.resident[ASHLAR_C] && !ashi_loops_accumulates(l))
            ashi_loops_close_all(l);
    } else if (at < of_a) {
        ashi_loops_shift_filed(l, 0, at / FILED_STEPS, at % FILED_STEPS);
    } else {
        ashi_loops_shift_filed(l, 1, (at - of_a) / FILED_STEPS, (at - of_a) % FILED_STEPS);
    }
}

static ashlar_status make_step(ashi_builder *b)
{
    ashi_loops *l = b->program->own;
    const int64_t before = steps_before(l), loops = l->items * item_steps(l);
    const int64_t round = loops + 1 + shift_steps(l, 0) + shift_steps(l, 1), all = rounds(l) * round;
    const int64_t at = b->step - before;
    if (b->step == 0)
        ashi_loops_begin_rank(l);
    if (at < 0) {
        ashi_loops_spread_filed(l, b->step / FILED_STEPS, b->step % FILED_STEPS);
    } else if (at >= all) {
        ashi_loops_join_filed(l, (at - all) / ashi_loops_join_steps(l), (at - all) % ashi_loops_join_steps(l));
    } else if (at % round < loops) {
        const ashi_loop_item item = ashi_loops_item(l, at % round / item_steps(l));
        l->round = at / round;
        make_item(l, &item, at % round % item_steps(l));
    } else {
        make_between(l, at % round - loops);
    }
    return b->status;
}

/* ---- the program ---- */

static ashlar_status emit(ashi_program *program, int64_t rank, int64_t step, const ashi_program_visitor *visitor,
                          ashlar_error *err)
{
    ashi_loops *l = program->own;
    l->builder.program = program;
    return ashi_build(&l->builder, make_step, rank, step, visitor, err);
}

static void free_own(ashi_program *program)
{
    ashi_loops *l = program->own;
    for (int x = 0; x < 3; x++) {
        free(l->of[x].held);
        free(l->of[x].filed);
    }
    free(l);
}

/* On one rank nothing moves, and nothing is copied outside the loops. */
static ashi_tile_loops alone(ashi_tile_loops q)
{
    q.inside = true;
    q.method = ASHI_TOGETHER_ROTATE;
    q.grid[0] = q.grid[1] = 1;
    return q;
}

static void find_slots(ashi_loops *l)
{
    const ashi_tile_loops *q = &l->q;
    const bool rotates = q->method == ASHI_TOGETHER_ROTATE;
    l->pieces = rotates ? q->grid[0] / ashi_common_divisor(q->grid[0], q->grid[1]) * q->grid[1]
                        : ashi_loops_accumulates(l) ? 1 : q->ranks;
    l->rows = ashi_loops_accumulates(l) ? q->ranks : 1;
    for (int x = 0; x < 2; x++) {
        l->of[x].slots = rotates ? l->pieces / q->grid[1 - x] : l->pieces;
        l->moves[x] = rotates && q->grid[1 - x] > 1;
    }
    l->of[ASHLAR_C].slots = 1;
}

static int common(int x, int y)
{
    return ashi_loops_other(3 - x - y);
}

static ashlar_status take(ashi_loops *l, const ashi_tile_loops *loops, ashlar_error *err)
{
    l->q = loops->ranks == 1 ? alone(*loops) : *loops;
    const int *order = l->q.order;
    l->index[0] = common(order[0], order[1]);
    l->index[1] = common(order[0], order[2]);
    l->index[2] = common(order[1], order[2]);
    l->items = 1;
    for (int d = 0; d < 3; d++) {
        const int64_t *count = l->q.count[d];
        if (count[0] < 1 || count[1] < 1 || (count[1] > 1 && d != l->index[1]) || l->q.size[d] < 1)
            return ashi_fail(err, ASHLAR_ERR_INTERNAL, "tile loops: index %d has %" PRId64 " x %" PRId64 " tiles", d,
                             count[0], count[1]);
        if (!ashi_mul(count[0], count[1], &l->tiles[d]) || !ashi_mul(l->items, l->tiles[d], &l->items))
            return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "a program of tiles has more than 2^63 steps");
    }
    if (l->q.method == ASHI_TOGETHER_ROTATE && l->q.grid[0] * l->q.grid[1] != l->q.ranks)
        return ashi_fail(err, ASHLAR_ERR_INTERNAL, "tile loops: the grid has another number of ranks");
    find_slots(l);
    return ASHLAR_OK;
}

static ashlar_status make_stores(ashi_loops *l, ashlar_error *err)
{
    for (int x = 0; x < 3; x++) {
        ashi_loop_store *s = &l->of[x];
        int64_t room = s->slots * ashi_loops_rows(l, x), bytes = 0;
        if (!ashi_mul(room, l->tiles[ashi_loops_side(x, 0)], &room) ||
            !ashi_mul(room, l->tiles[ashi_loops_side(x, 1)], &room) ||
            !ashi_mul(room, (int64_t)sizeof *s->held, &bytes))
            return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "a matrix has more than 2^60 tiles");
        s->room = room;
        s->held = malloc((size_t)bytes);
        s->filed = malloc((size_t)bytes);
        if (!s->held || !s->filed)
            return ashi_fail_memory(err, "plan", 2 * bytes);
    }
    return ASHLAR_OK;
}

static ashlar_status count_steps(const ashi_loops *l, int64_t *steps, ashlar_error *err)
{
    int64_t all = 0;
    if (!ashi_mul(l->items, item_steps(l), &all) || !ashi_add(all, 1 + shift_steps(l, 0) + shift_steps(l, 1), &all) ||
        !ashi_mul(all, rounds(l), &all) || !ashi_add(all, steps_before(l) + steps_after(l), steps))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "a program of tiles has more than 2^63 steps");
    return ASHLAR_OK;
}

ashlar_status ashi_tile_loops_program(const ashi_tile_loops *loops, ashi_program *out, ashlar_error *err)
{
    ashi_loops *l = calloc(1, sizeof *l);
    *out = (ashi_program){0};
    if (!l)
        return ashi_fail_memory(err, "plan", (int64_t)sizeof *l);
    *out = (ashi_program){.m = loops->size[M], .n = loops->size[N], .k = loops->size[K], .ranks = loops->ranks,
                          .source = {ASHI_MEMORY_FILE, ASHI_MEMORY_FILE, ASHI_MEMORY_FILE}, .adds = loops->adds,
                          .brings_more = true, .own = l, .emit = emit, .free_own = free_own};
    ashlar_status status = take(l, loops, err);
    out->replicated = ashi_loops_accumulates(l);
    if (status == ASHLAR_OK)
        status = make_stores(l, err);
    if (status == ASHLAR_OK)
        status = count_steps(l, &out->steps, err);
    l->builder = ashi_builder_of(out);
    if (status != ASHLAR_OK)
        ashi_program_free(out);
    return status;
}
