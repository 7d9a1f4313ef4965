/* Numbers of all ranks, brought together so that every rank adds them in the same order. */
#include "tiles/totals.h"

#include "base/error.h"

#include <stdlib.h>

ashlar_status ashi_totals_gather(const ashlar_context *context, ashlar_status mine, const double own[2], double **all,
                                 ashlar_error *err)
{
    const size_t bytes = 2 * (size_t)context->ranks * sizeof **all;
    *all = malloc(bytes);
    if (mine == ASHLAR_OK && !*all)
        mine = ashi_fail_memory(err, "the numbers of all ranks", (int64_t)bytes);
    const ashlar_status status = ashi_agree(context, mine, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_note(context, MPI_Allgather(own, 2, MPI_DOUBLE, *all, 2, MPI_DOUBLE, context->comm), "MPI_Allgather");
    return ashi_conclude(context, ASHLAR_OK, err);
}

ashlar_status ashi_totals_sum(const ashlar_context *context, double *numbers, int64_t count, double *room,
                              ashlar_error *err)
{
    ashi_note(context, MPI_Allgather(numbers, (int)count, MPI_DOUBLE, room, (int)count, MPI_DOUBLE, context->comm),
              "MPI_Allgather");
    const ashlar_status status = ashi_agree(context, ASHLAR_OK, err);
    for (int64_t i = 0; i < count && status == ASHLAR_OK; i++) {
        numbers[i] = 0;
        for (int r = 0; r < context->ranks; r++)
            numbers[i] += room[r * count + i];
    }
    return status;
}

ashlar_status ashi_totals_count(const ashlar_context *context, ashlar_status mine, int64_t *numbers, int64_t count,
                                ashlar_error *err)
{
    const ashlar_status status = ashi_agree_named(context, mine, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_note(context, MPI_Allreduce(MPI_IN_PLACE, numbers, (int)count, MPI_INT64_T, MPI_SUM, context->comm),
              "MPI_Allreduce");
    return ashi_agree(context, ASHLAR_OK, err);
}
