/* How a contraction is cut for a device so that copies and products overlap, and the seconds that a cut takes. */
#include "base/checked.h"
#include "base/type.h"
#include "exec/onto_cut_boxes.h"
#include "kernel/positions.h"

#include <math.h>

enum { A, B, C };

/* BOXES, TIMES: more boxes of rows and columns than TIMES as many as without overlap, and BOXES, are not tried. PIECES:
 * of the batch, or of the longest box of the sum that fits, at most. */
enum { BOXES = 64, TIMES = 4, PIECES = 64 };

/* The search takes some milliseconds: what takes less than this many seconds without overlap stays as it is. */
static const double worth = 0.01;

/* Average seconds of a step. */
typedef struct step_seconds {
    double in[3], out, work;     /* a box of a matrix copied in, one of C back; the products of a box */
    double boxes, boxes_of_c;    /* how many there are */
} step_seconds;

static step_seconds step_of(const ashi_onto_cut *cut, const ashi_cut_terms *t)
{
    const ashi_contraction *const p = &cut->product;
    const double bytes = (double)ashi_type_word(p->type);
    double all[ASHI_CUT_GROUPS], boxes[ASHI_CUT_GROUPS];
    step_seconds s = {.work = ashi_type_of(p->type)->flops / t->rates.flops, .boxes = 1};
    for (int g = 0; g < ASHI_CUT_GROUPS; g++) {
        all[g] = (double)ashi_positions_of(ashi_cut_group(p, g));
        boxes[g] = (double)ashi_cut_boxes(cut, g);
        s.work *= all[g] / boxes[g];
        s.boxes *= boxes[g];
    }
    s.boxes_of_c = s.boxes / boxes[ASHI_CUT_DEPTH];
    s.work += t->rates.delay;
    for (int x = 0; x < 3; x++) {
        const int first = ashi_cut_sides[x][0], second = ashi_cut_sides[x][1];
        const double words = all[first] / boxes[first] * (all[second] / boxes[second]) *
                             (all[ASHI_CUT_BATCH] / boxes[ASHI_CUT_BATCH]);
        s.in[x] = words * bytes / t->rates.in + t->rates.delay;
        if (x == C)
            s.out = words * bytes / t->rates.out + t->rates.delay;
        if (cut->matrix[x].permuted && x != C)
            s.work += t->rates.delay;
    }
    return s;
}

/* Boxes that are multiplied while the next ones come: as long as the longer of both. */
static double steps_seconds(const ashi_onto_cut *cut, const ashi_cut_terms *t, const step_seconds *s)
{
    const int outer = cut->outer == ASHI_CUT_ROWS ? A : B, inner = 1 - outer;
    const double added = t->adds ? s->in[C] : 0;
    if (ashi_cut_boxes(cut, ASHI_CUT_DEPTH) > 1) /* each box of A and of B comes for each box */
        return s->boxes_of_c * fmax(s->in[A] + s->in[B] + added, s->work) +
               (s->boxes - s->boxes_of_c) * fmax(s->in[A] + s->in[B], s->work);
    const double inners = (double)ashi_cut_boxes(cut, ashi_cut_inner(cut));
    const double outers = s->boxes / inners, batches = (double)ashi_cut_boxes(cut, ASHI_CUT_BATCH);
    if (inners == 1) /* the only box of a value of the batch stays */
        return batches * fmax(s->in[outer] + s->in[inner] + added, s->work) +
               (outers - batches) * fmax(s->in[outer] + added, s->work);
    return outers * fmax(s->in[outer] + s->in[inner] + added, s->work) +
           (s->boxes - outers) * fmax(s->in[inner] + added, s->work);
}

double ashi_onto_cut_seconds(const ashi_onto_cut *cut, const ashi_cut_terms *t)
{
    const step_seconds s = step_of(cut, t);
    const ashi_cut_figures f = ashi_onto_cut_figures(cut, t->adds);
    const double bytes = (double)ashi_type_word(cut->product.type);
    const double first = s.in[A] + s.in[B] + (t->adds ? s.in[C] : 0);
    if (!cut->overlaps)
        return (double)f.in * bytes / t->rates.in + (double)f.out * bytes / t->rates.out +
               s.boxes * (s.work - t->rates.delay) + (double)f.calls * t->rates.delay;
    return fmax(steps_seconds(cut, t, &s), s.boxes_of_c * s.out) + fmin(first, s.work) + s.out;
}

