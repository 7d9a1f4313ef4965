/* How a contraction is cut for a device: orders of indices, boxes, and the words that these take. */
#include "exec/onto_cut_boxes.h"

#include "base/checked.h"
#include "base/type.h"
#include "kernel/contraction_groups.h"
#include "kernel/positions.h"

enum { A, B, C, ORDERS = 8 };

const int ashi_cut_sides[3][2] = {
    {ASHI_CUT_ROWS, ASHI_CUT_DEPTH}, {ASHI_CUT_COLS, ASHI_CUT_DEPTH}, {ASHI_CUT_ROWS, ASHI_CUT_COLS}};

const ashi_stride_group *ashi_cut_group(const ashi_contraction *p, int group)
{
    const ashi_stride_group *const groups[ASHI_CUT_GROUPS] = {&p->rows, &p->cols, &p->depth, &p->batch};
    return groups[group];
}

const ashi_index *ashi_cut_index(const ashi_contraction *p, ashi_cut_axis axis)
{
    return &ashi_cut_group(p, axis.group)->index[axis.index];
}

/* ---- orders ---- */

static void list_group(const ashi_contraction *p, int group, int matrix, ashi_cut_matrix *out)
{
    const ashi_stride_group *const g = ashi_cut_group(p, group);
    for (int i = 0; i < g->count; i++) {
        int at = out->count++;
        for (; at > 0 && ashi_cut_index(p, out->axis[at - 1])->stride[matrix] > g->index[i].stride[matrix]; at--)
            out->axis[at] = out->axis[at - 1];
        out->axis[at] = (ashi_cut_axis){group, i};
    }
}

/* Whether the indices of both sides follow one another in their order, one side from the first position on if there are
 * two: that is a matrix with a leading dimension for each value of the batch. */
static bool is_matrix(const ashi_contraction *p, int matrix, const ashi_cut_matrix *m, bool *first_minor)
{
    const int *const side = ashi_cut_sides[matrix];
    const int count[2] = {ashi_cut_group(p, side[0])->count, ashi_cut_group(p, side[1])->count};
    int next[2] = {0, 0}, last = ASHI_CUT_GROUPS, fastest = -1;
    for (int i = 0; i < m->count; i++) {
        const ashi_cut_axis x = m->axis[i];
        const int s = x.group == side[0] ? 0 : 1;
        if (x.group != ASHI_CUT_BATCH) {
            if (x.index != next[s] || (next[s] > 0 && last != x.group))
                return false;
            next[s]++;
            if (fastest < 0 && i > 0 && count[1 - s] > 0)
                return false;
            fastest = fastest < 0 ? s : fastest;
        }
        last = x.group;
    }
    *first_minor = count[0] == 0 || (count[1] > 0 && fastest == 0);
    return true;
}

/* A matrix is conjugated where it is transposed anyway; else as it is permuted. */
static bool is_conjugated_well(const ashi_onto_cut *cut, int matrix)
{
    const bool left = (matrix == A) == cut->matrix[C].first_minor;
    return left ? !cut->matrix[matrix].first_minor : cut->matrix[matrix].first_minor;
}

static bool conjugates(const ashi_contraction *p, int matrix)
{
    return matrix != C && (matrix == A ? p->conjugate_a : p->conjugate_b) && ashi_type_of(p->type)->complex;
}

/* Words that are permuted if indices are ordered as in `out`. */
static int64_t find_matrices(ashi_onto_cut *out)
{
    static const int order[3] = {C, A, B}; /* C's says how the others are multiplied */
    const ashi_contraction *const p = &out->product;
    int64_t permuted = 0;
    for (int i = 0; i < 3; i++) {
        const int x = order[i];
        ashi_cut_matrix *const m = &out->matrix[x];
        int64_t words = ashi_positions_of(&p->batch);
        *m = (ashi_cut_matrix){0};
        for (int s = 0; s < 2; s++) {
            list_group(p, ashi_cut_sides[x][s], x, m);
            words = ashi_mul_most(words, ashi_positions_of(ashi_cut_group(p, ashi_cut_sides[x][s])));
        }
        list_group(p, ASHI_CUT_BATCH, x, m);
        m->permuted = !is_matrix(p, x, m, &m->first_minor) || (conjugates(p, x) && !is_conjugated_well(out, x));
        m->first_minor = m->permuted || m->first_minor;
        permuted = ashi_add_most(permuted, m->permuted ? words : 0);
    }
    return permuted;
}

