/* Two contractions in a row without the array between them: T = X U, Y = T V, where T is formed and used tile by tile.
 * So MTTKRP (ijk,kr,jr->ir) and TTMc (ijk,kc,jb->ibc) are computed by A. N. Ziogas, G. Kwasniewski, T. Ben-Nun,
 * T. Schneider and T. Hoefler, "Deinsum: practically I/O optimal multilinear algebra", SC 2022. */
#ifndef ASHI_TILE_BY_TILE_H
#define ASHI_TILE_BY_TILE_H

#include "tensor/expression.h"

/* Indices by the arrays that have them; those of one group count as one index. */
typedef enum ashi_fused_group {
    ASHI_FUSED_I, /* X and Y */
    ASHI_FUSED_J, /* X and V: summed second */
    ASHI_FUSED_K, /* X and U: summed first */
    ASHI_FUSED_R, /* U, V and Y */
    ASHI_FUSED_B, /* V and Y */
    ASHI_FUSED_C, /* U and Y */
    ASHI_FUSED_GROUPS
} ashi_fused_group;

/* X(i, j, k) is read once, in blocks that stay in memory. For each block, U(k, c, r), V(j, b, r) and Y(i, b, c, r) pass
 * by: for one value of r and c at a time T(i, j) is formed of the block and added to Y. */
typedef struct ashi_tile_by_tile {
    int array[3];          /* the operands that are X, U and V */
    int64_t extent[ASHI_FUSED_GROUPS];
    int64_t block[3];      /* of i, j and k */
    int64_t memory_words;  /* a block, and what passes by */
    int64_t multiply_adds; /* T is used once for each block of k, so more than a pair's if k is cut */
    double disk_words;     /* read and written; Y is read back for all but the first block of j and k */
} ashi_tile_by_tile;

/* The blocks with the fewest words of disk that fit in `memory_words`, and of all assignments of X, U and V the best.
 * @param expression  three operands; it has been checked
 * @param in_memory   of the operands and of the output: not on disk, which costs no words
 * @param multiply_adds_most  no more are made
 * @return false if the operands are no such X, U and V, or nothing fits */
bool ashi_tile_by_tile_find(const ashi_expression *expression, const bool in_memory[4], int64_t memory_words,
                            int64_t multiply_adds_most, ashi_tile_by_tile *out);

/* Whether it is an MTTKRP: i, j, k and r are there, and neither b nor c. */
bool ashi_is_mttkrp(const ashi_tile_by_tile *fused);

/* The least words that a memory of S words receives and gives up while a P-th of an MTTKRP is computed, if the three
 * factors of every product are multiplied at once: 3 I J K R / (P S^(2/3)), the leading term of that paper's bound.
 * docs/TENSORS.md derives it. */
double ashi_mttkrp_bound(const ashi_tile_by_tile *fused, int64_t ranks, int64_t memory_words);

#endif
