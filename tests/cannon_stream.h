/* The operations of Cannon's algorithm in those cells: a schedule whose panels stay, made for tests. */
#ifndef ASHI_CANNON_STREAM_H
#define ASHI_CANNON_STREAM_H

#include "cannon_cells.h"
#include "emission.h"

/* Behind the cells of a rank: room for pieces that are unpacked, in two halves for slabs in turn; then for packing. */
static inline int64_t cannon_stage(const cannon *c, int x, int64_t rank, int64_t half)
{
    return (2 + half) * c->parts[rank] * c->cell_words[x];
}

/* Where the owner's piece of a part's block arrives. */
static inline ashlar_status cannon_arrival(const emission *e, int x, int64_t v, int64_t round, ashi_op *op)
{
    cannon *c = e->c;
    const int64_t rank = c->rank_of[v];
    int64_t stage = cannon_stage(c, x, rank, round / c->q % 2);
    for (int64_t u = 0; u <= v; u++) {
        if (c->rank_of[u] != rank || c->cell[x][round][u] < 0)
            continue;
        const ashi_box box = cannon_block(c, x, u, round);
        const ashlar_status status = ashi_view_pieces(&e->s->view[x], &box, &c->pieces, e->err);
        if (status != ASHLAR_OK)
            return status;
        op->panel = c->cell[x][round][u] * c->cell_words[x];
        for (int64_t i = 0; i < c->pieces.count; i++) {
            const ashi_piece *p = &c->pieces.piece[i];
            op->lands = p->lands;
            op->offset = p->lands ? op->panel + (p->at - box.major_lo) * (box.minor_hi - box.minor_lo) : stage;
            if (u == v && p->owner == op->owner)
                return ASHLAR_OK;
            stage += p->lands || p->owner == rank ? 0 : p->words;
        }
    }
    return ASHLAR_OK;
}

/* One owner's piece of a part's block: this rank sends it, receives it or copies it. */
static inline ashlar_status cannon_fetch(const emission *e, int x, int64_t v, int64_t round, int64_t owner,
                                         int64_t *pack)
{
    cannon *c = e->c;
    const ashi_view *view = &e->s->view[x];
    const ashi_box box = cannon_block(c, x, v, round);
    ashi_block block;
    ashi_op op = {.kind = ASHI_MULTICAST, .operand = (ashlar_operand)x, .box = box, .owner = owner, .members = 1,
                  .member = &c->rank_of[v], .owner_at = -1, .rank_at = e->rank == owner ? -1 : 0, .number = v,
                  .chunk = ashi_whole, .pack_offset = -1, .words = ashi_view_words(view, owner, &box)};
    if (op.words == 0)
        return ASHLAR_OK;
    if (owner == c->rank_of[v]) {
        op = (ashi_op){.kind = ASHI_COPY, .operand = (ashlar_operand)x, .box = box, .words = op.words,
                       .offset = c->cell[x][round][v] * c->cell_words[x]};
        return emit(e, &op);
    }
    const bool told = e->rank != owner || e->s->one_sided;
    const ashlar_status status = told ? cannon_arrival(e, x, v, round, &op) : ASHLAR_OK;
    if (status == ASHLAR_OK && e->rank == owner && !ashi_view_is_packed(view, owner, &box, ashi_whole, &block)) {
        op.pack_offset = *pack;
        *pack += op.words;
    }
    return status == ASHLAR_OK ? emit(e, &op) : status;
}

static inline ashlar_status cannon_fetch_all(const emission *e, int x, int64_t round)
{
    cannon *c = e->c;
    int64_t pack = cannon_stage(c, x, e->rank, 2), owner[CANNON_PARTS_MAX];
    ashlar_status status = ASHLAR_OK;
    for (int64_t v = 0; v < c->q * c->q && status == ASHLAR_OK; v++) {
        const ashi_box box = cannon_block(c, x, v, round);
        int64_t owners = 1;
        owner[0] = e->rank;
        if (c->cell[x][round][v] < 0)
            continue;
        if (c->rank_of[v] == e->rank) {
            status = ashi_view_pieces(&e->s->view[x], &box, &c->pieces, e->err);
            for (owners = 0; owners < c->pieces.count; owners++)
                owner[owners] = c->pieces.piece[owners].owner;
        }
        for (int64_t i = 0; i < owners && status == ASHLAR_OK; i++)
            status = cannon_fetch(e, x, v, round, owner[i], &pack);
    }
    return status;
}

