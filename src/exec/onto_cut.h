/* How a contraction in one memory is cut for a device: the order in which positions are counted, which matrices the
 * device permutes, and the boxes that it contracts one after the other. Nothing here needs a device. */
#ifndef ASHI_ONTO_CUT_H
#define ASHI_ONTO_CUT_H

#include "kernel/contraction.h"
#include "search/onto_seconds.h"

/* The groups of indices of a contraction; those that are the sides of A, B and C. */
enum { ASHI_CUT_ROWS, ASHI_CUT_COLS, ASHI_CUT_DEPTH, ASHI_CUT_BATCH, ASHI_CUT_GROUPS };
extern const int ashi_cut_sides[3][2];

/* A group in a box: indices before `index` are whole, it has `length` values, in the last box of it fewer, and those
 * behind it have one value. */
typedef struct ashi_group_cut {
    int index;
    int64_t length;
} ashi_group_cut;

typedef struct ashi_cut_axis {
    int group, index;
} ashi_cut_axis;

/* A matrix: the boxes of it are copied as they lie, so on the device indices have the order of the host, without
 * gaps. */
typedef struct ashi_cut_matrix {
    int count;
    ashi_cut_axis axis[ASHI_CONTRACTION_INDICES]; /* its indices as they lie, the fastest first */
    bool permuted;    /* there into the order of its first side, its second side and the batch */
    bool first_minor; /* as it is multiplied, its first side is contiguous; else the second */
} ashi_cut_matrix;

typedef struct ashi_onto_cut {
    ashi_contraction product; /* the indices of each group in the order in which positions are counted */
    ashi_cut_matrix matrix[3];
    ashi_group_cut cut[ASHI_CUT_GROUPS];
    int outer;                /* ASHI_CUT_ROWS or ASHI_CUT_COLS: of its boxes all others are gone through for each */
    int buffers[3];           /* of a matrix's boxes as they lie: 1 or 2 */
    bool overlaps;            /* boxes are copied in, and C's back, while others are multiplied */
} ashi_onto_cut;

/* A box of positions: the first value of each index, and how many there are. */
typedef struct ashi_cut_box {
    int64_t from[ASHI_CUT_GROUPS][ASHI_CONTRACTION_INDICES], extent[ASHI_CUT_GROUPS][ASHI_CONTRACTION_INDICES];
} ashi_cut_box;

typedef struct ashi_cut_figures {
    int64_t in, out; /* words copied to the device and from it */
    int64_t held;    /* words of its memory */
    int64_t calls;   /* boxes that are copied or contracted */
} ashi_cut_figures;

/* Choose orders, and boxes for `memory_words` words of the device, close to the fewest words that are copied. False if
 * boxes of one position do not fit (then *least would do), or if a matrix lacks an index of one of its sides
 * (*least = 0): that is no product of matrices. Extents are at least 1. */
bool ashi_onto_cut_make(const ashi_contraction *product, int64_t memory_words, ashi_onto_cut *out, int64_t *least);

/* What a box may be cut by beside its words. */
typedef struct ashi_cut_terms {
    int64_t memory_words;
    ashi_onto_rates rates;
    bool adds;             /* C is read */
} ashi_cut_terms;

/* Predict the seconds of a cut. */
double ashi_onto_cut_seconds(const ashi_onto_cut *cut, const ashi_cut_terms *terms);

/* Cut anew so that copies and products overlap, with two buffers for the boxes of matrices that are multiplied where
 * they were copied to and for those of C, if that is predicted to take less time; else nothing changes, nor if all
 * takes less than 0.01 s. What is permuted needs one buffer: it is free once the permutation has read it. */
void ashi_onto_cut_overlap(ashi_onto_cut *cut, const ashi_cut_terms *terms);

/* What it takes, exactly. adds: C is read. */
ashi_cut_figures ashi_onto_cut_figures(const ashi_onto_cut *cut, bool adds);

/* A group, an index, how many boxes a group is cut into, and the positions of the largest. */
const ashi_stride_group *ashi_cut_group(const ashi_contraction *product, int group);
const ashi_index *ashi_cut_index(const ashi_contraction *product, ashi_cut_axis axis);
int64_t ashi_cut_boxes(const ashi_onto_cut *cut, int group);
int64_t ashi_cut_positions(const ashi_onto_cut *cut, int group);

/* Let `box` be box `number` of a group. */
void ashi_cut_box_of(const ashi_onto_cut *cut, int group, int64_t number, ashi_cut_box *box);

/* The group of the inner loop; and let `box` be a box of C, by its numbers in the loops. */
int ashi_cut_inner(const ashi_onto_cut *cut);
void ashi_cut_box_of_c(const ashi_onto_cut *cut, int64_t batch, int64_t outer, int64_t inner, ashi_cut_box *box);

/* Where a matrix's part in a box begins on the host: elements from the matrix's beginning. */
int64_t ashi_cut_box_begin(const ashi_onto_cut *cut, const ashi_cut_box *box, int matrix);

/* Positions of a group in a box, and words of a matrix. */
int64_t ashi_cut_box_positions(const ashi_onto_cut *cut, const ashi_cut_box *box, int group);
int64_t ashi_cut_box_words(const ashi_onto_cut *cut, const ashi_cut_box *box, int matrix);

#endif
