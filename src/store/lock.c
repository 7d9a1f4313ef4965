/* A lock on a file that its writer holds until it ends, however it ends. */
#define _GNU_SOURCE /* F_OFD_SETLK, which POSIX has since 2024 */
#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Locks of open files, not of processes: the latter are lost as soon as the process closes any descriptor of the file,
 * as HDF5 does with its own. */
bool ashi_lock_take(int fd, bool *held_by_another)
{
    *held_by_another = false;
#ifdef F_OFD_SETLK
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int rc;
    do
        rc = fcntl(fd, F_OFD_SETLK, &whole);
    while (rc != 0 && errno == EINTR);
    *held_by_another = rc != 0 && (errno == EAGAIN || errno == EACCES);
    return rc == 0;
#else
    (void)fd;
    return false;
#endif
}
