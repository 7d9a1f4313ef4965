/* A tensor that is dealt out in blocks as a matrix whose rows and columns are groups of its indices. */
#ifndef ASHI_CONTRACT_MATRICISED_H
#define ASHI_CONTRACT_MATRICISED_H

#include "contract/runs.h"

#include <ashlar/layout.h>

/* The most tiles of a matrix that is moved, and of one that is multiplied: planning a product looks at each of them
 * often, and takes some 50 microseconds for each. */
enum { ASHI_MOVED_TILES_MOST = 1 << 22, ASHI_MULTIPLIED_TILES_MOST = 1 << 16 };

/* In how many tiles the matrix lies: if it is block-cyclic, the parts of its process grid. INT64_MAX if that does not
 * fit in 64 bits. */
int64_t ashi_matricised_tiles(const ashi_dealt *tensor, const ashi_order *rows, const ashi_order *cols);

/* The runs of a matrix. Each tile, a run of rows times a run of columns, lies in memory as `order` says. What is dealt
 * out in turn by rows and columns has no runs but is block-cyclic. */
typedef struct ashi_matricised {
    const ashi_dealt *tensor;
    bool cyclic;
    ashi_cycle cycle[2];     /* if cyclic: of rows, of columns */
    int64_t size[2];         /* rows, columns */
    ashi_runs row, col;      /* else */
    ashlar_order order;
} ashi_matricised;

/* @return ASHLAR_OK; ASHLAR_ERR_MEMORY; ASHLAR_ERR_UNSUPPORTED: more tiles than `most` */
ashlar_status ashi_matricised_make(const ashi_dealt *tensor, const ashi_order *rows, const ashi_order *cols,
                                   int64_t most, ashi_matricised *out, ashlar_error *err);

/* The layout of the matrix of which process `process` of the tensor's grid would own what the first process owns
 * otherwise, for this rank; of its transpose if `turned`. Owners beyond the first process follow. */
ashlar_status ashi_matricised_layout(const ashi_matricised *matrix, int64_t process, int rank, bool turned,
                                     ashlar_layout **out, ashlar_error *err);

void ashi_matricised_free(ashi_matricised *matrix);

#endif
