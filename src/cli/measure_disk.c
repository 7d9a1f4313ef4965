/* Measuring the disk: reading, writing, and both at once. */
#define _XOPEN_SOURCE 700 /* mkstemp */
#include "cli/measure_trial.h"

#include "base/error.h"
#include "store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_BYTES = 64 << 20, FILE_PIECE = 4 << 20 };

/* Written through to the disk. */
static ashlar_status write_file(ashi_trial *t, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t at = 0; at < FILE_BYTES && status == ASHLAR_OK; at += FILE_PIECE)
        status = ashi_file_write(t->fd, t->path, t->from, FILE_PIECE, at, err);
    if (status == ASHLAR_OK && fdatasync(t->fd) != 0)
        status = ashi_fail_errno(err, t->path, "cannot be written", errno);
    return status;
}

/* Dropped from memory, and read back from the disk. */
static ashlar_status read_file(ashi_trial *t, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    posix_fadvise(t->fd, 0, 0, POSIX_FADV_DONTNEED);
    for (int64_t at = 0; at < FILE_BYTES && status == ASHLAR_OK; at += FILE_PIECE)
        status = ashi_file_read(t->fd, t->path, t->from, FILE_PIECE, at, err);
    return status;
}

/* One thread writes a file through to the disk. */
typedef struct writer {
    ashi_trial *t;
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
static ashlar_status read_and_write(ashi_trial *t, ashlar_error *err)
{
    ashi_trial beside = *t->beside;
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
static ashlar_status open_temporary(ashi_trial *t, const char *folder, ashlar_error *err)
{
    static const char name[] = "/.ashlar-calibrate-XXXXXX";
    const size_t room = strlen(folder) + sizeof name;
    t->path = malloc(room);
    t->from = ashi_touched(FILE_PIECE);
    if (!t->path || !t->from)
        return ashi_fail_memory(err, "calibrate", FILE_PIECE);
    snprintf(t->path, room, "%s%s", folder, name);
    t->fd = mkstemp(t->path);
    if (t->fd < 0)
        return ashi_fail_errno(err, folder, "a temporary file cannot be made in it", errno);
    unlink(t->path);
    return ASHLAR_OK;
}

static void close_temporary(ashi_trial *t)
{
    if (t->fd >= 0)
        close(t->fd);
    free(t->path);
    free(t->from);
}

/* Repeat with two temporary files, of which the first has been written. */
static ashlar_status with_files(const ashlar_context *context, ashlar_status (*once)(ashi_trial *t, ashlar_error *err),
                                double bytes, double seconds, const char *folder, ashi_measurement *out,
                                ashlar_error *err)
{
    ashi_trial beside = {.context = context, .fd = -1};
    ashi_trial t = {.context = context, .once = once, .work = bytes, .fd = -1, .beside = &beside};
    ashlar_status status = open_temporary(&t, folder, err);
    if (status == ASHLAR_OK)
        status = open_temporary(&beside, folder, err);
    if (status == ASHLAR_OK)
        status = write_file(&t, err);
    status = ashi_agree(context, status, err);
    if (status == ASHLAR_OK)
        status = ashi_trial_repeat(&t, seconds, out, err);
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
