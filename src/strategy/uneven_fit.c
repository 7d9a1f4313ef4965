/* Whole numbers for a cut in layers, columns and boxes: the smallest largest box, found by bisection. */
#include "strategy/uneven_fit.h"

#include "base/checked.h"
#include "base/wide.h"

#include <math.h>

int64_t ashi_uneven_columns(const ashi_uneven_kind *kind, bool more)
{
    const int64_t longer = kind->ranks % kind->columns;
    return more ? longer : kind->columns - longer;
}

int64_t ashi_uneven_stack(const ashi_uneven_kind *kind, bool more)
{
    return kind->ranks / kind->columns + more;
}

/* The height of the tallest box of a column. */
static int64_t height(const ashi_uneven_cut *cut, const ashi_uneven_kind *kind, bool more)
{
    return ashi_ceil_div(cut->size[2], ashi_uneven_stack(kind, more));
}

/* How wide a column may be if its boxes are to have at most `volume` elements. */
static int64_t widest(const ashi_uneven_cut *cut, const ashi_uneven_kind *kind, bool more, ashi_wide volume,
                      int64_t thickness)
{
    const ashi_wide across = (ashi_wide)thickness * height(cut, kind, more);
    if (volume <= INT64_MAX && across <= INT64_MAX) /* mostly: one division of the processor's */
        return ashi_min((int64_t)volume / (int64_t)across, cut->size[1]);
    const ashi_wide w = volume / across;
    return w < cut->size[1] ? (int64_t)w : cut->size[1];
}

/* Whether columns that wide fill a layer. */
static bool columns_fill(const ashi_uneven_cut *cut, const ashi_uneven_kind *kind, ashi_wide volume, int64_t thickness)
{
    ashi_wide filled = 0;
    for (int more = 0; more < 2; more++) {
        const int64_t columns = ashi_uneven_columns(kind, more), w = widest(cut, kind, more, volume, thickness);
        if (columns > 0 && w == 0)
            return false;
        filled += (ashi_wide)columns * w;
    }
    return filled >= cut->size[1];
}

/* How thick a layer may be; 0 where even 1 is too much. */
static int64_t thickest(const ashi_uneven_cut *cut, const ashi_uneven_kind *kind, ashi_wide volume)
{
    int64_t does = 0, fails = cut->size[0] + 1;
    while (fails - does > 1) {
        const int64_t middle = does + (fails - does) / 2;
        if (columns_fill(cut, kind, volume, middle))
            does = middle;
        else
            fails = middle;
    }
    return does;
}

static bool layers_fill(const ashi_uneven_cut *cut, ashi_wide volume)
{
    ashi_wide filled = 0;
    for (int u = 0; u < 2; u++) {
        const ashi_uneven_kind *kind = &cut->kind[u];
        const int64_t t = kind->layers > 0 ? thickest(cut, kind, volume) : 0;
        if (kind->layers > 0 && t == 0)
            return false;
        filled += (ashi_wide)kind->layers * t;
    }
    return filled >= cut->size[0];
}

/* The least volume of the largest box, to one part in some ten thousand. */
static ashi_wide least_volume(const ashi_uneven_cut *cut)
{
    const ashi_wide all = (ashi_wide)cut->size[0] * cut->size[1] * cut->size[2], mean = all / cut->ranks;
    ashi_wide fails = mean - 1, step = mean / 1024 + 1, does = mean + step;
    while (!layers_fill(cut, does)) {
        fails = does;
        step *= 2;
        does = does + step < all ? does + step : all;
    }
    while (does - fails > 1 + mean / 16384) {
        const ashi_wide middle = fails + (does - fails) / 2;
        if (layers_fill(cut, middle))
            does = middle;
        else
            fails = middle;
    }
    return does;
}

/* Of two sorts of interval that together are `all` long, at least 1 and at most so much each: what the first sort gets,
 * as near to its weight as may be. */
static int64_t first_of(int64_t all, const int64_t count[2], const int64_t most[2], const int64_t weight[2])
{
    const double first = (double)count[0] * (double)weight[0], second = (double)count[1] * (double)weight[1];
    const int64_t wanted = (int64_t)llround((double)all * (first / (first + second)));
    const ashi_wide below = (ashi_wide)all - (ashi_wide)count[1] * most[1], above = (ashi_wide)count[0] * most[0];
    const int64_t lo = below > count[0] ? (int64_t)below : count[0];
    const int64_t hi = above < all - count[1] ? (int64_t)above : all - count[1];
    return ashi_max(lo, ashi_min(hi, wanted));
}

static void share_thickness(ashi_uneven_cut *cut, ashi_wide volume)
{
    int64_t count[2], most[2] = {0, 0}, weight[2];
    for (int u = 0; u < 2; u++) {
        count[u] = cut->kind[u].layers;
        weight[u] = cut->kind[u].ranks;
        if (count[u] > 0)
            most[u] = thickest(cut, &cut->kind[u], volume);
    }
    cut->kind[0].thickness = first_of(cut->size[0], count, most, weight);
    cut->kind[1].thickness = cut->size[0] - cut->kind[0].thickness;
}

/* Raise what the cut's boxes are and need to what these `boxes` are and need. */
static void include(ashi_uneven_cut *cut, double boxes, double x, double y, double z)
{
    const double along[3] = {x, y, z}, ranks = (double)cut->ranks;
    const bool layered = cut->axis[0] != 2;
    double size[3], side[3];
    for (int d = 0; d < 3; d++) {
        size[cut->axis[d]] = (double)cut->size[d];
        side[cut->axis[d]] = along[d];
    }
    cut->volume = fmax(cut->volume, x * y * z);
    cut->words = fmax(cut->words, x * y + x * z + y * z);
    cut->mean += boxes / ranks * (x * y + x * z + y * z);
    cut->thinness = fmax(cut->thinness, ashi_uneven_thinness(&cut->room, layered, size, ranks, side));
    cut->need = fmax(cut->need, ashi_uneven_need(&cut->room, layered, size, ranks, side));
}

/* Includes the kind's largest boxes. */
static void share_width(ashi_uneven_cut *cut, ashi_uneven_kind *kind, ashi_wide volume)
{
    const int64_t t = ashi_ceil_div(kind->thickness, kind->layers);
    int64_t count[2], most[2], weight[2];
    for (int s = 0; s < 2; s++) {
        count[s] = ashi_uneven_columns(kind, s == 0);
        weight[s] = ashi_uneven_stack(kind, s == 0);
        most[s] = widest(cut, kind, s == 0, volume, t);
    }
    kind->width = first_of(cut->size[1], count, most, weight);
    for (int s = 0; s < 2; s++) {
        if (count[s] == 0)
            continue;
        const double x = (double)t, z = (double)height(cut, kind, s == 0);
        const double y = (double)ashi_ceil_div(s == 0 ? kind->width : cut->size[1] - kind->width, count[s]);
        include(cut, (double)(kind->layers * count[s] * ashi_uneven_stack(kind, s == 0)), x, y, z);
    }
}

void ashi_uneven_fit(ashi_uneven_cut *cut)
{
    const ashi_wide volume = least_volume(cut);
    cut->volume = cut->words = cut->mean = cut->thinness = cut->need = 0;
    share_thickness(cut, volume);
    for (int u = 0; u < 2; u++)
        if (cut->kind[u].layers > 0)
            share_width(cut, &cut->kind[u], volume);
}
