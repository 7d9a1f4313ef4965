/* How far products of tiles, ours and DBCSR's, are from a product in one piece and from each other. */
#include "tiles_errors.h"

#include "die.h"

#include <cblas.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

static void require(ashlar_status status, const ashlar_error *err)
{
    if (status != ASHLAR_OK)
        ashi_die("%s", err->text);
}

/* All of a matrix, column-major. */
static double *whole_of(const ashlar_tiles *tiles)
{
    ashlar_tiles_info info;
    ashlar_error err;
    require(ashlar_tiles_inspect(tiles, &info, &err), &err);
    const int64_t count = info.tile_rows * info.tile_cols;
    int64_t *row = ashi_need(2 * count, (long long)sizeof *row), *col = row + count;
    double *each = ashi_need(info.rows * info.cols, (long long)sizeof *each), *from = each;
    double *whole = ashi_need(info.rows * info.cols, (long long)sizeof *whole);
    for (int64_t t = 0; t < count; t++) {
        row[t] = t / info.tile_cols;
        col[t] = t % info.tile_cols;
    }
    require(ashlar_tiles_fetch(tiles, count, row, col, each, NULL, &err), &err);
    for (int64_t t = 0; t < count; t++)
        for (int64_t j = info.col_cuts[col[t]]; j < info.col_cuts[col[t] + 1]; j++)
            for (int64_t i = info.row_cuts[row[t]]; i < info.row_cuts[row[t] + 1]; i++)
                whole[i + j * info.rows] = *from++;
    free(row);
    free(each);
    return whole;
}

static double square_of(const ashlar_tiles_info *c, const double *whole, int64_t row, int64_t col, const double *tile)
{
    double sum = 0;
    for (int64_t j = c->col_cuts[col], e = 0; j < c->col_cuts[col + 1]; j++)
        for (int64_t i = c->row_cuts[row]; i < c->row_cuts[row + 1]; i++, e++) {
            const double d = whole[i + j * c->rows] - (tile ? tile[e] : 0);
            sum += d * d;
        }
    return sum;
}

void ashi_tiles_errors(const ashlar_tiles *a, const ashlar_tiles *b, const ashlar_tiles *c,
                       const ashi_tiles_peer *peer, double error[2])
{
    double *const wholes[2] = {whole_of(a), whole_of(b)}, square[2] = {0, 0};
    ashlar_tiles_info info, inner;
    ashlar_error err;
    int rank = 0;
    require(ashlar_tiles_inspect(c, &info, &err), &err);
    require(ashlar_tiles_inspect(a, &inner, &err), &err);
    const int m = (int)info.rows, n = (int)info.cols, k = (int)inner.cols;
    double *const right = ashi_need((long long)m * n, (long long)sizeof *right);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, wholes[0], m, wholes[1], k, 0, right, m);
    if (MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS)
        ashi_die("MPI_Comm_rank failed");
    for (int64_t row = 0; row < info.tile_rows; row++)
        for (int64_t col = 0; col < info.tile_cols; col++) {
            ashlar_stored_tile tile;
            if (ashlar_tiles_owner(c, row, col) != rank)
                continue;
            require(ashlar_tiles_get(c, row, col, &tile, &err), &err);
            square[0] += square_of(&info, right, row, col, tile.data);
            square[1] += square_of(&info, right, row, col, peer ? ashi_tiles_peer_tile(peer, row, col) : NULL);
        }
    if (MPI_Allreduce(square, error, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS)
        ashi_die("MPI_Allreduce failed");
    for (int i = 0; i < 2; i++) {
        error[i] = sqrt(error[i]);
        free(wholes[i]);
    }
    free(right);
}

double ashi_tiles_difference(const ashlar_tiles *c, const ashi_tiles_peer *peer)
{
    double own = 0, most = 0;
    ashlar_tiles_info info;
    ashlar_error err;
    require(ashlar_tiles_inspect(c, &info, &err), &err);
    for (int64_t t = 0; t < info.local_tiles; t++) {
        ashlar_stored_tile tile;
        require(ashlar_tiles_local(c, t, &tile, &err), &err);
        const double *block = ashi_tiles_peer_tile(peer, tile.row, tile.col);
        if (!block)
            ashi_die("DBCSR has no tile (%lld, %lld)", (long long)tile.row, (long long)tile.col);
        for (int64_t e = 0; e < tile.rows * tile.cols; e++)
            own = fmax(own, fabs(block[e] - ((const double *)tile.data)[e]));
    }
    if (MPI_Allreduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD) != MPI_SUCCESS)
        ashi_die("MPI_Allreduce failed");
    return most;
}
