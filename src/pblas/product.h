/* A product prepared for a shape of p?gemm call, or the reason why there is none. */
#ifndef ASHI_PRODUCT_H
#define ASHI_PRODUCT_H

#include "pblas/gemm_call.h"
#include "pblas/log.h"

typedef struct ashi_product {
    ashlar_plan *plan;    /* NULL: to be handed to ScaLAPACK */
    char reason[ASHLAR_MESSAGE_MAX];
    int64_t ld[3];        /* the plan's */
    const void *lent;     /* the workspace that the plan was given; NULL: none yet */
    bool fixed;           /* the plan's leading dimensions cannot be changed: it is made anew where one differs */
    bool replicated;      /* C has copies to be brought up to date */
    ashi_log_line line;
    bool logs;            /* this process keeps the log */
} ashi_product;

/* Prepare the product on the grid of A. Collective over it. NULL on all processes or on none, for lack of memory. */
ashi_product *ashi_product_make(const ashi_gemm_call *call, ashi_grid *const grid[3]);

/* True where what was prepared serves this call as well; on all processes or on none. Collective where `fixed`. */
bool ashi_product_serves(const ashi_product *product, const ashi_gemm_call *call, const ashi_grid *grid);

/* Multiply. Collective. The status is this process's own. */
ashlar_status ashi_product_run(ashi_product *product, const ashi_gemm_call *call, ashi_grid *const grid[3],
                               ashlar_error *err);

/* For ashi_cache_put. */
void ashi_product_free(void *product);

#endif
