/* An output file that appears whole or not at all: written beside its final name, renamed when complete. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "store/output.h"

#include "base/checked.h"
#include "store/ending.h"
#include "store/file.h"
#include "store/leftover.h"
#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_BYTES (INT64_C(1) << 18)

/* A new file's, less the umask. */
#define NEW_MODE (S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH)

/* Bytes of the folder's part of a path, its last slash included. */
static size_t folder_bytes(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Settle the final name, and whether and with which permissions a file of that name exists. */
static ashlar_status examine_target(const char *path, ashi_output *out, mode_t *mode, ashlar_error *err)
{
    struct stat st;
    const bool exists = lstat(path, &st) == 0;
    if (!exists && errno != ENOENT)
        return ashi_fail_errno(err, path, "cannot be written", errno);
    const bool link = exists && S_ISLNK(st.st_mode);
    out->path = link ? realpath(path, NULL) : strdup(path);
    if (!out->path)
        return link && errno != ENOMEM ? ashi_fail_errno(err, path, "is a symbolic link that leads nowhere", errno)
                                       : ashi_fail_memory(err, "output", (int64_t)strlen(path) + 1);
    if (!exists)
        return ASHLAR_OK;
    if (stat(out->path, &st) != 0)
        return ashi_fail_errno(err, path, "cannot be examined", errno);
    if (!S_ISREG(st.st_mode))
        return ashi_fail_file(err, ASHLAR_ERR_IO, path, "exists and is not a regular file");
    if (faccessat(AT_FDCWD, out->path, W_OK, AT_EACCESS) != 0)
        return ashi_fail_errno(err, path, "cannot be replaced", errno);
    out->replaces = true;
    *mode = st.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
    return ASHLAR_OK;
}

/* Hold a new temporary file, so that later runs do not take it for a leftover. False if one just did. Without locks
 * there is nothing to hold, and nobody who could. */
static bool hold(int fd)
{
    struct stat st;
    bool taken = false;
    ashi_lock_take(fd, &taken);
    return !taken && fstat(fd, &st) == 0 && st.st_nlink > 0;
}

/* Create a file of a name nobody else has: the process and the clock make clashes rare, O_EXCL harmless. */
static ashlar_status create_beside(ashi_output *out, const char *folder, const char *name, ashlar_error *err)
{
    const size_t room = strlen(folder) + ASHI_TEMPORARY_ROOM;
    char *path = malloc(room), own[ASHI_TEMPORARY_ROOM];
    int code = EAGAIN;
    if (!path)
        return ashi_fail_memory(err, "output", (int64_t)room);
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        ashi_temporary_name(name, attempt, own);
        snprintf(path, room, "%s%s", folder, own);
        out->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, NEW_MODE);
        if (out->fd >= 0 && hold(out->fd)) {
            out->temporary = path;
            ashi_ending_remember(path);
            return ASHLAR_OK;
        }
        code = out->fd >= 0 ? EAGAIN : errno;
        if (out->fd >= 0)
            close(out->fd);
        out->fd = -1;
        if (code != EEXIST && code != EINTR && code != EAGAIN)
            break;
    }
    free(path);
    return ashi_fail_errno(err, out->path, "cannot create a file beside it", code);
}

/* A temporary file of its own, once those that killed runs left are gone; if it resumes, one of theirs. */
static ashlar_status begin_beside(ashi_output *out, bool resumes, ashlar_error *err)
{
    const size_t n = folder_bytes(out->path);
    char *folder = strdup(out->path);
    ashlar_status status = ASHLAR_OK;
    if (!folder)
        return ashi_fail_memory(err, "output", (int64_t)strlen(out->path) + 1);
    folder[n] = '\0';
    if (resumes)
        out->temporary = ashi_leftovers_take(folder, out->path + n, &out->fd);
    ashi_leftovers_remove(folder, out->path + n);
    out->keeps = out->temporary != NULL;
    if (!out->temporary)
        status = create_beside(out, folder, out->path + n, err);
    free(folder);
    return status;
}

