/* Sums of the work that tiles of a product's result are, over all ranks. */
#ifndef ASHI_DEAL_SUMS_H
#define ASHI_DEAL_SUMS_H

#include "search/deal_work.h"
#include "tiles/product.h"

/* Each rank has the tiles of C that are its own by turns. Work is counted in whole units, 1 multiply-add unless there
 * are more than 2^62, so that sums are the same in any order. */
typedef struct ashi_deal_sums {
    const ashlar_context *context;
    double unit;
    ashi_pattern c[2]; /* by rows, and by columns */
    int64_t *work[2];  /* of these tiles */
    int64_t *sum;      /* room for what is asked for at once */
} ashi_deal_sums;

/* Products of tiles that the patterns allow on this rank; those of A and B that it needs are known. */
double ashi_deal_products(const ashi_tiles_product *product);

/* Find this rank's tiles and their work. `out` is freed by ashi_deal_sums_free, also after a failure. Local.
 * ASHLAR_ERR_MEMORY. */
ashlar_status ashi_deal_sums_find(const ashi_tiles_product *product, ashi_deal_sums *out, ashlar_error *err);
void ashi_deal_sums_free(ashi_deal_sums *sums);

/* The find of ashi_line_sums: adds up over all ranks, which ask for the same. A failure of MPI is noted. Collective. */
void ashi_deal_sums_add(void *sums, int side, const ashi_line_band *band, double *load);

/* The work of each row and of each column on all ranks, whatever tiles C has: `work` has room for both, one behind the
 * other. Collective; status and text are the same on all ranks, `mine` is what this rank comes with. */
ashlar_status ashi_deal_line_work(const ashi_tiles_product *product, ashlar_status mine, double *work,
                                  ashlar_error *err);

#endif
