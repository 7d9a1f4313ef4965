/* A lock on a file that its writer holds until it ends, however it ends. */
#ifndef ASHI_STORE_LOCK_H
#define ASHI_STORE_LOCK_H

#include <stdbool.h>

/* Whoever has the file open may hold the lock, one at a time, in this process too; closing the last descriptor that was
 * duplicated from this one gives it back, and so does the end of the process. It reaches as far as the file system's
 * locks do. False: another holds it, or there are no locks here. */
bool ashi_lock_take(int fd, bool *held_by_another);

#endif
