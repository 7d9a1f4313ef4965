/* The program of blocks that are handed on: what comes from owners, what goes from rank to rank, what is multiplied. */
#include "engine/shift_program.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static int64_t part_of(const ashi_shift_program *p, int64_t block)
{
    const ashi_shift_own *g = p->at.g;
    return g->part[g->start[p->builder.rank] + block / g->rule.pieces];
}

static ashi_box box_of(const ashi_shift_program *p, ashlar_operand x, int64_t block, int64_t round)
{
    return ashi_shift_block(p->at.g, x, part_of(p, block), round, block % p->at.g->rule.pieces);
}

/* True if some product of a round reads a part's piece. */
static bool meets_any(const ashi_shift_own *g, ashlar_operand x, int64_t part, int64_t round, int64_t piece)
{
    if (x == ASHLAR_B)
        return ashi_shift_met(g, part, round, piece) >= 0;
    for (int64_t i = 0; i < g->rule.pieces; i++)
        if (ashi_shift_met(g, part, round, i) == piece)
            return true;
    return false;
}

/* True if a part's piece is read on this rank in a round, or in a later one before it leaves: it is multiplied, or sent
 * on. If parts have no rows, or no columns, blocks come to them that nothing reads. */
static bool is_read(const ashi_shift_program *p, ashlar_operand x, int64_t part, int64_t round, int64_t piece)
{
    const ashi_shift_own *g = p->at.g;
    const ashi_shift_rule *rule = &g->rule;
    for (int64_t r = round; part >= 0; r++) {
        if (g->rank_of[part] != p->builder.rank || meets_any(g, x, part, r, piece))
            return true;
        if (r % rule->rounds + 1 >= rule->rounds)
            return false;
        part = rule->to(rule->own, x, part, r % g->rule.rounds, piece);
    }
    return false;
}

/* A block comes to this rank: it gets a panel in the first free cell, which is free at once if nothing reads it. */
static int64_t open_panel(ashi_shift_program *p, ashlar_operand x, int64_t block, const ashi_box *box, bool read)
{
    ashi_panel panel = ashi_panel_of(x, box);
    int64_t cell = 0;
    while (p->taken[cell])
        cell++;
    panel.unread = !read;
    p->taken[cell] = true;
    p->next_cell[x][block] = cell;
    const int64_t id = ashi_build_panel_at(&p->builder, &panel, ASHI_SHIFT_CELLS_A + (int)x,
                                           cell * p->at.g->cell_words[x]);
    p->next[x][block] = read ? id : ASHI_BLOCK_NONE;
    return id;
}

/* Before blocks come: those of the present round have their cells. */
static void find_free_cells(ashi_shift_program *p, ashlar_operand x)
{
    memset(p->taken, 0, 2 * (size_t)p->blocks + 1);
    for (int64_t i = 0; i < p->blocks; i++) {
        if (p->now[x][i] >= 0)
            p->taken[p->cell[x][i]] = true;
        p->next[x][i] = ASHI_BLOCK_NONE;
    }
}

/* ---- from owners ---- */

static ashi_operation multicast_of(ashlar_operand x, const ashi_box *box, int64_t owner, int64_t words,
                                   const ashi_place *place)
{
    ashi_operation o = ashi_operation_blank(ASHI_DO_MULTICAST);
    o.operand = x;
    o.box = *box;
    o.owner = owner;
    o.words = words;
    o.member = &place->rank;
    o.members = 1;
    return o;
}

