/* The schedule of a grid of boxes: which operations each rank begins in each step. */
#include "strategy/grid_schedule.h"

#include "base/checked.h"
#include "base/error.h"
#include "schedule/lower.h"
#include "strategy/slabs.h"

#include <stdlib.h>
#include <string.h>

/* A piece that this rank owns of a box that other ranks need. */
typedef struct outgoing {
    ashi_box box;
    int64_t minor, l; /* of the fibre */
    int64_t words, pack_offset, offset, number;
    bool lands, joins_panel;
} outgoing;

typedef struct grid_own {
    ashi_bricks bricks;
    ashi_axis axis[3];
    ashi_slabs slabs;
    int64_t *cell_of; /* of each rank; -1 where idle */
    /* Scratch of one emission. */
    ashi_pieces fibre, others;
    outgoing *out;
    int64_t out_count, out_capacity;
    int *member;
    int64_t member_of[4]; /* the fibre whose members they are: a cell, and along what */
} grid_own;

typedef struct cell {
    int64_t at[3]; /* i, j, l */
    bool idle;
} cell;

static cell cell_of(const grid_own *g, int64_t rank)
{
    const int64_t n = g->cell_of[rank], *grid = g->bricks.grid;
    if (n < 0)
        return (cell){{0, 0, 0}, true};
    return (cell){{n / grid[2] / grid[1], n / grid[2] % grid[1], n % grid[2]}, false};
}

/* The ranks of the cells that differ from `at` in dimension `along` only; kept until another fibre is asked for. */
static int64_t members(grid_own *g, const int64_t at[3], int along)
{
    const int64_t *grid = g->bricks.grid;
    int64_t here[4] = {at[0], at[1], at[2], along};
    here[along] = 0;
    if (memcmp(here, g->member_of, sizeof here) == 0)
        return grid[along];
    memcpy(g->member_of, here, sizeof here);
    for (int64_t x = 0; x < grid[along]; x++) {
        here[along] = x;
        g->member[x] = g->bricks.rank_of[(here[0] * grid[1] + here[1]) * grid[2] + here[2]];
    }
    return grid[along];
}

/* The index of a rank among the members of such a fibre, -1 where it is none of them. */
static int64_t index_in(const grid_own *g, int64_t rank, const int64_t at[3], int along)
{
    const cell c = cell_of(g, rank);
    for (int d = 0; d < 3; d++)
        if (c.idle || (d != along && c.at[d] != at[d]))
            return -1;
    return c.at[along];
}

/* What is emitted now. */
typedef struct emission {
    ashi_schedule *schedule;
    grid_own *g;
    int64_t rank;
    cell me;
    ashi_visit visit;
    void *context;
    ashlar_error *err;
} emission;

static ashlar_status emit(const emission *e, const ashi_op *op)
{
    return e->visit(e->context, op, e->err);
}

static ashlar_status emit_simple(const emission *e, ashi_op_kind kind, ashlar_operand operand, int slot, int64_t words)
{
    const ashi_op op = {.kind = kind, .operand = operand, .slot = slot, .words = words};
    return emit(e, &op);
}

static ashlar_status note_outgoing(const emission *e, const outgoing *o)
{
    grid_own *g = e->g;
    if (g->out_count == g->out_capacity) {
        const int64_t capacity = ashi_max(16, 2 * g->out_capacity);
        outgoing *out = realloc(g->out, (size_t)capacity * sizeof *out);
        if (!out)
            return ashi_fail_memory(e->err, "schedule", capacity * (int64_t)sizeof *out);
        g->out = out;
        g->out_capacity = capacity;
    }
    g->out[g->out_count++] = *o;
    return ASHLAR_OK;
}

/* ---- A and B ---- */

/* The dimension of the minor side of A or B, and the one along which its fibres run. */
static int minor_of(ashlar_operand x)
{
    return x == ASHLAR_A ? 0 : 1;
}

