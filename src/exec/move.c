/* Movement of a matrix between two layouts.
 *
 * Each tile of the target is a box on axes that list the target's parts first. Whoever owns a piece of that box in the
 * source packs it into one message; what both layouts give to the same rank is copied straight across. To stay within
 * a limit every piece is cut into as many chunks, one a round. */
#include "exec/move.h"

#include "base/checked.h"
#include "base/error.h"
#include "exec/scale.h"

#include <stdlib.h>

/* A message: the source rank's piece of one tile of the target. */
typedef struct parcel {
    ashi_box box;
    int64_t peer, words;
} parcel;

typedef struct parcels {
    parcel *at;
    int64_t count, capacity, words;
} parcels;

struct ashi_move {
    ashi_axis axis[2];
    ashi_view source, target; /* minor: rows of the target */
    parcels in, out, own;
    ashlar_type type;
    size_t bytes;
    const ashi_kernels *kernels;
    MPI_Comm comm;
    int rank;
};

static ashlar_status add(parcels *list, const ashi_box *box, int64_t peer, int64_t words, ashlar_error *err)
{
    if (list->count == list->capacity) {
        const int64_t capacity = ashi_max(16, 2 * list->capacity);
        parcel *at = realloc(list->at, (size_t)capacity * sizeof *at);
        if (!at)
            return ashi_fail_memory(err, "ashlar_move", capacity * (int64_t)sizeof *at);
        list->at = at;
        list->capacity = capacity;
    }
    list->at[list->count++] = (parcel){*box, peer, words};
    list->words += words;
    return ASHLAR_OK;
}

/* The interval of positions that a part of the target has: its axes list parts one after the other. */
static void interval_of(const ashi_strip *strip, int64_t part, int64_t *lo, int64_t *hi)
{
    const int64_t first = strip->start[part], end = strip->start[part + 1];
    *lo = *hi = 0;
    if (first == end)
        return;
    *lo = strip->at[strip->list[first]];
    *hi = *lo + ashi_strip_below(strip, part, strip->size);
}

static ashi_box tile_box(const ashi_move *m, int64_t row, int64_t col)
{
    ashi_box box;
    interval_of(&m->target.minor, row, &box.minor_lo, &box.minor_hi);
    interval_of(&m->target.major, col, &box.major_lo, &box.major_hi);
    return box;
}

/* What arrives for one of this rank's tiles. */
static ashlar_status list_arrivals(ashi_move *m, const ashi_box *box, ashi_pieces *pieces, ashlar_error *err)
{
    ashlar_status status = ashi_view_pieces(&m->source, box, pieces, err);
    for (int64_t i = 0; i < pieces->count && status == ASHLAR_OK; i++) {
        const ashi_piece *p = &pieces->piece[i];
        status = add(p->owner == m->rank ? &m->own : &m->in, box, p->owner, p->words, err);
    }
    return status;
}

/* Walk all tiles of the target in one order on all ranks: messages between two ranks pair in it. */
static ashlar_status list_parcels(ashi_move *m, ashlar_error *err)
{
    const ashlar_layout *to = m->target.layout;
    ashi_pieces pieces = {0};
    ashlar_status status = ASHLAR_OK;
    for (int64_t r = 0; r < to->row.parts && status == ASHLAR_OK; r++)
        for (int64_t c = 0; c < to->col.parts && status == ASHLAR_OK; c++) {
            const int owner = to->owner[r * to->col.parts + c];
            const ashi_box box = tile_box(m, r, c);
            if (ashi_box_words(&box) == 0)
                continue;
            if (owner == m->rank) {
                status = list_arrivals(m, &box, &pieces, err);
                continue;
            }
            const int64_t words = ashi_view_words(&m->source, m->rank, &box);
            if (words > 0)
                status = add(&m->out, &box, owner, words, err);
        }
    ashi_pieces_free(&pieces);
    return status;
}

static const ashi_dim *turned(const ashlar_layout *layout, ashlar_op op, bool rows)
{
    return rows == (op == ASHLAR_OP_N) ? &layout->row : &layout->col;
}

