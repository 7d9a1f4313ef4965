/* Matrices in files: the public calls, agreed on all ranks. */
#include "plan/files.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/structure.h"
#include "layout/layout.h"
#include "plan/check.h"
#include "plan/resume.h"
#include "store/ending.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The part of what is held beside a memory limit that unpacking may use. */
#define FREE_BYTES (INT64_C(16) << 20)

/* FNV-1a. */
static int64_t digest_of(const char *text)
{
    uint64_t digest = 0xCBF29CE484222325u;
    for (; *text; text++)
        digest = (digest ^ (unsigned char)*text) * 0x100000001B3u;
    return (int64_t)(digest >> 1);
}

static int64_t digest_of_shape(const ashi_store_info *info)
{
    uint64_t digest = 0;
    for (int d = 0; d < ashi_min(ashi_max(info->dimensions, 0), ASHI_DIMENSIONS_MAX); d++)
        digest = ashi_hash(digest, info->extent[d]);
    return (int64_t)(digest >> 1);
}

/* What opening and creating are asked for. */
typedef struct asked {
    const char *who;
    ashlar_context *context;
    const char *place;
    bool resumes;                /* creating */
    bool tensor;                 /* of any number of dimensions */
    const ashi_store_info *info; /* creating; NULL: open */
} asked;

