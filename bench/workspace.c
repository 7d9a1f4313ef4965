/* Compares plans of one product that have more or less workspace, on the same block-cyclic matrices, in turns. */
#include "die.h"
#include "program.h"
#include "variants.h"

enum { WAYS = 5 };

/* Of a rank's shares of A, B and C; the first is what a plan takes without a limit. */
static const double part[WAYS] = {0, 1.0 / 3, 0.5, 1, 2};
static const char *const names[WAYS] = {"default", "1/3", "1/2", "1", "2"};

/* Words of the rank that has most of A, B and C. */
static int64_t share_of(const ashi_matrices *x)
{
    const int64_t mine = x->a.local_rows * x->a.local_cols + x->b.local_rows * x->b.local_cols +
                         x->c.local_rows * x->c.local_cols;
    int64_t most = 0;
    if (MPI_Allreduce(&mine, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD) != MPI_SUCCESS)
        ashi_die("MPI_Allreduce failed");
    return most;
}

static void measure(ashi_matrices *x, json_t *report)
{
    const int64_t share = share_of(x);
    ashlar_options options[WAYS];
    for (int w = 0; w < WAYS; w++) {
        options[w] = x->what.options;
        options[w].memory_words = w > 0 ? share + (int64_t)(part[w] * (double)share) : 0;
    }
    ashi_report_set(report, "share_words", json_integer(share));
    ashi_compare_variants(x, names, options, WAYS, 0, report);
}

int main(int argc, char **argv)
{
    return ashi_program_run(argc, argv, "workspace", "Compare plans with more or less workspace.", measure);
}
