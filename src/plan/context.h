/* A communicator of Ashlar's own, and agreement over it. */
#ifndef ASHI_CONTEXT_H
#define ASHI_CONTEXT_H

#include "exec/trace.h"
#include "kernel/workers.h"
#include "model/torus.h"

#include <ashlar/plan.h>

/* Numbers of which all ranks find the greatest or the sum in one reduction, with their statuses. */
enum { ASHI_GREATEST_MOST = 12 * 13, ASHI_SUMMED_MOST = 12 * 5 };

typedef struct ashi_figures {
    int64_t status; /* for the functions below */
    int64_t greatest[ASHI_GREATEST_MOST], sum[ASHI_SUMMED_MOST];
} ashi_figures;

struct ashlar_context {
    MPI_Comm comm;
    int rank, ranks, tag_most; /* tag_most: the largest tag */
    int node_ranks;        /* of this node */
    int cores;             /* that this process may run on */
    int *node_of;          /* the node that each rank is on, counted from 0 */
    double ranks_per_core; /* of the node on which ranks must share most */
    int threads_most;      /* that do small tasks on this rank: 1 if the program has promised MPI to have one thread */
    int threads_wanted;    /* of this rank, and of the BLAS; 0: as many as the program has set */
    struct ashi_context_device *device; /* NULL: none was asked for on this rank */
    bool device_is_lent;   /* it belongs to another context, which outlives this one */
    bool has_devices;      /* plans that are made now have a device on some rank */
    int64_t device_host_bytes; /* of the host, the most that a rank's device holds for copies and results; the same on
                              all ranks */
    bool had_devices;      /* or a plan before had: what an execution is given may be in its memory */
    bool c_is_new;         /* plans that are made now are executed with beta = 0 only */
    ashi_workers *workers; /* of these threads all but the calling one; plans start them. NULL: none */
    ashi_torus torus;      /* of a communicator that has a Cartesian topology, periodic in all dimensions */
    MPI_Datatype figures;  /* an ashi_figures, and how two are joined: MPI_DATATYPE_NULL, MPI_OP_NULL until made */
    MPI_Op join;
    MPI_Comm kept_on;      /* the caller's communicator that it goes with, or MPI_COMM_NULL */
    ashlar_context *next;  /* that was kept after this one */
    ashlar_error *missed;  /* &kept: noted also by those who may not change the context otherwise */
    ashlar_error kept;     /* a failure of MPI that the other ranks have still to learn of; status ASHLAR_OK: none */
    ashi_trace *trace;     /* of all executions, between ashlar_context_trace_begin and its end; else NULL */
    struct ashi_recording *recording; /* that the trace is of, or NULL */
    void (*on_free)(void *user); /* called before the context is freed, or NULL */
    void *on_free_user;
    ashlar_error tiles_failure; /* of a device that multiplied tiles, as ashlar_tiles_device has told of it */
    bool checks_products;  /* contractions in files are products of matrices, each of which can be checked */
    int64_t *refused;      /* &enough: noted also by those who may not change the context otherwise. A team's is its
                              parent's: what a team is refused is asked of the parent, and a team's `enough` stays 0 */
    int64_t enough;        /* memory_words that would do for the last plan or mover, if it was refused with
                              ASHLAR_ERR_LIMIT and they are known; else 0 */
};

/* Threads of this rank that do small tasks side by side, as a plan made now has them: as many as
 * ashlar_context_set_threads said, else as the BLAS has, and no more than there are cores for. 1: none but the calling
 * one. */
int ashi_context_threads(const ashlar_context *context);

/* Threads that a product on all of them asks the BLAS for; 0: as many as the program has set. */
int ashi_context_blas_threads(const ashlar_context *context);

/* The torus that a machine names, else that of the communicator; without dimensions there is none. */
ashi_torus ashi_context_torus(const ashlar_context *context, const ashlar_machine *machine);

/* A context of the ranks that give the same number, in their order. It works with the threads of the other, and what
 * fails in it is noted there. Collective over the other; the same on all ranks. */
