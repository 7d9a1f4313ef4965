/* Random calls of p?tran, p?tranu and p?tranc give what one element after the other and ScaLAPACK give, and touch
 * nothing else. */
#include "mpi/pblas_matrix.h"
#include "mpi/ranks.h"

#include <ashlar/pblas.h>

#include <float.h>
#include <math.h>

#define PROGRAM "pblas_tran"

typedef void (*tran)(const int *, const int *, const void *, const void *, const int *, const int *, const int *,
                     const void *, void *, const int *, const int *, const int *);

void pstran_(void);
void pdtran_(void);
void pctranu_(void);
void pztranu_(void);
void pctranc_(void);
void pztranc_(void);

static const char letters[6] = {'s', 'd', 'c', 'z', 'c', 'z'};
static const tran theirs[6] = {(tran)pstran_,  (tran)pdtran_,  (tran)pctranu_,
                               (tran)pztranu_, (tran)pctranc_, (tran)pztranc_};
static const tran ours[6] = {(tran)ashlar_pstran_,  (tran)ashlar_pdtran_,  (tran)ashlar_pctranu_,
                             (tran)ashlar_pztranu_, (tran)ashlar_pctranc_, (tran)ashlar_pztranc_};

typedef struct call {
    int which, m, n;
    double complex alpha, beta;
    matrix a, c;
} call;

static int random_size(uint64_t *random)
{
    const int64_t kind = ashi_random_in(random, 0, 11);
    return kind < 3 ? kind != 0 : (int)(kind < 9 ? ashi_random_in(random, 2, 20) : ashi_random_in(random, 20, 60));
}

static double complex random_scalar(uint64_t *random, bool is_complex)
{
    const int64_t kind = ashi_random_in(random, 0, 5);
    if (kind < 3)
        return number((double)(kind % 2), 0); /* 0, 1, 0 */
    const double re = (double)ashi_random_in(random, -8, 8) / 4, im = (double)ashi_random_in(random, -8, 8) / 4;
    return number(re, is_complex ? im : 0);
}

static call random_call(uint64_t *random, const process_grid *on)
{
    call x = {.which = (int)ashi_random_in(random, 0, 5)};
    const char letter = letters[x.which];
    const int block = ashi_random_in(random, 0, 3) ? 8 : 70;
    const bool copies = ashi_random_in(random, 0, 3) == 0;
    x.m = random_size(random);
    x.n = random_size(random);
    x.alpha = random_scalar(random, x.which > 1);
    x.beta = random_scalar(random, x.which > 1);
    x.a = matrix_make(random, on, letter, x.n, x.m, block, copies);
    x.c = matrix_make(random, on, letter, x.m, x.n, block, copies);
    x.a.unset = x.alpha == 0;
    x.c.unset = x.beta == 0;
    return x;
}

static void run(const call *x, tran f, char *c)
{
    unsigned char alpha[16], beta[16];
    const int i[2] = {x->a.row + 1, x->c.row + 1}, j[2] = {x->a.col + 1, x->c.col + 1};
    element_put(letters[x->which], alpha, x->alpha);
    element_put(letters[x->which], beta, x->beta);
    f(&x->m, &x->n, alpha, x->a.data, &i[0], &j[0], x->a.desc, beta, c, &i[1], &j[1], x->c.desc);
}

/* What element (i, j) of sub(C) has to be, and the sum of its terms' sizes. */
static double complex expected(const call *x, int i, int j, double *size)
{
    double complex result = 0;
    *size = 0;
    if (x->alpha != 0) {
        const double complex a = matrix_value(&x->a, x->a.row + j, x->a.col + i);
        result = x->alpha * (x->which > 3 ? conj(a) : a);
        *size += cabs(x->alpha) * cabs(a);
    }
    if (x->beta != 0) {
        const double complex c = matrix_value(&x->c, x->c.row + i, x->c.col + j);
        result += x->beta * c;
        *size += cabs(x->beta) * cabs(c);
    }
    return result;
}

typedef struct findings {
    double wrong, other; /* the largest error over its bound: of ours, and between ours and theirs */
    int64_t touched;     /* bytes outside sub(C) that changed */
} findings;

