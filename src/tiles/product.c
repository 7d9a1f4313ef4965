/* A sum of products of matrices of tiles on all ranks: made, weighed anew, freed. */
#include "tiles/product.h"

#include "base/checked.h"
#include "base/error.h"
#include "exec/mpi.h"
#include "tiles/product_parts.h"

#include <stdlib.h>

static ashi_tile_set set_of(const ashlar_tiles *tiles, const ashi_pattern *pattern, const int64_t *offset)
{
    static const int64_t none = 0;
    return (ashi_tile_set){pattern, &tiles->row, &tiles->col, offset ? offset : &none};
}

static ashlar_status make_player(ashi_tiles_product *p, ashlar_error *err)
{
    const ashlar_context *c = p->c->context;
    for (int64_t q = 0; q < p->terms; q++) {
        for (int x = 0; x < 2; x++)
            p->run[q].own[x] = set_of(p->term[q].x[x], &p->term[q].x[x]->held.pattern, p->term[q].x[x]->held.offset);
        p->run[q].own[2] = set_of(p->c, &p->symbolic.c, p->offset);
    }
    const ashi_player_request request = {
        .program = &p->program, .rank = c->rank, .look_ahead = p->program.look_ahead, .type = p->c->type,
        .comm = c->comm, .tag_most = c->tag_most, .message_most = ASHI_MESSAGE_MOST, .keeps = ASHI_PLAYER_KEEPS,
        .threads = ashi_context_threads(c), .workers = c->workers, .tiles = p->run,
        .one_node = c->node_ranks == c->ranks};
    return ashi_player_create(&request, &p->player, err);
}

static void count_steps(ashi_tiles_product *p, bool changed)
{
    if (!changed)
        p->steps.lined = ashi_tile_program_tiles(&p->program);
    p->steps.ready = ashi_player_ready_tiles(p->player);
}

static ashlar_status make_program(ashi_tiles_product *p, ashi_product_kept *kept, ashlar_error *err)
{
    ashlar_status status = ashi_product_cut_iterations(p, err);
    if (status == ASHLAR_OK)
        status = ashi_tile_program_of(&p->problem, &p->program, err);
    return status == ASHLAR_OK && kept ? ashi_product_use_kept(p, kept, err) : status;
}

ashlar_status ashi_tiles_product_finish(ashi_tiles_product *p, ashi_product_kept *kept, ashlar_status mine,
                                        ashlar_error *err)
{
    if (mine == ASHLAR_OK)
        mine = ashi_product_find_offsets(p, err);
    if (mine == ASHLAR_OK)
        mine = ashi_product_describe(p, err);
    ashlar_status status = ashi_product_find_needs(p, mine, err);
    if (status == ASHLAR_OK)
        status = make_program(p, kept, err);
    if (status == ASHLAR_OK)
        status = make_player(p, err);
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
    status = ashi_product_find_sums(p, status, err);
    return ashi_tiles_product_finish(p, NULL, status, err);
}

ashlar_status ashi_tiles_product_weigh(ashi_tiles_product *p, ashlar_status mine, ashlar_error *err)
{
    p->steps = (ashi_tiles_steps){0};
    ashlar_status status = ashi_product_find_norms(p, ASHLAR_A, mine, err);
    status = ashi_product_find_norms(p, ASHLAR_B, status, err);
    ashi_tiles_product_drop(p);
    ashi_product_forget_sums(p);
    status = ashi_product_find_sums(p, status, err);
    return ashi_tiles_product_finish(p, NULL, status, err);
}

static int64_t patterns_of(const ashi_tiles_product *p)
{
    int64_t bytes = ashi_pattern_bytes(&p->symbolic.c) + ashi_pattern_bytes(&p->before) + ashi_pattern_bytes(&p->after);
    for (int x = 0; x < 2; x++)
        bytes += ashi_pattern_bytes(&p->needed[x]) + ashi_pattern_bytes(&p->both[x]);
    return bytes;
}

int64_t ashi_tiles_product_bytes(const ashi_tiles_product *p)
{
    const int64_t number = (int64_t)sizeof(int64_t);
    int64_t bytes = patterns_of(p) + p->terms * (int64_t)sizeof *p->term;
    bytes += p->inner.at ? (p->inner.tiles + 1) * number : 0;
    if (!ashi_tiles_product_is_made(p))
        return bytes;
    bytes += p->terms * (int64_t)(sizeof *p->run + sizeof *p->problem_term);
    bytes += (2 * p->symbolic.c.tiles + 3 * p->problem.cuts[2]->tiles + 5) * number;
    if (p->first_bit)
        bytes += (p->needed[0].tiles + ashi_ceil_div(p->symbolic.formed + p->symbolic.left_out, 64)) * number;
    for (int x = 0; x < 2; x++)
        bytes += p->norm[x] ? p->needed[x].tiles * number : 0;
    return bytes + ashi_tile_needs_bytes(&p->problem, &p->needs) + ashi_tile_program_bytes(&p->program) +
           ashi_player_bytes(p->player);
}

void ashi_tiles_product_drop(ashi_tiles_product *p)
{
    ashi_player_free(&p->player);
    if (p->program.free_own)
        ashi_program_free(&p->program);
    ashi_tile_needs_free(&p->needs);
    free(p->offset);
    free(p->first);
    free(p->problem_term);
    free(p->run);
    p->offset = p->first = NULL;
    p->problem_term = NULL;
    p->run = NULL;
}

void ashi_tiles_product_clear(ashi_tiles_product *p)
{
    ashi_tiles_product_drop(p);
    for (int x = 0; x < 2; x++) {
        ashi_pattern_free(&p->needed[x]);
        ashi_pattern_free(&p->both[x]);
        free(p->inner_tiles[x]);
        free(p->norm[x]);
        p->inner_tiles[x] = NULL;
        p->norm[x] = NULL;
    }
    ashi_product_forget_sums(p);
}

void ashi_tiles_product_free(ashi_tiles_product *p)
{
    ashi_tiles_product_clear(p);
    ashi_cuts_free(&p->inner);
    free(p->term);
    p->term = NULL;
}
