/* Bounds of spectra by Lanczos' method: matrices whose eigenvalues are known, in any tiles and deals. */
#define PROGRAM "tiles_lanczos"

#include "mpi/tilings.h"

static const long double pi = 3.14159265358979323846264338L;

/* A Hermitian matrix with known eigenvalues. */
typedef struct spectrum {
    rig *r;
    ashlar_context *context;
    uint64_t state;
    tiling t;
    ashi_cuts cuts;
    int64_t n;
    bool line;              /* 2 on the diagonal, numbers of modulus 1 beside it; else full */
    long double *value;     /* eigenvalues of a full one */
    number *vector;         /* it is Q D Q with Q = 1 - 2 u u^H */
    long double lowest, highest, largest; /* largest: in modulus */
    long double scale;      /* a power of 2 */
} spectrum;

static void make_spectrum(spectrum *s)
{
    const bool complex = ashi_type_of(s->t.d.type)->complex;
    long double length = 0;
    s->value = calloc((size_t)s->n + 1, sizeof *s->value);
    s->vector = calloc((size_t)s->n + 1, sizeof *s->vector);
    if (!s->value || !s->vector)
        exit(1);
    for (int64_t i = 0; i < s->n; i++) {
        const content c = {s->t.d.type, 0, false};
        s->vector[i] = random_number(&c, &s->state);
        length += s->vector[i].re * s->vector[i].re + s->vector[i].im * s->vector[i].im;
        /* some are equal, and one is far from the others */
        s->value[i] = i == s->n / 2 ? 100 : (long double)ashi_random_in(&s->state, -20, 20) / 4;
        if (s->line)
            s->value[i] = 2 - 2 * cosl(pi * (long double)(i + 1) / (long double)(s->n + 1));
        s->lowest = i == 0 ? s->value[0] : fminl(s->lowest, s->value[i]);
        s->highest = i == 0 ? s->value[0] : fmaxl(s->highest, s->value[i]);
    }
    for (int64_t i = 0; i < s->n; i++) {
        s->vector[i].re /= sqrtl(length);
        s->vector[i].im /= complex ? sqrtl(length) : 1;
    }
    s->largest = fmaxl(fabsl(s->lowest), fabsl(s->highest));
}

static number conjugate(number x)
{
    return (number){x.re, -x.im};
}

/* Of Q D Q: D - 2 u (u^H D) - 2 (D u) u^H + 4 (u^H D u) u u^H. */
static number full_element(const spectrum *s, int64_t i, int64_t j, long double middle)
{
    const number square = number_mul(s->vector[i], conjugate(s->vector[j]));
    const long double factor = 4 * middle - 2 * s->value[i] - 2 * s->value[j];
    return (number){factor * square.re + (i == j ? s->value[i] : 0), i == j ? 0 : factor * square.im};
}

static number line_element(const spectrum *s, int64_t i, int64_t j)
{
    const long double turn = ashi_type_of(s->t.d.type)->complex ? 1 + (long double)(i < j ? i : j) : 0;
    if (i == j)
        return (number){2, 0};
    return i + 1 == j || j + 1 == i ? (number){-cosl(turn), i < j ? sinl(turn) : -sinl(turn)} : (number){0, 0};
}

static void put_tile(spectrum *s, ashlar_tiles *tiles, int64_t row, int64_t col, long double middle)
{
    const int64_t rows = ashi_cuts_size(&s->cuts, row), cols = ashi_cuts_size(&s->cuts, col);
    const size_t word = ashlar_type_bytes(s->t.d.type);
    char *data = calloc((size_t)(rows * cols) + 1, word);
    bool any = false;
    for (int64_t e = 0; e < rows * cols && data; e++) {
        const int64_t i = s->cuts.at[row] + e % rows, j = s->cuts.at[col] + e / rows;
        const number x = s->line ? line_element(s, i, j) : full_element(s, i, j, middle);
        any = any || x.re < 0 || x.re > 0 || x.im < 0 || x.im > 0;
        number_store(s->t.d.type, (number){x.re * s->scale, x.im * s->scale}, data + (size_t)e * word);
    }
    if (any)
        CHECK(&s->r->test, ashlar_tiles_put(tiles, row, col, rows, cols, ASHLAR_COL_MAJOR, rows > 0 ? rows : 1, data,
                                            NULL) == ASHLAR_OK, CASE "put", CASE_OF(s->r));
    free(data);
}