/* Take a cut that fits, if it is predicted to take less time than the best so far. */
static void try_cut(const ashi_onto_cut *one, const ashi_cut_terms *t, ashi_onto_cut *best, double *least)
{
    const double seconds = ashi_onto_cut_seconds(one, t);
    if (ashi_cut_held(one) > t->memory_words || seconds >= *least)
        return;
    *least = seconds;
    *best = *one;
}

/* Parts of the batch, of each value of which the matrices are whole. */
static void try_batches(const ashi_onto_cut *whole_values, const ashi_cut_terms *t, ashi_onto_cut *best, double *least)
{
    ashi_onto_cut one = *whole_values;
    const int64_t all = ashi_positions_of(&one.product.batch);
    for (int64_t pieces = 2; pieces <= PIECES && pieces <= all; pieces *= 2) {
        one.cut[ASHI_CUT_BATCH] = ashi_cut_fit(&one.product, ASHI_CUT_BATCH, ashi_ceil_div(all, pieces));
        try_cut(&one, t, best, least);
    }
}

/* Boxes of rows, columns and sums of one value of the batch. */
static void try_boxes(const ashi_onto_cut *start, const ashi_cut_terms *t, int64_t most, ashi_onto_cut *best,
                      double *least)
{
    const ashi_contraction *const p = &start->product;
    ashi_onto_cut one = *start;
    one.cut[ASHI_CUT_BATCH] = ashi_cut_fit(p, ASHI_CUT_BATCH, 1);
    one.cut[ASHI_CUT_ROWS] = ashi_cut_whole(p, ASHI_CUT_ROWS);
    do {
        one.cut[ASHI_CUT_COLS] = ashi_cut_whole(p, ASHI_CUT_COLS);
        do {
            const bool fits = ashi_cut_fit_sum(t->memory_words, &one);
            const int64_t longest = fits ? ashi_cut_positions(&one, ASHI_CUT_DEPTH) : 0;
            for (int64_t pieces = 1; pieces <= PIECES && pieces <= longest; pieces *= 2) {
                one.cut[ASHI_CUT_DEPTH] = ashi_cut_fit(p, ASHI_CUT_DEPTH, ashi_ceil_div(longest, pieces));
                for (one.outer = ASHI_CUT_ROWS; one.outer <= ASHI_CUT_COLS; one.outer++)
                    try_cut(&one, t, best, least);
            }
        } while (ashi_cut_shorten(p, ASHI_CUT_COLS, &one.cut[ASHI_CUT_COLS]) &&
                 ashi_mul_most(ashi_cut_boxes(&one, ASHI_CUT_ROWS), ashi_cut_boxes(&one, ASHI_CUT_COLS)) <= most);
    } while (ashi_cut_shorten(p, ASHI_CUT_ROWS, &one.cut[ASHI_CUT_ROWS]) &&
             ashi_cut_boxes(&one, ASHI_CUT_ROWS) <= most);
}

void ashi_onto_cut_overlap(ashi_onto_cut *cut, const ashi_cut_terms *t)
{
    ashi_onto_cut best = *cut, one = *cut;
    double least = ashi_onto_cut_seconds(cut, t);
    if (least < worth)
        return;
    one.overlaps = true;
    for (int x = A; x <= B; x++)
        one.buffers[x] = one.matrix[x].permuted ? 1 : 2;
    one.buffers[C] = 2;
    const bool whole_values = ashi_cut_boxes(cut, ASHI_CUT_ROWS) == 1 && ashi_cut_boxes(cut, ASHI_CUT_COLS) == 1 &&
                              ashi_cut_boxes(cut, ASHI_CUT_DEPTH) == 1;
    if (whole_values)
        try_batches(&one, t, &best, &least);
    const int64_t now = ashi_mul_most(ashi_cut_boxes(cut, ASHI_CUT_ROWS), ashi_cut_boxes(cut, ASHI_CUT_COLS));
    try_boxes(&one, t, ashi_add_most(ashi_mul_most(TIMES, now), BOXES), &best, &least);
    *cut = best;
}
