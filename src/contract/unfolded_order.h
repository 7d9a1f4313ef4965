/* The order of the indices within rows, columns and what is summed over, if tensors in files are seen as matrices. */
#ifndef ASHI_CONTRACT_UNFOLDED_ORDER_H
#define ASHI_CONTRACT_UNFOLDED_ORDER_H

#include "contract/unfolded.h"

/* Reorder the indices of groups so that tiles and slabs of a rank with `memory_words` words, elements of `bytes` bytes,
 * meet the fewest bytes of pages of the three files. All orders are compared, up to ORDERS_MOST in unfolded_order.c;
 * of equal ones, and if there are more, the given one stays. memory_words 0: there is no limit. */
void ashi_unfolded_order(const ashi_expression *expression, int64_t memory_words, int64_t bytes,
                         ashi_unfolded_group group[ASHI_UNFOLDED_GROUPS]);

#endif