static int along_of(ashlar_operand x)
{
    return x == ASHLAR_A ? 1 : 0;
}

static ashi_box slab_box(const grid_own *g, ashlar_operand x, int64_t minor, int64_t l, int64_t round)
{
    const int64_t *cut = g->bricks.cut[minor_of(x)];
    return (ashi_box){cut[minor], cut[minor + 1], ashi_slab(&g->slabs, l, round), ashi_slab(&g->slabs, l, round + 1)};
}

/* A fibre's buffer: first the panel, then a stage for pieces that do not land in it. Fills the places of all pieces. */
typedef struct panel {
    int64_t panel_words, stage_words;
} panel;

static panel panel_of(const ashi_box *box, const ashi_pieces *pieces)
{
    panel p = {ashi_box_words(box), 0};
    for (int64_t i = 0; i < pieces->count; i++)
        p.stage_words += pieces->piece[i].lands ? 0 : pieces->piece[i].words;
    return p;
}

/* Where piece number i of a fibre arrives. */
static int64_t arrival(const ashi_box *box, const ashi_pieces *pieces, int64_t i)
{
    const ashi_piece *p = &pieces->piece[i];
    if (p->lands)
        return (p->at - box->major_lo) * (box->minor_hi - box->minor_lo);
    int64_t offset = ashi_box_words(box);
    for (int64_t j = 0; j < i; j++)
        offset += pieces->piece[j].lands ? 0 : pieces->piece[j].words;
    return offset;
}

/* Whether this rank multiplies with all of the box where it lies. */
static bool all_in_place(const emission *e, ashlar_operand x, const ashi_box *box)
{
    const int64_t length = box->major_hi - box->major_lo;
    return ashi_view_in_place(&e->schedule->view[x], e->rank, box, ashi_view_least_in_place(box)) == length;
}

/* Parts lo .. hi-1 of dimension d that touch positions where the rank owns something. */
typedef struct reach {
    int64_t lo, hi;
} reach;

static reach parts_reached(const int64_t *cut, int64_t parts, int64_t first, int64_t last)
{
    reach r = {0, parts};
    while (r.hi - r.lo > 1) { /* cut[lo] <= first */
        const int64_t mid = r.lo + (r.hi - r.lo) / 2;
        if (cut[mid] <= first)
            r.lo = mid;
        else
            r.hi = mid;
    }
    while (r.hi < parts && cut[r.hi] < last)
        r.hi++;
    return r;
}

/* The positions between which a rank owns something of a strip, over all its pairs. */
static reach owned_range(const ashi_view *view, int64_t rank, bool minor)
{
    const ashi_strip *strip = minor ? &view->minor : &view->major;
    reach range = {strip->size, 0};
    for (int64_t i = view->start[rank]; i < view->start[rank + 1]; i++) {
        const int64_t r = view->pair[i] / view->layout->col.parts, c = view->pair[i] % view->layout->col.parts;
        const int64_t part = minor == view->minor_is_row ? r : c;
        if (strip->start[part] == strip->start[part + 1])
            continue;
        const int64_t last = strip->list[strip->start[part + 1] - 1];
        range.lo = ashi_min(range.lo, strip->at[strip->list[strip->start[part]]]);
        range.hi = ashi_max(range.hi, strip->at[last + 1]);
    }
    return range;
}

static bool is_own_fibre(const emission *e, ashlar_operand x, int64_t minor, int64_t l)
{
    return !e->me.idle && e->me.at[minor_of(x)] == minor && e->me.at[2] == l;
}

/* Where a piece of this rank's arrives at the others. */
static void place_outgoing(const emission *e, const ashi_pieces *fibre, outgoing *o)
{
    for (int64_t i = 0; i < fibre->count; i++)
        if (fibre->piece[i].owner == e->rank) {
            o->offset = arrival(&o->box, fibre, i);
            o->lands = fibre->piece[i].lands;
            o->number = i;
        }
}