/* A block of this rank's, put together from the pieces that others own and from its own. */
static ashlar_status fetch_block(ashi_shift_program *p, ashlar_operand x, const ashi_place *place, int64_t round)
{
    ashi_builder *b = &p->builder;
    ashi_shift_own *g = p->at.g;
    const ashi_box box = ashi_shift_block(g, x, place->part, round, place->piece);
    const int64_t block = g->number[place->part] * g->rule.pieces + place->piece;
    if (ashi_box_words(&box) == 0)
        return ASHLAR_OK;
    if (ashi_shift_lies_ready(p->at.schedule, x, place->part, place->piece, &box)) {
        p->next[x][block] = ASHI_BLOCK_OWN;
        return ASHLAR_OK;
    }
    const bool read = is_read(p, x, place->part, round, place->piece);
    const int64_t panel = read ? open_panel(p, x, block, &box, true) : ASHI_NO_PANEL;
    const ashlar_status status = ashi_view_pieces(&b->program->view[x], &box, &g->pieces, b->err);
    for (int64_t i = 0; i < g->pieces.count && status == ASHLAR_OK; i++) {
        const ashi_piece *piece = &g->pieces.piece[i];
        ashi_operation group = multicast_of(x, &box, piece->owner, piece->words, place);
        group.rank_at = 0;
        if (piece->owner != b->rank)
            ashi_build_multicast(b, &group, piece->lands, panel);
        else if (read)
            ashi_build_own(b, x, &box, ASHI_CONTENT_SHARE, piece->words, panel);
    }
    return status;
}

/* What this rank owns of another's block. */
static void send_piece(ashi_shift_program *p, ashlar_operand x, const ashi_place *place, int64_t round)
{
    ashi_builder *b = &p->builder;
    const ashi_view *view = &b->program->view[x];
    const ashi_box box = ashi_shift_block(p->at.g, x, place->part, round, place->piece);
    const int64_t words = ashi_view_words(view, b->rank, &box);
    ashi_operation group = multicast_of(x, &box, b->rank, words, place);
    ashi_block block;
    if (words > 0)
        ashi_build_multicast_own(b, &group, !ashi_view_is_packed(view, b->rank, &box, ashi_whole, &block),
                                 ASHI_NO_PANEL);
}

static ashlar_status fetch(ashi_shift_program *p, ashlar_operand x, int64_t round)
{
    const ashi_places *places = &p->at.g->block[x];
    const int64_t rank = p->builder.rank;
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = places->start[rank]; i < places->start[rank + 1] && status == ASHLAR_OK; i++)
        status = fetch_block(p, x, &places->at[places->of_rank[i]], round);
    const ashi_box owned = ashi_grid_owned(&p->builder.program->view[x], rank);
    for (int64_t i = ashi_places_next(places, &owned, 0); i < places->count && status == ASHLAR_OK;
         i = ashi_places_next(places, &owned, i + 1))
        if (places->at[i].rank != rank)
            send_piece(p, x, &places->at[i], round);
    return status;
}

/* ---- handing on ---- */

/* True if a product of this round reads the block. */
static bool is_multiplied(const ashi_shift_program *p, ashlar_operand x, int64_t block)
{
    return p->partner[x][block] >= 0;
}

static ashi_operation message_of(ashi_operation_kind kind, ashlar_operand x, const ashi_box *box, int64_t peer)
{
    ashi_operation o = ashi_operation_blank(kind);
    o.operand = x;
    o.box = *box;
    o.words = ashi_box_words(box);
    o.peer = peer;
    return o;
}

/* The blocks of a round, which were on this rank or come from others. */
static void receive_blocks(ashi_shift_program *p, ashlar_operand x, int64_t round)
{
    const ashi_shift_own *g = p->at.g;
    const ashi_shift_rule *rule = &g->rule;
    for (int64_t i = 0; i < p->blocks; i++) {
        const int64_t piece = i % rule->pieces;
        const ashi_box box = box_of(p, x, i, round);
        if (ashi_box_words(&box) == 0)
            continue;
        const int64_t source = rule->from(rule->own, x, part_of(p, i), round % g->rule.rounds, piece);
        if (g->rank_of[source] == p->builder.rank) {
            const int64_t was = g->number[source] * rule->pieces + piece;
            p->next[x][i] = p->now[x][was];
            p->next_cell[x][i] = p->cell[x][was];
            continue;
        }
        ashi_operation o = message_of(ASHI_DO_RECEIVE, x, &box, g->rank_of[source]);
        o.makes = open_panel(p, x, i, &box, is_read(p, x, part_of(p, i), round, piece));
        ashi_build_operation(&p->builder, &o);
    }
}

