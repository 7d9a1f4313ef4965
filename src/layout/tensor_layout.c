/* Making layouts of tensors that are dealt out in blocks, and their sizes. */
#include "layout/tensor_layout.h"

#include "base/checked.h"
#include "base/error.h"
#include "layout/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char who[] = "ashlar_tensor_layout_blocks";

static ashlar_status check_index(int d, int64_t extent, int64_t block, int parts, int64_t stride, ashlar_error *err)
{
    if (extent < 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: extent[%d] = %" PRId64 ", wanted at least 0", who, d, extent);
    if (block < 1)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: block[%d] = %" PRId64 ", wanted at least 1", who, d, block);
    if (parts < 1)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: parts[%d] = %d, wanted at least 1", who, d, parts);
    if (stride < 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: stride[%d] = %" PRId64 ", wanted at least 0", who, d, stride);
    return ASHLAR_OK;
}

static ashlar_status fill(ashlar_tensor_layout *l, int order, const int64_t *extent, const int64_t *block,
                          const int *parts, const int64_t *stride, ashlar_error *err)
{
    int64_t processes = 1;
    *l = (ashlar_tensor_layout){.order = order, .strided = stride != NULL};
    for (int d = 0; d < order; d++) {
        l->extent[d] = extent[d];
        l->parts[d] = parts ? parts[d] : 1;
        l->stride[d] = stride ? stride[d] : 0;
        l->block[d] = block ? block[d] : ashi_max(ashi_ceil_div(ashi_max(extent[d], 0), ashi_max(l->parts[d], 1)), 1);
        const ashlar_status status = check_index(d, extent[d], l->block[d], l->parts[d], l->stride[d], err);
        if (status != ASHLAR_OK)
            return status;
        processes = ashi_mul_most(processes, l->parts[d]);
    }
    if (!ashi_to_int(processes, &l->processes))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "%s: the process grid has more than 2^31 - 1 processes", who);
    return ASHLAR_OK;
}

/* The elements of the tensor, and the places of the whole tensor in one array, fit in 64 bits. */
static ashlar_status check_sizes(const ashlar_tensor_layout *l, ashlar_error *err)
{
    int64_t words = 1, room = 1, step;
    bool fits = true, empty = false;
    for (int d = 0; d < l->order; d++)
        empty = empty || l->extent[d] == 0;
    for (int d = 0; d < l->order && !empty; d++) {
        fits = fits && ashi_mul(words, l->extent[d], &words);
        fits = fits && ashi_mul(l->extent[d] - 1, l->stride[d], &step) && ashi_add(room, step, &room);
    }
    if (!fits || words > INT64_MAX / 32 || room > INT64_MAX / 32)
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "%s: the elements of the tensor do not fit in 64 bits", who);
    return ASHLAR_OK;
}

static int by_value(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Copy the ranks; they are different. */
static ashlar_status take_ranks(ashlar_tensor_layout *l, const int *ranks, ashlar_error *err)
{
    const size_t count = (size_t)l->processes;
    if (!ranks)
        return ASHLAR_OK;
    int *const sorted = malloc(count * sizeof *sorted);
    l->ranks = malloc(count * sizeof *l->ranks);
    if (!sorted || !l->ranks) {
        free(sorted);
        return ashi_fail_memory(err, who, (int64_t)(count * sizeof *ranks));
    }
    memcpy(l->ranks, ranks, count * sizeof *ranks);
    memcpy(sorted, ranks, count * sizeof *ranks);
    qsort(sorted, count, sizeof *sorted, by_value);
    ashlar_status status = ASHLAR_OK;
    if (sorted[0] < 0)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "%s: rank %d, wanted at least 0", who, sorted[0]);
    for (size_t i = 1; i < count && status == ASHLAR_OK; i++)
        if (sorted[i] == sorted[i - 1])
            status = ashi_fail(err, ASHLAR_ERR_ARG, "%s: rank %d is in the list twice", who, sorted[i]);
    free(sorted);
    return status;
}

