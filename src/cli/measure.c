/* Measuring the figures of the machine: products, messages, copies, disk, tasks. */
#define _XOPEN_SOURCE 700 /* mkstemp */
#include "cli/measure.h"

#include "base/checked.h"
#include "base/error.h"
#include "engine/chains.h"
#include "exec/kernels.h"
#include "exec/mpi.h"
#include "exec/player.h"
#include "model/rates.h"
#include "store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LEAST_REPETITIONS = 5,
    MOST_REPETITIONS = 1000,
    MOST_TURNS = 250,
    PRODUCT_SIDE = ASHI_RATED_SIDE, /* large enough for a BLAS to reach its rate: 7 ms at 128 GFlop/s */
    THIN_SIDE = 2048,        /* 32 MiB of C */
    THIN_K = 8,
    FORM_SIDE = 512,         /* with a shorter side or k the forms hardly differ */
    FORM_K = 4096,
    ROUND_TRIPS = 200,       /* in one repetition, since one alone is shorter than the clock's ticks */
    MESSAGE_BYTES = 4 << 20, /* large against the latency of any network */
    MESSAGES_MOST = 8,       /* so many times that, to last as long as a product */
    COPY_BYTES = 32 << 20,   /* large against a core's share of the caches */
    FILE_BYTES = 64 << 20,
    FILE_PIECE = 4 << 20
};

