/* The program in which each rank computes one box: each step moves and multiplies one round of A and B. */
#include "engine/grid_program.h"

#include "base/checked.h"
#include "base/error.h"
#include "schedule/lower.h"

#include <stdlib.h>

/* What a round has of a face. */
static ashi_box box_of(const ashi_grid_program *p, const ashi_grid_operand *o, int64_t face)
{
    if (o->rounds == 0)
        return ashi_grid_slab(p->at.g, o->x, face, o->round);
    const ashi_owner_stretches *s = &p->at.g->stretches;
    const int64_t *cut = &s->cut[face * (s->most + 1) + o->stretch], length = cut[1] - cut[0];
    const int64_t lo = cut[0] + ashi_cut(length, o->rounds, o->round);
    const int64_t hi = cut[0] + ashi_cut(length, o->rounds, o->round + 1);
    const ashi_box box = p->at.g->domains.of[o->x].face[face].box;
    return s->minor ? (ashi_box){lo, hi, box.major_lo, box.major_hi} : (ashi_box){box.minor_lo, box.minor_hi, lo, hi};
}

/* Of what passes by a matrix that stays a slab of the rank's own mostly has to be packed to be sent: then it is packed
 * where it is multiplied, and need not be there twice. */
static bool packs_own(const ashi_grid_program *p, const ashi_grid_operand *o)
{
    const ashi_view *view = &p->builder.program->view[o->x];
    ashi_block block;
    return p->at.schedule->stays != ASHI_STAYS_C && o->rounds == 0 &&
           p->at.g->domains.of[o->x].face[p->at.me->face[o->x]].members > 1 &&
           !ashi_view_is_packed(view, p->builder.rank, &o->box, ashi_whole, &block);
}

/* Whose words are in the round's box, and which of them are the rank's own. */
static ashlar_status find_pieces(ashi_grid_program *p, ashi_grid_operand *o)
{
    const ashi_builder *b = &p->builder;
    ashi_pieces *pieces = &p->at.g->fibre;
    const ashlar_status status = ashi_view_pieces(&b->program->view[o->x], &o->box, pieces, b->err);
    for (int64_t i = 0; i < pieces->count && status == ASHLAR_OK; i++)
        if (pieces->piece[i].owner == b->rank)
            o->own = pieces->piece[i].words;
    o->here = o->own > 0 && !packs_own(p, o) ? ashi_build_words_here(b, o->x, &o->box) : 0;
    return status;
}

/* The panel in which all that is not read in the array comes together. */
static int64_t panel_of(ashi_grid_program *p, ashi_grid_operand *o)
{
    if (o->panel >= 0)
        return o->panel;
    ashi_panel panel = ashi_panel_of(o->x, &o->box);
    ashi_build_turn(&p->builder, &panel);
    panel.content = o->here > 0 ? ASHI_CONTENT_AWAY : ASHI_CONTENT_ALL;
    panel.words -= o->here;
    const int passes = o->rounds > 0 ? ashi_areas_return(&p->builder.areas, ASHI_AREA_SUMS) : -1; /* where it stays */
    o->panel = ashi_build_panel(&p->builder, &panel);
    if (passes >= 0)
        ashi_areas_return(&p->builder.areas, passes);
    return o->panel;
}

/* A piece of this rank's goes to the ranks of a face. `own`: if it may be sent from the place in the rank's own panel
 * where it is multiplied; else NULL. */
static void send_piece(ashi_grid_program *p, ashlar_operand x, int64_t face, const ashi_box *box, int64_t words,
                       ashi_grid_operand *own)
{
    ashi_operation group = ashi_grid_group(&p->at, ASHI_DO_MULTICAST, x, face, p->builder.rank, words);
    ashi_block block;
    const bool packs = !ashi_view_is_packed(&p->builder.program->view[x], p->builder.rank, box, ashi_whole, &block);
    group.box = *box;
    ashi_build_multicast_own(&p->builder, &group, packs, packs && own ? panel_of(p, own) : ASHI_NO_PANEL);
    if (own)
        own->joined = packs;
}

