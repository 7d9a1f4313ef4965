/* Compares a product of the BLAS in one call with the same product in pieces, on one rank, in turns. */
#include "die.h"
#include "program.h"
#include "way.h"

#include <cblas.h>
#include <stdlib.h>

enum { WAYS = 7 };

/* Pieces along m, n or k. */
typedef struct cut {
    const char *name;
    int along, pieces;
} cut;

static cut cuts[WAYS] = {{"whole", 0, 1}, {"n2", 1, 2}, {"n4", 1, 4}, {"m2", 0, 2},
                         {"k2", 2, 2},    {"k4", 2, 4}, {"k8", 2, 8}};

/* The piece from lo to hi along one dimension. A piece of k adds to the ones before it. */
static void multiply(const ashi_matrices *x, int along, int64_t lo, int64_t hi, double *c)
{
    const ashi_case *w = &x->what; /* its sizes fit in an int */
    const int64_t first[3] = {along == 0 ? lo : 0, along == 1 ? lo : 0, along == 2 ? lo : 0};
    const int m = (int)(along == 0 ? hi - lo : w->m), n = (int)(along == 1 ? hi - lo : w->n);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, (int)(along == 2 ? hi - lo : w->k), 1,
                x->a.data + first[0] + first[2] * x->a.ld, (int)x->a.ld,
                x->b.data + first[2] + first[1] * x->b.ld, (int)x->b.ld, first[2] == 0 ? 0 : 1,
                c + first[0] + first[1] * x->c.ld, (int)x->c.ld);
}

static void run(ashi_way *way, const ashi_matrices *x, double *c)
{
    const cut *how = way->state;
    const int64_t size = how->along == 0 ? x->what.m : how->along == 1 ? x->what.n : x->what.k;
    for (int i = 0; i < how->pieces; i++)
        multiply(x, how->along, size * i / how->pieces, size * (i + 1) / how->pieces, c);
}

static void measure(ashi_matrices *x, json_t *report)
{
    const int n = x->what.repetitions;
    ashi_way ways[WAYS];
    double *c[WAYS];
    for (int w = 0; w < WAYS; w++) {
        ways[w] = (ashi_way){.name = cuts[w].name, .state = &cuts[w], .run = run};
        c[w] = x->c.data;
        ashi_matrices_forget(x);
        run(&ways[w], x, c[w]);
        if (!(ashi_matrices_error(x, 16) <= 1))
            ashi_die("the product %s is wrong", cuts[w].name);
    }
    double *seconds = ashi_samples_take(ways, WAYS, n, x, c, MPI_COMM_WORLD);
    const ashi_summary whole = ashi_summarize(seconds, n);
    json_t *ratios = json_object();
    for (int w = 1; w < WAYS; w++) {
        const ashi_summary ratio = ashi_summarize_ratio(seconds + w * n, seconds, n);
        ashi_report_set(ratios, cuts[w].name, ashi_report_summary(&ratio, NULL, 0));
    }
    ashi_report_set(report, "seconds", ashi_report_summary(&whole, NULL, 0));
    ashi_report_set(report, "ratio_to_whole", ratios);
    free(seconds);
}

int main(int argc, char **argv)
{
    return ashi_program_run(argc, argv, "cuts", "Compare a product of the BLAS on one rank with one in pieces.",
                            measure);
}
