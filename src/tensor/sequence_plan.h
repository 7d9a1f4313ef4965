/* A contraction of several operands on disk: the order of its pairs under a limit of memory, what each step moves, and
 * which intermediates stay in memory. */
#ifndef ASHI_SEQUENCE_PLAN_H
#define ASHI_SEQUENCE_PLAN_H

#include "tensor/contract_tiling.h"
#include "tensor/matching.h"
#include "tensor/sequence.h"
#include "tensor/tile_by_tile.h"

typedef struct ashi_sequence_request {
    int64_t ranks, memory_words, bytes; /* words of a rank; bytes of a word */
    double disk, network;               /* words per second of a rank */
    double multiply_adds;               /* per second, of a rank */
} ashi_sequence_request;

/* A step of two operands; of one it has figures only, and m = n = k = batch = 0. */
typedef struct ashi_planned_step {
    int64_t m, n, k, batch;
    bool scratch;             /* its result goes to a scratch file; else it stays in memory, or is the output */
    int64_t memory_words;     /* that a rank has for it, beside the intermediates that stay in memory */
    ashi_paper_schedule paper; /* the paper's fastest, with all three arrays on disk; applicable: there is one */
    ashi_contract_tiling tiling;
    double disk_words;        /* of all ranks, of the arrays that are on disk. Infinite if the tiling cannot be */
    double seconds;           /* the longer of disk and arithmetic, shared evenly by all ranks */
} ashi_planned_step;

typedef struct ashi_sequence_plan {
    ashi_sequence sequence;
    ashi_planned_step step[ASHI_SEQUENCE_STEPS];
    int64_t held;             /* words of the intermediates in memory of all ranks at the same time, at most */
    int scratch;              /* how many go to scratch files */
    int64_t cheapest;         /* the multiply-adds of the cheapest sequence of all, whatever memory it takes */
    double disk_words, seconds; /* of all steps, tile by tile if that is better */
    int fused;                /* this step and the next are done tile by tile, without what is between them; -1: none */
    ashi_tile_by_tile tiles;  /* then */
    bool three;               /* `tiles` is filled: they are, or there is an MTTKRP for which it would not pay */
    int candidate;            /* then the first of the two steps, */
    double disk_pairs;        /* and the words of disk that they take one after the other */
} ashi_sequence_plan;

/* Intermediates may take half of the memory of all ranks. The cheapest sequence within that is taken, or the cheapest
 * of all with its largest intermediates in scratch files, whichever is predicted to be faster. Two steps in a row are
 * done tile by tile if they are of the kind of tensor/tile_by_tile.h and that takes fewer words of disk and at most 1.1
 * times the multiply-adds.
 * @return as ashi_sequence_choose, but never ASHLAR_ERR_LIMIT */
ashlar_status ashi_sequence_plan_make(const ashi_expression *expression, const ashi_sequence_request *request,
                                      ashi_sequence_plan *out, ashlar_error *err);

#endif