/* A piece of this rank's that has to be packed: in its own panel, if that is where it is multiplied. */
static void pack_outgoing(const emission *e, ashlar_operand x, bool has_panel, outgoing *o, int64_t *pack)
{
    const ashi_view *view = &e->schedule->view[x];
    ashi_block block;
    o->pack_offset = -1;
    if (ashi_view_is_packed(view, e->rank, &o->box, ashi_whole, &block))
        return;
    o->joins_panel = has_panel && o->lands &&
                     ashi_view_in_place(view, e->rank, &o->box, ashi_view_least_in_place(&o->box)) == 0;
    o->pack_offset = o->joins_panel ? o->offset : *pack;
    *pack += o->joins_panel ? 0 : o->words;
}

/* One of this rank's pieces for another fibre, or for its own. `has_panel`: it has one in this
 * round. */
static ashlar_status consider_sending(const emission *e, ashlar_operand x, int64_t minor, int64_t l, int64_t round,
                                      bool has_panel, int64_t *pack)
{
    grid_own *g = e->g;
    outgoing o = {.box = slab_box(g, x, minor, l, round), .minor = minor, .l = l};
    const bool own_fibre = is_own_fibre(e, x, minor, l);
    o.words = ashi_view_words(&e->schedule->view[x], e->rank, &o.box);
    if (o.words == 0 || (own_fibre && g->bricks.grid[along_of(x)] == 1))
        return ASHLAR_OK;
    if (own_fibre) {
        place_outgoing(e, &g->fibre, &o);
    } else if (e->schedule->one_sided || e->schedule->tree) {
        const ashlar_status status = ashi_view_pieces(&e->schedule->view[x], &o.box, &g->others, e->err);
        if (status != ASHLAR_OK)
            return status;
        place_outgoing(e, &g->others, &o);
    }
    pack_outgoing(e, x, own_fibre && has_panel, &o, pack);
    return note_outgoing(e, &o);
}

static ashlar_status gather_outgoing(const emission *e, ashlar_operand x, int64_t round, bool has_panel,
                                     int64_t *pack)
{
    const grid_own *g = e->g;
    const ashi_view *view = &e->schedule->view[x];
    const reach minor = owned_range(view, e->rank, true), major = owned_range(view, e->rank, false);
    if (minor.lo >= minor.hi || major.lo >= major.hi)
        return ASHLAR_OK;
    const int d = minor_of(x);
    const reach rows = parts_reached(g->bricks.cut[d], g->bricks.grid[d], minor.lo, minor.hi);
    const reach slabs = parts_reached(g->bricks.cut[2], g->bricks.grid[2], major.lo, major.hi);
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = rows.lo; i < rows.hi && status == ASHLAR_OK; i++)
        for (int64_t l = slabs.lo; l < slabs.hi && status == ASHLAR_OK; l++)
            status = consider_sending(e, x, i, l, round, has_panel, pack);
    return status;
}

/* A piece of this rank's, to the ranks of a fibre. */
static ashlar_status emit_send(const emission *e, ashlar_operand x, int slot, const outgoing *o)
{
    int64_t at[3] = {0, 0, o->l};
    at[minor_of(x)] = o->minor;
    const ashi_op op = {.kind = ASHI_MULTICAST, .operand = x, .slot = slot, .words = o->words, .box = o->box,
                        .owner = e->rank, .member = e->g->member, .members = members(e->g, at, along_of(x)),
                        .owner_at = index_in(e->g, e->rank, at, along_of(x)),
                        .rank_at = index_in(e->g, e->rank, at, along_of(x)), .number = o->number,
                        .chunk = ashi_whole, .offset = o->offset, .lands = o->lands, .pack_offset = o->pack_offset,
                        .joins_panel = o->joins_panel};
    return emit(e, &op);
}

