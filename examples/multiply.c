/* C <- A B over all ranks, each matrix laid out as the plan likes best. */
#include <ashlar/ashlar.h>
#include <stdio.h>
#include <stdlib.h>

/* This rank's part of a matrix, filled with one value; NULL if it owns nothing, or if memory is short. */
static double *part(const ashlar_plan *plan, ashlar_operand operand, int rank, double value)
{
    const int64_t count = ashlar_layout_extent(ashlar_plan_layout(plan, operand), rank);
    double *x = count > 0 ? malloc((size_t)count * sizeof *x) : NULL;
    for (int64_t i = 0; x != NULL && i < count; i++)
        x[i] = value;
    return x;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const ashlar_problem problem = {.type = ASHLAR_TYPE_D, .m = 300, .n = 200, .k = 1000}; /* no layouts: its own */
    const double one = 1, zero = 0;
    ashlar_context *context = NULL;
    ashlar_plan *plan = NULL;
    ashlar_error err = {0};
    ashlar_status status = ashlar_context_create(MPI_COMM_WORLD, &context, &err);
    if (status == ASHLAR_OK)
        status = ashlar_plan_create(context, &problem, NULL, &plan, &err);
    if (status == ASHLAR_OK) {
        double *a = part(plan, ASHLAR_A, rank, 1), *b = part(plan, ASHLAR_B, rank, 2);
        double *c = part(plan, ASHLAR_C, rank, 0);
        status = ashlar_plan_execute(plan, &one, a, b, &zero, c, &err); /* as often as you like */
        if (status == ASHLAR_OK && c != NULL)
            printf("rank %d: its first element of C is %g\n", rank, c[0]); /* 1000 products of 1 and 2 */
        free(a), free(b), free(c);
    }
    if (status != ASHLAR_OK && rank == 0)
        fprintf(stderr, "%s: %s\n", ashlar_status_name(status), err.text);
    ashlar_plan_free(&plan);
    ashlar_context_free(&context);
    MPI_Finalize();
    return status == ASHLAR_OK ? 0 : 1;
}