/* A block that leaves. If a product reads it in this round that comes later in the step. */
static void send_block(ashi_shift_program *p, ashlar_operand x, const ashi_handing *h)
{
    ashi_builder *b = &p->builder;
    ashi_operation o = message_of(ASHI_DO_SEND, x, &h->box, p->at.g->rank_of[h->to]);
    if (h->panel == ASHI_BLOCK_OWN) {
        ashi_panel own = ashi_panel_own(&b->program->view[x], x, b->rank, &h->box, ashi_whole);
        ashi_operation_reads(&o, 0, ashi_build_panel(b, &own), true);
    } else {
        ashi_operation_reads(&o, 0, h->panel, !is_multiplied(p, x, h->block));
    }
    ashi_build_operation(b, &o);
}

static ashlar_status hand_on(ashi_shift_program *p, ashlar_operand x, int64_t round)
{
    int64_t count = 0;
    receive_blocks(p, x, round);
    const ashlar_status status = ashi_shift_gather_handings(&p->at, x, round, p->now[x], p->blocks, &count);
    for (int64_t i = 0; i < count && status == ASHLAR_OK; i++)
        send_block(p, x, &p->at.g->handing[i]);
    return status;
}

/* The blocks of a round come to this rank. */
static ashlar_status post(ashi_shift_program *p, int64_t round)
{
    const int64_t at = round % p->at.g->rule.rounds;
    ashlar_status status = ASHLAR_OK;
    for (int x = ASHLAR_A; x <= (int)ASHLAR_B; x++) {
        find_free_cells(p, (ashlar_operand)x);
        if (round < p->at.schedule->rounds && status == ASHLAR_OK)
            status = at == 0 ? fetch(p, (ashlar_operand)x, round) : hand_on(p, (ashlar_operand)x, round);
    }
    return status;
}

/* ---- products ---- */

/* Which blocks meet in a round. */
static void find_partners(ashi_shift_program *p, int64_t round)
{
    const int64_t pieces = p->at.g->rule.pieces;
    for (int64_t i = 0; i < p->blocks; i++)
        p->partner[ASHLAR_A][i] = -1;
    for (int64_t i = 0; i < p->blocks; i++) {
        const int64_t met = ashi_shift_met(p->at.g, part_of(p, i), round, i % pieces);
        p->partner[ASHLAR_B][i] = met >= 0 ? i - i % pieces + met : -1;
        if (met >= 0)
            p->partner[ASHLAR_A][i - i % pieces + met] = i;
    }
}

/* True if a later round reads the panel of a block on this rank, which in this round is multiplied, or sent before. */
static bool is_read_later(const ashi_shift_program *p, ashlar_operand x, int64_t block, int64_t round)
{
    const ashi_shift_own *g = p->at.g;
    const ashi_shift_rule *rule = &g->rule;
    const int64_t piece = block % rule->pieces;
    if (round % rule->rounds + 1 >= rule->rounds)
        return false;
    const int64_t at = rule->to(rule->own, x, part_of(p, block), round % g->rule.rounds, piece);
    return at >= 0 && g->rank_of[at] == p->builder.rank && is_read(p, x, at, round + 1, piece);
}

static void read_block(ashi_shift_program *p, ashlar_operand x, int64_t block, int64_t by, int64_t round,
                       ashi_operation *product)
{
    const int64_t panel = p->now[x][block];
    const int at = x == ASHLAR_A ? 0 : 2;
    if (panel == ASHI_BLOCK_OWN) {
        const ashi_box box = box_of(p, x, block, round);
        ashi_operation_reads(product, at + 1, ashi_build_here(&p->builder, x, &box, ashi_box_words(&box)), true);
        return;
    }
    const bool last = (x == ASHLAR_B || p->partner[ASHLAR_A][block] == by) && !is_read_later(p, x, block, round);
    ashi_operation_reads(product, at, panel, last);
}

