/* A program: for each rank a sequence of operations, each of which names the panels that it reads and the one it makes.
 *
 * Programs are in single-assignment form. Nothing waits, acquires memory or releases it: that follows from who reads
 * what. A panel is made by one operation, or consists of panels that lie within it, and is then whole when the last of
 * those is made. The running sum of a box of C is the exception: it is updated in program order.
 *
 *   MOVE       makes a panel from another of the same rank: packs, unpacks, reads a file, writes a file
 *   SEND       sends the panel that it reads to `peer`, which has a RECEIVE of the same words in the same step
 *   RECEIVE    makes a panel from what `peer` sends
 *   MULTICAST  on the owner reads a panel, which it sends to the members; on another member makes that panel
 *   REDUCE     on a member reads running sums, or what was packed of them; on the owner makes a panel with the other
 *              members' contributions
 *   MULTIPLY   updates a running sum with a product
 *   ADD        updates the caller's C with running sums, or with what a REDUCE made
 *   SCALE      multiplies by beta if nothing else begins a sum; a running sum in the pool becomes zero
 *
 * The first update of each element of C, or of a running sum, `begins` it. In the caller's C, and in a running sum that
 * was read from C's file, it multiplies what is there by beta; in any other running sum it does not read it. A running
 * sum that the rank has written to C's file, not `given` then, may come back as another one, once: that is begun.
 *
 * A panel of A or B in a file that is not `given` is in a file of the rank's own, which has what it has written there.
 * It may be read any number of times, and never for the last time.
 *
 * If C is `replicated`, every rank has all of it in a file of its own. Partial sums are sent as they are, a running sum
 * in a SEND, and added to another running sum in the pool, as are totals: SEND and RECEIVE of C name the `owner`. If
 * that is the receiver, what is sent is partial sums, for the last time that they are read; if it is the sender, a
 * total, of all ranks, which it sends to every other rank in turn, the next one first. Such a message `begins` if C0 is
 * in the total. Who has a total adds it to a running sum that gets only totals, or writes it to C's file.
 *
 * Every operation has a step, and both ends of a message have the same. Within a pair of ranks, messages are received
 * in the order in which they are sent. */
#ifndef ASHI_PROGRAM_H
#define ASHI_PROGRAM_H

#include "schedule/schedule.h"
#include "schedule/tile_line.h"
#include "schedule/tile_problem.h"

enum { ASHI_INDICES_MAX = 6, ASHI_READS_MAX = 4, ASHI_PRODUCT_INDICES = 4 };

typedef enum ashi_memory {
    ASHI_MEMORY_CALLER, /* the caller's array */
    ASHI_MEMORY_POOL,   /* the rank's workspace */
    ASHI_MEMORY_FILE
} ashi_memory;

/* What a panel has of its box. `HERE` is what BLAS can read in the rank's own array, in intervals of at least
 * ashi_view_least_in_place: op(A) and op(B) only. */
typedef enum ashi_content {
    ASHI_CONTENT_ALL,
    ASHI_CONTENT_SHARE, /* what `owner` owns, or `chunk` of it, as a piece (layout/view.h) */
    ASHI_CONTENT_HERE,
    ASHI_CONTENT_AWAY,  /* all except HERE */
    ASHI_CONTENT_REST   /* what the rank owns, except HERE */
} ashi_content;

typedef struct ashi_panel {
    int64_t id;                   /* from 0 on each rank, in program order */
    int64_t within;               /* the panel of which it is a part: a share of the same box, or all of a box inside
                                     it, but no mixture of both; -1 none */
    ashlar_operand operand;
    ashi_memory memory;
    ashi_content content;
    int64_t owner;                /* SHARE */
    ashi_chunk chunk;
    int indices;                  /* at least 2 */
    int64_t lo[ASHI_INDICES_MAX], hi[ASHI_INDICES_MAX]; /* positions; in a file indices */
    signed char order[ASHI_INDICES_MAX]; /* the box's indices, the contiguous one first; a file has its own order */
    int64_t words;                /* that it has, once */
    int64_t copies;               /* ranks whose contributions it holds, one after the other; 1 for most */
    int64_t part;                 /* a running sum: panels of one part fill one box; else -1 */
    bool given;                   /* in a file: there before the program begins */
    bool fixed;                   /* in the pool, within no other: it begins at word `at`, which is free by then if the
                                     program runs with its own look-ahead; of running sums of one part the first begins
                                     there. Else, and with another look-ahead, the passes find a place */
    int64_t at;
    bool unread;                  /* in the pool, within no other: no operation reads it, so that its memory is free
                                     when the one that makes it ends */
} ashi_panel;

