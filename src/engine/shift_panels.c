/* Rounds of blocks that are handed on: what comes from owners, what goes from rank to rank, what is multiplied. */
#include "base/checked.h"
#include "base/error.h"
#include "engine/shift_cells.h"

#include <stdlib.h>

/* One operand's blocks coming from their owners: in which slab, and how far the room beside the cells is used. */
typedef struct fetching {
    const ashi_shift_emission *e;
    ashlar_operand x;
    int64_t round, beside;
    bool speak; /* else only room is counted */
} fetching;

static ashi_box slab_of(const fetching *f, const ashi_place *p)
{
    return ashi_shift_block(f->e->g, f->x, p->part, f->round, p->piece);
}

/* Where a rank keeps the block of a place from `round` on. */
static ashlar_status cell_of(const fetching *f, const ashi_place *p, int64_t *cell, int64_t *used)
{
    const ashi_shift_own *g = f->e->g;
    const ashi_cells *c = NULL;
    const ashlar_status status = ashi_shift_cells(f->e->schedule, p->rank, f->round - 1, &c, f->e->err);
    if (status != ASHLAR_OK)
        return status;
    *cell = c->next[f->x][g->number[p->part] * g->rule.pieces + p->piece];
    *used = c->used[f->x];
    return ASHLAR_OK;
}

/* A piece of a block that arrives from its owner: where, and where the panel is. */
static ashi_op arrival_of(const fetching *f, const ashi_place *p, const ashi_box *box, const ashi_piece *piece,
                          int64_t cell, int64_t used, int64_t beside)
{
    const ashi_shift_own *g = f->e->g;
    const int64_t words = g->cell_words[f->x], panel = cell * words, width = box->minor_hi - box->minor_lo;
    return (ashi_op){.kind = ASHI_MULTICAST, .operand = f->x, .slot = 0, .words = piece->words, .box = *box,
                     .owner = piece->owner, .member = &p->rank, .members = 1, .owner_at = -1, .rank_at = -1,
                     .number = p->part * g->rule.pieces + p->piece, .chunk = ashi_whole, .panel = panel,
                     .offset = piece->lands ? panel + (piece->at - box->major_lo) * width : used * words + beside,
                     .lands = piece->lands, .pack_offset = -1};
}

static ashlar_status fetch_block(fetching *f, const ashi_place *p)
{
    ashi_shift_own *g = f->e->g;
    const ashi_box box = slab_of(f, p);
    int64_t cell = ASHI_CELL_NONE, used = 0;
    ashlar_status status = ashi_box_words(&box) ? cell_of(f, p, &cell, &used) : ASHLAR_OK;
    if (status != ASHLAR_OK || cell < 0)
        return status; /* nothing, or the rank's own */
    status = ashi_view_pieces(&f->e->schedule->view[f->x], &box, &g->pieces, f->e->err);
    for (int64_t i = 0; i < g->pieces.count && status == ASHLAR_OK; i++) {
        const ashi_piece *piece = &g->pieces.piece[i];
        ashi_op op = arrival_of(f, p, &box, piece, cell, used, f->beside);
        op.rank_at = 0;
        if (piece->owner == f->e->rank)
            op = (ashi_op){.kind = ASHI_COPY, .operand = f->x, .slot = 0, .words = piece->words, .box = box,
                           .chunk = ashi_whole, .offset = op.panel, .pack_offset = -1};
        else
            f->beside += piece->lands ? 0 : piece->words;
        if (f->speak)
            status = ashi_shift_emit(f->e, &op);
    }
    return status;
}

/* Where a piece of this rank's arrives: found as the receiver finds it, block by block until this one. */
static ashlar_status find_arrival(const fetching *f, int64_t place, ashi_op *op)
{
    ashi_shift_own *g = f->e->g;
    const ashi_places *places = &g->block[f->x];
    const ashi_place *p = &places->at[place];
    int64_t beside = 0;
    for (int64_t i = places->start[p->rank]; i < places->start[p->rank + 1]; i++) {
        const ashi_place *one = &places->at[places->of_rank[i]];
        const ashi_box box = slab_of(f, one);
        int64_t cell = ASHI_CELL_NONE, used = 0;
        ashlar_status status = ashi_box_words(&box) ? cell_of(f, one, &cell, &used) : ASHLAR_OK;
        if (status == ASHLAR_OK && cell >= 0)
            status = ashi_view_pieces(&f->e->schedule->view[f->x], &box, &g->pieces, f->e->err);
        if (status != ASHLAR_OK)
            return status;
        for (int64_t j = 0; cell >= 0 && j < g->pieces.count; j++) {
            const ashi_piece *piece = &g->pieces.piece[j];
            if (one == p && piece->owner == f->e->rank) {
                *op = arrival_of(f, p, &box, piece, cell, used, beside);
                return ASHLAR_OK;
            }
            beside += piece->lands || piece->owner == p->rank ? 0 : piece->words;
        }
    }
    return ASHLAR_OK;
}

