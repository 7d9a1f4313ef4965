/* Matrices in files: the calls, their arguments checked, over the table of formats. */
#include "store/store.h"

#include "base/checked.h"
#include "base/error.h"
#include "store/done.h"
#include "store/file.h"
#include "store/format.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A store of a place, with nothing opened yet. */
static ashlar_status make(const char *place, ashi_store_mode mode, ashi_store **out, ashlar_error *err)
{
    ashi_store *store = calloc(1, sizeof *store);
    if (!store)
        return ashi_fail_memory(err, "store", (int64_t)sizeof *store);
    store->mode = mode;
    store->output.fd = -1;
    store->array = ASHI_NO_ARRAY;
    const ashlar_status status = ashi_file_place_parse(place, &store->place, err);
    if (status == ASHLAR_OK)
        *out = store;
    else
        free(store);
    return status;
}

/* Closing what could not be made whole: its own errors say less than the one that led here. */
static ashlar_status abandon(ashi_store *store, ashlar_status status)
{
    if (store->place.format->close)
        store->place.format->close(store);
    ashi_file_array_close(&store->array);
    ashi_output_discard(&store->output);
    ashi_file_place_free(&store->place);
    free(store);
    return status;
}

/* Of which `temporary`, if it is not NULL, is the name before it is published. */
static ashlar_status open_either(const char *place, const char *temporary, bool tensor, ashi_store **out,
                                 ashi_store_info *info, ashlar_error *err)
{
    ashi_store *store = NULL;
    *out = NULL;
    ashlar_status status = make(place, ASHI_STORE_READING, &store, err);
    if (status != ASHLAR_OK)
        return status;
    store->info.tensor = tensor;
    store->unpublished = temporary != NULL;
    if (temporary) {
        free(store->place.path);
        store->place.path = strdup(temporary);
    }
    status = store->place.path ? store->place.format->open(store, err)
                               : ashi_fail_memory(err, "store", (int64_t)strlen(place) + 1);
    if (status != ASHLAR_OK)
        return abandon(store, status);
    *info = store->info;
    *out = store;
    return ASHLAR_OK;
}

ashlar_status ashi_store_open(const char *place, ashi_store **out, ashi_store_info *info, ashlar_error *err)
{
    return open_either(place, NULL, false, out, info, err);
}

ashlar_status ashi_store_open_tensor(const char *place, ashi_store **out, ashi_store_info *info, ashlar_error *err)
{
    return open_either(place, NULL, true, out, info, err);
}

ashlar_status ashi_store_read_back(const char *place, const char *temporary, ashi_store **out, ashi_store_info *info,
                                   ashlar_error *err)
{
    return open_either(place, temporary, false, out, info, err);
}

ashlar_status ashi_store_read_back_tensor(const char *place, const char *temporary, ashi_store **out,
                                          ashi_store_info *info, ashlar_error *err)
{
    return open_either(place, temporary, true, out, info, err);
}

/* A store to be written. */
static ashlar_status begin(const char *place, const ashi_store_info *info, ashi_store_mode mode, ashi_store **out,
                           ashlar_error *err)
{
    ashi_store *store = NULL;
    ashlar_status status = make(place, mode, &store, err);
    if (status != ASHLAR_OK)
        return status;
    if (info)
        store->info = *info;
    status = info ? ashi_store_check_shape(&store->info, err)
                  : ashi_fail(err, ASHLAR_ERR_ARG, "store: no element type given");
    if (status == ASHLAR_ERR_OVERFLOW)
        status = ashi_fail_file(err, status, place, "too many elements for a file");
    if (status == ASHLAR_OK && info->tensor && store->place.format == &ashi_format_mtx)
        status = ashi_fail_file(err, ASHLAR_ERR_ARG, place, "Matrix Market files are matrices, wanted .npy or HDF5");
    if (status == ASHLAR_OK && store->info.half && store->place.format == &ashi_format_mtx)
        status = ashi_fail_file(err, ASHLAR_ERR_ARG, place,
                                "Matrix Market files have no numbers of type h, wanted .npy or HDF5");
    if (status == ASHLAR_OK)
        *out = store;
    return status == ASHLAR_OK ? status : abandon(store, status);
}

/* How a matrix is created. */
typedef enum creating { ALONE, SHARED, RESUMED } creating;

