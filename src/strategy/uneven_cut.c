/* Which cut in layers, columns and boxes has the smallest faces: real numbers first, whole ones for the best. */
#include "strategy/uneven_fit.h"

#include "base/checked.h"
#include "base/wide.h"

#include <math.h>

enum { FITTED = 48 }; /* cuts that are brought to whole numbers */

static const double level = 1.01;  /* a largest box of so many times the mean is as good as an equal one, */
static const double uneven = 1.04; /* and saves this in words against a larger one */
static const double alike = 1.002; /* prices that are nearer than this are alike */
static const double apart = 1.005; /* so much sums of C that overlap partly may cost: k had better be cut last */

/* A cut by its counts, with the words of its largest faces if lengths were real numbers; thin slabs make them more. */
typedef struct sketch {
    double words;
    int axis[3];
    int64_t layers, columns[2];
} sketch;

/* What is cut, and in which order of axes. */
typedef struct subject {
    const int64_t *size; /* m, n, k */
    const int *axis;
    int64_t ranks;
    ashi_uneven_room room;
    double along[3]; /* the sizes in that order */
} subject;

/* The best sketches so far, best first. */
typedef struct album {
    int count;
    sketch at[FITTED];
} album;

static double worst(const album *a)
{
    return a->count == FITTED ? a->at[FITTED - 1].words : INFINITY;
}

static void keep(album *a, const sketch *s)
{
    if (s->words >= worst(a))
        return;
    int i = a->count < FITTED ? a->count++ : FITTED - 1;
    for (; i > 0 && a->at[i - 1].words > s->words; i--)
        a->at[i] = a->at[i - 1];
    a->at[i] = *s;
}

static ashi_uneven_kind kind_of(int64_t ranks, int64_t layers, bool more, int64_t columns)
{
    const int64_t longer = ranks % layers;
    return (ashi_uneven_kind){.layers = more ? longer : layers - longer, .ranks = ranks / layers + more,
                              .columns = columns};
}

/* The words of a box's faces, more where slabs are thin; or its memory, where that is to be least. */
static double words_of_box(const subject *s, double thickness, double y, double z)
{
    const double size[3] = {(double)s->size[0], (double)s->size[1], (double)s->size[2]};
    const double along[3] = {thickness, y, z}, words = thickness * (y + z) + y * z;
    const bool layered = s->axis[0] != 2;
    double side[3];
    for (int d = 0; d < 3; d++)
        side[s->axis[d]] = along[d];
    if (s->room.words == ASHI_UNEVEN_LEAST)
        return ashi_uneven_need(&s->room, layered, size, (double)s->ranks, side);
    return s->room.words == 0 ? words : words * ashi_uneven_thinness(&s->room, layered, size, (double)s->ranks, side);
}

/* The largest faces in a layer of this kind; INFINITY where they do not fit, or a column would have more boxes than
 * elements. */
static double words_of(const subject *s, const ashi_uneven_kind *kind, double thickness)
{
    const double *size = s->along;
    double words = 0;
    for (int more = 0; more < 2; more++) {
        const double stack = (double)ashi_uneven_stack(kind, more);
        if (ashi_uneven_columns(kind, more) == 0)
            continue;
        if (stack > size[2])
            return INFINITY;
        const double y = size[1] * stack / (double)kind->ranks, z = size[2] / stack;
        words = fmax(words, words_of_box(s, thickness, y, z));
    }
    return words;
}

/* The best number of columns for layers of one kind; returns the words, INFINITY where there is none or all have more
 * than `most`. */
static double choose_columns(const subject *s, ashi_uneven_kind *kind, double most)
{
    const double *size = s->along;
    const double thickness = size[0] * (double)kind->ranks / (double)s->ranks;
    const double area = size[1] * size[2] / (double)kind->ranks;
    double best = INFINITY;
    int64_t columns = 0;
    if (kind->layers == 0)
        return 0;
    if (s->room.words != ASHI_UNEVEN_LEAST && 2 * thickness * sqrt(area) + area > most)
        return INFINITY;
    const int64_t widths = size[1] < (double)kind->ranks ? (int64_t)size[1] : kind->ranks;
    for (kind->columns = 1; kind->columns <= widths; kind->columns++) {
        const double words = words_of(s, kind, thickness);
        if (words < best) {
            best = words;
            columns = kind->columns;
        }
    }
    kind->columns = columns;
    return best;
}

static void sketch_axes(const subject *of, album *a)
{
    const int *axis = of->axis;
    for (int64_t layers = 1; layers <= ashi_min(of->ranks, of->size[axis[0]]); layers++) {
        sketch s = {.axis = {axis[0], axis[1], axis[2]}, .layers = layers};
        for (int u = 0; u < 2 && s.words < worst(a); u++) {
            ashi_uneven_kind kind = kind_of(of->ranks, layers, u == 0, 1);
            s.words = fmax(s.words, choose_columns(of, &kind, worst(a)));
            s.columns[u] = kind.columns;
        }
        keep(a, &s);
    }
}

/* Two orders of axes are one where the sizes along them are the same; the earlier one is then taken. */
static bool is_new(const int64_t size[3], int order, const int orders[6][3])
{
    for (int earlier = 0; earlier < order; earlier++) {
        bool same = true;
        for (int d = 0; d < 3; d++)
            same = same && size[orders[earlier][d]] == size[orders[order][d]];
        if (same)
            return false;
    }
    return true;
}