/* A file without its store; NULL arguments are refused. Local. */
static ashlar_status begin(const asked *q, ashlar_file **out, ashlar_file **made, ashlar_error *err)
{
    if (!q->place || !out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s is NULL", q->who, q->place ? "out" : "place");
    ashlar_file *file = calloc(1, sizeof *file);
    if (!file)
        return ashi_fail_memory(err, q->who, (int64_t)sizeof *file);
    file->context = q->context;
    file->place = strdup(q->place);
    *made = file;
    return file->place ? ASHLAR_OK : ashi_fail_memory(err, q->who, (int64_t)strlen(q->place) + 1);
}

/* The ranks of several nodes may see different files under one name. */
static ashlar_status same_matrix(const asked *q, const ashlar_file *file, ashlar_error *err)
{
    const ashi_store_info *i = &file->info;
    const ashi_store_chunks chunks = ashi_store_packed(file->store);
    const ashi_shared values[] = {
        {file->place, i->rows}, {file->place, i->cols}, {file->place, (int64_t)i->type}, {file->place, chunks.bytes},
        {file->place, chunks.rows}, {file->place, chunks.cols}, {file->place, digest_of_shape(i)}};
    return ashi_same(file->context, q->who, values, (int)(sizeof values / sizeof values[0]), err);
}

static ashlar_status open_on_all(const asked *q, ashlar_status status, ashlar_file *file, ashlar_error *err)
{
    if (status == ASHLAR_OK)
        status = (q->tensor ? ashi_store_open_tensor : ashi_store_open)(q->place, &file->store, &file->info, err);
    status = ashi_agree_named(q->context, status, err);
    return status == ASHLAR_OK ? same_matrix(q, file, err) : status;
}

/* Tell every rank the name of the temporary file, and open it there. Collective. */
static ashlar_status join(ashlar_file *file, ashlar_error *err)
{
    const ashlar_context *context = file->context;
    const bool first = context->rank == 0;
    const char *name = first ? ashi_store_temporary(file->store) : NULL;
    int64_t length = name ? (int64_t)strlen(name) + 1 : 0;
    ashi_note(context, MPI_Bcast(&length, 1, MPI_INT64_T, 0, context->comm), "MPI_Bcast");
    char *text = length > 0 ? calloc((size_t)length, 1) : NULL;
    ashlar_status status = text ? ASHLAR_OK : ashi_fail_memory(err, "ashlar_file_create", length);
    status = ashi_agree_named(context, status, err);
    if (status == ASHLAR_OK) {
        if (first)
            memcpy(text, name, (size_t)length);
        ashi_note(context, MPI_Bcast(text, (int)length, MPI_CHAR, 0, context->comm), "MPI_Bcast");
        status = ashi_agree(context, ASHLAR_OK, err);
    }
    if (status != ASHLAR_OK) {
        free(text);
        return status;
    }
    file->temporary = text;
    if (!first)
        status = ashi_store_join(file->place, text, &file->info, &file->store, err);
    return ashi_agree_named(context, status, err);
}

/* Rank 0 creates the file, or takes over what was left of it; the order is what the format makes of it. Collective. */
static ashlar_status create(ashlar_file *file, ashlar_error *err)
{
    const ashlar_context *context = file->context;
    ashlar_status status = ASHLAR_OK;
    int what[2] = {0, 0};
    if (context->rank == 0) {
        status = file->resumes ? ashi_store_resume(file->place, &file->info, &file->store, &file->found, err)
                               : ashi_store_create_shared(file->place, &file->info, &file->store, err);
        what[0] = file->store ? (int)ashi_store_order(file->store) : 0;
        what[1] = file->found;
    }
    status = ashi_agree(context, status, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_note(context, MPI_Bcast(what, 2, MPI_INT, 0, context->comm), "MPI_Bcast");
    file->info.order = (ashlar_order)what[0];
    file->found = what[1] != 0;
    return join(file, err);
}

static ashlar_status create_on_all(const asked *q, ashlar_status status, ashlar_file *file, ashlar_error *err)
{
    const ashi_store_info *info = q->info;
    const ashi_shared values[] = {{"the type", (int64_t)info->type}, {"rows", info->rows}, {"cols", info->cols},
                                  {"the order", (int64_t)info->order},
                                  {"the place", q->place ? digest_of(q->place) : 0},
                                  {"the extents", info->tensor ? digest_of_shape(info) : 0}};
    status = ashi_agree_same(q->context, status, q->who, values, (int)(sizeof values / sizeof values[0]), err);
    if (status != ASHLAR_OK)
        return status;
    file->created = true;
    file->resumes = q->resumes;
    file->info = *info;
    return create(file, err);
}

/* A file with its store on all ranks; *out is NULL on failure. */
static ashlar_status make(const asked *q, ashlar_file **out, ashlar_error *err)
{
    ashlar_file *file = NULL;
    ashlar_error own = {0};
    err = err ? err : &own;
    if (!q->context)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: context is NULL", q->who);
    if (out)
        *out = NULL;
    ashlar_status status = begin(q, out, &file, err);
    status = q->info ? create_on_all(q, status, file, err) : open_on_all(q, status, file, err);
    if (status == ASHLAR_OK)
        *out = file;
    else
        ashlar_file_close(&file);
    return status;
}

ashlar_status ashlar_file_open(ashlar_context *context, const char *place, ashlar_file **out, ashlar_error *err)
{
    const asked q = {.who = "ashlar_file_open", .context = context, .place = place};
    return make(&q, out, err);
}

ashlar_status ashlar_file_create(ashlar_context *context, const char *place, ashlar_type type, int64_t rows,
                                 int64_t cols, ashlar_order order, ashlar_file **out, ashlar_error *err)
{
    const ashi_store_info info = {.type = type, .rows = rows, .cols = cols, .order = order};
    const asked q = {"ashlar_file_create", context, place, .info = &info};
    return make(&q, out, err);
}

ashlar_status ashlar_file_resume(ashlar_context *context, const char *place, ashlar_type type, int64_t rows,
                                 int64_t cols, ashlar_order order, ashlar_file **out, ashlar_error *err)
{
    const ashi_store_info info = {.type = type, .rows = rows, .cols = cols, .order = order};
    const asked q = {"ashlar_file_resume", context, place, .resumes = true, .info = &info};
    return make(&q, out, err);
}

ashlar_status ashi_tensor_file_open(ashlar_context *context, const char *who, const char *place, ashlar_file **out,
                                    ashlar_error *err)
{
    const asked q = {.who = who, .context = context, .place = place, .tensor = true};
    return make(&q, out, err);
}

ashlar_status ashi_tensor_file_create(ashlar_context *context, const char *who, const char *place,
                                      const ashi_store_info *info, bool resumes, ashlar_file **out, ashlar_error *err)
{
    const asked q = {who, context, place, .resumes = resumes, .tensor = true, .info = info};
    return make(&q, out, err);
}

ashlar_status ashlar_file_describe_sized(const ashlar_file *file, ashlar_file_info *out, size_t size,
                                         ashlar_error *err)
{
    if (!file || !out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_file_describe: %s is NULL", file ? "out" : "file");
    const ashlar_file_info info = {.type = file->info.type, .order = file->info.order, .rows = file->info.rows,
                                   .cols = file->info.cols};
    ashi_structure_give(&info, sizeof info, out, size);
    return ASHLAR_OK;
}

/* ---- whole matrices ---- */

/* What a rank can see for itself of a matrix to be moved. */
static ashlar_status check_move(const char *who, const ashlar_file *file, const ashlar_layout *layout,
                                const void *data, ashlar_error *err)
{
    const int rank = file->context->rank;
    if (!layout)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: layout is NULL", who);
    const ashlar_status status = ashi_check_layout(file->context, layout, file->place, err);
    if (status != ASHLAR_OK)
        return status;
    if (layout->row.size != file->info.rows || layout->col.size != file->info.cols)
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "%s: the layout is %" PRId64 " x %" PRId64 ", wanted %" PRId64 " x %" PRId64 " as in %.200s",
                         who, layout->row.size, layout->col.size, file->info.rows, file->info.cols, file->place);
    if (ashlar_layout_words(layout, rank) == 0)
        return ASHLAR_OK;
    if (ashi_layout_needs_pointers(layout, rank))
        return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: %s: the layout has no offsets, wanted one array a rank", rank,
                         who);
    return data ? ASHLAR_OK : ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: %s: data is NULL", rank, who);
}

static int64_t digest_of_layout(const ashlar_layout *layout)
{
    return layout ? (int64_t)(ashi_layout_digest(layout) >> 1) : -1;
}

/* Arguments, and that the layout is one on all ranks. */
static ashlar_status agree_move(const char *who, const ashlar_file *file, bool writes, const ashlar_layout *layout,
                                const void *data, ashlar_error *err)
{
    ashlar_status status = check_move(who, file, layout, data, err);
    if (status == ASHLAR_OK && writes != file->created)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "%s: %.300s was %s", who, file->place,
                           writes ? "opened for reading" : "created for writing");
    if (status == ASHLAR_OK && file->ended)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "%s: %.300s is no longer open for writing", who, file->place);
    const ashi_shared values[] = {{"the layout", digest_of_layout(layout)}};
    return ashi_agree_same(file->context, status, who, values, 1, err);
}

