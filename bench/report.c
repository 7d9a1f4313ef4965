/* One line of JSON a measurement: what was measured, on what, with what, and the figures. */
#include "report.h"
#include "bench_build.h"
#include "die.h"
#include "machine.h"
#include "process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* OpenBLAS's own calls; absent where another BLAS is linked. */
extern int openblas_get_num_threads(void) __attribute__((weak));
extern char *openblas_get_config(void) __attribute__((weak));

void ashi_report_set(json_t *report, const char *key, json_t *value)
{
    if (!value || json_object_set_new(report, key, value) != 0)
        ashi_die("no memory for the report's %s", key);
}

static void set_text(json_t *report, const char *key, const char *value)
{
    ashi_report_set(report, key, json_string(value));
}

static void set_count(json_t *report, const char *key, int64_t value)
{
    ashi_report_set(report, key, json_integer((json_int_t)value));
}

static void set_real(json_t *report, const char *key, double value)
{
    ashi_report_set(report, key, json_real(value));
}

static json_t *new_object(void)
{
    json_t *object = json_object();
    if (!object)
        ashi_die("no memory for the report");
    return object;
}

/* The first line or clause of MPI's own description, without its tabs. */
static void set_mpi(json_t *report)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, ",\n")] = '\0';
    for (char *tab = strchr(text, '\t'); tab; tab = strchr(tab, '\t'))
        *tab = ' ';
    set_text(report, "mpi", text);
}

static void set_blas(json_t *report)
{
    char library[256];
    json_t *blas = new_object();
    ashi_library_of("cblas_dgemm", library, sizeof library);
    set_text(blas, "library", library);
    if (openblas_get_config)
        set_text(blas, "config", openblas_get_config());
    ashi_report_set(report, "blas", blas);
    if (openblas_get_num_threads)
        set_count(report, "threads", openblas_get_num_threads());
}

static void set_build(json_t *report)
{
    set_text(report, "version", ashlar_version());
    set_text(report, "commit", ASHI_BUILD_COMMIT);
    set_text(report, "compiler", ASHI_BUILD_COMPILER);
    set_text(report, "flags", ASHI_BUILD_FLAGS);
}

static void set_machine(json_t *report)
{
    char name[256];
    ashi_processor_name(name, sizeof name);
    set_text(report, "processor", name);
    set_count(report, "cores", ashi_cores_online());
    set_count(report, "cores_allowed", ashi_cores_allowed());
}

static void set_problem(json_t *report, const ashi_case *w, int ranks)
{
    static const char *const objectives[] = {"time", "words"}, *const transports[] = {"two-sided", "one-sided"};
    static const char *const routes[] = {"direct", "tree", "auto"};
    set_text(report, "type", "d");
    set_count(report, "m", w->m);
    set_count(report, "n", w->n);
    set_count(report, "k", w->k);
    set_count(report, "ranks", ranks);
    set_count(report, "block", w->block);
    ashi_report_set(report, "layout_grid", json_pack("[i,i]", w->grid_rows, w->grid_cols));
    set_count(report, "repetitions", w->repetitions);
    set_text(report, "objective", objectives[w->options.objective]);
    set_text(report, "transport", transports[w->options.transport]);
    set_text(report, "route", routes[w->options.route]);
    set_count(report, "window", w->options.window);
    set_count(report, "memory_words_limit", w->options.memory_words);
    if (w->options.machine)
        ashi_report_set(report, "machine", ashi_machine_report(w->options.machine));
    if (w->link_mbit > 0)
        set_count(report, "link_mbit", w->link_mbit);
}

json_t *ashi_report_start(const char *kind)
{
    json_t *report = new_object();
    set_count(report, "schema", 1);
    set_text(report, "kind", kind);
    set_build(report);
    set_blas(report);
    set_mpi(report);
    set_machine(report);
    return report;
}

json_t *ashi_report_begin(const char *kind, const ashi_matrices *x, int ranks)
{
    json_t *report = ashi_report_start(kind);
    set_problem(report, &x->what, ranks);
    return report;
}

json_t *ashi_report_summary(const ashi_summary *s, const double *values, int n)
{
    json_t *out = new_object();
    set_real(out, "median", s->median);
    set_real(out, "low", s->low);
    set_real(out, "high", s->high);
    set_real(out, "min", s->min);
    set_real(out, "max", s->max);
    if (!values)
        return out;
    json_t *all = json_array();
    for (int i = 0; i < n; i++)
        if (json_array_append_new(all, json_real(values[i])) != 0)
            ashi_die("no memory for the report");
    ashi_report_set(out, "values", all);
    return out;
}

static void set_figures(json_t *out, const char *key, const ashlar_figures *f)
{
    json_t *figures = new_object();
    set_count(figures, "words_max", f->words_max);
    set_real(figures, "words_mean", f->words_mean);
    set_count(figures, "words_total", f->words_total);
    set_count(figures, "messages_max", f->messages_max);
    set_count(figures, "memory_words", f->memory_words);
    ashi_report_set(out, key, figures);
}

json_t *ashi_report_plan(ashlar_plan *plan)
{
    ashlar_error err = {0};
    ashlar_explanation why = {0};
    ashlar_figures predicted = {0}, measured = {0};
    json_t *out = new_object();
    if (ashlar_plan_explain(plan, &why, &err) != ASHLAR_OK ||
        ashlar_plan_predicted(plan, &predicted, &err) != ASHLAR_OK ||
        ashlar_plan_measured(plan, &measured, &err) != ASHLAR_OK)
        ashi_die("%s", err.text);
    set_text(out, "strategy", why.strategy);
    ashi_report_set(out, "grid",
                    json_pack("[I,I,I]", (json_int_t)why.grid[0], (json_int_t)why.grid[1], (json_int_t)why.grid[2]));
    set_count(out, "ranks_used", why.ranks_used);
    set_count(out, "rounds", why.rounds);
    set_real(out, "bound_words", why.bound_words);
    set_count(out, "workspace_words", why.workspace_words);
    set_figures(out, "predicted", &predicted);
    set_figures(out, "measured", &measured);
    if (why.warning)
        set_text(out, "warning", why.warning);
    return out;
}

/* One number of each rank, as a list on rank 0 and an empty one elsewhere. */
static json_t *gather(long mine, MPI_Comm comm)
{
    int rank = 0, ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    long *all = ashi_need(ranks, (long long)sizeof *all);
    MPI_Gather(&mine, 1, MPI_LONG, all, 1, MPI_LONG, 0, comm);
    json_t *list = json_array();
    for (int r = 0; rank == 0 && r < ranks; r++)
        if (json_array_append_new(list, json_integer(all[r])) != 0)
            ashi_die("no memory for the report");
    free(all);
    return list;
}

json_t *ashi_report_resident(const char *const *when, int moments, const long *now, const long *peak, MPI_Comm comm)
{
    json_t *out = new_object();
    for (int i = 0; i < moments; i++) {
        json_t *moment = new_object();
        ashi_report_set(moment, "vm_rss_kib", gather(now[i], comm));
        ashi_report_set(moment, "vm_hwm_kib", gather(peak[i], comm));
        ashi_report_set(out, when[i], moment);
    }
    return out;
}

void ashi_report_end(json_t *report, int rank)
{
    if (rank == 0) {
        char *line = json_dumps(report, JSON_COMPACT | JSON_REAL_PRECISION(9));
        if (!line || puts(line) < 0 || fflush(stdout) != 0)
            ashi_die("the report could not be written");
        free(line);
    }
    json_decref(report);
}