ashlar_status ashi_context_team(ashlar_context *context, int number, ashlar_context **out, ashlar_error *err);

/* Plans over `to`, of ranks that are in `from`, have the devices of `from`, which outlives it, and are executed with
 * beta = 0 only if those of `from` are. Local. */
void ashi_context_lend_device(const ashlar_context *from, ashlar_context *to);

/* Free it, and set the pointer to NULL. NULL, and a pointer to NULL, do nothing. Collective over the team. */
void ashi_context_team_free(ashlar_context **team);

/* The context that is kept on a communicator, or NULL. Local, and asks nothing of MPI. */
ashlar_context *ashi_context_kept(MPI_Comm comm);

/* Wrong arguments are wrong on all ranks; `who` is the call. Local: what cannot be asked is noted. */
ashlar_status ashi_context_check(ashlar_context *context, MPI_Comm comm, const char *who, ashlar_error *err);

/* A collective call of MPI may fail on one rank alone. If that rank left, the others would wait for it in the next one.
 * So it makes all the calls that they make: a failure is noted, and it is that rank's status in the next agreement.
 *
 * A call that makes an object ends with an agreement, too. A failure in that one stays noted, and the next collective
 * call over the context says it: the object is there on all ranks, which have to free it together. */

/* Note a failure, unless code is MPI_SUCCESS. */
void ashi_note(const ashlar_context *context, int code, const char *call);

/* Note the memory_words that would do for a plan or mover that is refused with ASHLAR_ERR_LIMIT, 0 if they are not
 * known: on all ranks, or before they agree on the refusal. */
void ashi_refuse(const ashlar_context *context, int64_t memory_words);

/* All leave with the worst status and the text of the lowest rank that has it, and with ASHLAR_ERR_LIMIT with what that
 * rank has noted to be enough. Collective. Where MPI fails in the agreement itself, that is noted. */
ashlar_status ashi_agree(const ashlar_context *context, ashlar_status mine, ashlar_error *err);

/* Like ashi_agree, and the text names the rank if only some have failed: for what ranks may see differently. */
ashlar_status ashi_agree_named(const ashlar_context *context, ashlar_status mine, ashlar_error *err);

/* The last agreement of a call that makes nothing: what is noted in it is this rank's own status. Collective. */
ashlar_status ashi_conclude(const ashlar_context *context, ashlar_status mine, ashlar_error *err);

/* The same, and of all ranks' figures the greatest and the sums. Every reduction of figures is alike, so that a rank
 * that has failed meets the others in theirs without having come to where they are. Unspecified if this fails. */
ashlar_status ashi_agree_figures(const ashlar_context *context, ashlar_status mine, ashi_figures *figures,
                                 ashlar_error *err);

/* The same for figures by which ranks decide on their own what they do next: with one agreement more, so that no rank
 * goes on with figures of its own if the reduction failed. */
ashlar_status ashi_agree_figures_first(const ashlar_context *context, ashlar_status mine, ashi_figures *figures,
                                       ashlar_error *err);

/* A value that must be the same on all ranks, and its name in the error. */
typedef struct ashi_shared {
    const char *name;
    int64_t value;
} ashi_shared;

enum { ASHI_SHARED_MOST = 40 };

/* Both in one reduction: the statuses as ashi_agree, and if they are all ASHLAR_OK the values as ashi_same. The values
 * of a rank that has failed do not matter. Collective; count <= ASHI_SHARED_MOST is the same on all ranks. */
ashlar_status ashi_agree_same(const ashlar_context *context, ashlar_status mine, const char *who,
                              const ashi_shared *values, int count, ashlar_error *err);

/* ASHLAR_ERR_ARG on all ranks, naming the first value that differs. Collective; count <= ASHI_SHARED_MOST. */
ashlar_status ashi_same(const ashlar_context *context, const char *who, const ashi_shared *values, int count,
                        ashlar_error *err);

#endif