/* All pieces of this rank's fibre in the order of owners, its own among them: then two ranks of a fibre that forward
 * pieces to each other name them in one order. */
static ashlar_status emit_fibre(const emission *e, ashlar_operand x, int slot, const ashi_box *box)
{
    grid_own *g = e->g;
    ashi_op op = {.kind = ASHI_MULTICAST, .operand = x, .slot = slot, .box = *box, .chunk = ashi_whole,
                  .member = g->member, .members = members(g, e->me.at, along_of(x)), .pack_offset = -1,
                  .rank_at = e->me.at[along_of(x)]};
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < g->fibre.count && status == ASHLAR_OK; i++) {
        const ashi_piece *p = &g->fibre.piece[i];
        for (int64_t o = 0; p->owner == e->rank && o < g->out_count && status == ASHLAR_OK; o++)
            if (is_own_fibre(e, x, g->out[o].minor, g->out[o].l))
                status = emit_send(e, x, slot, &g->out[o]);
        if (p->owner == e->rank)
            continue;
        op.owner = p->owner;
        op.owner_at = index_in(g, p->owner, e->me.at, along_of(x));
        op.words = p->words;
        op.lands = p->lands;
        op.number = i;
        op.offset = arrival(box, &g->fibre, i);
        status = emit(e, &op);
    }
    return status;
}

static ashlar_status emit_other_sends(const emission *e, ashlar_operand x, int slot)
{
    const grid_own *g = e->g;
    ashlar_status status = ASHLAR_OK;
    for (int64_t o = 0; o < g->out_count && status == ASHLAR_OK; o++)
        if (!is_own_fibre(e, x, g->out[o].minor, g->out[o].l))
            status = emit_send(e, x, slot, &g->out[o]);
    return status;
}

/* Begin one round of A or B. */
static ashlar_status post_operand(const emission *e, ashlar_operand x, int64_t round, int slot)
{
    grid_own *g = e->g;
    panel p = {0, 0};
    ashi_box box = {0, 0, 0, 0};
    ashlar_status status = ASHLAR_OK;
    g->fibre.count = g->out_count = 0;
    if (!e->me.idle) {
        box = slab_box(g, x, e->me.at[minor_of(x)], e->me.at[2], round);
        status = ashi_view_pieces(&e->schedule->view[x], &box, &g->fibre, e->err);
        if (status == ASHLAR_OK && !all_in_place(e, x, &box))
            p = panel_of(&box, &g->fibre);
    }
    int64_t pack = p.panel_words + p.stage_words;
    if (status == ASHLAR_OK)
        status = gather_outgoing(e, x, round, p.panel_words > 0, &pack);
    if (status == ASHLAR_OK)
        status = emit_simple(e, ASHI_ACQUIRE, x, slot, pack);
    if (status == ASHLAR_OK && !e->me.idle)
        status = emit_fibre(e, x, slot, &box);
    return status == ASHLAR_OK ? emit_other_sends(e, x, slot) : status;
}

static ashlar_status post_round(const emission *e, int64_t round)
{
    if (round >= e->schedule->rounds)
        return ASHLAR_OK;
    const int slot = (int)(round % e->schedule->window);
    const ashlar_status status = post_operand(e, ASHLAR_A, round, slot);
    return status == ASHLAR_OK ? post_operand(e, ASHLAR_B, round, slot) : status;
}

static ashi_box domain(const ashi_schedule *schedule, int64_t rank)
{
    const grid_own *g = schedule->own;
    const cell me = cell_of(g, rank);
    if (me.idle)
        return (ashi_box){0, 0, 0, 0};
    const int64_t *m = &g->bricks.cut[0][me.at[0]], *n = &g->bricks.cut[1][me.at[1]];
    return (ashi_box){m[0], m[1], n[0], n[1]};
}

static ashi_home home(const ashi_schedule *schedule, int64_t rank)
{
    const ashi_box box = domain(schedule, rank);
    return ashi_home_find(&schedule->view[ASHLAR_C], rank, &box);
}