static inline ashlar_status cannon_hand_on(const emission *e, int x, int64_t round, bool send)
{
    const cannon *c = e->c;
    ashlar_status status = ASHLAR_OK;
    for (int64_t v = 0; v < c->q * c->q && status == ASHLAR_OK; v++) {
        const int64_t from = c->from[x][v], here = send ? c->rank_of[from] : c->rank_of[v];
        if (here != e->rank || c->rank_of[from] == c->rank_of[v] || c->cell[x][round][v] == CANNON_EMPTY)
            continue;
        const ashi_box box = cannon_block(c, x, v, round);
        const int64_t before = c->cell[x][round - 1][from], to = c->cell[x][round][v] * c->cell_words[x];
        const ashi_op op = {.kind = send ? ASHI_SEND : ASHI_RECEIVE, .operand = (ashlar_operand)x, .box = box,
                            .words = ashi_box_words(&box), .peer = c->rank_of[send ? v : from], .number = v,
                            .peer_offset = to, .own = send && before == CANNON_OWN,
                            .offset = !send ? to : before == CANNON_OWN ? 0 : before * c->cell_words[x]};
        status = emit(e, &op);
    }
    return status;
}

static inline ashlar_status cannon_post(const emission *e, int64_t round)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 2 && round < e->s->rounds && status == ASHLAR_OK; x++) {
        if (round % e->c->q == 0) {
            status = cannon_fetch_all(e, x, round);
            continue;
        }
        status = cannon_hand_on(e, x, round, false);
        if (status == ASHLAR_OK)
            status = cannon_hand_on(e, x, round, true);
    }
    return status;
}

static inline ashlar_status cannon_multiply(const emission *e, int64_t round)
{
    const cannon *c = e->c;
    ashlar_status status = ASHLAR_OK;
    for (int64_t v = 0; v < c->q * c->q && status == ASHLAR_OK; v++) {
        if (c->rank_of[v] != e->rank)
            continue;
        const ashi_box a = cannon_block(c, 0, v, round);
        ashi_op op = {.kind = ASHI_MULTIPLY, .box = cannon_domain_of(c, v), .part = c->number[v], .k_lo = a.major_lo,
                      .k_hi = a.major_hi};
        for (int x = 0; x < 2; x++) {
            op.whole[x] = c->cell[x][round][v] >= 0;
            op.at[x] = op.whole[x] ? c->cell[x][round][v] * c->cell_words[x] : 0;
        }
        if (ashi_box_words(&op.box) > 0 && op.k_lo < op.k_hi)
            status = emit(e, &op);
    }
    return status;
}

static inline ashlar_status cannon_begin(const emission *e)
{
    const int64_t words = ashi_schedule_sum_words(e->s, e->rank);
    ashlar_status status = plain(e, ASHI_ACQUIRE, ASHLAR_C, ASHI_NO_SLOT, words);
    if (status == ASHLAR_OK)
        status = plain(e, ASHI_PHASE, ASHLAR_C, 0, 0);
    for (int x = 0; x < 2 && status == ASHLAR_OK; x++)
        status = plain(e, ASHI_ACQUIRE, (ashlar_operand)x, 0, cannon_stage(e->c, x, e->rank, 2) +
                              ashlar_layout_words(e->s->view[x].layout, (int)e->rank));
    return status == ASHLAR_OK ? cannon_post(e, 0) : status;
}

static inline ashlar_status cannon_round(const emission *e, int64_t round)
{
    ashlar_status status = plain(e, ASHI_ARRIVE, ASHLAR_A, 0, 0);
    if (status == ASHLAR_OK)
        status = plain(e, ASHI_SENT, ASHLAR_A, 0, 0);
    if (status == ASHLAR_OK && e->c->overlap)
        status = cannon_post(e, round + 1);
    if (status == ASHLAR_OK)
        status = cannon_multiply(e, round);
    if (status == ASHLAR_OK && !e->c->overlap)
        status = cannon_post(e, round + 1);
    return status == ASHLAR_OK && round + 1 == e->s->rounds ? plain(e, ASHI_RELEASE, ASHLAR_A, 0, 0) : status;
}