/* What arrives of the rank's own face, in a program that is only counted: one message a piece. */
static void receive_face(ashi_grid_program *p, ashi_grid_operand *o)
{
    const ashi_pieces *pieces = &p->at.g->fibre;
    ashi_operation group = ashi_operation_blank(ASHI_DO_MULTICAST);
    int64_t apart = 0;
    group.operand = o->x;
    for (int64_t i = 0; i < pieces->count; i++) {
        const ashi_piece *piece = &pieces->piece[i];
        if (piece->owner == p->builder.rank)
            continue;
        group.words += piece->words;
        group.members++;
        apart += piece->lands ? 0 : piece->words;
    }
    if (group.members > 0)
        ashi_build_multicasts(&p->builder, &group, apart, panel_of(p, o));
}

/* All pieces of the rank's own face in the order of owners, its own among them: then two ranks of the face that forward
 * pieces to each other name them in one order. */
static void share_face(ashi_grid_program *p, ashi_grid_operand *o)
{
    const ashi_pieces *pieces = &p->at.g->fibre;
    const int64_t face = p->at.me->face[o->x];
    const bool together = ashi_lower_together(p->builder.program, true);
    for (int64_t i = 0; i < pieces->count; i++) {
        const ashi_piece *piece = &pieces->piece[i];
        if (piece->owner == p->builder.rank) {
            if (p->at.g->domains.of[o->x].face[face].members > 1)
                send_piece(p, o->x, face, &o->box, piece->words, piece->lands && o->here == 0 ? o : NULL);
            continue;
        }
        if (together)
            continue;
        ashi_operation group = ashi_grid_group(&p->at, ASHI_DO_MULTICAST, o->x, face, piece->owner, piece->words);
        group.box = o->box;
        ashi_build_multicast(&p->builder, &group, piece->lands, panel_of(p, o));
    }
    if (together)
        receive_face(p, o);
}

/* What this rank owns of other faces. */
static void send_others(ashi_grid_program *p, const ashi_grid_operand *o)
{
    const ashi_view *view = &p->builder.program->view[o->x];
    const ashi_box owned = ashi_grid_owned(view, p->builder.rank);
    ashi_touching walk = ashi_faces_touching(&p->at.g->domains.of[o->x], &owned);
    while (ashi_faces_next(&walk)) {
        if (walk.face == p->at.me->face[o->x])
            continue;
        ashi_box box = box_of(p, o, walk.face);
        if (view->turned)
            ashi_view_cut_to_part(view, p->builder.rank, &box);
        const int64_t words = ashi_view_words(view, p->builder.rank, &box);
        if (words > 0)
            send_piece(p, o->x, walk.face, &box, words, NULL);
    }
}

ashlar_status ashi_grid_bring(ashi_grid_program *p, ashi_grid_operand *o)
{
    if (!p->at.me->idle) {
        o->box = box_of(p, o, p->at.me->face[o->x]);
        o->words = ashi_box_words(&o->box);
    }
    const ashlar_status status = p->at.me->idle ? ASHLAR_OK : find_pieces(p, o);
    if (status != ASHLAR_OK)
        return status;
    if (!p->at.me->idle)
        share_face(p, o);
    send_others(p, o);
    return ASHLAR_OK;
}

void ashi_grid_read(ashi_grid_program *p, ashi_grid_operand *o, bool last, ashi_operation *product)
{
    const int at = o->x == ASHLAR_A ? 0 : 2;
    if (o->own > o->here && !o->joined)
        ashi_build_own(&p->builder, o->x, &o->box, ASHI_CONTENT_REST, o->own - o->here, panel_of(p, o));
    o->joined = true;
    ashi_operation_reads(product, at, o->panel, last);
    if (o->here > 0)
        ashi_operation_reads(product, at + 1, ashi_build_here(&p->builder, o->x, &o->box, o->here), true);
}

