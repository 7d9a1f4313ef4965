/* Threads that are kept off the processor that the calling thread runs on. */
#ifndef ASHI_ELSEWHERE_H
#define ASHI_ELSEWHERE_H

#include <pthread.h>
#include <stddef.h>

/* Thread number i, `size` bytes after the one before. *left: the processor that the calling thread was on the last
 * time; -1 at first. If it is on another one now, threads may run on all others that it may run on; on all, if threads
 * are as many as these or more. A system may wake a thread where the waker runs though other processors have nothing to
 * do, and move it some milliseconds later: Linux did so as a guest of KVM. */
void ashi_elsewhere(const pthread_t *first, size_t size, int count, int *left);

#endif
