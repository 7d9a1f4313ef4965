/* What the executor's files share: one execution in progress. */
#ifndef ASHI_RUN_H
#define ASHI_RUN_H

#include "exec/executor.h"
#include "exec/kernels.h"
#include "exec/tape.h"
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
    int64_t words[3]; /* acquired, by operand */
    bool joined[2];   /* the rank's own piece of A, of B, was packed in its place in the panel */
} ashi_slot;

/* An interval of k that a panel's side is multiplied over. */
typedef struct ashi_stretch {
    int64_t lo, hi;
    bool own;        /* in the rank's own part of the matrix; else in the slot's panel, `offset` from its beginning */
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
    ashi_box box;
    ashi_home home;
    ashi_block own_c; /* of the box, what is summed up in the rank's own C */
    int64_t acquired; /* words now */
    void (*progress)(void *user, int64_t done, int64_t all);
    void *user;

    /* Of the execution in progress. */
    ashi_part part[3];
    const void *alpha, *beta;
    bool multiplied;
    ashi_tally *tally;
};

/* Buffers. */
char *ashi_run_buffer(const ashi_executor *x, ashlar_operand operand, int slot);
char *ashi_run_c_buffer(const ashi_executor *x);

/* The first element of a block in this rank's own part of a matrix. */
char *ashi_run_address(const ashi_executor *x, ashlar_operand operand, const ashi_block *block);

/* Pack this rank's piece of a box of A or B, as op wants it. */
void ashi_run_pack(const ashi_executor *x, const ashi_op *op, char *to);

/* Copy the pieces of A and B that did not land where they are multiplied to their places in the slot's panels. */
void ashi_run_unpack(const ashi_executor *x, int slot);

/* Pack what this rank has summed up of an owner's chunk. */
void ashi_run_pack_sums(const ashi_executor *x, const ashi_op *op, char *to);

/* C <- C + the contributions of an ADD, beta C before the first. */
void ashi_run_add(const ashi_executor *x, const ashi_op *op);

/* A round's product. */
ashlar_status ashi_run_multiply(ashi_executor *x, const ashi_op *op, ashlar_error *err);

/* Find the stretches of a round once, so that later rounds allocate nothing. */
ashlar_status ashi_run_reserve(ashi_executor *x, const ashi_op *op, ashlar_error *err);

/* Keep a group operation in its slot; its members too where they will be asked for again. */
ashlar_status ashi_run_keep(ashi_executor *x, const ashi_op *op, ashlar_error *err);

/* Begin a group operation, and go on with it once all of it has arrived. */
ashlar_status ashi_run_begin(ashi_executor *x, const ashi_op *op, ashlar_error *err);
ashlar_status ashi_run_arrived(void *executor, int64_t item, ashlar_error *err);

#endif
