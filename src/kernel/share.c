/* Tasks that the calling thread and the workers do side by side. */
#include "kernel/share.h"

static void listen(const ashi_share_between *between)
{
    if (between)
        between->listen(between->context);
}

/* Jobs of the workers, and help; no more are given than there is room for. */
static void share(ashi_workers *workers, int threads, int64_t count, ashi_job_do work, void *context,
                  const ashi_share_between *between)
{
    ashi_job ended[ASHI_WORKERS_ROOM];
    int64_t given = 0, done = 0;
    ashi_workers_serve(workers, threads - 1, work, context);
    while (done < count) {
        for (; given < count && given - done < ASHI_WORKERS_ROOM; given++)
            ashi_workers_give(workers, &(ashi_job){.number = given, .parts = 1});
        if (ashi_workers_help(workers, ended))
            done += 1 + ashi_workers_ended(workers, 0, ended);
        else
            done += ashi_workers_ended(workers, -1, ended);
        listen(between);
    }
}

void ashi_share(ashi_workers *workers, int threads, int64_t count, ashi_job_do work, void *context,
                const ashi_share_between *between)
{
    if (workers && threads > 1) {
        share(workers, threads, count, work, context, between);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        (void)work(context, &(ashi_job){.number = i, .parts = 1}, 0);
        listen(between);
    }
}
