/* Random calls of p?gemm touch nothing but the arrays that their descriptors describe, and those only as they may. */
#define _DEFAULT_SOURCE
#define PROGRAM "pblas_guard"

#include "mpi/pblas_cases.h"
#include "mpi/pblas_pages.h"
#include "mpi/pblas_routines.h"


typedef struct call {
    int type, m, n, k;
    char transa, transb;
    double complex alpha, beta;
    matrix a, b, c;
} call;

static call random_call(uint64_t *random, const process_grid *on)
{
    static const char ops[] = "NTC";
    call x = {.type = (int)ashi_random_in(random, 0, 3)};
    const int most = ashi_random_in(random, 0, 2) ? 20 : 60, block = ashi_random_in(random, 0, 3) ? 8 : 70;
    const bool copies = ashi_random_in(random, 0, 3) == 0;
    x.m = (int)ashi_random_in(random, 0, most);
    x.n = ashi_random_in(random, 0, 3) ? (int)ashi_random_in(random, 0, most) : 1;
    x.k = (int)ashi_random_in(random, 0, most);
    x.transa = ops[ashi_random_in(random, 0, 2)];
    x.transb = ops[ashi_random_in(random, 0, 2)];
    x.alpha = number((double)ashi_random_in(random, 0, 3), 0);
    x.beta = number((double)ashi_random_in(random, 0, 2), 0);
    const bool na = x.transa == 'N', nb = x.transb == 'N';
    const char letter = gemm_letters[x.type];
    x.a = matrix_make(random, on, letter, na ? x.m : x.k, na ? x.k : x.m, block, copies);
    x.b = matrix_make(random, on, letter, nb ? x.k : x.n, nb ? x.n : x.k, block, copies);
    x.c = matrix_make(random, on, letter, x.m, x.n, block, copies);
    return x;
}

static void run(const call *x, gemm f, const void *a, const void *b, void *c)
{
    unsigned char alpha[16], beta[16];
    const int i[3] = {x->a.row + 1, x->b.row + 1, x->c.row + 1}, j[3] = {x->a.col + 1, x->b.col + 1, x->c.col + 1};
    element_put(gemm_letters[x->type], alpha, x->alpha);
    element_put(gemm_letters[x->type], beta, x->beta);
    f(&x->transa, &x->transb, &x->m, &x->n, &x->k, alpha, a, &i[0], &j[0], x->a.desc, b, &i[1], &j[1], x->b.desc, beta,
      c, &i[2], &j[2], x->c.desc);
}

/* The call between closed pages; A and B may only be read, and not even that where their product is not wanted. */
static void run_guarded(rig *r, const call *x, bool at_end, const char *want)
{
    const guarded a = guard(&x->a, at_end), b = guard(&x->b, at_end), c = guard(&x->c, at_end);
    const int may = x->alpha == 0 ? PROT_NONE : PROT_READ;
    allow(&a, may);
    allow(&b, may);
    snprintf(doing, sizeof doing, CASE "a page was touched that may not be: %c %c%c %dx%dx%d, arrays at the %s\n",
             CASE_OF(r), gemm_letters[x->type], x->transa, x->transb, x->m, x->n, x->k, at_end ? "end" : "beginning");
    run(x, gemm_ours[x->type], a.array, b.array, c.array);
    CHECK(&r->test, memcmp(c.array, want, c.bytes) == 0, CASE "%c %c%c %dx%dx%d: another result between closed pages",
          CASE_OF(r), gemm_letters[x->type], x->transa, x->transb, x->m, x->n, x->k);
    unguard(&a);
    unguard(&b);
    unguard(&c);
}

static void one_case(rig *r, int handle)
{
    uint64_t random = r->seed;
    const process_grid g = grid_any(&random, handle, r->ranks);
    if (g.row < 0)
        return;
    call x = random_call(&random, &g);
    matrix *const all[] = {&x.a, &x.b, &x.c};
    for (int i = 0; i < 3; i++)
        matrix_fill(all[i]);
    char *want = malloc(matrix_bytes(&x.c));
    memcpy(want, x.c.data, matrix_bytes(&x.c));
    snprintf(doing, sizeof doing, CASE "a segmentation fault without closed pages\n", CASE_OF(r));
    run(&x, gemm_ours[x.type], x.a.data, x.b.data, want);
    run_guarded(r, &x, false, want);
    run_guarded(r, &x, true, want);
    for (int i = 0; i < 3; i++)
        free(all[i]->data);
    free(want);
    Cblacs_gridexit(g.context);
}

int main(int argc, char **argv)
{
    return try_pblas(argc, argv, 400, tell_of_faults, one_case);
}