void ashi_grid_multiply(ashi_grid_program *p, ashi_grid_operand *a, ashi_grid_operand *b, const bool last[2])
{
    ashi_operation product = ashi_operation_blank(ASHI_DO_MULTIPLY);
    const int64_t k_lo = ashi_max(a->box.major_lo, b->box.major_lo), k_hi = ashi_min(a->box.major_hi, b->box.major_hi);
    if (a->words == 0 || b->words == 0)
        return;
    ashi_grid_read(p, a, last[0], &product);
    ashi_grid_read(p, b, last[1], &product);
    const int64_t lo[] = {a->box.minor_lo, b->box.minor_lo, k_lo}, hi[] = {a->box.minor_hi, b->box.minor_hi, k_hi, 1};
    for (int d = 0; d < ASHI_PRODUCT_INDICES; d++) {
        product.lo[d] = d < 3 ? lo[d] : 0;
        product.hi[d] = hi[d];
    }
    ashi_build_product(&p->builder, &product, &p->part.sums);
}

/* A turned matrix: a panel for each stretch of k that one part has. */
static ashlar_status bring_stretches(ashi_grid_program *p, const ashi_grid_operand *all)
{
    const ashi_strip *strip = &p->builder.program->view[all->x].major;
    ashlar_status status = ASHLAR_OK;
    p->operands[all->x] = 0;
    if (!p->at.me->idle) {
        const ashi_box slab = box_of(p, all, p->at.me->face[all->x]);
        for (int64_t at = slab.major_lo; at < slab.major_hi && status == ASHLAR_OK;) {
            ashi_grid_operand *o = &p->operand[all->x][p->operands[all->x]++];
            *o = *all;
            o->box = slab;
            o->box.major_lo = at;
            o->box.major_hi = at = ashi_min(slab.major_hi, ashi_owner_edge(strip, at));
            o->words = ashi_box_words(&o->box);
            status = find_pieces(p, o);
            if (status == ASHLAR_OK)
                share_face(p, o);
        }
    }
    if (status == ASHLAR_OK)
        send_others(p, all);
    return status;
}

static ashlar_status bring(ashi_grid_program *p, ashlar_operand x, int64_t round)
{
    const ashi_grid_operand all = {.x = x, .round = round, .panel = ASHI_NO_PANEL};
    if (p->builder.program->view[x].turned)
        return bring_stretches(p, &all);
    p->operand[x][0] = all;
    p->operands[x] = 1;
    return ashi_grid_bring(p, p->operand[x]);
}

/* Both fill the same interval of k: each product is of what one of A and one of B have of it. */
static void multiply(ashi_grid_program *p)
{
    ashi_grid_operand *a = p->operand[ASHLAR_A], *b = p->operand[ASHLAR_B];
    const ashi_grid_operand *end_a = a + p->operands[ASHLAR_A], *end_b = b + p->operands[ASHLAR_B];
    while (a < end_a && b < end_b) {
        const int64_t hi_a = a->box.major_hi, hi_b = b->box.major_hi;
        ashi_grid_multiply(p, a, b, (const bool[]){hi_a <= hi_b, hi_b <= hi_a});
        a += hi_a <= hi_b;
        b += hi_b <= hi_a;
    }
}

static ashlar_status make_round(ashi_grid_program *p, int64_t round)
{
    ashlar_status status = bring(p, ASHLAR_A, round);
    if (status == ASHLAR_OK)
        status = bring(p, ASHLAR_B, round);
    if (status == ASHLAR_OK)
        multiply(p);
    if (round + 1 == p->at.schedule->rounds)
        ashi_moving_begin(&p->moving);
    return status;
}

/* ---- steps ---- */

void ashi_grid_begin_rank(ashi_grid_program *p)
{
    p->at.rank = p->builder.rank;
    p->at.me = &p->at.g->domains.seat[p->builder.rank];
    p->at.home = p->at.me->idle ? (ashi_home){ASHI_HOME_BUFFER, 0, 0}
                                : ashi_grid_home(p->at.schedule, p->builder.rank, 0);
    p->moving.part = &p->part;
    p->moving.parts = p->at.me->idle ? 0 : 1;
}

