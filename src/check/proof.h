/* What the parts of the checker of programs share: the state of the reading, and what each part is asked. */
#ifndef ASHI_PROOF_H
#define ASHI_PROOF_H

#include "check/cover.h"
#include "check/list.h"
#include "check/program.h"

/* How many positions of an interval each part of a strip has, and the natural index of the first of them. */
typedef struct ashi_proof_side {
    int64_t *count, *index, *touched; /* one a part; the parts that have any */
    int64_t parts;                    /* how many are touched */
} ashi_proof_side;

/* How many words of a box, or of a chunk of each owner's piece of it, each rank owns. */
typedef struct ashi_proof_tally {
    bool known;
    ashi_box box;
    ashi_chunk chunk;
    ashi_proof_side minor, major;
    int64_t *words; /* one a rank */
    int64_t *owner; /* the ranks that have any */
    int64_t owners;
} ashi_proof_tally;

/* Partial sums that a rank hands over: to another owner, or from its buffer to its own C. */
typedef struct ashi_proof_delivery {
    int64_t part, owner, chunk, words;
} ashi_proof_delivery;

/* What there is of C on a rank if it is replicated: what is summed up of a rank's products or of several ranks', or,
 * with all of them, what a rank has for its own C. */
typedef enum ashi_proof_sum { ASHI_PROOF_NOTHING, ASHI_PROOF_PARTIAL, ASHI_PROOF_TOTAL } ashi_proof_sum;

/* A panel that may still be read. */
typedef struct ashi_proof_panel {
    ashi_panel panel;
    bool live, whole, read;
    int64_t filled;         /* words of the panels within it that have been made */
    int64_t arrival;        /* the last step of a message that brought a part of it, -1 none */
    bool begun, loaded;     /* a running sum: updated; with C from the file in it. `loaded` also of what was written */
    int64_t write;          /* in a file: which of the writes made it */
    ashi_proof_sum sum;     /* C is replicated: what it has, */
    int64_t told;           /* and to how many other ranks it was sent as a total */
    ashi_check_list within; /* ashi_proof_filled */
} ashi_proof_panel;

/* One panel within another: whose words it has, or, with owner -1, all of which box. */
typedef struct ashi_proof_filled {
    int64_t owner, panel;
    ashi_box box;
} ashi_proof_filled;

/* A box in which products are summed up, in one or several panels. */
typedef struct ashi_proof_part {
    ashi_box box;
    int64_t words, pool_words, pool_panels;
    bool kept, left; /* some of it is in the caller's C; some of it was read */
} ashi_proof_part;

/* A piece of C that an operation begins. */
typedef struct ashi_proof_begun {
    ashi_box box;
    ashi_chunk chunk;
} ashi_proof_begun;

/* One end of a message. */
typedef struct ashi_proof_message {
    int64_t from, to, number, step, words, depth;
    uint64_t digest;
    int64_t offset, place;
    int share;
    bool send, forwards;
    int64_t first, receives; /* forwards: those of the same operation that were received before */
    int64_t match;           /* a receive: the depth at which the other end sends it */
} ashi_proof_message;

typedef struct ashi_proof {
    ashi_program *program;
    ashi_check_report *report;
    ashi_proof_tally tally[3]; /* who owns how much */
    int64_t rank, step;
    int64_t operations;   /* of the step, read so far */
    ashi_check_list products, writes; /* ashi_cover_box, of all ranks; of a write that came back the rank is -1 */
    ashi_check_list messages;         /* ashi_proof_message, of all ranks */
    /* The rank that is read. */
    ashi_check_list place;  /* int64_t: where in `panel` each of the rank's panels is; GONE after its last reader */
    ashi_check_list panel;  /* ashi_proof_panel */
    ashi_check_list unused; /* int64_t: places in `panel` to be used again */
    ashi_check_list parts;  /* ashi_proof_part */
    ashi_check_list begun;  /* ashi_proof_begun */
    ashi_check_list deliveries; /* ashi_proof_delivery */
    int64_t begun_words;
    int64_t *named, naming; /* for each rank, the last group that named it as a member; this group */
} ashi_proof;

/* Say what is wrong at the present rank and step (proof.c). `o` may be NULL. Returns ASHLAR_ERR_INTERNAL. */
ashlar_status ashi_proof_fail(ashi_proof *p, const ashi_operation *o, ashlar_error *err, const char *what);

/* The words of a box, or of a chunk of its piece, that a rank owns. */
int64_t ashi_proof_owned(ashi_proof *p, ashlar_operand x, const ashi_box *box, ashi_chunk chunk, int64_t rank);

bool ashi_proof_same_box(const ashi_panel *a, const ashi_panel *b);

/* ---- who owns what (owners.c) ---- */