static ashlar_status create_format(ashi_store *store, creating how, ashlar_error *err)
{
    const ashi_format *format = store->place.format;
    store->rendered = how != ALONE && format->render;
    return how != ALONE && format->create_shared ? format->create_shared(store, err) : format->create(store, err);
}

/* Into a new temporary file, or if it is resumed one that was left. */
static ashlar_status create(const char *place, const ashi_store_info *info, creating how, ashi_store **out, bool *found,
                            ashlar_error *err)
{
    ashi_store *store = NULL;
    *out = NULL;
    *found = false;
    ashlar_status status = begin(place, info, ASHI_STORE_CREATED, &store, err);
    if (status != ASHLAR_OK)
        return status;
    const ashi_format *format = store->place.format;
    if (how == RESUMED)
        status = ashi_output_resume(store->place.path, &store->output, found, err);
    else
        status = ashi_output_create(store->place.path, &store->output, err);
    store->rendered = format->render && *found;
    if (status == ASHLAR_OK)
        status = *found ? format->join(store, store->output.temporary, err) : create_format(store, how, err);
    if (status != ASHLAR_OK)
        return abandon(store, status);
    *out = store;
    return ASHLAR_OK;
}

ashlar_status ashi_store_create(const char *place, const ashi_store_info *info, ashi_store **out, ashlar_error *err)
{
    bool found;
    return create(place, info, ALONE, out, &found, err);
}

ashlar_status ashi_store_create_shared(const char *place, const ashi_store_info *info, ashi_store **out,
                                       ashlar_error *err)
{
    bool found;
    return create(place, info, SHARED, out, &found, err);
}

ashlar_status ashi_store_resume(const char *place, const ashi_store_info *info, ashi_store **out, bool *found,
                                ashlar_error *err)
{
    return create(place, info, RESUMED, out, found, err);
}

/* The store that has the file. */
static ashi_store *whole_of(ashi_store *store)
{
    return store->whole ? store->whole : store;
}

void ashi_store_keep(ashi_store *store)
{
    ashi_output_keep(&whole_of(store)->output);
}

void ashi_store_forget(ashi_store *store)
{
    ashi_output_forget(&whole_of(store)->output);
}

/* Where the elements lie in the file; all of the file if they do not lie there one by one. */
static ashi_file_part part_of(const ashi_store *store)
{
    int64_t bytes;
    const bool plain = store->array.fd >= 0 && ashi_mul(store->info.rows, store->info.cols, &bytes) &&
                       ashi_mul(bytes, ashi_store_element_bytes(&store->info), &bytes);
    return plain ? (ashi_file_part){store->array.start, bytes} : (ashi_file_part){0, -1};
}

/* The array of that name that there is so far. */
static ashlar_status existing_part(const ashi_store *store, ashi_file_part *out, ashlar_error *err)
{
    const char *const set = store->place.data_set;
    const size_t room = strlen(store->place.path) + (set ? strlen(set) : 0) + 2;
    char *const place = malloc(room);
    ashi_store *old = NULL;
    ashi_store_info info;
    if (!place)
        return ashi_fail_memory(err, "store", (int64_t)room);
    snprintf(place, room, "%s%s%s", store->place.path, set ? ":" : "", set ? set : "");
    const ashlar_status status = open_either(place, NULL, store->info.tensor, &old, &info, err);
    if (status == ASHLAR_OK) {
        *out = part_of(old);
        abandon(old, status);
    }
    free(place);
    return status;
}

ashlar_status ashi_store_adds(ashi_store *store, const char *text, bool *added, ashlar_error *err)
{
    ashi_store *const whole = whole_of(store);
    ashi_output *const out = &whole->output;
    ashi_done done = ASHI_NOT_DONE;
    ashi_file_part old = {0, -1};
    const ashi_file_part new = part_of(whole);
    *added = false;
    ashlar_status status = existing_part(whole, &old, err);
    if (status == ASHLAR_OK)
        status = ashi_output_adds(out, whole->place.data_set, text, &old, &new, err);
    if (status == ASHLAR_OK)
        status = ashi_done_look(out->done, &out->was, text, &done, err);
    if (status == ASHLAR_OK && done == ASHI_DONE_UNCLEAR)
        return ashi_fail_file(err, ASHLAR_ERR_ARG, out->path,
                              "the same was added by an earlier run, and the file was written since: remove %s to add "
                              "it once more", out->done);
    *added = done == ASHI_DONE;
    return status;
}

