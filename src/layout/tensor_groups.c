/* Tensors that lie as matrices: sizes, and the boxes that a rank's tiles are. */
#include "base/checked.h"
#include "base/error.h"
#include "base/structure.h"
#include "layout/layout.h"
#include "layout/tensor_layout.h"

#include <stdlib.h>
#include <string.h>

void ashi_tensor_groups_free(ashi_tensor_groups **groups)
{
    ashi_tensor_groups *const g = *groups;
    for (int i = 0; g && g->piece && i < g->pieces; i++)
        ashlar_layout_free(&g->piece[i]);
    if (g) {
        free(g->piece);
        free(g->piece_of);
    }
    free(g);
    *groups = NULL;
}

static ashlar_status copy(const ashi_tensor_groups *from, ashi_tensor_groups **out, ashlar_error *err)
{
    ashi_tensor_groups *to = malloc(sizeof *to);
    const size_t numbers = (size_t)ashi_max(from->batches, 1) * sizeof *to->piece_of;
    *out = to;
    if (!to)
        return ashi_fail_memory(err, "layout of a tensor", (int64_t)sizeof *to);
    *to = *from;
    to->piece_of = malloc(numbers);
    to->piece = calloc((size_t)ashi_max(from->pieces, 1), sizeof(ashlar_layout *));
    if (!to->piece_of || !to->piece)
        return ashi_fail_memory(err, "layout of a tensor", (int64_t)numbers);
    memcpy(to->piece_of, from->piece_of, (size_t)from->batches * sizeof *to->piece_of);
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < from->pieces && status == ASHLAR_OK; i++)
        status = ashi_layout_copy(from->piece[i], &to->piece[i], err);
    return status;
}

ashlar_status ashi_tensor_layout_groups(int order, const int64_t *extent, const ashi_tensor_groups *groups,
                                        ashlar_tensor_layout **out, ashlar_error *err)
{
    ashlar_tensor_layout *l = calloc(1, sizeof *l);
    *out = NULL;
    if (!l)
        return ashi_fail_memory(err, "layout of a tensor", (int64_t)sizeof *l);
    l->order = order;
    for (int d = 0; d < order; d++)
        l->extent[d] = extent[d];
    const ashlar_status status = copy(groups, &l->groups, err);
    if (status == ASHLAR_OK) {
        *out = l;
        return status;
    }
    if (l->groups)
        ashi_tensor_groups_free(&l->groups);
    free(l);
    return status;
}

int64_t ashi_tensor_groups_words(const ashi_tensor_groups *g, int rank)
{
    int64_t words = 0;
    for (int64_t z = 0; z < g->batches; z++)
        words += ashlar_layout_words(g->piece[g->piece_of[z]], rank);
    return words;
}

int64_t ashi_tensor_groups_room(const ashi_tensor_groups *g, int rank)
{
    int64_t room = 0;
    for (int64_t z = 0; z < g->batches; z++)
        room += ashlar_layout_extent(g->piece[g->piece_of[z]], rank);
    return room;
}

/* FNV-1a. */
uint64_t ashi_tensor_groups_digest(const ashi_tensor_groups *g)
{
    const uint64_t prime = 0x100000001B3u;
    uint64_t digest = 0xCBF29CE484222325u;
    for (int i = 0; i < ASHI_GROUPS; i++)
        for (int d = 0; d < g->count[i]; d++)
            digest = digest * prime ^ (uint64_t)(g->dim[i][d] + 64 * i);
    for (int i = 0; i < g->pieces; i++)
        digest = digest * prime ^ ashi_layout_digest(g->piece[i]);
    for (int64_t z = 0; z < g->batches; z++)
        digest = digest * prime ^ (uint64_t)g->piece_of[z];
    return digest;
}

/* ---- boxes ---- */

/* What is being listed, and the box that is being made. */
typedef struct listing {
    const ashlar_tensor_layout *layout;
    int64_t first, room, count;
    char *boxes;
    size_t size;
    ashlar_tensor_box box;
} listing;

/* Put the largest box of a group's positions that begins at `from` and ends at `end` at most into the listing's box.
 * Positions lie `stride` apart; the first one of the tile is at 0. Returns how many positions it has. */
static int64_t take(listing *l, int group, int64_t from, int64_t end, int64_t stride)
{
    const ashi_tensor_groups *const g = l->layout->groups;
    const int *const dim = g->dim[group];
    int64_t weight = 1, rest = from;
    int open = g->count[group] - 1; /* dimensions after it are whole */
    for (; open >= 0; open--) {
        const int64_t extent = l->layout->extent[dim[open]];
        if (open == 0 || rest % extent != 0 || weight * extent > end - from)
            break;
        l->box.from[dim[open]] = 0;
        l->box.extent[dim[open]] = extent;
        l->box.stride[dim[open]] = weight * stride;
        weight *= extent;
        rest /= extent;
    }
    const int64_t whole = weight;
    int64_t positions = whole;
    for (int d = open; d >= 0; d--) {
        const int64_t extent = l->layout->extent[dim[d]], value = rest % extent;
        const int64_t values = d == open ? ashi_min(extent - value, (end - from) / whole) : 1;
        l->box.from[dim[d]] = value;
        l->box.extent[dim[d]] = values;
        l->box.stride[dim[d]] = weight * stride;
        positions = d == open ? values * whole : positions;
        weight *= extent;
        rest /= extent;
    }
    return positions;
}

static void add(listing *l)
{
    if (l->count >= l->first && l->count - l->first < l->room)
        ashi_structure_give(&l->box, sizeof l->box, l->boxes + (size_t)(l->count - l->first) * l->size, l->size);
    l->count++;
}

/* The boxes of tile (r, c) of a matrix that begins at `base` in the rank's array. */
static void add_tile(listing *l, const ashlar_layout *piece, int64_t r, int64_t c, int64_t base)
{
    const ashi_storage s = ashi_layout_storage(piece, r, c);
    const int64_t row = piece->row.cuts[r], col = piece->col.cuts[c];
    for (int64_t i = row, i_next; i < piece->row.cuts[r + 1]; i = i_next) {
        i_next = i + take(l, ASHI_GROUP_ROWS, i, piece->row.cuts[r + 1], s.row_stride);
        for (int64_t j = col, j_next; j < piece->col.cuts[c + 1]; j = j_next) {
            j_next = j + take(l, ASHI_GROUP_COLS, j, piece->col.cuts[c + 1], s.col_stride);
            l->box.offset = base + s.start + (i - row) * s.row_stride + (j - col) * s.col_stride;
            add(l);
        }
    }
}

int64_t ashi_tensor_groups_list(const ashlar_tensor_layout *layout, int rank, int64_t first, int64_t room,
                                ashlar_tensor_box *boxes, size_t size)
{
    const ashi_tensor_groups *const g = layout->groups;
    listing l = {.layout = layout, .first = first, .room = room, .boxes = (char *)boxes, .size = size,
                 .box = {.order = layout->order}};
    int64_t base = 0;
    for (int64_t z = 0; z < g->batches; z++) {
        const ashlar_layout *const piece = g->piece[g->piece_of[z]];
        (void)take(&l, ASHI_GROUP_BATCH, z, z + 1, 0);
        for (int64_t at = 0; at < piece->row.parts * piece->col.parts; at++)
            if (piece->owner[at] == rank)
                add_tile(&l, piece, at / piece->col.parts, at % piece->col.parts, base);
        base += ashlar_layout_extent(piece, rank);
    }
    return l.count;
}