/* An owner's sums of all parts, in their order. Visits what `rank` takes part in; its packed sums begin at *pack. */
static inline ashlar_status cannon_sums(const emission *e, ashi_chunk chunk, ashi_op_kind kind, bool speak,
                                        int64_t *pack)
{
    cannon *c = e->c;
    const ashi_view *view = &e->s->view[ASHLAR_C];
    ashlar_status status = ASHLAR_OK;
    for (int64_t owner = 0; owner < e->s->ranks && status == ASHLAR_OK; owner++) {
        int64_t arrival = 0;
        if (kind == ASHI_ADD && owner != e->rank)
            continue;
        for (int64_t v = 0; v < c->q * c->q && status == ASHLAR_OK; v++) {
            const ashi_box box = cannon_domain_of(c, v);
            const bool member = c->rank_of[v] == e->rank, own = c->rank_of[v] == owner;
            if (owner != e->rank && !member && !e->s->one_sided)
                continue;
            ashi_op op = {.kind = kind, .operand = ASHLAR_C, .box = box, .owner = owner, .member = &c->rank_of[v],
                          .members = 1, .owner_at = own ? 0 : -1, .rank_at = member ? 0 : -1, .number = v,
                          .chunk = chunk, .part = member ? c->number[v] : -1, .offset = arrival, .pack_offset = -1,
                          .begins = true, .words = ashi_view_chunk_words(view, owner, &box, chunk)};
            arrival += own ? 0 : op.words;
            if (op.words == 0 || (owner != e->rank && !member))
                continue;
            if (owner != e->rank) {
                op.pack_offset = *pack;
                *pack += op.words;
            }
            status = speak ? emit(e, &op) : ASHLAR_OK;
        }
        if (owner == e->rank && !speak)
            *pack += arrival;
    }
    return status;
}

/* All that arrives for this rank lies before what it packs. */
static inline int64_t cannon_arriving(const emission *e, ashi_chunk chunk)
{
    int64_t words = 0;
    for (int64_t v = 0; v < e->c->q * e->c->q; v++) {
        const ashi_box box = cannon_domain_of(e->c, v);
        if (e->c->rank_of[v] != e->rank)
            words += ashi_view_chunk_words(&e->s->view[ASHLAR_C], e->rank, &box, chunk);
    }
    return words;
}

static inline ashlar_status cannon_sum_step(const emission *e, int64_t round)
{
    const ashi_chunk chunk = {round, e->s->reduce_rounds};
    int64_t words = 0, pack = cannon_arriving(e, chunk);
    ashlar_status status = round == 0 ? plain(e, ASHI_PHASE, ASHLAR_C, 0, 0) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        status = cannon_sums(e, chunk, ASHI_REDUCE, false, &words);
    if (status == ASHLAR_OK)
        status = plain(e, ASHI_ACQUIRE, ASHLAR_C, 0, words);
    if (status == ASHLAR_OK)
        status = cannon_sums(e, chunk, ASHI_REDUCE, true, &pack);
    if (status == ASHLAR_OK)
        status = plain(e, ASHI_ARRIVE, ASHLAR_C, 0, 0);
    if (status == ASHLAR_OK)
        status = cannon_sums(e, chunk, ASHI_ADD, true, &pack);
    return status == ASHLAR_OK ? plain(e, ASHI_RELEASE, ASHLAR_C, 0, 0) : status;
}

static inline ashlar_status cannon_emit(ashi_schedule *s, int64_t rank, int64_t step, ashi_visit visit, void *context,
                                        ashlar_error *err)
{
    const emission e = {s, s->own, rank, visit, context, err};
    if (step == 0)
        return cannon_begin(&e);
    return step <= s->rounds ? cannon_round(&e, step - 1) : cannon_sum_step(&e, step - 1 - s->rounds);
}

/* Complete a schedule of which sizes, ranks and views are known, and of `own` q, slabs, cuts, overlap and ranks. */
static inline bool cannon_schedule(uint64_t *state, ashi_schedule *s)
{
    cannon *c = s->own;
    s->strategy = "test";
    s->rounds = c->q * c->slabs;
    s->window = 1;
    s->pooled = true;
    s->steps = 1 + s->rounds + s->reduce_rounds;
    s->emit = cannon_emit;
    s->parts = cannon_parts;
    s->domain = cannon_domain;
    s->home = cannon_home;
    cannon_number(c);
    return cannon_cells(state, s, c);
}

#endif
