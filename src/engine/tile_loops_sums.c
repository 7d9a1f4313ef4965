/* Sums of C in the loops over tiles: begun, read back, added up by all ranks, and written. */
#include "engine/tile_loops_do.h"

/* A tile's sums that each rank adds to a C of its own: first they are summed over all ranks, without C0. Else C0 is in
 * the sums from the first. */
static bool is_apart(const ashi_loops *l)
{
    return ashi_loops_accumulates(l) && (l->q.inside || l->q.resident[ASHLAR_C]);
}

/* A running sum with C0 in it, or what was written before, or zeros. */
static int64_t open_sum(ashi_loops *l, const ashi_box *box, int64_t filed, bool given)
{
    ashi_panel p = ashi_panel_of(ASHLAR_C, box);
    p.order[0] = l->q.minor[ASHLAR_C] ? 0 : 1;
    p.order[1] = (signed char)(1 - p.order[0]);
    p.part = 0;
    const int64_t id = ashi_build_panel(&l->builder, &p);
    if (filed >= 0 || given)
        ashi_loops_load(l, ASHLAR_C, box, filed, id);
    if (filed < 0) {
        ashi_operation o = ashi_operation_blank(ASHI_DO_SCALE);
        o.makes = id;
        o.begins = true;
        ashi_build_operation(&l->builder, &o);
    }
    return id;
}

static void open_tile(ashi_loops *l, const ashi_loop_tile *t, int64_t row)
{
    const ashi_box box = ashi_loops_box(l, ASHLAR_C, t, 0, row);
    const bool own = !ashi_loops_accumulates(l) || row == l->builder.rank;
    const int64_t filed = is_apart(l) ? ASHI_NO_PANEL : *ashi_loops_filed(l, ASHLAR_C, 0, t, row);
    if (ashi_box_words(&box) > 0)
        *ashi_loops_held(l, ASHLAR_C, 0, t, row) = open_sum(l, &box, filed, l->q.adds && own && !is_apart(l));
}

void ashi_loops_open(ashi_loops *l, const ashi_loop_item *item)
{
    if (!ashi_loops_reads(l, item, ASHLAR_C))
        return;
    for (int64_t i = 0; i < ashi_loops_tiles(l, ASHLAR_C); i++) {
        const ashi_loop_tile t = ashi_loops_tile(l, item, ASHLAR_C, i);
        for (int64_t row = 0; row < l->rows; row++)
            open_tile(l, &t, row);
    }
}

static void close_tile(ashi_loops *l, const ashi_loop_tile *t, int64_t row)
{
    int64_t *held = ashi_loops_held(l, ASHLAR_C, 0, t, row);
    const ashi_box box = ashi_loops_box(l, ASHLAR_C, t, 0, row);
    if (*held >= 0)
        *ashi_loops_filed(l, ASHLAR_C, 0, t, row) = ashi_loops_store(l, ASHLAR_C, &box, *held);
    *held = ASHI_NO_PANEL;
}

void ashi_loops_close(ashi_loops *l, const ashi_loop_item *item)
{
    if (l->q.resident[ASHLAR_C] || is_apart(l) || !ashi_loops_ends(l, item, ASHLAR_C))
        return;
    for (int64_t i = 0; i < ashi_loops_tiles(l, ASHLAR_C); i++) {
        const ashi_loop_tile t = ashi_loops_tile(l, item, ASHLAR_C, i);
        for (int64_t row = 0; row < l->rows; row++)
            close_tile(l, &t, row);
    }
}

void ashi_loops_close_all(ashi_loops *l)
{
    for (int64_t i = 0; i < ashi_loops_all(l, ASHLAR_C); i++) {
        const ashi_loop_tile t = ashi_loops_nth(l, ASHLAR_C, i);
        close_tile(l, &t, 0);
    }
}

/* ---- sums of all ranks ---- */

/* Of a tile that all ranks have sums of, rank q adds up part q of the rows. First each rank sends the other parts to
 * those who add them up, then its own part, complete, to all others. One neighbour after the other, so that one part at
 * a time is there twice. */
enum { STEPS_OF_TOTAL = 2 };

int64_t ashi_loops_join_steps(const ashi_loops *l)
{
    return 1 + (l->q.ranks - 1) * (1 + STEPS_OF_TOTAL) + 1;
}

