/* The words that the tiles of several iterations in flight take at each process. */
#ifndef ASHI_SPARSE_WINDOW_H
#define ASHI_SPARSE_WINDOW_H

#include "simulate/sparse_iteration.h"

/* The iterations are those in which something is multiplied, in ascending order of k. A window is some that follow each
 * other; what its tiles take at a process are the words that arrive there. */

/* For each process of C's grid the words of its worst window of `window` iterations: most[process]. *iterations, if not
 * NULL, is how many there are in all. ASHLAR_ERR_MEMORY; ASHLAR_ERR_ARG as ashi_sparse_iteration_begin. */
ashlar_status ashi_sparse_window_words(const ashi_sparse_summa *summa, int64_t window, int64_t *most,
                                       int64_t *iterations,
                                       ashlar_error *err);

/* The largest window, up to `most`, of which none takes more than room[process] at any process; 0: not even one
 * iteration fits. It takes one pass, whatever the window is. */
ashlar_status ashi_sparse_window_fit(const ashi_sparse_summa *summa, const int64_t *room, int64_t most, int64_t *window,
                                     ashlar_error *err);

#endif
