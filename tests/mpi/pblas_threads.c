/* Two threads that call at once, each with contexts of its own, get what each would get alone. */
#define PROGRAM "pblas_threads"

#include "mpi/pblas_matrix.h"
#include "mpi/ranks.h"

#include <ashlar/pblas.h>

#include <pthread.h>

enum { THREADS = 2, SHAPES = 12, MOST = 48, BLOCK_MOST = 9 };

/* One thread: its contexts, its own stream of random numbers, which is the same on all ranks, and what it has found. */
typedef struct worker {
    process_grid grid, turned, all;
    uint64_t seed, calls;
    ashi_test test;
    pthread_barrier_t *start;
} worker;

/* Element (i, j): a whole number of at most 4, so that sums are exact in any order. */
static double whole(int key, int i, int j)
{
    uint64_t state = (uint64_t)key * 0x10001 + (uint64_t)(i + 1) * 0x9E3779B1u + (uint64_t)j * 0x85EBCA6Bu * 65537;
    return (double)ashi_random_in(&state, -4, 4);
}

static double *element(const matrix *x, int i, int j)
{
    const int r = matrix_local(x, 0, i), c = matrix_local(x, 1, j);
    return r < 0 || c < 0 ? NULL : (double *)(void *)matrix_at(x, x->data, r, c);
}

static matrix filled(uint64_t *random, const process_grid *on, int rows, int cols)
{
    matrix x;
    do
        x = matrix_make(random, on, 'd', rows, cols, BLOCK_MOST, false);
    while (x.desc[0] != 1);
    x.data = calloc(1, matrix_bytes(&x));
    for (int i = 0; i < x.whole[0]; i++)
        for (int j = 0; j < x.whole[1]; j++) {
            double *e = element(&x, i, j);
            if (e)
                *e = whole(x.key, i, j);
        }
    return x;
}

/* How many elements of sub(X) on this rank are not `expected`. */
static int64_t count_wrong(const matrix *x, const matrix *a, const matrix *b, int k,
                           double expected(const matrix *, const matrix *, int, int, int))
{
    int64_t wrong = 0;
    for (int i = 0; i < x->rows; i++)
        for (int j = 0; j < x->cols; j++) {
            const double *e = element(x, x->row + i, x->col + j);
            wrong += e && *e != expected(a, b, k, i, j);
        }
    return wrong;
}

static double product_at(const matrix *a, const matrix *b, int k, int i, int j)
{
    double sum = 0;
    for (int l = 0; l < k; l++)
        sum += whole(a->key, a->row + i, a->col + l) * whole(b->key, b->row + l, b->col + j);
    return sum;
}

static double transposed_at(const matrix *a, const matrix *b, int k, int i, int j)
{
    (void)b;
    (void)k;
    return whole(a->key, a->row + j, a->col + i);
}

static double copied_at(const matrix *a, const matrix *b, int k, int i, int j)
{
    (void)b;
    (void)k;
    return whole(a->key, a->row + i, a->col + j);
}

static int64_t multiply(const worker *w, uint64_t *random)
{
    const double one = 1, zero = 0;
    const int m = (int)ashi_random_in(random, 1, MOST), n = (int)ashi_random_in(random, 1, MOST);
    const int k = (int)ashi_random_in(random, 1, MOST);
    matrix a = filled(random, &w->grid, m, k), b = filled(random, &w->grid, k, n), c = filled(random, &w->grid, m, n);
    const int i[3] = {a.row + 1, b.row + 1, c.row + 1}, j[3] = {a.col + 1, b.col + 1, c.col + 1};
    const double *left = (double *)(void *)a.data, *right = (double *)(void *)b.data;
    double *result = (double *)(void *)c.data;
    ashlar_pdgemm_("N", "N", &m, &n, &k, &one, left, &i[0], &j[0], a.desc, right, &i[1], &j[1], b.desc, &zero, result,
                   &i[2], &j[2], c.desc);
    const int64_t wrong = count_wrong(&c, &a, &b, k, product_at);
    free(a.data);
    free(b.data);
    free(c.data);
    return wrong;
}

