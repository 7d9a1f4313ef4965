/* A schedule: for each rank a stream of operations on boxes of A, B and C, made as it is walked.
 *
 * A strategy fills an ashi_schedule; the checker, the simulator and the executor walk it. A rank's stream comes in
 * steps, the same number on every rank; the operations of one step are made by `emit`, in the order in which they are
 * to be begun. Boxes are in axis positions (layout/axis.h).
 *
 *   ACQUIRE    a buffer of so many words
 *   MULTICAST  the owner's piece of a box of A or B goes to the members' buffers; a member multiplies with it later
 *   COPY       the rank's own words of a box of A or B go to their places in a panel
 *   SEND       a whole panel of A or B, or a box of the rank's own that lies packed, goes to another rank
 *   RECEIVE    and arrives there as a panel
 *   ARRIVE     wait until all that was to be received into the buffers of a slot is there
 *   SENT       wait until all that was sent from the buffers of a slot has left them
 *   MULTIPLY   C box += A box x B box, the box being a part's or within it
 *   SCALE      C <- beta C of all that the rank owns, nothing of which is summed up in place
 *   REDUCE     the members' partial sums of (a chunk of) the owner's piece of a box of C go to the owner
 *   ADD        the owner adds what arrived for one REDUCE, member after member, to its C
 *   RELEASE    the buffers of a slot, once what was sent from them has left
 *   PHASE      buffers take another meaning from here on: nobody may still use the old one
 *   BUNDLE     only in a `brief` stream: several REDUCEs by which the rank contributes to others' C, as one
 *
 * MULTICAST and REDUCE are group operations. Each rank that takes part (the owner, or a member) meets them in its own
 * stream; schedule/lower.h says what each then sends and receives. SEND and RECEIVE are one message between two ranks,
 * which meet them in the same step; a rank's SEND is of what it had before that step.
 *
 * A panel is a box of A or B, dense, with its minor side contiguous. Where a schedule is `pooled` its buffers are
 * acquired once, in slot 0, and hold many panels at offsets of their own; a panel stays from round to round until
 * another takes its place, and ARRIVE and SENT are met in every round. The next round's messages are begun between a
 * round's ARRIVE and its products, so they spare the panels of both; where one-sided, what of them does not land spares
 * also where such pieces of the round before are, which others may put to before this rank has unpacked those.
 * Elsewhere each round has a slot, and one panel at offset 0.
 *
 * A rank sums up the boxes of its parts: one, or several where it stands for several ranks of a larger machine. Sums
 * that are not made in the rank's own C have a place in one buffer, part after part. */
#ifndef ASHI_SCHEDULE_H
#define ASHI_SCHEDULE_H

#include "model/torus.h"
#include "schedule/home.h"
#include "schedule/stays.h"

typedef enum ashi_op_kind {
    ASHI_ACQUIRE,
    ASHI_MULTICAST,
    ASHI_ARRIVE,
    ASHI_MULTIPLY,
    ASHI_REDUCE,
    ASHI_ADD,
    ASHI_RELEASE,
    ASHI_PHASE,
    ASHI_COPY,
    ASHI_SEND,
    ASHI_RECEIVE,
    ASHI_SENT,
    ASHI_SCALE,
    ASHI_BUNDLE
} ashi_op_kind;

/* A buffer is named by its slot and operand: each round in flight has a slot with one for A and one for B, or, when
 * sums are moved, one for C in their place. The partial sums of the rank's own box have slot ASHI_NO_SLOT. */
enum { ASHI_NO_SLOT = -1, ASHI_WINDOW_USUAL = 2, ASHI_WINDOW_MAX = 16 };

typedef struct ashi_op {
    ashi_op_kind kind;
    ashlar_operand operand;  /* whose buffer; MULTICAST, COPY, SEND, RECEIVE: A or B; REDUCE, ADD: C */
    int slot;
    int64_t words;           /* ACQUIRE: of the buffer; MULTICAST, REDUCE, ADD: of the piece or chunk; COPY: of what the
                                rank owns of the box; SEND, RECEIVE: of the box; BUNDLE: of all messages */
    ashi_box box;            /* of the operand; MULTIPLY: of C, the part's or within it */
    int64_t k_lo, k_hi;      /* MULTIPLY */
    int64_t part;            /* MULTIPLY: which of the rank's parts; REDUCE, ADD: whose sums the rank itself
                                contributes, -1 where it only owns */
    int64_t at[2];           /* MULTIPLY: where the panels of A and B begin in the buffers */
    bool whole[2];           /* MULTIPLY: all of the operand is in its panel; else what BLAS can read in the rank's own
                                part of the matrix is read there, and only the rest is in the panel */
    int64_t peer;            /* SEND, RECEIVE */
    int64_t peer_offset;     /* SEND: `offset` of the RECEIVE */
    bool own;                /* SEND: from the rank's own part of the matrix; else from the panel at `offset` */
    int64_t owner;           /* MULTICAST, REDUCE, ADD */
    const int *member;       /* ranks that need a MULTICAST or contribute to a REDUCE; valid during the visit */
    int64_t members;
    int64_t owner_at, rank_at; /* the index among the members of the owner, and of the rank that walks; -1 if none */
    int64_t number;          /* the same on all that take part, different for others between the same ranks in a step */
    ashi_chunk chunk;        /* REDUCE, ADD: of the owner's piece; else ashi_whole */
    int64_t panel;           /* MULTICAST: where the panel of the box begins in the receiver's buffer */
    int64_t offset;          /* where it arrives in the receiver's buffer, the same for all members of a MULTICAST;
                                of a REDUCE, where the first member's contribution arrives; the others follow; of COPY
                                and SEND, where the panel is */
    bool lands;              /* MULTICAST: at `offset` it lies as the multiplication reads it; else it is unpacked */
    int64_t pack_offset;     /* on the owner (MULTICAST) or a member (REDUCE): where in its buffer the piece is packed
                                before it is sent, or -1 where it is sent from where it lies */
    bool joins_panel;        /* MULTICAST, on an owner that is a member: pack_offset is the piece's place in its own
                                panel, so that one copy serves for sending and for multiplying */
    bool begins;             /* ADD: no other adds to these elements before: beta C first; else SCALE has seen to it */
    int64_t messages, packed; /* BUNDLE: how many the rank sends, and how many of their words it packs before */
} ashi_op;

