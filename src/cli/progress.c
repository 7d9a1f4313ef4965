/* How far long work has come, said on a terminal. */
#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

ashi_progress ashi_progress_start(const char *what, int64_t total, bool wanted)
{
    ashi_progress progress = {what, total, 0, wanted && isatty(STDERR_FILENO), -1};
    ashi_progress_add(&progress, 0);
    return progress;
}

void ashi_progress_add(ashi_progress *progress, int64_t amount)
{
    if (!progress->on)
        return;
    progress->done += amount;
    const int now = progress->total > 0 ? (int)(100.0 * (double)progress->done / (double)progress->total) : 0;
    if (now == progress->shown)
        return;
    progress->shown = now;
    fprintf(stderr, "\r%s: %d %%\033[K", progress->what, now);
    fflush(stderr);
}

void ashi_progress_end(ashi_progress *progress)
{
    if (progress->on)
        fputs("\r\033[K", stderr);
    progress->on = false;
}
