/* A product that was made for certain patterns, changed for others of which few tiles differ. */
#ifndef ASHI_TILES_PRODUCT_CHANGE_H
#define ASHI_TILES_PRODUCT_CHANGE_H

#include "layout/pattern_change.h"
#include "tiles/product.h"

/* Whether a product can be changed: products of tiles follow from patterns alone. The same on all ranks. If C retains
 * its tiles these have to be those from before. */
bool ashi_tiles_product_changes(const ashi_tiles_product *product);

/* `changed` has for A and B of each term which stored tiles of this rank come and go; the product's shapes have the new
 * patterns already, C's its tiles before the next execution, which may be any. What follows from the changes alone is
 * changed: who needs which tiles, which tiles C has and how many products, and the lines of the program, which are
 * changed in place as long as k is cut into the same iterations. Products of tiles are made ready anew.
 * The result is that of ashi_tiles_product_make, in fewer steps. After a failure the product is cleared. Collective;
 * status and text are the same on all ranks, `mine` is what this rank comes with. */
ashlar_status ashi_tiles_product_change(ashi_tiles_product *product, const ashi_pattern_changes *changed,
                                        ashlar_status mine, ashlar_error *err);

#endif
