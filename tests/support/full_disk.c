/* A disk with room for ASHLAR_TEST_ROOM bytes of what each process writes: for programs linked with --wrap=pwrite and
 * --wrap=posix_fallocate. The last write that has any room is a short one; room cannot be taken in advance. */
#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>

ssize_t __real_pwrite(int fd, const void *data, size_t bytes, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t offset);
int __wrap_posix_fallocate(int fd, off_t offset, off_t bytes);

static size_t used;

ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t offset)
{
    const char *const room = getenv("ASHLAR_TEST_ROOM");
    const size_t left = room ? strtoull(room, NULL, 10) - used : bytes;
    if (left == 0) {
        errno = ENOSPC;
        return -1;
    }
    const ssize_t done = __real_pwrite(fd, data, bytes < left ? bytes : left, offset);
    used += done > 0 ? (size_t)done : 0;
    return done;
}

int __wrap_posix_fallocate(int fd, off_t offset, off_t bytes)
{
    (void)fd;
    (void)offset;
    (void)bytes;
    return EOPNOTSUPP;
}
