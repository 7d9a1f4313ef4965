/* Elements of a matrix that lie in a file one by one: boxes read and written at their places. */
#include "store/array.h"

#include "base/checked.h"
#include "base/type.h"
#include "store/file.h"
#include "store/strided.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* The buffer that boxes pass through where they cannot go straight to the caller's memory. */
#define BUFFER_BYTES (INT64_C(1) << 20)

/* From this length on, a run goes straight between file and memory: a system call then costs less than a copy. */
#define DIRECT_BYTES (INT64_C(1) << 16)

/* Reading over gaps is cheaper than a call a run while at most this part of the bytes is wanted, or gaps are small. */
#define GAP_PARTS 4
#define GAP_PITCH (INT64_C(1) << 13)

/* A box as the file sees it: `count` runs of `length` elements, the first at element `first`, `pitch` apart; in memory
 * element e of run r is at r * run_stride + e * step. */
typedef struct runs {
    int64_t first, count, length, pitch, run_stride, step;
} runs;

static runs runs_of(const ashi_store_info *info, const ashi_file_box *box, int64_t row_stride, int64_t col_stride)
{
    const bool by_row = info->order == ASHLAR_ROW_MAJOR;
    runs r;
    r.pitch = by_row ? info->cols : info->rows;
    r.first = by_row ? box->row * r.pitch + box->col : box->col * r.pitch + box->row;
    r.count = by_row ? box->rows : box->cols;
    r.length = by_row ? box->cols : box->rows;
    r.run_stride = by_row ? row_stride : col_stride;
    r.step = by_row ? col_stride : row_stride;
    if (r.count == 1 || (r.length == r.pitch && r.run_stride == r.length * r.step)) {
        r.length *= r.count;
        r.pitch = r.length;
        r.count = 1;
        r.run_stride = 0;
    } else if (r.length == 1 && r.pitch == 1) { /* one element a run, without gaps: a single run the other way */
        r.length = r.count;
        r.pitch = r.length;
        r.count = 1;
        r.step = r.run_stride;
        r.run_stride = 0;
    }
    return r;
}

/* A box on its way: the array, and what is said of its file. */
typedef struct transfer {
    const ashi_file_array *array;
    const char *path;
    ashlar_type type;
} transfer;

static void to_machine(const transfer *x, void *data, int64_t elements)
{
    const ashi_type *type = ashi_type_of(x->type);
    if (x->array->swapped)
        ashi_swap_bytes(type->complex ? type->bytes / 2 : type->bytes, type->complex ? 2 * elements : elements, data);
}

/* How many runs to take at a time. */
static int64_t batch_of(const runs *r, int64_t bytes, bool gaps)
{
    const bool direct = r->step == 1 && r->length * bytes >= DIRECT_BYTES;
    const bool whole = r->pitch == r->length;
    const bool close = gaps && (r->length >= r->pitch / GAP_PARTS || r->pitch <= GAP_PITCH / bytes);
    return r->count == 1 || direct || !(whole || close) ? 1 : ashi_max(1, BUFFER_BYTES / bytes / r->pitch);
}

/* Read n runs from run r->first on. More than one run fit in the buffer together, gaps included. */
static ashlar_status read_runs(const transfer *x, const runs *r, int64_t n, char *data, ashlar_error *err)
{
    const ashi_file_array *f = x->array;
    const int64_t b = (int64_t)ashlar_type_bytes(x->type), at = f->start + r->first * b;
    const char *path = x->path;
    ashlar_status status = ASHLAR_OK;
    if (n == 1 && r->step == 1) {
        status = ashi_file_read(f->fd, path, data, r->length * b, at, err);
        to_machine(x, data, r->length);
        return status;
    }
    const int64_t span = (n - 1) * r->pitch + r->length, piece = n == 1 ? BUFFER_BYTES / b : span;
    for (int64_t e = 0; status == ASHLAR_OK && e < span; e += piece) {
        const int64_t now = ashi_min(piece, span - e);
        status = ashi_file_read(f->fd, path, f->buffer, now * b, at + e * b, err);
        if (status != ASHLAR_OK)
            return status;
        to_machine(x, f->buffer, now);
        ashi_copy_strided((size_t)b, n, n == 1 ? now : r->length, f->buffer, r->pitch, 1, data + e * r->step * b,
                          r->run_stride, r->step);
    }
    return status;
}

