/* How many threads the BLAS uses, and how many cores there are for them. */
#ifndef ASHI_THREADS_H
#define ASHI_THREADS_H

#include <stdbool.h>

/* 0 where the BLAS does not say. */
int ashi_blas_threads(void);

/* Its name, version and kernels, as it says; "a BLAS" if it says nothing. */
const char *ashi_blas_name(void);

/* Ask the BLAS for this number of threads; false if it cannot be asked. */
bool ashi_set_blas_threads(int threads);

/* A BLAS has one number of threads for the whole process. So all products of this process that are under way, of any of
 * its threads, have it at the same number: 1 for those that are made side by side, another one, or 0 for as many as the
 * program has set. Whoever wants another number waits until nobody has begun, in the order in which they came. The
 * first sets the BLAS to its number, and the last who leaves sets it back. Whoever has begun waits for no other rank
 * before it leaves. */
void ashi_blas_begin(int threads);
void ashi_blas_end(void);

/* A set of cores, one bit each, so that the sets of several processes can be joined bit by bit. */
enum { ASHI_CORE_SET_BYTES = 128 };

typedef struct ashi_core_set {
    unsigned char bits[ASHI_CORE_SET_BYTES];
} ashi_core_set;

/* Those this process may run on; at least one. */
void ashi_core_set_own(ashi_core_set *out);
int ashi_core_set_count(const ashi_core_set *set);

#endif