/* Of the orders that the matrices have their indices in, those with which the fewest words are permuted. */
static void choose_orders(const ashi_contraction *product, ashi_onto_cut *out)
{
    int64_t fewest = INT64_MAX;
    for (int way = 0; way < ORDERS; way++) {
        ashi_onto_cut one = {.product = *product};
        ashi_contraction *const p = &one.product;
        ashi_group_order(&p->rows, way & 1 ? A : C, way & 1 ? C : A);
        ashi_group_order(&p->cols, way & 2 ? B : C, way & 2 ? C : B);
        ashi_group_order(&p->depth, way & 4 ? B : A, way & 4 ? A : B);
        ashi_group_order(&p->batch, C, A);
        ashi_group_join(&p->rows), ashi_group_join(&p->cols), ashi_group_join(&p->depth), ashi_group_join(&p->batch);
        const int64_t permuted = find_matrices(&one);
        if (permuted < fewest) {
            fewest = permuted;
            *out = one;
        }
    }
}

/* Whether both matrices that are to have an index do, and all of a matrix's indices can be listed. */
static bool is_product(const ashi_contraction *p)
{
    static const int in[ASHI_CUT_GROUPS][3] = {{A, C, C}, {B, C, C}, {A, B, B}, {A, B, C}};
    int all = 0;
    for (int g = 0; g < ASHI_CUT_GROUPS; g++) {
        const ashi_stride_group *const group = ashi_cut_group(p, g);
        all += group->count;
        for (int i = 0; i < group->count; i++)
            for (int x = 0; x < 3; x++)
                if (group->index[i].extent > 1 && group->index[i].stride[in[g][x]] == 0)
                    return false;
    }
    return all <= ASHI_CONTRACTION_INDICES;
}

/* ---- boxes ---- */

int64_t ashi_cut_positions(const ashi_onto_cut *cut, int group)
{
    const ashi_stride_group *const g = ashi_cut_group(&cut->product, group);
    int64_t positions = cut->cut[group].length;
    for (int i = 0; i < cut->cut[group].index; i++)
        positions = ashi_mul_most(positions, g->index[i].extent);
    return positions;
}

int64_t ashi_cut_boxes(const ashi_onto_cut *cut, int group)
{
    const ashi_stride_group *const g = ashi_cut_group(&cut->product, group);
    const ashi_group_cut c = cut->cut[group];
    int64_t boxes = g->count > 0 ? ashi_ceil_div(g->index[c.index].extent, c.length) : 1;
    for (int i = c.index + 1; i < g->count; i++)
        boxes = ashi_mul_most(boxes, g->index[i].extent);
    return boxes;
}

void ashi_cut_box_of(const ashi_onto_cut *cut, int group, int64_t number, ashi_cut_box *box)
{
    const ashi_stride_group *const g = ashi_cut_group(&cut->product, group);
    const ashi_group_cut c = cut->cut[group];
    for (int i = 0; i < g->count; i++) {
        const int64_t all = g->index[i].extent, length = i < c.index ? all : i == c.index ? c.length : 1;
        const int64_t pieces = ashi_ceil_div(all, length);
        box->from[group][i] = number % pieces * length;
        box->extent[group][i] = ashi_min(length, all - box->from[group][i]);
        number /= pieces;
    }
}

int ashi_cut_inner(const ashi_onto_cut *cut)
{
    return cut->outer == ASHI_CUT_ROWS ? ASHI_CUT_COLS : ASHI_CUT_ROWS;
}

void ashi_cut_box_of_c(const ashi_onto_cut *cut, int64_t batch, int64_t outer, int64_t inner, ashi_cut_box *box)
{
    ashi_cut_box_of(cut, ASHI_CUT_BATCH, batch, box);
    ashi_cut_box_of(cut, cut->outer, outer, box);
    ashi_cut_box_of(cut, ashi_cut_inner(cut), inner, box);
}

