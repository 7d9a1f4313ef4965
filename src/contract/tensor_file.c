/* Tensors in files: the public calls, agreed on all ranks. */
#include "contract/tensor_file.h"

#include "base/error.h"
#include "base/structure.h"

#include <stdlib.h>
#include <string.h>

/* What a call makes a tensor of. */
typedef struct asked {
    const char *who;
    ashlar_context *context;
    const char *place; /* NULL: a function */
    bool creates, resumes;
    ashlar_type type;
    int order;
    const int64_t *extent;
    ashi_store_function function;
} asked;

/* ---- arguments ---- */

/* The shape of what is created or made. */
static ashlar_status take_info(const asked *q, ashi_store_info *out, ashlar_error *err)
{
    *out = (ashi_store_info){.type = q->type, .order = ASHLAR_ROW_MAJOR, .tensor = true, .dimensions = q->order};
    if (q->order < 0 || q->order > ASHLAR_TENSOR_ORDER_MOST)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: order = %d, wanted 0 to %d", q->who, q->order,
                         ASHLAR_TENSOR_ORDER_MOST);
    if (q->order > 0 && !q->extent)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: extent is NULL", q->who);
    for (int d = 0; d < q->order; d++)
        out->extent[d] = q->extent[d];
    return ASHLAR_OK;
}

/* ---- making ---- */

static ashlar_status open_place(const asked *q, ashlar_tensor_file *file, ashlar_error *err)
{
    const size_t bytes = q->place ? ashi_ranges_begin(q->place) : 0;
    char *place = q->place ? strndup(q->place, bytes) : NULL;
    ashlar_status status = !q->place || place ? ASHLAR_OK : ashi_fail_memory(err, q->who, (int64_t)bytes + 1);
    status = ashi_agree_named(q->context, status, err);
    if (status == ASHLAR_OK)
        status = ashi_tensor_file_open(q->context, q->who, place, &file->file, err);
    free(place);
    if (status != ASHLAR_OK)
        return status;
    return ashi_agree(q->context, ashi_ranges_read(q->place, &file->file->info, file, err), err);
}

static ashlar_status create_place(const asked *q, ashlar_tensor_file *file, ashlar_error *err)
{
    ashi_store_info info;
    ashlar_status status = take_info(q, &info, err);
    if (status == ASHLAR_OK && q->place && q->place[ashi_ranges_begin(q->place)])
        status = ashi_fail(err, ASHLAR_ERR_ARG, "%.200s: ranges of what is created, wanted none", q->place);
    status = ashi_agree(q->context, status, err);
    if (status == ASHLAR_OK)
        status = ashi_tensor_file_create(q->context, q->who, q->place, &info, q->resumes, &file->file, err);
    return status == ASHLAR_OK ? ashi_ranges_read("", &file->file->info, file, err) : status;
}

static ashlar_status make_function(const asked *q, ashlar_tensor_file *file, ashlar_error *err)
{
    ashi_store_info info;
    ashlar_status status = take_info(q, &info, err);
    if (status == ASHLAR_OK && !q->function.produce && !q->function.consume)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "%s: the function is NULL", q->who);
    if (status == ASHLAR_OK)
        status = ashi_tensor_file_make(q->context, &info, &q->function, &file->file, err);
    status = ashi_agree_named(q->context, status, err);
    return status == ASHLAR_OK ? ashi_ranges_read("", &file->file->info, file, err) : status;
}

/* *out is NULL on failure. */
static ashlar_status make(const asked *q, ashlar_status (*by)(const asked *, ashlar_tensor_file *, ashlar_error *),
                          ashlar_tensor_file **out, ashlar_error *err)
{
    ashlar_error own = {0};
    err = err ? err : &own;
    if (!q->context)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: context is NULL", q->who);
    if (out)
        *out = NULL;
    ashlar_tensor_file *file = calloc(1, sizeof *file);
    ashlar_status status = file ? ASHLAR_OK : ashi_fail_memory(err, q->who, (int64_t)sizeof *file);
    if (status == ASHLAR_OK && !out)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "%s: out is NULL", q->who);
    status = ashi_agree_named(q->context, status, err);
    if (status == ASHLAR_OK) {
        file->context = q->context;
        status = by(q, file, err);
    }
    if (status == ASHLAR_OK)
        *out = file;
    else
        ashlar_tensor_close(&file);
    return status;
}

ashlar_status ashlar_tensor_open(ashlar_context *context, const char *place, ashlar_tensor_file **out,
                                 ashlar_error *err)
{
    const asked q = {.who = "ashlar_tensor_open", .context = context, .place = place};
    return make(&q, open_place, out, err);
}

ashlar_status ashlar_tensor_create(ashlar_context *context, const char *place, ashlar_type type, int order,
                                   const int64_t *extent, ashlar_tensor_file **out, ashlar_error *err)
{
    const asked q = {.who = "ashlar_tensor_create", .context = context, .place = place, .creates = true, .type = type,
                     .order = order, .extent = extent};
    return make(&q, create_place, out, err);
}

ashlar_status ashlar_tensor_resume(ashlar_context *context, const char *place, ashlar_type type, int order,
                                   const int64_t *extent, ashlar_tensor_file **out, ashlar_error *err)
{
    const asked q = {.who = "ashlar_tensor_resume", .context = context, .place = place, .creates = true,
                     .resumes = true, .type = type, .order = order, .extent = extent};
    return make(&q, create_place, out, err);
}

ashlar_status ashlar_tensor_from_function(ashlar_context *context, ashlar_type type, int order, const int64_t *extent,
                                          ashlar_tensor_produce produce, void *user, ashlar_tensor_file **out,
                                          ashlar_error *err)
{
    const asked q = {.who = "ashlar_tensor_from_function", .context = context, .type = type, .order = order,
                     .extent = extent, .function = {.produce = produce, .user = user}};
    return make(&q, make_function, out, err);
}

ashlar_status ashlar_tensor_to_function(ashlar_context *context, ashlar_type type, int order, const int64_t *extent,
                                        ashlar_tensor_consume consume, void *user, ashlar_tensor_file **out,
                                        ashlar_error *err)
{
    const asked q = {.who = "ashlar_tensor_to_function", .context = context, .creates = true, .type = type,
                     .order = order, .extent = extent, .function = {.consume = consume, .user = user}};
    return make(&q, make_function, out, err);
}

/* ---- the rest ---- */

ashlar_status ashlar_tensor_describe_sized(const ashlar_tensor_file *file, ashlar_tensor_info *out, size_t size,
                                           ashlar_error *err)
{
    if (!file || !out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_tensor_describe: %s is NULL", file ? "out" : "file");
    ashi_structure_give(&file->info, sizeof file->info, out, size);
    return ASHLAR_OK;
}

ashlar_status ashlar_tensor_publish(ashlar_tensor_file *file, ashlar_error *err)
{
    if (!file)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_tensor_publish: file is NULL");
    return ashlar_file_publish(file->file, err);
}

void ashlar_tensor_close(ashlar_tensor_file **file)
{
    if (!file || !*file)
        return;
    ashlar_file_close(&(*file)->file);
    free(*file);
    *file = NULL;
}