typedef enum ashi_operation_kind {
    ASHI_DO_MOVE,
    ASHI_DO_SEND,
    ASHI_DO_RECEIVE,
    ASHI_DO_MULTICAST,
    ASHI_DO_REDUCE,
    ASHI_DO_MULTIPLY,
    ASHI_DO_ADD,
    ASHI_DO_SCALE
} ashi_operation_kind;

typedef struct ashi_operation {
    ashi_operation_kind kind;
    int64_t step;
    int64_t read[ASHI_READS_MAX]; /* panels, -1 for none. MULTIPLY: [0] and [1] have the words of A, [2] and [3] of B */
    bool last[ASHI_READS_MAX];    /* nothing reads that panel after this operation */
    int64_t makes;                /* the panel that it makes or updates, -1 none */
    bool begins;                  /* MULTIPLY, ADD, SCALE; messages of C: see above */
    int64_t lo[ASHI_PRODUCT_INDICES], hi[ASHI_PRODUCT_INDICES]; /* MULTIPLY: of m, n, k and the batch */
    int64_t peer;                 /* SEND, RECEIVE */
    ashlar_operand operand;       /* messages: what is sent, */
    ashi_box box;                 /* of which box */
    ashi_chunk chunk;
    int64_t words;                /* and how much. MULTIPLY of tiles: the multiply-adds of the products that the tiles
                                     of A and B which it reads allow; of boxes 0, as the box says it; if it is `joined`
                                     the words of its thin products, see ashi_thin_words */
    bool joined;                  /* MULTIPLY of a brief program: several products, whose multiply-adds are hi[0] */
    int64_t owner;                /* MULTICAST, REDUCE */
    const int *member;            /* of a MULTICAST the ranks that need it, of a REDUCE those that contribute; valid
                                     during the visit */
    int64_t members;
    int64_t owner_at, rank_at;    /* where the owner and this rank are among the members; -1 if they are none */
} ashi_operation;

/* The words of the largest face of a product of these sides, or a part of them if its shortest side is not much below
 * the one with which BLAS has its full rate: a thin product goes through that face for little arithmetic. 0 for thick
 * products. Source: measured, see "What a round costs" in docs/PERFORMANCE.md. */
static inline int64_t ashi_thin_words(int64_t m, int64_t n, int64_t k)
{
    enum { THICK = 64 };
    const int64_t shortest = m < n ? (m < k ? m : k) : (n < k ? n : k);
    if (shortest < 1 || shortest >= THICK)
        return 0;
    return (int64_t)((double)m * (double)n * (double)k / (double)shortest * (double)(THICK - shortest) / THICK);
}

/* A panel is visited before the first operation that names it. */
typedef struct ashi_program_visitor {
    ashlar_status (*panel)(void *context, const ashi_panel *panel, ashlar_error *err);
    ashlar_status (*operation)(void *context, const ashi_operation *operation, ashlar_error *err);
    void *context;
} ashi_program_visitor;

/* Ignores all, for steps that are only gone through. */
extern const ashi_program_visitor ashi_program_ignored;

typedef struct ashi_program ashi_program;

