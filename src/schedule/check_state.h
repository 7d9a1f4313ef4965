/* What the parts of the schedule checker share: the state of the walk, and what each part is asked. */
#ifndef ASHI_CHECK_STATE_H
#define ASHI_CHECK_STATE_H

#include "schedule/check.h"
#include "schedule/lower.h"

/* An array that grows. */
typedef struct ashi_check_list {
    void *data;
    int64_t count, capacity;
} ashi_check_list;

/* Room for one more element of `size` bytes at the end, NULL where memory lacks. All uses of a list give one size. */
void *ashi_check_add(ashi_check_list *list, size_t size);

/* ---- who owns what (check_places.c) ---- */

/* How many positions of an interval each part of a strip has, and the natural index of the first of them. */
typedef struct ashi_check_side {
    int64_t *count, *index, *touched; /* one a part; the parts that have any */
    int64_t parts;                    /* how many are touched */
} ashi_check_side;

/* How many words of a box, or of a chunk of each owner's piece of it, each rank owns. */
typedef struct ashi_check_tally {
    bool known;
    ashi_box box;
    ashi_chunk chunk;
    ashi_check_side minor, major;
    int64_t *words; /* one a rank */
    int64_t *owner; /* the ranks that have any */
    int64_t owners;
} ashi_check_tally;

/* ---- one rank's buffers (check_buffers.c) ---- */

typedef struct ashi_check_region {
    ashlar_operand operand;
    int64_t lo, hi;
} ashi_check_region;

/* A MULTICAST received or a REDUCE taken part in, since its slot was acquired. */
typedef struct ashi_check_entry {
    ashi_op op; /* without its members */
    uint64_t members;
    bool added;
} ashi_check_entry;

/* ---- buffers whose panels stay (check_pool.c) ---- */

typedef enum ashi_check_use_kind {
    ASHI_CHECK_GONE,  /* what is left beside something new */
    ASHI_CHECK_PANEL,
    ASHI_CHECK_STAGE, /* a piece that is to be unpacked */
    ASHI_CHECK_PACK   /* a piece that is sent */
} ashi_check_use_kind;

/* A stretch of a buffer and what it is used for. An epoch is the time between two ARRIVEs, -1 none. */
typedef struct ashi_check_extent {
    ashi_check_use_kind kind;
    int64_t lo, hi;
    ashi_box box;          /* PANEL: of the operand */
    int64_t have;          /* PANEL: words that have arrived, arrive or were copied */
    bool handed;           /* PANEL: by a RECEIVE; else piece by piece */
    int64_t opened, step;  /* the epoch and the step in which this use began */
    int64_t arriving;      /* the last epoch in which others write here */
    int64_t leaving;       /* how many SENTs came before it was last sent from, -1 never */
    int64_t touched;       /* the last epoch in which the rank itself reads or writes here */
    int64_t before;        /* `touched` of what was here before */
} ashi_check_extent;

/* A piece of a panel that came in this epoch. */
typedef struct ashi_check_part_of {
    ashlar_operand operand;
    int64_t at, owner;
    ashi_box box;
} ashi_check_part_of;

/* The buffers of A and B of a rank of a pooled schedule. */
typedef struct ashi_check_pool {
    bool used;                 /* acquired, if only once */
    int64_t epoch, sents;      /* ARRIVEs and SENTs so far */
    int64_t receiving, sending; /* operations since the last ARRIVE, since the last SENT */
    ashi_check_list extent[2]; /* ashi_check_extent, by place, none overlapping another */
    ashi_check_list pieces;    /* ashi_check_part_of */
} ashi_check_pool;

typedef struct ashi_check_slot {
    bool held[3], arrived;
    int64_t words[3];
    bool has_panel[2];
    ashi_box panel[2];
    ashi_check_list regions; /* ashi_check_region */
    ashi_check_list entries; /* ashi_check_entry */
    int64_t next;            /* the entry after the last that was added */
} ashi_check_slot;

/* ---- messages (check_messages.c) ---- */

typedef struct ashi_check_message {
    int64_t rank, peer, step, place, words, offset;
    int share;
    bool send;
    ashi_op op;       /* without its members */
    uint64_t members; /* a digest of them */
    int64_t upward;   /* of the same operation and share on this rank, the message from (MULTICAST) or to (REDUCE) the
                         owner's
                         side; -1 on the owner */
    int64_t match;    /* the same message at the peer */
} ashi_check_message;

/* ---- products and sums (check_products.c, check_sums.c) ---- */

