/* A sum of products of matrices of tiles on all ranks: made, weighed anew, freed. */
#include "tiles/product.h"

#include "base/checked.h"
#include "base/error.h"
#include "exec/mpi.h"
#include "tiles/product_parts.h"

#include <stdlib.h>

static void count_steps(ashi_tiles_product *p, bool changed)
{
    if (!changed)
        p->steps.lined = ashi_tile_program_tiles(&p->program);
    p->steps.ready = ashi_player_ready_tiles(p->player);
}

/* As k is usually cut, whatever memory that takes. */
static ashlar_status play_as_usual(ashi_tiles_product *p, ashi_product_kept *kept, ashlar_error *err)
{
    double most = 0;
    ashlar_status status = ashi_product_inner_most(p, &most, err);
    if (status == ASHLAR_OK)
        status = ashi_product_cut_iterations(p, most, err);
    return status == ASHLAR_OK ? ashi_product_play(p, kept, false, err) : status;
}

ashlar_status ashi_tiles_product_finish(ashi_tiles_product *p, ashi_product_kept *kept, ashlar_status mine,
                                        ashlar_error *err)
{
    if (mine == ASHLAR_OK)
        mine = ashi_product_describe(p, err);
    ashlar_status status = ashi_product_find_needs(p, kept, mine, err);
    status = ashi_product_find_adding(p, status, err);
    if (p->memory_words > 0)
        status = ashi_product_fit(p, status, err);
    else if (status == ASHLAR_OK)
        status = play_as_usual(p, kept, err);
    if (status == ASHLAR_OK)
        count_steps(p, kept && kept->used);
    status = ashi_agree_named(p->c->context, status, err);
    if (status != ASHLAR_OK)
        ashi_tiles_product_clear(p);
    return status;
}

ashlar_status ashi_tiles_product_make(ashi_tiles_product *p, ashlar_status mine, ashlar_error *err)
{
    p->steps = (ashi_tiles_steps){0};
    ashlar_status status = mine == ASHLAR_OK ? ashi_product_join_inner(p, err) : mine;
    status = ashi_product_find_needed(p, ASHLAR_A, status, err);
    status = ashi_product_find_needed(p, ASHLAR_B, status, err);
    status = ashi_product_ask_layers(p, status, err);
    status = ashi_product_find_sums(p, status, err);
    return ashi_tiles_product_finish(p, NULL, status, err);
}

ashlar_status ashi_tiles_product_weigh(ashi_tiles_product *p, ashlar_status mine, ashlar_error *err)
{
    p->steps = (ashi_tiles_steps){0};
    ashlar_status status = ashi_product_find_norms(p, ASHLAR_A, mine, err);
    status = ashi_product_find_norms(p, ASHLAR_B, status, err);
    ashi_tiles_product_drop(p);
    ashi_product_used_free(&p->used);
    ashi_product_forget_sums(p);
    status = ashi_product_find_sums(p, status, err);
    return ashi_tiles_product_finish(p, NULL, status, err);
}

static int64_t patterns_of(const ashi_tiles_product *p)
{
    int64_t bytes = ashi_pattern_bytes(&p->symbolic.c) + ashi_pattern_bytes(&p->before) + ashi_pattern_bytes(&p->after);
    for (int x = 0; x < 2; x++)
        bytes += ashi_pattern_bytes(&p->needed[x]) + (p->same[x] ? 0 : ashi_pattern_bytes(&p->both[x]));
    return bytes;
}

int64_t ashi_tiles_product_bytes(const ashi_tiles_product *p)
{
    const int64_t number = (int64_t)sizeof(int64_t);
    int64_t bytes = patterns_of(p) + p->terms * (int64_t)sizeof *p->term;
    bytes += p->row_tiles ? (p->needed[0].rows + 1) * number : 0;
    bytes += p->inner.at ? (p->inner.tiles + 1) * number : 0;
    if (!ashi_tiles_product_is_made(p))
        return bytes;
    bytes += p->terms * (int64_t)(sizeof *p->run + sizeof *p->problem_term);
    const int64_t tiles = p->symbolic.c.tiles;
    bytes += (ashi_max(tiles, p->offset_room) + ashi_max(0, p->symbolic.room[0] - tiles)) * number;
    bytes += ashi_max(tiles, p->symbolic.room[1]) * (int64_t)sizeof *p->symbolic.products;
    bytes += (3 * p->problem.cuts[2]->tiles + 5) * number;
    if (p->first_bit)
        bytes += (p->needed[0].tiles + ashi_ceil_div(p->symbolic.formed + p->symbolic.left_out, 64)) * number;
    for (int x = 0; x < 2; x++)
        bytes += p->used.with[x] ? (ashi_max(p->used.room[x], p->needed[x].tiles) + 1) * number : 0;
    for (int x = 0; x < 2; x++)
        bytes += (p->norm[x] ? p->needed[x].tiles * number : 0) + (p->rank[x] ? p->both[x].tiles * number : 0);
    return bytes + ashi_tile_needs_bytes(&p->needs) + ashi_tile_program_bytes(&p->program) +
           ashi_player_bytes(p->player);
}

void ashi_tiles_product_drop(ashi_tiles_product *p)
{
    ashi_product_stop(p);
    ashi_tile_needs_free(&p->needs);
    free(p->first);
    free(p->problem_term);
    free(p->run);
    p->first = NULL;
    p->problem_term = NULL;
    p->run = NULL;
}

void ashi_tiles_product_clear(ashi_tiles_product *p)
{
    ashi_tiles_product_drop(p);
    for (int x = 0; x < 2; x++) {
        ashi_product_free_both(p, x);
        ashi_pattern_free(&p->needed[x]);
        free(p->inner_tiles[x]);
        free(p->norm[x]);
        free(p->rank[x]);
        p->rank[x] = NULL;
        p->inner_tiles[x] = NULL;
        p->norm[x] = NULL;
    }
    free(p->row_tiles);
    p->row_tiles = NULL;
    ashi_product_used_free(&p->used);
    ashi_product_forget_sums(p);
}

void ashi_tiles_product_free(ashi_tiles_product *p)
{
    ashi_tiles_product_clear(p);
    ashi_cuts_free(&p->inner);
    free(p->term);
    p->term = NULL;
}