struct ashi_program {
    int64_t m, n, k, ranks, steps;
    int64_t look_ahead;      /* with which it is to run (schedule/ready.h): that for which panels are `fixed` */
    const ashi_view *view;   /* of op(A), op(B), C, for operands in the caller's arrays; not owned */
    ashi_memory source[3];   /* CALLER or FILE, of A, B and C */
    ashi_stays stays;
    bool adds;               /* C in a file: what is there is multiplied by beta and added */
    bool replicated;         /* C in a file: every rank has all of it, in a file of its own */
    bool brings_more;        /* panels may come from other ranks or from files that nothing reads, and say so: blocks of
                                parts without rows or columns, and what a paper's loops read */
    bool tree, one_sided;    /* how groups are lowered (schedule/lower.h) */
    bool brief;              /* it is only counted: no panel needs to be `fixed`, and the REDUCEs by which a rank
                                contributes to others' C in a step may be one, without an owner: its words and members
                                are all their words and messages, and a MOVE before it packs what any of them packs.
                                So may the MULTICASTs of a panel's pieces: then a MOVE after it unpacks all that does
                                not land */
    ashi_torus torus;
    const ashi_tile_problem *tiles; /* a program of tiles, whose panels are intervals of lines; NULL: of boxes */
    void *own;
    /* Steps of a rank are asked for in order, from 0; another order costs the steps before again. */
    ashlar_status (*emit)(ashi_program *program, int64_t rank, int64_t step, const ashi_program_visitor *visitor,
                          ashlar_error *err);
    /* Words of a rank's pool if the program runs with its own look-ahead: up to the end of the panel that reaches
     * furthest. NULL if the engine fixes no places, so that only the passes find that. */
    ashlar_status (*pool)(ashi_program *program, int64_t rank, int64_t *words, ashlar_error *err);
    /* The lines of a rank (schedule/tile_line.h), of A, B and C: valid until those of another rank, or its steps, are
     * asked for. NULL if the program is not of tiles. */
    ashlar_status (*lines)(ashi_program *program, int64_t rank, const ashi_tile_line **line, ashlar_error *err);
    void (*free_own)(ashi_program *program);
};

const char *ashi_operation_name(ashi_operation_kind kind);

/* Whether A, B or C is in a file. */
bool ashi_program_has_files(const ashi_program *program);

/* The box of a panel of two indices. */
ashi_box ashi_panel_box(const ashi_panel *panel);

/* A panel of two indices in the pool, minor side contiguous, with all of its box. It has no id and is within none. */
ashi_panel ashi_panel_of(ashlar_operand operand, const ashi_box *box);

/* Words of memory that a panel takes. One that has not all of its box has a place for each word of it all the same, if
 * that is where it is multiplied. False if they are more than 2^63 - 1. */
bool ashi_panel_room(const ashi_panel *panel, int64_t *words);

/* A rank's own piece of a box, in its array. */
ashi_panel ashi_panel_own(const ashi_view *view, ashlar_operand operand, int64_t rank, const ashi_box *box,
                          ashi_chunk chunk);

/* A message of an operation. */
typedef struct ashi_message {
    bool send;         /* else it is received */
    int64_t peer;
    bool ready;        /* for a send: nothing of the same operation need be received first; else the same share */
    int64_t before;    /* for a send: messages of the same operation that go before it, one after the other */
    int64_t place;     /* REDUCE: which contribution it is at the receiver, counted from 0 */
    int share;         /* MULTICAST: which part of the piece it is, counted from 0 */
    int64_t words;
    int64_t offset;    /* MULTICAST: where in the piece the share begins */
} ashi_message;

typedef ashlar_status (*ashi_message_visit)(void *context, const ashi_operation *operation,
                                            const ashi_message *message, ashlar_error *err);

/* Visit the messages of a rank in one operation, receives first: of MULTICAST and REDUCE those that they are lowered
 * to (schedule/lower.c), of SEND and RECEIVE the one that they are; others have none. */
ashlar_status ashi_program_messages(const ashi_program *program, int64_t rank, const ashi_operation *operation,
                                    ashi_message_visit visit, void *context, ashlar_error *err);

/* How many messages a rank sends and receives in one operation, and the words of all of them. Quicker than visits. */
typedef struct ashi_program_traffic {
    int64_t sends, receives, sent, received;
} ashi_program_traffic;

ashi_program_traffic ashi_program_count(const ashi_program *program, int64_t rank, const ashi_operation *operation);

/* How many contributions of a REDUCE arrive at a rank. */
int64_t ashi_program_contributions(const ashi_program *program, int64_t rank, const ashi_operation *operation);

/* Emit all steps of a rank. */
ashlar_status ashi_program_walk(ashi_program *program, int64_t rank, const ashi_program_visitor *visitor,
                                ashlar_error *err);

void ashi_program_free(ashi_program *program);

/* The program of a schedule, which outlives it. */
ashlar_status ashi_program_of(ashi_schedule *schedule, ashi_program *out, ashlar_error *err);

#endif
