/* Which ranks form a product with which tile of A and B, where some products that the patterns allow are not formed. */
#ifndef ASHI_TILES_PRODUCT_EXACT_H
#define ASHI_TILES_PRODUCT_EXACT_H

#include "tiles/product_parts.h"

/* Let the product's needs be exact: each rank says to the owners what would come to it for nothing, and they say to the
 * others who still needs that. kept: NULL, or what was known before the patterns changed: then ranks say of which tiles
 * that is no longer so. Collective; status and text are the same on all ranks. */
ashlar_status ashi_tiles_find_exact(ashi_tiles_product *product, const ashi_product_kept *kept, ashlar_error *err);

#endif
