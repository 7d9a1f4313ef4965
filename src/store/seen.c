/* Stores that are views: matrices seen in the array of another store. */
#include "base/checked.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/type.h"
#include "store/by_chunk.h"
#include "store/format.h"
#include "store/unfolding_move.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

/* Elements between neighbours along each dimension, if they lie one by one in the order of the file. */
static void take_strides(const ashi_store_info *info, ashi_unfolding *view)
{
    int64_t next = 1;
    for (int i = 0; i < info->dimensions; i++) {
        const int d = info->order == ASHLAR_COL_MAJOR ? i : info->dimensions - 1 - i;
        view->stride[d] = next;
        next = ashi_mul_most(next, ashi_max(info->extent[d], 1));
    }
}

/* How many positions of a side belong to the same chunks: all of the dimensions before the slowest that is cut. */
static int64_t chunk_of_side(const ashi_store *whole, const int64_t *extent, const ashi_unfolding_side *side)
{
    int64_t all = 1, chunk = 1;
    for (int i = 0; i < side->count; i++) {
        const ashi_unfolding_index *index = &side->index[i];
        int64_t part = 1;
        for (int d = 0; d < whole->info.dimensions; d++)
            if (index->dimensions >> d & 1)
                part = ashi_max(part, ashi_min(ashi_ceil_div(extent[d], index->step), index->extent));
        if (part > 1)
            chunk = ashi_mul_most(all, part);
        all = ashi_mul_most(all, index->extent);
    }
    return chunk;
}

ashlar_status ashi_store_view(ashi_store *whole, const ashi_unfolding *view, ashi_store **out, ashi_store_info *info,
                              ashlar_error *err)
{
    ashi_store *store = calloc(1, sizeof *store);
    *out = NULL;
    if (!store)
        return ashi_fail_memory(err, "store", (int64_t)sizeof *store);
    store->whole = whole;
    store->view = *view;
    store->view.order = whole->info.dimensions;
    take_strides(&whole->info, &store->view);
    ashi_unfolding_join(&store->view, &store->joined);
    store->mode = whole->mode;
    store->info = (ashi_store_info){.type = whole->info.type, .rows = ashi_unfolding_extent(&view->side[0]),
                                    .cols = ashi_unfolding_extent(&view->side[1])};
    store->info.order = ashi_unfolding_rows_are_fast(&store->view) ? ASHLAR_COL_MAJOR : ASHLAR_ROW_MAJOR;
    store->chunks = whole->chunks;
    if (whole->chunks.rows > 0) {
        store->chunks.rows = chunk_of_side(whole, whole->chunk, &view->side[0]);
        store->chunks.cols = chunk_of_side(whole, whole->chunk, &view->side[1]);
    }
    *info = store->info;
    *out = store;
    return ASHLAR_OK;
}

ashlar_status ashi_store_view_again(const ashi_store *view, ashi_store *whole, ashi_store **out, ashi_store_info *info,
                                    ashlar_error *err)
{
    return ashi_store_view(whole, &view->view, out, info, err);
}

/* The last elements of each dimension that are in one page. */
static void find_pages(const ashi_store_info *info, int64_t *extent)
{
    int64_t left = ashi_max(PAGE / (int64_t)ashlar_type_bytes(info->type), 1);
    for (int i = 0; i < info->dimensions; i++) {
        const int d = info->order == ASHLAR_COL_MAJOR ? i : info->dimensions - 1 - i;
        extent[d] = ashi_max(ashi_min(info->extent[d], left), 1);
        left = ashi_ceil_div(left, extent[d]);
    }
}

ashi_store_chunks ashi_store_pages(const ashi_store *store)
{
    int64_t extent[ASHI_DIMENSIONS_MAX];
    if (!store->whole || store->whole->array.fd < 0)
        return (ashi_store_chunks){0};
    find_pages(&store->whole->info, extent);
    return (ashi_store_chunks){.rows = chunk_of_side(store->whole, extent, &store->view.side[0]),
                               .cols = chunk_of_side(store->whole, extent, &store->view.side[1])};
}

const int64_t *ashi_store_chunk(const ashi_store *store)
{
    return store->chunks.bytes > 0 ? store->chunk : NULL;
}

int64_t ashi_store_chunks_kept(const ashi_store *store)
{
    return store->whole && store->whole->chunks.bytes > 0 ? store->whole->chunks_kept : 0;
}

bool ashi_store_chunk_bytes(const ashi_store *store, const ashi_file_box *box, ashi_chunks_kept *kept, double *out)
{
    const ashi_unfolding_box own = {{box->row, box->col}, {box->rows, box->cols}, {0, 0}};
    const ashi_store *whole = store->whole;
    double chunks = 0;
    if (ashi_chunks_read(&store->view, &own, whole->chunk, whole->info.extent, whole->chunks.packed, kept,
                         &chunks, NULL) != ASHLAR_OK)
        return false;
    *out = chunks * whole->chunk_stored;
    return true;
}

uint64_t ashi_store_view_digest(const ashi_store *store)
{
    const ashi_unfolding *view = &store->view;
    uint64_t digest = 0;
    for (int d = 0; d < view->order; d++)
        digest = ashi_hash(ashi_hash(digest, store->whole->info.extent[d]), view->from[d]);
    for (int s = 0; s < 2; s++) {
        digest = ashi_hash(digest, s);
        for (int i = 0; i < view->side[s].count; i++)
            digest = ashi_hash(ashi_hash(ashi_hash(digest, view->side[s].index[i].extent),
                                         (int64_t)view->side[s].index[i].dimensions), view->side[s].index[i].step);
    }
    return digest;
}

void ashi_store_view_move(ashi_store *view, const int64_t *from)
{
    memcpy(view->view.from, from, (size_t)view->view.order * sizeof *from);
    ashi_unfolding_join(&view->view, &view->joined);
}

/* A view's box on its way through the format. */
typedef struct passing {
    ashi_store *whole;
    char *data;
    bool write;
} passing;

static ashlar_status pass(void *context, const ashi_array_box *box, int64_t at, ashlar_error *err)
{
    const passing *p = context;
    const ashi_format *format = p->whole->place.format;
    char *data = p->data + at * (int64_t)ashlar_type_bytes(p->whole->info.type);
    return p->write ? format->write(p->whole, box, data, err) : format->read(p->whole, box, data, err);
}

ashlar_status ashi_store_move_view(ashi_store *store, const ashi_file_box *box, char *data, int64_t row_stride,
                                   int64_t col_stride, bool write, ashlar_error *err)
{
    ashi_store *whole = store->whole;
    const ashi_file_array *a = &whole->array;
    const ashi_type *type = ashi_type_of(whole->info.type);
    const ashi_unfolding_box own = {{box->row, box->col}, {box->rows, box->cols}, {row_stride, col_stride}};
    passing p = {whole, data, write};
    if (a->fd < 0 && whole->chunks.bytes > 0)
        return ashi_by_chunk(&store->view, &own, whole->chunk, pass, &p, err);
    if (a->fd < 0)
        return ashi_unfolding_boxes(&store->view, &own, pass, &p, err);
    const ashi_element_file file = {a->fd, whole->place.path, a->start, a->swapped, NULL, NULL, type->bytes,
                                    type->complex ? type->bytes / 2 : type->bytes};
    const ashi_unfolding_transfer t = {&file, data, write, a->buffer};
    return ashi_unfolding_move(&t, &store->joined, &own, err);
}