/* Write n runs from run r->first on. More than one run have no gaps and fit in the buffer together. */
static ashlar_status write_runs(const transfer *x, const runs *r, int64_t n, const char *data, ashlar_error *err)
{
    const ashi_file_array *f = x->array;
    const int64_t b = (int64_t)ashlar_type_bytes(x->type), at = f->start + r->first * b;
    const char *path = x->path;
    if (n == 1 && r->step == 1)
        return ashi_file_write(f->fd, path, data, r->length * b, at, err);
    const int64_t span = n * r->length, piece = n == 1 ? BUFFER_BYTES / b : span;
    ashlar_status status = ASHLAR_OK;
    for (int64_t e = 0; status == ASHLAR_OK && e < span; e += piece) {
        const int64_t now = ashi_min(piece, span - e);
        ashi_copy_strided((size_t)b, n, n == 1 ? now : r->length, data + e * r->step * b, r->run_stride, r->step,
                          f->buffer, r->length, 1);
        status = ashi_file_write(f->fd, path, f->buffer, now * b, at + e * b, err);
    }
    return status;
}

ashlar_status ashi_file_array_read(const ashi_file_array *array, const ashi_store_info *info, const char *path,
                                   const ashi_file_box *box, void *data, int64_t row_stride, int64_t col_stride,
                                   ashlar_error *err)
{
    const transfer x = {array, path, info->type};
    runs r = runs_of(info, box, row_stride, col_stride);
    const int64_t b = (int64_t)ashlar_type_bytes(info->type), batch = batch_of(&r, b, true);
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; status == ASHLAR_OK && i < r.count; i += batch, r.first += batch * r.pitch)
        status = read_runs(&x, &r, ashi_min(batch, r.count - i), (char *)data + i * r.run_stride * b, err);
    return status;
}

ashlar_status ashi_file_array_write(const ashi_file_array *array, const ashi_store_info *info, const char *path,
                                    const ashi_file_box *box, const void *data, int64_t row_stride, int64_t col_stride,
                                    ashlar_error *err)
{
    const transfer x = {array, path, info->type};
    runs r = runs_of(info, box, row_stride, col_stride);
    const int64_t b = (int64_t)ashlar_type_bytes(info->type), batch = batch_of(&r, b, false);
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; status == ASHLAR_OK && i < r.count; i += batch, r.first += batch * r.pitch)
        status = write_runs(&x, &r, ashi_min(batch, r.count - i), (const char *)data + i * r.run_stride * b, err);
    return status;
}

/* ---- the file ---- */

ashlar_status ashi_file_array_make_buffer(ashi_file_array *array, ashlar_error *err)
{
    array->buffer = malloc((size_t)BUFFER_BYTES);
    return array->buffer ? ASHLAR_OK : ashi_fail_memory(err, "store", BUFFER_BYTES);
}

ashlar_status ashi_file_array_join(ashi_file_array *array, const char *path, ashlar_error *err)
{
    do
        array->fd = open(path, O_RDWR | O_CLOEXEC);
    while (array->fd < 0 && errno == EINTR);
    array->own_fd = array->fd >= 0;
    return array->own_fd ? ASHLAR_OK : ashi_fail_errno(err, path, "cannot be joined", errno);
}

ashlar_status ashi_file_array_reserve(const ashi_file_array *array, const char *path, int64_t bytes, ashlar_error *err)
{
    int code;
    do
        code = posix_fallocate(array->fd, 0, bytes);
    while (code == EINTR);
    if (code == EOPNOTSUPP || code == EINVAL)
        code = ftruncate(array->fd, bytes) == 0 ? 0 : errno;
    return code == 0 ? ASHLAR_OK : ashi_fail_errno(err, path, "cannot be made long enough", code);
}

ashlar_status ashi_file_array_finish(const ashi_file_array *array, const char *path, ashlar_error *err)
{
    return array->own_fd ? ashi_file_sync(array->fd, path, err) : ASHLAR_OK;
}

void ashi_file_array_close(ashi_file_array *array)
{
    if (array->own_fd && array->fd >= 0)
        close(array->fd);
    ashi_direct_close(&array->direct);
    free(array->buffer);
    *array = ASHI_NO_ARRAY;
}
