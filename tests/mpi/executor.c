/* Random schedules on MPI: grids and any other boxes, rounds, windows and routes, and messages cut into small ones. */
#define PROGRAM "executor"

#include "mpi/executing.h"
#include "random_boxes.h"
#include "random_torus.h"

static void random_grid(uint64_t *state, int64_t cells, int64_t grid[3])
{
    const int first = (int)ashi_random_in(state, 0, 2);
    for (int i = 0; i < 3; i++) {
        grid[(first + i) % 3] = ashi_random_in(state, 1, cells);
        cells /= grid[(first + i) % 3];
    }
}

/* Even cells, or any: some may be empty. */
static ashlar_status random_cells(uint64_t *state, const ashi_grid_request *g, const int *rank_of, ashi_bricks *out,
                                  ashlar_error *err)
{
    int64_t grid[3];
    random_grid(state, g->ranks, grid);
    const ashlar_status status = ashi_bricks_even(grid, g->size, out, err);
    for (int d = 0; d < 3 && status == ASHLAR_OK; d++)
        if (ashi_random_in(state, 0, 1))
            random_cuts(state, grid[d], g->size[d], out->cut[d]);
    const bool in_order = ashi_random_in(state, 0, 1);
    for (int64_t n = 0; n < out->count && !in_order; n++)
        out->rank_of[n] = rank_of[n];
    return status;
}

static ashlar_status random_list(uint64_t *state, const ashi_grid_request *g, const int *rank_of, ashi_bricks *out,
                                 ashlar_error *err)
{
    ashi_axis axis[3];
    ashi_cuboid box[RANDOM_RANKS_MAX];
    const int64_t count = ashi_random_in(state, 1, g->ranks);
    ashlar_status status = ashi_grid_axes(g->layout, g->op, g->size, (ashi_lead){ASHLAR_C, false}, axis, err);
    if (status != ASHLAR_OK)
        return status;
    random_boxes(state, axis, count, box);
    status = ashi_bricks_of(box, rank_of, count, out, err);
    for (int d = 0; d < 3; d++)
        ashi_axis_free(&axis[d]);
    return status;
}

static bool random_bricks(uint64_t *state, const ashi_grid_request *g, ashi_bricks *out, ashlar_error *err)
{
    int rank_of[RANDOM_RANKS_MAX];
    random_permutation(state, (int)g->ranks, rank_of);
    const bool listed = ashi_random_in(state, 0, 1);
    return (listed ? random_list(state, g, rank_of, out, err) : random_cells(state, g, rank_of, out, err)) ==
           ASHLAR_OK;
}

static bool random_schedule(uint64_t *state, execution *p, const rig *r, ashlar_error *err)
{
    const product *q = &p->product;
    ashi_bricks bricks = {0};
    ashi_grid_request g = {.strategy = "test", .size = {q->size[0], q->size[1], q->size[2]}, .ranks = r->ranks,
                           .op = {q->op[0], q->op[1]}, .layout = {p->layout[0], p->layout[1], p->layout[2]},
                           .bricks = &bricks, .rounds = ashi_random_in(state, 1, 9),
                           .reduce_rounds = ashi_random_in(state, 1, 5),
                           .window = (int)ashi_random_in(state, 1, 4), .one_sided = ashi_random_in(state, 0, 1)};
    g.tree = !g.one_sided && ashi_random_in(state, 0, 1);
    const bool made =
        random_bricks(state, &g, &bricks, err) && ashi_grid_schedule(&g, &p->schedule, err) == ASHLAR_OK;
    if (made && g.tree && bricks.grid[0] > 0 && ashi_random_in(state, 0, 1))
        p->schedule.torus = random_torus(state, bricks.grid, r->ranks);
    ashi_bricks_free(&bricks);
    return made;
}

int main(int argc, char **argv)
{
    rig r;
    if (!ranks_begin(&r, &argc, &argv, 80))
        return 1;
    for (uint64_t i = 0; i < r.cases; i++) {
        r.seed = r.first + i;
        uint64_t state = r.seed * 0xD1B54A32D192ED03u;
        ashlar_error err = {0};
        execution p;
        const bool ready = random_execution(&state, &p, 30, &r, &err) && random_schedule(&state, &p, &r, &err);
        try_execution(&p, ready, &r, &err);
        free_execution(&p);
    }
    return ranks_end(&r, PROGRAM);
}
