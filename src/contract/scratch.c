/* Scratch files: what a step of a contraction writes and a later one reads. */
#include "contract/scratch.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char who[] = "ashlar_contraction_plan_create";

ashlar_status ashi_scratch_prefix(const ashlar_tensor_file *output, char **out, ashlar_error *err)
{
    const char *folder = getenv(ASHI_SCRATCH_FOLDER);
    const bool named = folder && folder[0];
    char *path = output->file->temporary ? ashi_store_path(output->file->place) : strdup("contraction");
    *out = NULL;
    if (!named && !output->file->temporary) {
        free(path);
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: a function takes the output: name a folder for scratch files in %s",
                         who, ASHI_SCRATCH_FOLDER);
    }
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *name = slash ? slash + 1 : path;
    const size_t room = path ? strlen(path) + (named ? strlen(folder) : 0) + 2 : 0;
    char *prefix = path ? malloc(room) : NULL;
    if (prefix && named)
        snprintf(prefix, room, "%s/%s", folder, name);
    else if (prefix)
        snprintf(prefix, room, "%s", path);
    free(path);
    *out = prefix;
    return prefix ? ASHLAR_OK : ashi_fail_memory(err, who, (int64_t)room);
}

ashlar_status ashi_scratch_create(const ashlar_contraction_plan *plan, const char *prefix, int s, int order,
                                  const int64_t *extent, ashi_scratch *out, ashlar_error *err)
{
    static const char ending[] = "-step00.npy";
    const size_t room = strlen(prefix) + sizeof ending;
    char *place = malloc(room);
    ashlar_status status = place ? ASHLAR_OK : ashi_fail_memory(err, who, (int64_t)room);
    if (place)
        snprintf(place, room, "%s-step%02d.npy", prefix, s + 1);
    status = ashi_agree_named(plan->context, status, err);
    if (status == ASHLAR_OK)
        status = ashlar_tensor_create(plan->context, place, plan->type, order, extent, &out->written, err);
    free(place);
    return status;
}

ashlar_status ashi_scratch_turn(ashi_scratch *scratch, ashlar_error *err)
{
    const ashlar_context *context = scratch->written->context;
    ashlar_tensor_file *read = calloc(1, sizeof *read);
    ashlar_status status = ashi_agree_named(
        context, read ? ASHLAR_OK : ashi_fail_memory(err, who, (int64_t)sizeof *read), err);
    scratch->read = read;
    if (status != ASHLAR_OK)
        return status;
    read->context = scratch->written->context;
    status = ashi_tensor_file_reopen(scratch->written->file, &read->file, err);
    return status == ASHLAR_OK ? ashi_ranges_read("", &read->file->info, read, err) : status;
}

void ashi_scratch_close(ashi_scratch *scratch)
{
    ashlar_tensor_close(&scratch->read);
    ashlar_tensor_close(&scratch->written);
}
