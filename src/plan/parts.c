/* The parts of a matrix in a file: each rank reads and writes its own, or sends what it has to the rank that writes. */
#include "base/checked.h"
#include "base/error.h"
#include "exec/mpi.h"
#include "plan/files.h"
#include "store/chunked.h"
#include "store/strided.h"
#include "store/tiles.h"

#include <stdlib.h>

static const int64_t read_bytes = 16 << 20;
static const int64_t band_bytes = 8 << 20;

static int64_t element_bytes(const ashlar_file *file)
{
    return (int64_t)ashlar_type_bytes(file->info.type);
}

static void tell(const ashi_file_watch *watch, int64_t words)
{
    if (watch)
        watch->moved(watch->context, words);
}

/* ---- reading ---- */

/* A matrix on its way to memory. */
typedef struct reading {
    ashlar_file *file;
    char *data;
    const ashi_file_watch *watch;
} reading;

/* A tile, in pieces small enough for the progress to be seen. */
static ashlar_status read_tile(const reading *r, const ashi_tile *t, ashlar_error *err)
{
    const int64_t bytes = element_bytes(r->file);
    ashi_bands bands = ashi_bands_of(t->rows, t->cols, r->file->info.order, read_bytes / bytes);
    ashlar_status status = ASHLAR_OK;
    for (ashi_file_box b; status == ASHLAR_OK && ashi_bands_next(&bands, &b);) {
        const int64_t at = t->offset + b.row * t->row_stride + b.col * t->col_stride;
        status = ashi_store_read(r->file->store, t->row + b.row, b.rows, t->col + b.col, b.cols,
                                 r->data + at * bytes, t->row_stride, t->col_stride, err);
        tell(r->watch, b.rows * b.cols);
    }
    return status;
}

/* A tile, chunk by chunk if the file is packed in chunks. */
static ashlar_status read_cells(const reading *r, const ashi_tile *t, ashlar_error *err)
{
    const ashi_store_chunks chunks = ashi_store_packed(r->file->store);
    const ashi_file_box box = {t->row, t->rows, t->col, t->cols};
    if (chunks.bytes == 0)
        return read_tile(r, t, err);
    ashi_chunked cells = ashi_chunked_of(&box, chunks.rows, chunks.cols, read_bytes / element_bytes(r->file));
    ashlar_status status = ASHLAR_OK;
    for (ashi_file_box c; status == ASHLAR_OK && ashi_chunked_next(&cells, &c);) {
        const ashi_tile part = {t->owner, c.row, c.rows, c.col, c.cols,
                                t->offset + (c.row - t->row) * t->row_stride + (c.col - t->col) * t->col_stride,
                                t->row_stride, t->col_stride};
        status = read_tile(r, &part, err);
    }
    return status;
}

/* This rank's tiles, in the order in which the file is fast. */
ashlar_status ashi_file_read_part(ashlar_file *file, const ashlar_layout *layout, void *data,
                                  const ashi_file_watch *watch, ashlar_error *err)
{
    const reading r = {file, data, watch};
    const ashi_file_box whole = {0, layout->row.size, 0, layout->col.size};
    ashi_tiles tiles = ashi_tiles_of(layout, file->context->rank, whole, file->info.order);
    ashlar_status status = ASHLAR_OK;
    for (ashi_tile t; status == ASHLAR_OK && ashi_tiles_next(&tiles, &t);)
        status = read_cells(&r, &t, err);
    ashi_store_rest(file->store); /* the next matrix may need the memory to unpack */
    return status;
}

/* ---- all ranks write ---- */

/* A matrix on its way to its file. */
typedef struct writing {
    ashlar_file *file;
    const ashlar_layout *layout;
    const char *data;
    const ashi_file_watch *watch;
} writing;

static const char *element(const writing *w, int64_t offset)
{
    return w->data + offset * element_bytes(w->file);
}

static ashlar_status write_own(const writing *w, ashlar_error *err)
{
    const ashi_store_info *info = &w->file->info;
    ashi_tiles tiles = ashi_tiles_all(w->layout, w->file->context->rank);
    ashlar_status status = ASHLAR_OK;
    for (ashi_tile t; status == ASHLAR_OK && ashi_tiles_next(&tiles, &t);) {
        ashi_bands bands = ashi_bands_of(t.rows, t.cols, info->order, band_bytes / element_bytes(w->file));
        for (ashi_file_box b; status == ASHLAR_OK && ashi_bands_next(&bands, &b);) {
            status = ashi_store_write(w->file->store, t.row + b.row, b.rows, t.col + b.col, b.cols,
                                      element(w, t.offset + b.row * t.row_stride + b.col * t.col_stride),
                                      t.row_stride, t.col_stride, err);
            tell(w->watch, b.rows * b.cols);
        }
    }
    return status;
}

