/* A thread of the library's own, which takes none of the program's signals. */
#ifndef ASHI_QUIET_THREAD_H
#define ASHI_QUIET_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Signals are for the threads that the program has anyway. False: there is no thread to be had. */
bool ashi_quiet_thread_start(pthread_t *thread, void *(*work)(void *), void *context);

#endif
