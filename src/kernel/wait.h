/* Waiting for another thread until a moment at most. */
#ifndef ASHI_WAIT_H
#define ASHI_WAIT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* So many seconds from now; now if they are below 0. */
static inline struct timespec ashi_wait_end(double seconds)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_REALTIME, &t); /* the clock of pthread_cond_timedwait */
    const int64_t nanoseconds = t.tv_nsec + (seconds > 0 ? (int64_t)(seconds * 1e9) : 0);
    t.tv_sec += (time_t)(nanoseconds / 1000000000);
    t.tv_nsec = (long)(nanoseconds % 1000000000);
    return t;
}

/* Seconds of a clock that only runs forward. */
static inline double ashi_wait_now(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Wait for `come` once, with the mutex: false if the end has come instead. end NULL: there is none. */
static inline bool ashi_wait_once(pthread_cond_t *come, pthread_mutex_t *mutex, const struct timespec *end)
{
    return (end ? pthread_cond_timedwait(come, mutex, end) : pthread_cond_wait(come, mutex)) == 0;
}

#endif