/* What this rank owns of another's block. */
static ashlar_status send_piece(fetching *f, int64_t place)
{
    const ashi_shift_emission *e = f->e;
    const ashi_place *p = &e->g->block[f->x].at[place];
    const ashi_view *view = &e->schedule->view[f->x];
    const ashi_box box = slab_of(f, p);
    const ashi_piece piece = {e->rank, ashi_view_words(view, e->rank, &box), false, 0};
    ashi_block block;
    if (piece.words == 0)
        return ASHLAR_OK;
    ashi_op op = arrival_of(f, p, &box, &piece, 0, 0, 0);
    ashlar_status status = f->speak && e->schedule->one_sided ? find_arrival(f, place, &op) : ASHLAR_OK;
    if (!ashi_view_is_packed(view, e->rank, &box, ashi_whole, &block)) {
        const ashi_cells *c = NULL;
        if (status == ASHLAR_OK)
            status = ashi_shift_cells(e->schedule, e->rank, f->round - 1, &c, e->err);
        if (status != ASHLAR_OK)
            return status;
        op.pack_offset = c->used[f->x] * e->g->cell_words[f->x] + f->beside;
        f->beside += piece.words;
    }
    return status == ASHLAR_OK && f->speak ? ashi_shift_emit(e, &op) : status;
}

/* A round in which blocks come from their owners. */
static ashlar_status fetch(fetching *f)
{
    const ashi_shift_emission *e = f->e;
    const ashi_places *places = &e->g->block[f->x];
    const ashi_view *view = &e->schedule->view[f->x];
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = places->start[e->rank]; i < places->start[e->rank + 1] && status == ASHLAR_OK; i++)
        status = fetch_block(f, &places->at[places->of_rank[i]]);
    const ashi_box owned = ashi_grid_owned(view, e->rank);
    for (int64_t i = ashi_places_next(places, &owned, 0); i < places->count && status == ASHLAR_OK;
         i = ashi_places_next(places, &owned, i + 1))
        if (places->at[i].rank != e->rank)
            status = send_piece(f, i);
    return status;
}

ashlar_status ashi_shift_acquire(const ashi_shift_emission *e)
{
    const ashi_cells *c = NULL;
    ashlar_status status = ashi_shift_cells(e->schedule, e->rank, -1, &c, e->err);
    for (int x = ASHLAR_A; x <= (int)ASHLAR_B && status == ASHLAR_OK; x++) {
        int64_t beside = 0;
        for (int64_t slab = 0; slab < e->g->slabs && status == ASHLAR_OK; slab++) {
            fetching f = {e, (ashlar_operand)x, slab * e->g->turn, 0, false};
            status = fetch(&f);
            beside = ashi_max(beside, f.beside);
        }
        const ashi_op op = {.kind = ASHI_ACQUIRE, .operand = (ashlar_operand)x, .slot = 0,
                            .words = c->used[x] * e->g->cell_words[x] + beside};
        if (status == ASHLAR_OK)
            status = ashi_shift_emit(e, &op);
    }
    return status;
}

/* ---- handing on ---- */

static ashlar_status receive_blocks(const ashi_shift_emission *e, ashlar_operand x, int64_t round, const ashi_cells *c)
{
    const ashi_shift_own *g = e->g;
    const ashi_shift_rule *rule = &g->rule;
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < c->blocks && status == ASHLAR_OK; i++) {
        const int64_t part = g->part[g->start[e->rank] + i / rule->pieces], piece = i % rule->pieces;
        if (c->next[x][i] < 0)
            continue;
        const int64_t from = g->rank_of[rule->from(rule->own, x, part, round % g->turn, piece)];
        const ashi_box box = ashi_shift_block(g, x, part, round, piece);
        const ashi_op op = {.kind = ASHI_RECEIVE, .operand = x, .slot = 0, .words = ashi_box_words(&box), .box = box,
                            .chunk = ashi_whole, .peer = from, .number = part * rule->pieces + piece,
                            .offset = c->next[x][i] * g->cell_words[x], .pack_offset = -1};
        if (from != e->rank)
            status = ashi_shift_emit(e, &op);
    }
    return status;
}

