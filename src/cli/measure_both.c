/* Measuring how far messages stand still while the ranks at their ends multiply. */
#include "cli/measure_trial.h"

#include "base/error.h"
#include "exec/mpi.h"
#include "kernel/kernels.h"
#include "model/rates.h"

#include <math.h>
#include <stdlib.h>

/* A message is made at most this many times longer, to last as long as a slab. */
enum { LONGER_MOST = 8 };

_Static_assert(ASHI_RATED_SIDE % ASHI_PLAYER_CUT_DEPTH == 0, "the slabs are alike");

/* A product slab after slab of k; after each the messages are asked to go on. That is what the player does. */
static ashlar_status product_and_messages(ashi_trial *t, ashlar_error *err)
{
    const ashi_kernels *kernels = ashi_kernels_of(ASHLAR_TYPE_D);
    const int depth = ASHI_PLAYER_CUT_DEPTH, bytes = t->partner >= 0 ? t->message_bytes : 0;
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    ashlar_status status = ASHLAR_OK;
    int done = 0;
    if (bytes > 0) {
        status = ashi_mpi(MPI_Irecv(t->to, bytes, MPI_BYTE, t->partner, 0, t->context->comm, &request[0]), "MPI_Irecv",
                          err);
        const int code = MPI_Isend(t->from, bytes, MPI_BYTE, t->partner, 0, t->context->comm, &request[1]);
        if (status == ASHLAR_OK)
            status = ashi_mpi(code, "MPI_Isend", err);
    }
    for (int64_t i = 0; i < t->slabs && status == ASHLAR_OK; i++) {
        const int64_t k = i * depth % ASHI_RATED_SIDE;
        const ashi_matrix a = {t->product[0] + k * ASHI_RATED_SIDE, 1, ASHI_RATED_SIDE};
        const ashi_matrix b = {t->product[1] + k * ASHI_RATED_SIDE, 1, ASHI_RATED_SIDE};
        kernels->gemm(ASHI_RATED_SIDE, ASHI_RATED_SIDE, depth, kernels->one, &a, false, &b, false,
                      k == 0 ? kernels->zero : kernels->one, t->product[2], 1, ASHI_RATED_SIDE);
        status = ashi_mpi(MPI_Testall(2, request, &done, MPI_STATUSES_IGNORE), "MPI_Testall", err);
    }
    const int code = MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    return status == ASHLAR_OK ? ashi_mpi(code, "MPI_Waitall", err) : status;
}

/* Seconds of products alone, of messages alone, or of both. */
static ashlar_status time_both(ashi_trial *t, int64_t slabs, int bytes, double budget, double *out, ashlar_error *err)
{
    ashi_measurement found = {0};
    t->slabs = slabs;
    t->message_bytes = bytes;
    const ashlar_status status = ashi_trial_repeat(t, budget, &found, err);
    *out = found.value;
    return status;
}

/* A message is to last at least as long as a slab, and slabs a little less: if all goes on side by side both take
 * as long as the message, and if a message stands still meanwhile, as long as one after the other. */
static ashlar_status compare_both(ashi_trial *t, double budget, double *part, ashlar_error *err)
{
    double product = 0, message = 0, both = 0;
    ashlar_status status = time_both(t, 1, 0, budget / 5, &product, err);
    if (status == ASHLAR_OK)
        status = time_both(t, 0, ASHI_TRIAL_MESSAGE, budget / 5, &message, err);
    const int bytes = ASHI_TRIAL_MESSAGE * (int)fmin(fmax(ceil(product / message), 1), LONGER_MOST);
    if (status == ASHLAR_OK)
        status = time_both(t, 0, bytes, budget / 5, &message, err);
    const int64_t slabs = (int64_t)fmin(fmax(floor(message / product), 1), 1000);
    if (status == ASHLAR_OK)
        status = time_both(t, slabs, 0, budget / 5, &product, err);
    if (status == ASHLAR_OK)
        status = time_both(t, slabs, bytes, budget / 5, &both, err);
    *part = status == ASHLAR_OK ? fmin(fmax((both - message) / product, 0), 1) : 0;
    return status;
}

ashlar_status ashi_measure_message_work(const ashlar_context *context, double seconds, const char *folder,
                                        ashi_measurement *out, ashlar_error *err)
{
    const int64_t count = (int64_t)ASHI_RATED_SIDE * ASHI_RATED_SIDE;
    ashi_trial t = {.context = context, .once = product_and_messages, .times = 1, .partner = ashi_partner_of(context)};
    (void)folder;
    *out = (ashi_measurement){0};
    if (context->ranks == 1)
        return ASHLAR_OK;
    ashlar_status status = ashi_trial_matrices(&t, (const int64_t[3]){count, count, count}, err);
    t.from = ashi_touched(LONGER_MOST * ASHI_TRIAL_MESSAGE);
    t.to = ashi_touched(LONGER_MOST * ASHI_TRIAL_MESSAGE);
    if (status == ASHLAR_OK && (!t.from || !t.to))
        status = ashi_fail_memory(err, "calibrate", 2 * LONGER_MOST * (int64_t)ASHI_TRIAL_MESSAGE);
    status = ashi_agree(context, status, err);
    if (status == ASHLAR_OK)
        status = compare_both(&t, seconds, &out->value, err);
    out->low = out->high = out->value;
    out->repetitions = 1;
    free(t.from);
    free(t.to);
    ashi_trial_free_matrices(&t);
    return status;
}
