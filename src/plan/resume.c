/* Going on from what an earlier run has finished: all ranks agree where to begin. */
#include "plan/resume_text.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "store/file.h"
#include "store/leftover.h"

#include <math.h>
#include <string.h>

static const char in_memory[] = "the product is formed in memory\n";
/* ---- where to begin ---- */

static int64_t bytes_of_sums(const ashlar_file *file)
{
    const ashi_store_info *info = file->whole ? &file->whole->info : &file->info; /* sums lie as the elements */
    return info->rows * info->cols * (int64_t)ashlar_type_bytes(info->type);
}

/* Rank 0 reads what was made. *found: it can be gone on with; what is damaged cannot. */
static ashlar_status look(const ashi_resume *r, bool *found, ashlar_error *err)
{
    char was[ASHI_RECORD_TEXT];
    *found = false;
    if (!r->file->found)
        return ASHLAR_OK;
    ashlar_status status = ashi_record_read(r->file->temporary, was, err);
    if (status == ASHLAR_OK && was[0])
        status = ashi_resume_compare(r->file->place, was, r->text, err);
    *found = status == ASHLAR_OK && was[0];
    return status;
}

/* The least of all ranks' items is what they begin with. */
enum { ITEMS, EPOCH, SUMS, FINDINGS }; /* SUMS: the file beside C's is there */

/* Of all products, as many items each as the first rank has. */
static int64_t items_of(const ashi_resume *r, const ashi_nest_turns *most)
{
    return ashi_mul_most(ashi_max(r->series->count, 1), most->all);
}

/* What this rank finished: INT64_MAX if that is all that it has to do. */
static void find_own(const ashi_resume *r, const ashi_resume_request *q, ashi_record_entry last,
                     int64_t found[FINDINGS])
{
    const int64_t items = q->own.all, all = q->most.all;
    const bool ends = items > 0 && last.items % all >= items; /* its part of a product */
    const int64_t done = ends ? last.items - last.items % all + all : last.items;
    found[ITEMS] = items == 0 || done >= items_of(r, &q->most) ? INT64_MAX : done;
    found[EPOCH] = items == 0 ? INT64_MAX : last.epoch;
    found[SUMS] = ashi_record_has_sums(r->file->temporary, bytes_of_sums(r->file));
}

/* All begin with what the slowest has finished. Between two epochs only the file beside C's, which must be there, has
 * the sums; without it they begin where no sum is half made. */
static void settle(ashi_resume *r, const ashi_nest_turns *turns, const int64_t least[FINDINGS])
{
    ashi_series *const s = r->series;
    if (turns->all == 0)
        return;
    const int64_t done = ashi_min(least[ITEMS], items_of(r, turns));
    s->from = done / turns->all;
    s->items = done % turns->all;
    if (s->items % turns->sums != 0 && least[SUMS] && least[EPOCH] > 0 && least[EPOCH] < INT64_MAX)
        s->epoch = least[EPOCH];
    else
        s->items -= s->items % turns->sums;
    s->part = (double)(s->from * turns->all + s->items) / (double)items_of(r, turns);
}

/* Where this product begins, of those of the series. */
static void place(ashi_resume *r, const ashi_nest_turns *turns)
{
    const ashi_series *const s = r->series;
    r->base = s->index * turns->all;
    r->from = s->index < s->from ? turns->all : s->index == s->from ? s->items : 0;
    r->epoch = s->index == s->from && s->epoch > 0 && r->epoch > 0 ? s->epoch : r->epoch;
}

/* This rank's place in the record. What it made of other elements than are in memory now cannot be gone on with. */
static ashlar_status open_own(ashi_resume *r, ashi_record_entry *last, ashlar_error *err)
{
    const ashlar_status status =
        ashi_record_open(r->file->temporary, r->file->context->rank, &r->record, last, err);
    if (status != ASHLAR_OK || last->items == 0 || last->memory == ashi_resume_memory(r))
        return status;
    return ashi_fail_file(err, ASHLAR_ERR_ARG, r->file->place,
                          "the run to be resumed had other elements of the matrices in memory");
}

/* Collective; the status is this rank's own. What it is to form again it must not find finished later, because sums
 * that are complete are written over by some that are not. */
static ashlar_status agree_where(ashi_resume *r, const ashi_resume_request *q, ashlar_error *err)
{
    const ashlar_context *c = r->file->context;
    ashi_record_entry last = {0, 0, 0};
    int64_t own[FINDINGS], least[FINDINGS] = {0};
    ashlar_status status = ashi_agree_named(c, open_own(r, &last, err), err);
    if (status != ASHLAR_OK)
        return status;
    find_own(r, q, last, own);
    ashi_note(c, MPI_Allreduce(own, least, FINDINGS, MPI_INT64_T, MPI_MIN, c->comm), "MPI_Allreduce");
    status = ashi_agree(c, ASHLAR_OK, err);
    if (status != ASHLAR_OK)
        return status;
    settle(r, &q->most, least);
    const ashi_record_entry begins = {r->series->from * q->most.all + r->series->items,
                                      r->series->epoch > 0 ? r->series->epoch : r->epoch, last.memory};
    if (r->record.fd < 0 || (last.items == begins.items && last.epoch == begins.epoch))
        return ASHLAR_OK;
    return ashi_record_note(&r->record, begins, err);
}

