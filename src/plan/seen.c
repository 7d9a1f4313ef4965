/* Arrays of any number of dimensions in files: seen as matrices, read back, and made or taken by functions. */
#include "base/error.h"
#include "plan/files.h"

#include <stdlib.h>
#include <string.h>

ashlar_status ashi_tensor_file_make(ashlar_context *context, const ashi_store_info *info,
                                    const ashi_store_function *function, ashlar_file **out, ashlar_error *err)
{
    static const char place[] = "a function";
    ashlar_file *file = calloc(1, sizeof *file);
    *out = NULL;
    if (!file)
        return ashi_fail_memory(err, "plan", (int64_t)sizeof *file);
    file->context = context;
    file->created = function->consume != NULL;
    file->place = strdup(place);
    ashlar_status status = file->place ? ASHLAR_OK : ashi_fail_memory(err, "plan", (int64_t)sizeof place);
    if (status == ASHLAR_OK)
        status = ashi_store_make(info, function, &file->store, err);
    if (status == ASHLAR_OK)
        ashi_store_describe(file->store, &file->info);
    if (status == ASHLAR_OK)
        *out = file;
    else
        ashlar_file_close(&file);
    return status;
}

ashlar_status ashi_file_view(ashlar_file *whole, const ashi_unfolding *view, ashlar_file **out, ashlar_error *err)
{
    ashlar_file *file = calloc(1, sizeof *file);
    *out = NULL;
    if (!file)
        return ashi_fail_memory(err, "plan", (int64_t)sizeof *file);
    *file = *whole;
    file->whole = whole;
    file->store = NULL;
    file->record = NULL;
    file->place = strdup(whole->place);
    ashlar_status status = file->place ? ASHLAR_OK : ashi_fail_memory(err, "plan", (int64_t)strlen(whole->place) + 1);
    if (status == ASHLAR_OK)
        status = ashi_store_view(whole->store, view, &file->store, &file->info, err);
    if (status == ASHLAR_OK)
        *out = file;
    else
        ashlar_file_close(&file);
    return status;
}

void ashi_file_view_ends(ashlar_file *view)
{
    ashlar_file *whole = view->whole;
    if (!whole->created)
        return;
    whole->failed = whole->failed || view->failed;
    whole->complete = view->complete;
    whole->found = view->found;
    if (view->record) {
        free(whole->record);
        whole->record = view->record;
        view->record = NULL;
    }
}

/* The array of a view. */
static ashlar_status read_back_whole(const ashlar_file *file, const char *temporary, ashi_back *out, ashlar_error *err)
{
    ashi_store_info whole;
    const ashlar_status status = ashi_store_read_back_tensor(file->whole->place, temporary, &out->whole, &whole, err);
    return status == ASHLAR_OK ? ashi_store_view_again(file->store, out->whole, &out->store, &out->info, err) : status;
}

ashlar_status ashi_file_read_back(ashlar_file *file, ashi_back *out, ashlar_error *err)
{
    const ashlar_file *whole = file->whole ? file->whole : file;
    const bool first = file->context->rank == 0;
    *out = (ashi_back){0};
    ashlar_status status = ashi_file_end(file, err);
    if (status != ASHLAR_OK)
        return status;
    const char *temporary = first ? ashi_store_temporary(whole->store) : whole->temporary;
    if (file->whole)
        status = read_back_whole(file, temporary, out, err);
    else
        status = ashi_store_read_back(file->place, temporary, &out->store, &out->info, err);
    return ashi_agree_named(file->context, status, err);
}

ashlar_status ashi_tensor_file_reopen(ashlar_file *created, ashlar_file **out, ashlar_error *err)
{
    const bool first = created->context->rank == 0;
    *out = NULL;
    ashlar_status status = ashi_file_end(created, err);
    if (status != ASHLAR_OK)
        return status;
    const char *temporary = first ? ashi_store_temporary(created->store) : created->temporary;
    ashlar_file *file = calloc(1, sizeof *file);
    if (file)
        *file = (ashlar_file){.context = created->context, .place = strdup(created->place)};
    if (!file || !file->place)
        status = ashi_fail_memory(err, "plan", (int64_t)sizeof *file);
    if (status == ASHLAR_OK)
        status = ashi_store_read_back_tensor(created->place, temporary, &file->store, &file->info, err);
    status = ashi_agree_named(created->context, status, err);
    if (status == ASHLAR_OK)
        *out = file;
    else
        ashlar_file_close(&file);
    return status;
}

void ashi_back_close(ashi_back *back)
{
    ashi_store_close(&back->store, NULL);
    ashi_store_close(&back->whole, NULL);
}
