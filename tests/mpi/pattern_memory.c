/* What a plan of a product holds on a rank follows from the rows and columns of the pattern that the rank needs, and
 * not from all tiles. */
#define PROGRAM "pattern_memory"

#include "mpi/ranks.h"

#include <ashlar/ashlar.h>

/* MOST: bytes for a tile of A or B that the rank has or needs, or of its C. */
enum { TILES = 200, MOST = 200 };

typedef struct scene {
    rig *r;
    ashlar_context *context;
    int64_t grid[2], part[2];
} scene;

static void need(scene *s, ashlar_status status, const ashlar_error *err)
{
    CHECK(&s->r->test, status == ASHLAR_OK, "%s", err->text);
}

/* Tiles of one element, cyclic on the grid. Present are tiles in the rows of process row 0, or the columns of process
 * column 0: `count` of them in each such row or column. */
static ashlar_tiles *make(scene *s, bool rows, int64_t count)
{
    static int64_t sizes[TILES];
    for (int64_t i = 0; i < TILES; i++)
        sizes[i] = 1;
    const ashlar_tiles_description d = {.type = ASHLAR_TYPE_D, .tile_rows = TILES, .tile_cols = TILES,
                                        .row_sizes = sizes, .grid_rows = s->grid[0], .grid_cols = s->grid[1]};
    ashlar_tiles *out = NULL;
    ashlar_error err = {0};
    need(s, ashlar_tiles_create(s->context, &d, &out, &err), &err);
    for (int64_t i = 0; i < TILES && s->r->rank == 0; i += s->grid[rows ? 0 : 1])
        for (int64_t j = 0; j < count; j++) {
            const int64_t at = j * (TILES / count);
            need(s, ashlar_tiles_reserve(out, 1, rows ? &i : &at, rows ? &at : &i, &err), &err);
        }
    need(s, ashlar_tiles_finish(out, &err), &err);
    return out;
}

/* Bytes of a plan, without the pool, if each row of A and each column of B has `count` tiles. *needed: how many tiles
 * of A and B the rank has or needs, and has of C. */
static int64_t bytes_of(scene *s, int64_t count, int64_t *needed)
{
    ashlar_tiles *a = make(s, true, count), *b = make(s, false, count), *c = make(s, true, 1);
    const ashlar_tiles_term term = {NULL, ASHLAR_OP_N, ASHLAR_OP_N, a, b};
    ashlar_tiles_plan *plan = NULL;
    ashlar_tiles_plan_info info = {0};
    ashlar_tiles_info own[3] = {{0}};
    ashlar_error err = {0};
    need(s, ashlar_tiles_clear(c, &err), &err);
    need(s, ashlar_tiles_plan_create(1, &term, c, NULL, &plan, &err), &err);
    need(s, ashlar_tiles_plan_inspect(plan, &info, &err), &err);
    need(s, ashlar_tiles_inspect(a, &own[0], &err), &err);
    need(s, ashlar_tiles_inspect(b, &own[1], &err), &err);
    *needed = (s->part[0] == 0 ? TILES / s->grid[0] * count : 0) + (s->part[1] == 0 ? TILES / s->grid[1] * count : 0) +
              own[0].local_tiles + own[1].local_tiles + info.c_tiles;
    ashlar_tiles_plan_free(&plan);
    ashlar_tiles_free(&a);
    ashlar_tiles_free(&b);
    ashlar_tiles_free(&c);
    return info.bytes - info.workspace_words * (int64_t)sizeof(double);
}

int main(int argc, char **argv)
{
    rig r;
    scene s = {.r = &r};
    ashlar_error err = {0};
    int64_t needed[2];
    if (!ranks_begin(&r, &argc, &argv, 1))
        return 1;
    need(&s, ashlar_context_create(MPI_COMM_WORLD, &s.context, &err), &err);
    s.grid[0] = r.ranks >= 4 ? 2 : 1;
    s.grid[1] = r.ranks / s.grid[0];
    s.part[0] = r.rank / s.grid[1];
    s.part[1] = r.rank % s.grid[1];
    const int64_t few = bytes_of(&s, 2, &needed[0]), many = bytes_of(&s, 100, &needed[1]);
    /* More tiles may make fewer iterations, and these shorter lists. */
    CHECK(&r.test, needed[1] > 0 || many <= few, "rank %d needs nothing, and has %" PRId64 " bytes, or %" PRId64,
          r.rank, few, many);
    CHECK(&r.test, many - few <= MOST * (needed[1] - needed[0]), "rank %d: %" PRId64 " bytes for %" PRId64
          " tiles, %" PRId64 " for %" PRId64, r.rank, few, needed[0], many, needed[1]);
    ashlar_context_free(&s.context);
    return ranks_end(&r, PROGRAM);
}
