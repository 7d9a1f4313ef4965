/* A matrix of tiles in a file, made by all ranks: each writes some rows of tiles. */
#ifndef ASHI_TILES_FILE_OUTPUT_H
#define ASHI_TILES_FILE_OUTPUT_H

#include "layout/pattern.h"
#include "plan/context.h"
#include "store/tile_file.h"

typedef struct ashi_tile_output {
    const ashlar_context *context;
    ashi_tile_file *file;
    int64_t tile, word; /* the numbers of the first tile and the first element of this rank's rows */
    bool joined;        /* the file is rank 0's */
} ashi_tile_output;

/* Begin a matrix. The head is the same on all ranks; how many tiles and words there are is found here.
 *
 * @param first, end  the rows of tiles of this rank; those of a rank follow those of the rank before it, and all rows
 *                    have a rank
 * @param pattern     the tiles of these rows. They are in the file after this, without norms and elements, which the
 *                    rank writes from numbers out->tile and out->word on
 * @param rank        if head->low: of these tiles, by number, -1 for dense ones
 * @param out         ended by ashi_tile_output_end, also after a failure
 *
 * Collective; the status is the same on all ranks. ASHLAR_ERR_IO, ASHLAR_ERR_OVERFLOW and the others of
 * ashi_tile_file_create; ASHLAR_ERR_MPI. */
ashlar_status ashi_tile_output_begin(const ashlar_context *context, const char *place, const ashi_tile_head *head,
                                     int64_t first, int64_t end, const ashi_pattern *pattern, const int64_t *rank,
                                     ashi_tile_output *out, ashlar_error *err);

/* The file gets its final name if `mine`, what became of this rank's writing, is ASHLAR_OK on all ranks; else it is
 * removed. Collective; the status is the same on all ranks. */
ashlar_status ashi_tile_output_end(ashi_tile_output *output, ashlar_status mine, ashlar_error *err);

/* The rows of tiles that one of the ranks writes if all are to have about as many elements of the dense matrix: from
 * *first to *end - 1. */
void ashi_tile_rows_of(const ashi_cuts *row, int rank, int ranks, int64_t *first, int64_t *end);

#endif
