/* Measuring messages and copies. */
#include "cli/measure_trial.h"
#include "cli/partners.h"

#include "base/error.h"
#include "exec/mpi.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROUND_TRIPS = 200,    /* in one repetition, since one alone is shorter than the clock's ticks */
    COPY_BYTES = 32 << 20 /* large against a core's share of the caches */
};

static ashlar_status round_trips(ashi_trial *t, ashlar_error *err)
{
    const MPI_Comm comm = t->context->comm;
    const int other = t->context->ranks == 1 ? 0 : t->partner, me = t->context->rank;
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < ROUND_TRIPS && other >= 0 && status == ASHLAR_OK; i++) {
        if (other == me) {
            status = ashi_mpi(MPI_Sendrecv(NULL, 0, MPI_BYTE, me, 0, NULL, 0, MPI_BYTE, me, 0, comm, MPI_STATUS_IGNORE),
                              "MPI_Sendrecv", err);
            continue;
        }
        if (me < other)
            status = ashi_mpi(MPI_Send(NULL, 0, MPI_BYTE, other, 0, comm), "MPI_Send", err);
        if (status == ASHLAR_OK)
            status = ashi_mpi(MPI_Recv(NULL, 0, MPI_BYTE, other, 0, comm, MPI_STATUS_IGNORE), "MPI_Recv", err);
        if (status == ASHLAR_OK && me > other)
            status = ashi_mpi(MPI_Send(NULL, 0, MPI_BYTE, other, 0, comm), "MPI_Send", err);
    }
    return status;
}

ashlar_status ashi_measure_latency(const ashlar_context *context, double seconds, const char *folder,
                                   ashi_measurement *out, ashlar_error *err)
{
    const int messages = context->ranks > 1 ? 2 : 1; /* of a round trip */
    ashi_trial t = {.context = context, .once = round_trips, .times = messages * ROUND_TRIPS,
               .partner = ashi_partner_of(context)};
    (void)folder;
    return ashi_trial_repeat(&t, seconds, out, err);
}

/* The bytes of one message, if all of a rank's are as many as ASHI_TRIAL_MESSAGE together. */
static int bytes_of_each(const ashlar_context *context)
{
    return ASHI_TRIAL_MESSAGE / ashi_partners(context->ranks);
}

/* With several partners at once, as in a product. If a call fails the others are made, since partners wait for them. */
static ashlar_status exchange(ashi_trial *t, ashlar_error *err)
{
    const int ranks = t->context->ranks, rank = t->context->rank;
    const int partners = ashi_partners(ranks), bytes = bytes_of_each(t->context);
    const MPI_Comm comm = t->context->comm;
    MPI_Request request[2 * ASHI_PARTNERS_MOST];
    ashlar_error failure = {0};
    for (int i = 0; i < 2 * partners; i++)
        request[i] = MPI_REQUEST_NULL;
    for (int i = 0; i < partners; i++)
        ashi_mpi_note(&failure, MPI_Irecv(t->to + (size_t)i * (size_t)bytes, bytes, MPI_BYTE,
                                          ashi_partner_from(rank, ranks, i), 0, comm, &request[i]), "MPI_Irecv");
    for (int i = 0; i < partners; i++)
        ashi_mpi_note(&failure, MPI_Isend(t->from + (size_t)i * (size_t)bytes, bytes, MPI_BYTE,
                                          ashi_partner_to(rank, ranks, i), 0, comm, &request[partners + i]),
                      "MPI_Isend");
    ashi_mpi_note(&failure, MPI_Waitall(2 * partners, request, MPI_STATUSES_IGNORE), "MPI_Waitall");
    return ashi_mpi_noted(&failure, err);
}

static ashlar_status copy(ashi_trial *t, ashlar_error *err)
{
    (void)err;
    memcpy(t->to, t->from, (size_t)t->work);
    return ASHLAR_OK;
}

/* A trial between two pieces of memory. */
static ashlar_status with_memory(ashi_trial *t, double seconds, ashi_measurement *out, ashlar_error *err)
{
    t->from = ashi_touched((size_t)t->work);
    t->to = ashi_touched((size_t)t->work);
    ashlar_status status = ASHLAR_OK;
    if (!t->from || !t->to)
        status = ashi_fail_memory(err, "calibrate", 2 * (int64_t)t->work);
    status = ashi_agree(t->context, status, err);
    if (status == ASHLAR_OK)
        status = ashi_trial_repeat(t, seconds, out, err);
    free(t->from);
    free(t->to);
    return status;
}

ashlar_status ashi_measure_bandwidth(const ashlar_context *context, double seconds, const char *folder,
                                     ashi_measurement *out, ashlar_error *err)
{
    if (context->ranks == 1)
        return ashi_measure_copy(context, seconds, folder, out, err);
    ashi_trial t = {.context = context, .once = exchange};
    t.work = (double)bytes_of_each(context) * ashi_partners(context->ranks);
    return with_memory(&t, seconds, out, err);
}

ashlar_status ashi_measure_copy(const ashlar_context *context, double seconds, const char *folder,
                                ashi_measurement *out, ashlar_error *err)
{
    ashi_trial t = {.context = context, .once = copy, .work = COPY_BYTES};
    (void)folder;
    return with_memory(&t, seconds, out, err);
}