typedef struct ashi_check_product {
    int64_t lo[3], hi[3]; /* of m, n, k */
    int64_t rank, step;
} ashi_check_product;

/* A box of C that the rank sums up. */
typedef struct ashi_check_sum {
    ashi_box box;
    ashi_home home;
    int64_t in_place; /* words that it sums up in its own C */
} ashi_check_sum;

/* Partial sums that a rank hands over: to another owner, or from its buffer to its own C. */
typedef struct ashi_check_delivery {
    int64_t part, owner, chunk, words;
} ashi_check_delivery;

/* An ARRIVE, which all ranks meet where one writes into another's buffers. */
typedef struct ashi_check_fence {
    int64_t step, slot;
} ashi_check_fence;

typedef struct ashi_checker {
    ashi_schedule *schedule;
    ashi_check_report *report;
    ashi_check_tally tally[3];
    ashi_check_list products; /* ashi_check_product, of all ranks */
    ashi_check_list messages; /* ashi_check_message, of all ranks */
    ashi_check_list phases;   /* int64_t: the steps of rank 0's PHASE operations */
    ashi_check_list fences;   /* ashi_check_fence, where one-sided: rank 0's ARRIVE operations */
    /* The rank that is walked. */
    int64_t rank, step;
    ashi_box domain;          /* of the first part */
    ashi_check_list parts;    /* ashi_check_sum */
    ashi_check_list kept;     /* ashi_box: what the parts sum up in the rank's own C */
    bool c_held, summing, phase_used;
    int64_t c_words, held_words, held_peak, phases_seen, rank_products;
    int64_t in_place; /* words of its parts that the rank sums up in its own C */
    int64_t begun;    /* words of its C that an ADD began */
    bool scaled;      /* all of its C */
    int64_t sent, received, sent_messages, received_messages, fences_seen;
    ashi_check_slot slot[ASHI_WINDOW_MAX];
    ashi_check_pool pool;
    ashi_check_list deliveries; /* ashi_check_delivery */
} ashi_checker;

/* Say what is wrong at the present rank and step. `op` may be NULL. Returns ASHLAR_ERR_INTERNAL. */
ashlar_status ashi_check_fail(ashi_checker *c, const ashi_op *op, ashlar_error *err, const char *what);

bool ashi_check_same_box(const ashi_box *a, const ashi_box *b);

/* The order of each dimension: a permutation, and the same for both matrices that have the dimension. */
ashlar_status ashi_check_places(ashi_checker *c, ashlar_error *err);

/* Allocate and free the tallies. */
ashlar_status ashi_check_tally_init(ashi_checker *c, ashlar_error *err);
void ashi_check_tally_free(ashi_checker *c);

/* Count a box. The result stands until the operand's next count. */
const ashi_check_tally *ashi_check_count(ashi_checker *c, ashlar_operand x, const ashi_box *box, ashi_chunk chunk);

bool ashi_check_inside(const ashi_box *box, const ashi_view *view);

/* Acquire, arrive, release, phase. */
ashlar_status ashi_check_acquire(ashi_checker *c, const ashi_op *op, ashlar_error *err);
ashlar_status ashi_check_arrive(ashi_checker *c, const ashi_op *op, ashlar_error *err);
ashlar_status ashi_check_release(ashi_checker *c, const ashi_op *op, ashlar_error *err);
ashlar_status ashi_check_phase(ashi_checker *c, const ashi_op *op, ashlar_error *err);

/* The operation's slot, if it may begin to move what is in it now; NULL, with *status, where it may not. */
ashi_check_slot *ashi_check_open_slot(ashi_checker *c, const ashi_op *op, ashlar_status *status, ashlar_error *err);

/* The words lo .. lo + words - 1 of an operand's buffer are used until the slot is released. */
ashlar_status ashi_check_use(ashi_checker *c, ashi_check_slot *slot, ashlar_operand x, int64_t lo, int64_t words,
                             ashlar_error *err);
ashlar_status ashi_check_enter(ashi_check_slot *slot, const ashi_op *op, ashlar_error *err);

/* ---- where panels stay ---- */

/* Whether a slot is the one in which panels stay, now. */
bool ashi_check_is_pool(const ashi_checker *c, int slot);

/* Take words lo .. hi-1 of an operand's buffer for something new, where nothing may be under way: *out, valid until the
 * next is taken. `remote`: others write there, at any time of this epoch. */