ashlar_status ashi_move_create(const ashlar_layout *from, ashlar_op op, const ashlar_layout *to, ashlar_type type,
                               MPI_Comm comm, int rank, int ranks, ashi_move **out, ashlar_error *err)
{
    *out = NULL;
    ashi_move *m = calloc(1, sizeof *m);
    if (!m)
        return ashi_fail_memory(err, "ashlar_move", (int64_t)sizeof *m);
    *m = (ashi_move){.type = type, .bytes = ashlar_type_bytes(type), .kernels = ashi_kernels_of(type), .comm = comm,
                     .rank = rank};
    ashlar_status status = ashi_axis_build(to->row.size, &to->row, turned(from, op, true), &m->axis[0], err);
    if (status == ASHLAR_OK)
        status = ashi_axis_build(to->col.size, &to->col, turned(from, op, false), &m->axis[1], err);
    if (status == ASHLAR_OK)
        status = ashi_view_build(from, op, true, &m->axis[0], &m->axis[1], ranks, &m->source, err);
    if (status == ASHLAR_OK)
        status = ashi_view_build(to, ASHLAR_OP_N, true, &m->axis[0], &m->axis[1], ranks, &m->target, err);
    if (status == ASHLAR_OK)
        status = list_parcels(m, err);
    if (status == ASHLAR_OK)
        *out = m;
    else
        ashi_move_free(&m);
    return status;
}

void ashi_move_words(const ashi_move *move, int64_t *sent, int64_t *received)
{
    *sent = move->out.words;
    *received = move->in.words;
}

/* Words of a list that one round has at once. */
static int64_t words_in_round(const ashi_view *source, const parcels *list, bool out, int rank, ashi_chunk chunk)
{
    int64_t words = 0;
    for (int64_t i = 0; i < list->count; i++)
        words += ashi_view_chunk_words(source, out ? rank : list->at[i].peer, &list->at[i].box, chunk);
    return words;
}

/* The first chunks are the longest. */
int64_t ashi_move_workspace(const ashi_move *m, int64_t rounds)
{
    const ashi_chunk first = {0, rounds};
    return words_in_round(&m->source, &m->out, true, m->rank, first) +
           words_in_round(&m->source, &m->in, false, m->rank, first);
}

int64_t ashi_move_rounds(const ashi_move *m, int64_t memory)
{
    const int64_t most = ashi_max(1, m->target.major.size);
    int64_t lo = 0, hi = 1;
    while (hi < most && ashi_move_workspace(m, hi) > memory) {
        lo = hi;
        hi = ashi_min(most, 2 * hi);
    }
    while (hi - lo > 1) { /* lo is too few */
        const int64_t mid = lo + (hi - lo) / 2;
        if (ashi_move_workspace(m, mid) > memory)
            lo = mid;
        else
            hi = mid;
    }
    return hi;
}

/* Where blocks come from and go to while a piece is packed, unpacked or copied. */
typedef struct transfer {
    const ashi_move *m;
    const void *alpha, *beta;
    const char *source;
    char *target, *packed;
    const ashi_block *from; /* the source's block, while the target's blocks inside it are walked */
} transfer;

static void pack_block(void *context, const ashi_block *b)
{
    const transfer *t = context;
    const ashi_move *m = t->m;
    const ashi_matrix from = {t->source + (size_t)(b->start + b->offset) * m->bytes, b->minor_stride, b->major_stride};
    m->kernels->axpby(b->minor_count, b->major_count, m->kernels->one, &from, m->source.conjugate, m->kernels->zero,
                      t->packed + (size_t)b->packed * m->bytes, 1, b->packed_ld);
}

/* From memory or from the packed piece to the target; `b` is a target's block inside the source's block t->from. */
static void store_block(void *context, const ashi_block *b)
{
    const transfer *t = context;
    const ashi_move *m = t->m;
    const ashi_block *f = t->from;
    const int64_t x = b->minor_at - f->minor_at, y = b->major_at - f->major_at;
    ashi_matrix from = {t->packed, 1, f->packed_ld};
    if (t->packed)
        from.data = t->packed + (size_t)(f->packed + x + y * f->packed_ld) * m->bytes;
    else
        from = (ashi_matrix){t->source + (f->start + f->offset + x * f->minor_stride + y * f->major_stride) *
                                             (int64_t)m->bytes,
                             f->minor_stride, f->major_stride};
    m->kernels->axpby(b->minor_count, b->major_count, t->alpha, &from, !t->packed && m->source.conjugate, t->beta,
                      t->target + (size_t)(b->start + b->offset) * m->bytes, b->minor_stride, b->major_stride);
}

static void store_into_target(void *context, const ashi_block *b)
{
    transfer *t = context;
    const ashi_box box = {b->minor_at, b->minor_at + b->minor_count, b->major_at, b->major_at + b->major_count};
    t->from = b;
    ashi_view_blocks(&t->m->target, t->m->rank, &box, ashi_whole, store_block, t);
}