ashlar_status ashi_store_join(const char *place, const char *temporary, const ashi_store_info *info, ashi_store **out,
                              ashlar_error *err)
{
    ashi_store *store = NULL;
    *out = NULL;
    ashlar_status status = begin(place, info, ASHI_STORE_JOINED, &store, err);
    if (status != ASHLAR_OK)
        return status;
    const ashi_format *format = store->place.format;
    if (!temporary)
        status = ashi_fail_file(err, ASHLAR_ERR_ARG, place, "no temporary file to join");
    else
        status = format->join(store, temporary, err);
    if (status != ASHLAR_OK)
        return abandon(store, status);
    *out = store;
    return ASHLAR_OK;
}

void ashi_store_describe(const ashi_store *store, ashi_store_info *out)
{
    *out = store->info;
}

ashlar_order ashi_store_order(const ashi_store *store)
{
    return store->info.order;
}

ashi_store_plain ashi_store_plain_of(const ashi_store *store)
{
    const ashi_store *whole = store->whole ? store->whole : store;
    return (ashi_store_plain){whole->array.fd, whole->array.start, whole->array.swapped, &whole->array.direct,
                              store->whole ? &store->joined : NULL};
}

ashi_store_chunks ashi_store_packed(const ashi_store *store)
{
    return store->chunks;
}

const char *ashi_store_temporary(const ashi_store *store)
{
    return store->whole ? store->whole->output.temporary : store->output.temporary;
}

static const char *path_of(const ashi_store *store)
{
    return store->whole ? store->whole->place.path : store->place.path;
}

/* *empty tells that there is nothing to move. */
static ashlar_status check_box(const ashi_store *store, const ashi_file_box *box, const void *data, bool *empty,
                               ashlar_error *err)
{
    int64_t row_end, col_end;
    if (box->row < 0 || box->rows < 0 || box->col < 0 || box->cols < 0 || !ashi_add(box->row, box->rows, &row_end) ||
        !ashi_add(box->col, box->cols, &col_end) || row_end > store->info.rows || col_end > store->info.cols)
        return ashi_fail_file(err, ASHLAR_ERR_ARG, path_of(store),
                              "rows %" PRId64 " + %" PRId64 ", columns %" PRId64 " + %" PRId64
                              ", wanted a box inside %" PRId64 " x %" PRId64,
                              box->row, box->rows, box->col, box->cols, store->info.rows, store->info.cols);
    *empty = box->rows == 0 || box->cols == 0;
    if (!*empty && !data)
        return ashi_fail_file(err, ASHLAR_ERR_ARG, path_of(store), "no memory given for a box");
    return ASHLAR_OK;
}

/* A box of a matrix as the file's format sees it. */
static ashi_array_box array_box(const ashi_store *store, const ashi_file_box *box, int64_t row_stride,
                                int64_t col_stride)
{
    return (ashi_array_box){store->info.dimensions, {box->row, box->col}, {box->rows, box->cols},
                            {row_stride, col_stride}};
}

bool ashi_store_keep_halves(ashi_store *store, bool keep)
{
    if (!store->info.half || store->whole)
        return false;
    store->info.type = keep ? ASHLAR_TYPE_H : ASHLAR_TYPE_S;
    return true;
}

ashlar_status ashi_store_read(ashi_store *store, int64_t row, int64_t rows, int64_t col, int64_t cols, void *data,
                              int64_t row_stride, int64_t col_stride, ashlar_error *err)
{
    const ashi_file_box box = {row, rows, col, cols};
    bool empty = false;
    if (store->mode != ASHI_STORE_READING)
        return ashi_fail_file(err, ASHLAR_ERR_ARG, path_of(store), "is not open for reading");
    const ashlar_status status = check_box(store, &box, data, &empty, err);
    if (status != ASHLAR_OK || empty)
        return status;
    if (store->whole)
        return ashi_store_move_view(store, &box, data, row_stride, col_stride, false, err);
    if (store->array.fd >= 0)
        return ashi_file_array_read(&store->array, &store->info, store->place.path, &box, data, row_stride, col_stride,
                                    err);
    const ashi_array_box own = array_box(store, &box, row_stride, col_stride);
    return store->place.format->read(store, &own, data, err);
}

