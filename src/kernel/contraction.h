/* Products in one memory whose rows, columns and sums run over several indices each, of any strides: contractions of
 * tensors. Elements are brought into the order of the innermost product where it packs them anyway, so no operand is
 * permuted as a whole (Matthews, SIAM J. Sci. Comput. 40, 2018, "High-performance tensor contraction without
 * transposition"). */
#ifndef ASHI_CONTRACTION_H
#define ASHI_CONTRACTION_H

#include <ashlar/base.h>

/* More than an expression has letters, as some are split in two. */
enum { ASHI_CONTRACTION_INDICES = 64 };

/* For this many rows each, vectors B are brought into A's order. */
enum { ASHI_ROWS_ENOUGH = 4 };

/* An index: how many values it has, and how many elements lie from one value to the next in A, in B and in C. 0 for a
 * matrix that does not have it. */
typedef struct ashi_index {
    int64_t extent, stride[3];
} ashi_index;

typedef struct ashi_stride_group {
    int count;
    ashi_index index[ASHI_CONTRACTION_INDICES];
} ashi_stride_group;

typedef struct ashi_contraction {
    ashlar_type type;
    ashi_stride_group rows;  /* in A and C */
    ashi_stride_group cols;  /* in B and C */
    ashi_stride_group depth; /* in A and B, summed */
    ashi_stride_group batch; /* in all three */
    bool conjugate_a, conjugate_b;
} ashi_contraction;

/* Indices of a group that are cut, and into how many pieces of about equal size: 1 if an index stays whole. */
typedef struct ashi_index_pieces {
    int index[2];
    int64_t count[2];
} ashi_index_pieces;

/* Copies of matrices of a batch whose index runs fastest in memory: `step` products at a time. step = 0: there are
 * none, or a vector's. A batch whose elements interleave has all of them, in an order of its own. */
typedef struct ashi_contraction_stage {
    ashi_contraction whole;     /* without copies */
    bool used[3];               /* the matrices that are copied: A, B, C */
    ashi_index fast;            /* the index of the batch */
    ashi_stride_group outer;    /* the other ones */
    ashi_stride_group copy[3];  /* a matrix's indices: stride[0] where it lies, stride[2] in the copy */
    int64_t step, at[3], bytes; /* where copies are in the workspace, and what they take together */
} ashi_contraction_stage;

/* How a matrix of many rows is read where the other one has few columns: not so; its rows are neighbours; its positions
 * of the sum are. */
typedef enum ashi_skinny_way { ASHI_SKINNY_NOT, ASHI_SKINNY_ACROSS, ASHI_SKINNY_ALONG } ashi_skinny_way;

/* How it is done: indices ordered and joined, and the sizes of blocks that stay in caches. */
typedef struct ashi_contraction_plan {
    ashi_contraction product; /* A and B may have changed places, so that neighbours in C are rows */
    bool turned;          /* they have */
    bool thin;            /* there are rows only; those of the batch are among them */
    bool vector;          /* and all have the same elements of B */
    bool inner;           /* another index of the sum runs fastest in A than in B, and B is not copied */
    bool small;           /* matrices as the BLAS takes them, too small for blocks */
    bool vector_copied;   /* B is copied, its sums in A's order: stage.copy[1] says how, stage.bytes is what it takes */
    ashi_skinny_way skinny; /* there are few columns */
    bool interleaved;       /* a batch whose elements interleave */
    int kind;               /* registers of these two, see ashi_skinny_all */
    int64_t together; /* products of a batch that are packed together, as elements of some matrix interleave; else 1 */
    ashi_index lanes; /* the index of the batch that they are values of, which `product` then lacks */
    int64_t m, n, k, batches;
    ashi_index_pieces rows, cols, depth; /* the boxes that are multiplied one after the other */
    int64_t mc, nc, kc;            /* the most rows, columns and positions of the sum of a block */
    int64_t bytes; /* of workspace, for each that works on a part */
    ashi_contraction_stage stage; /* the product above is then that of the copies, but for `batches` */
} ashi_contraction_plan;

/* The product of extents fits 64 bits. */
void ashi_contraction_make(const ashi_contraction *product, ashi_contraction_plan *out);

/* The same without copies; false if there are none. */
bool ashi_contraction_unstage(ashi_contraction_plan *plan);

/* Other blocks than those of the caches. A batch whose elements interleave keeps its own. */
void ashi_contraction_blocks(ashi_contraction_plan *plan, int64_t mc, int64_t nc, int64_t kc);

/* C <- alpha A B + beta C: part `part` of `parts`, which may be done at the same time by several threads, each with a
 * workspace of its own. beta = 0: C is not read; alpha = 0: A and B are not. Small matrices are given to the BLAS, so
 * the caller has begun to use it with one thread (ashi_blas_begin). If executions are asked to end (base/interrupt.h),
 * it returns after the present block, and C is unspecified. */
void ashi_contraction_run(const ashi_contraction_plan *plan, const void *alpha, const void *a, const void *b,
                          const void *beta, void *c, int part, int parts, void *workspace);

#endif
