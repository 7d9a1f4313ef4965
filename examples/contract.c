/* C(a, b, i, j) <- the sum over c and d of V(a, b, c, d) T(c, d, i, j): the ladder term of coupled-cluster doubles, the
 * tensors laid out over all ranks as the plan likes best. */
#include <ashlar/ashlar.h>
#include <stdio.h>
#include <stdlib.h>

/* This rank's part of a tensor, filled with one value; NULL if it owns nothing, or if memory is short. */
static double *part(const ashlar_contraction_plan *plan, int operand, int rank, double value)
{
    const int64_t count = ashlar_tensor_layout_room(ashlar_contraction_layout(plan, operand), rank);
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
    const int64_t v = 20, o = 6; /* virtual and occupied orbitals */
    const ashlar_tensor operand[2] = {{.order = 4, .extent = (const int64_t[]){v, v, v, v}},
                                      {.order = 4, .extent = (const int64_t[]){v, v, o, o}}};
    const ashlar_tensor output = {.order = 4};
    const ashlar_contraction what = {.type = ASHLAR_TYPE_D, .expression = "abcd,cdij->abij", .operands = 2,
                                     .operand = operand, .output = &output};
    const double half = 0.5, zero = 0;
    ashlar_context *context = NULL;
    ashlar_contraction_plan *plan = NULL;
    ashlar_contraction_explanation why = {0};
    ashlar_error err = {0};
    ashlar_status status = ashlar_context_create(MPI_COMM_WORLD, &context, &err);
    if (status == ASHLAR_OK)
        status = ashlar_contraction_plan_create(context, &what, NULL, &plan, &err);
    if (status == ASHLAR_OK)
        status = ashlar_contraction_explain(plan, &why, &err);
    if (status == ASHLAR_OK) {
        double *a = part(plan, 0, rank, 1), *b = part(plan, 1, rank, 2), *c = part(plan, 2, rank, 0);
        if (rank == 0)
            printf("%s", why.text);
        status = ashlar_contraction_execute(plan, &half, (const void *[]){a, b}, &zero, c, &err);
        if (status == ASHLAR_OK && c != NULL)
            printf("rank %d: its first element of C is %g\n", rank, c[0]); /* half of 400 products of 1 and 2 */
        free(a), free(b), free(c);
    }
    if (status != ASHLAR_OK && rank == 0)
        fprintf(stderr, "%s: %s\n", ashlar_status_name(status), err.text);
    ashlar_contraction_plan_free(&plan);
    ashlar_context_free(&context);
    MPI_Finalize();
    return status == ASHLAR_OK ? 0 : 1;
}
