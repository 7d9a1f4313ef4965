/* Where the positions of a group of indices lie. */
#include "kernel/positions.h"

#include "base/checked.h"

int64_t ashi_positions_of(const ashi_stride_group *group)
{
    int64_t count = 1;
    for (int i = 0; i < group->count; i++)
        count *= group->index[i].extent;
    return count;
}

int64_t ashi_boxes_of(const ashi_index_pieces *pieces)
{
    return pieces->count[0] * pieces->count[1];
}

void ashi_box_find(const ashi_stride_group *group, const ashi_index_pieces *pieces, int64_t which, ashi_index_box *out)
{
    *out = (ashi_index_box){.group = *group};
    const int64_t piece[2] = {which % pieces->count[0], which / pieces->count[0]};
    for (int i = 0; i < 2; i++) {
        if (pieces->count[i] == 1)
            continue;
        ashi_index *const x = &out->group.index[pieces->index[i]];
        const int64_t from = ashi_cut_units(x->extent, ASHI_PIECE_UNIT, pieces->count[i], piece[i]);
        x->extent = ashi_cut_units(x->extent, ASHI_PIECE_UNIT, pieces->count[i], piece[i] + 1) - from;
        for (int matrix = 0; matrix < 3; matrix++)
            out->at[matrix] += from * x->stride[matrix];
    }
    out->count = ashi_positions_of(&out->group);
}

void ashi_box_offsets(const ashi_index_box *box, int matrix, ashi_positions range, int64_t *out)
{
    const ashi_stride_group *const group = &box->group;
    int64_t digit[ASHI_CONTRACTION_INDICES] = {0}, at = box->at[matrix], left = range.from;
    for (int i = 0; i < group->count; i++) {
        digit[i] = left % group->index[i].extent;
        left /= group->index[i].extent;
        at += digit[i] * group->index[i].stride[matrix];
    }
    const ashi_index first = group->count > 0 ? group->index[0] : (ashi_index){1, {0}};
    const int64_t step = first.stride[matrix];
    for (int64_t x = 0, run; x < range.count; x += run) {
        run = ashi_min(range.count - x, first.extent - digit[0]);
        for (int64_t i = 0; i < run; i++)
            out[x + i] = at + i * step;
        at -= digit[0] * step;
        digit[0] = 0;
        for (int i = 1; i < group->count; i++) {
            at += group->index[i].stride[matrix];
            if (++digit[i] < group->index[i].extent)
                break;
            at -= digit[i] * group->index[i].stride[matrix];
            digit[i] = 0;
        }
    }
}
