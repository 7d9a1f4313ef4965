/* Loops over tiles on every rank for itself, with one of the ways of working together of X. Gao et al., "Compiler
 * techniques for efficient parallelization of out-of-core tensor contractions", all operands in files.
 *
 * Each rank has parts of m, n and k. A part is cut into tiles; loops go over tiles of two matrices outside, and the
 * reads of A, B and C stand in one of six orders (section 3 of the paper):
 *
 *     for p, q1:  read the first matrix, which has the indices p and q
 *       for r:    read the second, with p and r
 *         for q2: read the third, with q and r; multiply
 *
 * A matrix that is `resident` is read once and stays in memory. What ranks do together:
 *
 *   rotation      Ranks are a grid of r x c, by m and n. k is cut into s = lcm(r, c) pieces, of which a rank has s/c of
 *                 A and s/r of B; in s steps each piece passes by each rank that needs it.
 *   replication   A (or B) is cut along k, and all ranks need all of it. n (or m) is cut for the other two matrices.
 *   accumulation  k is cut. Each rank has sums of all of C, all of which are added up: rank q adds up the part q of
 *                 each tile's rows and sends the result to all others. Each rank keeps a C of its own, in its own file.
 *
 * Inside the loops these are messages of tiles. Outside, matrices go from file to file before, between or after the
 * loops. Files of a rank's own have what it has received of A and B, and sums that are not complete.
 *
 * Reads, messages, products and writes are in steps of their own, with a look-ahead of 0, so that they take turns as
 * the paper has it. */
#ifndef ASHI_TILE_LOOPS_H
#define ASHI_TILE_LOOPS_H

#include "schedule/program.h"

typedef enum ashi_together {
    ASHI_TOGETHER_ROTATE,
    ASHI_TOGETHER_REPLICATE_A,
    ASHI_TOGETHER_REPLICATE_B,
    ASHI_TOGETHER_ACCUMULATE
} ashi_together;

typedef struct ashi_tile_loops {
    int64_t size[3], ranks; /* m, n and k, each at least the number of parts into which it is cut */
    bool adds;              /* C0 is read and multiplied by beta; once, however many ranks have a C of their own */
    bool inside;
    ashi_together method;
    int64_t grid[2];     /* rotation: r and c; else not read */
    int order[3];        /* A, B and C (0 to 2) by the order of their reads */
    int64_t count[3][2]; /* tiles of m, n and k: of the outer loop, and of the inner one in each of these. The inner
                            one is 1 for all indices except q */
    bool resident[3];    /* A, B, C */
    bool minor[3];       /* in the pool, panels of A, B and C have their minor side contiguous; else the major side */
} ashi_tile_loops;

/* The program of a choice: to be passed with a look-ahead of 0. ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW;
 * ASHLAR_ERR_INTERNAL if the choice is none. */
ashlar_status ashi_tile_loops_program(const ashi_tile_loops *loops, ashi_program *out, ashlar_error *err);

#endif
