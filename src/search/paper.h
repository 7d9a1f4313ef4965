/* The cost model of out-of-core contractions of X. Gao, S. K. Sahoo, Q. Lu, G. Baumgartner, C.-C. Lam, J. Ramanujam and
 * P. Sadayappan, "Compiler techniques for efficient parallelization of out-of-core tensor contractions", complete:
 * communication {inside, outside} the tile loops x {rotation, replication of A or of B, accumulation} x six orders of
 * the reads. docs/TENSORS.md derives it and lists the paper's misprints.
 *
 * C(I, J) += A(I, K) B(J, K). Every array is dealt evenly over P ranks. A tile of each takes a third of a rank's
 * memory. Time is words of disk over the disk's bandwidth, plus words of network over the network's. */
#ifndef ASHI_PAPER_H
#define ASHI_PAPER_H

#include "engine/tile_loops.h"

typedef enum ashi_paper_method { /* how ranks work together */
    ASHI_PAPER_ROTATION,
    ASHI_PAPER_REPLICATION_A,
    ASHI_PAPER_REPLICATION_B,
    ASHI_PAPER_ACCUMULATION,
    ASHI_PAPER_METHODS
} ashi_paper_method;

enum { ASHI_PAPER_ORDERS = 6, ASHI_PAPER_SCHEDULES = 2 * ASHI_PAPER_METHODS * ASHI_PAPER_ORDERS };
enum { ASHI_PAPER_I, ASHI_PAPER_J, ASHI_PAPER_K };

typedef struct ashi_paper_problem {
    int64_t extent[3];     /* of I, J and K, each at least 1 */
    int64_t batch;         /* products of this shape, one after the other; at least 1 */
    int64_t ranks;         /* P */
    int64_t tile_words;    /* M: a third of a rank's memory, at least 1 */
    double replicate;      /* f: words that a rank receives for each word that is replicated; eq. 2.3 has 1 */
    double reduce;         /* g: the same of a sum over all ranks; eq. 2.4 has log2 P */
    double disk, network;  /* words per second of one rank's disk, and of what one rank receives: Bd and Bc */
    bool real;             /* numbers of tiles are real, as in the paper's tables; else whole */
    bool transfer_reads;   /* outside: also count what ranks read to send it; the paper does not */
    bool runs;             /* count what the programs of engine/tile_loops.h do, to the word. That implies
                              transfer_reads. A rank does not receive its own part of what is replicated, nor reads what
                              has arrived in its memory; a sum over all ranks takes 2 (P - 1) / P words for each.
                              `replicate` and `reduce` are not read */
    bool sets;             /* C is written, and not added to: what would be read of it first is not counted */
} ashi_paper_problem;

/* Words. */
typedef struct ashi_paper_volume {
    double reads, writes; /* of disk */
    double network;
} ashi_paper_volume;

/* Index d is cut into count[d][0] tiles by an outer loop, and each of these into count[d][1] by an inner one. */
typedef struct ashi_paper_tiles {
    double count[3][2];
} ashi_paper_tiles;

typedef struct ashi_paper_schedule {
    bool inside;
    ashi_paper_method method;
    int order;               /* number of the order of reads: ABC, ACB, BAC, BCA, CAB, CBA */
    bool applicable;
    char reason[ASHLAR_MESSAGE_MAX]; /* why not */
    int64_t grid[2];         /* ranks along I and along J if blocks rotate */
    bool resident[3];        /* A, B, C: the part of the array that a rank needs fits into a third of its memory, and is
                                read once, or read and written once, whatever the loops are */
    ashi_paper_tiles tiles;
    ashi_paper_volume rank;    /* of each rank, if all shares are equal */
    ashi_paper_volume busiest; /* with the same tiles, if indices are cut in whole numbers */
    double total_disk, total_network; /* of all ranks */
    double seconds;            /* of `rank` */
} ashi_paper_schedule;

/* Fill all ASHI_PAPER_SCHEDULES schedules, each with the numbers of tiles that take the least time: those inside first,
 * of these rotation first, of these in the order ABC first. Whole numbers of tiles are the exact optimum.
 * @return the number of the fastest, of equals the first; -1: none is applicable */
int ashi_paper_plan(const ashi_paper_problem *problem, ashi_paper_schedule out[ASHI_PAPER_SCHEDULES]);

/* The loops of a schedule of a problem that `runs`, whose numbers of tiles are whole; of one value of the batch. */
ashi_tile_loops ashi_paper_loops_to_run(const ashi_paper_problem *problem, const ashi_paper_schedule *schedule);

/* "inside/rotation", "outside/replication-a", ... */
const char *ashi_paper_name(bool inside, ashi_paper_method method);

/* "ABC", ... */
const char *ashi_paper_order_name(int order);

/* The number of the schedule with a name such as "outside/rotation/ABC"; -1: there is none. */
int ashi_paper_named(const char *name);

#endif