ashlar_status ashlar_tensor_layout_blocks(int order, const int64_t *extent, const int64_t *block, const int *parts,
                                          const int *ranks, const int64_t *stride, ashlar_tensor_layout **out,
                                          ashlar_error *err)
{
    if (!out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: out is NULL", who);
    *out = NULL;
    if (order < 0 || order > ASHLAR_TENSOR_ORDER_MOST)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: order = %d, wanted 0 to %d", who, order, ASHLAR_TENSOR_ORDER_MOST);
    if (order > 0 && !extent)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: extent is NULL", who);
    ashlar_tensor_layout *l = malloc(sizeof *l);
    if (!l)
        return ashi_fail_memory(err, who, (int64_t)sizeof *l);
    ashlar_status status = fill(l, order, extent, block, parts, stride, err);
    if (status == ASHLAR_OK)
        status = check_sizes(l, err);
    if (status == ASHLAR_OK)
        status = take_ranks(l, ranks, err);
    if (status == ASHLAR_OK)
        *out = l;
    else
        ashlar_tensor_layout_free(&l);
    return status;
}

void ashlar_tensor_layout_free(ashlar_tensor_layout **layout)
{
    if (!layout || !*layout)
        return;
    ashi_tensor_groups_free(&(*layout)->groups);
    free((*layout)->ranks);
    free(*layout);
    *layout = NULL;
}

ashlar_status ashi_tensor_layout_copy(const ashlar_tensor_layout *l, ashlar_tensor_layout **out, ashlar_error *err)
{
    const size_t bytes = (size_t)l->processes * sizeof *l->ranks;
    if (l->groups)
        return ashi_tensor_layout_groups(l->order, l->extent, l->groups, out, err);
    ashlar_tensor_layout *copy = malloc(sizeof *copy);
    int *const ranks = copy && l->ranks ? malloc(bytes) : NULL;
    *out = NULL;
    if (!copy || (l->ranks && !ranks)) {
        free(copy);
        return ashi_fail_memory(err, "layout of a tensor", (int64_t)(sizeof *copy + bytes));
    }
    *copy = *l;
    copy->ranks = ranks;
    if (ranks)
        memcpy(ranks, l->ranks, bytes);
    *out = copy;
    return ASHLAR_OK;
}

/* ---- who owns what ---- */

/* The process of the grid that a rank is, or -1. */
static int process_of(const ashlar_tensor_layout *l, int rank)
{
    if (!l->ranks)
        return rank >= 0 && rank < l->processes ? rank : -1;
    for (int i = 0; i < l->processes; i++)
        if (l->ranks[i] == rank)
            return i;
    return -1;
}

/* How many of the blocks 0 .. ceil(extent / block) - 1 a coordinate has, and how many values are in them. */
static int64_t values_of(const ashlar_tensor_layout *l, int d, int coordinate)
{
    const int64_t blocks = ashi_ceil_div(l->extent[d], l->block[d]);
    if (coordinate >= blocks)
        return 0;
    const int64_t mine = (blocks - 1 - coordinate) / l->parts[d] + 1;
    const bool has_last = (blocks - 1) % l->parts[d] == coordinate;
    const int64_t whole = has_last ? mine - 1 : mine;
    return whole * l->block[d] + (has_last ? l->extent[d] - (blocks - 1) * l->block[d] : 0);
}

bool ashi_tensor_layout_coordinates(const ashlar_tensor_layout *l, int rank, int *coordinate)
{
    int process = process_of(l, rank);
    for (int d = l->order - 1; d >= 0 && process >= 0; d--) {
        coordinate[d] = process % l->parts[d];
        process /= l->parts[d];
    }
    return process >= 0;
}

bool ashi_tensor_layout_part(const ashlar_tensor_layout *l, int rank, int64_t *extent)
{
    int coordinate[ASHLAR_TENSOR_ORDER_MOST];
    bool any = ashi_tensor_layout_coordinates(l, rank, coordinate);
    for (int d = 0; d < l->order; d++) {
        extent[d] = any ? values_of(l, d, coordinate[d]) : 0;
    }
    for (int d = 0; d < l->order; d++)
        any = any && extent[d] > 0;
    return any;
}

void ashi_tensor_layout_strides(const ashlar_tensor_layout *l, int rank, int64_t *stride)
{
    int64_t extent[ASHLAR_TENSOR_ORDER_MOST], next = 1;
    (void)ashi_tensor_layout_part(l, rank, extent);
    for (int d = l->order - 1; d >= 0; d--) {
        stride[d] = l->strided ? l->stride[d] : next;
        next *= extent[d] > 0 ? extent[d] : 1;
    }
}

int64_t ashlar_tensor_layout_words(const ashlar_tensor_layout *l, int rank)
{
    int64_t extent[ASHLAR_TENSOR_ORDER_MOST], words = 1;
    if (l && l->groups)
        return ashi_tensor_groups_words(l->groups, rank);
    if (!l || !ashi_tensor_layout_part(l, rank, extent))
        return 0;
    for (int d = 0; d < l->order; d++)
        words *= extent[d];
    return words;
}

int64_t ashlar_tensor_layout_room(const ashlar_tensor_layout *l, int rank)
{
    int64_t extent[ASHLAR_TENSOR_ORDER_MOST], stride[ASHLAR_TENSOR_ORDER_MOST], room = 1;
    if (l && l->groups)
        return ashi_tensor_groups_room(l->groups, rank);
    if (!l || !ashi_tensor_layout_part(l, rank, extent))
        return 0;
    ashi_tensor_layout_strides(l, rank, stride);
    for (int d = 0; d < l->order; d++)
        room += (extent[d] - 1) * stride[d];
    return room;
}

int ashi_tensor_layout_ranks(const ashlar_tensor_layout *l)
{
    int64_t most_of_pieces = 0;
    for (int i = 0; l->groups && i < l->groups->pieces; i++)
        most_of_pieces = ashi_max(most_of_pieces, ashi_layout_ranks(l->groups->piece[i]));
    if (l->groups)
        return (int)most_of_pieces;
    int most = l->processes;
    for (int i = 0; l->ranks && i < l->processes; i++)
        most = i == 0 || l->ranks[i] >= most ? l->ranks[i] + 1 : most;
    return most;
}

/* FNV-1a. */
uint64_t ashi_tensor_layout_digest(const ashlar_tensor_layout *l)
{
    const uint64_t prime = 0x100000001B3u;
    uint64_t digest = 0xCBF29CE484222325u ^ (uint64_t)l->order;
    if (l->groups)
        return ashi_tensor_groups_digest(l->groups);
    for (int d = 0; d < l->order; d++) {
        digest = digest * prime ^ (uint64_t)l->extent[d];
        digest = digest * prime ^ (uint64_t)l->block[d];
        digest = digest * prime ^ (uint64_t)l->parts[d];
    }
    for (int i = 0; i < l->processes; i++)
        digest = digest * prime ^ (uint64_t)(l->ranks ? l->ranks[i] : i);
    return digest;
}