static ashlar_status begin(const char *path, bool resumes, ashi_output *out, ashlar_error *err)
{
    mode_t mode = 0;
    *out = (ashi_output){.fd = -1};
    ashlar_status status = ASHLAR_OK;
    if (strlen(path) > INT_MAX / 2)
        return ashi_fail(err, ASHLAR_ERR_ARG, "output: the name of a file is too long");
    status = examine_target(path, out, &mode, err);
    if (status == ASHLAR_OK)
        status = begin_beside(out, resumes, err);
    if (status == ASHLAR_OK && out->replaces && fchmod(out->fd, mode) != 0)
        status = ashi_fail_errno(err, path, "cannot give its permissions to the new file", errno);
    if (status != ASHLAR_OK)
        ashi_output_discard(out);
    return status;
}

ashlar_status ashi_output_create(const char *path, ashi_output *out, ashlar_error *err)
{
    return begin(path, false, out, err);
}

ashlar_status ashi_output_resume(const char *path, ashi_output *out, bool *found, ashlar_error *err)
{
    const ashlar_status status = begin(path, true, out, err);
    *found = out->keeps;
    return status;
}

void ashi_output_keep(ashi_output *out)
{
    if (out->temporary && !out->keeps)
        ashi_ending_forget(out->temporary);
    out->keeps = out->temporary != NULL;
}

void ashi_output_forget(ashi_output *out)
{
    if (out->temporary && out->keeps)
        ashi_ending_remember(out->temporary);
    out->keeps = false;
}

ashlar_status ashi_output_copy_existing(ashi_output *out, ashlar_error *err)
{
    int from = -1;
    int64_t bytes = 0;
    char *buffer = malloc((size_t)COPY_BYTES);
    if (!buffer)
        return ashi_fail_memory(err, "output", COPY_BYTES);
    ashlar_status status = ashi_file_open(out->path, &from, &bytes, err);
    for (int64_t at = 0; status == ASHLAR_OK && at < bytes; at += COPY_BYTES) {
        const int64_t n = ashi_min(COPY_BYTES, bytes - at);
        status = ashi_file_read(from, out->path, buffer, n, at, err);
        if (status == ASHLAR_OK)
            status = ashi_file_write(out->fd, out->path, buffer, n, at, err);
    }
    if (from >= 0)
        close(from);
    free(buffer);
    return status;
}

/* Make the renaming itself last. Not every file system can sync a folder, and the output is complete by now, so a
 * failure here is none of the output. */
