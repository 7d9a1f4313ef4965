/* Movement of a matrix between two layouts.
 *
 * All that a rank sends another is one message. To stay within a limit every share is cut along y into as many chunks,
 * one a round; while one round is under way the next is packed. */
#include "exec/move.h"

#include "base/checked.h"
#include "base/error.h"
#include "kernel/kernels.h"

#include <stdlib.h>
#include <string.h>

struct ashi_move {
    ashi_exchange exchange;
    ashlar_type type;
    size_t bytes;
    bool conjugate;
    const ashi_kernels *kernels;
    MPI_Comm comm;
    int64_t y_size, rounds;
    int window;
    ashi_transport *wire;
    ashi_move_tally done;
};

ashlar_status ashi_move_create(const ashi_exchange_request *q, ashlar_type type, MPI_Comm comm, ashi_move **out,
                               ashlar_error *err)
{
    *out = NULL;
    ashi_move *m = calloc(1, sizeof *m);
    if (!m)
        return ashi_fail_memory(err, "ashlar_move", (int64_t)sizeof *m);
    *m = (ashi_move){.type = type, .bytes = ashlar_type_bytes(type), .kernels = ashi_kernels_of(type), .comm = comm,
                     .conjugate = q->op == ASHLAR_OP_C, .y_size = q->by_rows ? q->to->row.size : q->to->col.size};
    const ashlar_status status = ashi_exchange_build(q, &m->exchange, err);
    if (status == ASHLAR_OK)
        *out = m;
    else
        ashi_move_free(&m);
    return status;
}

const ashi_exchange *ashi_move_exchange(const ashi_move *move)
{
    return &move->exchange;
}

ashi_move_tally ashi_move_done(const ashi_move *move)
{
    return move->done;
}

void ashi_move_set_ld(ashi_move *m, bool target, int64_t ld)
{
    (target ? m->exchange.to : m->exchange.from)->ld = ld;
    ashi_exchange_relocate(&m->exchange);
}

static int64_t chunk_words(const ashi_shares *list, const ashi_letter *l, int64_t rounds, int64_t round)
{
    int64_t words = 0;
    for (const ashi_share *s = list->share + l->first; s < list->share + l->end; s++)
        words += s->x->count * ashi_cut_size(s->y->count, rounds, round);
    return words;
}

static int64_t round_words(const ashi_shares *list, int64_t rounds)
{
    int64_t words = 0;
    for (int64_t i = 0; i < list->letters; i++)
        words += chunk_words(list, &list->letter[i], rounds, 0); /* the first chunks are the longest */
    return words;
}

int64_t ashi_move_workspace(const ashi_move *m, int64_t rounds)
{
    return round_words(&m->exchange.in, rounds) + round_words(&m->exchange.out, rounds);
}

/* A letter travels in as many rounds as its longest share has positions of y. */
static int64_t messages_of(const ashi_shares *list, int64_t rounds)
{
    int64_t messages = 0;
    for (int64_t i = 0; i < list->letters; i++) {
        int64_t longest = 0;
        for (int64_t s = list->letter[i].first; s < list->letter[i].end; s++)
            longest = ashi_max(longest, list->share[s].y->count);
        messages += ashi_min(longest, rounds);
    }
    return messages;
}

int64_t ashi_move_messages(const ashi_move *m, int64_t rounds)
{
    return ashi_max(messages_of(&m->exchange.in, rounds), messages_of(&m->exchange.out, rounds));
}

ashi_move_tally ashi_move_planned(const ashi_move *m)
{
    return (ashi_move_tally){.received = m->exchange.in.words,
                             .received_messages = messages_of(&m->exchange.in, m->rounds),
                             .sent_messages = messages_of(&m->exchange.out, m->rounds)};
}

