/* The program of boxes in which A or B stays: rounds bring slabs of the other, and move sums of slabs of C. */
#include "engine/stays_program.h"

#include "base/checked.h"
#include "base/error.h"
#include "schedule/lower.h"

#include <stdlib.h>

/* Areas of the pool: what stays, and one for each slab in flight; or, if that is one, its sums, and behind them what
 * arrives of it, and later the sums that move. */
enum { ONLY_SUMS = 1, ONLY_SLAB, ONLY_MOVING };

/* Steps come in pairs: what stays arrives in the first of a pair, a part of each stretch of k; then each slab arrives
 * in the first of a pair and is multiplied with all those pieces, and its sums move in the second. So what is in
 * flight of a pair uses the memory of an earlier one (a window before), and with a look-ahead of 2 a slab arrives while
 * the one before it is multiplied. */
typedef struct stays_program {
    ashi_grid_program grid; /* first: its callbacks find it here */
    ashlar_operand stays, passes;
    ashi_grid_operand *piece; /* what stays, as it arrived */
    int64_t stretches, pieces, last; /* last: the rank's last round that has words */
} stays_program;

static ashi_box slab_of(const ashi_grid_program *p, ashlar_operand x, int64_t round)
{
    return ashi_grid_slab(p->at.g, x, p->at.me->face[x], round);
}

static void begin_rank(stays_program *s)
{
    ashi_grid_program *p = &s->grid;
    ashi_grid_begin_rank(p);
    if (p->at.g->domains.c_overlaps)
        p->at.home = (ashi_home){ASHI_HOME_BUFFER, 0, 0};
    for (s->last = p->at.schedule->rounds - 1; s->last > 0 && !p->at.me->idle; s->last--) {
        const ashi_box box = slab_of(p, s->passes, s->last);
        if (ashi_box_words(&box) > 0)
            return;
    }
}

static ashlar_status bring_pieces(stays_program *s, int64_t round)
{
    const int64_t rounds = s->grid.at.schedule->reduce_rounds;
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < s->stretches && status == ASHLAR_OK; i++) {
        ashi_grid_operand *o = &s->piece[round * s->stretches + i];
        *o = (ashi_grid_operand){.x = s->stays, .round = round, .rounds = rounds, .stretch = i,
                                 .panel = ASHI_NO_PANEL};
        status = ashi_grid_bring(&s->grid, o);
    }
    return status;
}

/* Of the slab of C that a round sums up. What several boxes sum up is added to C only when it is moved. */
static void open_sums(ashi_grid_program *p, int64_t round)
{
    const ashi_box box = slab_of(p, ASHLAR_C, round);
    const ashi_home home = p->at.g->domains.c_overlaps
                               ? (ashi_home){ASHI_HOME_BUFFER, 0, 0}
                               : ashi_home_find(&p->builder.program->view[ASHLAR_C], p->builder.rank, &box, false);
    ashi_moving_open(&p->moving, 0, round, box, home);
}

/* The last piece that has words. */
static int64_t last_piece(const stays_program *s)
{
    int64_t last = s->pieces - 1;
    while (last > 0 && s->piece[last].words == 0)
        last--;
    return last;
}

/* Products that are only counted, and read a slab for the last time. */
static void count_products(stays_program *s, ashi_grid_operand *slab, int64_t products, int64_t thin)
{
    ashi_operation all = ashi_operation_blank(ASHI_DO_MULTIPLY);
    all.joined = true;
    all.words = thin;
    for (int d = 0; d < ASHI_PRODUCT_INDICES; d++)
        all.hi[d] = d == 0 ? products : 1;
    ashi_grid_read(&s->grid, slab, true, &all);
    ashi_build_operation(&s->grid.builder, &all);
}

/* Adds those of a piece of A or B and a slab of the other. */
static void add_products(const ashi_grid_operand *piece, const ashi_grid_operand *slab, int64_t *products,
                         int64_t *thin)
{
    const int64_t rows = piece->box.minor_hi - piece->box.minor_lo, cols = slab->box.minor_hi - slab->box.minor_lo;
    const int64_t depth = ashi_min(piece->box.major_hi, slab->box.major_hi) -
                          ashi_max(piece->box.major_lo, slab->box.major_lo);
    *products += rows * cols * depth;
    *thin += ashi_thin_words(rows, cols, depth);
}

