/* Random calls of p?tran, p?tranu and p?tranc give what one element after the other and ScaLAPACK give, and touch
 * nothing else. */
#define PROGRAM "pblas_tran"

#include "mpi/pblas_cases.h"
#include "mpi/pblas_compare.h"

#include <ashlar/pblas.h>

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

static void run(const void *which, bool by_scalapack, char *c)
{
    const call *x = which;
    const tran f = (by_scalapack ? theirs : ours)[x->which];
    unsigned char alpha[16], beta[16];
    const int i[2] = {x->a.row + 1, x->c.row + 1}, j[2] = {x->a.col + 1, x->c.col + 1};
    element_put(letters[x->which], alpha, x->alpha);
    element_put(letters[x->which], beta, x->beta);
    f(&x->m, &x->n, alpha, x->a.data, &i[0], &j[0], x->a.desc, beta, c, &i[1], &j[1], x->c.desc);
}

/* What element (i, j) of sub(C) has to be, and the sum of its terms' sizes. */
static double complex expected(const void *which, int i, int j, double *size)
{
    const call *x = which;
    double complex result = 0;
    *size = 0;
    if (x->alpha != 0) {
        const double complex a = matrix_value(&x->a, x->a.row + j, x->a.col + i);
        result = x->alpha * (x->which > 3 ? conj(a) : a);
        *size += cabs(x->alpha) * cabs(a);
    }
    expect_old(&x->c, x->beta, i, j, &result, size);
    return result;
}

/* Three roundings of each part, four real products a complex one. */
static double bound_of(const call *x)
{
    return 3 * roundoff_of(letters[x->which]) * (x->which > 1 ? 4 : 1);
}

static void one_case(rig *r, int handle)
{
    uint64_t random = r->seed;
    const process_grid g = grid_any(&random, handle, r->ranks);
    const uint64_t calls = random;
    for (int repeat = 0; repeat < 3 && g.row >= 0; repeat++) { /* the second time from the cache */
        uint64_t same = calls;
        char what[96];
        call x = random_call(&same, &g);
        const expectation e = {&x.c, &x, expected, bound_of(&x)};
        if (repeat == 2) /* for the plan that is there */
            matrix_lead(&x.c, g.col + 1);
        snprintf(what, sizeof what, "%c %d %dx%d on %dx%d, call %d", letters[x.which], x.which, x.m, x.n, g.rows,
                 g.cols, repeat);
        matrix_fill(&x.a);
        matrix_fill(&x.c);
        check_call(r, &e, what, true, run);
        free(x.a.data);
        free(x.c.data);
    }
    if (g.row >= 0)
        Cblacs_gridexit(g.context);
}

int main(int argc, char **argv)
{
    return try_pblas(argc, argv, 400, NULL, one_case);
}