static int64_t move(const worker *w, uint64_t *random, bool transposes)
{
    const double one = 1, zero = 0;
    const int m = (int)ashi_random_in(random, 1, MOST), n = (int)ashi_random_in(random, 1, MOST);
    matrix a = filled(random, &w->grid, transposes ? n : m, transposes ? m : n);
    matrix c = filled(random, transposes ? &w->grid : &w->turned, m, n);
    const int i[2] = {a.row + 1, c.row + 1}, j[2] = {a.col + 1, c.col + 1};
    double *from = (double *)(void *)a.data, *to = (double *)(void *)c.data;
    if (transposes)
        ashlar_pdtran_(&m, &n, &one, from, &i[0], &j[0], a.desc, &zero, to, &i[1], &j[1], c.desc);
    else
        ashlar_pdgemr2d_(&m, &n, from, &i[0], &j[0], a.desc, to, &i[1], &j[1], c.desc, &w->all.context);
    const int64_t wrong = count_wrong(&c, &a, NULL, 0, transposes ? transposed_at : copied_at);
    free(a.data);
    free(c.data);
    return wrong;
}

static void *work(void *arg)
{
    worker *w = arg;
    uint64_t state = w->seed;
    pthread_barrier_wait(w->start);
    for (uint64_t i = 0; i < w->calls; i++) {
        const int64_t shape = ashi_random_in(&state, 0, SHAPES - 1);
        uint64_t random = w->seed + 1000003 * (uint64_t)shape; /* the same call for the same shape */
        const int64_t wrong = shape % 4 < 2 ? multiply(w, &random) : move(w, &random, shape % 4 == 2);
        CHECK(&w->test, wrong == 0, "seed %" PRIu64 ", call %" PRIu64 ", shape %" PRId64 ": %" PRId64
              " elements are wrong", w->seed, i, shape, wrong);
    }
    return NULL;
}

/* The second thread begins together with this one. */
static void run_together(rig *r, worker *w, pthread_barrier_t *start)
{
    pthread_t other;
    for (int t = 0; t < THREADS; t++)
        w[t].start = start;
    if (pthread_create(&other, NULL, work, &w[1]) != 0) {
        fprintf(stderr, "no second thread\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    work(&w[0]);
    pthread_join(other, NULL);
    for (int t = 0; t < THREADS; t++) {
        r->test.checks += w[t].test.checks;
        r->test.failures += w[t].test.failures;
    }
}

/* The BLACS make and end contexts in one thread. */
static void one_case(rig *r, int handle)
{
    pthread_barrier_t start;
    worker w[THREADS];
    const int rows[THREADS] = {1, r->ranks % 2 ? r->ranks : r->ranks / 2};
    for (int t = 0; t < THREADS; t++) {
        w[t] = (worker){.seed = r->seed * THREADS + (uint64_t)t, .calls = 50};
        w[t].grid = grid_make(handle, rows[t], r->ranks / rows[t]);
        w[t].turned = grid_turned(handle, &w[t].grid);
        w[t].all = grid_make(handle, 1, r->ranks);
    }
    if (pthread_barrier_init(&start, NULL, THREADS) != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    run_together(r, w, &start);
    pthread_barrier_destroy(&start);
    for (int t = 0; t < THREADS; t++) {
        Cblacs_gridexit(w[t].grid.context);
        Cblacs_gridexit(w[t].turned.context);
        Cblacs_gridexit(w[t].all.context);
    }
}

int main(int argc, char **argv)
{
    rig r;
    const int unserved = ranks_begin_threads(&r, &argc, &argv, 6);
    if (unserved != 0)
        return unserved;
    setenv("ASHLAR_LOG", "1", 1); /* which all contexts share */
    const int handle = Csys2blacs_handle(MPI_COMM_WORLD);
    for (r.seed = r.first; r.seed < r.first + r.cases; r.seed++)
        one_case(&r, handle);
    Cfree_blacs_system_handle(handle);
    return ranks_end(&r, PROGRAM);
}