/* One repetition on this rank. Fails alone; the others are told. */
typedef struct trial {
    const ashlar_context *context;
    ashlar_status (*once)(struct trial *trial, ashlar_error *err);
    double work;         /* flops or bytes; 0 if the seconds are the figure, */
    double times;        /* of what is done so often in one repetition */
    double *product[3];
    int form;
    char *from, *to;     /* memory */
    int partner, fd;     /* -1 for none */
    char *path;
    struct trial *beside; /* another file */
    ashi_player *player;
    int64_t cuts;        /* of products, beside messages of so many bytes */
    int message_bytes;
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
    return t->work > 0 ? t->work / seconds : seconds / t->times;
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

static ashlar_status thin_once(trial *t, ashlar_error *err)
{
    const ashi_kernels *kernels = ashi_kernels_of(ASHLAR_TYPE_D);
    const ashi_matrix a = {t->product[0], 1, THIN_SIDE}, b = {t->product[1], 1, THIN_SIDE};
    (void)err;
    kernels->gemm(THIN_SIDE, THIN_SIDE, THIN_K, kernels->one, &a, false, &b, false, kernels->one, t->product[2], 1,
                  THIN_SIDE);
    return ASHLAR_OK;
}

ashlar_status ashi_measure_thin(const ashlar_context *context, double seconds, const char *folder,
                                ashi_measurement *out, ashlar_error *err)
{
    const int64_t thin = (int64_t)THIN_SIDE * THIN_K, square = (int64_t)THIN_SIDE * THIN_SIDE;
    trial t = {.context = context, .once = thin_once, .times = 1};
    (void)folder;
    ashlar_status status = make_matrices(&t, (const int64_t[3]){thin, thin, square}, err);
    if (status == ASHLAR_OK)
        status = repeat(&t, seconds, out, err);
    free_matrices(&t);
    return status;
}

double ashi_thin_bandwidth(double seconds, double flops_per_second)
{
    const double flops = 2.0 * THIN_SIDE * THIN_SIDE * THIN_K, rated = 3.0 * sizeof(double) / (2.0 * PRODUCT_SIDE);
    const double bytes = sizeof(double) * (THIN_SIDE * (double)THIN_SIDE + 2.0 * THIN_SIDE * THIN_K);
    const double beside = seconds - flops / flops_per_second;
    return beside > 0 ? (bytes - flops * rated) / beside : 0;
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
    const int messages = context->ranks > 1 ? 2 : 1; /* of a round trip */
    trial t = {.context = context, .once = round_trips, .times = messages * ROUND_TRIPS,
               .partner = partner_of(context)};
    (void)folder;
    return repeat(&t, seconds, out, err);
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

/* Written through to the disk. */
static ashlar_status write_file(trial *t, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t at = 0; at < FILE_BYTES && status == ASHLAR_OK; at += FILE_PIECE)
        status = ashi_file_write(t->fd, t->path, t->from, FILE_PIECE, at, err);
    if (status == ASHLAR_OK && fdatasync(t->fd) != 0)
        status = ashi_fail_errno(err, t->path, "cannot be written", errno);
    return status;
}

/* Dropped from memory, and read back from the disk. */
static ashlar_status read_file(trial *t, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    posix_fadvise(t->fd, 0, 0, POSIX_FADV_DONTNEED);
    for (int64_t at = 0; at < FILE_BYTES && status == ASHLAR_OK; at += FILE_PIECE)
        status = ashi_file_read(t->fd, t->path, t->from, FILE_PIECE, at, err);
    return status;
}

/* One thread writes a file through to the disk. */
typedef struct writer {
    trial *t;
    ashlar_status status;
    ashlar_error err;
} writer;

static void *write_beside(void *context)
{
    writer *w = context;
    w->status = write_file(w->t, &w->err);
    return NULL;
}

/* One file is written while another is read: what the disk does of both at once. */
static ashlar_status read_and_write(trial *t, ashlar_error *err)
{
    trial beside = *t->beside;
    writer w = {.t = &beside};
    pthread_t thread;
    const int failed = pthread_create(&thread, NULL, write_beside, &w);
    if (failed)
        return ashi_fail_errno(err, t->path, "cannot be written by a thread", failed);
    const ashlar_status status = read_file(t, err);
    pthread_join(thread, NULL);
    return status == ASHLAR_OK && w.status != ASHLAR_OK ? ashi_fail(err, w.status, "%s", w.err.text) : status;
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

static void close_temporary(trial *t)
{
    if (t->fd >= 0)
        close(t->fd);
    free(t->path);
    free(t->from);
}

/* Repeat with two temporary files, of which the first has been written. */
static ashlar_status with_files(const ashlar_context *context, ashlar_status (*once)(trial *t, ashlar_error *err),
                                double bytes, double seconds, const char *folder, ashi_measurement *out,
                                ashlar_error *err)
{
    trial beside = {.context = context, .fd = -1};
    trial t = {.context = context, .once = once, .work = bytes, .fd = -1, .beside = &beside};
    ashlar_status status = open_temporary(&t, folder, err);
    if (status == ASHLAR_OK)
        status = open_temporary(&beside, folder, err);
    if (status == ASHLAR_OK)
        status = write_file(&t, err);
    status = ashi_agree(context, status, err);
    if (status == ASHLAR_OK)
        status = repeat(&t, seconds, out, err);
    close_temporary(&t);
    close_temporary(&beside);
    return status;
}

ashlar_status ashi_measure_disk(const ashlar_context *context, double seconds, const char *folder,
                                ashi_measurement *out, ashlar_error *err)
{
    return with_files(context, read_and_write, 2.0 * FILE_BYTES, seconds, folder, out, err);
}

ashlar_status ashi_measure_reading(const ashlar_context *context, double seconds, const char *folder,
                                   ashi_measurement *out, ashlar_error *err)
{
    return with_files(context, read_file, FILE_BYTES, seconds, folder, out, err);
}

ashlar_status ashi_measure_writing(const ashlar_context *context, double seconds, const char *folder,
                                   ashi_measurement *out, ashlar_error *err)
{
    return with_files(context, write_file, FILE_BYTES, seconds, folder, out, err);
}

/* ---- tasks ---- */

static ashlar_status play_once(trial *t, ashlar_error *err)
{
    static const double one = 1;
    const ashi_player_work work = {.alpha = &one, .beta = &one};
    ashi_player_tally tally;
    return ashi_player_run(t->player, &work, &tally, err);
}

/* Each rank plays by itself: a program that is kept ready, as most are. */
ashlar_status ashi_measure_task(const ashlar_context *context, double seconds, const char *folder,
                                ashi_measurement *out, ashlar_error *err)
{
    enum { STEPS = 100, WIDTH = 10 };
    trial t = {.context = context, .once = play_once, .times = STEPS * WIDTH};
    ashi_program program;
    (void)folder;
    ashlar_status status = ashi_chains_program(STEPS, WIDTH, &program, err);
    const ashi_player_request request = {.program = &program, .type = ASHLAR_TYPE_D, .comm = context->comm,
                                         .tag_most = context->tag_most, .message_most = ASHI_MESSAGE_MOST,
                                         .keeps = ASHI_PLAYER_KEEPS};
    if (status == ASHLAR_OK)
        status = ashi_player_create(&request, &t.player, err);
    status = ashi_agree(context, status, err);
    if (status == ASHLAR_OK)
        status = repeat(&t, seconds, out, err);
    ashi_player_free(&t.player);
    ashi_program_free(&program);
    return status;
}

/* ---- products and messages at once ---- */

/* Ask for messages as the player does between the cuts of a product: so many columns of C, and again. */
static ashlar_status product_and_messages(trial *t, ashlar_error *err)
{
    const ashi_kernels *kernels = ashi_kernels_of(ASHLAR_TYPE_D);
    const int columns = ASHI_PLAYER_CUT_COLUMNS, bytes = t->partner >= 0 ? t->message_bytes : 0;
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
    for (int64_t i = 0; i < t->cuts && status == ASHLAR_OK; i++) {
        const int64_t at = i * columns % PRODUCT_SIDE * PRODUCT_SIDE;
        const ashi_matrix a = {t->product[0], 1, PRODUCT_SIDE};
        const ashi_matrix b = {t->product[1] + at / PRODUCT_SIDE, 1, PRODUCT_SIDE};
        kernels->gemm(PRODUCT_SIDE, columns, PRODUCT_SIDE, kernels->one, &a, false, &b, false, kernels->zero,
                      t->product[2] + at, 1, PRODUCT_SIDE);
        status = ashi_mpi(MPI_Testall(2, request, &done, MPI_STATUSES_IGNORE), "MPI_Testall", err);
    }
    const int code = MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    return status == ASHLAR_OK ? ashi_mpi(code, "MPI_Waitall", err) : status;
}

/* Seconds of products alone, of messages alone, or of both. */
static ashlar_status time_both(trial *t, int64_t cuts, int bytes, double budget, double *out, ashlar_error *err)
{
    ashi_measurement found = {0};
    t->cuts = cuts;
    t->message_bytes = bytes;
    const ashlar_status status = repeat(t, budget, &found, err);
    *out = found.value;
    return status;
}

/* A message is to last at least as long as a product, and products a little less: if all goes on side by side both take
 * as long as the message, and if a message stands still meanwhile, as long as one after the other. */
static ashlar_status compare_both(trial *t, double budget, double *part, ashlar_error *err)
{
    double product = 0, message = 0, both = 0;
    ashlar_status status = time_both(t, 1, 0, budget / 5, &product, err);
    if (status == ASHLAR_OK)
        status = time_both(t, 0, MESSAGE_BYTES, budget / 5, &message, err);
    const int bytes = MESSAGE_BYTES * (int)fmin(fmax(ceil(product / message), 1), MESSAGES_MOST);
    if (status == ASHLAR_OK)
        status = time_both(t, 0, bytes, budget / 5, &message, err);
    const int64_t cuts = (int64_t)fmin(fmax(floor(message / product), 1), 1000);
    if (status == ASHLAR_OK)
        status = time_both(t, cuts, 0, budget / 5, &product, err);
    if (status == ASHLAR_OK)
        status = time_both(t, cuts, bytes, budget / 5, &both, err);
    *part = status == ASHLAR_OK ? fmin(fmax((both - message) / product, 0), 1) : 0;
    return status;
}

ashlar_status ashi_measure_message_work(const ashlar_context *context, double seconds, const char *folder,
                                        ashi_measurement *out, ashlar_error *err)
{
    const int64_t count = (int64_t)PRODUCT_SIDE * PRODUCT_SIDE;
    trial t = {.context = context, .once = product_and_messages, .times = 1, .partner = partner_of(context)};
    (void)folder;
    *out = (ashi_measurement){0};
    if (context->ranks == 1)
        return ASHLAR_OK;
    ashlar_status status = make_matrices(&t, (const int64_t[3]){count, count, count}, err);
    t.from = touched(MESSAGES_MOST * MESSAGE_BYTES);
    t.to = touched(MESSAGES_MOST * MESSAGE_BYTES);
    if (status == ASHLAR_OK && (!t.from || !t.to))
        status = ashi_fail_memory(err, "calibrate", 2 * MESSAGES_MOST * (int64_t)MESSAGE_BYTES);
    status = ashi_agree(context, status, err);
    if (status == ASHLAR_OK)
        status = compare_both(&t, seconds, &out->value, err);
    out->low = out->high = out->value;
    out->repetitions = 1;
    free(t.from);
    free(t.to);
    free_matrices(&t);
    return status;
}
