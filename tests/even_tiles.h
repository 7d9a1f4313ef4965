/* Products of full matrices of tiles of one size, dealt out cyclically on a grid of all ranks, and played on a machine
 * on which an iteration takes each rank one second. */
#ifndef ASHI_EVEN_TILES_H
#define ASHI_EVEN_TILES_H

#include "base/checked.h"
#include "engine/tile_program.h"
#include "simulate/joint.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { EVEN_RANKS_MAX = 64, EVEN_BYTES = 8, EVEN_FLOPS = 2 };

typedef struct even_tiles {
    ashi_tile_problem problem;
    ashi_cuts cuts[3];
    ashi_pattern pattern[3];
    ashi_deal deal;
    int grid_rank[EVEN_RANKS_MAX];
    int64_t *first;
    ashi_tile_needs needs;
    ashlar_machine machine;
} even_tiles;

static inline ashlar_status even_pattern(int64_t rows, int64_t cols, ashi_pattern *out)
{
    ashi_tile_at *tile = malloc((size_t)(rows * cols) * sizeof *tile);
    if (!tile)
        return ASHLAR_ERR_MEMORY;
    for (int64_t t = 0; t < rows * cols; t++)
        tile[t] = (ashi_tile_at){t / cols, t % cols};
    const ashlar_status status = ashi_pattern_make(tile, rows * cols, out, NULL);
    free(tile);
    return status;
}

/* Each rank has `each` x `each` tiles of C, of `size` x `size` elements; an iteration is one tile of k. Words go at
 * once; a message takes `latency` seconds. Freed by even_tiles_free. */
static inline bool even_tiles_make(int64_t grid_rows, int64_t grid_cols, int64_t each, int64_t size, int64_t inner,
                                   double latency, even_tiles *e)
{
    static const int side[3][2] = {{0, 2}, {2, 1}, {0, 1}};
    const int64_t tiles[3] = {each * grid_rows, each * grid_cols, inner};
    const double products = (double)(each * each) * (double)(size * size * size);
    *e = (even_tiles){.machine = {.size = sizeof(ashlar_machine), .flops_per_second = EVEN_FLOPS * products,
                                  .latency = latency, .bandwidth = 1e30, .copy_bandwidth = 1e30,
                                  .disk_bandwidth = 1}};
    e->deal = (ashi_deal){.grid_rows = grid_rows, .grid_cols = grid_cols, .grid_rank = e->grid_rank};
    for (int i = 0; i < EVEN_RANKS_MAX; i++)
        e->grid_rank[i] = i;
    int64_t *sizes = malloc((size_t)(tiles[0] + tiles[1] + inner) * sizeof *sizes);
    e->first = malloc(((size_t)inner + 1) * sizeof *e->first);
    bool made = sizes && e->first;
    for (int64_t i = 0; made && i < tiles[0] + tiles[1] + inner; i++)
        sizes[i] = size;
    for (int64_t i = 0; made && i <= inner; i++)
        e->first[i] = i;
    e->problem = (ashi_tile_problem){.ranks = grid_rows * grid_cols, .needs = &e->needs, .iterations = inner,
                                     .first = e->first, .window = 1, .tree = true};
    for (int s = 0; s < 3 && made; s++) {
        made = ashi_cuts_make(tiles[s], sizes, "a side", &e->cuts[s], NULL) == ASHLAR_OK;
        e->problem.cuts[s] = &e->cuts[s];
    }
    for (int x = 0; x < 3 && made; x++) {
        made = even_pattern(tiles[side[x][0]], tiles[side[x][1]], &e->pattern[x]) == ASHLAR_OK;
        e->problem.operand[x] = (ashi_tile_operand){.pattern = &e->pattern[x], .deal = &e->deal};
    }
    free(sizes);
    made = made && ashi_tile_needs_make(&e->problem, &e->needs, NULL) == ASHLAR_OK;
    if (made)
        ashi_tile_needs_note(&e->problem, &e->needs);
    return made;
}

static inline void even_tiles_free(even_tiles *e)
{
    for (int x = 0; x < 3; x++) {
        ashi_cuts_free(&e->cuts[x]);
        ashi_pattern_free(&e->pattern[x]);
    }
    ashi_tile_needs_free(&e->needs);
    free(e->first);
}

static inline ashlar_status even_program(void *context, ashi_program *out, ashlar_error *err)
{
    const even_tiles *e = context;
    return ashi_tile_program_of(&e->problem, out, err);
}

static inline void even_tiles_set(even_tiles *e, int window, int rows, int cols)
{
    e->problem.window = window;
    e->problem.panels[0] = rows;
    e->problem.panels[1] = cols;
}

/* The seconds until all ranks have ended. */
static inline double even_tiles_play(ashi_test *t, even_tiles *e, int window, int rows, int cols,
                                     const ashi_joint_late *late,
                                     void (*event)(void *context, const ashi_joint_event *event), void *context)
{
    ashi_joint_play play = {0};
    ashlar_error err = {0};
    even_tiles_set(e, window, rows, cols);
    const ashi_joint_request request = {.program = even_program, .context = e, .machine = &e->machine,
                                        .bytes = EVEN_BYTES, .flops = EVEN_FLOPS, .late = late, .event = event,
                                        .event_context = context};
    CHECK(t, ashi_joint_run(&request, e->problem.ranks, &play, &err) == ASHLAR_OK && play.played, "%s", err.text);
    return play.seconds;
}

#endif