static ashi_part_sums *sums_of(const ashi_shift_program *p, int64_t part)
{
    return &p->moving.part[p->moving_at[part]].sums;
}

static void multiply(ashi_shift_program *p, int64_t round)
{
    for (int64_t i = 0; i < p->blocks; i++) {
        const int64_t met = p->partner[ASHLAR_B][i];
        if (met < 0)
            continue;
        const ashi_box a = box_of(p, ASHLAR_A, met, round), b = box_of(p, ASHLAR_B, i, round);
        const int64_t lo[] = {a.minor_lo, b.minor_lo, a.major_lo, 0}, hi[] = {a.minor_hi, b.minor_hi, a.major_hi, 1};
        ashi_operation product = ashi_operation_blank(ASHI_DO_MULTIPLY);
        for (int d = 0; d < ASHI_PRODUCT_INDICES; d++) {
            product.lo[d] = lo[d];
            product.hi[d] = hi[d];
        }
        read_block(p, ASHLAR_A, met, i, round, &product);
        read_block(p, ASHLAR_B, i, i, round, &product);
        ashi_build_product(&p->builder, &product, sums_of(p, i / p->at.g->rule.pieces));
    }
}

/* ---- steps ---- */

static void swap(int64_t **a, int64_t **b)
{
    int64_t *const was = *a;
    *a = *b;
    *b = was;
}

static ashlar_status make_round(ashi_shift_program *p, int64_t round)
{
    for (int x = ASHLAR_A; x <= (int)ASHLAR_B; x++) {
        swap(&p->now[x], &p->next[x]);
        swap(&p->cell[x], &p->next_cell[x]);
    }
    find_partners(p, round);
    const ashlar_status status = post(p, round + 1);
    if (status == ASHLAR_OK)
        multiply(p, round);
    if (round + 1 == p->at.schedule->rounds)
        ashi_moving_begin(&p->moving);
    return status;
}

/* Make an array longer; what is in it is lost. */
static bool lengthen(int64_t **array, int64_t count)
{
    free(*array);
    *array = malloc((size_t)count * sizeof **array);
    return *array != NULL;
}

static ashlar_status make_room(ashi_shift_program *p, int64_t parts)
{
    bool ok = true;
    if (p->parts_room < parts || !p->moving_at) {
        free(p->moving.part);
        p->moving.part = malloc((size_t)(parts + 1) * sizeof *p->moving.part);
        ok = lengthen(&p->moving_at, parts + 1) && p->moving.part;
        p->parts_room = parts;
    }
    if (p->blocks_room < p->blocks || !p->now[0]) {
        p->blocks_room = p->blocks;
        for (int x = 0; x < 2; x++) {
            int64_t **const all[] = {&p->now[x], &p->next[x], &p->cell[x], &p->next_cell[x], &p->partner[x]};
            for (size_t i = 0; i < sizeof all / sizeof *all; i++)
                ok = lengthen(all[i], p->blocks + 1) && ok;
        }
        free(p->taken);
        p->taken = malloc(2 * (size_t)p->blocks + 1); /* at most the cells of two rounds are taken */
        ok = ok && p->taken;
    }
    if (ok)
        return ASHLAR_OK;
    p->parts_room = p->blocks_room = -1;
    return ashi_fail_memory(p->builder.err, "program", 10 * p->blocks * (int64_t)sizeof *p->now[0] +
                            parts * (int64_t)sizeof *p->moving.part);
}

/* Parts whose boxes of C have words. */
static void open_sums(ashi_shift_program *p)
{
    const ashi_places *sum = &p->at.g->sum;
    const int64_t first = sum->start[p->at.rank];
    p->moving.parts = sum->start[p->at.rank + 1] - first;
    for (int64_t i = 0; i < p->moving.parts; i++) {
        const ashi_place *place = &sum->at[sum->of_rank[first + i]];
        const int64_t number = p->at.g->number[place->part];
        p->moving_at[number] = i;
        ashi_moving_open(&p->moving, i, number, place->box, p->at.schedule->home(p->at.schedule, p->at.rank, number));
    }
}

