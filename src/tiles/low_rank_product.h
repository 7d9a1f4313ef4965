/* Products of matrices with tiles that are stored as U V^T: what is refused, and what they round. */
#ifndef ASHI_LOW_RANK_PRODUCT_H
#define ASHI_LOW_RANK_PRODUCT_H

#include "tiles/asked.h"
#include "tiles/low_rank.h"

/* A product of two such tiles is three sums one after the other. None is longer than k, so each rounds as one sum. */
enum { ASHI_LOW_RANK_ROUNDING = 3 };

/* Whether a factor has such tiles, on any rank; and whether a factor or C has, or C is to have. */
bool ashi_tiles_have_low(const ashi_tiles_asked *asked);
bool ashi_tiles_involve_low(const ashi_tiles_asked *asked);

/* Options that do not go with such tiles. Equal on all ranks if what is asked for is. ASHLAR_ERR_UNSUPPORTED. */
ashlar_status ashi_tiles_check_low(const ashi_tiles_asked *asked, ashlar_error *err);

/* The same for a plan, which is for dense tiles. */
ashlar_status ashi_tiles_check_plan(const ashi_tiles_asked *asked, ashlar_error *err);

#endif