int64_t ashi_move_rounds(const ashi_move *m, int64_t memory)
{
    const int64_t most = ashi_max(1, m->y_size);
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

static int64_t largest_message(const ashi_shares *list, int64_t rounds)
{
    int64_t largest = 0;
    for (int64_t i = 0; i < list->letters; i++)
        largest = ashi_max(largest, chunk_words(list, &list->letter[i], rounds, 0));
    return largest;
}

ashlar_status ashi_move_prepare(ashi_move *m, int64_t rounds, int window, ashlar_error *err)
{
    const ashi_shares *in = &m->exchange.in, *out = &m->exchange.out;
    const ashi_transport_request request = {
        .comm = m->comm, .type = m->type, .window = window, .message_most = ASHI_MESSAGE_MOST,
        .messages_in_flight = ashi_max(in->letters, out->letters),
        .largest = ashi_max(largest_message(in, rounds), largest_message(out, rounds))};
    m->rounds = rounds;
    m->window = window;
    return ashi_transport_create(&request, &m->wire, err);
}

/* A run: where everything is, and how elements are set in the target. */
typedef struct transfer {
    ashi_move *m;
    const ashi_part *source, *target;
    ashi_patch_factors factors;
    ashi_patch_kernel copy, set;
    char *workspace;
    int64_t slot_words, in_words; /* of a round: all, and those that arrive, which lie first */
    int64_t arriving;             /* the round whose messages arrive */
} transfer;

/* The memory that the places of a side are counted from. */
static char *memory_of(const ashi_move *m, const ashi_part *part, const ashi_origin *array)
{
    if (part->tile)
        return (char *)(uintptr_t)part->tile[array->tile];
    return (char *)(uintptr_t)part->base + (size_t)array->start * m->bytes;
}

static bool list_has(const ashi_shares *list, bool target, const ashi_part *part)
{
    for (const ashi_share *s = list->share; part->tile && s < list->share + list->count; s++)
        if (!part->tile[target ? s->to_array.tile : s->from_array.tile])
            return false;
    return part->tile || part->base || list->count == 0;
}

bool ashi_move_has(const ashi_move *m, bool target, const ashi_part *part)
{
    return list_has(&m->exchange.own, target, part) &&
           list_has(target ? &m->exchange.in : &m->exchange.out, target, part);
}

/* A round's part of a share. */
static ashi_patch chunk_of(const transfer *t, const ashi_share *s, int64_t round)
{
    const int64_t lo = ashi_cut(s->y->count, t->m->rounds, round);
    return (ashi_patch){s->x, s->y, lo, lo + ashi_cut_size(s->y->count, t->m->rounds, round)};
}

/* In a message: the patch at `at`. */
static ashi_patch_side packed(const ashi_patch *p, int64_t at)
{
    return (ashi_patch_side){p->x->at, p->y->at, at - p->lo * p->x->count, 1, p->x->count};
}

static int64_t patch_words(const ashi_patch *p)
{
    return p->x->count * (p->hi - p->lo);
}

static char *slot_of(const transfer *t, int64_t round)
{
    return t->workspace + (size_t)(round % t->m->window * t->slot_words) * t->m->bytes;
}

static void pack(const transfer *t, const ashi_letter *l, int64_t round, char *buffer)
{
    int64_t at = 0;
    for (const ashi_share *s = t->m->exchange.out.share + l->first; s < t->m->exchange.out.share + l->end; s++) {
        const ashi_patch p = chunk_of(t, s, round);
        const ashi_patch_side to = packed(&p, at);
        t->copy(&p, NULL, memory_of(t->m, t->source, &s->from_array), &s->from, buffer, &to);
        at += patch_words(&p);
    }
}

static ashlar_status unpack(void *context, int64_t item, ashlar_error *err)
{
    transfer *t = context;
    const ashi_shares *in = &t->m->exchange.in;
    const ashi_letter *l = &in->letter[item];
    const char *buffer = slot_of(t, t->arriving);
    int64_t at = 0;
    (void)err;
    for (int64_t i = 0; i < item; i++)
        at += chunk_words(in, &in->letter[i], t->m->rounds, t->arriving);
    const int64_t words = chunk_words(in, l, t->m->rounds, t->arriving);
    t->m->done.received += words;
    t->m->done.received_messages += words > 0;
    for (const ashi_share *s = in->share + l->first; s < in->share + l->end; s++) {
        const ashi_patch p = chunk_of(t, s, t->arriving);
        const ashi_patch_side from = packed(&p, at);
        t->set(&p, &t->factors, buffer, &from, memory_of(t->m, t->target, &s->to_array), &s->to);
        at += patch_words(&p);
    }
    return ASHLAR_OK;
}

static ashlar_status begin_round(const transfer *t, int64_t round, ashlar_error *err)
{
    const ashi_exchange *e = &t->m->exchange;
    const int slot = (int)(round % t->m->window);
    char *buffer = slot_of(t, round);
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < e->in.letters && status == ASHLAR_OK; i++) {
        const ashi_parcel mail = {.data = buffer, .words = chunk_words(&e->in, &e->in.letter[i], t->m->rounds, round),
                                  .peer = (int)e->in.letter[i].peer, .slot = slot, .item = i};
        status = ashi_transport_receive(t->m->wire, &mail, err);
        buffer += (size_t)mail.words * t->m->bytes;
    }
    buffer = slot_of(t, round) + (size_t)t->in_words * t->m->bytes;
    for (int64_t i = 0; i < e->out.letters && status == ASHLAR_OK; i++) {
        const ashi_parcel mail = {.data = buffer, .words = chunk_words(&e->out, &e->out.letter[i], t->m->rounds, round),
                                  .peer = (int)e->out.letter[i].peer, .slot = slot};
        pack(t, &e->out.letter[i], round, buffer);
        status = ashi_transport_send(t->m->wire, &mail, err);
        t->m->done.sent_messages += status == ASHLAR_OK && mail.words > 0;
        buffer += (size_t)mail.words * t->m->bytes;
    }
    return status;
}

