/* A matrix of tiles of 1, 5 and 9 rows, one for each atom of a ring: filled by any rank, filtered, and made dense. */
#include <ashlar/ashlar.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ATOMS = 30, MOST = 9 };

/* Functions of an atom. */
static int64_t functions(int64_t atom)
{
    static const int64_t of[3] = {1, 5, 9};
    return of[atom % 3];
}

/* What two atoms have in common falls off with their distance along the ring. */
static double overlap(int64_t i, int64_t j)
{
    const int64_t distance = i < j ? j - i : i - j;
    return exp(-(double)(distance < ATOMS - distance ? distance : ATOMS - distance));
}

/* Tiles go from the rank that forms them to the one that they belong to; those below the diagonal follow. */
static ashlar_status fill(ashlar_tiles *tiles, int rank, int ranks, ashlar_error *err)
{
    double x[MOST * MOST];
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < ATOMS; i++)
        for (int64_t j = i; j < ATOMS && status == ASHLAR_OK; j++) {
            if ((i + j) % ranks != rank)
                continue;
            for (int64_t e = 0; e < MOST * MOST; e++)
                x[e] = overlap(i, j);
            status = ashlar_tiles_put(tiles, i, j, functions(i), functions(j), ASHLAR_COL_MAJOR, MOST, x, err);
        }
    (void)status; /* of this rank only: the next call says it on all */
    return ashlar_tiles_finish(tiles, err);
}

static ashlar_status show(const ashlar_tiles *tiles, int rank, ashlar_error *err)
{
    double norm = 0, trace = 0, lowest = 0, highest = 0;
    ashlar_tiles_info info;
    ashlar_status status = ashlar_tiles_inspect(tiles, &info, err);
    if (status == ASHLAR_OK)
        status = ashlar_tiles_norm(tiles, &norm, err);
    if (status == ASHLAR_OK)
        status = ashlar_tiles_trace(tiles, &trace, err);
    if (status == ASHLAR_OK)
        status = ashlar_tiles_gershgorin(tiles, &lowest, &highest, err);
    if (status == ASHLAR_OK && rank == 0)
        printf("%lld x %lld elements, %lld tiles stored, %.0f %% present: norm %.6f, trace %.0f, eigenvalues from %.3f "
               "to %.3f\n", (long long)info.rows, (long long)info.cols, (long long)info.tiles, 100 * info.density, norm,
               trace, lowest, highest);
    return status;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int64_t sizes[ATOMS];
    for (int64_t i = 0; i < ATOMS; i++)
        sizes[i] = functions(i);
    const ashlar_tiles_description description = {.size = sizeof description, .type = ASHLAR_TYPE_D,
                                                  .symmetry = ASHLAR_SYMMETRIC, .tile_rows = ATOMS, .tile_cols = ATOMS,
                                                  .row_sizes = sizes}; /* on a grid of all ranks */
    ashlar_context *context = NULL;
    ashlar_tiles *tiles = NULL;
    ashlar_error err = {0};
    ashlar_status status = ashlar_context_create(MPI_COMM_WORLD, &context, &err);
    if (status == ASHLAR_OK)
        status = ashlar_tiles_create(context, &description, &tiles, &err);
    if (status == ASHLAR_OK)
        status = fill(tiles, rank, ranks, &err);
    if (status == ASHLAR_OK)
        status = show(tiles, rank, &err);
    if (status == ASHLAR_OK)
        status = ashlar_tiles_filter(tiles, 1e-3, &err); /* distant atoms are absent from now on */
    if (status == ASHLAR_OK)
        status = show(tiles, rank, &err);
    if (status != ASHLAR_OK && rank == 0)
        fprintf(stderr, "%s: %s\n", ashlar_status_name(status), err.text);
    ashlar_tiles_free(&tiles);
    ashlar_context_free(&context);
    MPI_Finalize();
    return status == ASHLAR_OK ? 0 : 1;
}
