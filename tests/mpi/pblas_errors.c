/* Wrong arguments of p?gemm get the numbers and the explanations that ScaLAPACK gives them, and leave C alone. */
#include "mpi/pblas_matrix.h"
#include "mpi/pblas_reported.h"
#include "mpi/ranks.h"

#include <ashlar/pblas.h>

#define PROGRAM "pblas_errors"

typedef void (*gemm)(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
                     const int *, const int *, const int *, const double *, const int *, const int *, const int *,
                     const double *, double *, const int *, const int *, const int *);
void pdgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
             const double *a, const int *ia, const int *ja, const int *desca, const double *b, const int *ib,
             const int *jb, const int *descb, const double *beta, double *c, const int *ic, const int *jc,
             const int *descc);

enum { SIZE = 24, ARGUMENTS = 11, ENTRIES = 11, NUMBERS = ARGUMENTS + 3 * ENTRIES };

/* The integers of a call, and of the three descriptors, one after the other; types of descriptors may be either. */
typedef struct call {
    char trans[2];
    int number[NUMBERS]; /* m, n, k, ia, ja, ib, jb, ic, jc, two unused; descriptors */
    bool nine;
} call;

static call right_call(const process_grid *g, bool nine)
{
    const int shared = g->context;
    const int short_desc[ENTRIES] = {1, shared, SIZE, SIZE, 4, 4, 0, 0, SIZE, 0, 0};
    const int long_desc[ENTRIES] = {2, shared, SIZE, SIZE, 3, 5, 4, 4, 0, 0, SIZE};
    call c = {{'N', 'N'}, {10, 11, 12, 1, 2, 3, 4, 5, 6, 0, 0}, nine};
    for (int x = 0; x < 3; x++)
        memcpy(c.number + ARGUMENTS + x * ENTRIES, nine ? short_desc : long_desc, sizeof short_desc);
    return c;
}

/* Something that may be wrong: letters, sizes, indices, entries; contexts of A stay, for those end elsewhere. */
static void make_mistake(call *c, uint64_t *random)
{
    static const int values[] = {-1, 0, 1, -2, 3, 23, 25, 100, -1000};
    static const char letters[] = "NTCntcXx \1";
    const int value = values[ashi_random_in(random, 0, 8)];
    const int64_t what = ashi_random_in(random, 0, NUMBERS + 1);
    if (what >= NUMBERS)
        c->trans[what - NUMBERS] = letters[ashi_random_in(random, 0, 9)];
    else if (what != ARGUMENTS + 1)
        c->number[what] = value;
}

/* Not by the other case of a letter, nor in an entry that there is not. */
static bool uses_what_differs(const call *x, const call *y)
{
    bool differs = false;
    for (int i = 0; i < 2; i++)
        differs = differs || (x->trans[i] != y->trans[i] && x->trans[i] != y->trans[i] - 'A' + 'a');
    for (int i = 0; i < NUMBERS; i++) {
        const bool unused = i < ARGUMENTS ? i > 8 : x->nine && (i - ARGUMENTS) % ENTRIES > 8;
        differs = differs || (!unused && x->number[i] != y->number[i]);
    }
    return differs;
}

static int number_of(const call *c, gemm f, const double *a, const double *b, double *out)
{
    const int *n = c->number, *d = n + ARGUMENTS;
    const double zero = 0, one = 1;
    report_anew();
    f(&c->trans[0], &c->trans[1], &n[0], &n[1], &n[2], &zero, a, &n[3], &n[4], d, b, &n[5], &n[6], d + ENTRIES, &one,
      out, &n[7], &n[8], d + 2L * ENTRIES); /* harmless where it is right after all: alpha is 0, beta 1 */
    return reported.info;
}

static void text_of(const call *c, char *out, size_t room)
{
    int used = snprintf(out, room, "%c%c", c->trans[0], c->trans[1]);
    for (int i = 0; i < NUMBERS && used > 0 && (size_t)used < room; i++)
        used += snprintf(out + used, room - (size_t)used, " %d", c->number[i]);
}

