/* Blocks of A and B in the loops over tiles: read, multiplied, and handed from rank to rank. */
#include "engine/tile_loops_do.h"

/* ---- reading ---- */

/* Whether what a rank has in a slot came, or will come, as a message into its memory. */
static bool arrives(const ashi_loops *l, int x, int64_t slot)
{
    if (x == ashi_loops_replicated(l))
        return l->q.inside ? slot != l->builder.rank : l->q.resident[x];
    return l->moves[x] && !l->q.inside && l->q.resident[x] && l->round >= l->of[x].slots;
}

/* Whether a slot is of this step of a rotation outside the loops. */
static bool is_turn(const ashi_loops *l, int x, int64_t slot)
{
    return l->q.method != ASHI_TOGETHER_ROTATE || l->q.inside || slot == l->round % l->of[x].slots;
}

/* Whether something other than a product reads it: a message. */
static bool is_sent(const ashi_loops *l, int x)
{
    return (l->moves[x] && (l->q.inside || l->q.resident[x])) || (l->q.inside && x == ashi_loops_replicated(l));
}

static void read_tile(ashi_loops *l, int x, int64_t slot, const ashi_loop_tile *t, int64_t row, bool idle)
{
    const ashi_box box = ashi_loops_box(l, x, t, ashi_loops_piece(l, x, slot, l->round), row);
    if (ashi_box_words(&box) == 0)
        return;
    const int64_t id = ashi_loops_panel(l, x, &box, idle && !is_sent(l, x));
    ashi_loops_load(l, x, &box, *ashi_loops_filed(l, x, slot, t, row), id);
    if (!idle || is_sent(l, x))
        *ashi_loops_held(l, x, slot, t, row) = id;
}

void ashi_loops_read(ashi_loops *l, const ashi_loop_item *item, int x)
{
    if (!ashi_loops_reads(l, item, x))
        return;
    const bool idle = ashi_loops_is_idle(l, item, x);
    for (int64_t i = 0; i < ashi_loops_tiles(l, x); i++) {
        const ashi_loop_tile t = ashi_loops_tile(l, item, x, i);
        for (int64_t slot = 0; slot < l->of[x].slots; slot++)
            for (int64_t row = 0; row < ashi_loops_rows(l, x); row++)
                if (!arrives(l, x, slot) && is_turn(l, x, slot))
                    read_tile(l, x, slot, &t, row, idle);
    }
}

/* ---- products ---- */

typedef struct product {
    int64_t *a, *b, *c;
    ashi_box box_a, box_b;
} product;

/* The product of one part of the rows. False: there is none. */
static bool find_product(const ashi_loops *l, const ashi_loop_tile *t, const int64_t slot[2], int64_t turn, int64_t row,
                         product *out)
{
    const int64_t piece = ashi_loops_piece(l, 0, slot[0], turn);
    out->a = ashi_loops_held(l, 0, slot[0], t, row);
    out->b = ashi_loops_held(l, 1, slot[1], t, 0);
    out->c = ashi_loops_held(l, 2, 0, t, row);
    out->box_a = ashi_loops_box(l, 0, t, piece, row);
    out->box_b = ashi_loops_box(l, 1, t, piece, 0);
    return ashi_box_words(&out->box_a) > 0 && ashi_box_words(&out->box_b) > 0;
}

static void multiply_one(ashi_loops *l, const product *p, const bool last[2])
{
    ashi_operation o = ashi_operation_blank(ASHI_DO_MULTIPLY);
    const int64_t lo[] = {p->box_a.minor_lo, p->box_b.minor_lo, p->box_a.major_lo, 0};
    const int64_t hi[] = {p->box_a.minor_hi, p->box_b.minor_hi, p->box_a.major_hi, 1};
    for (int d = 0; d < ASHI_PRODUCT_INDICES; d++) {
        o.lo[d] = lo[d];
        o.hi[d] = hi[d];
    }
    ashi_operation_reads(&o, 0, *p->a, last[0]);
    ashi_operation_reads(&o, 2, *p->b, last[1]);
    o.makes = *p->c;
    ashi_build_operation(&l->builder, &o);
    for (int x = 0; x < 2; x++)
        if (last[x])
            *(x == 0 ? p->a : p->b) = ASHI_NO_PANEL;
}

/* Whether a product is the last to read its tile of x, apart from other parts of the rows. */
static bool is_last(const ashi_loops *l, const ashi_loop_item *item, int x)
{
    return !(l->moves[x] && (l->q.inside || l->q.resident[x])) && !ashi_loops_serves_again(l, item, x);
}

static void multiply_slot(ashi_loops *l, const ashi_loop_item *item, const int64_t slot[2], int64_t turn)
{
    const ashi_loop_tile t = ashi_loops_inner(l, item);
    const int64_t rows = l->rows;
    int64_t end = -1;
    product p;
    for (int64_t row = 0; row < rows; row++)
        if (find_product(l, &t, slot, turn, row, &p))
            end = row;
    for (int64_t row = 0; row <= end; row++) {
        const bool last[2] = {is_last(l, item, 0), row == end && is_last(l, item, 1)};
        if (find_product(l, &t, slot, turn, row, &p))
            multiply_one(l, &p, last);
    }
}

void ashi_loops_multiply(ashi_loops *l, const ashi_loop_item *item, int64_t turn)
{
    const bool rotates = l->q.method == ASHI_TOGETHER_ROTATE;
    const int64_t slots = rotates ? 1 : l->of[0].slots;
    for (int64_t i = 0; i < slots; i++) {
        const int64_t slot[2] = {rotates ? turn % l->of[0].slots : i, rotates ? turn % l->of[1].slots : i};
        multiply_slot(l, item, slot, turn);
    }
}

