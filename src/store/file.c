/* Whole reads and writes of files, and failures that name the file. */
#include "store/file.h"

#include "base/checked.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(off_t) == 8, "file offsets must have 64 bits");

/* Some systems refuse, others shorten, a transfer of 2 GiB or more. */
static const int64_t transfer_max = INT64_C(1) << 30;

/* The longest part of a path that is shown; half of an error's text is left for the reason. */
#define PATH_SHOWN 240

ashlar_status ashi_fail_file(ashlar_error *err, ashlar_status status, const char *path, const char *format, ...)
{
    char reason[ASHLAR_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    const size_t n = strlen(path);
    const bool longer = n > PATH_SHOWN;
    ashi_fail(err, status, "%s%s: %s", longer ? "..." : "", longer ? path + n - PATH_SHOWN : path, reason);
    for (char *c = err ? err->text : reason; *c; c++) /* a path may hold anything, but an error is one line */
        if ((unsigned char)*c < ' ')
            *c = '?';
    return status;
}

ashlar_status ashi_fail_errno(ashlar_error *err, const char *path, const char *what, int code)
{
    char text[128];
    if (strerror_r(code, text, sizeof text) != 0)
        snprintf(text, sizeof text, "error %d", code);
    return ashi_fail_file(err, ASHLAR_ERR_IO, path, "%s: %s", what, text);
}

ashlar_status ashi_file_open(const char *path, int *fd, int64_t *bytes, ashlar_error *err)
{
    struct stat st;
    do
        *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    while (*fd < 0 && errno == EINTR);
    if (*fd < 0)
        return ashi_fail_errno(err, path, "cannot open", errno);
    ashlar_status status = ASHLAR_OK;
    if (fstat(*fd, &st) != 0)
        status = ashi_fail_errno(err, path, "cannot be examined", errno);
    else if (!S_ISREG(st.st_mode))
        status = ashi_fail_file(err, ASHLAR_ERR_IO, path, "not a regular file");
    else
        *bytes = st.st_size;
    if (status != ASHLAR_OK) {
        close(*fd);
        *fd = -1;
    }
    return status;
}

ashlar_status ashi_file_read_some(int fd, const char *path, void *data, int64_t room, int64_t offset, int64_t *got,
                                  ashlar_error *err)
{
    ssize_t n;
    do
        n = pread(fd, data, (size_t)ashi_min(room, transfer_max), offset);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return ashi_fail_errno(err, path, "cannot read", errno);
    *got = n;
    return ASHLAR_OK;
}

ashlar_status ashi_file_read(int fd, const char *path, void *data, int64_t bytes, int64_t offset, ashlar_error *err)
{
    for (int64_t done = 0, got = 0; done < bytes; done += got) {
        const ashlar_status status =
            ashi_file_read_some(fd, path, (char *)data + done, bytes - done, offset + done, &got, err);
        if (status != ASHLAR_OK)
            return status;
        if (got == 0)
            return ashi_fail_file(err, ASHLAR_ERR_IO, path, "ends at byte %" PRId64 ", wanted bytes up to %" PRId64,
                                  offset + done, offset + bytes);
    }
    return ASHLAR_OK;
}

ashlar_status ashi_file_write(int fd, const char *path, const void *data, int64_t bytes, int64_t offset,
                              ashlar_error *err)
{
    for (int64_t done = 0; done < bytes;) {
        const ssize_t n =
            pwrite(fd, (const char *)data + done, (size_t)ashi_min(bytes - done, transfer_max), offset + done);
        if (n < 0 && errno != EINTR)
            return ashi_fail_errno(err, path, "cannot write", errno);
        if (n == 0)
            return ashi_fail_errno(err, path, "cannot write", ENOSPC);
        if (n > 0)
            done += n;
    }
    return ASHLAR_OK;
}

static ashlar_status sync_by(int (*call)(int fd), int fd, const char *path, ashlar_error *err)
{
    int rc;
    do
        rc = call(fd);
    while (rc != 0 && errno == EINTR);
    return rc == 0 ? ASHLAR_OK : ashi_fail_errno(err, path, "cannot be written to the disk", errno);
}

ashlar_status ashi_file_sync(int fd, const char *path, ashlar_error *err)
{
    return sync_by(fsync, fd, path, err);
}

ashlar_status ashi_file_sync_data(int fd, const char *path, ashlar_error *err)
{
    return sync_by(fdatasync, fd, path, err);
}
