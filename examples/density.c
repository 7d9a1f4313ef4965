/* A density matrix without diagonalisation: the electrons of atoms on a periodic chain or lattice, in sparse tiles.
 *
 *     mpirun -n 4 density [ATOMS | EDGExEDGExEDGE] [THRESHOLD]
 *
 * Atoms have 1, 5, 9, 13 or 14 functions. Hamiltonian H and overlap S decay with the distance of atoms. S^(-1/2) comes
 * from Newton and Schulz's iteration. The density matrix P comes from trace-correcting purification (Niklasson 2002),
 * and once more, from a chemical potential in the gap, from McWeeny's 3 P^2 - 2 P^3 (1960). Products leave out what is
 * below the threshold. At most 400 functions are also diagonalised, on one rank. */
#include <ashlar/ashlar.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FUNCTIONS = 14, DIAGONALISED = 400, ITERATIONS = 100 };

/* The atoms, and where each call's failure goes. */
typedef struct crystal {
    int64_t edge[3], atoms, functions, electrons;
    int64_t *size; /* functions of each atom */
    double threshold, range;
    ashlar_context *context;
    int rank;
    ashlar_error err;
    ashlar_status status; /* the first failure; all ranks have the same */
} crystal;

/* ---- the model ---- */

static double distance(const crystal *c, int64_t i, int64_t j)
{
    double square = 0;
    for (int d = 0; d < 3; d++) {
        const int64_t apart = llabs(i % c->edge[d] - j % c->edge[d]);
        const double shorter = (double)(apart < c->edge[d] - apart ? apart : c->edge[d] - apart);
        square += shorter * shorter;
        i /= c->edge[d];
        j /= c->edge[d];
    }
    return sqrt(square);
}

/* The same number for (p, q) and (q, p), between -1 and 1. */
static double coupling(int64_t p, int64_t q)
{
    const double x = sin((double)(p + q + 1) * 12.9898 + (double)(p * q % 1000) * 78.233) * 43758.5453;
    return 2 * (x - floor(x)) - 1;
}

/* An element of S or H: of two functions of atoms so far apart. Every second function is an occupied one, below the
 * gap. */
static double element(bool overlap, int64_t p, int64_t q, double apart)
{
    if (p == q)
        return overlap ? 1 : p % 2 ? 2 : -2;
    return (overlap ? 0.02 : 0.15) * coupling(p, q) * exp(-1.5 * apart);
}

static ashlar_tiles *make(crystal *c)
{
    const ashlar_tiles_description d = {.size = sizeof d, .type = ASHLAR_TYPE_D, .symmetry = ASHLAR_SYMMETRIC,
                                        .tile_rows = c->atoms, .tile_cols = c->atoms, .row_sizes = c->size};
    ashlar_tiles *tiles = NULL;
    if (c->status == ASHLAR_OK)
        c->status = ashlar_tiles_create(c->context, &d, &tiles, &c->err);
    return tiles;
}

/* Each rank fills its own tiles. */
static void fill(crystal *c, bool overlap, ashlar_tiles *tiles)
{
    double x[MOST_FUNCTIONS * MOST_FUNCTIONS];
    ashlar_tiles_info info;
    if (c->status == ASHLAR_OK)
        c->status = ashlar_tiles_inspect(tiles, &info, &c->err);
    for (int64_t i = 0; i < c->atoms && c->status == ASHLAR_OK; i++)
        for (int64_t j = i; j < c->atoms; j++) {
            const double apart = distance(c, i, j);
            if (ashlar_tiles_owner(tiles, i, j) != c->rank || apart > c->range)
                continue;
            for (int64_t e = 0; e < c->size[i] * c->size[j]; e++)
                x[e] = element(overlap, info.row_cuts[i] + e % c->size[i], info.row_cuts[j] + e / c->size[i], apart);
            (void)ashlar_tiles_put(tiles, i, j, c->size[i], c->size[j], ASHLAR_COL_MAJOR, c->size[i], x, NULL);
        } /* what is refused is said by finish, on all ranks */
    if (c->status == ASHLAR_OK)
        c->status = ashlar_tiles_finish(tiles, &c->err);
}

/* ---- algebra ---- */

/* C <- alpha A B + beta C. */
static void multiply(crystal *c, double alpha, const ashlar_tiles *a, const ashlar_tiles *b, double beta,
                     ashlar_tiles *out)
{
    const ashlar_tiles_options options = {.size = sizeof options, .threshold = c->threshold};
    if (c->status == ASHLAR_OK)
        c->status = ashlar_tiles_multiply(&alpha, ASHLAR_OP_N, a, ASHLAR_OP_N, b, &beta, out, &options, NULL, &c->err);
}

