/* Which work runs on one thread, so that several tasks run side by side, and which on all threads of the rank. */
#ifndef ASHI_WAYS_H
#define ASHI_WAYS_H

#include <stdbool.h>
#include <stdint.h>

struct ashi_window;

/* Sizes that decide.
 *
 * A product of at most ASHI_ONE_THREAD multiply-adds is made by one thread with the BLAS at one thread: with more it is
 * no faster (OpenBLAS 0.3.21, 100 x 100 x 100: 75 GFlop/s either way) or slower (BLIS 0.9: 41 and 22). One of at most
 * ASHI_SIDE_BY_SIDE is so too if its step has enough of them for all threads: on two threads OpenBLAS makes 300 x 300 x
 * 300 at 113 GFlop/s with both in each product and at 129 with two products side by side, BLIS at 58 and 70; from 600 x
 * 600 x 600 on there is no difference. One of fewer than ASHI_HANDED_LEAST is done sooner than it is handed over.
 *
 * What is moved, added up or scaled is cut into parts of at least ASHI_PART_WORDS words, which different threads do.
 *
 * If a program has files, threads of the disk take a core now and then, and the BLAS's threads wait for one another in
 * calls of sched_yield (OpenBLAS 0.3.21). So a product for all threads is cut there along the longer side of C, into
 * parts of at least ASHI_PART_SIDE rows or columns, each made by one thread. Four parts of 560 columns take 3 % longer
 * than one product of 112 x 2240 x 1707 on one thread. */
enum {
    ASHI_HANDED_LEAST = 20000,
    ASHI_ONE_THREAD = 1000000,
    ASHI_SIDE_BY_SIDE = 64000000,
    ASHI_PART_WORDS = 16384,
    ASHI_PART_SIDE = 256
};

/* Multiply-adds of a task of a product of tiles, if it has so much work: the calling thread hears of messages between
 * two of them. */
enum { ASHI_TILE_TASK_WORK = 1 << 24 };

typedef struct ashi_way_sizes {
    int64_t handed_least, one_thread, side_by_side, part_words, part_side;
} ashi_way_sizes;

/* The sizes of the library, which only tests change. */
ashi_way_sizes ashi_way_sizes_usual(void);

/* Decide for the products of a step: tasks `first` to the last of the window. It depends on their sizes, on which of
 * them are added up in one sum, and on the rank's threads only: so the bits of C do not depend on what is ready first.
 * Returns whether two or more of them can be handed over and run side by side. */
bool ashi_ways_find(struct ashi_window *window, int64_t first, int threads, const ashi_way_sizes *sizes);

/* The number of parts into which a task that moves, adds up or scales `words` words is cut; 0: the calling thread does
 * it whole. */
int ashi_ways_parts(int64_t words, int threads, const ashi_way_sizes *sizes);

/* The number of parts into which a product for all threads is cut whose sums have a longer side of `side` rows or
 * columns, so that its threads need not wait for one another: two for each thread if the side is long enough, else one,
 * else 1 in all: the BLAS shares it out. */
int ashi_ways_shares(int64_t side, int threads, const ashi_way_sizes *sizes);

#endif