/* Of all processes' errors the first, by argument and entry. */
static int first_of_all(int info)
{
    int code = info == 0 ? 10000 : info < -100 ? -info : -100 * info, least = 0;
    MPI_Allreduce(&code, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (least == 10000)
        return 0;
    return least % 100 ? -least : -(least / 100);
}

/* The same on all processes; some mistakes, of leading dimensions, are wrong on some only. */
static void one_case(rig *r, const process_grid *g, bool checks, double *a, double *b, double *c, int64_t *explained)
{
    uint64_t random = r->seed;
    call wrong = right_call(g, r->seed % 2);
    const int64_t mistakes = ashi_random_in(&random, 0, 3);
    char text[512];
    for (int64_t i = 0; i < mistakes; i++)
        make_mistake(&wrong, &random);
    text_of(&wrong, text, sizeof text);
    const int own = number_of(&wrong, pdgemm_, a, b, c), want = checks ? first_of_all(own) : own;
    const int lines = reported.lines;
    char said[LINES_MOST][LINE_LENGTH];
    memcpy(said, reported.line, sizeof said);
    const int got = number_of(&wrong, ashlar_pdgemm_, a, b, c);
    CHECK(&r->test, explained_alike(lines, said), CASE "%d lines, ScaLAPACK has %d: '%s', '%s': %s", CASE_OF(r),
          reported.lines, lines, reported.lines ? reported.line[0] : "", lines ? said[0] : "", text);
    *explained += lines;
    CHECK(&r->test, got == want, CASE "%d, ScaLAPACK says %d: %s", CASE_OF(r), got, want, text);
    CHECK(&r->test, reported.calls == (want != 0), CASE "reported %d times: %s", CASE_OF(r), reported.calls, text);
    CHECK(&r->test, want == 0 || strcmp(reported.routine, "PDGEMM") == 0, CASE "of %s", CASE_OF(r), reported.routine);
}

/* On one process alone: all learn of it. */
static void one_differs(rig *r, const process_grid *g, double *a, double *b, double *c)
{
    uint64_t random = r->seed;
    const int64_t victim = ashi_random_in(&random, 0, r->ranks - 1);
    const call right = right_call(g, r->seed % 2);
    call wrong = right;
    char text[512];
    int same, differs;
    if (r->rank == victim)
        make_mistake(&wrong, &random);
    text_of(&wrong, text, sizeof text);
    for (int x = 0; x < 3; x++) { /* leading dimensions may differ */
        const int lead = ARGUMENTS + x * ENTRIES + (wrong.nine ? 8 : 10);
        wrong.number[lead] = right.number[lead];
    }
    differs = uses_what_differs(&wrong, &right);
    MPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    const int got = number_of(&wrong, ashlar_pdgemm_, a, b, c), first = first_of_all(got);
    same = got == first;
    CHECK(&r->test, same && (got != 0) == (differs != 0), CASE "%d here, %d somewhere, %d: %s", CASE_OF(r), got, first,
          differs, text);
}

/* A context that no longer is. */
static void context_gone(rig *r, int handle, double *a)
{
    const process_grid g = grid_make(handle, 1, r->ranks);
    const call c = right_call(&g, true);
    Cblacs_gridexit(g.context);
    const int want = number_of(&c, pdgemm_, a, a, a), got = number_of(&c, ashlar_pdgemm_, a, a, a);
    CHECK(&r->test, got == want && want == -1002, "%d, ScaLAPACK says %d", got, want);
}

int main(int argc, char **argv)
{
    rig r;
    static double a[SIZE * SIZE], b[SIZE * SIZE], c[SIZE * SIZE];
    int64_t explained = 0;
    if (!ranks_begin(&r, &argc, &argv, 2000))
        return 1;
    const int handle = Csys2blacs_handle(MPI_COMM_WORLD);
    for (int checks = 0; checks < 2; checks++) {
        setenv("ASHLAR_CHECK", checks ? "1" : "0", 1);
        const int rows = r.ranks % 2 ? 1 : 2;
        const process_grid g = grid_make(handle, rows, r.ranks / rows);
        for (uint64_t i = 0; i < r.cases; i++) {
            r.seed = r.first + i;
            one_case(&r, &g, checks, a, b, c, &explained);
            if (checks && r.ranks > 1)
                one_differs(&r, &g, a, b, c);
        }
        Cblacs_gridexit(g.context);
    }
    for (int i = 0; i < SIZE * SIZE; i++)
        CHECK(&r.test, c[i] == 0, "C was written to");
    CHECK(&r.test, explained > 0, "ScaLAPACK explains nothing");
    context_gone(&r, handle, a);
    Cfree_blacs_system_handle(handle);
    return ranks_end(&r, PROGRAM);
}