int64_t ashi_cut_box_begin(const ashi_onto_cut *cut, const ashi_cut_box *box, int matrix)
{
    const ashi_cut_matrix *const m = &cut->matrix[matrix];
    int64_t at = 0;
    for (int i = 0; i < m->count; i++)
        at += box->from[m->axis[i].group][m->axis[i].index] *
              ashi_cut_index(&cut->product, m->axis[i])->stride[matrix];
    return at;
}

int64_t ashi_cut_box_positions(const ashi_onto_cut *cut, const ashi_cut_box *box, int group)
{
    int64_t positions = 1;
    for (int i = 0; i < ashi_cut_group(&cut->product, group)->count; i++)
        positions *= box->extent[group][i];
    return positions;
}

int64_t ashi_cut_box_words(const ashi_onto_cut *cut, const ashi_cut_box *box, int matrix)
{
    const int *const side = ashi_cut_sides[matrix];
    return ashi_cut_box_positions(cut, box, side[0]) * ashi_cut_box_positions(cut, box, side[1]) *
           ashi_cut_box_positions(cut, box, ASHI_CUT_BATCH);
}

/* ---- words ---- */

int64_t ashi_cut_places(const ashi_onto_cut *cut, int matrix)
{
    return cut->buffers[matrix] + (cut->matrix[matrix].permuted ? 1 : 0);
}

int64_t ashi_cut_held(const ashi_onto_cut *cut)
{
    int64_t held = 0;
    for (int x = 0; x < 3; x++) {
        int64_t words = ashi_cut_positions(cut, ASHI_CUT_BATCH);
        for (int s = 0; s < 2; s++)
            words = ashi_mul_most(words, ashi_cut_positions(cut, ashi_cut_sides[x][s]));
        held = ashi_add_most(held, ashi_mul_most(words, ashi_cut_places(cut, x)));
    }
    return held;
}

ashi_cut_figures ashi_onto_cut_figures(const ashi_onto_cut *cut, bool adds)
{
    int64_t all[ASHI_CUT_GROUPS], boxes[ASHI_CUT_GROUPS], words[3], times[3];
    for (int g = 0; g < ASHI_CUT_GROUPS; g++) {
        all[g] = ashi_positions_of(ashi_cut_group(&cut->product, g));
        boxes[g] = ashi_cut_boxes(cut, g);
    }
    for (int x = 0; x < 3; x++)
        words[x] = ashi_mul_most(ashi_mul_most(all[ashi_cut_sides[x][0]], all[ashi_cut_sides[x][1]]),
                                 all[ASHI_CUT_BATCH]);
    const int outer = cut->outer == ASHI_CUT_ROWS ? A : B, inner = 1 - outer; /* whose sides these are */
    const int64_t outers = boxes[ashi_cut_sides[outer][0]], inners = boxes[ashi_cut_sides[inner][0]];
    const bool whole = boxes[ASHI_CUT_DEPTH] == 1;
    times[outer] = whole ? 1 : inners; /* a box that is on the device is not copied again */
    times[inner] = whole && inners == 1 ? 1 : outers;
    const int64_t of_c = ashi_mul_most(ashi_mul_most(outers, inners), boxes[ASHI_CUT_BATCH]);
    const int64_t copies = ashi_add_most(ashi_mul_most(words[A], times[A]), ashi_mul_most(words[B], times[B]));
    return (ashi_cut_figures){.in = ashi_add_most(copies, adds ? words[C] : 0), .out = words[C],
                              .held = ashi_cut_held(cut),
                              .calls = ashi_mul_most(ashi_mul_most(of_c, boxes[ASHI_CUT_DEPTH]), adds ? 5 : 4)};
}

/* ---- the choice ---- */

ashi_group_cut ashi_cut_whole(const ashi_contraction *p, int group)
{
    const ashi_stride_group *const g = ashi_cut_group(p, group);
    return g->count > 0 ? (ashi_group_cut){g->count - 1, g->index[g->count - 1].extent} : (ashi_group_cut){0, 1};
}

bool ashi_cut_shorten(const ashi_contraction *p, int group, ashi_group_cut *cut)
{
    const ashi_stride_group *const g = ashi_cut_group(p, group);
    while (cut->length == 1 && cut->index > 0) {
        cut->index--;
        cut->length = g->index[cut->index].extent;
    }
    if (cut->length == 1)
        return false;
    const int64_t extent = g->index[cut->index].extent, pieces = ashi_ceil_div(extent, cut->length);
    cut->length = ashi_min(cut->length - 1, ashi_ceil_div(extent, ashi_max(pieces + 1, pieces + pieces / 8)));
    return true;
}