/* C <- alpha A + beta B. */
static void add(crystal *c, double alpha, const ashlar_tiles *a, double beta, const ashlar_tiles *b, ashlar_tiles *out)
{
    if (c->status == ASHLAR_OK)
        c->status = ashlar_tiles_add(&alpha, a, &beta, b, out, &c->err);
}

static void add_unit(crystal *c, double alpha, ashlar_tiles *x)
{
    if (c->status == ASHLAR_OK)
        c->status = ashlar_tiles_add_diagonal(&alpha, NULL, x, &c->err);
}

static double trace(crystal *c, const ashlar_tiles *x)
{
    double value = 0;
    if (c->status == ASHLAR_OK)
        c->status = ashlar_tiles_trace(x, &value, &c->err);
    return value;
}

static double norm(crystal *c, const ashlar_tiles *x)
{
    double value = 0;
    if (c->status == ASHLAR_OK)
        c->status = ashlar_tiles_norm(x, &value, &c->err);
    return value;
}

static void bounds(crystal *c, const ashlar_tiles *x, double *lowest, double *highest)
{
    *lowest = *highest = 0;
    if (c->status == ASHLAR_OK)
        c->status = ashlar_tiles_lanczos(x, 0, lowest, highest, NULL, &c->err);
}

static void swap(ashlar_tiles **x, ashlar_tiles **y)
{
    ashlar_tiles *held = *x;
    *x = *y;
    *y = held;
}

/* The iterations of a purification or of Newton and Schulz, and the errors after the last three. */
typedef struct course {
    int iterations;
    double error[3];
} course;

static course begin(void)
{
    return (course){.error = {1, 2, 3}};
}

static void note(course *at, double error)
{
    at->iterations++;
    at->error[2] = at->error[1];
    at->error[1] = at->error[0];
    at->error[0] = error;
}

/* Until the error is small and not half of what it was two iterations before: trace-correcting steps make it smaller in
 * pairs. What products leave out may keep it as large as the threshold in each tile of a row. */
static bool goes_on(const crystal *c, const course *at)
{
    const double small = fmax(1e-3, c->threshold * (double)c->atoms);
    return c->status == ASHLAR_OK && at->iterations < ITERATIONS &&
           (at->error[0] > small || at->error[0] < at->error[2] / 2);
}

static void say(const crystal *c, const char *what, const course *at, const ashlar_tiles *x)
{
    ashlar_tiles_info info;
    if (c->status == ASHLAR_OK && c->rank == 0 && ashlar_tiles_inspect(x, &info, NULL) == ASHLAR_OK)
        printf("%-28s %3d iterations, error %.1e, %5.1f %% of the tiles' elements present%s\n", what, at->iterations,
               at->error[0], 100 * info.density, at->iterations == ITERATIONS ? ": no convergence" : "");
}

/* Z = S^(-1/2): with Y = S / highest and Z = 1, T = (3 - Z Y) / 2, then Y <- Y T and Z <- T Z. */
static ashlar_tiles *inverse_root(crystal *c, const ashlar_tiles *s)
{
    ashlar_tiles *y = make(c), *z = make(c), *t = make(c), *next = make(c);
    course at = begin();
    double lowest, highest;
    bounds(c, s, &lowest, &highest);
    add(c, 1 / highest, s, 0, s, y);
    add_unit(c, 1, z);
    while (goes_on(c, &at)) {
        multiply(c, -0.5, z, y, 0, t);
        add_unit(c, 1.5, t);
        multiply(c, 1, y, t, 0, next);
        swap(&y, &next);
        multiply(c, 1, t, z, 0, next);
        swap(&z, &next);
        add_unit(c, -1, t);
        note(&at, norm(c, t) / sqrt((double)c->functions));
    }
    add(c, 1 / sqrt(highest), z, 0, z, next);
    swap(&z, &next);
    say(c, "S^(-1/2), Newton-Schulz", &at, z);
    ashlar_tiles_free(&y);
    ashlar_tiles_free(&t);
    ashlar_tiles_free(&next);
    return z;
}

/* How far P is from P^2, which is in `square`; `room` is overwritten. */
static double idempotency(crystal *c, const ashlar_tiles *p, const ashlar_tiles *square, ashlar_tiles *room)
{
    add(c, 1, square, -1, p, room);
    return norm(c, room);
}

