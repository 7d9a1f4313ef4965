/* DBCSR, to be compared with: a product of two matrices of tiles. Its matrices are dealt out as Ashlar's are. */
#include "tiles_peer.h"

#include "die.h"
#include "samples.h"

#include <mpi.h>
#include <stdlib.h>

#ifdef ASHI_DBCSR
#define nullptr NULL /* its header wants it */
#include <dbcsr.h>
#undef nullptr

/* The sides of A, B and C. */
static const int sides[3][2] = {{0, 2}, {2, 1}, {0, 1}};

struct ashi_tiles_peer {
    dbcsr_matrix matrix[3];
    dbcsr_distribution dist[3];
    int *block[3], count[3]; /* of m, n, k */
};

static void require(ashlar_status status, const ashlar_error *err)
{
    if (status != ASHLAR_OK)
        ashi_die("%s", err->text);
}

static void make(ashi_tiles_peer *p, int which, const ashlar_tiles *from)
{
    const int rows = sides[which][0], cols = sides[which][1];
    ashlar_tiles_info info = {0};
    ashlar_error err;
    c_dbcsr_create_new(&p->matrix[which], "matrix", p->dist[which], dbcsr_type_no_symmetry, p->block[rows],
                       p->count[rows], p->block[cols], p->count[cols], NULL, &dbcsr_type_real_8, NULL, NULL, NULL,
                       NULL);
    if (from)
        require(ashlar_tiles_inspect(from, &info, &err), &err);
    for (int64_t t = 0; t < info.local_tiles; t++) {
        ashlar_stored_tile tile;
        require(ashlar_tiles_local(from, t, &tile, &err), &err);
        c_dbcsr_put_block2d_d(p->matrix[which], (int)tile.row, (int)tile.col, tile.data, (int)tile.rows,
                              (int)tile.cols, NULL, NULL);
    }
    c_dbcsr_finalize(p->matrix[which]);
}

static int *dealt(const ashi_tiling *side, int parts)
{
    int *owner = ashi_need(side->tiles, (long long)sizeof *owner);
    for (int64_t i = 0; i < side->tiles; i++)
        owner[i] = side->owner ? side->owner[i] : (int)(i % parts);
    return owner;
}

static void deal(ashi_tiles_peer *p, const ashi_tiling side[3])
{
    int grid[2] = {side[0].grid[0], side[0].grid[1]}, periods[2] = {1, 1};
    MPI_Comm comm;
    if (MPI_Cart_create(MPI_COMM_WORLD, 2, grid, periods, 0, &comm) != MPI_SUCCESS)
        ashi_die("no grid of processes");
    MPI_Fint number = MPI_Comm_c2f(comm);
    for (int which = 0; which < 3; which++) {
        const int rows = sides[which][0], cols = sides[which][1];
        int *const owner[2] = {dealt(&side[rows], grid[0]), dealt(&side[cols], grid[1])};
        c_dbcsr_distribution_new_aux(&p->dist[which], &number, owner[0], p->count[rows], owner[1], p->count[cols]);
        free(owner[0]);
        free(owner[1]);
    }
}

ashi_tiles_peer *ashi_tiles_peer_open(const ashi_tiling side[3], const ashlar_tiles *a, const ashlar_tiles *b)
{
    ashi_tiles_peer *p = ashi_need(1, (long long)sizeof *p);
    MPI_Fint comm = MPI_Comm_c2f(MPI_COMM_WORLD);
    int unit = 6;
    c_dbcsr_init_lib_internal(&comm, &unit);
    for (int s = 0; s < 3; s++) {
        p->count[s] = (int)side[s].tiles;
        p->block[s] = ashi_need(p->count[s], (long long)sizeof *p->block[s]);
        for (int i = 0; i < p->count[s]; i++)
            p->block[s][i] = (int)side[s].size[i];
    }
    deal(p, side);
    make(p, 0, a);
    make(p, 1, b);
    make(p, 2, NULL);
    return p;
}

double ashi_tiles_peer_time(ashi_tiles_peer *p, double eps, long long *flops)
{
    long long own = 0;
    c_dbcsr_release(&p->matrix[2]);
    make(p, 2, NULL);
    if (MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS)
        ashi_die("MPI_Barrier failed");
    const double start = MPI_Wtime();
    c_dbcsr_multiply_d(dbcsr_no_transpose, dbcsr_no_transpose, 1, p->matrix[0], p->matrix[1], 0, p->matrix[2], NULL,
                       NULL, NULL, NULL, NULL, NULL, NULL, eps > 0 ? &eps : NULL, &own);
    const double seconds = ashi_seconds_since(start, MPI_COMM_WORLD);
    if (MPI_Allreduce(&own, flops, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS)
        ashi_die("MPI_Allreduce failed");
    return seconds;
}

const double *ashi_tiles_peer_tile(const ashi_tiles_peer *p, int64_t row, int64_t col)
{
    double *block = NULL;
    bool turned = false, found = false;
    int m = 0, n = 0;
    c_dbcsr_get_block_p_d(p->matrix[2], (int)row, (int)col, &block, &turned, &found, &m, &n);
    if (found && turned)
        ashi_die("DBCSR has tile (%lld, %lld) turned", (long long)row, (long long)col);
    return found ? block : NULL;
}

void ashi_tiles_peer_close(ashi_tiles_peer *p)
{
    if (!p)
        return;
    for (int i = 0; i < 3; i++)
        c_dbcsr_release(&p->matrix[i]);
    for (int i = 0; i < 3; i++)
        c_dbcsr_distribution_release(&p->dist[i]);
    c_dbcsr_finalize_lib();
    for (int i = 0; i < 3; i++)
        free(p->block[i]);
    free(p);
}
#else
ashi_tiles_peer *ashi_tiles_peer_open(const ashi_tiling side[3], const ashlar_tiles *a, const ashlar_tiles *b)
{
    (void)side;
    (void)a;
    (void)b;
    return NULL;
}

double ashi_tiles_peer_time(ashi_tiles_peer *p, double eps, long long *flops)
{
    (void)p;
    (void)eps;
    *flops = 0;
    return 0;
}

const double *ashi_tiles_peer_tile(const ashi_tiles_peer *p, int64_t row, int64_t col)
{
    (void)p;
    (void)row;
    (void)col;
    return NULL;
}

void ashi_tiles_peer_close(ashi_tiles_peer *p)
{
    (void)p;
}
#endif
