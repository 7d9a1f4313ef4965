/* Measuring the figures of the machine: products, messages, copies, disk. */
#define _XOPEN_SOURCE 700 /* mkstemp */
#include "cli/measure.h"

#include "base/checked.h"
#include "base/error.h"
#include "exec/kernels.h"
#include "exec/mpi.h"
#include "store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LEAST_REPETITIONS = 5,
    MOST_REPETITIONS = 1000,
    MOST_TURNS = 250,
    PRODUCT_SIDE = 768,      /* large enough for a BLAS to reach its rate: 7 ms at 128 GFlop/s */
    FORM_SIDE = 512,         /* with a shorter side or k the forms hardly differ */
    FORM_K = 4096,
    ROUND_TRIPS = 200,       /* in one repetition, since one alone is shorter than the clock's ticks */
    MESSAGE_BYTES = 4 << 20, /* large against the latency of any network */
    COPY_BYTES = 32 << 20,   /* large against a core's share of the caches */
    FILE_BYTES = 64 << 20,
    FILE_PIECE = 4 << 20
};

/* One repetition on this rank. Fails alone; the others are told. */
typedef struct trial {
    const ashlar_context *context;
    ashlar_status (*once)(struct trial *trial, ashlar_error *err);
    double work;         /* flops or bytes; 0 where the seconds are the figure */
    double *product[3];
    int form;
    char *from, *to;     /* memory */
    int partner, fd;     /* -1 for none */
    char *path;
} trial;

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void median(double *value, int n, ashi_measurement *out)
{
    qsort(value, (size_t)n, sizeof *value, by_value);
    const double middle = n % 2 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
    *out = (ashi_measurement){middle, value[0], value[n - 1], n};
}

/* Start together, and take the slowest rank's time. */
static ashlar_status repeat_once(trial *t, double *seconds, ashlar_error *err)
{
    ashlar_status status = ashi_mpi(MPI_Barrier(t->context->comm), "MPI_Barrier", err);
    const double start = MPI_Wtime();
    if (status == ASHLAR_OK)
        status = t->once(t, err);
    double own = MPI_Wtime() - start;
    status = ashi_agree(t->context, status, err);
    if (status != ASHLAR_OK)
        return status;
    return ashi_mpi(MPI_Allreduce(&own, seconds, 1, MPI_DOUBLE, MPI_MAX, t->context->comm), "MPI_Allreduce", err);
}

static double value_of(const trial *t, double seconds)
{
    seconds = seconds > 1e-9 ? seconds : 1e-9;
    return t->work > 0 ? t->work / seconds : seconds / ROUND_TRIPS;
}

/* Repeat until the time is over; the first repetition warms caches and connections and does not count. The seconds that
 * end it are the same on all ranks, so all stop together. */
static ashlar_status repeat(trial *t, double budget, ashi_measurement *out, ashlar_error *err)
{
    double value[MOST_REPETITIONS], spent = 0, seconds = 0;
    int n = 0;
    ashlar_status status = repeat_once(t, &seconds, err);
    while (status == ASHLAR_OK && n < MOST_REPETITIONS && (n < LEAST_REPETITIONS || spent < budget)) {
        status = repeat_once(t, &seconds, err);
        spent += seconds;
        value[n++] = value_of(t, seconds);
    }
    if (status == ASHLAR_OK)
        median(value, n, out);
    return status;
}

/* Memory that has been written to, so that no page is missing when it is timed. */
static char *touched(size_t bytes)
{
    char *memory = malloc(bytes);
    if (memory)
        memset(memory, 1, bytes);
    return memory;
}

/* The rank in the other half of the ranks: on another node, where each has its ranks together. */
static int partner_of(const ashlar_context *context)
{
    const int half = context->ranks / 2;
    if (context->ranks == 1 || context->rank >= 2 * half)
        return -1;
    return context->rank < half ? context->rank + half : context->rank - half;
}

/* ---- products ---- */

static ashlar_status product_once(trial *t, ashlar_error *err)
{
    const ashi_kernels *kernels = ashi_kernels_of(ASHLAR_TYPE_D);
    const ashi_matrix a = {t->product[0], 1, PRODUCT_SIDE}, b = {t->product[1], 1, PRODUCT_SIDE};
    (void)err;
    kernels->gemm(PRODUCT_SIDE, PRODUCT_SIDE, PRODUCT_SIDE, kernels->one, &a, false, &b, false, kernels->zero,
                  t->product[2], 1, PRODUCT_SIDE);
    return ASHLAR_OK;
}