typedef ashlar_status (*ashi_visit)(void *context, const ashi_op *op, ashlar_error *err);

typedef struct ashi_schedule ashi_schedule;
struct ashi_program;

struct ashi_schedule {
    const char *strategy;
    int64_t m, n, k, ranks;
    ashi_view view[3]; /* of op(A), op(B), C */
    int64_t grid[3];   /* parts of m, n and k; all 0 where the boxes are not those of a grid */
    int64_t ranks_used, rounds, reduce_rounds;
    ashi_stays stays;  /* A or B: reduce_rounds are those in which it arrives; there is no stream, only a program */
    int window;
    bool tree;         /* group operations go along binomial trees; sums do not where one_sided */
    ashi_torus torus;  /* a MULTICAST whose ranks are a sub-torus of it goes along that one's links; `tree` is set */
    bool one_sided;    /* `offset` is needed by senders as well */
    bool pooled;       /* panels stay in slot 0 from round to round */
    bool brief;        /* the stream is only counted: `emit` may give a BUNDLE in the place of REDUCEs */
    int64_t steps;
    void *own;         /* the strategy's */

    ashlar_status (*emit)(ashi_schedule *schedule, int64_t rank, int64_t step, ashi_visit visit, void *context,
                          ashlar_error *err);
    /* The engine's own program of the same products and messages; NULL: it has none (schedule/program.h). */
    ashlar_status (*program)(ashi_schedule *schedule, struct ashi_program *out, ashlar_error *err);
    /* How many parts a rank has, at least 1; each one's box of C, empty for an idle rank, and its place. */
    int64_t (*parts)(const ashi_schedule *schedule, int64_t rank);
    ashi_box (*domain)(const ashi_schedule *schedule, int64_t rank, int64_t part);
    ashi_home (*home)(const ashi_schedule *schedule, int64_t rank, int64_t part);
    void (*free_own)(ashi_schedule *schedule);
};

/* Walk all steps of a rank. Stops at the first visit that fails and returns its status. */
ashlar_status ashi_schedule_walk(ashi_schedule *schedule, int64_t rank, ashi_visit visit, void *context,
                                 ashlar_error *err);

/* An ashi_schedule's `parts` where every rank has one. */
int64_t ashi_schedule_one_part(const ashi_schedule *schedule, int64_t rank);

/* Words of the buffer in which a rank sums up what it does not sum up where its C lies; whether any rank has one: then
 * sums leave the rank that made them, or are copied within it. */
int64_t ashi_schedule_sum_words(const ashi_schedule *schedule, int64_t rank);
bool ashi_schedule_sums_move(const ashi_schedule *schedule);

/* What one rank's stream amounts to. Words are elements. */
typedef struct ashi_need {
    int64_t received, sent;
    int64_t received_messages, sent_messages;
    int64_t read, written;         /* between memory and files */
    int64_t share;                 /* words of A, B and C that the rank owns */
    int64_t c_words;               /* of the buffer of partial sums */
    int64_t panel_words, sum_words; /* the largest slot while multiplying, and while moving sums */
    int64_t a_words, slot_words;   /* of the largest A buffer; from one slot to the next: the larger of those two, or,
                                      pooled, where all panels are in one slot, sum_words */
    int64_t sum_cols;              /* the most columns that moving sums could be cut into */
    int64_t workspace;             /* up to the end of the buffer that reaches furthest: ashi_need_end */
    int64_t messages_in_flight;    /* most receives, or most sends, that a slot has under way */
    int64_t copied;                /* words packed, unpacked, copied into panels, scaled in C and added to it */
    int64_t products;              /* multiply-adds */
} ashi_need;

/* Walk a rank's stream and count. The stream is a brief one; that of ashi_schedule_need_in_full is the one that is run.
 * Both count the same, and tests compare them. */
ashlar_status ashi_schedule_need(ashi_schedule *schedule, int64_t rank, ashi_need *out, ashlar_error *err);
ashlar_status ashi_schedule_need_in_full(ashi_schedule *schedule, int64_t rank, ashi_need *out, ashlar_error *err);

/* Where in the workspace a slot's buffer begins, and where one of `words` words ends; 0 if the slot has none. */
int64_t ashi_need_place(const ashi_need *need, int slot, ashlar_operand operand);
int64_t ashi_need_end(const ashi_need *need, int slot, ashlar_operand operand, int64_t words);

/* Free what a schedule holds; the views' layouts are not its own. */
void ashi_schedule_free(ashi_schedule *schedule);

#endif
