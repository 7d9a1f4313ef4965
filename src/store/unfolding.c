/* Arrays of any number of dimensions seen as matrices. */
#include "store/unfolding.h"

#include "base/checked.h"

int64_t ashi_unfolding_extent(const ashi_unfolding_side *side)
{
    int64_t all = 1;
    for (int i = 0; i < side->count; i++)
        all = ashi_mul_most(all, side->index[i].extent);
    return all;
}

ashi_unfolding_part ashi_unfolding_part_at(const ashi_unfolding_side *side, int64_t at, int64_t end)
{
    ashi_unfolding_part part = {0, 0, 1, 1};
    int64_t whole = 1; /* positions of all indices before `level` */
    for (int level = 0; level < side->count; level++) {
        const int64_t extent = side->index[level].extent;
        if (at % whole != 0 || end - at < whole)
            break;
        const int64_t value = at / whole % extent, count = ashi_min(extent - value, (end - at) / whole);
        part = (ashi_unfolding_part){level, value, count, count * whole};
        whole *= extent;
    }
    return part;
}

/* ---- boxes ---- */

/* Whether neighbours along an index are neighbours along one dimension. */
static bool runs_along_one(const ashi_unfolding_index *index)
{
    return index->dimensions != 0 && (index->dimensions & (index->dimensions - 1)) == 0 && index->step == 1;
}

/* An index whose values are visited one by one. */
typedef struct single {
    uint64_t dimensions;
    int64_t step, count, stride, now;
} single;

/* What the two parts of a box are put together to. */
typedef struct gathering {
    ashi_array_box box;
    int64_t at;
    single single[2 * ASHI_DIMENSIONS_MAX];
    int singles;
} gathering;

static void shift(gathering *g, uint64_t dimensions, int64_t by)
{
    for (int d = 0; d < g->box.order; d++)
        if (dimensions >> d & 1)
            g->box.from[d] += by;
}

/* Values from .. from + count - 1 of an index. */
static void gather_index(gathering *g, const ashi_unfolding_index *index, int64_t from, int64_t count, int64_t stride)
{
    shift(g, index->dimensions, from * index->step);
    if (count == 1)
        return;
    if (!runs_along_one(index)) {
        g->single[g->singles++] = (single){index->dimensions, index->step, count, stride, 0};
        return;
    }
    int d = 0;
    while (!(index->dimensions >> d & 1))
        d++;
    g->box.extent[d] = count;
    g->box.stride[d] = stride;
}

static void gather_part(gathering *g, const ashi_unfolding_side *side, const ashi_unfolding_part *part, int64_t at,
                        int64_t stride)
{
    int64_t whole = 1;
    for (int i = 0; i < side->count; i++) {
        const ashi_unfolding_index *index = &side->index[i];
        if (i < part->level)
            gather_index(g, index, 0, index->extent, stride * whole);
        else
            gather_index(g, index, at / whole % index->extent, i == part->level ? part->count : 1, stride * whole);
        whole *= index->extent;
    }
}

/* Go on to the next values of single indices; false after the last. */
static bool step(gathering *g)
{
    for (int i = 0; i < g->singles; i++) {
        single *s = &g->single[i];
        const bool more = s->now + 1 < s->count;
        const int64_t by = more ? 1 : -s->now;
        s->now += by;
        g->at += by * s->stride;
        shift(g, s->dimensions, by * s->step);
        if (more)
            return true;
    }
    return false;
}

static void begin(const ashi_unfolding *view, gathering *g)
{
    g->box.order = view->order;
    g->singles = 0;
    g->at = 0;
    for (int d = 0; d < view->order; d++) {
        g->box.from[d] = view->from[d];
        g->box.extent[d] = 1;
        g->box.stride[d] = 0;
    }
}

ashlar_status ashi_unfolding_boxes(const ashi_unfolding *view, const ashi_unfolding_box *box,
                                   ashi_unfolding_visit visit, void *context, ashlar_error *err)
{
    const int64_t row_end = box->from[0] + box->extent[0], col_end = box->from[1] + box->extent[1];
    ashlar_status status = ASHLAR_OK;
    gathering g;
    ashi_unfolding_part row, col;
    for (int64_t i = box->from[0]; i < row_end && status == ASHLAR_OK; i += row.positions) {
        row = ashi_unfolding_part_at(&view->side[0], i, row_end);
        for (int64_t j = box->from[1]; j < col_end && status == ASHLAR_OK; j += col.positions) {
            col = ashi_unfolding_part_at(&view->side[1], j, col_end);
            begin(view, &g);
            gather_part(&g, &view->side[0], &row, i, box->stride[0]);
            gather_part(&g, &view->side[1], &col, j, box->stride[1]);
            g.at = (i - box->from[0]) * box->stride[0] + (j - box->from[1]) * box->stride[1];
            do
                status = visit(context, &g.box, g.at, err);
            while (status == ASHLAR_OK && step(&g));
        }
    }
    return status;
}

