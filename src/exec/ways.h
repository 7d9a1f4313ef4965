/* Which work runs on one thread, so that several tasks run side by side, and which on all threads of the rank. */
#ifndef ASHI_WAYS_H
#define ASHI_WAYS_H

#include "exec/player.h"
#include "schedule/window.h"

/* Decide for the products of a step: tasks `first` to the last of the window. It depends on their sizes, on which of
 * them are added up in one sum, and on the rank's threads only: so the bits of C do not depend on what is ready first.
 * Returns whether two or more of them can be handed over and run side by side. */
bool ashi_ways_find(ashi_window *window, int64_t first, int threads, const ashi_way_sizes *sizes);

/* The number of parts into which a task that moves, adds up or scales `words` words is cut; 0: the calling thread does
 * it whole. */
int ashi_ways_parts(int64_t words, int threads, const ashi_way_sizes *sizes);

#endif
