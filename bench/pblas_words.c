/* Counts the words that arrive at each rank in calls of p?gemm, through ScaLAPACK and through Ashlar. */
#include "count_words.h"
#include "die.h"
#include "pblas_call.h"
#include "report.h"

#include <ashlar/pblas.h>
#include <math.h>
#include <stdlib.h>

static const double one = 1, zero = 0;
static const int64_t word = sizeof(double);

typedef struct grid {
    int rows, cols, context, rank;
    ashlar_context *ashlar;
} grid;

static void require(ashlar_status status, const ashlar_error *err)
{
    if (status != ASHLAR_OK)
        ashi_die("%s", err->text);
}

static json_t *report_count(const ashi_count *c, int ranks)
{
    return json_pack("{s:I, s:f, s:I, s:I}", "words_max", (json_int_t)(c->bytes_max / word), "words_mean",
                     (double)c->bytes_total / (double)word / ranks, "messages_max", (json_int_t)c->messages_max,
                     "messages_total", (json_int_t)c->messages_total);
}

/* Of a second call: what planning moves is moved once. */
static ashi_count count_gemm(const ashi_pblas_call *q, ashi_pdgemm f, double *c)
{
    ashi_pblas_call_run(q, f, c);
    ashi_count_begin();
    ashi_pblas_call_run(q, f, c);
    return ashi_count_end();
}

/* A plan for the layouts as they are; its choice goes into `plan`. */
static ashi_count count_planned(const grid *g, const ashi_pblas_call *q, ashlar_objective objective, json_t **plan_out)
{
    ashlar_error err = {0};
    ashlar_plan *plan = NULL;
    ashlar_options options = ashlar_options_default();
    const ashlar_problem problem = ashi_pblas_call_problem(q);
    options.objective = objective;
    options.trusted = true;
    require(ashlar_plan_create(g->ashlar, &problem, &options, &plan, &err), &err);
    ashi_count_begin();
    require(ashlar_plan_execute(plan, &one, q->a.data, q->b.data, &zero, q->c.data, &err), &err);
    const ashi_count count = ashi_count_end();
    *plan_out = ashi_report_plan(plan);
    ashlar_plan_free(&plan);
    return count;
}

static double *room_for(const ashlar_layout *layout, int rank)
{
    return ashi_need(ashlar_layout_extent(layout, rank), word);
}

/* A and B moved into COSMA's own layout, multiplied there, C moved back. */
static ashi_count count_relayout(const grid *g, const ashi_pblas_call *q)
{
    ashlar_error err = {0};
    ashlar_plan *plan = NULL;
    ashlar_options options = ashlar_options_default();
    ashlar_problem problem = ashi_pblas_call_problem(q);
    problem.a = problem.b = problem.c = NULL;
    options.strategy = "cosma";
    options.objective = ASHLAR_LEAST_WORDS;
    options.trusted = true;
    require(ashlar_plan_create(g->ashlar, &problem, &options, &plan, &err), &err);
    const ashlar_layout *own[3];
    double *data[3];
    for (int i = 0; i < 3; i++) {
        own[i] = ashlar_plan_layout(plan, (ashlar_operand)i);
        data[i] = room_for(own[i], g->rank);
    }
    ashi_count_begin();
    require(ashlar_move(g->ashlar, ASHLAR_TYPE_D, ASHLAR_OP_N, &one, q->a.layout, q->a.data, &zero, own[0], data[0], 0,
                        NULL, &err), &err);
    require(ashlar_move(g->ashlar, ASHLAR_TYPE_D, ASHLAR_OP_N, &one, q->b.layout, q->b.data, &zero, own[1], data[1], 0,
                        NULL, &err), &err);
    require(ashlar_plan_execute(plan, &one, data[0], data[1], &zero, data[2], &err), &err);
    require(ashlar_move(g->ashlar, ASHLAR_TYPE_D, ASHLAR_OP_N, &one, own[2], data[2], &zero, q->c.layout, q->c.data, 0,
                        NULL, &err), &err);
    const ashi_count count = ashi_count_end();
    for (int i = 0; i < 3; i++)
        free(data[i]);
    ashlar_plan_free(&plan);
    return count;
}

static void count_call(const grid *g, const char *text)
{
    ashi_pblas_call q = ashi_pblas_call_parse(text);
    ashi_pblas_call_open(&q, g->context, g->rows, g->cols, g->rank);
    const int ranks = g->rows * g->cols;
    json_t *report = ashi_report_start("pblas_words"), *plan = NULL;
    ashi_pblas_call_report(&q, text, g->rows, g->cols, report);
    double *theirs = ashi_need(q.c.count, word);
    for (int64_t i = 0; i < q.c.count; i++)
        theirs[i] = NAN;
    ashi_count count = count_gemm(&q, pdgemm_, theirs);
    ashi_report_set(report, "scalapack", report_count(&count, ranks));
    count = count_gemm(&q, ashlar_pdgemm_, q.c.data);
    ashi_report_set(report, "ashlar", report_count(&count, ranks));
    ashi_pblas_call_verify(&q, q.c.data, theirs);
    count = count_planned(g, &q, ASHLAR_LEAST_TIME, &plan);
    ashi_report_set(report, "least_time", report_count(&count, ranks));
    ashi_report_set(report, "least_time_plan", plan);
    count = count_planned(g, &q, ASHLAR_LEAST_WORDS, &plan);
    ashi_report_set(report, "least_words", report_count(&count, ranks));
    ashi_report_set(report, "least_words_plan", plan);
    ashi_pblas_call_verify(&q, q.c.data, theirs);
    count = count_relayout(g, &q);
    ashi_report_set(report, "relayout", report_count(&count, ranks));
    ashi_pblas_call_verify(&q, q.c.data, theirs);
    ashi_report_end(report, g->rank);
    free(theirs);
    ashi_pblas_call_close(&q);
}

int main(int argc, char **argv)
{
    ashlar_error err = {0};
    grid g = {0};
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return 1;
    if (argc < 3)
        ashi_die("wanted a grid of all ranks as in 2x3, and calls.\n" ASHI_PBLAS_CALL_FORM);
    const int handle = ashi_pblas_grid(argv[1], &g.context, &g.rows, &g.cols, &g.rank);
    require(ashlar_context_create(MPI_COMM_WORLD, &g.ashlar, &err), &err);
    for (int i = 2; i < argc; i++)
        count_call(&g, argv[i]);
    ashlar_context_free(&g.ashlar);
    Cblacs_gridexit(g.context);
    Cfree_blacs_system_handle(handle);
    MPI_Finalize();
    return 0;
}