/* P^2 or 2 P - P^2, whichever comes nearer to the number of electrons, until P^2 is as near to P as it gets. */
static ashlar_tiles *purify(crystal *c, const ashlar_tiles *h)
{
    ashlar_tiles *p = make(c), *square = make(c), *room = make(c);
    course at = begin();
    double lowest, highest;
    bounds(c, h, &lowest, &highest);
    const double margin = 1e-3 * fmax(fabs(lowest), fabs(highest)); /* all eigenvalues may be one */
    const double top = highest + margin, width = top - lowest + margin;
    add(c, -1 / width, h, 0, h, p);
    add_unit(c, top / width, p);
    while (goes_on(c, &at)) {
        multiply(c, 1, p, p, 0, square);
        note(&at, idempotency(c, p, square, room));
        const double of_p = trace(c, p), of_square = trace(c, square), wanted = (double)c->electrons;
        if (fabs(of_square - wanted) < fabs(2 * of_p - of_square - wanted)) {
            swap(&p, &square);
        } else {
            add(c, 2, p, -1, square, room);
            swap(&p, &room);
        }
    }
    say(c, "P, trace-correcting", &at, p);
    ashlar_tiles_free(&square);
    ashlar_tiles_free(&room);
    return p;
}

/* 3 P^2 - 2 P^3 from a P whose eigenvalues are above 1/2 for states below the chemical potential. */
static ashlar_tiles *purify_from(crystal *c, const ashlar_tiles *h, double potential)
{
    ashlar_tiles *p = make(c), *square = make(c), *room = make(c);
    course at = begin();
    double lowest, highest;
    bounds(c, h, &lowest, &highest);
    const double width = 2 * fmax(highest - potential, potential - lowest);
    add(c, -1 / width, h, 0, h, p);
    add_unit(c, 0.5 + potential / width, p);
    while (goes_on(c, &at)) {
        multiply(c, 1, p, p, 0, square);
        note(&at, idempotency(c, p, square, room));
        add(c, 3, square, 0, square, room);
        multiply(c, -2, p, square, 1, room);
        swap(&p, &room);
    }
    say(c, "P, McWeeny", &at, p);
    ashlar_tiles_free(&square);
    ashlar_tiles_free(&room);
    return p;
}

/* ---- checked against diagonalisation ---- */

/* Rotate rows and columns p and q of a symmetric matrix so that a(p, q) vanishes (Jacobi 1846). */
static void rotate(double *a, int64_t n, int64_t p, int64_t q)
{
    const double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[q * n + p]);
    const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double cosine = 1 / sqrt(t * t + 1), sine = t * cosine;
    for (int64_t i = 0; i < n; i++) {
        const double x = a[p * n + i], y = a[q * n + i];
        a[p * n + i] = cosine * x - sine * y;
        a[q * n + i] = sine * x + cosine * y;
    }
    for (int64_t i = 0; i < n; i++) {
        const double x = a[i * n + p], y = a[i * n + q];
        a[i * n + p] = cosine * x - sine * y;
        a[i * n + q] = sine * x + cosine * y;
    }
}

static int by_size(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* The sum of the lowest eigenvalues of a symmetric matrix, which is destroyed. */
static double lowest_sum(double *a, int64_t n, int64_t count)
{
    double sum = 0;
    for (int sweep = 0; sweep < 12; sweep++)
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++)
                if (fabs(a[q * n + p]) > 1e-15)
                    rotate(a, n, p, q);
    for (int64_t i = 0; i < n; i++)
        a[i] = a[i * n + i];
    qsort(a, (size_t)n, sizeof *a, by_size);
    for (int64_t i = 0; i < count; i++)
        sum += a[i];
    return sum;
}

/* The energy of the lowest states of h, from its eigenvalues: on rank 0, which then says how far `energy` is from it.
 * */
static void diagonalise(crystal *c, const ashlar_tiles *h, double energy)
{
    const int64_t n = c->functions;
    ashlar_layout *layout = NULL;
    double *whole = c->rank == 0 ? malloc((size_t)(n * n) * sizeof *whole) : NULL;
    if (c->status == ASHLAR_OK)
        c->status = ashlar_layout_block_cyclic(n, n, n, n, 1, 1, 0, 0, NULL, ASHLAR_COL_MAJOR, 0, &layout, &c->err);
    if (c->status == ASHLAR_OK)
        c->status = ashlar_tiles_to_dense(h, layout, whole, &c->err);
    if (c->status == ASHLAR_OK && c->rank == 0) {
        const double wanted = lowest_sum(whole, n, c->electrons);
        printf("by diagonalisation           energy %.10f, difference %.1e\n", wanted, energy - wanted);
    }
    free(whole);
    ashlar_layout_free(&layout);
}

