/* Random calls of p?tran and p?gemr2d touch nothing but the arrays that their descriptors describe, and only read A. */
#define _DEFAULT_SOURCE
#define PROGRAM "pblas_guard_moves"

#include "mpi/pblas_cases.h"
#include "mpi/pblas_pages.h"

#include <ashlar/pblas.h>

typedef void (*tran)(const int *, const int *, const void *, const void *, const int *, const int *, const int *,
                     const void *, void *, const int *, const int *, const int *);
typedef void (*gemr2d)(const int *, const int *, const void *, const int *, const int *, const int *, void *,
                       const int *, const int *, const int *, const int *);

static const char letters[4] = {'s', 'd', 'c', 'z'};
static const tran transposes[4] = {(tran)ashlar_pstran_, (tran)ashlar_pdtran_, (tran)ashlar_pctranu_,
                                   (tran)ashlar_pztranc_};
static const gemr2d copies[4] = {(gemr2d)ashlar_psgemr2d_, (gemr2d)ashlar_pdgemr2d_, (gemr2d)ashlar_pcgemr2d_,
                                 (gemr2d)ashlar_pzgemr2d_};

typedef struct call {
    int type, m, n;
    bool transposes;
    double complex alpha, beta;
    matrix a, c;
} call;

/* p?gemr2d takes descriptors of nine entries only, and sources that are processes. */
static matrix random_matrix(uint64_t *random, const process_grid *on, const call *x, int rows, int cols)
{
    const int block = ashi_random_in(random, 0, 3) ? 8 : 70;
    matrix made;
    do
        made = matrix_make(random, on, letters[x->type], rows, cols, block, x->transposes);
    while (!x->transposes && made.desc[0] != 1);
    return made;
}

static call random_call(uint64_t *random, const process_grid *from, const process_grid *to)
{
    call x = {.type = (int)ashi_random_in(random, 0, 3), .transposes = from == to};
    x.m = (int)ashi_random_in(random, 0, 60);
    x.n = ashi_random_in(random, 0, 3) ? (int)ashi_random_in(random, 0, 60) : 1;
    x.alpha = number((double)ashi_random_in(random, 0, 2), 0);
    x.beta = number((double)ashi_random_in(random, 0, 2), 0);
    x.a = random_matrix(random, from, &x, x.transposes ? x.n : x.m, x.transposes ? x.m : x.n);
    x.c = random_matrix(random, to, &x, x.m, x.n);
    return x;
}

static void run(const call *x, int context, const void *a, void *c)
{
    unsigned char alpha[16], beta[16];
    const int i[2] = {x->a.row + 1, x->c.row + 1}, j[2] = {x->a.col + 1, x->c.col + 1};
    element_put(letters[x->type], alpha, x->alpha);
    element_put(letters[x->type], beta, x->beta);
    if (x->transposes)
        transposes[x->type](&x->m, &x->n, alpha, a, &i[0], &j[0], x->a.desc, beta, c, &i[1], &j[1], x->c.desc);
    else
        copies[x->type](&x->m, &x->n, a, &i[0], &j[0], x->a.desc, c, &i[1], &j[1], x->c.desc, &context);
}

static void run_guarded(rig *r, const call *x, int context, bool at_end, const char *want)
{
    const guarded a = guard(&x->a, at_end), c = guard(&x->c, at_end);
    allow(&a, x->transposes && x->alpha == 0 ? PROT_NONE : PROT_READ);
    snprintf(doing, sizeof doing, CASE "a page was touched that may not be: %c %s %dx%d, arrays at the %s\n",
             CASE_OF(r), letters[x->type], x->transposes ? "tran" : "gemr2d", x->m, x->n, at_end ? "end" : "beginning");
    run(x, context, a.array, c.array);
    CHECK(&r->test, memcmp(c.array, want, c.bytes) == 0, CASE "%c %s %dx%d: another result between closed pages",
          CASE_OF(r), letters[x->type], x->transposes ? "tran" : "gemr2d", x->m, x->n);
    unguard(&a);
    unguard(&c);
}

static void one_case(rig *r, int handle)
{
    uint64_t random = r->seed;
    const int rows = (int)ashi_random_in(&random, 1, r->ranks), cols = (int)ashi_random_in(&random, 1, r->ranks / rows);
    const process_grid from = grid_make(handle, rows, cols);
    const process_grid turned = grid_turned(handle, &(process_grid){.rows = rows, .cols = cols});
    if (from.row < 0)
        return;
    call x = random_call(&random, &from, ashi_random_in(&random, 0, 1) ? &from : &turned);
    matrix_fill(&x.a);
    matrix_fill(&x.c);
    char *want = malloc(matrix_bytes(&x.c));
    memcpy(want, x.c.data, matrix_bytes(&x.c));
    snprintf(doing, sizeof doing, CASE "a segmentation fault without closed pages\n", CASE_OF(r));
    run(&x, from.context, x.a.data, want);
    run_guarded(r, &x, from.context, false, want);
    run_guarded(r, &x, from.context, true, want);
    free(want);
    free(x.a.data);
    free(x.c.data);
    Cblacs_gridexit(turned.context);
    Cblacs_gridexit(from.context);
}

int main(int argc, char **argv)
{
    return try_pblas(argc, argv, 400, tell_of_faults, one_case);
}