static void multiply(stays_program *s, ashi_grid_operand *slab, int64_t round)
{
    const bool counts = s->grid.builder.program->brief && round < s->last; /* no piece is read for the last time */
    const int64_t last = last_piece(s);
    int64_t products = 0, thin = 0;
    for (int64_t i = 0; i <= last; i++) {
        ashi_grid_operand *piece = &s->piece[i];
        if (counts && piece->joined && slab->words > 0 && piece->words > 0)
            add_products(piece, slab, &products, &thin);
        else if (counts && piece->joined && slab->words > 0)
            continue;
        else if (s->stays == ASHLAR_A)
            ashi_grid_multiply(&s->grid, piece, slab, (const bool[]){round == s->last, i == last});
        else
            ashi_grid_multiply(&s->grid, slab, piece, (const bool[]){i == last, round == s->last});
    }
    if (products > 0)
        count_products(s, slab, products, thin);
}

static ashlar_status make_round(stays_program *s, int64_t round)
{
    ashi_grid_program *p = &s->grid;
    ashi_grid_operand slab = {.x = s->passes, .round = round, .panel = ASHI_NO_PANEL};
    if (!p->at.me->idle)
        open_sums(p, round);
    const ashlar_status status = ashi_grid_bring(p, &slab);
    if (status != ASHLAR_OK || p->at.me->idle)
        return status;
    multiply(s, &slab, round);
    ashi_moving_begin(&p->moving);
    return ASHLAR_OK;
}

static ashlar_status move_sums(ashi_grid_program *p, int64_t round)
{
    ashi_grid_own *g = p->at.g;
    ashlar_status status = ASHLAR_OK;
    p->slab = round;
    g->summed_face = ASHI_NO_FACE;
    p->moving.together = ashi_lower_together(p->builder.program, false);
    if (round == 0 && ashi_grid_scaled_words(&p->at) > 0)
        ashi_build_scale(&p->builder);
    if (!p->at.me->idle && !p->moving.together)
        status = ashi_view_pieces(&p->builder.program->view[ASHLAR_C], &p->part.box, &g->summed, p->builder.err);
    return status == ASHLAR_OK ? ashi_moving_step(&p->moving, 0) : status;
}

static void enter_area(ashi_builder *b, int window, int64_t pair, bool second)
{
    if (window == 1) {
        if (!second)
            ashi_areas_enter(&b->areas, b->areas.sums = ONLY_SUMS);
        ashi_areas_enter(&b->areas, second ? ONLY_MOVING : ONLY_SLAB);
    } else if (!second) {
        ashi_areas_enter(&b->areas, b->areas.sums = 1 + (int)(pair % window));
    }
}

static ashlar_status make_step(ashi_builder *b)
{
    stays_program *s = b->program->own;
    const int64_t pair = b->step / 2, round = pair - s->grid.at.schedule->reduce_rounds;
    const bool second = b->step % 2 != 0;
    s->grid.at.err = b->err;
    if (b->step == 0)
        begin_rank(s);
    enter_area(b, s->grid.at.schedule->window, pair, second);
    if (round < 0)
        return second ? ASHLAR_OK : bring_pieces(s, pair);
    return second ? move_sums(&s->grid, round) : make_round(s, round);
}

static ashlar_status emit(ashi_program *program, int64_t rank, int64_t step, const ashi_program_visitor *visitor,
                          ashlar_error *err)
{
    stays_program *s = program->own;
    s->grid.builder.program = program;
    return ashi_build(&s->grid.builder, make_step, rank, step, visitor, err);
}

static ashlar_status pool(ashi_program *program, int64_t rank, int64_t *words, ashlar_error *err)
{
    stays_program *s = program->own;
    s->grid.builder.program = program;
    return ashi_build_pool(&s->grid.builder, make_step, rank, words, err);
}

static void add_areas(ashi_areas *areas, int window)
{
    int area = ashi_areas_add(areas, ASHI_AREA_FIRST);
    for (int i = 0; i < window; i++)
        area = ashi_areas_add(areas, area);
    for (int i = 0; i < 2 && window == 1; i++)
        ashi_areas_add(areas, ONLY_SUMS);
}

static void free_own(ashi_program *program)
{
    stays_program *s = program->own;
    free(s->piece);
    free(s);
}

/* A side of a face, and the strips along it and across it. */
typedef struct side {
    const ashi_strip *along, *across;
    int64_t lo, hi, across_lo, across_hi;
} side;

static side side_of(const ashi_view *view, const ashi_box *box, bool minor)
{
    if (minor)
        return (side){&view->minor, &view->major, box->minor_lo, box->minor_hi, box->major_lo, box->major_hi};
    return (side){&view->major, &view->minor, box->major_lo, box->major_hi, box->minor_lo, box->minor_hi};
}