/* ---- the run ---- */

static double energy_of(crystal *c, const ashlar_tiles *p, const ashlar_tiles *h)
{
    double value = 0;
    if (c->status == ASHLAR_OK)
        c->status = ashlar_tiles_trace_product(ASHLAR_OP_N, p, h, &value, &c->err);
    return value;
}

static void run(crystal *c)
{
    ashlar_tiles *s = make(c), *h = make(c), *orthogonal = make(c), *half = NULL, *z = NULL, *p[2] = {NULL, NULL};
    fill(c, true, s);
    fill(c, false, h);
    z = inverse_root(c, s);
    if (c->status == ASHLAR_OK) { /* H Z has no symmetry, Z H Z has */
        const ashlar_tiles_description d = {.size = sizeof d, .type = ASHLAR_TYPE_D, .tile_rows = c->atoms,
                                            .tile_cols = c->atoms, .row_sizes = c->size};
        c->status = ashlar_tiles_create(c->context, &d, &half, &c->err);
    }
    multiply(c, 1, h, z, 0, half);
    multiply(c, 1, z, half, 0, orthogonal);
    p[0] = purify(c, orthogonal);
    p[1] = purify_from(c, orthogonal, 0);
    const double energy = energy_of(c, p[0], orthogonal);
    if (c->status == ASHLAR_OK && c->functions <= DIAGONALISED)
        diagonalise(c, orthogonal, energy);
    for (int i = 0; i < 2; i++) {
        const double electrons = trace(c, p[i]), found = energy_of(c, p[i], orthogonal);
        if (c->status == ASHLAR_OK && c->rank == 0)
            printf("%-28s energy %.10f, %.8f electrons\n", i ? "P, McWeeny" : "P, trace-correcting", found, electrons);
        ashlar_tiles_free(&p[i]);
    }
    ashlar_tiles *const all[] = {s, h, orthogonal, half, z};
    for (int i = 0; i < 5; i++) {
        ashlar_tiles *one = all[i];
        ashlar_tiles_free(&one);
    }
}

/* "200", "6x6x6". */
static bool read_edges(const char *text, crystal *c)
{
    char rest = 0;
    long long edge[3] = {0, 1, 1};
    const int found = sscanf(text, "%lldx%lldx%lld%c", &edge[0], &edge[1], &edge[2], &rest);
    c->atoms = 1;
    for (int d = 0; d < 3; d++) {
        if (edge[d] < 1 || edge[d] > 1000000 / c->atoms)
            return false;
        c->edge[d] = edge[d];
        c->atoms *= edge[d];
    }
    return found == 1 || found == 3;
}

static bool set_up(int argc, char **argv, crystal *c)
{
    static const int64_t functions[5] = {1, 5, 9, 13, 14};
    char *end = NULL;
    if (argc > 3 || !read_edges(argc > 1 ? argv[1] : "40", c))
        return false;
    c->threshold = argc > 2 ? strtod(argv[2], &end) : 1e-9;
    c->size = malloc((size_t)c->atoms * sizeof *c->size);
    if ((argc > 2 && (*end || end == argv[2])) || !c->size)
        return false;
    for (int64_t i = 0; i < c->atoms; i++) {
        c->size[i] = functions[i % 5];
        c->functions += c->size[i];
    }
    c->electrons = (c->functions + 1) / 2;
    c->range = 14;
    return true;
}

int main(int argc, char **argv)
{
    crystal c = {.status = ASHLAR_OK};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &c.rank);
    if (!set_up(argc, argv, &c)) {
        if (c.rank == 0)
            fprintf(stderr, "usage: density [ATOMS | EDGExEDGExEDGE] [THRESHOLD]\n");
        MPI_Finalize();
        return 2;
    }
    c.status = ashlar_context_create(MPI_COMM_WORLD, &c.context, &c.err);
    if (c.rank == 0)
        printf("%lld atoms, %lld functions, %lld electrons, threshold %g\n", (long long)c.atoms,
               (long long)c.functions, (long long)c.electrons, c.threshold);
    run(&c);
    if (c.status != ASHLAR_OK && c.rank == 0)
        fprintf(stderr, "density: %s\n", c.err.text);
    ashlar_context_free(&c.context);
    free(c.size);
    MPI_Finalize();
    return c.status != ASHLAR_OK;
}