static ashi_uneven_cut fitted(const int64_t size[3], int64_t ranks, const ashi_uneven_room *room, const sketch *s)
{
    ashi_uneven_cut cut = {.axis = {s->axis[0], s->axis[1], s->axis[2]}, .ranks = ranks, .room = *room};
    for (int d = 0; d < 3; d++)
        cut.size[d] = size[s->axis[d]];
    for (int u = 0; u < 2; u++)
        cut.kind[u] = kind_of(ranks, s->layers, u == 0, s->columns[u]);
    ashi_uneven_fit(&cut);
    return cut;
}

/* Words that the busiest rank receives, more where boxes are not level or have room for thin slabs only. */
static double price(const ashi_uneven_cut *cut)
{
    if (cut->room.words == ASHI_UNEVEN_LEAST)
        return cut->need;
    const double x = (double)cut->size[0], y = (double)cut->size[1], z = (double)cut->size[2];
    const double share = (x * y + x * z + y * z) / (double)cut->ranks;
    const double above = cut->volume * (double)cut->ranks / (x * y * z) / level;
    return (cut->words - share) * (above > 1 ? uneven * above : 1) * (cut->axis[2] == 2 ? 1 : apart) *
           cut->thinness;
}

/* All that fit; all there are where none does. */
static void sketch_all(const int64_t size[3], int64_t ranks, const ashi_uneven_room *room, album *a)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}};
    for (int order = 0; order < 6; order++) {
        subject s = {.size = size, .axis = orders[order], .ranks = ranks, .room = *room};
        for (int d = 0; d < 3; d++)
            s.along[d] = (double)size[s.axis[d]];
        if (room->words != 0 || is_new(size, order, orders))
            sketch_axes(&s, a);
    }
    const ashi_uneven_room unlimited = {0, room->window, room->once};
    if (a->count == 0 && room->words > 0)
        sketch_all(size, ranks, &unlimited, a);
}

/* Whether a cut is better. If memory is limited shares are shifted until ranks receive alike, as far as there is room:
 * of two whose busiest ranks do about the same the one that moves less in all is. */
static bool is_better(const ashi_uneven_cut *cut, const ashi_uneven_cut *than)
{
    const double own = price(cut), other = price(than);
    if (cut->room.words <= 0 || own > alike * other || other > alike * own)
        return own < other;
    return cut->mean < than->mean;
}

void ashi_uneven_search(const int64_t size[3], int64_t ranks, const ashi_uneven_room *room, ashi_uneven_cut *out)
{
    const ashi_wide elements = (ashi_wide)size[0] * size[1] * size[2];
    const int64_t boxes = elements < ranks ? (int64_t)elements : ranks;
    album a = {0};
    sketch_all(size, boxes, room, &a);
    *out = fitted(size, boxes, room, &a.at[0]);
    for (int i = 1; i < a.count; i++) {
        const ashi_uneven_cut cut = fitted(size, boxes, room, &a.at[i]);
        if (is_better(&cut, out))
            *out = cut;
    }
}

/* Where interval number i begins of some that are `first` long together and others that share the rest. */
static int64_t begin_of(int64_t all, int64_t first, int64_t count, int64_t others, int64_t i)
{
    return i <= count && count > 0 ? ashi_cut(first, count, i) : first + ashi_cut(all - first, others, i - count);
}

static void set_range(ashi_cuboid *box, int axis, int64_t lo, int64_t hi)
{
    box->lo[axis] = lo;
    box->hi[axis] = hi;
}

/* The boxes of one layer; returns how many. */
static int64_t layer_boxes(const ashi_uneven_cut *cut, const ashi_uneven_kind *kind, int64_t lo, int64_t hi,
                           ashi_cuboid *box)
{
    const int64_t more = ashi_uneven_columns(kind, true), others = ashi_uneven_columns(kind, false);
    int64_t n = 0;
    for (int64_t c = 0; c < kind->columns; c++) {
        const int64_t stack = ashi_uneven_stack(kind, c < more);
        for (int64_t i = 0; i < stack; i++, n++) {
            set_range(&box[n], cut->axis[0], lo, hi);
            set_range(&box[n], cut->axis[1], begin_of(cut->size[1], kind->width, more, others, c),
                      begin_of(cut->size[1], kind->width, more, others, c + 1));
            set_range(&box[n], cut->axis[2], ashi_cut(cut->size[2], stack, i), ashi_cut(cut->size[2], stack, i + 1));
        }
    }
    return n;
}

void ashi_uneven_boxes(const ashi_uneven_cut *cut, ashi_cuboid *box)
{
    const ashi_uneven_kind *kind = cut->kind;
    int64_t n = 0;
    for (int64_t i = 0; i < kind[0].layers + kind[1].layers; i++) {
        const int64_t lo = begin_of(cut->size[0], kind[0].thickness, kind[0].layers, kind[1].layers, i);
        const int64_t hi = begin_of(cut->size[0], kind[0].thickness, kind[0].layers, kind[1].layers, i + 1);
        n += layer_boxes(cut, &kind[i >= kind[0].layers], lo, hi, &box[n]);
    }
}
