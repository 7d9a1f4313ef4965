/* Going on from what an earlier run has finished: what it made is compared, and all ranks agree where to begin. */
#define _POSIX_C_SOURCE 200809L
#include "plan/resume.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "exec/threads.h"
#include "store/file.h"
#include "store/leftover.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char in_memory[] = "the product is formed in memory\n";

/* ---- what is made ---- */

/* A text in the making; it is cut off where there is no more room. */
typedef struct lines {
    char *text;
    size_t used;
} lines;

__attribute__((format(printf, 2, 3))) static void add(lines *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(l->text + l->used, ASHI_RECORD_TEXT - l->used, format, args);
    va_end(args);
    l->used = (size_t)ashi_min((int64_t)l->used + (n > 0 ? n : 0), ASHI_RECORD_TEXT - 1);
}

static void add_scalar(lines *l, const char *name, const void *element, ashlar_type type)
{
    const ashi_type *t = ashi_type_of(type);
    const size_t parts = t->complex ? 2 : 1;
    add(l, "%s ", name);
    for (size_t i = 0; i < parts; i++) {
        double value = 0;
        float single = 0;
        if (t->bytes / parts == sizeof value)
            memcpy(&value, (const char *)element + i * sizeof value, sizeof value);
        else
            memcpy(&single, (const char *)element + i * sizeof single, sizeof single);
        add(l, "%s%a", i > 0 ? "," : "", t->bytes / parts == sizeof value ? value : (double)single);
    }
    add(l, "\n");
}

/* A file as it lies on the disk, which must not change until the product is complete. */
static void add_file(lines *l, const char *name, const ashlar_file *file)
{
    struct stat st;
    char *path = file ? ashi_store_path(file->place) : NULL;
    if (!file || !path) {
        add(l, "%s: none\n", name);
        return;
    }
    add(l, "%s: ", name);
    if (stat(path, &st) == 0)
        add(l, "%" PRId64 " bytes, changed %" PRId64 ".%09ld", (int64_t)st.st_size, (int64_t)st.st_mtim.tv_sec,
            st.st_mtim.tv_nsec);
    else
        add(l, "no file");
    add(l, ", in %s%.300s", file->info.order == ASHLAR_COL_MAJOR ? "columns" : "rows",
        file->place + strlen(path)); /* the data set */
    if (file->whole)
        add(l, ", seen as %016" PRIx64, ashi_store_view_digest(file->store));
    add(l, "\n");
    free(path);
}

/* The other contents of a file of several matrices were copied when the output was begun. */
static void add_output(lines *l, const ashlar_file *file)
{
    char *path = ashi_store_path(file->place);
    const bool others = path && file->place[strlen(path)] != '\0';
    if (others)
        add_file(l, "the output", file);
    else
        add(l, "the output: in %s", file->info.order == ASHLAR_COL_MAJOR ? "columns" : "rows");
    if (!others && file->whole)
        add(l, ", seen as %016" PRIx64, ashi_store_view_digest(file->store));
    if (!others)
        add(l, "\n");
    free(path);
}

/* All that the bits of C depend on. */
static void describe(const ashlar_plan *plan, const ashi_resume_request *q, char *text)
{
    static const char op[] = "NTC";
    const ashlar_problem *p = &plan->problem;
    lines l = {text, 0};
    text[0] = '\0';
    add(&l, "%s\n", q->kind);
    add(&l, "Ashlar %s\n", ashlar_version());
    add(&l, "%d ranks\n", plan->context->ranks);
    add(&l, "BLAS %.300s\n", ashi_blas_name());
    add(&l, "%d threads of the BLAS\n", ashi_blas_threads());
    add(&l, "%d threads for small products\n", ashi_context_threads(plan->context));
    add(&l, "%c %c%c, %" PRId64 " x %" PRId64 " x %" PRId64 "\n", ashi_type_of(p->type)->letter, op[p->op_a],
        op[p->op_b], p->m, p->n, p->k);
    add_scalar(&l, "alpha", q->alpha, p->type);
    add_scalar(&l, "beta", q->beta, p->type);
    add_file(&l, "A", q->multiplies ? plan->filed.file[ASHLAR_A] : NULL);
    add_file(&l, "B", q->multiplies ? plan->filed.file[ASHLAR_B] : NULL);
    add_file(&l, "C0", q->adds ? plan->filed.file[ASHI_FILED_C0] : NULL);
    add_output(&l, plan->filed.file[ASHLAR_C]);
    add(&l, "%s", q->how);
}

