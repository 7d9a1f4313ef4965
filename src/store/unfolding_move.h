/* Boxes of arrays, and of matrices that are views of them, moved between memory and a file in which elements lie one by
 * one. */
#ifndef ASHI_STORE_UNFOLDING_MOVE_H
#define ASHI_STORE_UNFOLDING_MOVE_H

#include "base/error.h"
#include "store/direct_batch.h"
#include "store/unfolding.h"

/* Bytes of memory that a move takes beside the caller's. */
enum { ASHI_UNFOLDING_MOVE_BYTES = 1 << 20 };

/* A file of elements of `bytes` bytes, each of them numbers of number_bytes bytes, the first at byte `start`. */
typedef struct ashi_element_file {
    int fd;
    const char *path;
    int64_t start;
    bool swapped;              /* bytes of numbers are not in the machine's order */
    const ashi_direct *direct; /* long runs are read past the system's memory; NULL: they are not */
    ashi_direct_batch *batch;  /* with `direct`, shorter runs are read past it together; NULL: they are not */
    size_t bytes, number_bytes;
} ashi_element_file;

/* A box that moves. `data` is where its first element is in memory, `between` has ASHI_UNFOLDING_MOVE_BYTES bytes. */
typedef struct ashi_unfolding_transfer {
    const ashi_element_file *file;
    char *data;
    bool write;
    char *between;
} ashi_unfolding_transfer;

/* Move a box of an array, whose neighbours along dimension d are stride[d] > 0 elements apart in the file. Neighbouring
 * runs are read together if the gaps between them are smaller than a page. Runs that wait in `batch` are read when that
 * ends. On any thread. ASHLAR_ERR_IO. */
ashlar_status ashi_array_move(const ashi_unfolding_transfer *transfer, const int64_t *stride, const ashi_array_box *box,
                              ashlar_error *err);

/* Copy a box whose elements lie at `packed` one by one, the last dimension fastest, to where they are in memory. */
void ashi_array_unpack(size_t bytes, const ashi_array_box *box, const void *packed, void *data);

/* The other way round. */
void ashi_array_pack(size_t bytes, const ashi_array_box *box, const void *data, void *packed);

/* Move a box of a view, element (i, j) of which is at data + (i stride[0] + j stride[1]) elements. */
ashlar_status ashi_unfolding_move(const ashi_unfolding_transfer *transfer, const ashi_unfolding *view,
                                  const ashi_unfolding_box *box, ashlar_error *err);

#endif
