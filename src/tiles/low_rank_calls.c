/* Matrices of tiles are compressed, and expanded again: the public calls. */
#include "base/error.h"
#include "exec/mpi.h"
#include "tiles/alike.h"
#include "tiles/low_rank.h"

#include <ashlar/tiles_low_rank.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The losses of all ranks, joined in their order; `room` is for as many numbers. Collective. */
static ashlar_status join(const ashlar_tiles *t, double lost, double *room, double *error, ashlar_error *err)
{
    double sum = 0;
    ashi_note(t->context, MPI_Allgather(&lost, 1, MPI_DOUBLE, room, 1, MPI_DOUBLE, t->context->comm), "MPI_Allgather");
    const ashlar_status status = ashi_conclude(t->context, ASHLAR_OK, err);
    for (int r = 0; r < t->context->ranks && status == ASHLAR_OK; r++)
        sum = hypot(sum, room[r]) * (1 + 2 * DBL_EPSILON);
    if (status == ASHLAR_OK && error)
        *error = sum;
    return status;
}

/* Once tiles change no memory is asked for. */
static ashlar_status compress(ashlar_tiles *t, double tolerance, bool relative, double *error, ashlar_error *err)
{
    ashi_compressing c;
    const int64_t bytes = t->context->ranks * (int64_t)sizeof(double);
    double *const room = malloc((size_t)bytes);
    ashlar_status status = ashi_compressing_make(t, &t->held.pattern, &t->held, &c, err);
    if (status == ASHLAR_OK && !room)
        status = ashi_fail_memory(err, "the losses of all ranks", bytes);
    status = ashi_agree(t->context, status, err);
    if (status == ASHLAR_OK) {
        const double lost = ashi_compressing_run(&c, &t->held, tolerance, relative);
        ashi_tiles_count(t);
        status = join(t, lost, room, error, err);
    }
    ashi_compressing_free(&c);
    free(room);
    return status;
}

ashlar_status ashlar_tiles_compress(ashlar_tiles *tiles, double tolerance, int relative, double *error,
                                    ashlar_error *err)
{
    static const char *const who = "ashlar_tiles_compress";
    ashlar_error own = {0};
    int64_t bits = 0;
    err = err ? err : &own;
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tiles is NULL", who);
    memcpy(&bits, &tolerance, sizeof bits);
    const ashi_shared values[] = {{"the tolerance", bits}, {"relative", relative != 0}};
    ashlar_status status = tolerance >= 0 && tolerance < INFINITY
                               ? ASHLAR_OK
                               : ashi_fail(err, ASHLAR_ERR_ARG, "%s: tolerance = %g, wanted at least 0", who,
                                           tolerance);
    status = ashi_agree_same(tiles->context, status, who, values, 2, err);
    return status == ASHLAR_OK ? compress(tiles, tolerance, relative != 0, error, err) : status;
}

ashlar_status ashlar_tiles_expand(ashlar_tiles *tiles, ashlar_error *err)
{
    ashlar_error own = {0};
    ashi_held held = {0};
    err = err ? err : &own;
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_tiles_expand: tiles is NULL");
    if (tiles->all_low == 0)
        return ASHLAR_OK;
    ashlar_status status = ashi_agree(tiles->context, ashi_tiles_dense_copy(tiles, &held, err), err);
    if (status == ASHLAR_OK)
        status = ashi_tiles_settle(tiles, &held, err);
    ashi_held_free(&held);
    return status;
}
