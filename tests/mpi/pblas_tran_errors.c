/* Wrong arguments of p?tran get the numbers and the explanations that ScaLAPACK gives them, those of p?gemr2d are
 * reported on all processes and explained where they are, and both leave the target alone. */
#include "mpi/pblas_matrix.h"
#include "mpi/pblas_reported.h"
#include "mpi/ranks.h"

#include <ashlar/pblas.h>

#define PROGRAM "pblas_tran_errors"

typedef void (*tran)(const int *, const int *, const double *, const double *, const int *, const int *, const int *,
                     const double *, double *, const int *, const int *, const int *);
void pdtran_(const int *m, const int *n, const double *alpha, const double *a, const int *ia, const int *ja,
             const int *desca, const double *beta, double *c, const int *ic, const int *jc, const int *descc);

enum { SIZE = 24, ARGUMENTS = 6, ENTRIES = 11, NUMBERS = ARGUMENTS + 2 * ENTRIES };

/* m, n, ia, ja, ic, jc; descriptors. */
typedef struct call {
    int number[NUMBERS];
} call;

static call right_call(const process_grid *g, bool nine)
{
    const int short_desc[ENTRIES] = {1, g->context, SIZE, SIZE, 4, 4, 0, 0, SIZE, 0, 0};
    const int long_desc[ENTRIES] = {2, g->context, SIZE, SIZE, 3, 5, 4, 4, 0, 0, SIZE};
    call c = {{10, 11, 1, 2, 3, 4}};
    for (int x = 0; x < 2; x++)
        memcpy(c.number + ARGUMENTS + x * ENTRIES, nine ? short_desc : long_desc, sizeof short_desc);
    return c;
}

/* A's context stays, for without it the call ends elsewhere. */
static void make_mistake(call *c, uint64_t *random)
{
    static const int values[] = {-1, 0, 1, -2, 3, 23, 25, 100, -1000};
    const int value = values[ashi_random_in(random, 0, 8)];
    const int64_t what = ashi_random_in(random, 0, NUMBERS - 1);
    if (what != ARGUMENTS + 1)
        c->number[what] = value;
}

static int number_of(const call *c, tran f, const double *a, double *out)
{
    const int *n = c->number, *d = n + ARGUMENTS;
    const double zero = 0, one = 1;
    report_anew();
    f(&n[0], &n[1], &zero, a, &n[2], &n[3], d, &one, out, &n[4], &n[5], d + ENTRIES); /* harmless where it is right */
    return reported.info;
}

static void text_of(const call *c, char *out, size_t room)
{
    int used = 0;
    for (int i = 0; i < NUMBERS && used >= 0 && (size_t)used < room; i++)
        used += snprintf(out + used, room - (size_t)used, " %d", c->number[i]);
}

static void transposition(rig *r, const process_grid *g, double *a, double *c)
{
    uint64_t random = r->seed;
    call wrong = right_call(g, r->seed % 2);
    char text[512];
    for (int64_t i = ashi_random_in(&random, 0, 3); i > 0; i--)
        make_mistake(&wrong, &random);
    text_of(&wrong, text, sizeof text);
    const int want = number_of(&wrong, pdtran_, a, c), lines = reported.lines;
    char said[LINES_MOST][LINE_LENGTH];
    memcpy(said, reported.line, sizeof said);
    const int got = number_of(&wrong, ashlar_pdtran_, a, c);
    CHECK(&r->test, explained_alike(lines, said), CASE "%d lines, ScaLAPACK has %d: '%s', '%s':%s", CASE_OF(r),
          reported.lines, lines, reported.lines ? reported.line[0] : "", lines ? said[0] : "", text);
    CHECK(&r->test, got == want, CASE "%d, ScaLAPACK says %d:%s", CASE_OF(r), got, want, text);
    CHECK(&r->test, reported.calls == (want != 0), CASE "reported %d times:%s", CASE_OF(r), reported.calls, text);
    CHECK(&r->test, want == 0 || strcmp(reported.routine, "PDTRAN") == 0, CASE "of %s", CASE_OF(r), reported.routine);
}

