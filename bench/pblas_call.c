/* One call of p?gemm on submatrices of block-cyclic matrices, as a command line says it, with its data. */
#include "pblas_call.h"
#include "die.h"
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* "32x48", "32x48+3+5" or "32x48+3+5@1,0"; the number of characters read, 0 if it is none of these. */
static int read_matrix(const char *text, ashi_pblas_matrix *out)
{
    int blocks = 0, begin = 0, source = 0;
    if (sscanf(text, "%dx%d%n", &out->mb, &out->nb, &blocks) != 2 || out->mb < 1 || out->nb < 1)
        return 0;
    text += blocks;
    if (sscanf(text, "+%d+%d%n", &out->row, &out->col, &begin) != 2)
        return blocks;
    text += begin;
    if (sscanf(text, "@%d,%d%n", &out->row_source, &out->col_source, &source) != 2)
        return blocks + begin;
    return blocks + begin + source;
}

static void shape(ashi_pblas_matrix *x, bool transposed, int rows, int cols)
{
    x->rows = transposed ? cols : rows;
    x->cols = transposed ? rows : cols;
}

ashi_pblas_call ashi_pblas_call_parse(const char *text)
{
    ashi_pblas_call c = {0};
    ashi_pblas_matrix *const matrices[] = {&c.a, &c.b, &c.c};
    char ops[2][2] = {{0}};
    int head = 0;
    if (sscanf(text, "%1[nt]%1[nt]:%dx%dx%d/%n", ops[0], ops[1], &c.m, &c.n, &c.k, &head) != 5 || head == 0 ||
        c.m < 1 || c.n < 1 || c.k < 1)
        ashi_die("'%s' is no call; --help tells how one is written", text);
    c.op[0] = ops[0][0];
    c.op[1] = ops[1][0];
    c.a.row = c.a.col = 1;
    const char *at = text + head;
    int length = read_matrix(at, &c.a);
    c.b = c.c = c.a;
    for (at += length; length > 0 && *at == '/'; at += length) {
        const int which = at[1] - 'a';
        if (which < 0 || which > 2 || at[2] != '=')
            break;
        at += 3;
        length = read_matrix(at, matrices[which]);
    }
    if (length == 0 || *at != '\0')
        ashi_die("'%s' is no call from '%s' on; --help tells how one is written", text, at);
    shape(&c.a, c.op[0] == 't', c.m, c.k);
    shape(&c.b, c.op[1] == 't', c.k, c.n);
    shape(&c.c, false, c.m, c.n);
    return c;
}

static void make_layout(ashi_pblas_matrix *x, int rows, int cols, int grid_rows, int grid_cols, int ld)
{
    ashlar_error err = {0};
    ashlar_layout *whole = NULL;
    if (ashlar_layout_block_cyclic(rows, cols, x->mb, x->nb, grid_rows, grid_cols, x->row_source, x->col_source, NULL,
                                   ASHLAR_COL_MAJOR, ld, &whole, &err) != ASHLAR_OK ||
        ashlar_layout_submatrix(whole, x->row - 1, x->col - 1, x->rows, x->cols, &x->layout, &err) != ASHLAR_OK)
        ashi_die("%s", err.text);
    ashlar_layout_free(&whole);
}

/* In [-1, 1]. */
static double element(uint64_t place)
{
    return (double)(place * 0x9E3779B97F4A7C15u >> 40) / 0x1p23 - 1;
}

static void open_matrix(ashi_pblas_matrix *x, int context, int grid_rows, int grid_cols, int rank)
{
    const int rows = x->row - 1 + x->rows, cols = x->col - 1 + x->cols;
    const int my_row = rank / grid_cols, my_col = rank % grid_cols;
    const int local_rows = numroc_(&rows, &x->mb, &my_row, &x->row_source, &grid_rows);
    const int local_cols = numroc_(&cols, &x->nb, &my_col, &x->col_source, &grid_cols);
    const int ld = local_rows > 0 ? local_rows : 1;
    int info = 0;
    descinit_(x->desc, &rows, &cols, &x->mb, &x->nb, &x->row_source, &x->col_source, &context, &ld, &info);
    if (info != 0)
        ashi_die("descinit refused its argument %d", -info);
    make_layout(x, rows, cols, grid_rows, grid_cols, ld);
    x->count = (int64_t)ld * local_cols;
    x->data = ashi_need(x->count, (long long)sizeof *x->data);
    for (int64_t i = 0; i < x->count; i++)
        x->data[i] = element((uint64_t)i + ((uint64_t)rank << 40));
}