static int by_key(const void *a, const void *b)
{
    const ashi_handing *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

ashlar_status ashi_shift_gather_handings(const ashi_shift_emission *e, ashlar_operand x, int64_t round,
                                         const int64_t *now, int64_t blocks, int64_t *count)
{
    ashi_shift_own *g = e->g;
    const ashi_shift_rule *rule = &g->rule;
    *count = 0;
    if (g->handing_capacity < blocks) {
        ashi_handing *grown = realloc(g->handing, (size_t)blocks * sizeof *grown);
        if (!grown)
            return ashi_fail_memory(e->err, "schedule", blocks * (int64_t)sizeof *grown);
        g->handing = grown;
        g->handing_capacity = blocks;
    }
    for (int64_t i = 0; i < blocks; i++) {
        const int64_t part = g->part[g->start[e->rank] + i / rule->pieces], piece = i % rule->pieces;
        if (now[i] == ASHI_CELL_NONE)
            continue;
        const int64_t to = rule->to(rule->own, x, part, (round - 1) % g->turn, piece);
        if (to >= 0 && g->rank_of[to] != e->rank)
            g->handing[(*count)++] = (ashi_handing){to * rule->pieces + piece, i, now[i], to,
                                                    ashi_shift_block(g, x, part, round - 1, piece)};
    }
    if (*count > 1)
        qsort(g->handing, (size_t)*count, sizeof *g->handing, by_key);
    return ASHLAR_OK;
}

static ashlar_status send_block(const ashi_shift_emission *e, ashlar_operand x, int64_t round, const ashi_handing *h)
{
    const ashi_shift_own *g = e->g;
    const int64_t peer = g->rank_of[h->to], words = g->cell_words[x];
    ashi_op op = {.kind = ASHI_SEND, .operand = x, .slot = 0, .words = ashi_box_words(&h->box), .box = h->box,
                  .chunk = ashi_whole, .peer = peer, .number = h->key, .own = ashi_cell_is_own(h->cell),
                  .offset = h->cell >= 0 ? h->cell * words : 0, .pack_offset = -1};
    if (e->schedule->one_sided) {
        const ashi_cells *theirs = NULL;
        const ashlar_status status = ashi_shift_cells(e->schedule, peer, round - 1, &theirs, e->err);
        if (status != ASHLAR_OK)
            return status;
        op.peer_offset = theirs->next[x][g->number[h->to] * g->rule.pieces + h->key % g->rule.pieces] * words;
    }
    return ashi_shift_emit(e, &op);
}

static ashlar_status hand_on(const ashi_shift_emission *e, ashlar_operand x, int64_t round)
{
    const ashi_cells *c = NULL;
    int64_t count = 0;
    ashlar_status status = ashi_shift_cells(e->schedule, e->rank, round - 1, &c, e->err);
    if (status == ASHLAR_OK)
        status = receive_blocks(e, x, round, c);
    if (status == ASHLAR_OK)
        status = ashi_shift_gather_handings(e, x, round, c->now[x], c->blocks, &count);
    for (int64_t i = 0; i < count && status == ASHLAR_OK; i++)
        status = send_block(e, x, round, &e->g->handing[i]);
    return status;
}

ashlar_status ashi_shift_post(const ashi_shift_emission *e, int64_t round)
{
    const int64_t at = round % e->g->turn;
    ashlar_status status = ASHLAR_OK;
    if (round >= e->schedule->rounds || at >= e->g->rule.rounds)
        return ASHLAR_OK;
    for (int x = ASHLAR_A; x <= (int)ASHLAR_B && status == ASHLAR_OK; x++) {
        fetching f = {e, (ashlar_operand)x, round, 0, true};
        status = at == 0 ? fetch(&f) : hand_on(e, (ashlar_operand)x, round);
    }
    return status;
}

/* The product of two pieces that one of the rank's parts has. */
static ashlar_status multiply(const ashi_shift_emission *e, const ashi_cells *c, int64_t number, const int64_t piece[2])
{
    const ashi_shift_own *g = e->g;
    const int64_t part = g->part[g->start[e->rank] + number];
    const ashi_box a = ashi_shift_block(g, ASHLAR_A, part, c->round, piece[ASHLAR_A]);
    const ashi_box b = ashi_shift_block(g, ASHLAR_B, part, c->round, piece[ASHLAR_B]);
    ashi_op op = {.kind = ASHI_MULTIPLY, .slot = 0, .box = {a.minor_lo, a.minor_hi, b.minor_lo, b.minor_hi},
                  .k_lo = a.major_lo, .k_hi = a.major_hi, .part = number, .chunk = ashi_whole, .pack_offset = -1};
    for (int x = 0; x < 2; x++) {
        const int64_t cell = c->now[x][number * g->rule.pieces + piece[x]];
        op.whole[x] = cell >= 0;
        op.at[x] = op.whole[x] ? cell * g->cell_words[x] : 0;
    }
    return ashi_shift_emit(e, &op);
}

/* The piece of A that a piece of B is multiplied with, if the part has both; -1: none. */
static int64_t partner_of(const ashi_shift_own *g, int64_t part, int64_t round, int64_t piece)
{
    const ashi_shift_rule *rule = &g->rule;
    return rule->meets ? rule->meets(rule->own, part, round % g->turn, piece) : piece;
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

ashlar_status ashi_shift_multiply(const ashi_shift_emission *e, int64_t round)
{
    const ashi_shift_own *g = e->g;
    const ashi_shift_rule *rule = &g->rule;
    const ashi_cells *c = NULL;
    ashlar_status status = ashi_shift_cells(e->schedule, e->rank, round, &c, e->err);
    for (int64_t i = 0; status == ASHLAR_OK && i < c->blocks; i++) {
        const int64_t number = i / rule->pieces, part = g->part[g->start[e->rank] + number], piece = i % rule->pieces;
        if (c->now[ASHLAR_B][i] == ASHI_CELL_NONE)
            continue;
        const int64_t met = partner_of(g, part, round, piece);
        if (met >= 0 && c->now[ASHLAR_A][number * rule->pieces + met] != ASHI_CELL_NONE)
            status = multiply(e, c, number, (const int64_t[2]){met, piece});
    }
    return status;
}
