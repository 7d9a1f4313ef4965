/* Which tiles of A or B there are, named to the ranks that may multiply them. */
#include "tiles/naming.h"

#include "base/array.h"
#include "base/error.h"
#include "tiles/packets.h"

#include <stdlib.h>
#include <string.h>

ashlar_status ashi_names_add(ashi_names *names, const ashi_name *name, ashlar_error *err)
{
    ashi_name *room = ashi_array_room(names->name, &names->capacity, names->count + 1, sizeof *room);
    if (!room)
        return ashi_fail_memory(err, "a list of tiles", (names->count + 1) * (int64_t)sizeof *room);
    names->name = room;
    room[names->count++] = *name;
    return ASHLAR_OK;
}

void ashi_names_free(ashi_names *names)
{
    free(names->name);
    *names = (ashi_names){0};
}

ashlar_status ashi_names_pattern(const ashi_names *names, ashi_pattern *out, ashlar_error *err)
{
    ashi_tile_at *tile = malloc(((size_t)names->count + 1) * sizeof *tile);
    *out = (ashi_pattern){0};
    if (!tile)
        return ashi_fail_memory(err, "a list of tiles", names->count * (int64_t)sizeof *tile);
    for (int64_t i = 0; i < names->count; i++)
        tile[i] = (ashi_tile_at){names->name[i].row, names->name[i].col};
    const ashlar_status status = ashi_pattern_make(tile, names->count, out, err);
    free(tile);
    return status;
}

/* ---- the exchange ---- */

typedef struct naming {
    const ashi_named_to *c;
    ashlar_operand x;
    ashi_names *own, *in;
    int64_t *start;     /* where the tiles of each process row or column begin, and the end */
    ashi_packets out, coming; /* for each rank its tiles: `at` is where they begin */
    ashi_carrier carrier;
} naming;

/* B's parts are the process columns of one layer after the other. */
static int64_t parts_of(const naming *n)
{
    const ashi_deal *c = n->c->deal;
    return n->x == ASHLAR_A ? c->grid_rows : c->grid_cols * (n->c->layers ? n->c->layers->count : 1);
}

static int64_t part_of(const naming *n, const ashi_name *name)
{
    const ashi_tile_layers *layers = n->c->layers;
    if (n->x == ASHLAR_A)
        return ashi_tile_layer_row(layers, name->col) + ashi_deal_row_part(n->c->deal, name->row);
    return (layers ? layers->of[name->row] : 0) * n->c->deal->grid_cols + ashi_deal_col_part(n->c->deal, name->col);
}

static int64_t part_of_process(const naming *n, int64_t process)
{
    const int64_t cols = n->c->deal->grid_cols, row = process / cols;
    const int64_t layer = n->c->layers ? row / n->c->layers->rows : 0;
    return n->x == ASHLAR_A ? row : layer * cols + process % cols;
}

/* In the order of process rows or columns. */
static ashlar_status sort_own(naming *n, ashlar_error *err)
{
    const int64_t parts = parts_of(n), count = n->own->count;
    ashi_name *sorted = malloc(((size_t)count + 1) * sizeof *sorted);
    n->start = calloc((size_t)parts + 2, sizeof *n->start);
    if (!sorted || !n->start) {
        free(sorted);
        return ashi_fail_memory(err, "a list of tiles", count * (int64_t)sizeof *sorted);
    }
    for (int64_t i = 0; i < count; i++)
        n->start[part_of(n, &n->own->name[i]) + 2]++;
    for (int64_t part = 0; part < parts; part++)
        n->start[part + 2] += n->start[part + 1];
    for (int64_t i = 0; i < count; i++)
        sorted[n->start[part_of(n, &n->own->name[i]) + 1]++] = n->own->name[i];
    free(n->own->name);
    n->own->name = sorted;
    n->own->capacity = count + 1;
    return ASHLAR_OK;
}

/* One packet for each process that has something to learn. */
static ashlar_status list_packets(naming *n, ashlar_error *err)
{
    const ashi_deal *c = n->c->deal;
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < c->grid_rows * c->grid_cols && status == ASHLAR_OK; i++) {
        const int64_t part = part_of_process(n, i);
        const ashi_packet packet = {.rank = c->grid_rank[i], .row = n->start[part],
                                    .words = n->start[part + 1] - n->start[part]};
        if (packet.words > 0)
            status = ashi_packets_add(&n->out, &packet, err);
    }
    return status;
}

static ashlar_status make_room(naming *n, ashlar_error *err)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n->coming.count; i++) {
        n->coming.packet[i].at = count;
        count += n->coming.packet[i].words;
    }
    n->in->name = malloc(((size_t)count + 1) * sizeof *n->in->name);
    if (!n->in->name)
        return ashi_fail_memory(err, "a list of tiles", count * (int64_t)sizeof *n->in->name);
    n->in->count = count;
    n->in->capacity = count + 1;
    return ashi_carrier_make(&n->carrier, &n->out, &n->coming, err);
}

static void pack(void *user, const ashi_packet *packet, int64_t first, int64_t count, char *to)
{
    const naming *n = user;
    memcpy(to, &n->own->name[packet->row + first], (size_t)count * sizeof *n->own->name);
}

static void unpack(void *user, const ashi_packet *packet, int64_t first, int64_t count, const char *from)
{
    const naming *n = user;
    memcpy(&n->in->name[packet->at + first], from, (size_t)count * sizeof *n->in->name);
}

ashlar_status ashi_names_exchange(const ashlar_context *context, ashlar_status mine, const ashi_named_to *c,
                                  ashlar_operand x, ashi_names *own, ashi_names *in, ashlar_error *err)
{
    naming n = {.c = c, .x = x, .own = own, .in = in};
    *in = (ashi_names){0};
    if (mine == ASHLAR_OK)
        mine = sort_own(&n, err);
    if (mine == ASHLAR_OK)
        mine = list_packets(&n, err);
    ashlar_status status = ashi_packets_announce(context, mine, &n.out, &n.coming, err);
    n.carrier = (ashi_carrier){.bytes = sizeof(ashi_name), .only = -1, .pack = pack, .unpack = unpack, .user = &n};
    if (status == ASHLAR_OK)
        status = ashi_agree_named(context, make_room(&n, err), err);
    if (status == ASHLAR_OK) {
        ashi_packets_carry(context, &n.carrier, &n.out, &n.coming);
        status = ashi_agree(context, ASHLAR_OK, err);
    }
    ashi_carrier_free(&n.carrier);
    ashi_packets_free(&n.out);
    ashi_packets_free(&n.coming);
    free(n.start);
    return status;
}