static void sync_folder(const char *path)
{
    char *folder = strdup(path);
    if (!folder)
        return;
    const size_t n = folder_bytes(path);
    folder[n] = '\0';
    const int fd = open(n ? folder : ".", O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

static ashlar_status state_of(const char *path, ashi_file_part array, ashi_done_state *out, ashlar_error *err)
{
    struct stat st;
    uint64_t samples = 0;
    if (stat(path, &st) != 0)
        return ashi_fail_errno(err, path, "cannot be examined", errno);
    const ashlar_status status = ashi_samples_of(path, array, &samples, err);
    *out = ashi_done_state_of(&st, samples);
    return status;
}

ashlar_status ashi_output_adds(ashi_output *out, const char *data_set, const char *text, const ashi_file_part *old,
                               const ashi_file_part *new, ashlar_error *err)
{
    free(out->adds);
    free(out->done);
    out->adds = text ? strdup(text) : NULL;
    out->done = ashi_done_name(out->path, data_set);
    if (!out->done || (text && !out->adds))
        return ashi_fail_memory(err, "output", (int64_t)(strlen(out->path) + (text ? strlen(text) : 0)));
    out->array = text ? *new : (ashi_file_part){0, -1};
    return text ? state_of(out->path, *old, &out->was, err) : ASHLAR_OK;
}

/* What the file adds is noted before: it is done as soon as the name is changed. */
static ashlar_status rename_noted(const ashi_output *out, const char *from, ashi_file_part array, ashlar_error *err)
{
    ashi_done_state is;
    ashlar_status status = out->adds ? state_of(from, array, &is, err) : ASHLAR_OK;
    if (status == ASHLAR_OK && out->adds)
        status = ashi_done_note(out->done, &out->was, &is, out->adds, err);
    if (status == ASHLAR_OK && rename(from, out->path) != 0)
        return ashi_fail_errno(err, out->path, "cannot be replaced", errno);
    if (status == ASHLAR_OK && out->done && !out->adds)
        unlink(out->done);
    return status;
}

/* The temporary file is no more, or no longer temporary. */
static void forget_temporary(ashi_output *out)
{
    if (out->temporary && ashi_ending_forget(out->temporary))
        free(out->temporary); /* else a signal's handler may be reading it, and the process ends */
    out->temporary = NULL;
}

/* Close, and only then rename: an error of closing must not meet a file that is in place. The file stays locked in
 * between, by a second descriptor. */
static ashlar_status close_and_rename(ashi_output *out, ashlar_error *err)
{
    const int locked = fcntl(out->fd, F_DUPFD_CLOEXEC, 0);
    const int rc = close(out->fd), code = errno;
    out->fd = -1;
    ashlar_status status = ASHLAR_OK;
    if (rc != 0 && code != EINTR)
        status = ashi_fail_errno(err, out->path, "cannot be closed", code);
    else
        status = rename_noted(out, out->temporary, out->array, err);
    if (locked >= 0)
        close(locked);
    return status;
}

ashlar_status ashi_output_publish(ashi_output *out, ashlar_error *err)
{
    ashlar_status status = ashi_file_sync(out->fd, out->path, err);
    if (status == ASHLAR_OK)
        status = close_and_rename(out, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_beside_remove(out->temporary);
    forget_temporary(out);
    sync_folder(out->path);
    return ASHLAR_OK;
}

/* With the permissions of the temporary file. */
static ashlar_status fill_beside(const ashi_output *out, const char *name,
                                 ashlar_status (*write)(void *context, int fd, ashlar_error *err), void *context,
                                 ashlar_error *err)
{
    struct stat st;
    unlink(name); /* what a killed run left */
    const int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, NEW_MODE);
    if (fd < 0)
        return ashi_fail_errno(err, out->path, "cannot create a file beside it", errno);
    ashlar_status status = fstat(out->fd, &st) == 0 && fchmod(fd, st.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO)) == 0
                               ? write(context, fd, err)
                               : ashi_fail_errno(err, out->path, "cannot give its permissions to the new file", errno);
    if (status == ASHLAR_OK)
        status = ashi_file_sync(fd, out->path, err);
    if (close(fd) != 0 && errno != EINTR && status == ASHLAR_OK)
        status = ashi_fail_errno(err, out->path, "cannot be closed", errno);
    return status;
}

ashlar_status ashi_output_publish_as(ashi_output *out, ashlar_status (*write)(void *context, int fd, ashlar_error *err),
                                     void *context, ashlar_error *err)
{
    char *name = ashi_beside_name(out->temporary, ASHI_BESIDE_TEXT);
    if (!name)
        return ashi_fail_memory(err, "output", (int64_t)strlen(out->temporary) + 1);
    ashi_ending_remember(name);
    ashlar_status status = fill_beside(out, name, write, context, err);
    if (status == ASHLAR_OK)
        status = rename_noted(out, name, (ashi_file_part){0, -1}, err);
    if (status != ASHLAR_OK)
        unlink(name);
    if (ashi_ending_forget(name))
        free(name); /* else a signal's handler may be reading it, and the process ends */
    if (status != ASHLAR_OK)
        return status;
    sync_folder(out->path);
    ashi_beside_remove(out->temporary);
    unlink(out->temporary); /* before it is closed: it is locked until then */
    close(out->fd);
    out->fd = -1;
    forget_temporary(out);
    return ASHLAR_OK;
}

void ashi_output_discard(ashi_output *out)
{
    if (out->temporary && !out->keeps) {
        ashi_beside_remove(out->temporary);
        unlink(out->temporary); /* before it is closed: it is locked until then */
    }
    if (out->temporary && out->fd >= 0)
        close(out->fd);
    forget_temporary(out);
    free(out->path);
    free(out->adds);
    free(out->done);
    *out = (ashi_output){.fd = -1};
}
