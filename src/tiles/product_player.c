/* The program of a product of matrices of tiles, and the player that runs it. */
#include "tiles/product_parts.h"

#include "base/error.h"
#include "exec/mpi.h"

static ashi_tile_set set_of(const ashlar_tiles *tiles, const ashi_pattern *pattern, const int64_t *offset)
{
    static const int64_t none = 0;
    return (ashi_tile_set){pattern, &tiles->row, &tiles->col, offset ? offset : &none};
}

/* Whether a rank that waits leaves its core to others: there are more ranks than cores, and the busiest one multiplies
 * for some tens of milliseconds or more. In shorter products waits are too short to sleep. */
static bool leaves_core(const ashi_tiles_product *p)
{
    static const int64_t enough = 1000000000; /* multiply-adds */
    const ashlar_context *c = p->c->context;
    bool is_long = false;
    for (int r = 0; r < c->ranks; r++)
        is_long = is_long || (int64_t)(p->needs.work[r] & INT64_MAX) >= enough; /* the highest bit is no work */
    return is_long && c->ranks_per_core > 1;
}

static ashlar_status make_player(ashi_tiles_product *p, bool later, ashlar_error *err)
{
    const ashlar_context *c = p->c->context;
    for (int64_t q = 0; q < p->terms; q++) {
        for (int x = 0; x < 2; x++)
            p->run[q].own[x] = set_of(p->term[q].x[x], &p->term[q].x[x]->held.pattern, p->term[q].x[x]->held.offset);
        p->run[q].own[2] = set_of(p->c, &p->symbolic.c, p->offset);
    }
    ashi_onto_tiles_request device;
    const bool has_device = ashi_product_device(p, &device);
    ashi_player_request request = {
        .tiles_device = has_device ? &device : NULL,
        .program = &p->program, .rank = c->rank, .look_ahead = p->program.look_ahead, .type = p->c->type,
        .comm = c->comm, .tag_most = c->tag_most, .message_most = ASHI_MESSAGE_MOST, .keeps = ASHI_PLAYER_KEEPS,
        .threads = ashi_context_threads(c), .workers = c->workers,
        .blas_threads = ashi_context_blas_threads(c), .others = &c->trace, .tiles = p->run,
        .one_node = c->node_ranks == c->ranks, .crowded = leaves_core(p), .later = later};
    ashlar_status status = ashi_player_create(&request, &p->player, err);
    if (status == ASHLAR_ERR_DEVICE) {
        ashi_product_note_failure(p, err);
        request.tiles_device = NULL;
        status = ashi_player_create(&request, &p->player, err);
    }
    if (status == ASHLAR_OK)
        ashi_product_choose_device(p);
    if (status == ASHLAR_ERR_LIMIT)
        ashi_refuse(c, 0); /* it is the device's memory that does not suffice */
    return status;
}

ashlar_status ashi_product_play(ashi_tiles_product *p, ashi_product_kept *kept, bool later, ashlar_error *err)
{
    ashlar_status status = ashi_tile_program_of(&p->problem, &p->program, err);
    if (status == ASHLAR_OK && kept)
        status = ashi_product_use_kept(p, kept, err);
    return status == ASHLAR_OK ? make_player(p, later, err) : status;
}

void ashi_product_stop(ashi_tiles_product *p)
{
    ashi_player_free(&p->player);
    if (p->program.free_own)
        ashi_program_free(&p->program);
}