ashlar_status ashi_check_take(ashi_checker *c, const ashi_op *op, const ashi_check_extent *fresh, bool remote,
                              ashi_check_extent **out, ashlar_error *err);

/* What begins at a place; NULL where nothing does. */
ashi_check_extent *ashi_check_find(ashi_checker *c, ashlar_operand x, int64_t lo);

/* Begin and end an epoch; wait for what is sent; nothing may be under way once buffers are released. */
void ashi_check_pool_begin(ashi_checker *c);
ashlar_status ashi_check_pool_arrive(ashi_checker *c, const ashi_op *op, ashlar_error *err);
ashlar_status ashi_check_sent(ashi_checker *c, const ashi_op *op, ashlar_error *err);
ashlar_status ashi_check_pool_release(ashi_checker *c, const ashi_op *op, ashlar_error *err);

/* A MULTICAST's piece, a COPY, a panel that is handed on, an operand of a MULTIPLY (check_panels.c). */
ashlar_status ashi_check_pool_multicast(ashi_checker *c, const ashi_op *op, ashlar_error *err);
ashlar_status ashi_check_copy(ashi_checker *c, const ashi_op *op, ashlar_error *err);
ashlar_status ashi_check_send(ashi_checker *c, const ashi_op *op, ashlar_error *err);
ashlar_status ashi_check_receive(ashi_checker *c, const ashi_op *op, ashlar_error *err);
ashlar_status ashi_check_pool_operand(ashi_checker *c, const ashi_op *op, ashlar_operand x, const ashi_box *box,
                                      ashlar_error *err);

/* A packed piece, put at an offset from its panel's beginning, lies there as it is read. */
ashlar_status ashi_check_lands(ashi_checker *c, const ashi_op *op, int64_t offset, ashlar_error *err);

/* All of a box that the rank reads in its own part of the matrix, where no panel of it is needed. */
bool ashi_check_all_in_place(const ashi_checker *c, ashlar_operand x, const ashi_box *box);

ashlar_status ashi_check_multicast(ashi_checker *c, const ashi_op *op, ashlar_error *err);
ashlar_status ashi_check_multiply(ashi_checker *c, const ashi_op *op, ashlar_error *err);
ashlar_status ashi_check_reduce(ashi_checker *c, const ashi_op *op, ashlar_error *err);
ashlar_status ashi_check_add_sums(ashi_checker *c, const ashi_op *op, ashlar_error *err);

/* SCALE, an ADD (own: of a part that is summed up in place), and the end of a stream (check_begin.c). */
ashlar_status ashi_check_scale(ashi_checker *c, const ashi_op *op, ashlar_error *err);
ashlar_status ashi_check_begins(ashi_checker *c, const ashi_op *op, bool own, ashlar_error *err);
ashlar_status ashi_check_begun(ashi_checker *c, ashlar_error *err);

/* Note the products of a MULTIPLY. */
ashlar_status ashi_check_note(ashi_checker *c, const ashi_op *op, ashlar_error *err);

uint64_t ashi_check_digest(const ashi_op *op);
bool ashi_check_is_member(const ashi_op *op, int64_t rank);

/* Owner, members, words and chunk of a group operation are sound, and this rank takes part. */
ashlar_status ashi_check_group(ashi_checker *c, const ashi_op *op, ashlar_error *err);

/* Note the messages of a group operation; those that arrive use their place in the slot where the operation is a
 * REDUCE. */
ashlar_status ashi_check_lower(ashi_checker *c, ashi_check_slot *slot, const ashi_op *op, ashlar_error *err);

/* Note the message of a SEND or a RECEIVE. */
ashlar_status ashi_check_handing(ashi_checker *c, const ashi_op *op, ashlar_error *err);

/* The rank's parts lie in C, and what it sums up in its own C is its own, once; before its stream begins. */
ashlar_status ashi_check_parts(ashi_checker *c, ashlar_error *err);

/* The part that an operation names, with just its box; NULL where there is none. Whether there is one that has its
 * box. */
const ashi_check_sum *ashi_check_part(const ashi_checker *c, const ashi_op *op);
bool ashi_check_in_part(const ashi_checker *c, const ashi_op *op);

/* Once the rank's stream has ended: all partial sums of its box were handed over. */
ashlar_status ashi_check_handed_over(ashi_checker *c, ashlar_error *err);

/* Once all streams have ended. */
ashlar_status ashi_check_pairing(ashi_checker *c, ashlar_error *err);
ashlar_status ashi_check_products(ashi_checker *c, ashlar_error *err);

#endif