static void add(ashi_loops *l, int64_t from, int64_t to)
{
    ashi_operation o = ashi_operation_blank(ASHI_DO_ADD);
    ashi_operation_reads(&o, 0, from, true);
    o.makes = to;
    ashi_build_operation(&l->builder, &o);
}

/* Send what the rank at a distance adds up, and add what the one at that distance before has sent. */
static void contribute(ashi_loops *l, const ashi_loop_tile *t, int64_t distance)
{
    const int64_t ranks = l->q.ranks, rank = l->builder.rank;
    const int64_t to = (rank + distance) % ranks, from = (rank + ranks - distance) % ranks;
    const ashi_box theirs = ashi_loops_box(l, ASHLAR_C, t, 0, to), own = ashi_loops_box(l, ASHLAR_C, t, 0, rank);
    int64_t *held = ashi_loops_held(l, ASHLAR_C, 0, t, to);
    ashi_loops_send(l, ASHLAR_C, &theirs, to, *held, true, to);
    *held = ASHI_NO_PANEL;
    const int64_t arrived = ashi_loops_receive(l, ASHLAR_C, &own, from, false, rank);
    if (arrived >= 0)
        add(l, arrived, *ashi_loops_held(l, ASHLAR_C, 0, t, rank));
}

static void exchange_totals(ashi_loops *l, const ashi_loop_tile *t, int64_t distance)
{
    const int64_t ranks = l->q.ranks, rank = l->builder.rank;
    const int64_t to = (rank + distance) % ranks, from = (rank + ranks - distance) % ranks;
    const ashi_box own = ashi_loops_box(l, ASHLAR_C, t, 0, rank), theirs = ashi_loops_box(l, ASHLAR_C, t, 0, from);
    ashi_loops_send(l, ASHLAR_C, &own, to, *ashi_loops_held(l, ASHLAR_C, 0, t, rank), false, rank);
    *ashi_loops_held(l, ASHLAR_C, 0, t, from) = ashi_loops_receive(l, ASHLAR_C, &theirs, from, false, from);
}

/* A part that is complete goes to the rank's own C: with what is there already, if that is not in it. */
static void keep_total(ashi_loops *l, const ashi_loop_tile *t, int64_t row)
{
    int64_t *held = ashi_loops_held(l, ASHLAR_C, 0, t, row), *filed = ashi_loops_filed(l, ASHLAR_C, 0, t, row);
    const ashi_box box = ashi_loops_box(l, ASHLAR_C, t, 0, row);
    int64_t from = *held;
    if (from < 0)
        return;
    if (is_apart(l) && (l->q.adds || *filed >= 0)) {
        const int64_t sum = open_sum(l, &box, *filed, l->q.adds);
        add(l, from, sum);
        from = sum;
    }
    *filed = ashi_loops_store(l, ASHLAR_C, &box, from);
    *held = ASHI_NO_PANEL;
}

/* Step 0 is for what has to be read. */
static void join_tile(ashi_loops *l, const ashi_loop_tile *t, int64_t step)
{
    const int64_t ranks = l->q.ranks, rank = l->builder.rank, totals = step - ranks;
    if (step < ranks)
        contribute(l, t, step);
    else if (totals >= STEPS_OF_TOTAL * (ranks - 1))
        keep_total(l, t, rank);
    else if (totals % STEPS_OF_TOTAL == 0)
        exchange_totals(l, t, 1 + totals / STEPS_OF_TOTAL);
    else
        keep_total(l, t, (rank + ranks - 1 - totals / STEPS_OF_TOTAL) % ranks);
}

void ashi_loops_join(ashi_loops *l, const ashi_loop_item *item, int64_t step)
{
    if (step == 0 || l->q.resident[ASHLAR_C] || !ashi_loops_ends(l, item, ASHLAR_C))
        return;
    for (int64_t i = 0; i < ashi_loops_tiles(l, ASHLAR_C); i++) {
        const ashi_loop_tile t = ashi_loops_tile(l, item, ASHLAR_C, i);
        join_tile(l, &t, step);
    }
}

void ashi_loops_join_filed(ashi_loops *l, int64_t number, int64_t step)
{
    const ashi_loop_tile t = ashi_loops_nth(l, ASHLAR_C, number);
    if (step > 0) {
        join_tile(l, &t, step);
        return;
    }
    for (int64_t row = 0; row < l->rows && !is_apart(l); row++)
        open_tile(l, &t, row);
}