static ashlar_status multiply_round(const emission *e, int64_t round)
{
    const int slot = (int)(round % e->schedule->window);
    if (e->me.idle)
        return ASHLAR_OK;
    const ashi_op op = {.kind = ASHI_MULTIPLY, .slot = slot, .box = domain(e->schedule, e->rank),
                        .k_lo = ashi_slab(&e->g->slabs, e->me.at[2], round),
                        .k_hi = ashi_slab(&e->g->slabs, e->me.at[2], round + 1)};
    return emit(e, &op);
}

static ashlar_status round_step(const emission *e, int64_t round)
{
    const int window = e->schedule->window, slot = (int)(round % window);
    ashlar_status status = window == 1 ? post_round(e, round) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        status = emit_simple(e, ASHI_ARRIVE, ASHLAR_A, slot, 0);
    if (status == ASHLAR_OK && window > 1)
        status = post_round(e, round + window - 1);
    if (status == ASHLAR_OK)
        status = multiply_round(e, round);
    return status == ASHLAR_OK ? emit_simple(e, ASHI_RELEASE, ASHLAR_A, slot, 0) : status;
}

/* ---- C ---- */

static ashi_box c_box(const grid_own *g, int64_t i, int64_t j)
{
    const int64_t *m = &g->bricks.cut[0][i], *n = &g->bricks.cut[1][j];
    return (ashi_box){m[0], m[1], n[0], n[1]};
}

static ashi_op reduce_op(const emission *e, int64_t i, int64_t j, int64_t owner, int slot, ashi_chunk chunk)
{
    const int64_t at[3] = {i, j, 0};
    ashi_op op = {.kind = ASHI_REDUCE, .operand = ASHLAR_C, .slot = slot, .box = c_box(e->g, i, j), .owner = owner,
                  .member = e->g->member, .members = members(e->g, at, 2), .chunk = chunk, .pack_offset = -1,
                  .owner_at = index_in(e->g, owner, at, 2), .rank_at = index_in(e->g, e->rank, at, 2),
                  .number = owner};
    op.words = ashi_view_chunk_words(&e->schedule->view[ASHLAR_C], owner, &op.box, chunk);
    return op;
}

/* Visit, in order, the boxes of C in which a rank owns words of a chunk. */
typedef ashlar_status (*owned_visit)(const emission *e, ashi_op *op, void *context);

static ashlar_status each_owned(const emission *e, int64_t owner, int slot, ashi_chunk chunk, owned_visit visit,
                                void *context)
{
    const grid_own *g = e->g;
    const ashi_view *view = &e->schedule->view[ASHLAR_C];
    const reach minor = owned_range(view, owner, true), major = owned_range(view, owner, false);
    if (minor.lo >= minor.hi || major.lo >= major.hi)
        return ASHLAR_OK;
    const reach rows = parts_reached(g->bricks.cut[0], g->bricks.grid[0], minor.lo, minor.hi);
    const reach cols = parts_reached(g->bricks.cut[1], g->bricks.grid[1], major.lo, major.hi);
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = rows.lo; i < rows.hi && status == ASHLAR_OK; i++)
        for (int64_t j = cols.lo; j < cols.hi && status == ASHLAR_OK; j++) {
            ashi_op op = reduce_op(e, i, j, owner, slot, chunk);
            if (op.words > 0)
                status = visit(e, &op, context);
        }
    return status;
}

/* Sums arriving for this rank's own C lie one after the other. */
typedef struct arrivals {
    int64_t rank, offset;
    const ashi_box *until; /* stop at this box */
    bool found, speak;
    ashi_op_kind kind;
} arrivals;

