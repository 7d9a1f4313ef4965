/* Where in a rank's buffers the blocks of its parts are, round by round. */
#include "engine/shift_cells.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

ashi_reach ashi_shift_slab(const ashi_shift_own *g, ashi_reach k, int64_t slab)
{
    const int64_t length = ashi_max(k.hi - k.lo, 0);
    return (ashi_reach){k.lo + ashi_cut(length, g->slabs, slab), k.lo + ashi_cut(length, g->slabs, slab + 1)};
}

ashi_box ashi_shift_whole(const ashi_shift_own *g, ashlar_operand x, int64_t part, int64_t at, int64_t piece)
{
    const ashi_shift_rule *rule = &g->rule;
    const ashi_reach k = rule->k_of(rule->own, x, part, at, piece);
    if (k.lo >= k.hi)
        return (ashi_box){0, 0, 0, 0};
    if (rule->side_of) {
        const ashi_reach side = rule->side_of(rule->own, x, part, at, piece);
        return (ashi_box){side.lo, side.hi, k.lo, k.hi};
    }
    const ashi_box c = rule->box(rule->own, part);
    return x == ASHLAR_A ? (ashi_box){c.minor_lo, c.minor_hi, k.lo, k.hi}
                         : (ashi_box){c.major_lo, c.major_hi, k.lo, k.hi};
}

ashi_box ashi_shift_block(const ashi_shift_own *g, ashlar_operand x, int64_t part, int64_t round, int64_t piece)
{
    const int64_t at = round % g->turn;
    ashi_box block = at < g->rule.rounds ? ashi_shift_whole(g, x, part, at, piece) : (ashi_box){0, 0, 0, 0};
    const ashi_reach k = ashi_shift_slab(g, (ashi_reach){block.major_lo, block.major_hi}, round / g->turn);
    block.major_lo = k.lo;
    block.major_hi = k.hi;
    return block;
}

/* Whether a block ever leaves the rank on which it begins. */
static bool travels(const ashi_shift_own *g, ashlar_operand x, int64_t part, int64_t piece)
{
    const ashi_shift_rule *rule = &g->rule;
    int64_t at = part;
    for (int64_t round = 0; round + 1 < rule->rounds && at >= 0; round++) {
        if (g->rank_of[at] != g->rank_of[part])
            return true;
        at = rule->to(rule->own, x, at, round, piece);
    }
    return at >= 0 && g->rank_of[at] != g->rank_of[part];
}

bool ashi_shift_lies_ready(const ashi_schedule *s, ashlar_operand x, int64_t part, int64_t piece, const ashi_box *box)
{
    const ashi_shift_own *g = s->own;
    const ashi_view *view = &s->view[x];
    const int64_t rank = g->rank_of[part];
    ashi_block block;
    if (ashi_view_words(view, rank, box) != ashi_box_words(box) ||
        ashi_view_in_place(view, rank, box, ashi_view_least_in_place(box)) != box->major_hi - box->major_lo)
        return false;
    return !travels(g, x, part, piece) || ashi_view_is_packed(view, rank, box, ashi_whole, &block);
}

void ashi_shift_cells_free(ashi_cells *c)
{
    for (int x = 0; x < 2; x++) {
        free(c->now[x]);
        free(c->next[x]);
    }
    free(c->taken);
    *c = (ashi_cells){.rank = -1};
}

/* Room for the blocks of a rank, of which at most twice as many cells can be taken. */
static ashlar_status resize(ashi_cells *c, int64_t blocks, ashlar_error *err)
{
    c->blocks = blocks;
    if (c->capacity >= blocks && c->taken)
        return ASHLAR_OK;
    ashi_shift_cells_free(c);
    const size_t bytes = (size_t)(blocks + 1) * sizeof *c->now[0];
    bool ok = true;
    for (int x = 0; x < 2; x++) {
        c->now[x] = malloc(bytes);
        c->next[x] = malloc(bytes);
        ok = ok && c->now[x] && c->next[x];
    }
    c->taken = malloc(2 * (size_t)blocks + 1);
    c->blocks = c->capacity = blocks;
    if (ok && c->taken)
        return ASHLAR_OK;
    ashi_shift_cells_free(c);
    return ashi_fail_memory(err, "schedule", (int64_t)bytes * 4 + 2 * blocks);
}

