/* Which ranks form a product with which tile of A and B, where some products that the patterns allow are not formed. */
#ifndef ASHI_TILES_PRODUCT_EXACT_H
#define ASHI_TILES_PRODUCT_EXACT_H

#include "tiles/product.h"

/* Of each tile that the rank may need: whether it forms a product with it. NULL: it forms all that the patterns
 * allow. */
typedef struct ashi_tiles_used {
    bool *of[2]; /* by number in `needed` */
    bool some_unused; /* another rank's tile that would come for nothing */
} ashi_tiles_used;

/* Local. `out` is freed by ashi_tiles_used_free, also after a failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tiles_used_find(const ashi_tiles_product *product, ashi_tiles_used *out, ashlar_error *err);
void ashi_tiles_used_free(ashi_tiles_used *used);

/* Let the product's needs be exact: each rank says to the owners what it uses, and they say who else does. Collective;
 * status and text are the same on all ranks. */
ashlar_status ashi_tiles_find_exact(ashi_tiles_product *product, const ashi_tiles_used *used, ashlar_error *err);

#endif
