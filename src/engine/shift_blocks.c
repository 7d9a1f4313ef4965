/* The blocks of parts: which they are, whether they lie ready, which are multiplied, which leave for other ranks. */
#include "engine/shift_blocks.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

/* What a slab has of an interval of k. */
static ashi_reach slab_of(const ashi_shift_own *g, ashi_reach k, int64_t slab)
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
    ashi_box block = ashi_shift_whole(g, x, part, round % g->rule.rounds, piece);
    const ashi_reach k = slab_of(g, (ashi_reach){block.major_lo, block.major_hi}, round / g->rule.rounds);
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

/* The piece of A that a piece of B is multiplied with, if the part has both; -1: none. */
static int64_t partner_of(const ashi_shift_own *g, int64_t part, int64_t round, int64_t piece)
{
    const ashi_shift_rule *rule = &g->rule;
    return rule->meets ? rule->meets(rule->own, part, round % g->rule.rounds, piece) : piece;
}

int64_t ashi_shift_met(const ashi_shift_own *g, int64_t part, int64_t round, int64_t piece)
{
    const ashi_box b = ashi_shift_block(g, ASHLAR_B, part, round, piece);
    if (ashi_box_words(&b) == 0)
        return -1;
    const int64_t met = partner_of(g, part, round, piece);
    const ashi_box a = met >= 0 ? ashi_shift_block(g, ASHLAR_A, part, round, met) : b;
    return ashi_box_words(&a) > 0 ? met : -1;
}

/* ---- handing on ---- */

static int by_key(const void *a, const void *b)
{
    const ashi_handing *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

ashlar_status ashi_shift_gather_handings(const ashi_shift_at *at, ashlar_operand x, int64_t round,
                                         const int64_t *now, int64_t blocks, int64_t *count)
{
    ashi_shift_own *g = at->g;
    const ashi_shift_rule *rule = &g->rule;
    *count = 0;
    if (g->handing_capacity < blocks) {
        ashi_handing *grown = realloc(g->handing, (size_t)blocks * sizeof *grown);
        if (!grown)
            return ashi_fail_memory(at->err, "schedule", blocks * (int64_t)sizeof *grown);
        g->handing = grown;
        g->handing_capacity = blocks;
    }
    for (int64_t i = 0; i < blocks; i++) {
        const int64_t part = g->part[g->start[at->rank] + i / rule->pieces], piece = i % rule->pieces;
        if (now[i] == ASHI_BLOCK_NONE)
            continue;
        const int64_t to = rule->to(rule->own, x, part, (round - 1) % g->rule.rounds, piece);
        if (to >= 0 && g->rank_of[to] != at->rank)
            g->handing[(*count)++] = (ashi_handing){to * rule->pieces + piece, i, now[i], to,
                                                    ashi_shift_block(g, x, part, round - 1, piece)};
    }
    if (*count > 1)
        qsort(g->handing, (size_t)*count, sizeof *g->handing, by_key);
    return ASHLAR_OK;
}
