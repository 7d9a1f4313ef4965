/* Random calls of p?gemr2d between any two grids give what the definition and ScaLAPACK give, bit by bit, and touch
 * nothing else. */
#define PROGRAM "pblas_gemr2d"

#include "mpi/pblas_cases.h"

#include <ashlar/pblas.h>

typedef void (*gemr2d)(const int *, const int *, const void *, const int *, const int *, const int *, void *,
                       const int *, const int *, const int *, const int *);

void psgemr2d_(void);
void pdgemr2d_(void);
void pcgemr2d_(void);
void pzgemr2d_(void);
void pigemr2d_(void);

/* Integers are given the bits of floats. */
static const char letters[5] = {'s', 'd', 'c', 'z', 's'};
static const gemr2d theirs[5] = {(gemr2d)psgemr2d_, (gemr2d)pdgemr2d_, (gemr2d)pcgemr2d_, (gemr2d)pzgemr2d_,
                                 (gemr2d)pigemr2d_};
static const gemr2d ours[5] = {(gemr2d)ashlar_psgemr2d_, (gemr2d)ashlar_pdgemr2d_, (gemr2d)ashlar_pcgemr2d_,
                               (gemr2d)ashlar_pzgemr2d_, (gemr2d)ashlar_pigemr2d_};

typedef struct call {
    int which, m, n;
    matrix a, b;
} call;

enum { RANKS_MOST = 64 };

/* On random ranks, in any order. */
static process_grid random_grid(uint64_t *random, int handle, int ranks)
{
    int map[RANKS_MOST];
    const int rows = (int)ashi_random_in(random, 1, ranks), cols = (int)ashi_random_in(random, 1, ranks / rows);
    for (int i = 0; i < ranks; i++) {
        const int j = (int)ashi_random_in(random, 0, i);
        map[i] = map[j];
        map[j] = i;
    }
    process_grid g = {.context = handle};
    Cblacs_gridmap(&g.context, map, rows, rows, cols);
    if (g.context >= 0)
        Cblacs_gridinfo(g.context, &g.rows, &g.cols, &g.row, &g.col);
    else
        g.rows = g.cols = g.row = g.col = -1;
    return g;
}

static process_grid all_ranks(uint64_t *random, int handle, int ranks)
{
    int rows = (int)ashi_random_in(random, 1, ranks);
    while (ranks % rows != 0)
        rows--;
    return grid_make(handle, rows, ranks / rows);
}

static int random_size(uint64_t *random)
{
    const int64_t kind = ashi_random_in(random, 0, 11);
    return kind < 3 ? kind != 0 : (int)(kind < 9 ? ashi_random_in(random, 2, 20) : ashi_random_in(random, 20, 90));
}

/* ScaLAPACK's routine takes descriptors of nine entries, whatever their type says. Outside the grid only the context
 * counts. */
static matrix random_matrix(uint64_t *random, const process_grid *on, char letter, int rows, int cols, int block)
{
    static const int types[] = {1, 1, 0, 7, -1, 501};
    matrix x;
    do
        x = matrix_make(random, on, letter, rows, cols, block, false);
    while (x.desc[0] != 1);
    x.desc[0] = types[ashi_random_in(random, 0, 5)];
    if (on->row < 0) {
        x.source[0] = x.source[1] = 0; /* it owns nothing: no place is its own */
        for (int i = 0; i < 9; i++)
            x.desc[i] = i == 1 ? -1 : 77 * (i - 4);
    }
    return x;
}

static call random_call(uint64_t *random, const process_grid *from, const process_grid *to)
{
    call x = {.which = (int)ashi_random_in(random, 0, 4)};
    const int block = ashi_random_in(random, 0, 3) ? 8 : 70;
    x.m = random_size(random);
    x.n = random_size(random);
    x.a = random_matrix(random, from, letters[x.which], x.m, x.n, block);
    x.b = random_matrix(random, to, letters[x.which], x.m, x.n, block);
    x.b.unset = true;
    return x;
}

static void run(const call *x, gemr2d f, const process_grid *all, char *b)
{
    const int i[2] = {x->a.row + 1, x->b.row + 1}, j[2] = {x->a.col + 1, x->b.col + 1};
    f(&x->m, &x->n, x->a.data, &i[0], &j[0], x->a.desc, b, &i[1], &j[1], x->b.desc, &all->context);
}

/* Put into `b` what the call has to. */
static void expect(const call *x, char *b)
{
    for (int j = 0; j < x->n && x->b.on->row >= 0; j++)
        for (int i = 0; i < x->m; i++) {
            const int r = matrix_local(&x->b, 0, x->b.row + i), c = matrix_local(&x->b, 1, x->b.col + j);
            if (r >= 0 && c >= 0)
                element_put(letters[x->which], matrix_at(&x->b, b, r, c),
                            matrix_value(&x->a, x->a.row + i, x->a.col + j));
        }
}

static void one_call(rig *r, call *x, const process_grid *all, int repeat)
{
    matrix_fill(&x->a);
    matrix_fill(&x->b);
    char *want = malloc(matrix_bytes(&x->b)), *scalapack = malloc(matrix_bytes(&x->b));
    char *source = malloc(matrix_bytes(&x->a));
    memcpy(want, x->b.data, matrix_bytes(&x->b));
    memcpy(scalapack, x->b.data, matrix_bytes(&x->b));
    memcpy(source, x->a.data, matrix_bytes(&x->a));
    expect(x, want);
    run(x, ours[x->which], all, x->b.data);
    run(x, theirs[x->which], all, scalapack);
    CHECK(&r->test, memcmp(want, x->b.data, matrix_bytes(&x->b)) == 0, CASE "routine %d %dx%d, call %d: wrong",
          CASE_OF(r), x->which, x->m, x->n, repeat);
    CHECK(&r->test, memcmp(scalapack, x->b.data, matrix_bytes(&x->b)) == 0,
          CASE "routine %d %dx%d, call %d: not as ScaLAPACK's", CASE_OF(r), x->which, x->m, x->n, repeat);
    CHECK(&r->test, memcmp(source, x->a.data, matrix_bytes(&x->a)) == 0, CASE "routine %d %dx%d, call %d: source",
          CASE_OF(r), x->which, x->m, x->n, repeat);
    free(want);
    free(scalapack);
    free(source);
    free(x->a.data);
    free(x->b.data);
}

static void one_case(rig *r, int handle)
{
    uint64_t random = r->seed;
    const process_grid all = all_ranks(&random, handle, r->ranks);
    const bool same = ashi_random_in(&random, 0, 3) == 0, whole = ashi_random_in(&random, 0, 2) == 0;
    process_grid (*const any)(uint64_t *, int, int) = whole ? all_ranks : random_grid;
    const process_grid from = any(&random, handle, r->ranks);
    const process_grid to = same ? from : any(&random, handle, r->ranks);
    for (int shape = 0; shape < 2; shape++) {
        const uint64_t start = random;
        for (int repeat = 0; repeat < 3; repeat++) { /* from the second time on from the cache */
            random = start;
            call x = random_call(&random, &from, &to);
            if (repeat == 2 && from.row >= 0)
                matrix_lead(&x.a, 1 + from.col);
            if (repeat == 2 && to.row == 0)
                matrix_lead(&x.b, 2);
            one_call(r, &x, &all, repeat);
        }
    }
    if (!same && to.row >= 0)
        Cblacs_gridexit(to.context);
    if (from.row >= 0)
        Cblacs_gridexit(from.context);
    Cblacs_gridexit(all.context);
}

int main(int argc, char **argv)
{
    return try_pblas(argc, argv, 150, NULL, one_case);
}