/* Whether what was made is what is to be made; the first line that differs says what not. */
static ashlar_status compare(const char *place, const char *was, const char *is, ashlar_error *err)
{
    while (*was && *is) {
        const size_t n = strcspn(was, "\n"), m = strcspn(is, "\n");
        if (n != m || memcmp(was, is, n) != 0)
            return ashi_fail_file(err, ASHLAR_ERR_ARG, place,
                                  "the run to be resumed had \"%.*s\", this one has \"%.*s\"",
                                  (int)ashi_min((int64_t)n, 100), was, (int)ashi_min((int64_t)m, 100), is);
        was += n + (was[n] != '\0');
        is += m + (is[m] != '\0');
    }
    return ASHLAR_OK;
}

/* ---- where to begin ---- */

static int64_t bytes_of_sums(const ashlar_file *file)
{
    return file->info.rows * file->info.cols * (int64_t)ashlar_type_bytes(file->info.type);
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
        status = compare(r->file->place, was, r->text, err);
    *found = status == ASHLAR_OK && was[0];
    return status;
}

/* The least of all ranks' items is what they begin with. */
enum { ITEMS, EPOCH, SUMS, FINDINGS }; /* SUMS: the file beside C's is there */

/* What this rank finished: INT64_MAX if that is all that it has to do. */
static void find_own(const ashi_resume *r, int64_t items, ashi_record_entry last, int64_t found[FINDINGS])
{
    const bool all = items == 0 || last.items >= items;
    found[ITEMS] = all ? INT64_MAX : last.items;
    found[EPOCH] = items == 0 ? INT64_MAX : last.epoch;
    found[SUMS] = ashi_record_has_sums(r->file->temporary, bytes_of_sums(r->file));
}

/* All begin with what the slowest has finished. Between two epochs only the file beside C's, which must be there, has
 * the sums; without it they begin where no sum is half made. */
static void settle(ashi_resume *r, const ashi_nest_turns *turns, const int64_t least[FINDINGS])
{
    if (turns->all == 0)
        return;
    r->from = ashi_min(least[ITEMS], turns->all);
    if (r->from % turns->sums == 0 || r->from == turns->all)
        return;
    if (least[SUMS] && least[EPOCH] > 0 && least[EPOCH] < INT64_MAX)
        r->epoch = least[EPOCH];
    else
        r->from -= r->from % turns->sums;
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
    find_own(r, q->own.all, last, own);
    ashi_note(c, MPI_Allreduce(own, least, FINDINGS, MPI_INT64_T, MPI_MIN, c->comm), "MPI_Allreduce");
    status = ashi_agree(c, ASHLAR_OK, err);
    if (status != ASHLAR_OK)
        return status;
    settle(r, &q->most, least);
    const ashi_record_entry begins = {r->from, r->epoch, last.memory};
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

ashlar_status ashi_resume_begin(const ashlar_plan *plan, const ashi_resume_request *q, ashi_resume *r,
                                ashlar_error *err)
{
    ashlar_file *file = plan->filed.file[ASHLAR_C];
    const ashlar_context *c = plan->context;
    bool found = false;
    int flag = 0;
    *r = (ashi_resume){.file = file, .sums = -1, .record = ASHI_NO_RECORD, .seconds = plan->filed.checkpoint_seconds,
                       .lost = !serves(file), .memory = q->memory, .context = q->context, .summed = -1};
    if (file->info.rows == 0 || file->info.cols == 0)
        return ASHLAR_OK;
    r->epoch = file->resumes ? q->epoch : 0;
    if (c->rank == 0)
        describe(plan, q, r->text);
    ashlar_status status = ashi_agree(c, c->rank == 0 ? look(r, &found, err) : ASHLAR_OK, err);
    if (status != ASHLAR_OK)
        return status;
    flag = found;
    ashi_note(c, MPI_Bcast(&flag, 1, MPI_INT, 0, c->comm), "MPI_Bcast");
    if (flag)
        status = agree_where(r, q, err);
    else if (c->rank == 0)
        forget(file);
    file->found = false;
    status = ashi_agree_named(c, status, err); /* nobody writes before what is formed again is forgotten */
    if (status == ASHLAR_OK && r->epoch > 0)
        status = make_sums(r, err);
    ashi_resume_began(r);
    return status;
}

ashlar_status ashi_resume_none(ashlar_file *file, ashlar_error *err)
{
    const ashlar_context *c = file->context;
    char was[ASHI_RECORD_TEXT] = "";
    ashlar_status status = ASHLAR_OK;
    if (c->rank == 0 && file->found)
        status = ashi_record_read(file->temporary, was, err);
    if (c->rank == 0 && status == ASHLAR_OK && was[0])
        status = compare(file->place, was, in_memory, err);
    if (c->rank == 0 && status == ASHLAR_OK)
        forget(file);
    status = ashi_agree(c, status, err);
    file->found = file->found && status != ASHLAR_OK;
    return status;
}