ashi_group_cut ashi_cut_fit(const ashi_contraction *p, int group, int64_t most)
{
    const ashi_stride_group *const g = ashi_cut_group(p, group);
    ashi_group_cut cut = {0, 1};
    int64_t before = 1;
    if (g->count == 0)
        return cut;
    for (; cut.index < g->count - 1 && ashi_mul_most(before, g->index[cut.index].extent) <= most; cut.index++)
        before *= g->index[cut.index].extent;
    const int64_t extent = g->index[cut.index].extent;
    cut.length = ashi_ceil_div(extent, ashi_ceil_div(extent, ashi_min(extent, most / before)));
    return cut;
}

bool ashi_cut_fit_sum(int64_t memory_words, ashi_onto_cut *cut)
{
    const int64_t rows = ashi_cut_positions(cut, ASHI_CUT_ROWS), cols = ashi_cut_positions(cut, ASHI_CUT_COLS);
    const int64_t left = memory_words - ashi_mul_most(ashi_mul_most(rows, cols), ashi_cut_places(cut, C));
    const int64_t each = ashi_add_most(ashi_mul_most(rows, ashi_cut_places(cut, A)),
                                       ashi_mul_most(cols, ashi_cut_places(cut, B)));
    if (left < each)
        return false;
    cut->cut[ASHI_CUT_DEPTH] = ashi_cut_fit(&cut->product, ASHI_CUT_DEPTH, left / each);
    return true;
}

/* The boxes of rows, columns and the sum, of one value of the batch, that copy the fewest words. */
static bool choose_boxes(int64_t memory_words, ashi_onto_cut *out)
{
    const ashi_contraction *const p = &out->product;
    ashi_onto_cut one = *out;
    int64_t fewest = INT64_MAX;
    one.cut[ASHI_CUT_BATCH] = ashi_cut_fit(p, ASHI_CUT_BATCH, 1);
    one.cut[ASHI_CUT_ROWS] = ashi_cut_whole(p, ASHI_CUT_ROWS);
    do {
        one.cut[ASHI_CUT_COLS] = ashi_cut_whole(p, ASHI_CUT_COLS);
        do {
            const bool fits = ashi_cut_fit_sum(memory_words, &one);
            for (one.outer = ASHI_CUT_ROWS; fits && one.outer <= ASHI_CUT_COLS; one.outer++) {
                const ashi_cut_figures f = ashi_onto_cut_figures(&one, true);
                if (ashi_add_most(f.in, f.out) < fewest) {
                    fewest = ashi_add_most(f.in, f.out);
                    *out = one;
                }
            }
        } while (ashi_cut_shorten(p, ASHI_CUT_COLS, &one.cut[ASHI_CUT_COLS]));
    } while (ashi_cut_shorten(p, ASHI_CUT_ROWS, &one.cut[ASHI_CUT_ROWS]));
    return fewest < INT64_MAX;
}

bool ashi_onto_cut_make(const ashi_contraction *product, int64_t memory_words, ashi_onto_cut *out, int64_t *least)
{
    *least = 0;
    if (!is_product(product))
        return false;
    choose_orders(product, out);
    out->outer = ASHI_CUT_ROWS;
    for (int x = 0; x < 3; x++)
        out->buffers[x] = 1;
    for (int g = 0; g < ASHI_CUT_GROUPS; g++)
        out->cut[g] = ashi_cut_whole(&out->product, g);
    const int64_t all = ashi_cut_held(out), value = all / ashi_cut_positions(out, ASHI_CUT_BATCH);
    if (value <= memory_words && all < INT64_MAX) {
        /* whole matrices of a part of the batch: each word is copied once */
        out->cut[ASHI_CUT_BATCH] = ashi_cut_fit(&out->product, ASHI_CUT_BATCH, memory_words / value);
        return true;
    }
    if (choose_boxes(memory_words, out))
        return true;
    for (int x = 0; x < 3; x++)
        *least += ashi_cut_places(out, x);
    return false;
}