/* The order of each dimension: a permutation, and the same for both matrices that have the dimension. */
ashlar_status ashi_proof_places(ashi_proof *p, ashlar_error *err);

/* Allocate and free the tallies. */
ashlar_status ashi_proof_tally_init(ashi_proof *p, ashlar_error *err);
void ashi_proof_tally_free(ashi_proof *p);

/* Count a box. The result stands until the operand's next count. */
const ashi_proof_tally *ashi_proof_count(ashi_proof *p, ashlar_operand x, const ashi_box *box, ashi_chunk chunk);

/* ---- panels (panels.c) ---- */

/* A new panel: its words are those of its content. One in which products are summed up is opened as well. */
ashlar_status ashi_proof_add_panel(ashi_proof *p, const ashi_panel *panel, ashlar_error *err);

/* A panel that may be named; NULL if it is not there, or is no more. */
ashi_proof_panel *ashi_proof_find(ashi_proof *p, int64_t id);

/* A panel that an operation reads, whole; NULL, having failed, if it is not. */
ashi_proof_panel *ashi_proof_read(ashi_proof *p, const ashi_operation *o, int which, ashlar_error *err);

/* A panel that an operation makes. `arrival`: the step of the message that brings it, or brought what it is made of. */
ashlar_status ashi_proof_make(ashi_proof *p, const ashi_operation *o, int64_t arrival, ashlar_error *err);

/* A panel that is not needed any more. */
void ashi_proof_drop(ashi_proof *p, int64_t id);

/* What an operation was the last to read is gone. */
ashlar_status ashi_proof_let_go(ashi_proof *p, const ashi_operation *o, ashlar_error *err);

/* When a rank ends, every panel that was read has had its last reader, and all sums were read. */
ashlar_status ashi_proof_all_gone(ashi_proof *p, ashlar_error *err);
void ashi_proof_clear_panels(ashi_proof *p);

/* ---- messages (messages.c) ---- */

ashlar_status ashi_proof_send(ashi_proof *p, const ashi_operation *o, ashlar_error *err);
ashlar_status ashi_proof_receive(ashi_proof *p, const ashi_operation *o, ashlar_error *err);
ashlar_status ashi_proof_multicast(ashi_proof *p, const ashi_operation *o, ashlar_error *err);
ashlar_status ashi_proof_reduce(ashi_proof *p, const ashi_operation *o, ashlar_error *err);
ashlar_status ashi_proof_pairing(ashi_proof *p, ashlar_error *err);

/* ---- products and sums (sums.c) ---- */

/* A panel in which products are summed up. */
ashlar_status ashi_proof_open_sum(ashi_proof *p, const ashi_panel *panel, ashlar_error *err);

ashlar_status ashi_proof_multiply(ashi_proof *p, const ashi_operation *o, ashlar_error *err);
ashlar_status ashi_proof_add(ashi_proof *p, const ashi_operation *o, ashlar_error *err);
ashlar_status ashi_proof_scale(ashi_proof *p, const ashi_operation *o, ashlar_error *err);

/* The running sums that an operation reads, from read[first] on, leave for their owner. */
ashlar_status ashi_proof_leave(ashi_proof *p, const ashi_operation *o, int first, const ashi_panel *to,
                               ashlar_error *err);

/* A running sum is begun, or updated once more. */
ashlar_status ashi_proof_update(ashi_proof *p, const ashi_operation *o, ashi_proof_panel *sum, ashlar_error *err);

/* What a rank summed up has left, and all of its C is begun. */
ashlar_status ashi_proof_sums_end(ashi_proof *p, ashlar_error *err);

/* ---- a C that every rank has (copies.c) ---- */

/* Send and receive partial sums and totals, and add them to sums in the pool. */
ashlar_status ashi_proof_send_sum(ashi_proof *p, const ashi_operation *o, ashi_proof_panel *e, ashlar_error *err);
ashlar_status ashi_proof_receive_sum(ashi_proof *p, const ashi_operation *o, ashi_proof_panel *e, ashlar_error *err);
ashlar_status ashi_proof_add_sum(ashi_proof *p, const ashi_operation *o, ashlar_error *err);

/* What a sum has once it is written. */
ashi_proof_sum ashi_proof_sum_of(const ashi_proof *p, const ashi_proof_panel *sum);

/* A product, or partial sums, are added to a sum; nothing is checked if it is NULL. */
ashlar_status ashi_proof_add_partial(ashi_proof *p, const ashi_operation *o, ashi_proof_panel *sum, ashlar_error *err);

/* When a rank ends its C has totals only, with C0 if that is added. */
ashlar_status ashi_proof_copies_end(ashi_proof *p, ashlar_error *err);

#endif
