/* The program of boxes in which A or B stays: rounds bring slabs of the other, and move sums of slabs of C. */
#include "engine/stays_program.h"

#include "base/error.h"

#include <stdlib.h>

/* Steps: those in which what stays arrives, each a piece of k; then for each slab one that brings it and multiplies it
 * with all pieces, and one that moves its sums. With a look-ahead of 2 a slab arrives while the one before it is
 * multiplied. */
typedef struct stays_program {
    ashi_grid_program grid; /* first: its callbacks find it here */
    ashlar_operand stays, passes;
    ashi_grid_operand *piece; /* what stays, as it arrived */
    int64_t pieces, last; /* last: the rank's last round that has words */
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

static ashlar_status bring_piece(stays_program *s, int64_t number)
{
    ashi_grid_operand *o = &s->piece[number];
    *o = (ashi_grid_operand){.x = s->stays, .round = number, .rounds = s->pieces, .panel = ASHI_NO_PANEL};
    return ashi_grid_bring(&s->grid, o);
}

/* Of the slab of C that a round sums up. What several boxes sum up is added to C only when it is moved. */
static void open_sums(ashi_grid_program *p, int64_t round)
{
    const ashi_box box = slab_of(p, ASHLAR_C, round);
    const ashi_home home = p->at.g->domains.c_overlaps
                               ? (ashi_home){ASHI_HOME_BUFFER, 0, 0}
                               : ashi_home_find(&p->builder.program->view[ASHLAR_C], p->builder.rank, &box);
    ashi_moving_open(&p->moving, 0, round, box, home);
}

static void multiply(stays_program *s, ashi_grid_operand *slab, int64_t round)
{
    for (int64_t i = 0; i < s->pieces; i++) {
        ashi_grid_operand *piece = &s->piece[i];
        const bool stays_last = round == s->last, slab_last = i + 1 == s->pieces || s->piece[i + 1].words == 0;
        if (s->stays == ASHLAR_A)
            ashi_grid_multiply(&s->grid, piece, slab, (const bool[]){stays_last, slab_last});
        else
            ashi_grid_multiply(&s->grid, slab, piece, (const bool[]){slab_last, stays_last});
    }
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
    if (round == 0 && ashi_grid_scaled_words(&p->at) > 0)
        ashi_build_scale(&p->builder);
    if (!p->at.me->idle)
        status = ashi_view_pieces(&p->builder.program->view[ASHLAR_C], &p->part.box, &g->summed, p->builder.err);
    return status == ASHLAR_OK ? ashi_moving_round(&p->moving, 0) : status;
}

static ashlar_status make_step(ashi_builder *b)
{
    stays_program *s = b->program->own;
    s->grid.at.err = b->err;
    if (b->step == 0)
        begin_rank(s);
    const int64_t after = b->step - s->pieces;
    if (after < 0)
        return bring_piece(s, b->step);
    return after % 2 == 0 ? make_round(s, after / 2) : move_sums(&s->grid, after / 2);
}

static ashlar_status emit(ashi_program *program, int64_t rank, int64_t step, const ashi_program_visitor *visitor,
                          ashlar_error *err)
{
    stays_program *s = program->own;
    s->grid.builder.program = program;
    return ashi_build(&s->grid.builder, make_step, rank, step, visitor, err);
}

static void free_own(ashi_program *program)
{
    stays_program *s = program->own;
    free(s->piece);
    free(s);
}

ashlar_status ashi_stays_program_of(ashi_schedule *schedule, ashi_program *out, ashlar_error *err)
{
    const int64_t pieces = schedule->reduce_rounds;
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
    s->pieces = pieces;
    out->steps = schedule->steps;
    out->look_ahead = 2 * (schedule->window - 1);
    out->emit = emit;
    out->free_own = free_own;
    return ASHLAR_OK;
}