/* Whether across a side there are no two parts. */
static bool is_one_across(const side *s)
{
    return ashi_owner_edge(s->across, s->across_lo) >= s->across_hi;
}

/* Where owners change along a side; how many stretches that makes. One if there are several parts across it, or if
 * stretches would be thinner than `thinnest` on the average. */
static int64_t cut_side(const side *s, int64_t thinnest, int64_t *cut)
{
    const int64_t most = ashi_max(1, (s->hi - s->lo) / thinnest);
    int64_t stretches = 0;
    bool one_owner = is_one_across(s);
    for (int64_t at = s->lo; at < s->hi && one_owner; at = ashi_owner_edge(s->along, at))
        one_owner = ++stretches <= most;
    stretches = one_owner ? ashi_max(1, stretches) : 1;
    for (int64_t i = 0, at = s->lo; i < stretches && cut; i++) {
        cut[i] = at;
        at = i + 1 < stretches ? ashi_owner_edge(s->along, at) : s->hi;
        cut[i + 1] = at;
    }
    return stretches;
}

/* Whether owners share the faces along the minor side: every face has one part across that, and some have several
 * across the other. */
static bool shares_minor(const ashi_view *view, const ashi_faces *f)
{
    bool minor = true, major = true;
    for (int64_t i = 0; i < f->count; i++) {
        const side a = side_of(view, &f->face[i].box, true), b = side_of(view, &f->face[i].box, false);
        minor = minor && is_one_across(&a);
        major = major && is_one_across(&b);
    }
    return minor && !major;
}

ashlar_status ashi_stays_find_stretches(ashi_schedule *schedule, bool thin, ashlar_error *err)
{
    const int64_t thinnest = thin ? 1 : ASHI_THINNEST_STRETCH;
    ashi_grid_own *g = schedule->own;
    const ashlar_operand x = ashi_stationary(schedule->stays);
    const ashi_view *view = &schedule->view[x];
    const ashi_faces *f = &g->domains.of[x];
    ashi_owner_stretches *s = &g->stretches;
    *s = (ashi_owner_stretches){.minor = shares_minor(view, f), .most = 1};
    for (int64_t i = 0; i < f->count; i++) {
        const side along = side_of(view, &f->face[i].box, s->minor);
        s->most = ashi_max(s->most, cut_side(&along, thinnest, NULL));
    }
    const int64_t cuts = ashi_max(1, f->count) * (s->most + 1);
    s->cut = malloc((size_t)cuts * sizeof *s->cut);
    if (!s->cut)
        return ashi_fail_memory(err, "schedule", cuts * (int64_t)sizeof *s->cut);
    for (int64_t i = 0; i < f->count; i++) {
        const side along = side_of(view, &f->face[i].box, s->minor);
        int64_t *cut = &s->cut[i * (s->most + 1)];
        for (int64_t n = cut_side(&along, thinnest, cut); n < s->most; n++)
            cut[n + 1] = cut[n];
    }
    return ASHLAR_OK;
}

ashlar_status ashi_stays_program_of(ashi_schedule *schedule, ashi_program *out, ashlar_error *err)
{
    const ashi_grid_own *g = schedule->own;
    const int64_t pieces = schedule->reduce_rounds * g->stretches.most;
    stays_program *s = calloc(1, sizeof *s);
    ashi_grid_operand *piece = calloc((size_t)pieces, sizeof *piece);
    *out = (ashi_program){0};
    if (!s || !piece) {
        free(s);
        free(piece);
        return ashi_fail_memory(err, "program", (int64_t)sizeof *s + pieces * (int64_t)sizeof *piece);
    }
    ashi_grid_program_begin(&s->grid, schedule, out);
    s->grid.moving.rounds = 1;
    s->stays = ashi_stationary(schedule->stays);
    s->passes = s->stays == ASHLAR_A ? ASHLAR_B : ASHLAR_A;
    s->piece = piece;
    s->stretches = g->stretches.most;
    s->pieces = pieces;
    out->steps = 2 * (schedule->reduce_rounds + schedule->rounds);
    out->look_ahead = 2 * (schedule->window - 1);
    out->stays = schedule->stays;
    add_areas(&s->grid.builder.areas, schedule->window);
    out->emit = emit;
    out->pool = pool;
    out->free_own = free_own;
    return ASHLAR_OK;
}