static ashlar_status end_round(transfer *t, int64_t round, ashlar_error *err)
{
    ashi_transport *wire = t->m->wire;
    const int slot = (int)(round % t->m->window);
    t->arriving = round;
    const ashlar_status status = ashi_transport_arrive(wire, slot, unpack, t, err);
    if (status == ASHLAR_OK)
        ashi_transport_sent(wire, slot);
    return status;
}

/* What this rank keeps. */
static void keep(const transfer *t)
{
    const ashi_shares *own = &t->m->exchange.own;
    for (const ashi_share *s = own->share; s < own->share + own->count; s++) {
        const ashi_patch p = {s->x, s->y, 0, s->y->count};
        t->set(&p, &t->factors, memory_of(t->m, t->source, &s->from_array), &s->from,
               memory_of(t->m, t->target, &s->to_array), &s->to);
    }
}

ashlar_status ashi_move_run(ashi_move *m, void *workspace, const void *alpha, const ashi_part *source,
                            const void *beta, const ashi_part *target, ashlar_error *err)
{
    transfer t = {.m = m, .source = source, .target = target, .factors = {alpha, beta, m->conjugate},
                  .copy = ashi_patch_kernel_of(m->type, NULL), .workspace = workspace};
    t.set = ashi_patch_kernel_of(m->type, &t.factors);
    t.slot_words = ashi_move_workspace(m, m->rounds);
    t.in_words = round_words(&m->exchange.in, m->rounds);
    m->done = (ashi_move_tally){0};
    ashlar_status status = ASHLAR_OK;
    for (int64_t r = 0; r < m->rounds && status == ASHLAR_OK; r++) {
        if (r >= m->window)
            status = end_round(&t, r - m->window, err);
        if (status == ASHLAR_OK)
            status = begin_round(&t, r, err);
        if (r == 0 && status == ASHLAR_OK)
            keep(&t);
    }
    for (int64_t r = ashi_max(0, m->rounds - m->window); r < m->rounds && status == ASHLAR_OK; r++)
        status = end_round(&t, r, err);
    return ashi_transport_outcome(m->wire, status, err);
}

/* beta T + 1 * 0; what is added lies at one place for all elements. */
static void scale(const ashi_move *m, const ashi_shares *list, const ashi_patch_factors *f, const ashi_part *target)
{
    const ashi_patch_kernel set = ashi_patch_kernel_of(m->type, f);
    for (const ashi_share *s = list->share; s < list->share + list->count; s++) {
        const ashi_patch p = {s->x, s->y, 0, s->y->count};
        const ashi_patch_side zero = {s->x->at, s->y->at, 0, 0, 0};
        set(&p, f, m->kernels->zero, &zero, memory_of(m, target, &s->to_array), &s->to);
    }
}

void ashi_move_scale(const ashi_move *m, const void *beta, const ashi_part *target)
{
    const ashi_patch_factors f = {m->kernels->one, beta, false};
    if (memcmp(beta, m->kernels->one, m->bytes) == 0)
        return;
    scale(m, &m->exchange.in, &f, target);
    scale(m, &m->exchange.own, &f, target);
}

void ashi_move_free(ashi_move **move)
{
    ashi_move *m = *move;
    if (!m)
        return;
    ashi_exchange_free(&m->exchange);
    ashi_transport_free(&m->wire);
    free(m);
    *move = NULL;
}
