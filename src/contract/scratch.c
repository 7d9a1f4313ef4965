/* Scratch files: what a step of a contraction writes and a later one reads. */
#include "contract/scratch.h"

#include "base/error.h"
#include "plan/resume_text.h"
#include "store/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char who[] = "ashlar_contraction_plan_create";

ashlar_status ashi_scratch_prefix(const ashlar_tensor_file *output, const char *given, char **out, ashlar_error *err)
{
    const char *const folder = given ? given : getenv(ASHI_SCRATCH_FOLDER);
    const bool named = folder && folder[0], stored = output && output->file->temporary;
    *out = NULL;
    if (!named && !stored)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s: name a folder for scratch files in options.scratch or %s", who,
                         output ? "a function takes the output" : "the output is in memory", ASHI_SCRATCH_FOLDER);
    char *path = stored ? ashi_store_path(output->file->place) : strdup("contraction");
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
                                  const int64_t *extent, bool resumes, ashi_scratch *out, ashlar_error *err)
{
    static const char ending[] = "-step00.npy";
    const size_t room = strlen(prefix) + sizeof ending;
    char *place = malloc(room);
    ashlar_status status = place ? ASHLAR_OK : ashi_fail_memory(err, who, (int64_t)room);
    if (place)
        snprintf(place, room, "%s-step%02d.npy", prefix, s + 1);
    status = ashi_agree_named(plan->context, status, err);
    if (status == ASHLAR_OK)
        status = (resumes ? ashlar_tensor_resume : ashlar_tensor_create)(plan->context, place, plan->type, order,
                                                                         extent, &out->written, err);
    free(place);
    if (status == ASHLAR_OK && !resumes && plan->context->node_ranks == plan->context->ranks)
        ashi_store_pass(out->written->file->store); /* other hosts may see only what is on the disk */
    return status;
}

static ashlar_status open_read(ashi_scratch *scratch, ashlar_error *err)
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

ashlar_status ashi_scratch_turn(ashi_scratch *scratch, const char *record, ashlar_error *err)
{
    ashlar_file *const file = scratch->written->file;
    const ashlar_context *context = scratch->written->context;
    ashlar_status status = open_read(scratch, err);
    if (status != ASHLAR_OK || !record)
        return status;
    if (context->rank == 0)
        status = ashi_record_create(file->temporary, record, err);
    if (context->rank == 0 && status == ASHLAR_OK)
        ashi_store_keep(file->store);
    return ashi_agree(context, status, err);
}

ashlar_status ashi_scratch_look(ashi_scratch *scratch, const char *record, bool *complete, ashlar_error *err)
{
    ashlar_file *const file = scratch->written->file;
    const ashlar_context *context = scratch->written->context;
    char was[ASHI_RECORD_TEXT] = "";
    int found = 0;
    ashlar_status status = ASHLAR_OK;
    if (context->rank == 0 && file->found)
        status = ashi_record_read(file->temporary, was, err);
    if (strncmp(was, ASHI_SCRATCH_COMPLETE, strlen(ASHI_SCRATCH_COMPLETE)) == 0) {
        status = ashi_resume_compare(file->place, was, record, err);
        found = status == ASHLAR_OK;
    }
    status = ashi_agree(context, status, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_note(context, MPI_Bcast(&found, 1, MPI_INT, 0, context->comm), "MPI_Bcast");
    *complete = found != 0;
    return *complete ? open_read(scratch, err) : ashi_agree(context, ASHLAR_OK, err);
}

void ashi_scratch_close(ashi_scratch *scratch, bool keeps)
{
    ashlar_tensor_close(&scratch->read);
    if (scratch->written)
        scratch->written->file->complete = !keeps;
    ashlar_tensor_close(&scratch->written);
}
