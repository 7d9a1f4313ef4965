/* A matrix of tiles to another one with other tiles, another deal or another symmetry, transposed or not. */
#include "base/error.h"
#include "tiles/boxes.h"

#include <inttypes.h>

static const char *const who = "ashlar_tiles_move";

typedef struct moving {
    ashlar_op op;
    const ashlar_tiles *from;
    ashlar_tiles *to;
    ashi_packets out, in;
    ashi_carrier carrier;
    ashi_box_source source;
    ashi_box_target target;
    ashi_held held;
} moving;

static ashlar_status check(const moving *m, ashlar_error *err)
{
    const ashlar_tiles *const f = m->from, *const t = m->to;
    const bool turned = m->op != ASHLAR_OP_N;
    if (m->op != ASHLAR_OP_N && m->op != ASHLAR_OP_T && m->op != ASHLAR_OP_C)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: op = %d, wanted N, T or C", who, (int)m->op);
    if (f == t || f->context != t->context || f->type != t->type)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: wanted two matrices of one type and one context", who);
    const int64_t rows = ashi_cuts_all(turned ? &f->col : &f->row), cols = ashi_cuts_all(turned ? &f->row : &f->col);
    if (rows != ashi_cuts_all(&t->row) || cols != ashi_cuts_all(&t->col))
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "%s: op(from) has %" PRId64 " x %" PRId64 " elements, to has %" PRId64 " x %" PRId64, who,
                         rows, cols, ashi_cuts_all(&t->row), ashi_cuts_all(&t->col));
    return ASHLAR_OK;
}

/* One after the other. */
static ashi_mirror both(ashi_mirror x, ashi_mirror y)
{
    return (ashi_mirror){x.minus != y.minus, x.conjugate != y.conjugate};
}

/* What becomes of elements. If a matrix has a symmetry, op(from) is from with another sign, or its conjugate. */
static ashi_box_source source_of(const moving *m)
{
    const ashi_mirror conjugate = {.conjugate = m->op == ASHLAR_OP_C};
    const ashi_mirror symmetric = ashi_tiles_mirror(m->from), nothing = {false, false};
    if (m->from->symmetry == ASHLAR_GENERAL)
        return (ashi_box_source){m->from, {nothing, conjugate}};
    const ashi_mirror op = m->op == ASHLAR_OP_N ? nothing : both(symmetric, conjugate);
    return (ashi_box_source){m->from, {op, both(symmetric, op)}};
}

/* Whether a stored tile is a tile of `to`, straight or turned, and can stay U V^T there. */
static bool stays_low(const moving *m, const ashi_held_walk *w, bool turned)
{
    const ashlar_tiles *const f = m->from, *const t = m->to;
    const ashi_cuts *const rows = turned ? &f->col : &f->row, *const cols = turned ? &f->row : &f->col;
    return ashi_held_rank(&f->held, w->number) >= 0 && ashi_cuts_differ(rows, &t->row) < 0 &&
           ashi_cuts_differ(cols, &t->col) < 0 && (t->symmetry == ASHLAR_GENERAL || w->at.row != w->at.col);
}

/* A tile to its place in `to`. */
static ashlar_status send_tile(moving *m, const ashi_held_walk *w, bool turned, ashlar_error *err)
{
    const ashi_region x = ashi_tiles_region(m->from, w->at);
    const ashi_region region = turned ? (ashi_region){x.col, x.col_end, x.row, x.row_end} : x;
    const ashi_tile_at at = turned ? (ashi_tile_at){w->at.col, w->at.row} : w->at;
    const int64_t rank = ashi_held_rank(&m->from->held, w->number);
    if (!stays_low(m, w, turned))
        return ashi_boxes_send(m->to, &region, turned ? ASHI_BOX_TURNED : ASHI_BOX_STRAIGHT, &m->out, err);
    if (ashi_tiles_turns(m->to, at.row, at.col))
        return ASHLAR_OK;
    const ashi_packet packet = {.rank = ashlar_tiles_owner(m->to, at.row, at.col), .row = region.row,
                                .col = region.col, .at = rank,
                                .what = turned ? ASHI_BOX_FACTORS_TURNED : ASHI_BOX_FACTORS,
                                .words = rank * (x.row_end - x.row + x.col_end - x.col)};
    return ashi_packets_add(&m->out, &packet, err);
}

static ashlar_status send(moving *m, ashlar_error *err)
{
    const ashlar_tiles *const f = m->from;
    const bool symmetric = f->symmetry != ASHLAR_GENERAL, turns = !symmetric && m->op != ASHLAR_OP_N;
    ashlar_status status = ASHLAR_OK;
    for (ashi_held_walk w = {.number = -1}; status == ASHLAR_OK && ashi_held_next(&f->held, &w);) {
        if (!turns)
            status = send_tile(m, &w, false, err);
        if (status == ASHLAR_OK &&
            (turns || (symmetric && w.at.row != w.at.col && m->to->symmetry == ASHLAR_GENERAL)))
            status = send_tile(m, &w, true, err);
    }
    return status;
}

static void pack(void *user, const ashi_packet *packet, int64_t first, int64_t count, char *to)
{
    ashi_box_pack(&((moving *)user)->source, packet, first, count, to);
}

static void unpack(void *user, const ashi_packet *packet, int64_t first, int64_t count, const char *from)
{
    ashi_box_unpack(&((moving *)user)->target, packet, first, count, from);
}

/* For what comes, and for the messages. */
static ashlar_status make_room(moving *m, ashlar_error *err)
{
    const ashlar_status status = ashi_boxes_room(m->to, &m->in, &m->held, err);
    return status == ASHLAR_OK ? ashi_carrier_make(&m->carrier, &m->out, &m->in, err) : status;
}

static ashlar_status move(moving *m, ashlar_error *err)
{
    const ashlar_context *const c = m->to->context;
    ashlar_status status =
        ashi_agree_same(c, check(m, err), who, &(ashi_shared){"op", (int64_t)m->op}, 1, err);
    if (status != ASHLAR_OK)
        return status;
    m->source = source_of(m);
    m->target = (ashi_box_target){m->to, &m->held};
    m->carrier = (ashi_carrier){.bytes = m->to->bytes, .only = -1, .pack = pack, .unpack = unpack, .user = m};
    status = ashi_packets_announce(c, send(m, err), &m->out, &m->in, err);
    if (status == ASHLAR_OK)
        status = ashi_agree(c, make_room(m, err), err);
    if (status != ASHLAR_OK)
        return status;
    ashi_held_begin(&m->from->held);
    ashi_packets_carry(c, &m->carrier, &m->out, &m->in);
    ashi_boxes_follow(m->to, &m->held);
    return ashi_tiles_settle(m->to, &m->held, err);
}

ashlar_status ashlar_tiles_move(ashlar_op op, const ashlar_tiles *from, ashlar_tiles *to, ashlar_error *err)
{
    ashlar_error own = {0};
    moving m = {.op = op, .from = from, .to = to};
    err = err ? err : &own;
    if (!from || !to)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s is NULL", who, from ? "to" : "from");
    const ashlar_status status = move(&m, err);
    ashi_packets_free(&m.out);
    ashi_packets_free(&m.in);
    ashi_carrier_free(&m.carrier);
    ashi_held_free(&m.held);
    return status;
}
