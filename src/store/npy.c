/* NumPy's .npy files, versions 1.0 to 3.0, in either order of elements and of bytes. */
#include "store/format.h"

#include "base/checked.h"
#include "store/file.h"
#include "store/half_file.h"
#include "store/npy_header.h"

#include <inttypes.h>
#include <string.h>

/* The header claims rows and cols: is the file long enough? */
static ashlar_status check_bytes(const ashi_store *store, int64_t start, int64_t file_bytes, ashlar_error *err)
{
    const ashi_store_info *info = &store->info;
    int64_t elements, bytes;
    if (!ashi_mul(info->rows, info->cols, &elements) ||
        !ashi_mul(elements, ashi_store_element_bytes(info), &bytes))
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
    ashi_file_array *f = &store->array;
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

/* Elements that are converted are read through the state of the store, not through its array. */
static ashlar_status take_halves(ashi_store *store, ashlar_error *err)
{
    ashi_file_array *a = &store->array;
    const int fd = a->fd;
    a->fd = -1;
    ashi_half_file *file = NULL;
    const ashlar_status status = ashi_half_file_make(fd, a->start, a->swapped, &file, err);
    store->state = file;
    ashi_file_array_close(a);
    return status;
}

static ashlar_status npy_open(ashi_store *store, ashlar_error *err)
{
    int64_t bytes = 0;
    ashlar_status status = ashi_file_array_make_buffer(&store->array, err);
    if (status != ASHLAR_OK)
        return status;
    store->array.own_fd = true;
    status = ashi_file_open(store->place.path, &store->array.fd, &bytes, err);
    if (status == ASHLAR_OK)
        status = read_header(store, bytes, err);
    return status == ASHLAR_OK && store->info.half ? take_halves(store, err) : status;
}

static ashlar_status npy_read(ashi_store *store, const ashi_array_box *box, void *data, ashlar_error *err)
{
    return ashi_half_file_read(store->state, store, box, data, err);
}

static void npy_close(ashi_store *store)
{
    ashi_half_file_close(store->state);
    store->state = NULL;
}

static ashlar_status npy_create(ashi_store *store, ashlar_error *err)
{
    char header[ASHI_NPY_WRITTEN_MAX];
    ashi_file_array *f = &store->array;
    ashlar_status status = ashi_file_array_make_buffer(f, err);
    if (status != ASHLAR_OK)
        return status;
    f->fd = store->output.fd;
    f->start = ashi_npy_make(&store->info, header);
    const int64_t elements = store->info.rows * store->info.cols; /* checked when the store was made */
    int64_t total;
    if (!ashi_add(f->start, elements * (int64_t)ashlar_type_bytes(store->info.type), &total))
        return ashi_fail_file(err, ASHLAR_ERR_OVERFLOW, store->place.path, "too large for a file");
    status = ashi_file_array_reserve(f, store->place.path, total, err);
    if (status == ASHLAR_OK)
        status = ashi_file_write(f->fd, store->place.path, header, f->start, 0, err);
    return status;
}

/* The header is written by the creator and follows from info, so it is compared, not parsed. */
static ashlar_status npy_join(ashi_store *store, const char *temporary, ashlar_error *err)
{
    char wanted[ASHI_NPY_WRITTEN_MAX], found[ASHI_NPY_WRITTEN_MAX];
    ashi_file_array *f = &store->array;
    ashlar_status status = ashi_file_array_make_buffer(f, err);
    if (status == ASHLAR_OK)
        status = ashi_file_array_join(f, temporary, err);
    if (status != ASHLAR_OK)
        return status;
    f->start = ashi_npy_make(&store->info, wanted);
    status = ashi_file_read(f->fd, temporary, found, f->start, 0, err);
    if (status == ASHLAR_OK && memcmp(found, wanted, (size_t)f->start) != 0)
        status = ashi_fail_file(err, ASHLAR_ERR_ARG, temporary, "was created for another matrix");
    return status;
}

const ashi_format ashi_format_npy = {
    .name = ".npy",
    .endings = {".npy"},
    .open = npy_open,
    .create = npy_create,
    .join = npy_join,
    .read = npy_read, /* of halves */
    .close = npy_close,
};