/* An entry of A's descriptor, or for 9 IA and for 10 JA, and what is said of a wrong value. */
static const struct {
    int entry, value, info;
    const char *line;
} wrong_copies[] = {{2, 5, -4, "Operation out of bounds: M = 10, IA = 1, DESCA[M_] = 5"},
                    {3, 5, -5, "Operation out of bounds: N = 11, JA = 1, DESCA[N_] = 5"},
                    {4, 0, -605, "Illegal DESCA[IMB_] = 0, DESCA[IMB_] must be at least 1"},
                    {5, -1, -606, "Illegal DESCA[INB_] = -1, DESCA[INB_] must be at least 1"},
                    {6, 1, -609, "Illegal DESCA[RSRC_] = 1, DESCA[RSRC_] must be >= 0 and < 1"},
                    {6, -1, -609, "Illegal DESCA[RSRC_] = -1, DESCA[RSRC_] must be >= 0 and < 1"},
                    {7, -1, -610, "Illegal DESCA[CSRC_] = -1, DESCA[CSRC_] must be >= 0 and < 1"},
                    {8, 3, -611, "DESCA[LLD_] = 3, it must be at least 24"},
                    {9, 0, -4, "Illegal IA = 0, IA must be at least 1"},
                    {10, -3, -5, "Illegal JA = -3, JA must be at least 1"},
                    {9, SIZE, -4, "Operation out of bounds: M = 10, IA = 24, DESCA[M_] = 24"}};

/* A copy from the first process's grid to one of all: what is wrong of A, all report, and that process explains. */
static void redistribution(rig *r, const process_grid *all, const process_grid *one, double *a, double *b)
{
    for (size_t i = 0; i < sizeof wrong_copies / sizeof wrong_copies[0]; i++) {
        int number[11] = {1, one->context, SIZE, SIZE, 4, 4, 0, 0, SIZE, 1, 1};
        const int descb[9] = {1, all->context, SIZE, SIZE, 4, 4, 0, 0, SIZE}, m = 10, n = 11, first = 1;
        number[wrong_copies[i].entry] = wrong_copies[i].value;
        report_anew();
        ashlar_pdgemr2d_(&m, &n, a, &number[9], &number[10], number, b, &first, &first, descb, &all->context);
        int least = reported.info, most = reported.info;
        MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        CHECK(&r->test, least == most && reported.calls == 1, "mistake %zu: from %d to %d", i, least, most);
        CHECK(&r->test, most == wrong_copies[i].info, "mistake %zu: %d, wanted %d", i, most, wrong_copies[i].info);
        CHECK(&r->test, one->row < 0 ? reported.lines == 0
                                     : reported.lines > 0 && strcmp(reported.line[0], wrong_copies[i].line) == 0,
              "mistake %zu: %d lines, '%s', wanted '%s'", i, reported.lines, reported.line[0], wrong_copies[i].line);
    }
}

int main(int argc, char **argv)
{
    rig r;
    static double a[SIZE * SIZE], c[SIZE * SIZE];
    if (!ranks_begin(&r, &argc, &argv, 1500))
        return 1;
    setenv("ASHLAR_CHECK", "0", 1);
    const int handle = Csys2blacs_handle(MPI_COMM_WORLD), rows = r.ranks % 2 ? 1 : 2;
    const process_grid g = grid_make(handle, rows, r.ranks / rows);
    process_grid one = grid_make(handle, 1, 1);
    for (uint64_t i = 0; i < r.cases; i++) {
        r.seed = r.first + i;
        transposition(&r, &g, a, c);
    }
    redistribution(&r, &g, &one, a, c);
    for (int i = 0; i < SIZE * SIZE; i++)
        CHECK(&r.test, c[i] == 0, "C was written to");
    if (one.row >= 0)
        Cblacs_gridexit(one.context);
    Cblacs_gridexit(g.context);
    Cfree_blacs_system_handle(handle);
    return ranks_end(&r, PROGRAM);
}