static void begin_rank(ashi_grid_program *p)
{
    ashi_grid_begin_rank(p);
    ashi_moving_open(&p->moving, 0, 0, ashi_grid_domain(p->at.schedule, p->builder.rank, 0), p->at.home);
}

static ashlar_status make_step(ashi_builder *b)
{
    ashi_grid_program *p = b->program->own;
    p->at.err = b->err;
    if (b->step == 0)
        begin_rank(p);
    ashi_areas_enter(&b->areas, 1 + (int)(b->step % p->at.schedule->window));
    if (b->step < p->at.schedule->rounds)
        return make_round(p, b->step);
    return b->step >= p->first_sum ? ashi_grid_program_sums(p, b->step - p->first_sum) : ASHLAR_OK;
}

static ashlar_status emit(ashi_program *program, int64_t rank, int64_t step, const ashi_program_visitor *visitor,
                          ashlar_error *err)
{
    ashi_grid_program *p = program->own;
    p->builder.program = program;
    return ashi_build(&p->builder, make_step, rank, step, visitor, err);
}

static ashlar_status pool(ashi_program *program, int64_t rank, int64_t *words, ashlar_error *err)
{
    ashi_grid_program *p = program->own;
    p->builder.program = program;
    return ashi_build_pool(&p->builder, make_step, rank, words, err);
}

static void free_own(ashi_program *program)
{
    ashi_grid_program *p = program->own;
    free(p->operand[ASHLAR_A]);
    free(p->operand[ASHLAR_B]);
    free(p);
}

static ashlar_status reserve(ashi_grid_program *p, ashlar_error *err)
{
    for (int x = 0; x < 2; x++) {
        const int64_t most = ashi_max(1, p->at.g->turned[x]);
        p->operand[x] = calloc((size_t)most, sizeof *p->operand[x]);
        if (!p->operand[x])
            return ashi_fail_memory(err, "program", most * (int64_t)sizeof *p->operand[x]);
    }
    return ASHLAR_OK;
}

void ashi_grid_program_begin(ashi_grid_program *p, ashi_schedule *s, ashi_program *out)
{
    *p = (ashi_grid_program){.builder = ashi_builder_of(out), .at = {.schedule = s, .g = s->own}, .slab = -1};
    p->moving = (ashi_moving_sums){.builder = &p->builder, .source = &ashi_grid_sums_source, .own = p,
                                   .rounds = s->reduce_rounds, .begins = !p->at.g->domains.c_overlaps};
    *out = (ashi_program){.m = s->m, .n = s->n, .k = s->k, .ranks = s->ranks, .steps = s->rounds + s->reduce_rounds,
                          .look_ahead = s->window - 1, .view = s->view, .tree = s->tree, .one_sided = s->one_sided,
                          .torus = s->torus, .own = p};
}

ashlar_status ashi_grid_program_of(ashi_schedule *s, ashi_program *out, ashlar_error *err)
{
    ashi_grid_program *p = calloc(1, sizeof *p);
    *out = (ashi_program){0};
    if (!p)
        return ashi_fail_memory(err, "program", (int64_t)sizeof *p);
    ashi_grid_program_begin(p, s, out);
    int area = ashi_areas_add(&p->builder.areas, ASHI_AREA_FIRST); /* of the running sums */
    for (int i = 0; i < s->window; i++)
        area = ashi_areas_add(&p->builder.areas, area);
    p->first_sum = s->reduce_rounds ? ashi_ceil_div(s->rounds, s->window) * s->window : s->rounds;
    out->steps = p->first_sum + s->reduce_rounds;
    out->emit = emit;
    out->pool = pool;
    out->free_own = free_own;
    const ashlar_status status = reserve(p, err);
    if (status != ASHLAR_OK)
        ashi_program_free(out);
    return status;
}
