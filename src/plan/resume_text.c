/* What a run that may be gone on with is: the lines of its record. */
#define _POSIX_C_SOURCE 200809L
#include "plan/resume_text.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "kernel/threads.h"
#include "store/file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void ashi_lines_add(ashi_lines *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(l->text + l->used, l->room - l->used, format, args);
    va_end(args);
    l->used = (size_t)ashi_min((int64_t)l->used + (n > 0 ? n : 0), (int64_t)l->room - 1);
}

void ashi_lines_add_scalar(ashi_lines *l, const char *name, const void *element, ashlar_type type)
{
    const ashi_type *t = ashi_type_of(type);
    const size_t parts = t->complex ? 2 : 1;
    ashi_lines_add(l, "%s ", name);
    for (size_t i = 0; i < parts; i++) {
        double value = 0;
        float single = 0;
        if (t->bytes / parts == sizeof value)
            memcpy(&value, (const char *)element + i * sizeof value, sizeof value);
        else
            memcpy(&single, (const char *)element + i * sizeof single, sizeof single);
        ashi_lines_add(l, "%s%a", i > 0 ? "," : "", t->bytes / parts == sizeof value ? value : (double)single);
    }
    ashi_lines_add(l, "\n");
}

static void add_input(ashi_lines *l, const char *name, const ashlar_file *file, bool sees)
{
    struct stat st;
    char *path = file ? ashi_store_path(file->place) : NULL;
    if (!file || !path) {
        ashi_lines_add(l, "%s: none\n", name);
        return;
    }
    ashi_lines_add(l, "%s: ", name);
    if (stat(path, &st) == 0)
        ashi_lines_add(l, "%" PRId64 " bytes, changed %" PRId64 ".%09ld", (int64_t)st.st_size,
                       (int64_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    else
        ashi_lines_add(l, "no file");
    ashi_lines_add(l, ", in %s%.300s", file->info.order == ASHLAR_COL_MAJOR ? "columns" : "rows",
                   file->place + strlen(path)); /* the data set */
    if (file->whole && sees)
        ashi_lines_add(l, ", seen as %016" PRIx64, ashi_store_view_digest(file->store));
    ashi_lines_add(l, "\n");
    free(path);
}

void ashi_lines_add_file(ashi_lines *l, const char *name, const ashlar_file *file)
{
    add_input(l, name, file, false);
}

/* The other contents of a file of several matrices were copied when the output was begun. */
static void add_output(ashi_lines *l, const ashlar_file *file, bool sees)
{
    char *path = ashi_store_path(file->place);
    const bool others = path && file->place[strlen(path)] != '\0';
    if (others)
        add_input(l, "the output", file, sees);
    else
        ashi_lines_add(l, "the output: in %s", file->info.order == ASHLAR_COL_MAJOR ? "columns" : "rows");
    if (!others && file->whole && sees)
        ashi_lines_add(l, ", seen as %016" PRIx64, ashi_store_view_digest(file->store));
    if (!others)
        ashi_lines_add(l, "\n");
    free(path);
}

void ashi_lines_add_run(ashi_lines *l, const ashlar_context *context)
{
    const int threads = ashi_context_blas_threads(context);
    ashi_lines_add(l, "Ashlar %s\n", ashlar_version());
    ashi_lines_add(l, "%d ranks\n", context->ranks);
    ashi_lines_add(l, "BLAS %.300s\n", ashi_blas_name());
    ashi_lines_add(l, "%d threads of the BLAS\n", threads > 0 ? threads : ashi_blas_threads());
    ashi_lines_add(l, "%d threads for small products\n", ashi_context_threads(context));
}

void ashi_lines_add_product(ashi_lines *l, const ashlar_problem *p, const void *alpha, const void *beta)
{
    static const char op[] = "NTC";
    ashi_lines_add(l, "%c %c%c, %" PRId64 " x %" PRId64 " x %" PRId64 "\n", ashi_type_of(p->type)->letter, op[p->op_a],
                   op[p->op_b], p->m, p->n, p->k);
    ashi_lines_add_scalar(l, "alpha", alpha, p->type);
    ashi_lines_add_scalar(l, "beta", beta, p->type);
}

void ashi_resume_describe(const ashlar_plan *plan, const ashi_resume_request *q, char text[ASHI_RECORD_TEXT])
{
    const ashi_filed *f = &plan->filed;
    const bool sees = f->series.count <= 1; /* else views move on, and the origin says how they began */
    ashi_lines l = {text, 0, ASHI_RECORD_TEXT};
    text[0] = '\0';
    ashi_lines_add(&l, "%s\n", q->kind);
    ashi_lines_add_run(&l, plan->context);
    ashi_lines_add_product(&l, &plan->problem, q->alpha, q->beta);
    add_input(&l, "A", q->multiplies ? f->file[ASHLAR_A] : NULL, sees);
    add_input(&l, "B", q->multiplies ? f->file[ASHLAR_B] : NULL, sees);
    add_input(&l, "C0", q->adds ? f->file[ASHI_FILED_C0] : NULL, sees);
    add_output(&l, f->file[ASHLAR_C], sees);
    ashi_lines_add(&l, "%s%s", q->how, f->origin ? f->origin : "");
}

ashlar_status ashi_resume_compare(const char *place, const char *was, const char *is, ashlar_error *err)
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