ashlar_status ashlar_file_read(ashlar_file *file, const ashlar_layout *layout, void *data, ashlar_error *err)
{
    static const char who[] = "ashlar_file_read";
    ashlar_error own = {0};
    err = err ? err : &own;
    if (!file)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: file is NULL", who);
    ashlar_status status = agree_move(who, file, false, layout, data, err);
    if (status == ASHLAR_OK)
        status = ashi_agree_named(file->context,
                                  ashi_file_read_part(file, file->info.type, layout, ashi_file_begin, data, NULL, err),
                                  err);
    return ashi_conclude(file->context, status, err);
}

ashlar_status ashlar_file_write(ashlar_file *file, const ashlar_layout *layout, const void *data, ashlar_error *err)
{
    static const char who[] = "ashlar_file_write";
    ashlar_error own = {0};
    err = err ? err : &own;
    if (!file)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: file is NULL", who);
    ashlar_status status = agree_move(who, file, true, layout, data, err);
    if (status == ASHLAR_OK)
        status = ashi_resume_none(file, err);
    if (status == ASHLAR_OK) {
        status = ashi_agree_named(file->context,
                                  ashi_file_write_part(file, layout, ashi_file_begin, data, NULL, err), err);
        file->failed = file->failed || status != ASHLAR_OK;
    }
    return ashi_conclude(file->context, status, err);
}

/* ---- the end ---- */

ashlar_status ashi_file_end(ashlar_file *file, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    if (file->whole) {
        file->ended = true;
        return ashi_file_end(file->whole, err);
    }
    if (file->ended || !file->temporary) /* it is not stored */
        return ASHLAR_OK;
    if (file->context->rank != 0) /* what this rank has written is on the disk before all agree that it is */
        status = ashi_store_close(&file->store, err);
    status = ashi_agree_named(file->context, status, err);
    if (status == ASHLAR_OK && file->context->rank == 0)
        status = ashi_store_finish(file->store, err);
    status = ashi_agree(file->context, status, err);
    file->ended = true;
    return status;
}

ashlar_status ashlar_file_publish(ashlar_file *file, ashlar_error *err)
{
    static const char who[] = "ashlar_file_publish";
    ashlar_error own = {0};
    err = err ? err : &own;
    if (!file)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: file is NULL", who);
    ashlar_status status = ASHLAR_OK;
    if (!file->created)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "%s: %.300s was opened for reading", who, file->place);
    else if (file->failed)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "%s: %.300s is not complete, since writing it failed", who,
                           file->place);
    status = ashi_agree(file->context, status, err);
    if (status == ASHLAR_OK && file->added)
        return ashi_conclude(file->context, status, err);
    if (status == ASHLAR_OK)
        status = ashi_file_end(file, err);
    if (status == ASHLAR_OK && file->context->rank == 0 && file->temporary)
        status = ashi_store_publish(file->store, err);
    return ashi_conclude(file->context, ashi_agree(file->context, status, err), err);
}

void ashlar_file_close(ashlar_file **file)
{
    if (!file || !*file)
        return;
    if ((*file)->complete && (*file)->context->rank == 0 && (*file)->store && !(*file)->whole)
        ashi_store_forget((*file)->store);
    ashi_store_close(&(*file)->store, NULL);
    if ((*file)->record && ashi_ending_forget((*file)->record))
        free((*file)->record); /* else a signal's handler may be reading it, and the process ends */
    if (!(*file)->whole)
        free((*file)->temporary);
    free((*file)->place);
    free(*file);
    *file = NULL;
}

int64_t ashi_file_unpacking(const ashlar_file *file)
{
    const int64_t bytes = file->store && !file->created ? ashi_store_packed(file->store).bytes : 0;
    return bytes > FREE_BYTES ? bytes : 0;
}