/* ---- rank 0 writes ---- */

/* A band of the matrix on its way to the file, dense in the file's order; and a piece of it on its way to rank 0. */
typedef struct gathering {
    const writing *from;
    char *band, *piece;
    ashi_file_box at;
    int64_t row_stride, col_stride; /* of the band */
} gathering;

/* Where a piece of the matrix belongs in the band. */
static char *in_band(const gathering *g, const ashi_tile *t)
{
    const int64_t at = (t->row - g->at.row) * g->row_stride + (t->col - g->at.col) * g->col_stride;
    return g->band + at * element_bytes(g->from->file);
}

/* A piece travels with its rows together. It is no larger than a band, so that its count fits. */
static ashlar_status pass_on(const gathering *g, const ashi_tile *t, ashlar_error *err)
{
    const ashlar_context *context = g->from->file->context;
    const size_t bytes = (size_t)element_bytes(g->from->file);
    const MPI_Datatype type = ashi_mpi_type(g->from->file->info.type);
    const int count = (int)(t->rows * t->cols), rank = context->rank;
    if (t->owner == rank)
        ashi_copy_strided(bytes, t->rows, t->cols, element(g->from, t->offset), t->row_stride, t->col_stride,
                          rank == 0 ? in_band(g, t) : g->piece, rank == 0 ? g->row_stride : t->cols,
                          rank == 0 ? g->col_stride : 1);
    if (t->owner == 0)
        return ASHLAR_OK;
    if (rank != 0)
        return ashi_mpi(MPI_Send(g->piece, count, type, 0, 0, context->comm), "MPI_Send", err);
    const ashlar_status status = ashi_mpi(
        MPI_Recv(g->piece, count, type, t->owner, 0, context->comm, MPI_STATUS_IGNORE), "MPI_Recv", err);
    if (status == ASHLAR_OK)
        ashi_copy_strided(bytes, t->rows, t->cols, g->piece, t->cols, 1, in_band(g, t), g->row_stride, g->col_stride);
    return status;
}

/* Every rank passes on all of its pieces, whatever has failed: others wait for them. */
static ashlar_status gather_band(gathering *g, ashlar_error *err)
{
    const ashlar_file *file = g->from->file;
    const bool by_row = file->info.order == ASHLAR_ROW_MAJOR;
    const int rank = file->context->rank;
    ashlar_status status = ASHLAR_OK;
    g->row_stride = by_row ? g->at.cols : 1;
    g->col_stride = by_row ? 1 : g->at.rows;
    ashi_tiles tiles = ashi_tiles_of(g->from->layout, rank == 0 ? -1 : rank, g->at, ASHLAR_ROW_MAJOR);
    for (ashi_tile t; ashi_tiles_next(&tiles, &t);) {
        const ashlar_status passed = pass_on(g, &t, status == ASHLAR_OK ? err : NULL);
        status = status == ASHLAR_OK ? passed : status;
    }
    if (rank == 0 && status == ASHLAR_OK)
        status = ashi_store_write(file->store, g->at.row, g->at.rows, g->at.col, g->at.cols, g->band, g->row_stride,
                                  g->col_stride, err);
    return status;
}

/* Band after band. All ranks agree after each: nobody sends to a rank 0 that cannot go on, nor far ahead of it. */
static ashlar_status gather(const writing *w, ashlar_error *err)
{
    const ashlar_context *context = w->file->context;
    const ashi_store_info *info = &w->file->info;
    const bool first = context->rank == 0;
    gathering g = {.from = w, .band = first ? malloc((size_t)band_bytes) : NULL, .piece = malloc((size_t)band_bytes)};
    ashi_bands bands = ashi_bands_of(info->rows, info->cols, info->order, band_bytes / element_bytes(w->file));
    ashlar_status status = ASHLAR_OK;
    if (!g.piece || (first && !g.band))
        status = ashi_fail_memory(err, "the output", 2 * band_bytes);
    status = ashi_agree_named(context, status, err);
    while (status == ASHLAR_OK && ashi_bands_next(&bands, &g.at)) {
        status = ashi_agree(context, gather_band(&g, err), err);
        tell(w->watch, g.at.rows * g.at.cols / context->ranks);
    }
    free(g.band);
    free(g.piece);
    return status;
}

ashlar_status ashi_file_write_part(ashlar_file *file, const ashlar_layout *layout, const void *data,
                                   const ashi_file_watch *watch, ashlar_error *err)
{
    const writing w = {file, layout, data, watch};
    return file->shared ? write_own(&w, err) : gather(&w, err);
}
