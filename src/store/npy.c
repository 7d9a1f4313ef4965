/* NumPy's .npy files, versions 1.0 to 3.0, in either order of elements and of bytes. */
#include "store/format.h"

#include "base/checked.h"
#include "base/type.h"
#include "store/file.h"
#include "store/npy_header.h"
#include "store/strided.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The buffer that boxes pass through where they cannot go straight to the caller's memory. */
#define BUFFER_BYTES (INT64_C(1) << 20)

/* From this length on, a run goes straight between file and memory: a system call then costs less than a copy. */
#define DIRECT_BYTES (INT64_C(1) << 16)

/* Reading over gaps is cheaper than a call a run while at most this part of the bytes is wanted, or gaps are small. */
#define GAP_PARTS 4
#define GAP_PITCH (INT64_C(1) << 13)

typedef struct npy {
    int fd;       /* own, or the output's */
    bool own_fd;
    bool swapped;
    int64_t start; /* of the elements, in bytes */
    char *buffer;
} npy;

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

static void to_machine(const ashi_store *store, void *data, int64_t elements)
{
    const ashi_type *type = ashi_type_of(store->info.type);
    const npy *f = store->state;
    if (f->swapped)
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
static ashlar_status read_runs(const ashi_store *store, const runs *r, int64_t n, char *data, ashlar_error *err)
{
    const npy *f = store->state;
    const int64_t b = (int64_t)ashlar_type_bytes(store->info.type), at = f->start + r->first * b;
    const char *path = store->place.path;
    ashlar_status status = ASHLAR_OK;
    if (n == 1 && r->step == 1) {
        status = ashi_file_read(f->fd, path, data, r->length * b, at, err);
        to_machine(store, data, r->length);
        return status;
    }
    const int64_t span = (n - 1) * r->pitch + r->length, piece = n == 1 ? BUFFER_BYTES / b : span;
    for (int64_t e = 0; status == ASHLAR_OK && e < span; e += piece) {
        const int64_t now = ashi_min(piece, span - e);
        status = ashi_file_read(f->fd, path, f->buffer, now * b, at + e * b, err);
        if (status != ASHLAR_OK)
            return status;
        to_machine(store, f->buffer, now);
        ashi_copy_strided((size_t)b, n, n == 1 ? now : r->length, f->buffer, r->pitch, 1, data + e * r->step * b,
                          r->run_stride, r->step);
    }
    return status;
}

/* Write n runs from run r->first on. More than one run have no gaps and fit in the buffer together. */
static ashlar_status write_runs(const ashi_store *store, const runs *r, int64_t n, const char *data, ashlar_error *err)
{
    const npy *f = store->state;
    const int64_t b = (int64_t)ashlar_type_bytes(store->info.type), at = f->start + r->first * b;
    const char *path = store->place.path;
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

static ashlar_status npy_read(ashi_store *store, const ashi_file_box *box, void *data, int64_t row_stride,
                              int64_t col_stride, ashlar_error *err)
{
    runs r = runs_of(&store->info, box, row_stride, col_stride);
    const int64_t b = (int64_t)ashlar_type_bytes(store->info.type), batch = batch_of(&r, b, true);
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; status == ASHLAR_OK && i < r.count; i += batch, r.first += batch * r.pitch)
        status = read_runs(store, &r, ashi_min(batch, r.count - i), (char *)data + i * r.run_stride * b, err);
    return status;
}

static ashlar_status npy_write(ashi_store *store, const ashi_file_box *box, const void *data, int64_t row_stride,
                               int64_t col_stride, ashlar_error *err)
{
    runs r = runs_of(&store->info, box, row_stride, col_stride);
    const int64_t b = (int64_t)ashlar_type_bytes(store->info.type), batch = batch_of(&r, b, false);
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; status == ASHLAR_OK && i < r.count; i += batch, r.first += batch * r.pitch)
        status = write_runs(store, &r, ashi_min(batch, r.count - i), (const char *)data + i * r.run_stride * b, err);
    return status;
}

static ashlar_status make_state(ashi_store *store, ashlar_error *err)
{
    npy *f = calloc(1, sizeof *f);
    if (f)
        f->buffer = malloc((size_t)BUFFER_BYTES);
    if (!f || !f->buffer) {
        free(f);
        return ashi_fail_memory(err, ".npy", BUFFER_BYTES);
    }
    f->fd = -1;
    store->state = f;
    return ASHLAR_OK;
}

/* The header claims rows and cols: is the file long enough? */
static ashlar_status check_bytes(const ashi_store *store, int64_t start, int64_t file_bytes, ashlar_error *err)
{
    const ashi_store_info *info = &store->info;
    int64_t elements, bytes;
    if (!ashi_mul(info->rows, info->cols, &elements) ||
        !ashi_mul(elements, (int64_t)ashlar_type_bytes(info->type), &bytes))
        return ashi_fail_file(err, ASHLAR_ERR_IO, store->place.path,
                              "malformed .npy header: a shape of %" PRId64 " x %" PRId64 " is too large", info->rows,
                              info->cols);
    if (bytes > file_bytes - start)
        return ashi_fail_file(err, ASHLAR_ERR_IO, store->place.path,
                              "truncated: %" PRId64 " x %" PRId64 " elements need %" PRId64
                              " bytes after the header, the file has %" PRId64,
                              info->rows, info->cols, bytes, file_bytes - start);
    return ASHLAR_OK;
}

