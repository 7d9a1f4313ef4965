/* A communicator of Ashlar's own, and agreement over it. */
#ifndef ASHI_CONTEXT_H
#define ASHI_CONTEXT_H

#include "model/torus.h"

#include <ashlar/plan.h>

struct ashlar_context {
    MPI_Comm comm;
    int rank, ranks, tag_most; /* tag_most: the largest tag */
    int node_ranks;        /* of this node */
    int *node_of;          /* the node that each rank is on, counted from 0 */
    double ranks_per_core; /* of the node on which ranks must share most */
    ashi_torus torus;      /* of a communicator that has a Cartesian topology, periodic in all dimensions */
    ashlar_error *missed;  /* &kept: noted also by those who may not change the context otherwise */
    ashlar_error kept;     /* a failure of MPI that the other ranks have still to learn of; status ASHLAR_OK: none */
};

/* A collective call of MPI may fail on one rank alone. If that rank left, the others would wait for it in the next one.
 * So it makes all the calls that they make: a failure is noted, and it is that rank's status in the next agreement.
 *
 * A call that makes an object ends with an agreement, too. A failure in that one stays noted, and the next collective
 * call over the context says it: the object is there on all ranks, which have to free it together. */

/* Note a failure, unless code is MPI_SUCCESS. */
void ashi_note(const ashlar_context *context, int code, const char *call);

/* All leave with the worst status and the text of the lowest rank that has it. Collective. Where MPI fails in the
 * agreement itself, that is noted. */
ashlar_status ashi_agree(const ashlar_context *context, ashlar_status mine, ashlar_error *err);

/* Like ashi_agree, and the text names the rank if only some have failed: for what ranks may see differently. */
ashlar_status ashi_agree_named(const ashlar_context *context, ashlar_status mine, ashlar_error *err);

/* The last agreement of a call that makes nothing: what is noted in it is this rank's own status. Collective. */
ashlar_status ashi_conclude(const ashlar_context *context, ashlar_status mine, ashlar_error *err);

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
