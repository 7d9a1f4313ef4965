/* A batch of products of tensors in files that is dealt out over ranks: what a plan of it is inside. */
#ifndef ASHI_CONTRACT_FILED_BATCH_H
#define ASHI_CONTRACT_FILED_BATCH_H

#include "contract/plan.h"
#include "contract/tensor_file.h"

/* A, B, C and C0; and how large a slab is: the usual one, or the last of the index that is cut. */
enum { ASHI_BATCH_C0 = 3, ASHI_BATCH_TENSORS, ASHI_BATCH_SIZES = 2, ASHI_BATCH_BUFFERS = 2 };

/* A slab has one value of each of the first `depth` batch indices, some of the next one, and all of the others. */
typedef struct ashi_filed_batch {
    int index[ASHI_INDICES_MOST], count; /* of the batch: those first that have the longest runs in the files */
    int depth;
    int64_t thickness;      /* values of index[depth] in a slab */
    int64_t per_line;       /* slabs for one value of the first indices */
    int64_t slabs, first, last; /* of all ranks; this rank has those from first to last - 1 */
    ashlar_tensor_file *file[ASHI_BATCH_TENSORS];
    ashi_store *view[ASHI_BATCH_TENSORS][ASHI_BATCH_SIZES]; /* a slab as one row, in the order of the indices */
    int64_t words[ASHI_BATCH_TENSORS][ASHI_BATCH_SIZES];
    ashlar_context *context; /* of this rank alone */
    ashlar_contraction_plan *plan[ASHI_BATCH_SIZES];
    char *buffer[ASHI_BATCH_BUFFERS][ASHI_BATCH_TENSORS - 1]; /* of A, B and C */
    int64_t memory;         /* words that this rank holds */
    bool beside;            /* the next slab is read, and the last one written, while one is contracted */
    int64_t read, written;  /* words, in the last execution */
    double seconds;
} ashi_filed_batch;

/* ---- filed_slabs.c ---- */

/* Extents of a tensor within a slab of that size. `x` as above. */
void ashi_batch_extents(const ashlar_contraction_plan *plan, const ashi_filed_batch *b, int x, int size,
                        int64_t *extent);

/* Size and beginning of slab n: value[i] is the first value of index[i]. */
int ashi_batch_slab(const ashlar_contraction_plan *plan, const ashi_filed_batch *b, int64_t n, int64_t *value);

/* The dimensions of tensor x. */
const ashi_index_list *ashi_batch_list(const ashlar_contraction_plan *plan, int x);

/* ---- filed_batch_run.c ---- */

/* Contract this rank's slabs. Local, but for the beginning and the end. */
ashlar_status ashi_batch_run(ashlar_contraction_plan *plan, const ashi_contract_arguments *with, ashlar_error *err);

#endif