static ashlar_status begin_rank(ashi_shift_program *p)
{
    p->at.rank = p->builder.rank;
    const int64_t parts = ashi_shift_parts(p->at.g, p->at.rank);
    p->blocks = parts * p->at.g->rule.pieces;
    const ashlar_status status = make_room(p, parts);
    if (status != ASHLAR_OK)
        return status;
    open_sums(p);
    for (int64_t i = 0; i < p->blocks; i++)
        p->now[ASHLAR_A][i] = p->now[ASHLAR_B][i] = ASHI_BLOCK_NONE;
    return post(p, 0);
}

static ashlar_status make_step(ashi_builder *b)
{
    ashi_shift_program *p = b->program->own;
    const int64_t rounds = p->at.schedule->rounds;
    p->at.err = b->err;
    const int64_t after = b->step - rounds - 1;
    ashi_areas_enter(&b->areas,
                     after < 0 ? ASHI_SHIFT_BESIDE : ASHI_SHIFT_MOVING + (int)(after % (p->moving.lag + 1)));
    if (b->step == 0)
        return begin_rank(p);
    return after < 0 ? make_round(p, b->step - 1) : ashi_moving_step(&p->moving, after);
}

static ashlar_status emit(ashi_program *program, int64_t rank, int64_t step, const ashi_program_visitor *visitor,
                          ashlar_error *err)
{
    ashi_shift_program *p = program->own;
    p->builder.program = program;
    return ashi_build(&p->builder, make_step, rank, step, visitor, err);
}

static ashlar_status pool(ashi_program *program, int64_t rank, int64_t *words, ashlar_error *err)
{
    ashi_shift_program *p = program->own;
    p->builder.program = program;
    return ashi_build_pool(&p->builder, make_step, rank, words, err);
}

static void free_own(ashi_program *program)
{
    ashi_shift_program *p = program->own;
    for (int x = 0; x < 2; x++) {
        free(p->now[x]);
        free(p->next[x]);
        free(p->cell[x]);
        free(p->next_cell[x]);
        free(p->partner[x]);
    }
    free(p->taken);
    free(p->moving.part);
    free(p->moving_at);
    free(p);
}

static bool has_empty_parts(const ashi_shift_rule *rule)
{
    for (int64_t part = 0; part < rule->parts; part++) {
        const ashi_box box = rule->box(rule->own, part);
        if (ashi_box_words(&box) == 0)
            return true;
    }
    return false;
}

ashlar_status ashi_shift_program_of(ashi_schedule *s, ashi_program *out, ashlar_error *err)
{
    ashi_shift_program *p = calloc(1, sizeof *p);
    *out = (ashi_program){0};
    if (!p)
        return ashi_fail_memory(err, "program", (int64_t)sizeof *p);
    *p = (ashi_shift_program){.builder = ashi_builder_of(out), .at = {.schedule = s, .g = s->own}};
    p->moving = (ashi_moving_sums){.builder = &p->builder, .source = &ashi_shift_sums_source, .own = p,
                                   .rounds = s->reduce_rounds, .lag = s->window > 1 && s->reduce_rounds > 1,
                                   .begins = true};
    static const int behind[] = {ASHI_AREA_FIRST, ASHI_AREA_SUMS, ASHI_SHIFT_CELLS_A, ASHI_SHIFT_CELLS_B,
                                 ASHI_AREA_SUMS, ASHI_SHIFT_MOVING};
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++)
        ashi_areas_add(&p->builder.areas, behind[i]);
    *out = (ashi_program){.m = s->m, .n = s->n, .k = s->k, .ranks = s->ranks,
                          .steps = 1 + s->rounds + s->reduce_rounds + p->moving.lag, .view = s->view,
                          .one_sided = s->one_sided, .torus = s->torus, .own = p, .emit = emit, .pool = pool,
                          .brings_more = has_empty_parts(&p->at.g->rule), .free_own = free_own};
    return ASHLAR_OK;
}
