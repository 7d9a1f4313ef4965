/* Loops over blocks larger than memory: one matrix stays in memory tile by tile, the others are read past it.
 *
 * The ranks are cut into equal teams. A team computes a part of C: all of its products, for all of k. Within a part
 * three loops go over blocks of m, n and k. The innermost is over slabs, and the matrix that does not have its index
 * stays: a tile of it is in the memory of the team, each rank having a box of the tile. If C stays, slabs of A and B
 * are read past it and C is written once. If A or B stays, sums of C come back for each further block of k.
 *
 * The ranks of a team that need the same box of A or B read a part of it each and send that to the others. So each
 * word of a slab is read once by a team. Of what was written a rank reads back only its own.
 *
 * One step after another takes an `item`: one slab for one tile. With `ahead` = 1, step s reads the slabs of item s,
 * multiplies those of item s - 1 and writes what item s - 2 completed. The three work side by side, with two buffers
 * for a slab and one for a tile, and with a look-ahead of 0 in the passes: a larger look-ahead would keep two tiles.
 * With `ahead` = 0 one item is read, multiplied and written in one step, in the least memory. */
#ifndef ASHI_NEST_H
#define ASHI_NEST_H

#include "schedule/program.h"

/* A choice. Parts, tiles, boxes and slabs are cut evenly (base/checked.h), into whole units. */
typedef struct ashi_nest {
    int64_t size[3], ranks; /* m, n, k; k = 0 if nothing is multiplied: C becomes beta C0, or zero */
    bool adds;              /* C0 is read and multiplied by beta */
    ashlar_operand stays;
    int64_t parts[2]; /* of m and n, one for each team; the ranks beyond the last team are idle */
    int64_t team[2];  /* a team is a grid of ranks, by their boxes of m and n. If A stays team[1] is 1, if B stays
                         team[0] is 1 */
    int64_t cut[3];   /* blocks of m, n and k in a part. A part that has fewer units has a block for each */
    int ahead;        /* 0 or 1; 0 if sums of C come back and one slab has all of them */
    int64_t unit[3];  /* parts, tiles, boxes, slabs and what one rank reads of a slab begin at multiples of this along
                         m, n and k, such as the chunks of packed files; 0 is 1. Each part has at least one unit */
    int64_t strips;   /* 1 to 64. If C stays, the panels of a rank's box of it: one is written while others are summed
                         up */
    int64_t stagger;  /* 0: the strips of a tile begin together; else the number of slabs over which they begin, one
                         after the other (engine/nest_stagger.h): one rank, all items, C stays,
                         `ahead` is 1, no units */
    bool minor[3];    /* in the pool, panels of A, B and C have their minor side contiguous; else the major side */
    int64_t from, to; /* the program has items from .. to - 1 only; `to` 0: to the last one. `from` is the first item
                         of a tile. Sums that items before it have begun are given panels of C: read, and not begun
                         again */
} ashi_nest;

/* The unit of index d, at least 1, and how many units a range of that length has. */
int64_t ashi_nest_unit(const ashi_nest *nest, int d);
int64_t ashi_nest_units(const ashi_nest *nest, int d, int64_t length);

/* How many items follow one another. */
typedef struct ashi_nest_turns {
    int64_t tile; /* for one tile: after these nothing is held */
    int64_t sums; /* until all sums that were begun are complete: those of a tile of C, or of all blocks of k */
    int64_t all;
} ashi_nest_turns;

/* What a rank does, or all ranks together. Words are elements. */
typedef struct ashi_nest_figures {
    int64_t a, b, c0, back; /* words read from files: `back` of sums that were written before */
    int64_t c;              /* words written */
    int64_t disk;           /* all of these */
    int64_t received, sent; /* words */
    int64_t received_messages, sent_messages;
    int64_t products;       /* multiply-adds */
} ashi_nest_figures;

/* The items of one rank. */
ashi_nest_turns ashi_nest_turns_of(const ashi_nest *nest, int64_t rank);

/* The exact figures of a rank, in closed form. Here and below, except for the steps, of all items. */
ashi_nest_figures ashi_nest_of_rank(const ashi_nest *nest, int64_t rank);

/* The exact figures of all ranks together, and for each figure the most that any rank has, in a time that grows with
 * the ranks of a team. ASHLAR_ERR_OVERFLOW if they do not fit in 64 bits. */
ashlar_status ashi_nest_total(const ashi_nest *nest, ashi_nest_figures *total, ashi_nest_figures *most,
                              ashlar_error *err);

/* The shape of the largest box: its rows of m, columns of n and length along k, on one rank. That of the matrix that
 * stays is its tile's; the remaining length is the slabs' thickness. */
void ashi_nest_shape(const ashi_nest *nest, int64_t shape[3]);

/* Words that a rank holds at once: the box of what stays, and one or two slabs. */
int64_t ashi_nest_memory(const ashi_nest *nest);

/* The steps of the first rank's program; some of another rank's may be empty. ASHLAR_ERR_OVERFLOW. */
ashlar_status ashi_nest_steps(const ashi_nest *nest, int64_t *steps, ashlar_error *err);

/* The program of a choice, all operands in files: to be passed with a look-ahead of 0.
 * ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW. */
ashlar_status ashi_nest_program(const ashi_nest *nest, ashi_program *out, ashlar_error *err);

#endif