/* The matrices of a product of the trial, of small numbers. */
static ashlar_status make_matrices(trial *t, const int64_t count[3], ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3; x++) {
        t->product[x] = malloc((size_t)count[x] * sizeof(double));
        if (!t->product[x])
            status = ashi_fail_memory(err, "calibrate", count[x] * (int64_t)sizeof(double));
        for (int64_t i = 0; t->product[x] && i < count[x]; i++)
            t->product[x][i] = (double)(i % 7) - 3;
    }
    return ashi_agree(t->context, status, err);
}

static void free_matrices(trial *t)
{
    for (int x = 0; x < 3; x++)
        free(t->product[x]);
}

ashlar_status ashi_measure_flops(const ashlar_context *context, double seconds, const char *folder,
                                 ashi_measurement *out, ashlar_error *err)
{
    const int64_t count = (int64_t)PRODUCT_SIDE * PRODUCT_SIDE;
    trial t = {.context = context, .once = product_once, .work = 2.0 * (double)count * PRODUCT_SIDE};
    (void)folder;
    ashlar_status status = make_matrices(&t, (const int64_t[3]){count, count, count}, err);
    if (status == ASHLAR_OK)
        status = repeat(&t, seconds, out, err);
    free_matrices(&t);
    return status;
}

/* The kernel takes op(A) with m minor and op(B) with n minor: a matrix that BLAS transposes has the other side, k or n,
 * contiguous. */
static ashlar_status form_once(trial *t, ashlar_error *err)
{
    const ashi_kernels *kernels = ashi_kernels_of(ASHLAR_TYPE_D);
    const bool a_turned = t->form == ashi_form_of(true, false) || t->form == ashi_form_of(true, true);
    const bool b_turned = t->form == ashi_form_of(false, true) || t->form == ashi_form_of(true, true);
    const ashi_matrix a = {t->product[0], a_turned ? FORM_K : 1, a_turned ? 1 : FORM_SIDE};
    const ashi_matrix b = {t->product[1], b_turned ? 1 : FORM_K, b_turned ? FORM_SIDE : 1};
    (void)err;
    kernels->gemm(FORM_SIDE, FORM_SIDE, FORM_K, kernels->one, &a, false, &b, false, kernels->zero, t->product[2], 1,
                  FORM_SIDE);
    return ASHLAR_OK;
}

/* Each form once in every turn; a product before that warms up. One turn is the least, since it takes long. */
static ashlar_status repeat_forms(trial *t, double budget, ashi_measurement *out, ashlar_error *err)
{
    double value[ASHI_FORMS][MOST_TURNS], spent = 0, seconds = 0;
    int n = 0;
    ashlar_status status = repeat_once(t, &seconds, err);
    for (; status == ASHLAR_OK && n < MOST_TURNS && (n < 1 || spent < budget); n++)
        for (t->form = 0; t->form < ASHI_FORMS && status == ASHLAR_OK; t->form++) {
            status = repeat_once(t, &seconds, err);
            spent += seconds;
            value[t->form][n] = value_of(t, seconds);
        }
    for (int f = 0; f < ASHI_FORMS && status == ASHLAR_OK; f++)
        median(value[f], n, &out[f]);
    return status;
}

ashlar_status ashi_measure_forms(const ashlar_context *context, double seconds, ashi_measurement *out,
                                 ashlar_error *err)
{
    const int64_t long_side = (int64_t)FORM_SIDE * FORM_K, square = (int64_t)FORM_SIDE * FORM_SIDE;
    trial t = {.context = context, .once = form_once, .work = 2.0 * (double)long_side * FORM_SIDE};
    ashlar_status status = make_matrices(&t, (const int64_t[3]){long_side, long_side, square}, err);
    if (status == ASHLAR_OK)
        status = repeat_forms(&t, seconds, out, err);
    free_matrices(&t);
    return status;
}

/* ---- messages ---- */

static ashlar_status round_trips(trial *t, ashlar_error *err)
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
    trial t = {.context = context, .once = round_trips, .partner = partner_of(context)};
    (void)folder;
    const ashlar_status status = repeat(&t, seconds, out, err);
    if (status == ASHLAR_OK && context->ranks > 1) { /* a round trip is two messages */
        out->value /= 2;
        out->low /= 2;
        out->high /= 2;
    }
    return status;
}