static ashlar_status place_arrival(const emission *e, ashi_op *op, void *context)
{
    arrivals *a = context;
    if (a->found || (a->until && memcmp(a->until, &op->box, sizeof op->box) == 0)) {
        a->found = true;
        return ASHLAR_OK;
    }
    op->offset = a->offset;
    a->offset += ashi_lower_contributions(e->schedule, a->rank, op) * op->words;
    if (!a->speak)
        return ASHLAR_OK;
    op->kind = a->kind;
    return emit(e, op);
}

/* What a rank that contributes to another's C packs and passes on. */
static ashlar_status contribute(const emission *e, const ashi_piece *piece, int slot, ashi_chunk chunk, bool speak,
                                int64_t *pack)
{
    ashi_op op = reduce_op(e, e->me.at[0], e->me.at[1], piece->owner, slot, chunk);
    if (op.words == 0 || piece->owner == e->rank)
        return ASHLAR_OK;
    const ashi_home h = home(e->schedule, e->rank);
    const int64_t passed_on = ashi_lower_contributions(e->schedule, e->rank, &op);
    int64_t offset;
    if (passed_on || !ashi_home_is_packed(&h, &e->schedule->view[ASHLAR_C], piece->owner, &op.box, chunk, &offset)) {
        op.pack_offset = *pack;
        *pack += op.words;
    }
    op.offset = *pack;
    *pack += passed_on * op.words;
    if (!speak)
        return ASHLAR_OK;
    if (e->schedule->one_sided) {
        arrivals a = {.rank = piece->owner, .until = &op.box};
        const ashlar_status status = each_owned(e, piece->owner, slot, chunk, place_arrival, &a);
        if (status != ASHLAR_OK)
            return status;
        op.offset = a.offset;
        members(e->g, e->me.at, 2);
    }
    return emit(e, &op);
}

/* To owners lo .. hi-1 among those of this rank's box. */
static ashlar_status contribute_to(const emission *e, int64_t lo, int64_t hi, int slot, ashi_chunk chunk, bool speak,
                                   int64_t *pack)
{
    const ashi_pieces *pieces = &e->g->fibre;
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < pieces->count && status == ASHLAR_OK; i++)
        if (pieces->piece[i].owner >= lo && pieces->piece[i].owner < hi)
            status = contribute(e, &pieces->piece[i], slot, chunk, speak, pack);
    return status;
}

/* Ranks begin with the owners after themselves, so that not all send to the same rank at once; but along trees, where
 * two ranks may pass on several sums to each other, all must name them in one order. */
static ashlar_status emit_sums(const emission *e, int slot, ashi_chunk chunk, int64_t pack)
{
    const int64_t me = e->rank, ranks = e->schedule->ranks;
    const bool tree = e->schedule->tree;
    arrivals speak = {.rank = me, .speak = true, .kind = ASHI_REDUCE};
    ashlar_status status = tree ? contribute_to(e, 0, me, slot, chunk, true, &pack) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        status = each_owned(e, me, slot, chunk, place_arrival, &speak);
    if (status == ASHLAR_OK)
        status = contribute_to(e, me + 1, ranks, slot, chunk, true, &pack);
    return status == ASHLAR_OK && !tree ? contribute_to(e, 0, me, slot, chunk, true, &pack) : status;
}

/* Begin one round of moving sums. */
static ashlar_status post_sums(const emission *e, int64_t round)
{
    const int64_t rounds = e->schedule->reduce_rounds;
    if (round >= rounds)
        return ASHLAR_OK;
    const int slot = (int)(round % e->schedule->window);
    const ashi_chunk chunk = {round, rounds};
    const ashi_box box = domain(e->schedule, e->rank);
    arrivals a = {.rank = e->rank};
    ashlar_status status = ashi_view_pieces(&e->schedule->view[ASHLAR_C], &box, &e->g->fibre, e->err);
    if (status == ASHLAR_OK)
        status = each_owned(e, e->rank, slot, chunk, place_arrival, &a);
    int64_t words = a.offset;
    if (status == ASHLAR_OK)
        status = contribute_to(e, 0, e->schedule->ranks, slot, chunk, false, &words);
    if (status == ASHLAR_OK)
        status = emit_simple(e, ASHI_ACQUIRE, ASHLAR_C, slot, words);
    return status == ASHLAR_OK ? emit_sums(e, slot, chunk, a.offset) : status;
}

