/* How far long work has come, said on a terminal. */
#ifndef ASHI_PROGRESS_H
#define ASHI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ashi_progress {
    const char *what; /* "writing C.npy" */
    int64_t total, done;
    bool on;
    int shown;        /* the percentage on the screen, -1 for none */
} ashi_progress;

/* Silent where `wanted` is false or standard error is no terminal. `what` is not copied. */
ashi_progress ashi_progress_start(const char *what, int64_t total, bool wanted);

void ashi_progress_add(ashi_progress *progress, int64_t amount);

/* Wipe the line, so that nothing is left of it. */
void ashi_progress_end(ashi_progress *progress);

/* For work of unknown length: from its first second on "WHAT: N s", every second, except while a progress that counts
 * is shown. Silent as above. Uses SIGALRM, and so is for commands without MPI; one at a time. */
void ashi_progress_clock_start(const char *what, bool wanted);
void ashi_progress_clock_end(void);

#endif
