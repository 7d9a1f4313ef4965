/* A call of p?gemm like the one before it on the same grid: what was read, checked and found for that serves again. */
#ifndef ASHI_REPEATED_H
#define ASHI_REPEATED_H

#include "pblas/product.h"

/* Remember the call, for which the grid's cache has just found or been given the product. Local. */
void ashi_repeated_keep(const ashi_gemm_call *call, bool one_context, ashi_grid *grid, const ashi_product *product);

/* The product for a call whose arguments are those remembered, apart from addresses and scalars other than alpha = 0:
 * *call has them as they are now. NULL: the call is to be read and checked. Local. */
ashi_product *ashi_repeated_find(ashlar_type type, bool one_context, const ashi_gemm_arguments *given, ashi_grid *grid,
                                 const ashi_gemm_call **call);

#endif