static ashlar_tiles *make(spectrum *s)
{
    ashlar_tiles *tiles = make_tiles(s->r, s->context, &s->t);
    long double middle = 0;
    ashlar_error err = {0};
    for (int64_t i = 0; i < s->n; i++)
        middle += s->value[i] * (s->vector[i].re * s->vector[i].re + s->vector[i].im * s->vector[i].im);
    for (int64_t row = 0; row < s->cuts.tiles; row++)
        for (int64_t col = s->t.d.symmetry == ASHLAR_GENERAL ? 0 : row; col < s->cuts.tiles; col++)
            if (ashlar_tiles_owner(tiles, row, col) == s->r->rank)
                put_tile(s, tiles, row, col, middle);
    CHECK(&s->r->test, ashlar_tiles_finish(tiles, &err) == ASHLAR_OK, CASE "%s", CASE_OF(s->r), err.text);
    return tiles;
}

/* The call, whose numbers are to be the same on all ranks: lowest, highest, inner lowest, inner highest. */
static void find(spectrum *s, const ashlar_tiles *tiles, int64_t steps, double found[4])
{
    double least[4], most[4];
    ashlar_error err = {0};
    const ashlar_status status = ashlar_tiles_lanczos(tiles, steps, &found[0], &found[1], &found[2], &err);
    CHECK(&s->r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(s->r), err.text);
    MPI_Allreduce(found, least, 4, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(found, most, 4, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    CHECK(&s->r->test, memcmp(found, least, sizeof least) == 0 && memcmp(found, most, sizeof most) == 0,
          CASE "ranks have other bounds", CASE_OF(s->r));
}

/* Bounds hold for any number of steps and become narrow with more; what is found is within. */
static void check_bounds(spectrum *s, const ashlar_tiles *tiles)
{
    const double u = ashi_type_of(s->t.d.type)->roundoff, wrong = (double)(s->largest * s->n) * u * 8;
    const int64_t steps[] = {1, 3, s->n / 4 + 1, s->n + 5};
    for (int i = 0; i < 4; i++) {
        double found[4], again[4];
        find(s, tiles, steps[i], found);
        find(s, tiles, steps[i], again);
        CHECK(&s->r->test, memcmp(found, again, sizeof found) == 0, CASE "other bits", CASE_OF(s->r));
        CHECK(&s->r->test, found[0] <= (double)s->lowest + wrong && found[1] >= (double)s->highest - wrong,
              CASE "%g to %g after %" PRId64 " steps, eigenvalues %Lg to %Lg", CASE_OF(s->r), found[0], found[1],
              steps[i], s->lowest, s->highest);
        CHECK(&s->r->test, found[2] >= (double)s->lowest - wrong && found[3] <= (double)s->highest + wrong &&
              found[2] <= found[3], CASE "found %g to %g", CASE_OF(s->r), found[2], found[3]);
        CHECK(&s->r->test, i < 3 || (found[0] >= (double)(s->lowest - s->largest * 1e-10L) - 4 * wrong &&
                                     found[1] <= (double)(s->highest + s->largest * 1e-10L) + 4 * wrong),
              CASE "%g to %g after all steps, eigenvalues %Lg to %Lg", CASE_OF(s->r), found[0], found[1], s->lowest,
              s->highest);
    }
}

/* A matrix times a power of 2 has bounds times that, however large or small its elements are. */
static void check_scales(spectrum *s)
{
    const bool single = s->t.d.type == ASHLAR_TYPE_S || s->t.d.type == ASHLAR_TYPE_C;
    static const int powers[2][2] = {{100, -90}, {1000, -900}};
    double plain[4], scaled[4];
    for (int i = 0; i < 3; i++) {
        s->scale = i == 0 ? 1 : ldexpl(1, powers[single ? 0 : 1][i - 1]);
        ashlar_tiles *tiles = make(s);
        find(s, tiles, 6, i == 0 ? plain : scaled);
        for (int k = 0; k < 4 && i > 0; k++)
            CHECK(&s->r->test, scaled[k] <= (double)(plain[k] * s->scale) && scaled[k] >= (double)(plain[k] * s->scale),
                  CASE "%g and %g times %Lg", CASE_OF(s->r), scaled[k], plain[k], s->scale);
        ashlar_tiles_free(&tiles);
    }
}

/* Without tiles all eigenvalues are 0; a NaN is not hidden. */
static void check_ends(spectrum *s, ashlar_tiles *tiles)
{
    double found[4];
    ashlar_error err = {0};
    const double nan[2] = {NAN, NAN};
    number_store(s->t.d.type, (number){NAN, 0}, (char *)(uintptr_t)nan);
    if (s->n > 0 && s->r->rank == 0)
        for (int64_t row = 0, done = 0; row < s->cuts.tiles && !done; row++)
            if (ashi_cuts_size(&s->cuts, row) == 1)
                done = ashlar_tiles_put(tiles, row, row, 1, 1, ASHLAR_COL_MAJOR, 1, nan, NULL) == ASHLAR_OK;
    CHECK(&s->r->test, ashlar_tiles_finish(tiles, &err) == ASHLAR_OK, CASE "%s", CASE_OF(s->r), err.text);
    bool has = false;
    for (int64_t row = 0; row < s->cuts.tiles; row++)
        has = has || ashi_cuts_size(&s->cuts, row) == 1;
    if (has) {
        CHECK(&s->r->test, ashlar_tiles_lanczos(tiles, 0, &found[0], &found[1], NULL, &err) == ASHLAR_OK &&
              isnan(found[0]) && isnan(found[1]), CASE "a NaN: %g to %g", CASE_OF(s->r), found[0], found[1]);
    }
    ashlar_tiles_clear(tiles, NULL);
    CHECK(&s->r->test, ashlar_tiles_lanczos(tiles, 0, &found[0], &found[1], &found[2], &err) == ASHLAR_OK,
          CASE "%s", CASE_OF(s->r), err.text);
    CHECK(&s->r->test, s->n > 0 ? found[0] <= 0 && found[1] >= 0 && found[1] - found[0] < 1e-300
                                : isinf(found[0]) && isinf(found[1]) && found[0] > found[1],
          CASE "without tiles: %g to %g", CASE_OF(s->r), found[0], found[1]);
}

static void wrong_use(spectrum *s, const ashlar_tiles *tiles)
{
    double found[2] = {7, 7};
    ashlar_error err = {0};
    ashlar_status status = ashlar_tiles_lanczos(tiles, s->r->rank == 0 ? -1 : 3, &found[0], &found[1], NULL, &err);
    CHECK(&s->r->test, status == ASHLAR_ERR_ARG && ranks_agree(MPI_COMM_WORLD, (int)status, err.text) &&
          strstr(err.text, "steps = -1") && found[0] + found[1] >= 14, CASE "%s", CASE_OF(s->r), err.text);
    tiling t = s->t;
    t.d.symmetry = ASHLAR_ANTIHERMITIAN;
    ashlar_tiles *other = make_tiles(s->r, s->context, &t);
    status = ashlar_tiles_lanczos(other, 3, &found[0], &found[1], NULL, &err);
    CHECK(&s->r->test, status == ASHLAR_ERR_ARG && ranks_agree(MPI_COMM_WORLD, (int)status, err.text) &&
          strstr(err.text, "Hermitian"), CASE "%s", CASE_OF(s->r), err.text);
    ashlar_tiles_free(&other);
}

static void one(ashlar_context *context, rig *r)
{
    static const ashlar_symmetry symmetries[3] = {ASHLAR_GENERAL, ASHLAR_SYMMETRIC, ASHLAR_HERMITIAN};
    spectrum s = {.r = r, .context = context, .state = r->seed, .scale = 1};
    const ashlar_type type = (ashlar_type)ashi_random_in(&s.state, 0, 3);
    ashlar_symmetry symmetry = symmetries[ashi_random_in(&s.state, 0, 2)];
    if (symmetry == ASHLAR_SYMMETRIC && ashi_type_of(type)->complex)
        symmetry = ASHLAR_HERMITIAN;
    random_tiling_of(&s.state, r->ranks, type, symmetry, &s.t);
    s.t.d.tile_cols = s.t.d.tile_rows;
    s.t.d.col_sizes = NULL;
    s.line = ashi_random_in(&s.state, 0, 1);
    if (ashi_cuts_make(s.t.d.tile_rows, s.t.row_size, "rows", &s.cuts, NULL) != ASHLAR_OK)
        exit(1);
    s.n = ashi_cuts_all(&s.cuts);
    make_spectrum(&s);
    ashlar_tiles *tiles = make(&s);
    if (s.n > 0) {
        check_bounds(&s, tiles);
        check_scales(&s);
    }
    wrong_use(&s, tiles);
    check_ends(&s, tiles);
    ashlar_tiles_free(&tiles);
    ashi_cuts_free(&s.cuts);
    free(s.value);
    free(s.vector);
}

int main(int argc, char **argv)
{
    return try_in_context(argc, argv, 20, one);
}
