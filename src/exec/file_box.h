/* Boxes of plain files: read into memory and written from it, on any thread. */
#ifndef ASHI_FILE_BOX_H
#define ASHI_FILE_BOX_H

#include "exec/file_source.h"
#include "store/direct_batch.h"
#include "store/pages.h"

/* A box in a file and in memory: `extent` elements along each index, the first at data, their distances in memory
 * `stride`. Elements have `bytes` bytes; those of complex types are two numbers. */
typedef struct ashi_box_move {
    ashi_plain_file file;
    int indices;
    int64_t lo[ASHI_INDICES_MAX], extent[ASHI_INDICES_MAX], stride[ASHI_INDICES_MAX];
    size_t bytes, number_bytes;
    char *data;
    bool write;
    bool past; /* long runs are moved past the system's memory: read if it has them not, written if the disk is quick */
    ashi_direct_pace *pace; /* of what is written past it */
    ashi_direct_batch *batch; /* with `past`, shorter runs are read past it together; NULL: they are not */
} ashi_box_move;

/* Bytes of memory that a move takes beside the caller's, for elements that lie otherwise in memory than in the file, or
 * whose bytes are turned round. */
enum { ASHI_BOX_MOVE_BYTES = 1 << 20 };

/* `between` has ASHI_BOX_MOVE_BYTES bytes, and is of ashi_direct_buffer. ASHLAR_ERR_IO. */
ashlar_status ashi_move_box(const ashi_box_move *move, void *between, ashlar_error *err);

/* Visit the runs of a box as bytes of its file. */
typedef void (*ashi_box_pages_visit)(void *context, const ashi_box_move *move, const ashi_page_runs *runs);
void ashi_box_pages(const ashi_box_move *move, ashi_box_pages_visit visit, void *context);

#endif