/* Three roundings of each part, four real products a complex one. */
static double bound_of(const call *x, double size)
{
    const double unit = letters[x->which] == 's' || letters[x->which] == 'c' ? (double)FLT_EPSILON / 2
                                                                             : DBL_EPSILON / 2;
    return 3 * unit * (x->which > 1 ? 4 : 1) * size;
}

static double over(double error, double bound)
{
    return error == 0 ? 0 : !(error <= bound) ? (double)INFINITY : error / bound;
}

static findings compare(const call *x, char *mine, char *scalapack, const char *before)
{
    findings f = {0, 0, 0};
    char *copy = malloc(matrix_bytes(&x->c));
    memcpy(copy, before, matrix_bytes(&x->c));
    for (int j = 0; j < x->n; j++)
        for (int i = 0; i < x->m; i++) {
            const int r = matrix_local(&x->c, 0, x->c.row + i), c = matrix_local(&x->c, 1, x->c.col + j);
            if (r < 0 || c < 0)
                continue;
            double size = 0;
            const double complex want = expected(x, i, j, &size);
            const double complex got = element_get(letters[x->which], matrix_at(&x->c, mine, r, c));
            const double complex say = element_get(letters[x->which], matrix_at(&x->c, scalapack, r, c));
            f.wrong = fmax(f.wrong, over(cabs(got - want), bound_of(x, size)));
            f.other = fmax(f.other, over(cabs(got - say), 2 * bound_of(x, size)));
            memcpy(matrix_at(&x->c, copy, r, c), matrix_at(&x->c, mine, r, c), x->c.bytes);
        }
    for (size_t b = 0; b < matrix_bytes(&x->c); b++)
        f.touched += copy[b] != mine[b];
    free(copy);
    return f;
}

static void one_case(rig *r, int handle)
{
    uint64_t random = r->seed;
    const int rows = (int)ashi_random_in(&random, 1, r->ranks), cols = (int)ashi_random_in(&random, 1, r->ranks / rows);
    const process_grid g = grid_make(handle, rows, cols);
    const uint64_t calls = random;
    for (int repeat = 0; repeat < 3 && g.row >= 0; repeat++) { /* the second time from the cache */
        uint64_t same = calls;
        call x = random_call(&same, &g);
        if (repeat == 2) { /* other leading dimensions for the plan that is there */
            const bool nine = x.c.desc[0] == 1;
            x.c.ld = x.c.ld + g.col + 1;
            x.c.desc[nine ? 8 : 10] = x.c.ld;
        }
        matrix_fill(&x.a);
        matrix_fill(&x.c);
        char *before = malloc(matrix_bytes(&x.c)), *scalapack = malloc(matrix_bytes(&x.c));
        memcpy(before, x.c.data, matrix_bytes(&x.c));
        memcpy(scalapack, x.c.data, matrix_bytes(&x.c));
        run(&x, ours[x.which], x.c.data);
        run(&x, theirs[x.which], scalapack);
        const findings f = compare(&x, x.c.data, scalapack, before);
        CHECK(&r->test, f.wrong <= 1, CASE "%c %d %dx%d on %dx%d, call %d: error over its bound %g", CASE_OF(r),
              letters[x.which], x.which, x.m, x.n, g.rows, g.cols, repeat, f.wrong);
        CHECK(&r->test, f.other <= 1, CASE "%c %d %dx%d on %dx%d, call %d: away from ScaLAPACK's %g", CASE_OF(r),
              letters[x.which], x.which, x.m, x.n, g.rows, g.cols, repeat, f.other);
        CHECK(&r->test, f.touched == 0, CASE "%c %d %dx%d on %dx%d, call %d: %" PRId64 " bytes outside changed",
              CASE_OF(r), letters[x.which], x.which, x.m, x.n, g.rows, g.cols, repeat, f.touched);
        free(x.a.data);
        free(x.c.data);
        free(before);
        free(scalapack);
    }
    if (g.row >= 0)
        Cblacs_gridexit(g.context);
}

int main(int argc, char **argv)
{
    rig r;
    if (!ranks_begin(&r, &argc, &argv, 400))
        return 1;
    const int handle = Csys2blacs_handle(MPI_COMM_WORLD);
    for (uint64_t i = 0; i < r.cases; i++) {
        r.seed = r.first + i;
        one_case(&r, handle);
    }
    Cfree_blacs_system_handle(handle);
    return ranks_end(&r, PROGRAM);
}