static ashlar_status exchange(trial *t, ashlar_error *err)
{
    if (t->partner < 0)
        return ASHLAR_OK;
    return ashi_mpi(MPI_Sendrecv(t->from, MESSAGE_BYTES, MPI_BYTE, t->partner, 0, t->to, MESSAGE_BYTES, MPI_BYTE,
                                 t->partner, 0, t->context->comm, MPI_STATUS_IGNORE), "MPI_Sendrecv", err);
}

static ashlar_status copy(trial *t, ashlar_error *err)
{
    (void)err;
    memcpy(t->to, t->from, (size_t)t->work);
    return ASHLAR_OK;
}

/* A trial between two pieces of memory. */
static ashlar_status with_memory(trial *t, double seconds, ashi_measurement *out, ashlar_error *err)
{
    t->from = touched((size_t)t->work);
    t->to = touched((size_t)t->work);
    ashlar_status status = ASHLAR_OK;
    if (!t->from || !t->to)
        status = ashi_fail_memory(err, "calibrate", 2 * (int64_t)t->work);
    status = ashi_agree(t->context, status, err);
    if (status == ASHLAR_OK)
        status = repeat(t, seconds, out, err);
    free(t->from);
    free(t->to);
    return status;
}

ashlar_status ashi_measure_bandwidth(const ashlar_context *context, double seconds, const char *folder,
                                     ashi_measurement *out, ashlar_error *err)
{
    trial t = {.context = context, .once = exchange, .work = MESSAGE_BYTES, .partner = partner_of(context)};
    if (context->ranks == 1)
        return ashi_measure_copy(context, seconds, folder, out, err);
    return with_memory(&t, seconds, out, err);
}

ashlar_status ashi_measure_copy(const ashlar_context *context, double seconds, const char *folder,
                                ashi_measurement *out, ashlar_error *err)
{
    trial t = {.context = context, .once = copy, .work = COPY_BYTES};
    (void)folder;
    return with_memory(&t, seconds, out, err);
}

/* ---- disk ---- */

/* Written through to the disk, dropped from memory, and read back from the disk. */
static ashlar_status write_and_read(trial *t, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t at = 0; at < FILE_BYTES && status == ASHLAR_OK; at += FILE_PIECE)
        status = ashi_file_write(t->fd, t->path, t->from, FILE_PIECE, at, err);
    if (status == ASHLAR_OK && fdatasync(t->fd) != 0)
        status = ashi_fail_errno(err, t->path, "cannot be written", errno);
    if (status == ASHLAR_OK)
        posix_fadvise(t->fd, 0, 0, POSIX_FADV_DONTNEED);
    for (int64_t at = 0; at < FILE_BYTES && status == ASHLAR_OK; at += FILE_PIECE)
        status = ashi_file_read(t->fd, t->path, t->from, FILE_PIECE, at, err);
    return status;
}

/* A file that is gone with its last user, whatever ends the process. */
static ashlar_status open_temporary(trial *t, const char *folder, ashlar_error *err)
{
    static const char name[] = "/.ashlar-calibrate-XXXXXX";
    const size_t room = strlen(folder) + sizeof name;
    t->path = malloc(room);
    t->from = touched(FILE_PIECE);
    if (!t->path || !t->from)
        return ashi_fail_memory(err, "calibrate", FILE_PIECE);
    snprintf(t->path, room, "%s%s", folder, name);
    t->fd = mkstemp(t->path);
    if (t->fd < 0)
        return ashi_fail_errno(err, folder, "a temporary file cannot be made in it", errno);
    unlink(t->path);
    return ASHLAR_OK;
}

ashlar_status ashi_measure_disk(const ashlar_context *context, double seconds, const char *folder,
                                ashi_measurement *out, ashlar_error *err)
{
    trial t = {.context = context, .once = write_and_read, .work = 2.0 * FILE_BYTES, .fd = -1};
    ashlar_status status = ashi_agree(context, open_temporary(&t, folder, err), err);
    if (status == ASHLAR_OK)
        status = repeat(&t, seconds, out, err);
    if (t.fd >= 0)
        close(t.fd);
    free(t.path);
    free(t.from);
    return status;
}