static ashlar_status write_box(ashi_store *store, const ashi_file_box *box, const void *data, int64_t row_stride,
                               int64_t col_stride, ashlar_error *err)
{
    if (store->whole) /* it is only read from where it is */
        return ashi_store_move_view(store, box, (char *)(uintptr_t)data, row_stride, col_stride, true, err);
    if (store->array.fd >= 0)
        return ashi_file_array_write(&store->array, &store->info, store->place.path, box, data, row_stride, col_stride,
                                     err);
    const ashi_array_box own = array_box(store, box, row_stride, col_stride);
    return store->place.format->write(store, &own, data, err);
}

ashlar_status ashi_store_write(ashi_store *store, int64_t row, int64_t rows, int64_t col, int64_t cols,
                               const void *data, int64_t row_stride, int64_t col_stride, ashlar_error *err)
{
    const ashi_file_box box = {row, rows, col, cols};
    ashi_store *whole = whole_of(store);
    bool empty = false;
    if (store->mode == ASHI_STORE_READING || whole->finished || whole->published)
        return ashi_fail_file(err, ASHLAR_ERR_ARG, path_of(store), "is not open for writing");
    ashlar_status status = check_box(store, &box, data, &empty, err);
    if (status != ASHLAR_OK || empty)
        return status;
    status = write_box(store, &box, data, row_stride, col_stride, err);
    whole->failed = whole->failed || status != ASHLAR_OK;
    return status;
}

void ashi_store_expect_parts(ashi_store *store)
{
    ashi_file_array *a = &whole_of(store)->array;
    if (a->fd < 0)
        return;
    posix_fadvise(a->fd, 0, 0, POSIX_FADV_RANDOM);
    if (a->direct.fd < 0)
        a->direct = ashi_direct_open(a->fd);
}

void ashi_store_rest(ashi_store *store)
{
    ashi_store *whole = whole_of(store);
    if (whole->mode == ASHI_STORE_READING && whole->place.format->rest)
        whole->place.format->rest(whole);
}

/* All that this process has written is in the file. */
static ashlar_status complete(ashi_store *store, ashlar_error *err)
{
    const ashi_format *format = store->place.format;
    const ashlar_status status = format->finish ? format->finish(store, err) : ASHLAR_OK;
    if (status != ASHLAR_OK || store->passing)
        return status;
    return ashi_file_array_finish(&store->array, store->place.path, err);
}

/* Nothing has failed so far, and the format agrees that the matrix is complete. */
static ashlar_status finish(ashi_store *store, const char *what, ashlar_error *err)
{
    if (store->mode != ASHI_STORE_CREATED || store->published)
        return ashi_fail_file(err, ASHLAR_ERR_ARG, store->place.path, "is not open for %s", what);
    if (store->failed)
        return ashi_fail_file(err, ASHLAR_ERR_ARG, store->place.path, "is not complete, since writing it failed");
    if (store->finished)
        return ASHLAR_OK;
    const ashlar_status status = complete(store, err);
    store->finished = status == ASHLAR_OK;
    store->failed = !store->finished;
    return status;
}

ashlar_status ashi_store_finish(ashi_store *store, ashlar_error *err)
{
    const ashlar_status status = finish(store, "finishing", err);
    if (status != ASHLAR_OK || store->passing)
        return status;
    return ashi_file_sync(store->output.fd, store->place.path, err);
}

void ashi_store_pass(ashi_store *store)
{
    store->passing = true;
}

ashlar_status ashi_store_publish(ashi_store *store, ashlar_error *err)
{
    ashlar_status status = finish(store, "publishing", err);
    if (status != ASHLAR_OK)
        return status;
    if (!store->output.adds)
        status = ashi_output_adds(&store->output, store->place.data_set, NULL, NULL, NULL, err);
    if (status != ASHLAR_OK)
        return status;
    status = store->rendered ? ashi_output_publish_as(&store->output, store->place.format->render, store, err)
                             : ashi_output_publish(&store->output, err);
    store->published = status == ASHLAR_OK;
    store->failed = !store->published;
    return status;
}

ashlar_status ashi_store_close(ashi_store **store, ashlar_error *err)
{
    if (!store || !*store)
        return ASHLAR_OK;
    ashi_store *s = *store;
    ashlar_status status = ASHLAR_OK;
    if (s->whole) {
        free(s);
        *store = NULL;
        return ASHLAR_OK;
    }
    if (s->mode == ASHI_STORE_JOINED)
        status = complete(s, err);
    *store = NULL;
    return abandon(s, status);
}