static ashlar_status sum_step(const emission *e, int64_t round)
{
    const int window = e->schedule->window, slot = (int)(round % window);
    const ashi_chunk chunk = {round, e->schedule->reduce_rounds};
    ashlar_status status = window == 1 ? post_sums(e, round) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        status = emit_simple(e, ASHI_ARRIVE, ASHLAR_C, slot, 0);
    if (status == ASHLAR_OK && window > 1)
        status = post_sums(e, round + window - 1);
    arrivals add = {.rank = e->rank, .speak = true, .kind = ASHI_ADD};
    if (status == ASHLAR_OK)
        status = each_owned(e, e->rank, slot, chunk, place_arrival, &add);
    return status == ASHLAR_OK ? emit_simple(e, ASHI_RELEASE, ASHLAR_C, slot, 0) : status;
}

/* ---- steps ---- */

static ashlar_status begin_phase(const emission *e, ashlar_status (*post)(const emission *, int64_t))
{
    ashlar_status status = emit_simple(e, ASHI_PHASE, ASHLAR_C, 0, 0);
    for (int64_t r = 0; r < e->schedule->window - 1 && status == ASHLAR_OK; r++)
        status = post(e, r);
    return status;
}

static ashlar_status acquire_c(const emission *e)
{
    if (e->me.idle)
        return ASHLAR_OK;
    const ashi_box box = domain(e->schedule, e->rank);
    const ashi_home h = home(e->schedule, e->rank);
    return emit_simple(e, ASHI_ACQUIRE, ASHLAR_C, ASHI_NO_SLOT, ashi_home_buffer_words(&h, &box));
}

/* Steps: begin; the rounds; begin moving sums; its rounds. */
static ashlar_status emit_step(ashi_schedule *schedule, int64_t rank, int64_t step, ashi_visit visit, void *context,
                               ashlar_error *err)
{
    grid_own *g = schedule->own;
    const emission e = {schedule, g, rank, cell_of(g, rank), visit, context, err};
    if (step == 0) {
        const ashlar_status status = acquire_c(&e);
        return status == ASHLAR_OK ? begin_phase(&e, post_round) : status;
    }
    if (step <= schedule->rounds)
        return round_step(&e, step - 1);
    if (step == schedule->rounds + 1)
        return begin_phase(&e, post_sums);
    return sum_step(&e, step - schedule->rounds - 2);
}

/* ---- making one ---- */

static void free_own(ashi_schedule *schedule)
{
    grid_own *g = schedule->own;
    if (!g)
        return;
    ashi_bricks_free(&g->bricks);
    for (int d = 0; d < 3; d++)
        ashi_axis_free(&g->axis[d]);
    ashi_slabs_free(&g->slabs);
    ashi_pieces_free(&g->fibre);
    ashi_pieces_free(&g->others);
    free(g->cell_of);
    free(g->out);
    free(g->member);
    free(g);
    schedule->own = NULL;
}

static ashlar_status copy_bricks(const ashi_bricks *from, const int64_t size[3], ashi_bricks *to, ashlar_error *err)
{
    const ashlar_status status = ashi_bricks_even(from->grid, size, to, err);
    if (status != ASHLAR_OK)
        return status;
    for (int d = 0; d < 3; d++)
        memcpy(to->cut[d], from->cut[d], (size_t)(from->grid[d] + 1) * sizeof *to->cut[d]);
    memcpy(to->rank_of, from->rank_of,
           (size_t)(from->grid[0] * from->grid[1] * from->grid[2]) * sizeof *to->rank_of);
    return ASHLAR_OK;
}

