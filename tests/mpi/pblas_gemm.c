/* Random calls of p?gemm give what a triple loop and ScaLAPACK give, and touch nothing else. */
#define PROGRAM "pblas_gemm"

#include "mpi/pblas_compare.h"
#include "mpi/pblas_routines.h"

void psgemm_(void);
void pdgemm_(void);
void pcgemm_(void);
void pzgemm_(void);

static const gemm theirs[4] = {(gemm)psgemm_, (gemm)pdgemm_, (gemm)pcgemm_, (gemm)pzgemm_};

typedef struct call {
    int type, m, n, k;
    char transa, transb;
    double complex alpha, beta;
    matrix a, b, c;
} call;

/* on: of A, B and C. */
static call random_call(uint64_t *random, const process_grid *const on[3])
{
    static const char ops[] = "NTCntc";
    call x = {.type = (int)ashi_random_in(random, 0, 3)};
    const char letter = gemm_letters[x.type];
    const int block = ashi_random_in(random, 0, 3) ? 8 : 70;
    const bool copies = ashi_random_in(random, 0, 3) == 0;
    x.m = random_size(random);
    x.n = random_size(random);
    x.k = random_size(random);
    x.transa = ops[ashi_random_in(random, 0, 5)];
    x.transb = ops[ashi_random_in(random, 0, 5)];
    x.alpha = random_scalar(random, x.type > 1);
    x.beta = random_scalar(random, x.type > 1);
    const bool na = x.transa == 'N' || x.transa == 'n', nb = x.transb == 'N' || x.transb == 'n';
    x.a = matrix_make(random, on[0], letter, na ? x.m : x.k, na ? x.k : x.m, block, copies);
    x.b = matrix_make(random, on[1], letter, nb ? x.k : x.n, nb ? x.n : x.k, block, copies);
    x.c = matrix_make(random, on[2], letter, x.m, x.n, block, copies);
    x.a.unset = x.b.unset = x.alpha == 0;
    x.c.unset = x.beta == 0;
    return x;
}

static void run(const void *which, bool by_scalapack, char *c)
{
    const call *x = which;
    const gemm f = (by_scalapack ? theirs : gemm_ours)[x->type];
    unsigned char alpha[16], beta[16];
    const int i[3] = {x->a.row + 1, x->b.row + 1, x->c.row + 1}, j[3] = {x->a.col + 1, x->b.col + 1, x->c.col + 1};
    element_put(gemm_letters[x->type], alpha, x->alpha);
    element_put(gemm_letters[x->type], beta, x->beta);
    f(&x->transa, &x->transb, &x->m, &x->n, &x->k, alpha, x->a.data, &i[0], &j[0], x->a.desc, x->b.data, &i[1], &j[1],
      x->b.desc, beta, c, &i[2], &j[2], x->c.desc);
}

static double complex operand(const matrix *x, char trans, int i, int j)
{
    if (trans == 'N' || trans == 'n')
        return matrix_value(x, x->row + i, x->col + j);
    const double complex v = matrix_value(x, x->row + j, x->col + i);
    return trans == 'C' || trans == 'c' ? conj(v) : v;
}

/* What element (i, j) of sub(C) has to be, and the sum of its terms' sizes. */
static double complex expected(const void *which, int i, int j, double *size)
{
    const call *x = which;
    long double re = 0, im = 0;
    double complex result = 0;
    *size = 0;
    for (int l = 0; l < x->k && x->alpha != 0; l++) {
        const double complex a = operand(&x->a, x->transa, i, l), b = operand(&x->b, x->transb, l, j);
        re += (long double)creal(a) * creal(b) - (long double)cimag(a) * cimag(b);
        im += (long double)creal(a) * cimag(b) + (long double)cimag(a) * creal(b);
        *size += cabs(a) * cabs(b) * cabs(x->alpha);
    }
    if (x->alpha != 0)
        result = x->alpha * number((double)re, (double)im);
    expect_old(&x->c, x->beta, i, j, &result, size);
    return result;
}

/* Within k + 3 roundings of each part, four real products a complex one (Higham, Accuracy and Stability, 2002). */
static double bound_of(const call *x)
{
    return (x->k + 3) * roundoff_of(gemm_letters[x->type]) * (x->type > 1 ? 4 : 1);
}

/* One call by both libraries, by Ashlar alone where ScaLAPACK refuses matrices on several grids. */
static void one_call(rig *r, call *x, bool apart, int repeat)
{
    char what[96];
    snprintf(what, sizeof what, "%c %c%c %dx%dx%d on %dx%d %dx%d, call %d", gemm_letters[x->type], x->transa, x->transb,
             x->m, x->n, x->k, x->a.on->rows, x->a.on->cols, x->c.on->rows, x->c.on->cols, repeat);
    matrix_fill(&x->a);
    matrix_fill(&x->b);
    matrix_fill(&x->c);
    const expectation e = {&x->c, x, expected, bound_of(x)};
    check_call(r, &e, what, !apart, run);
    free(x->a.data);
    free(x->b.data);
    free(x->c.data);
}

static void one_case(rig *r, const process_grid *g, const process_grid *h)
{
    uint64_t random = r->seed;
    const process_grid *on[3] = {g, g, g};
    for (int x = 0; x < 3; x++)
        if (ashi_random_in(&random, 0, 5) == 0)
            on[x] = h;
    const uint64_t calls = random;
    for (int repeat = 0; repeat < 3; repeat++) { /* the second time from the cache */
        uint64_t same = calls;
        call x = random_call(&same, on);
        if (repeat == 2) /* for the plan that is there */
            matrix_lead(&x.c, g->col + 1);
        one_call(r, &x, on[0] != on[1] || on[0] != on[2], repeat);
    }
}

enum { CASES_A_GRID = 20 };

/* The cases from r->seed on that have their grids in common; some processes may be outside. */
static void some_cases(rig *r, int handle, uint64_t end)
{
    uint64_t random = r->seed / CASES_A_GRID;
    const int rows = (int)ashi_random_in(&random, 1, r->ranks), cols = (int)ashi_random_in(&random, 1, r->ranks / rows);
    const process_grid g = grid_make(handle, rows, cols), like = {.rows = rows, .cols = cols};
    const process_grid h = grid_turned(handle, &like);
    const uint64_t next = (r->seed / CASES_A_GRID + 1) * CASES_A_GRID;
    for (; r->seed < next && r->seed < end; r->seed++)
        if (g.row >= 0)
            one_case(r, &g, &h);
    if (g.row >= 0) {
        Cblacs_gridexit(g.context);
        Cblacs_gridexit(h.context);
    }
}

int main(int argc, char **argv)
{
    rig r;
    if (!ranks_begin(&r, &argc, &argv, 400))
        return 1;
    const int handle = Csys2blacs_handle(MPI_COMM_WORLD);
    for (r.seed = r.first; r.seed < r.first + r.cases;)
        some_cases(&r, handle, r.first + r.cases);
    Cfree_blacs_system_handle(handle);
    return ranks_end(&r, PROGRAM);
}
