/* How a product of matrices of tiles is made, step by step. Each step needs those before it. */
#ifndef ASHI_TILES_PRODUCT_PARTS_H
#define ASHI_TILES_PRODUCT_PARTS_H

#include "tiles/product.h"

/* ---- tiles of A and B (product_needed.c) ---- */

/* Cuts of m, n and of all terms' k, which join_inner makes. */
const ashi_cuts *ashi_product_cuts(const ashi_tiles_product *product, int side);
ashlar_status ashi_product_join_inner(ashi_tiles_product *product, ashlar_error *err);

/* Set `needed`, `both` and, with a screen, `norm` of A or B; the second sets `norm` only. Collective; `mine` is what
 * this rank comes with. */
ashlar_status ashi_product_find_needed(ashi_tiles_product *product, int x, ashlar_status mine, ashlar_error *err);
ashlar_status ashi_product_find_norms(ashi_tiles_product *product, int x, ashlar_status mine, ashlar_error *err);

/* ---- tiles of C (product_sums.c) ---- */

/* Set what stands from `before` to `after`, and the bits of products that are left out. With a budget collective:
 * `mine` is what this rank comes with. */
ashlar_status ashi_product_find_sums(ashi_tiles_product *product, ashlar_status mine, ashlar_error *err);
void ashi_product_forget_sums(ashi_tiles_product *product);

/* Set `offset`. ASHLAR_ERR_OVERFLOW, ASHLAR_ERR_MEMORY. */
ashlar_status ashi_product_find_offsets(ashi_tiles_product *product, ashlar_error *err);

/* ---- the problem (product_problem.c) ---- */

/* Set `problem` without its iterations, and `run` without its sets of tiles. */
ashlar_status ashi_product_describe(ashi_tiles_product *product, ashlar_error *err);

/* Set `needs`. Collective; `mine` is what this rank comes with. */
ashlar_status ashi_product_find_needs(ashi_tiles_product *product, ashlar_status mine, ashlar_error *err);

/* Cut k into iterations: so long that the tiles which come for those in flight are few beside what the ranks have, and
 * so short that the next can come while one is multiplied. All ranks cut alike. */
ashlar_status ashi_product_cut_iterations(ashi_tiles_product *product, ashlar_error *err);

#endif
