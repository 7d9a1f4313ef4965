/* The parts of a matrix in a file: each rank reads and writes its own. */
#include "base/checked.h"
#include "base/error.h"
#include "plan/files.h"
#include "store/chunked.h"
#include "store/tiles.h"

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
    int64_t bytes; /* of an element in memory */
    ashi_file_at origin;
    char *data;
    const ashi_file_watch *watch;
} reading;

/* A tile, in pieces small enough for the progress to be seen. */
static ashlar_status read_tile(const reading *r, const ashi_tile *t, ashlar_error *err)
{
    const int64_t bytes = r->bytes;
    ashi_bands bands = ashi_bands_of(t->rows, t->cols, r->file->info.order, read_bytes / bytes);
    ashlar_status status = ASHLAR_OK;
    for (ashi_file_box b; status == ASHLAR_OK && ashi_bands_next(&bands, &b);) {
        const int64_t at = t->offset + b.row * t->row_stride + b.col * t->col_stride;
        status = ashi_store_read(r->file->store, r->origin.row + t->row + b.row, b.rows,
                                 r->origin.col + t->col + b.col, b.cols, r->data + at * bytes, t->row_stride,
                                 t->col_stride, err);
        tell(r->watch, b.rows * b.cols);
    }
    return status;
}

/* A tile, chunk by chunk if the file is packed in chunks. */
static ashlar_status read_cells(const reading *r, const ashi_tile *t, ashlar_error *err)
{
    const ashi_store_chunks chunks = ashi_store_packed(r->file->store);
    const ashi_file_box box = {r->origin.row + t->row, t->rows, r->origin.col + t->col, t->cols};
    if (chunks.bytes == 0)
        return read_tile(r, t, err);
    ashi_chunked cells = ashi_chunked_of(&box, chunks.rows, chunks.cols, read_bytes / r->bytes);
    ashlar_status status = ASHLAR_OK;
    for (ashi_file_box c; status == ASHLAR_OK && ashi_chunked_next(&cells, &c);) {
        const int64_t row = c.row - r->origin.row, col = c.col - r->origin.col;
        const ashi_tile part = {t->owner, row, c.rows, col, c.cols,
                                t->offset + (row - t->row) * t->row_stride + (col - t->col) * t->col_stride,
                                t->row_stride, t->col_stride};
        status = read_tile(r, &part, err);
    }
    return status;
}

/* This rank's tiles, in the order in which the file is fast. */
ashlar_status ashi_file_read_part(ashlar_file *file, ashlar_type type, const ashlar_layout *layout, ashi_file_at at,
                                  void *data, const ashi_file_watch *watch, ashlar_error *err)
{
    const reading r = {file, (int64_t)ashlar_type_bytes(type), at, data, watch};
    const bool halves = type == ASHLAR_TYPE_H;
    const ashi_file_box whole = {0, layout->row.size, 0, layout->col.size};
    ashi_tiles tiles = ashi_tiles_of(layout, file->context->rank, whole, file->info.order);
    ashlar_status status = ASHLAR_OK;
    if (halves && !ashi_store_keep_halves(file->store, true))
        status = ashi_fail(err, ASHLAR_ERR_INTERNAL, "%.200s has no elements of 16 bits", file->place);
    for (ashi_tile t; status == ASHLAR_OK && ashi_tiles_next(&tiles, &t);)
        status = read_cells(&r, &t, err);
    if (halves)
        ashi_store_keep_halves(file->store, false);
    ashi_store_rest(file->store); /* the next matrix may need the memory to unpack */
    return status;
}

/* ---- writing ---- */

ashlar_status ashi_file_write_part(ashlar_file *file, const ashlar_layout *layout, ashi_file_at at, const void *data,
                                   const ashi_file_watch *watch, ashlar_error *err)
{
    const int64_t bytes = element_bytes(file);
    ashi_tiles tiles = ashi_tiles_all(layout, file->context->rank);
    ashlar_status status = ASHLAR_OK;
    for (ashi_tile t; status == ASHLAR_OK && ashi_tiles_next(&tiles, &t);) {
        ashi_bands bands = ashi_bands_of(t.rows, t.cols, file->info.order, band_bytes / bytes);
        for (ashi_file_box b; status == ASHLAR_OK && ashi_bands_next(&bands, &b);) {
            const int64_t from = t.offset + b.row * t.row_stride + b.col * t.col_stride;
            status = ashi_store_write(file->store, at.row + t.row + b.row, b.rows, at.col + t.col + b.col, b.cols,
                                      (const char *)data + from * bytes, t.row_stride, t.col_stride, err);
            tell(watch, b.rows * b.cols);
        }
    }
    return status;
}
