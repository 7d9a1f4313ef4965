/* Tasks that the calling thread and the workers do side by side. */
#ifndef ASHI_SHARE_H
#define ASHI_SHARE_H

#include "kernel/workers.h"

/* What the calling thread does between two tasks, which take some milliseconds each. */
typedef struct ashi_share_between {
    void (*listen)(void *context);
    void *context;
} ashi_share_between;

/* Do jobs 0 to count - 1 by at most `threads` threads, the calling one among them, and return once all are done.
 * Without workers (NULL) the calling thread does all. between: NULL, or called after tasks. */
void ashi_share(ashi_workers *workers, int threads, int64_t count, ashi_job_do work, void *context,
                const ashi_share_between *between);

#endif