static ashlar_status place_ranks(grid_own *g, int64_t ranks, ashlar_error *err)
{
    const int64_t *grid = g->bricks.grid, cells = grid[0] * grid[1] * grid[2];
    const int64_t longest = ashi_max(grid[0], ashi_max(grid[1], grid[2]));
    g->cell_of = malloc((size_t)ranks * sizeof *g->cell_of);
    g->member = malloc((size_t)longest * sizeof *g->member);
    if (!g->cell_of || !g->member)
        return ashi_fail_memory(err, "schedule", ranks * 8 + longest * 4);
    g->member_of[3] = -1;
    for (int64_t r = 0; r < ranks; r++)
        g->cell_of[r] = -1;
    for (int64_t c = 0; c < cells; c++)
        g->cell_of[g->bricks.rank_of[c]] = c;
    return ASHLAR_OK;
}

/* Views once to learn the owners' edges in k, and again if rounds rearrange that axis. */
static ashlar_status see(const ashi_grid_request *q, grid_own *g, ashi_schedule *s, ashlar_error *err)
{
    ashlar_status status = ashi_grid_axes(q->layout, q->op, q->size, g->axis, err);
    if (status == ASHLAR_OK)
        status = ashi_grid_views(q->layout, q->op, g->axis, q->ranks, s->view, err);
    if (status == ASHLAR_OK)
        status = ashi_slabs_build(&g->axis[2], &s->view[ASHLAR_A].major, &s->view[ASHLAR_B].major, q->bricks->grid[2],
                                  g->bricks.cut[2], q->rounds, &g->slabs, err);
    if (status != ASHLAR_OK || !g->slabs.cut)
        return status;
    for (int x = 0; x < 3; x++)
        ashi_view_free(&s->view[x]);
    return ashi_grid_views(q->layout, q->op, g->axis, q->ranks, s->view, err);
}

/* Whether any sum leaves the rank that made it, or has to be copied within it. */
static bool sums_move(const ashi_schedule *s)
{
    for (int64_t r = 0; r < s->ranks; r++) {
        const ashi_box box = s->domain(s, r);
        const ashi_home h = ashi_home_find(&s->view[ASHLAR_C], r, &box);
        if (ashi_home_buffer_words(&h, &box) > 0)
            return true;
    }
    return false;
}

ashlar_status ashi_grid_schedule(const ashi_grid_request *q, ashi_schedule *out, ashlar_error *err)
{
    const int64_t *grid = q->bricks->grid;
    grid_own *g = calloc(1, sizeof *g);
    *out = (ashi_schedule){.strategy = q->strategy, .m = q->size[0], .n = q->size[1], .k = q->size[2],
                           .ranks = q->ranks, .grid = {grid[0], grid[1], grid[2]},
                           .ranks_used = grid[0] * grid[1] * grid[2], .rounds = q->rounds,
                           .window = (int)ashi_min(q->window, ashi_max(q->rounds, q->reduce_rounds)),
                           .tree = q->tree, .one_sided = q->one_sided, .own = g, .emit = emit_step, .domain = domain,
                           .home = home, .free_own = free_own};
    if (!g)
        return ashi_fail_memory(err, "schedule", (int64_t)sizeof *g);
    ashlar_status status = copy_bricks(q->bricks, q->size, &g->bricks, err);
    if (status == ASHLAR_OK)
        status = place_ranks(g, q->ranks, err);
    if (status == ASHLAR_OK)
        status = see(q, g, out, err);
    if (status != ASHLAR_OK) {
        ashi_schedule_free(out);
        return status;
    }
    out->reduce_rounds = sums_move(out) ? q->reduce_rounds : 0;
    out->steps = 1 + out->rounds + (out->reduce_rounds ? 1 + out->reduce_rounds : 0);
    return ASHLAR_OK;
}
