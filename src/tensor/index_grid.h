/* A grid of ranks over all indices of a contraction: which one moves the fewest words if each rank contracts a box of
 * the indices by itself. That is how Ziogas and others ("Deinsum", SC 2022) deal out several operands. */
#ifndef ASHI_TENSOR_INDEX_GRID_H
#define ASHI_TENSOR_INDEX_GRID_H

#include "layout/tensor_layout.h"
#include "tensor/sequence.h"

/* Index i is cut into parts[i] blocks of block[i] values, the last of which may be shorter. A rank below `ranks` has
 * one block of each; its number counts them, the block of the last index first. */
typedef struct ashi_index_grid {
    int ranks;
    int parts[ASHI_INDICES_MOST];
    int64_t block[ASHI_INDICES_MOST];
} ashi_index_grid;

/* How an array is dealt out. `sharers` ranks have the same box of it, as their blocks differ in other indices only.
 * The box is cut once more, dimension d into extra[d] parts of at most piece[d] values, and the first `owners` of the
 * sharers own one part each. */
typedef struct ashi_index_grid_share {
    int sharers, owners;
    int extra[ASHI_ORDER_MOST];
    int64_t piece[ASHI_ORDER_MOST];
    int64_t box_words, most, least; /* of the largest box; and of it the largest part and the smallest of a sharer */
} ashi_index_grid_share;

/* What a grid is chosen for. */
typedef struct ashi_index_grid_request {
    const ashi_expression *expression; /* it has been checked; no extent is 0 */
    const ashi_sequence *sequence;     /* of the contraction */
    int ranks;
    const ashlar_tensor_layout *const *given; /* of the operands, then of the output: of blocks, or NULL: free */
    bool least_words;                  /* the fewest words of the busiest rank, not the least time */
    double work_seconds, word_seconds, message_seconds; /* of a multiply-add, a word, a message */
} ashi_index_grid_request;

/* The best grid of those in which at most a sixth of the ranks is idle, or if the indices are too short of those with
 * the most ranks. With `least_words`: of those in which no rank has more than 1.2 times its share of the multiply-adds.
 * Of two with as many words one is preferred that sums the output over fewer ranks, for up to a per cent more work.
 * Returns the words that the busiest rank receives at most if all layouts are free. */
int64_t ashi_index_grid_choose(const ashi_index_grid_request *request, ashi_index_grid *out);

void ashi_index_grid_share_of(const ashi_expression *e, const ashi_index_grid *grid, const ashi_index_list *list,
                              ashi_index_grid_share *out);

/* The blocks of a rank below grid->ranks. */
void ashi_index_grid_coordinates(const ashi_expression *e, const ashi_index_grid *grid, int rank, int *coordinate);

/* The rank that is sharer number n of the box of an array with these coordinates, and the number of these ones. */
int ashi_index_grid_sharer(const ashi_expression *e, const ashi_index_grid *grid, const ashi_index_list *list,
                           const int *coordinate, int n);
int ashi_index_grid_number(const ashi_expression *e, const ashi_index_grid *grid, const ashi_index_list *list,
                           const int *coordinate);

/* The box of an array with these coordinates; returns its words. */
int64_t ashi_index_grid_box(const ashi_expression *e, const ashi_index_grid *grid, const ashi_index_list *list,
                            const int *coordinate, int64_t *extent);

/* The part of a box that sharer n owns: where it begins in the box, and its extents; returns its words, which may be
 * 0. */
int64_t ashi_index_grid_part(const ashi_index_list *list, const ashi_index_grid_share *share, const int64_t *box, int n,
                             int64_t *from, int64_t *extent);

/* The array's layout: what each rank owns, in C order. ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW. */
ashlar_status ashi_index_grid_layout(const ashi_expression *e, const ashi_index_grid *grid, const ashi_index_list *list,
                                     ashlar_tensor_layout **out, ashlar_error *err);

#endif
