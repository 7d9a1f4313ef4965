/* Arrays of 16-bit numbers that lie in a file one by one: boxes of them are read as floats, or as they are.
 *
 * A piece of the box is read as halves that lie one by one, which are converted and then copied to their places. */
#include "store/half_file.h"

#include "store/cells.h"
#include "base/half.h"
#include "store/unfolding_move.h"

#include <stdlib.h>
#include <unistd.h>

enum { PIECE = 1 << 15 }; /* elements */

_Static_assert(PIECE * (int)sizeof(float) <= (int)ASHI_UNFOLDING_MOVE_BYTES, "floats pass through a move's memory");

ashlar_status ashi_half_file_make(int fd, int64_t start, bool swapped, ashi_half_file **out, ashlar_error *err)
{
    const int64_t bytes = ASHI_UNFOLDING_MOVE_BYTES + (int64_t)PIECE * ASHI_HALF_BYTES;
    ashi_half_file *file = calloc(1, sizeof *file);
    char *buffer = file ? malloc((size_t)bytes) : NULL;
    *out = NULL;
    if (!buffer) {
        free(file);
        close(fd);
        return ashi_fail_memory(err, "store", bytes);
    }
    *file = (ashi_half_file){fd, start, swapped, buffer};
    *out = file;
    return ASHLAR_OK;
}

/* The box, its dimensions in an order in which the last is the fastest in the file. */
static ashi_array_box by_rows(const ashi_store_info *info, const ashi_array_box *box)
{
    ashi_array_box out = *box;
    for (int d = 0; info->order == ASHLAR_COL_MAJOR && d < box->order; d++) {
        const int other = box->order - 1 - d;
        out.from[d] = box->from[other];
        out.extent[d] = box->extent[other];
        out.stride[d] = box->stride[other];
    }
    return out;
}

/* Read a piece to `packed`, where its elements lie one by one, the last dimension fastest. */
static ashlar_status read_piece(const ashi_half_file *file, const ashi_store *store, const ashi_array_box *piece,
                                char *packed, ashlar_error *err)
{
    const ashi_element_file elements = {.fd = file->fd, .path = store->place.path, .start = file->start,
                                        .bytes = ASHI_HALF_BYTES, .number_bytes = ASHI_HALF_BYTES};
    const ashi_unfolding_transfer t = {.file = &elements, .data = packed, .between = file->buffer};
    const bool turned = store->info.order == ASHLAR_COL_MAJOR;
    int64_t in_file[ASHI_DIMENSIONS_MAX], next = 1, in_memory = 1;
    ashi_array_box to = *piece;
    for (int d = piece->order - 1; d >= 0; d--) {
        in_file[d] = next;
        next *= store->info.extent[turned ? piece->order - 1 - d : d];
        to.stride[d] = in_memory;
        in_memory *= piece->extent[d];
    }
    return ashi_array_move(&t, in_file, &to, err);
}

ashlar_status ashi_half_file_read(const ashi_half_file *file, const ashi_store *store, const ashi_array_box *box,
                                  void *data, ashlar_error *err)
{
    const ashi_array_box own = by_rows(&store->info, box);
    char *const packed = file->buffer + ASHI_UNFOLDING_MOVE_BYTES;
    ashi_cells pieces = ashi_cells_within(&own, PIECE);
    ashlar_status status = ASHLAR_OK;
    int64_t at = 0;
    for (ashi_array_box piece; status == ASHLAR_OK && ashi_cells_next(&pieces, &piece, &at);) {
        status = read_piece(file, store, &piece, packed, err);
        if (status != ASHLAR_OK)
            break;
        if (store->info.type == ASHLAR_TYPE_H) {
            if (file->swapped)
                ashi_halves_swap(ashi_array_box_words(&piece), packed);
            ashi_array_unpack(ASHI_HALF_BYTES, &piece, packed, (char *)data + at * ASHI_HALF_BYTES);
            continue;
        }
        ashi_half_to_floats(ashi_array_box_words(&piece), packed, file->swapped, file->buffer);
        ashi_array_unpack(sizeof(float), &piece, file->buffer, (char *)data + at * (int64_t)sizeof(float));
    }
    return status;
}

void ashi_half_file_close(ashi_half_file *file)
{
    if (!file)
        return;
    close(file->fd);
    free(file->buffer);
    free(file);
}