/* ---- rotation ---- */

/* To whom a block of A or B goes, and from whom the next one comes: the neighbour one column, or one row, before and
 * behind. */
static int64_t neighbour(const ashi_loops *l, int x, int64_t way)
{
    const int64_t *grid = l->q.grid, n = grid[1 - x];
    const int64_t at = (l->at[1 - x] + way + n) % n;
    return x == 0 ? l->at[0] * grid[1] + at : at * grid[1] + l->at[1];
}

void ashi_loops_shift(ashi_loops *l, const ashi_loop_item *item, int64_t turn)
{
    const ashi_loop_tile t = ashi_loops_inner(l, item);
    for (int x = 0; x < 2; x++) {
        if (!l->moves[x])
            continue;
        const int64_t slots = l->of[x].slots, slot = turn % slots;
        int64_t *held = ashi_loops_held(l, x, slot, &t, 0);
        const ashi_box out = ashi_loops_box(l, x, &t, ashi_loops_piece(l, x, slot, turn), 0);
        const ashi_box in = ashi_loops_box(l, x, &t, ashi_loops_piece(l, x, slot, turn + 1), 0);
        const bool home = turn + slots >= l->pieces;
        ashi_loops_send(l, x, &out, neighbour(l, x, -1), *held, true, -1);
        *held = ashi_loops_receive(l, x, &in, neighbour(l, x, 1), home && !ashi_loops_comes_again(l, item, x), -1);
    }
}

/* A tile that stays in memory is sent from there; the last step brings it home, where nobody reads it. */
void ashi_loops_shift_filed(ashi_loops *l, int x, int64_t number, int64_t step)
{
    const bool stays = l->q.resident[x];
    const ashi_loop_tile t = ashi_loops_nth(l, x, number);
    const int64_t slots = l->of[x].slots, slot = l->round % slots;
    int64_t *held = ashi_loops_held(l, x, slot, &t, 0), *filed = ashi_loops_filed(l, x, slot, &t, 0);
    const ashi_box out = ashi_loops_box(l, x, &t, ashi_loops_piece(l, x, slot, l->round), 0);
    const ashi_box in = ashi_loops_box(l, x, &t, ashi_loops_piece(l, x, slot, l->round + 1), 0);
    if (step == 0 && !stays && ashi_box_words(&out) > 0) {
        *held = ashi_loops_panel(l, x, &out, false);
        ashi_loops_load(l, x, &out, *filed, *held);
    } else if (step == 1) {
        ashi_loops_send(l, x, &out, neighbour(l, x, -1), *held, true, -1);
        *held = ashi_loops_receive(l, x, &in, neighbour(l, x, 1), stays && l->round + slots >= l->pieces, -1);
    } else if (step == 2 && !stays) {
        *filed = *held >= 0 ? ashi_loops_store(l, x, &in, *held) : ASHI_NO_PANEL;
        *held = ASHI_NO_PANEL;
    }
}

/* ---- replication ---- */

/* Send the rank's own piece of a tile to all others, and receive theirs. */
static void spread(ashi_loops *l, int x, const ashi_loop_tile *t, bool last, bool idle)
{
    const int64_t ranks = l->q.ranks, rank = l->builder.rank;
    const ashi_box own = ashi_loops_box(l, x, t, rank, 0);
    int64_t *held = ashi_loops_held(l, x, rank, t, 0);
    for (int64_t d = 1; d < ranks; d++)
        ashi_loops_send(l, x, &own, (rank + d) % ranks, *held, last && d == ranks - 1, -1);
    if (last)
        *held = ASHI_NO_PANEL;
    for (int64_t d = 1; d < ranks; d++) {
        const int64_t peer = (rank + ranks - d) % ranks;
        const ashi_box box = ashi_loops_box(l, x, t, peer, 0);
        *ashi_loops_held(l, x, peer, t, 0) = ashi_loops_receive(l, x, &box, peer, idle, -1);
    }
}

void ashi_loops_spread(ashi_loops *l, const ashi_loop_item *item)
{
    const int x = ashi_loops_replicated(l);
    if (!ashi_loops_reads(l, item, x))
        return;
    const bool idle = ashi_loops_is_idle(l, item, x);
    for (int64_t i = 0; i < ashi_loops_tiles(l, x); i++) {
        const ashi_loop_tile t = ashi_loops_tile(l, item, x, i);
        spread(l, x, &t, idle, idle);
    }
}

void ashi_loops_spread_filed(ashi_loops *l, int64_t number, int64_t step)
{
    const int x = ashi_loops_replicated(l);
    const ashi_loop_tile t = ashi_loops_nth(l, x, number);
    if (step == 0)
        read_tile(l, x, l->builder.rank, &t, 0, false);
    else if (step == 1)
        spread(l, x, &t, false, false);
    if (step < 2 || l->q.resident[x])
        return;
    for (int64_t slot = 0; slot < l->of[x].slots; slot++) {
        int64_t *held = ashi_loops_held(l, x, slot, &t, 0);
        const ashi_box box = ashi_loops_box(l, x, &t, slot, 0);
        if (*held >= 0)
            *ashi_loops_filed(l, x, slot, &t, 0) = ashi_loops_store(l, x, &box, *held);
        *held = ASHI_NO_PANEL;
    }
}
