/* Reading a matrix of tiles: tiles of this rank where they are, copies of any others. */
#include "base/checked.h"
#include "base/error.h"
#include "base/ordering.h"
#include "base/structure.h"
#include "tiles/boxes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A tile; number -1: it is not stored here. */
static ashlar_stored_tile look(const ashlar_tiles *t, int64_t row, int64_t col, int64_t number)
{
    const int64_t rows = ashi_cuts_size(&t->row, row), cols = ashi_cuts_size(&t->col, col);
    const int64_t rank = number >= 0 ? ashi_held_rank(&t->held, number) : -1;
    char *const at = number >= 0 && rows > 0 && cols > 0 && rank != 0 ? ashi_held_tile(&t->held, number, t->bytes)
                                                                      : NULL;
    return (ashlar_stored_tile){
        .row = row,
        .col = col,
        .rows = rows,
        .cols = cols,
        .ld = ashi_max(rows, 1),
        .owner = ashlar_tiles_owner(t, row, col),
        .number = number,
        .data = rank < 0 ? at : NULL,
        .rank = rank,
        .u = rank > 0 ? at : NULL,
        .v = rank > 0 ? at + (size_t)(rank * rows) * t->bytes : NULL,
    };
}

ashlar_status ashlar_tiles_get_sized(const ashlar_tiles *tiles, int64_t row, int64_t col, ashlar_stored_tile *out,
                                     size_t size, ashlar_error *err)
{
    if (!tiles || !out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_tiles_get: %s is NULL", tiles ? "out" : "tiles");
    if (!ashi_tiles_has(tiles, row, col))
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_tiles_get: there is no tile (%" PRId64 ", %" PRId64 ")", row,
                         col);
    if (ashi_tiles_turns(tiles, row, col))
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "ashlar_tiles_get: tile (%" PRId64 ", %" PRId64
                         ") is below the diagonal of a matrix with a symmetry, where nothing is stored", row, col);
    const ashlar_stored_tile tile = look(tiles, row, col, ashi_pattern_find(&tiles->held.pattern, row, col));
    ashi_structure_give(&tile, sizeof tile, out, size);
    return ASHLAR_OK;
}

/* The row of the pattern that has a tile. */
static int64_t row_of(const ashi_pattern *p, int64_t number)
{
    return p->row[ashi_interval_of(p->start, p->rows, number)];
}

ashlar_status ashlar_tiles_local_sized(const ashlar_tiles *tiles, int64_t number, ashlar_stored_tile *out, size_t size,
                                       ashlar_error *err)
{
    if (!tiles || !out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_tiles_local: %s is NULL", tiles ? "out" : "tiles");
    const ashi_pattern *const p = &tiles->held.pattern;
    if (number < 0 || number >= p->tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_tiles_local: number = %" PRId64 ", this rank has %" PRId64
                         " tiles", number, p->tiles);
    const ashlar_stored_tile tile = look(tiles, row_of(p, number), p->col[number], number);
    ashi_structure_give(&tile, sizeof tile, out, size);
    return ASHLAR_OK;
}

/* ---- fetching ---- */

static const char *const who = "ashlar_tiles_fetch";

typedef struct fetching {
    const ashlar_tiles *tiles;
    int64_t count;
    const int64_t *row, *col;
    char *data;
    int *present;
    int64_t *offset;            /* where each tile begins in `data`, in elements */
    ashi_packets asks, asked;   /* from this rank, of this rank */
    ashi_packets gives, given;
    ashi_carrier carrier;
    ashi_box_source source;
} fetching;

/* What this rank asks for: `at` is the number among that. */
static ashlar_status ask(fetching *f, ashlar_error *err)
{
    const ashlar_tiles *const t = f->tiles;
    ashlar_status status = ASHLAR_OK;
    int64_t words = 0, bytes = 0;
    if (f->count < 0 || (f->count > 0 && (!f->row || !f->col)))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: count = %" PRId64 ", wanted at least 0, or a NULL pointer", who,
                         f->count);
    f->offset = malloc(((size_t)f->count + 1) * sizeof *f->offset);
    if (!f->offset)
        return ashi_fail_memory(err, who, f->count * (int64_t)sizeof *f->offset);
    for (int64_t i = 0; i < f->count && status == ASHLAR_OK; i++) {
        const int64_t row = f->row[i], col = f->col[i];
        if (!ashi_tiles_has(t, row, col))
            return ashi_fail(err, ASHLAR_ERR_ARG, "%s: there is no tile (%" PRId64 ", %" PRId64 ")", who, row, col);
        const ashi_packet packet = {.rank = ashlar_tiles_owner(t, row, col), .row = row, .col = col, .at = i};
        f->offset[i] = words;
        if (!ashi_add(words, ashi_tiles_words(t, row, col), &words) || !ashi_mul(words, (int64_t)t->bytes, &bytes))
            return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "%s: more than 2^63 - 1 bytes", who);
        status = ashi_packets_add(&f->asks, &packet, err);
    }
    return status == ASHLAR_OK && words > 0 && !f->data ? ashi_fail(err, ASHLAR_ERR_ARG, "%s: data is NULL", who)
                                                        : status;
}