void ashi_pblas_call_open(ashi_pblas_call *call, int context, int grid_rows, int grid_cols, int rank)
{
    ashi_pblas_matrix *const matrices[] = {&call->a, &call->b, &call->c};
    for (int i = 0; i < 3; i++)
        open_matrix(matrices[i], context, grid_rows, grid_cols, rank);
    for (int64_t i = 0; i < call->c.count; i++)
        call->c.data[i] = NAN;
}

void ashi_pblas_call_close(ashi_pblas_call *call)
{
    ashi_pblas_matrix *const matrices[] = {&call->a, &call->b, &call->c};
    for (int i = 0; i < 3; i++) {
        ashlar_layout_free(&matrices[i]->layout);
        free(matrices[i]->data);
        matrices[i]->data = NULL;
    }
}

void ashi_pblas_call_run(const ashi_pblas_call *call, ashi_pdgemm gemm, double *c)
{
    const ashi_pblas_matrix *x = &call->a, *y = &call->b, *z = &call->c;
    const double one = 1, zero = 0;
    gemm(&call->op[0], &call->op[1], &call->m, &call->n, &call->k, &one, x->data, &x->row, &x->col, x->desc, y->data,
         &y->row, &y->col, y->desc, &zero, c, &z->row, &z->col, z->desc);
}

void ashi_pblas_call_verify(const ashi_pblas_call *call, const double *c, const double *other)
{
    const double bound = 2 * (double)call->k * call->k * 0x1p-53; /* elements of A and B are at most 1 */
    double worst = 0;
    for (int64_t i = 0; i < call->c.count; i++) {
        const bool untouched = isnan(c[i]) && isnan(other[i]); /* around the submatrix */
        const double error = fabs(c[i] - other[i]) / bound;
        worst = untouched || error <= worst ? worst : isnan(error) ? INFINITY : error;
    }
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (!(worst <= 1))
        ashi_die("the products of %dx%dx%d are %g times the bound from one another", call->m, call->n, call->k, worst);
}

void ashi_pblas_call_report(const ashi_pblas_call *call, const char *text, int grid_rows, int grid_cols,
                            json_t *report)
{
    ashi_report_set(report, "call", json_string(text));
    ashi_report_set(report, "m", json_integer(call->m));
    ashi_report_set(report, "n", json_integer(call->n));
    ashi_report_set(report, "k", json_integer(call->k));
    ashi_report_set(report, "ranks", json_integer((json_int_t)grid_rows * grid_cols));
    ashi_report_set(report, "layout_grid", json_pack("[i,i]", grid_rows, grid_cols));
}

int ashi_pblas_grid(const char *text, int *context, int *rows, int *cols, int *rank)
{
    int ranks = 0;
    char rest = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (sscanf(text, "%dx%d%c", rows, cols, &rest) != 2 || *rows < 1 || *cols < 1 || (int64_t)*rows * *cols != ranks)
        ashi_die("the grid is '%s', wanted one of %d ranks, as in 2x3", text, ranks);
    const int handle = Csys2blacs_handle(MPI_COMM_WORLD);
    *context = handle;
    Cblacs_gridinit(context, "Row", *rows, *cols);
    return handle;
}

ashlar_problem ashi_pblas_call_problem(const ashi_pblas_call *call)
{
    return (ashlar_problem){.type = ASHLAR_TYPE_D, .m = call->m, .n = call->n, .k = call->k,
                            .op_a = call->op[0] == 't' ? ASHLAR_OP_T : ASHLAR_OP_N,
                            .op_b = call->op[1] == 't' ? ASHLAR_OP_T : ASHLAR_OP_N,
                            .a = call->a.layout, .b = call->b.layout, .c = call->c.layout};
}
