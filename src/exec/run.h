/* What the executor's files share: one execution in progress. */
#ifndef ASHI_RUN_H
#define ASHI_RUN_H

#include "exec/executor.h"
#include "exec/kernels.h"
#include "exec/tape.h"
#include "exec/trace.h"
#include "schedule/lower.h"

/* A group operation under way in a slot: who still has to be heard, and what is to be passed on then. */
typedef struct ashi_pending {
    ashi_op op;       /* its members are in the slot's own list */
    int64_t awaited;  /* receives */
    int64_t member_at;
} ashi_pending;

typedef struct ashi_slot {
    ashi_pending *pending;
    int64_t pendings, pending_capacity;
    int *member; /* kept for operations that pass something on */
    int64_t members, member_capacity;
    bool joined[2];   /* the rank's own piece of A, of B, was packed in its place in the panel */
} ashi_slot;

/* One of the rank's parts: its box of C, and where that is summed up. */
typedef struct ashi_sums {
    ashi_box box;
    ashi_home home;
    ashi_block own_c; /* what of the box is summed up in the rank's own C */
    int64_t at;       /* where the rest begins in the buffer of sums */
    bool begun;       /* something was multiplied into it: beta and what was there before are seen to */
} ashi_sums;

/* An interval of k that a panel's side is multiplied over. */
typedef struct ashi_stretch {
    int64_t lo, hi;
    bool own;        /* in the rank's own part of the matrix; else `offset` from the beginning of the slot's buffer */
    ashi_block from; /* its first element is at the box's first minor position and k = lo */
    bool conjugate;
} ashi_stretch;

typedef struct ashi_stretches {
    ashi_stretch *at;
    int64_t count, capacity;
    const ashi_op *of; /* the operation on the tape whose stretches these are and that copies nothing, or NULL */
} ashi_stretches;

struct ashi_executor {
    ashi_schedule *schedule;
    ashi_need need;
    MPI_Comm comm;
    int rank, tag_most;
    size_t bytes;
    const ashi_kernels *kernels;
    ashi_transport *transport;
    char *workspace;
    void *allocated; /* NULL where the workspace is the caller's or the window's */
    bool one_sided;
    ashi_slot slot[ASHI_WINDOW_MAX];
    ashi_tape tape;
    ashi_stretches stretches[2];
    ashi_sums *sums; /* by part */
    int64_t sums_count;
    void (*progress)(void *user, int64_t done, int64_t all);
    void *user;
    ashi_trace *trace; /* NULL: nothing is recorded */

    /* Of the execution in progress. */
    int64_t step;
    ashi_part part[3];
    const void *alpha, *beta;
    bool multiplying; /* the first phase, that of panels, has begun */
    ashi_tally *tally;
};

/* Record what the cores did from `begin` until now. */
static inline void ashi_run_note(const ashi_executor *x, const char *name, double begin, int64_t words)
{
    if (x->trace)
        ashi_trace_note(x->trace, ASHI_LANE_CORES, name, begin, ashi_trace_clock(), x->step, words, -1);
}

char *ashi_run_buffer(const ashi_executor *x, ashlar_operand operand, int slot);

/* The first element of a block in this rank's own part of a matrix. */
char *ashi_run_address(const ashi_executor *x, ashlar_operand operand, const ashi_block *block);

/* Copy one of the rank's own blocks of a box to its place in the panel; COPY: all of them. */
void ashi_run_copy_block(const ashi_executor *x, ashlar_operand operand, const ashi_box *box, const ashi_block *b,
                         char *panel);
void ashi_run_copy(const ashi_executor *x, const ashi_op *op);

/* Pack this rank's piece of a box of A or B, as op wants it. */
void ashi_run_pack(const ashi_executor *x, const ashi_op *op, char *to);

/* Copy the pieces of A and B that did not land where they are multiplied to their places in the slot's panels. All that
 * was pending in the slot must have arrived, and is done with. */
void ashi_run_unpack(ashi_executor *x, int slot);

/* Find out where the rank's parts are summed up. */
ashlar_status ashi_run_place_sums(ashi_executor *x, ashlar_error *err);

/* The sum at a position of a part's box that is not in the rank's own C. */
char *ashi_run_sums(const ashi_executor *x, const ashi_sums *sums, int64_t minor, int64_t major);

/* An owner's chunk of a part's sums where it lies packed. */
char *ashi_run_packed_sums(const ashi_executor *x, const ashi_op *op);

/* Pack what this rank has summed up of an owner's chunk. */
void ashi_run_pack_sums(const ashi_executor *x, const ashi_op *op, char *to);

/* C <- C + the contributions of an ADD, beta C before the first where it begins them. */
void ashi_run_add(const ashi_executor *x, const ashi_op *op);

/* A round's product. */
ashlar_status ashi_run_multiply(ashi_executor *x, const ashi_op *op, ashlar_error *err);

/* Begin sums that nothing was multiplied into. */
void ashi_run_begin_sums(const ashi_executor *x, ashi_sums *sums);

/* Find the stretches of a round once, so that later rounds allocate nothing. */
ashlar_status ashi_run_reserve(ashi_executor *x, const ashi_op *op, ashlar_error *err);

/* Keep a group operation in its slot; its members too where they will be asked for again. */
ashlar_status ashi_run_keep(ashi_executor *x, const ashi_op *op, ashlar_error *err);

/* Begin a group operation. */
ashlar_status ashi_run_begin(ashi_executor *x, const ashi_op *op, ashlar_error *err);

/* Wait for all that a slot receives; what a group operation passes on goes on as it arrives. */
ashlar_status ashi_run_arrive(ashi_executor *x, int slot, ashlar_error *err);

/* A message between two ranks. */
ashlar_status ashi_run_send(ashi_executor *x, const ashi_op *op, ashlar_error *err);
ashlar_status ashi_run_receive(ashi_executor *x, const ashi_op *op, ashlar_error *err);

#endif
