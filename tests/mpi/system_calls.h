/* Counts the calls of the system by which Ashlar's own objects read and write files, and lets one fail: for programs
 * linked with --wrap. HDF5's own calls are not among them. */
#ifndef ASHI_SYSTEM_CALLS_H
#define ASHI_SYSTEM_CALLS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct system_calls {
    _Atomic int64_t made;
    int64_t fail_at; /* the call that fails, counted in `made`; 0 for none */
    _Atomic bool failed;
} system_calls;

static system_calls system_side;

ssize_t __real_pread(int fd, void *data, size_t bytes, off_t offset);
ssize_t __real_pwrite(int fd, const void *data, size_t bytes, off_t offset);
int __real_ftruncate(int fd, off_t bytes);
int __real_fsync(int fd);
int __real_fdatasync(int fd);
int __real_rename(const char *from, const char *to);
ssize_t __wrap_pread(int fd, void *data, size_t bytes, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t offset);
int __wrap_ftruncate(int fd, off_t bytes);
int __wrap_fsync(int fd);
int __wrap_fdatasync(int fd);
int __wrap_rename(const char *from, const char *to);

static bool system_fails(int code)
{
    if (++system_side.made != system_side.fail_at)
        return false;
    system_side.failed = true;
    errno = code;
    return true;
}

ssize_t __wrap_pread(int fd, void *data, size_t bytes, off_t offset)
{
    return system_fails(EIO) ? -1 : __real_pread(fd, data, bytes, offset);
}

ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t offset)
{
    return system_fails(ENOSPC) ? -1 : __real_pwrite(fd, data, bytes, offset);
}

int __wrap_ftruncate(int fd, off_t bytes)
{
    return system_fails(ENOSPC) ? -1 : __real_ftruncate(fd, bytes);
}

int __wrap_fsync(int fd)
{
    return system_fails(EIO) ? -1 : __real_fsync(fd);
}

int __wrap_fdatasync(int fd)
{
    return system_fails(EIO) ? -1 : __real_fdatasync(fd);
}

int __wrap_rename(const char *from, const char *to)
{
    return system_fails(EIO) ? -1 : __real_rename(from, to);
}

#endif
