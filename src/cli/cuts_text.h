/* The sizes of tiles in a text file. */
#ifndef ASHI_CUTS_TEXT_H
#define ASHI_CUTS_TEXT_H

#include "layout/cuts.h"
#include "plan/context.h"

/* Two lines: the tile sizes of the rows, and those of the columns, whole numbers with blanks between them. An empty
 * line is a side without tiles. Rank 0 reads it for all ranks. The cuts are freed by ashi_cuts_free, also after a
 * failure. Collective; the status is the same on all ranks. ASHLAR_ERR_ARG: the text is another; it says where.
 * ASHLAR_ERR_IO; ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI. */
ashlar_status ashi_cuts_text_read(const ashlar_context *context, const char *path, ashi_cuts *row, ashi_cuts *col,
                                  ashlar_error *err);

#endif
