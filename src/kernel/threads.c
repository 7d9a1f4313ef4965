/* How many threads the BLAS uses, and how many cores there are for them. */
#define _GNU_SOURCE
#include "kernel/threads.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <unistd.h>

/* Each library's own calls; absent where another BLAS is linked. */
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int) __attribute__((weak));
extern char *openblas_get_config(void) __attribute__((weak));
extern long bli_thread_get_num_threads(void) __attribute__((weak));
extern void bli_thread_set_num_threads(long) __attribute__((weak));
extern const char *bli_info_get_version_str(void) __attribute__((weak));

int ashi_blas_threads(void)
{
    if (openblas_get_num_threads)
        return openblas_get_num_threads();
    if (bli_thread_get_num_threads)
        return (int)bli_thread_get_num_threads();
    return 0;
}

const char *ashi_blas_name(void)
{
    if (openblas_get_config)
        return openblas_get_config();
    return bli_info_get_version_str ? bli_info_get_version_str() : "a BLAS";
}

bool ashi_set_blas_threads(int threads)
{
    if (openblas_set_num_threads)
        openblas_set_num_threads(threads);
    else if (bli_thread_set_num_threads)
        bli_thread_set_num_threads(threads);
    else
        return false;
    return true;
}

/* Of all threads of the process. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint64_t tickets, turn;      /* given out; of the next who may begin */
static int inside, common, before; /* who have begun; their number of threads; that of the BLAS without them */

/* The BLAS says how many threads it has, and has not the number that is wanted. */
static bool differs(void)
{
    return common > 0 && before > 0 && before != common;
}

void ashi_blas_begin(int threads)
{
    pthread_mutex_lock(&lock);
    const uint64_t ticket = tickets++;
    while (ticket != turn || (inside > 0 && common != threads))
        pthread_cond_wait(&changed, &lock);
    turn++;
    if (inside++ == 0) {
        common = threads;
        before = ashi_blas_threads();
        if (differs())
            ashi_set_blas_threads(common);
    }
    if (turn != tickets)
        pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

void ashi_blas_end(void)
{
    pthread_mutex_lock(&lock);
    if (--inside == 0) {
        if (differs())
            ashi_set_blas_threads(before);
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
}

void ashi_core_set_own(ashi_core_set *out)
{
    cpu_set_t allowed;
    const bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    const long online = known ? 0 : sysconf(_SC_NPROCESSORS_ONLN); /* which reads a file */
    *out = (ashi_core_set){{0}};
    for (int i = 0; i < ASHI_CORE_SET_BYTES * CHAR_BIT; i++)
        if (known ? CPU_ISSET((size_t)i, &allowed) : i < online)
            out->bits[i / CHAR_BIT] |= (unsigned char)(1u << i % CHAR_BIT);
    if (ashi_core_set_count(out) == 0)
        out->bits[0] = 1;
}

int ashi_core_set_count(const ashi_core_set *set)
{
    int count = 0;
    for (int i = 0; i < ASHI_CORE_SET_BYTES; i++)
        for (unsigned rest = set->bits[i]; rest; rest &= rest - 1)
            count++;
    return count;
}