/* The first free cell from *from on. */
static int64_t take(ashi_cells *c, ashlar_operand x, int64_t *from)
{
    while (c->taken[*from])
        ++*from;
    c->taken[*from] = true;
    c->used[x] = ashi_max(c->used[x], *from + 1);
    return *from;
}

/* A block's cell in the next round: where it was if it was on this rank, else a new one. */
static int64_t next_cell(const ashi_schedule *s, ashi_cells *c, ashlar_operand x, int64_t part, int64_t piece,
                         int64_t *from)
{
    const ashi_shift_own *g = s->own;
    const ashi_shift_rule *rule = &g->rule;
    const int64_t round = c->round + 1;
    const ashi_box box = ashi_shift_block(g, x, part, round, piece);
    if (ashi_box_words(&box) == 0)
        return ASHI_CELL_NONE;
    if (round % g->turn == 0) {
        const bool own = ashi_shift_lies_ready(s, x, part, piece, &box);
        if (own && !s->one_sided)
            return ASHI_CELL_OWN;
        return own ? ASHI_CELL_OWN - take(c, x, from) : take(c, x, from);
    }
    const int64_t source = rule->from(rule->own, x, part, round % g->turn, piece);
    if (g->rank_of[source] == c->rank)
        return c->now[x][g->number[source] * rule->pieces + piece];
    return take(c, x, from);
}

static void find_next(const ashi_schedule *s, ashi_cells *c)
{
    const ashi_shift_own *g = s->own;
    const int64_t pieces = g->rule.pieces, *part = &g->part[g->start[c->rank]];
    for (int x = 0; x < 2; x++) {
        int64_t from = 0;
        memset(c->taken, 0, 2 * (size_t)c->blocks + 1);
        for (int64_t i = 0; i < c->blocks; i++) {
            const int64_t cell = c->now[x][i];
            if (cell >= 0)
                c->taken[cell] = true;
            else if (s->one_sided && ashi_cell_is_own(cell))
                c->taken[ASHI_CELL_OWN - cell] = true;
        }
        for (int64_t i = 0; i < c->blocks; i++)
            c->next[x][i] = c->round + 1 < s->rounds
                                ? next_cell(s, c, (ashlar_operand)x, part[i / pieces], i % pieces, &from)
                                : ASHI_CELL_NONE;
    }
}

static void advance(const ashi_schedule *s, ashi_cells *c)
{
    for (int x = 0; x < 2; x++)
        memcpy(c->now[x], c->next[x], (size_t)c->blocks * sizeof *c->now[x]);
    c->round++;
    find_next(s, c);
}

static void restart(const ashi_schedule *s, ashi_cells *c)
{
    c->round = -1;
    for (int x = 0; x < 2; x++)
        for (int64_t i = 0; i < c->blocks; i++)
            c->now[x][i] = ASHI_CELL_NONE;
    find_next(s, c);
}

ashlar_status ashi_shift_cells(const ashi_schedule *s, int64_t rank, int64_t round, const ashi_cells **out,
                               ashlar_error *err)
{
    ashi_shift_own *g = s->own;
    ashi_cells *c = rank == g->walked ? &g->mine : &g->theirs[rank % ASHI_SHIFT_PEERS];
    const bool other = c->rank != rank || !c->taken;
    *out = c;
    if (other) {
        const ashlar_status status = resize(c, ashi_shift_parts(g, rank) * g->rule.pieces, err);
        if (status != ASHLAR_OK)
            return status;
        c->rank = rank;
        c->used[0] = c->used[1] = 0;
        restart(s, c);
        while (c->round + 1 < s->rounds) /* to learn how many cells it takes */
            advance(s, c);
    }
    if (other || c->round > round)
        restart(s, c);
    while (c->round < round)
        advance(s, c);
    return ASHLAR_OK;
}