/* One round: receive, pack and send; copy what stays; unpack. */
static ashlar_status run_round(ashi_move *m, ashi_transport *wire, char *buffer, ashi_chunk chunk, transfer t,
                               ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    char *const received = buffer;
    for (int64_t i = 0; i < m->in.count && status == ASHLAR_OK; i++) {
        const parcel *p = &m->in.at[i];
        const int64_t words = ashi_view_chunk_words(&m->source, p->peer, &p->box, chunk);
        const ashi_parcel mail = {.data = buffer, .words = words, .peer = (int)p->peer, .item = i};
        status = wire->receive(wire, &mail, err);
        buffer += (size_t)words * m->bytes;
    }
    for (int64_t i = 0; i < m->out.count && status == ASHLAR_OK; i++) {
        const parcel *p = &m->out.at[i];
        const int64_t words = ashi_view_chunk_words(&m->source, m->rank, &p->box, chunk);
        const ashi_parcel mail = {.data = buffer, .words = words, .peer = (int)p->peer};
        t.packed = buffer;
        ashi_view_blocks(&m->source, m->rank, &p->box, chunk, pack_block, &t);
        status = wire->send(wire, &mail, err);
        buffer += (size_t)words * m->bytes;
    }
    t.packed = NULL;
    for (int64_t i = 0; i < m->own.count && status == ASHLAR_OK; i++)
        ashi_view_blocks(&m->source, m->rank, &m->own.at[i].box, chunk, store_into_target, &t);
    if (status == ASHLAR_OK)
        status = wire->arrive(wire, 0, NULL, NULL, err);
    t.packed = received;
    for (int64_t i = 0; i < m->in.count && status == ASHLAR_OK; i++) {
        const parcel *p = &m->in.at[i];
        ashi_view_blocks(&m->source, p->peer, &p->box, chunk, store_into_target, &t);
        t.packed += (size_t)ashi_view_chunk_words(&m->source, p->peer, &p->box, chunk) * m->bytes;
    }
    return status == ASHLAR_OK ? wire->release(wire, 0, err) : status;
}

ashlar_status ashi_move_prepare(const ashi_move *m, int64_t rounds, ashi_transport **wire, char **buffer,
                                ashlar_error *err)
{
    int64_t largest = 0, bytes = 0;
    for (int64_t i = 0; i < m->in.count; i++)
        largest = ashi_max(largest, m->in.at[i].words);
    for (int64_t i = 0; i < m->out.count; i++)
        largest = ashi_max(largest, m->out.at[i].words);
    const ashi_transport_request request = {.comm = m->comm, .type = m->type, .window = 1,
                                            .messages_in_flight = ashi_max(m->in.count, m->out.count),
                                            .message_most = ASHI_MESSAGE_MOST, .largest = largest};
    *wire = NULL;
    *buffer = NULL;
    if (!ashi_mul(ashi_move_workspace(m, rounds), (int64_t)m->bytes, &bytes))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "ashlar_move: too many words at once");
    *buffer = malloc((size_t)ashi_max(bytes, 1));
    if (!*buffer)
        return ashi_fail_memory(err, "ashlar_move", bytes);
    return ashi_two_sided(&request, wire, err);
}

ashlar_status ashi_move_run(ashi_move *m, int64_t rounds, ashi_transport *wire, char *buffer, const void *alpha,
                            const void *source, const void *beta, void *target, ashlar_error *err)
{
    const transfer t = {.m = m, .alpha = alpha, .beta = beta, .source = source, .target = target};
    ashlar_status status = ASHLAR_OK;
    for (int64_t r = 0; r < rounds && status == ASHLAR_OK; r++)
        status = run_round(m, wire, buffer, (ashi_chunk){r, rounds}, t, err);
    return status;
}

void ashi_move_scale(ashi_move *m, const void *beta, void *target)
{
    ashi_scale_view(&m->target, m->rank, m->kernels, m->bytes, beta, &(ashi_part){target, NULL});
}

void ashi_move_free(ashi_move **move)
{
    ashi_move *m = *move;
    if (!m)
        return;
    for (int d = 0; d < 2; d++)
        ashi_axis_free(&m->axis[d]);
    ashi_view_free(&m->source);
    ashi_view_free(&m->target);
    free(m->in.at);
    free(m->out.at);
    free(m->own.at);
    free(m);
    *move = NULL;
}