/* What was recorded is no longer true. Rank 0. */
static void forget(ashlar_file *file)
{
    if (file->temporary)
        ashi_beside_remove(file->temporary);
    ashi_store_forget(file->store);
}

/* ---- the other file of sums ---- */

static ashlar_status make_sums(ashi_resume *r, ashlar_error *err)
{
    const ashlar_context *c = r->file->context;
    const int64_t bytes = bytes_of_sums(r->file);
    ashlar_status status = c->rank == 0 ? ashi_resume_open(r, err) : ASHLAR_OK;
    if (status == ASHLAR_OK && c->rank == 0)
        status = ashi_record_open_sums(r->file->temporary, bytes, true, &r->sums, err);
    status = ashi_agree(c, status, err);
    if (status == ASHLAR_OK && c->rank != 0)
        status = ashi_record_open_sums(r->file->temporary, bytes, false, &r->sums, err);
    return ashi_agree_named(c, status, err);
}

/* ---- beginning ---- */

int64_t ashi_resume_epoch(const ashi_nest *nest, double product_seconds, double sums_seconds, double seconds)
{
    const ashi_nest_turns turns = ashi_nest_turns_of(nest, 0);
    const bool one_team = nest->parts[0] == 1 && nest->parts[1] == 1;
    if (turns.sums <= turns.tile || !one_team)
        return 0;
    const double block = product_seconds / ((double)turns.all / (double)turns.tile);
    const double between = seconds > 0 ? seconds : fmax(ASHI_RECORD_SECONDS, ASHI_RECORD_PART * sums_seconds);
    const int64_t blocks = turns.sums / turns.tile;
    const double epoch = block > 0 ? ceil(between / block) : (double)blocks;
    return epoch < (double)blocks ? (int64_t)fmax(epoch, 1) : 0;
}

/* Whether anything is to be recorded or was: the file is one that all ranks write in place. */
static bool serves(const ashlar_file *file)
{
    return file->store && ashi_store_plain_of(file->store).fd >= 0;
}

/* The first product of a series, or the only one. Collective, the same on all ranks. */
static ashlar_status begin_series(ashi_resume *r, const ashi_resume_request *q, ashlar_error *err)
{
    const ashlar_context *c = r->file->context;
    bool found = false;
    int flag = 0;
    ashlar_status status = ashi_agree(c, c->rank == 0 ? look(r, &found, err) : ASHLAR_OK, err);
    if (status != ASHLAR_OK)
        return status;
    flag = found;
    ashi_note(c, MPI_Bcast(&flag, 1, MPI_INT, 0, c->comm), "MPI_Bcast");
    if (flag)
        status = agree_where(r, q, err);
    else if (c->rank == 0)
        forget(r->file);
    r->file->found = false;
    r->series->begun = true;
    ashi_resume_began(r);
    return ashi_agree_named(c, status, err); /* nobody writes before what is formed again is forgotten */
}

/* A later product: its record may be there. Collective, the same on all ranks. */
static ashlar_status continue_series(ashi_resume *r, ashlar_error *err)
{
    ashi_record_entry last;
    const ashlar_context *c = r->file->context;
    r->began = r->series->began;
    r->took = r->series->took;
    r->lost = r->lost || r->series->lost;
    r->summed = r->series->memory ? r->series->summed : -1;
    return ashi_agree_named(c, r->lost ? ASHLAR_OK : ashi_record_open(r->file->temporary, c->rank, &r->record, &last,
                                                                      err), err);
}

ashlar_status ashi_resume_begin(ashlar_plan *plan, const ashi_resume_request *q, ashi_resume *r,
                                ashlar_error *err)
{
    ashlar_file *file = plan->filed.file[ASHLAR_C];
    ashi_series *const series = &plan->filed.series;
    const ashlar_context *c = plan->context;
    *r = (ashi_resume){.file = file, .sums = -1, .record = ASHI_NO_RECORD, .seconds = plan->filed.checkpoint_seconds,
                       .lost = !serves(file), .memory = q->memory, .context = q->context, .summed = -1,
                       .series = series};
    if (series->count > 0 && series->memory) {
        r->memory = series->memory;
        r->context = series->context;
    }
    if (file->info.rows == 0 || file->info.cols == 0)
        return ASHLAR_OK;
    if (series->count == 0)
        *series = (ashi_series){0}; /* what is left of the last execution */
    r->epoch = file->resumes ? q->epoch : 0;
    if (c->rank == 0)
        ashi_resume_describe(plan, q, r->text);
    ashlar_status status = series->begun ? continue_series(r, err) : begin_series(r, q, err);
    if (status != ASHLAR_OK)
        return status;
    place(r, &q->most);
    return r->epoch > 0 ? make_sums(r, err) : ASHLAR_OK;
}

ashlar_status ashi_resume_none(ashlar_file *file, ashlar_error *err)
{
    const ashlar_context *c = file->context;
    char was[ASHI_RECORD_TEXT] = "";
    ashlar_status status = ASHLAR_OK;
    if (c->rank == 0 && file->found)
        status = ashi_record_read(file->temporary, was, err);
    if (c->rank == 0 && status == ASHLAR_OK && was[0])
        status = ashi_resume_compare(file->place, was, in_memory, err);
    if (c->rank == 0 && status == ASHLAR_OK)
        forget(file);
    status = ashi_agree(c, status, err);
    file->found = file->found && status != ASHLAR_OK;
    return status;
}
