/* How a product of matrices of tiles is made, step by step. Each step needs those before it. */
#ifndef ASHI_TILES_PRODUCT_PARTS_H
#define ASHI_TILES_PRODUCT_PARTS_H

#include "engine/tile_groups_change.h"
#include "exec/onto_tiles.h"
#include "tiles/product.h"

/* ---- tiles of A and B (product_needed.c) ---- */

/* Cuts of m, n and of all terms' k, which join_inner makes. */
const ashi_cuts *ashi_product_cuts(const ashi_tiles_product *product, int side);
ashlar_status ashi_product_join_inner(ashi_tiles_product *product, ashlar_error *err);

/* Set `needed`, `both` and, with a screen, `norm` of A or B; the second sets `norm` only. Collective; `mine` is what
 * this rank comes with. */
ashlar_status ashi_product_find_needed(ashi_tiles_product *product, int x, ashlar_status mine, ashlar_error *err);
ashlar_status ashi_product_find_norms(ashi_tiles_product *product, int x, ashlar_status mine, ashlar_error *err);

/* Free `both`. And have it be `needed` if it is the same. */
void ashi_product_free_both(ashi_tiles_product *product, int x);
void ashi_product_join_both(ashi_tiles_product *product, int x);

/* ---- partial sums (product_layers.c) ---- */

/* Set `row_tiles` and, for sums that are retained, `before`. Collective if C has partial sums; `mine` is what this rank
 * comes with. */
ashlar_status ashi_product_ask_layers(ashi_tiles_product *product, ashlar_status mine, ashlar_error *err);

/* Set `adding_words`. Likewise. */
ashlar_status ashi_product_find_adding(ashi_tiles_product *product, ashlar_status mine, ashlar_error *err);

/* This rank's layer; 0 if there is one. */
int64_t ashi_product_layer(const ashi_tiles_product *product);

/* ---- tiles of C (product_sums.c) ---- */

/* Set what stands from `before` to `after`, `offset`, and the bits of products that are left out. With a budget
 * collective: `mine` is what this rank comes with. */
ashlar_status ashi_product_find_sums(ashi_tiles_product *product, ashlar_status mine, ashlar_error *err);
void ashi_product_forget_sums(ashi_tiles_product *product);

/* The parts of that for C's own tiles: those that take part, as they are; which these are, unless partial sums have
 * them; what C has afterwards with its tiles outside the ranges, and where its tiles begin then. Local.
 * ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW. */
const ashi_pattern *ashi_product_before(const ashi_tiles_product *product);
ashlar_status ashi_product_find_before(ashi_tiles_product *product, ashlar_error *err);
ashlar_status ashi_product_find_after(ashi_tiles_product *product, ashlar_error *err);

/* ---- which tiles are in products (product_used.c) ---- */

/* Set `used`; what is there already is taken for right where it has a product. Local. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_product_find_used(ashi_tiles_product *product, ashlar_error *err);
void ashi_product_used_free(ashi_tiles_used *used);

/* Change it for other needed tiles: move what stays, before `needed` is changed; then, with the new patterns, forget
 * products with tiles that have gone. Local. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_product_move_used(ashi_tiles_product *product, const ashi_pattern_changes needed[2],
                                     ashlar_error *err);
ashlar_status ashi_product_open_used(ashi_tiles_product *product, const ashi_pattern_changes needed[2],
                                     ashlar_error *err);

/* ---- what stays when a product is changed (product_kept.c) ---- */

/* SUMS: times that C's pattern changes. */
enum { ASHI_PRODUCT_SUMS = 2 };

/* What followed from needed tiles and C's pattern before, and how these have changed. */
typedef struct ashi_product_kept {
    ashi_tile_problem problem;
    ashi_tile_needs needs;
    int64_t *first;
    ashi_tile_groups groups;
    ashi_pattern_changes factor[2]; /* of `both` */
    ashi_pattern_changes sums[ASHI_PRODUCT_SUMS];
    bool used;                      /* the groups were changed, not found again */
} ashi_product_kept;

/* Take it out of the product. It may be moved as long as it is not used. */
void ashi_product_keep(ashi_tiles_product *product, ashi_product_kept *kept);
void ashi_product_kept_free(ashi_product_kept *kept);

/* Give the program the groups from before, changed, if they can be; else it finds them itself. ASHLAR_ERR_MEMORY;
 * ASHLAR_ERR_OVERFLOW. */
ashlar_status ashi_product_use_kept(ashi_tiles_product *product, ashi_product_kept *kept, ashlar_error *err);

/* ---- the two ends of a product that is changed (product.c) ---- */

/* Forget what follows from needed tiles and C's pattern; find it. The second is collective, like
 * ashi_tiles_product_make, and clears the product if it fails. kept: NULL, or what was kept. */
void ashi_tiles_product_drop(ashi_tiles_product *product);
ashlar_status ashi_tiles_product_finish(ashi_tiles_product *product, ashi_product_kept *kept, ashlar_status mine,
                                        ashlar_error *err);

/* ---- the problem (product_problem.c) ---- */

/* Set `problem` without its iterations, and `run` without its sets of tiles. */
ashlar_status ashi_product_describe(ashi_tiles_product *product, ashlar_error *err);

/* Set `needs`. kept: NULL, or what was kept. Collective; `mine` is what this rank comes with. */
ashlar_status ashi_product_find_needs(ashi_tiles_product *product, const ashi_product_kept *kept, ashlar_status mine,
                                      ashlar_error *err);

/* How much of k an iteration usually has at most (choose/tile_iterations.h). ASHLAR_ERR_MEMORY. */
ashlar_status ashi_product_inner_most(const ashi_tiles_product *product, double *most, ashlar_error *err);

/* Cut k into iterations of at most `most`, or of one tile. All ranks cut alike. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_product_cut_iterations(ashi_tiles_product *product, double most, ashlar_error *err);

/* ---- the device (product_device.c) ---- */

/* What makes the products if this rank has a device for them; false: it has none, or tiles have a rank. Local. */
bool ashi_product_device(const ashi_tiles_product *product, ashi_onto_tiles_request *out);

/* The player is made: predict, set `on_device`, and choose. Local. */
void ashi_product_choose_device(ashi_tiles_product *product);

/* A call that multiplies begins: what devices do for it is counted from 0. Local. */
void ashi_tiles_device_begin(const ashlar_context *context);

/* This rank's device has failed: from now on it multiplies no tiles. Local. */
void ashi_product_note_failure(const ashi_tiles_product *product, const ashlar_error *err);

/* A run has ended on this rank with `mine`: add what its device did, and note if it failed. Local. */
void ashi_product_note_device(const ashi_tiles_product *product, ashlar_status mine, const ashlar_error *err);

/* After a failure of a device on any rank, from now on the cores multiply. Local. */
void ashi_product_leave_device(ashi_tiles_product *product);

/* ---- the program (product_player.c, product_fit.c) ---- */

/* Make program and player for the iterations that are cut. kept: NULL, or what was kept. With `later` see
 * ashi_player_request. Local. */
ashlar_status ashi_product_play(ashi_tiles_product *product, ashi_product_kept *kept, bool later, ashlar_error *err);
void ashi_product_stop(ashi_tiles_product *product);

/* The same within product->memory_words: cut k, and choose how many iterations are in flight. ASHLAR_ERR_LIMIT, with
 * what would do. Collective; `mine` is what this rank comes with. */
ashlar_status ashi_product_fit(ashi_tiles_product *product, ashlar_status mine, ashlar_error *err);

#endif
