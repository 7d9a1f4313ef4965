/* Rounds of A and B: what each rank receives into its panels, sends from its own part, and multiplies. */
#include "base/checked.h"
#include "base/error.h"
#include "engine/grid_emission.h"

#include <stdlib.h>

static ashlar_status note_outgoing(const ashi_emission *e, const ashi_outgoing *o)
{
    ashi_grid_own *g = e->g;
    if (g->out_count == g->out_capacity) {
        const int64_t capacity = ashi_max(16, 2 * g->out_capacity);
        ashi_outgoing *out = realloc(g->out, (size_t)capacity * sizeof *out);
        if (!out)
            return ashi_fail_memory(e->err, "schedule", capacity * (int64_t)sizeof *out);
        g->out = out;
        g->out_capacity = capacity;
    }
    g->out[g->out_count++] = *o;
    return ASHLAR_OK;
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

/* Where a piece of a fibre arrives; *stage is where the next that does not land does. */
static int64_t arrival(const ashi_box *box, const ashi_piece *p, int64_t *stage)
{
    if (p->lands)
        return (p->at - box->major_lo) * (box->minor_hi - box->minor_lo);
    const int64_t offset = *stage;
    *stage += p->words;
    return offset;
}

/* Whether this rank multiplies with all of the box where it lies. */
static bool all_in_place(const ashi_emission *e, ashlar_operand x, const ashi_box *box)
{
    const int64_t length = box->major_hi - box->major_lo;
    return ashi_view_in_place(&e->schedule->view[x], e->rank, box, ashi_view_least_in_place(box)) == length;
}

/* Where a piece of this rank's arrives at the others. */
static void place_outgoing(const ashi_emission *e, const ashi_pieces *fibre, ashi_outgoing *o)
{
    int64_t stage = ashi_box_words(&o->box);
    for (int64_t i = 0; i < fibre->count; i++) {
        const int64_t offset = arrival(&o->box, &fibre->piece[i], &stage);
        if (fibre->piece[i].owner == e->rank) {
            o->offset = offset;
            o->lands = fibre->piece[i].lands;
            o->number = i;
        }
    }
}

/* A piece of this rank's that has to be packed: in its own panel, if that is where it is multiplied. */
static void pack_outgoing(const ashi_emission *e, ashlar_operand x, bool has_panel, ashi_outgoing *o, int64_t *pack)
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

/* One of this rank's pieces for another face, or for its own. `has_panel`: it has one in this round. */
static ashlar_status consider_sending(const ashi_emission *e, ashlar_operand x, int64_t face, int64_t round,
                                      bool has_panel, int64_t *pack)
{
    ashi_grid_own *g = e->g;
    ashi_outgoing o = {.box = ashi_grid_slab(g, x, face, round), .face = face};
    const bool own_face = e->me->face[x] == face;
    o.words = ashi_view_words(&e->schedule->view[x], e->rank, &o.box);
    if (o.words == 0 || (own_face && g->domains.of[x].face[face].members == 1))
        return ASHLAR_OK;
    if (own_face) {
        place_outgoing(e, &g->fibre, &o);
    } else if (e->schedule->one_sided || e->schedule->tree) {
        const ashlar_status status = ashi_view_pieces(&e->schedule->view[x], &o.box, &g->others, e->err);
        if (status != ASHLAR_OK)
            return status;
        place_outgoing(e, &g->others, &o);
    }
    pack_outgoing(e, x, own_face && has_panel, &o, pack);
    return note_outgoing(e, &o);
}

static ashlar_status gather_outgoing(const ashi_emission *e, ashlar_operand x, int64_t round, bool has_panel,
                                     int64_t *pack)
{
    const ashi_box owned = ashi_grid_owned(&e->schedule->view[x], e->rank);
    ashi_touching walk = ashi_faces_touching(&e->g->domains.of[x], &owned);
    ashlar_status status = ASHLAR_OK;
    while (status == ASHLAR_OK && ashi_faces_next(&walk))
        status = consider_sending(e, x, walk.face, round, has_panel, pack);
    return status;
}

/* A piece of this rank's, to the ranks of a face. */
static ashlar_status emit_send(const ashi_emission *e, ashlar_operand x, int slot, const ashi_outgoing *o)
{
    ashi_op op = {.kind = ASHI_MULTICAST, .operand = x, .slot = slot, .words = o->words, .box = o->box,
                  .owner = e->rank, .number = o->number, .chunk = ashi_whole, .offset = o->offset, .lands = o->lands,
                  .pack_offset = o->pack_offset, .joins_panel = o->joins_panel};
    ashi_grid_name_members(e, o->face, &op);
    return ashi_grid_emit(e, &op);
}

/* All pieces of this rank's fibre in the order of owners, its own among them: then two ranks of a fibre that forward
 * pieces to each other name them in one order. */
static ashlar_status emit_fibre(const ashi_emission *e, ashlar_operand x, int slot, const ashi_box *box)
{
    const ashi_grid_own *g = e->g;
    ashi_op op = {.kind = ASHI_MULTICAST, .operand = x, .slot = slot, .box = *box, .chunk = ashi_whole,
                  .pack_offset = -1};
    ashlar_status status = ASHLAR_OK;
    int64_t stage = ashi_box_words(box);
    for (int64_t i = 0; i < g->fibre.count && status == ASHLAR_OK; i++) {
        const ashi_piece *p = &g->fibre.piece[i];
        op.offset = arrival(box, p, &stage);
        for (int64_t o = 0; p->owner == e->rank && o < g->out_count && status == ASHLAR_OK; o++)
            if (g->out[o].face == e->me->face[x])
                status = emit_send(e, x, slot, &g->out[o]);
        if (p->owner == e->rank)
            continue;
        op.owner = p->owner;
        op.words = p->words;
        op.lands = p->lands;
        op.number = i;
        ashi_grid_name_members(e, e->me->face[x], &op);
        status = ashi_grid_emit(e, &op);
    }
    return status;
}

static ashlar_status emit_other_sends(const ashi_emission *e, ashlar_operand x, int slot)
{
    const ashi_grid_own *g = e->g;
    ashlar_status status = ASHLAR_OK;
    for (int64_t o = 0; o < g->out_count && status == ASHLAR_OK; o++)
        if (g->out[o].face != e->me->face[x])
            status = emit_send(e, x, slot, &g->out[o]);
    return status;
}

/* Begin one round of A or B. */
static ashlar_status post_operand(const ashi_emission *e, ashlar_operand x, int64_t round, int slot)
{
    ashi_grid_own *g = e->g;
    panel p = {0, 0};
    ashi_box box = {0, 0, 0, 0};
    ashlar_status status = ASHLAR_OK;
    g->fibre.count = g->out_count = 0;
    if (!e->me->idle) {
        box = ashi_grid_slab(g, x, e->me->face[x], round);
        status = ashi_view_pieces(&e->schedule->view[x], &box, &g->fibre, e->err);
        if (status == ASHLAR_OK && !all_in_place(e, x, &box))
            p = panel_of(&box, &g->fibre);
    }
    int64_t pack = p.panel_words + p.stage_words;
    if (status == ASHLAR_OK)
        status = gather_outgoing(e, x, round, p.panel_words > 0, &pack);
    if (status == ASHLAR_OK)
        status = ashi_grid_emit_plain(e, ASHI_ACQUIRE, x, slot, pack);
    if (status == ASHLAR_OK && !e->me->idle)
        status = emit_fibre(e, x, slot, &box);
    return status == ASHLAR_OK ? emit_other_sends(e, x, slot) : status;
}

ashlar_status ashi_grid_post_round(const ashi_emission *e, int64_t round)
{
    if (round >= e->schedule->rounds)
        return ASHLAR_OK;
    const int slot = (int)(round % e->schedule->window);
    const ashlar_status status = post_operand(e, ASHLAR_A, round, slot);
    return status == ASHLAR_OK ? post_operand(e, ASHLAR_B, round, slot) : status;
}

static ashlar_status multiply_round(const ashi_emission *e, int64_t round)
{
    const int slot = (int)(round % e->schedule->window);
    if (e->me->idle)
        return ASHLAR_OK;
    const ashi_box a = ashi_grid_slab(e->g, ASHLAR_A, e->me->face[ASHLAR_A], round);
    const ashi_op op = {.kind = ASHI_MULTIPLY, .slot = slot, .box = ashi_grid_domain(e->schedule, e->rank, 0),
                        .k_lo = a.major_lo, .k_hi = a.major_hi};
    return ashi_grid_emit(e, &op);
}

ashlar_status ashi_grid_round_step(const ashi_emission *e, int64_t round)
{
    const int window = e->schedule->window, slot = (int)(round % window);
    ashlar_status status = window == 1 ? ashi_grid_post_round(e, round) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        status = ashi_grid_emit_plain(e, ASHI_ARRIVE, ASHLAR_A, slot, 0);
    if (status == ASHLAR_OK && window > 1)
        status = ashi_grid_post_round(e, round + window - 1);
    if (status == ASHLAR_OK)
        status = multiply_round(e, round);
    return status == ASHLAR_OK ? ashi_grid_emit_plain(e, ASHI_RELEASE, ASHLAR_A, slot, 0) : status;
}