/* What this rank gives: what is present of what it was asked for. `at` is still the number among what the other asks.
 */
static ashlar_status answer(fetching *f, ashlar_error *err)
{
    const ashlar_tiles *const t = f->tiles;
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < f->asked.count && status == ASHLAR_OK; i++) {
        const ashi_packet *a = &f->asked.packet[i];
        const bool turned = ashi_tiles_turns(t, a->row, a->col);
        if (ashi_pattern_find(&t->held.pattern, turned ? a->col : a->row, turned ? a->row : a->col) < 0)
            continue;
        const ashi_packet packet = {.rank = a->rank, .row = a->row, .col = a->col, .at = a->at,
                                    .what = turned ? ASHI_BOX_TURNED : ASHI_BOX_STRAIGHT,
                                    .words = ashi_tiles_words(t, a->row, a->col)};
        status = ashi_packets_add(&f->gives, &packet, err);
    }
    return status;
}

static void pack_tile(void *user, const ashi_packet *packet, int64_t first, int64_t count, char *to)
{
    fetching *const f = user;
    const ashlar_tiles *const t = f->tiles;
    const ashi_packet box = {.row = t->row.at[packet->row], .col = t->col.at[packet->col], .what = packet->what,
                             .at = ashi_cuts_size(&t->row, packet->row)};
    ashi_box_pack(&f->source, &box, first, count, to);
}

static void unpack_tile(void *user, const ashi_packet *packet, int64_t first, int64_t count, const char *from)
{
    const fetching *const f = user;
    const size_t bytes = f->tiles->bytes;
    memcpy(f->data + (size_t)(f->offset[packet->at] + first) * bytes, from, (size_t)count * bytes);
}

/* What was not given is absent. */
static void clear(const fetching *f)
{
    for (int64_t i = 0; i < f->count; i++) {
        const int64_t words = ashi_tiles_words(f->tiles, f->row[i], f->col[i]);
        if (f->present)
            f->present[i] = 0;
        if (words > 0)
            memset(f->data + (size_t)f->offset[i] * f->tiles->bytes, 0, (size_t)words * f->tiles->bytes);
    }
    for (int64_t i = 0; i < f->given.count && f->present; i++)
        f->present[f->given.packet[i].at] = 1;
}

static ashlar_status fetch(fetching *f, ashlar_error *err)
{
    const ashlar_context *const c = f->tiles->context;
    ashlar_status status = ashi_packets_announce(c, ask(f, err), &f->asks, &f->asked, err);
    if (status != ASHLAR_OK)
        return status;
    status = ashi_carrier_make(&f->carrier, NULL, NULL, err);
    if (status == ASHLAR_OK)
        status = answer(f, err);
    status = ashi_packets_announce(c, status, &f->gives, &f->given, err);
    if (status != ASHLAR_OK)
        return status;
    clear(f);
    ashi_held_begin(&f->tiles->held);
    ashi_packets_carry(c, &f->carrier, &f->gives, &f->given);
    return ashi_conclude(c, ASHLAR_OK, err);
}

ashlar_status ashlar_tiles_fetch(const ashlar_tiles *tiles, int64_t count, const int64_t *row, const int64_t *col,
                                 void *data, int *present, ashlar_error *err)
{
    ashlar_error own = {0};
    err = err ? err : &own;
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tiles is NULL", who);
    fetching f = {.tiles = tiles, .count = count, .row = row, .col = col, .data = data, .present = present,
                  .source = {.tiles = tiles, .mirror = {[1] = ashi_tiles_mirror(tiles)}}};
    f.carrier = (ashi_carrier){.bytes = tiles->bytes, .only = -1, .pack = pack_tile, .unpack = unpack_tile, .user = &f};
    const ashlar_status status = fetch(&f, err);
    free(f.offset);
    ashi_packets_free(&f.asks);
    ashi_packets_free(&f.asked);
    ashi_packets_free(&f.gives);
    ashi_packets_free(&f.given);
    ashi_carrier_free(&f.carrier);
    return status;
}
