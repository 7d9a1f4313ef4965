/* Prove that a program of tiles computes C: an independent reading of all ranks' operations. */
#ifndef ASHI_CHECK_TILES_H
#define ASHI_CHECK_TILES_H

#include "check/program.h"

/* Read every rank's program and prove that
 *   - for each tile of C's pattern, and each k of which A and B have tiles, the rank that has that tile of C forms the
 *     product once, and forms no other; a tile's products come in ascending order of k's iterations;
 *   - with layers, each product is formed once in the layer of its k, whose sums have the tile of C;
 *   - what it multiplies is the rank's own, or arrived from the rank that has it: the tiles of a message are the same
 *     at both ends, in the same order; if needs are exact, every tile that arrives is in a product;
 *   - nothing is read before it is whole, or after its last reader, and every panel that comes is read; C is begun
 *     once, before it is added to.
 * That messages have the same size and step at both ends, that memory suffices and that nothing waits for itself is
 * proved by ashi_check_ready. The patterns of program->tiles have to be those of the whole matrices.
 *
 * Of the report `products` (multiply-adds), `messages`, `words` and `text` are set. Returns ASHLAR_OK;
 * ASHLAR_ERR_INTERNAL with report->text; ASHLAR_ERR_MEMORY; the status with which a program could not be made. Memory
 * grows with the number of products of tiles of a rank, and of messages of all. */
ashlar_status ashi_check_tiles(ashi_program *program, ashi_check_report *report, ashlar_error *err);

#endif