static ashlar_status read_header(ashi_store *store, int64_t file_bytes, ashlar_error *err)
{
    npy *f = store->state;
    unsigned char first[ASHI_NPY_LEAD_MAX];
    const int64_t have = ashi_min(file_bytes, ASHI_NPY_LEAD_MAX);
    int64_t lead = 0, text = 0;
    ashlar_status status = ashi_file_read(f->fd, store->place.path, first, have, 0, err);
    if (status == ASHLAR_OK)
        status = ashi_npy_lead(store->place.path, first, have, file_bytes, &lead, &text, err);
    if (status == ASHLAR_OK) /* the text is shorter than the buffer */
        status = ashi_file_read(f->fd, store->place.path, f->buffer, text, lead, err);
    if (status == ASHLAR_OK)
        status = ashi_npy_parse(store->place.path, f->buffer, text, &store->info, &f->swapped, err);
    f->start = lead + text;
    return status == ASHLAR_OK ? check_bytes(store, f->start, file_bytes, err) : status;
}

static ashlar_status npy_open(ashi_store *store, ashlar_error *err)
{
    int64_t bytes = 0;
    ashlar_status status = make_state(store, err);
    if (status != ASHLAR_OK)
        return status;
    npy *f = store->state;
    f->own_fd = true;
    status = ashi_file_open(store->place.path, &f->fd, &bytes, err);
    return status == ASHLAR_OK ? read_header(store, bytes, err) : status;
}

/* Have the disk promise the file's whole length now, so that a full one is an error before anything is computed. */
static ashlar_status reserve(const ashi_store *store, int64_t bytes, ashlar_error *err)
{
    const npy *f = store->state;
    int code;
    do
        code = posix_fallocate(f->fd, 0, bytes);
    while (code == EINTR);
    if (code == EOPNOTSUPP || code == EINVAL)
        code = ftruncate(f->fd, bytes) == 0 ? 0 : errno;
    return code == 0 ? ASHLAR_OK : ashi_fail_errno(err, store->place.path, "cannot be made long enough", code);
}

static ashlar_status npy_create(ashi_store *store, ashlar_error *err)
{
    char header[ASHI_NPY_WRITTEN_MAX];
    ashlar_status status = make_state(store, err);
    if (status != ASHLAR_OK)
        return status;
    npy *f = store->state;
    f->fd = store->output.fd;
    f->start = ashi_npy_make(&store->info, header);
    const int64_t elements = store->info.rows * store->info.cols; /* checked when the store was made */
    int64_t total;
    if (!ashi_add(f->start, elements * (int64_t)ashlar_type_bytes(store->info.type), &total))
        return ashi_fail_file(err, ASHLAR_ERR_OVERFLOW, store->place.path, "too large for a file");
    status = reserve(store, total, err);
    if (status == ASHLAR_OK)
        status = ashi_file_write(f->fd, store->place.path, header, f->start, 0, err);
    return status;
}

/* The header is written by the creator and follows from info, so it is compared, not parsed. */
static ashlar_status npy_join(ashi_store *store, const char *temporary, ashlar_error *err)
{
    char wanted[ASHI_NPY_WRITTEN_MAX], found[ASHI_NPY_WRITTEN_MAX];
    ashlar_status status = make_state(store, err);
    if (status != ASHLAR_OK)
        return status;
    npy *f = store->state;
    do
        f->fd = open(temporary, O_RDWR | O_CLOEXEC);
    while (f->fd < 0 && errno == EINTR);
    if (f->fd < 0)
        return ashi_fail_errno(err, temporary, "cannot be joined", errno);
    f->own_fd = true;
    f->start = ashi_npy_make(&store->info, wanted);
    status = ashi_file_read(f->fd, temporary, found, f->start, 0, err);
    if (status == ASHLAR_OK && memcmp(found, wanted, (size_t)f->start) != 0)
        status = ashi_fail_file(err, ASHLAR_ERR_ARG, temporary, "was created for another matrix");
    return status;
}

/* Publishing syncs the creator's file; a joined one must be safe before its process says that it is done. */
static ashlar_status npy_finish(ashi_store *store, ashlar_error *err)
{
    const npy *f = store->state;
    return f->own_fd ? ashi_file_sync(f->fd, store->place.path, err) : ASHLAR_OK;
}

static void npy_close(ashi_store *store)
{
    npy *f = store->state;
    if (!f)
        return;
    if (f->own_fd && f->fd >= 0)
        close(f->fd);
    free(f->buffer);
    free(f);
    store->state = NULL;
}

const ashi_format ashi_format_npy = {
    .name = ".npy",
    .endings = {".npy"},
    .shared_writing = true,
    .open = npy_open,
    .create = npy_create,
    .join = npy_join,
    .read = npy_read,
    .write = npy_write,
    .finish = npy_finish,
    .close = npy_close,
};