/* ---- how it lies ---- */

int64_t ashi_unfolding_stride(const ashi_unfolding *view, const ashi_unfolding_index *index)
{
    int64_t stride = 0;
    for (int d = 0; d < view->order; d++)
        stride += index->dimensions >> d & 1 ? view->stride[d] * index->step : 0;
    return stride;
}

void ashi_unfolding_levels(const ashi_unfolding *view, int side, int to, ashi_file_levels *out)
{
    for (int i = 0; i < view->side[side].count; i++) {
        const ashi_unfolding_index *index = &view->side[side].index[i];
        ashi_file_levels_add(out, to, index->extent, ashi_unfolding_stride(view, index));
    }
}

/* Add an index to a side, as more values of the last one if it continues that. False if there is no room. */
static bool add_joined(ashi_unfolding *view, ashi_unfolding_side *side, int64_t extent, int64_t stride)
{
    ashi_unfolding_index *last = side->count > 0 ? &side->index[side->count - 1] : NULL;
    if (extent == 1)
        return true;
    if (last && last->dimensions != 0 && stride == view->stride[view->order - 1] * last->extent) {
        last->extent *= extent;
        return true;
    }
    if (stride != 0 && view->order == ASHI_DIMENSIONS_MAX)
        return false;
    side->index[side->count++] = (ashi_unfolding_index){extent, stride == 0 ? 0 : UINT64_C(1) << view->order, 1};
    if (stride != 0)
        view->stride[view->order++] = stride;
    return true;
}

void ashi_unfolding_join(const ashi_unfolding *view, ashi_unfolding *out)
{
    bool fits = true;
    *out = (ashi_unfolding){0};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < view->side[s].count; i++)
            fits = fits && add_joined(out, &out->side[s], view->side[s].index[i].extent,
                                      ashi_unfolding_stride(view, &view->side[s].index[i]));
    if (!fits || out->order == ASHI_DIMENSIONS_MAX) {
        *out = *view;
        return;
    }
    out->stride[out->order] = 1;
    for (int d = 0; d < view->order; d++)
        out->from[out->order] += view->from[d] * view->stride[d];
    out->order++;
}

/* Whether all positions of a side are `stride` apart. */
static bool is_even(const ashi_unfolding *view, const ashi_unfolding_side *side, int64_t *stride)
{
    int64_t next = 0;
    *stride = 0;
    for (int i = 0; i < side->count; i++) {
        if (side->index[i].extent == 1)
            continue;
        const int64_t now = ashi_unfolding_stride(view, &side->index[i]);
        if (now == 0 || (next != 0 && now != next))
            return false;
        *stride = next == 0 ? now : *stride;
        next = now * side->index[i].extent;
    }
    return true;
}

bool ashi_unfolding_is_plain(const ashi_unfolding *view, int64_t *first, int64_t stride[2])
{
    for (int s = 0; s < 2; s++)
        if (!is_even(view, &view->side[s], &stride[s]))
            return false;
    for (int s = 0; s < 2; s++) /* a side of one position has any stride */
        if (stride[s] == 0)
            stride[s] = stride[1 - s] == 1 ? ashi_max(ashi_unfolding_extent(&view->side[1 - s]), 1) : 1;
    if (ashi_min(stride[0], stride[1]) != 1)
        return false;
    *first = 0;
    for (int d = 0; d < view->order; d++)
        *first += view->from[d] * view->stride[d];
    return true;
}

/* The shortest distance in the file between values of an index of the side. */
static int64_t shortest(const ashi_unfolding *view, const ashi_unfolding_side *side)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < side->count; i++) {
        const int64_t stride = ashi_unfolding_stride(view, &side->index[i]);
        if (stride > 0 && side->index[i].extent > 1)
            least = ashi_min(least, stride);
    }
    return least;
}

bool ashi_unfolding_rows_are_fast(const ashi_unfolding *view)
{
    return shortest(view, &view->side[0]) < shortest(view, &view->side[1]);
}
