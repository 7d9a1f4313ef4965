/* Which ranks form a product with which tile of A and B, where some products that the patterns allow are not formed. */
#ifndef ASHI_TILES_PRODUCT_EXACT_H
#define ASHI_TILES_PRODUCT_EXACT_H

#include "tiles/product.h"

/* Let the product's needs be exact: each rank says to the owners what would come to it for nothing, and they say to the
 * others who still needs that. Collective; status and text are the same on all ranks. */
ashlar_status ashi_tiles_find_exact(ashi_tiles_product *product, ashlar_error *err);

#endif
