/* Sizes of blocks: of A for the second level of cache, of B for the third. */
#include "kernel/cache_blocks.h"

#include "base/checked.h"
#include "base/type.h"

/* Bytes of real numbers in a sum's part, of a block of A, of a panel of B. */
enum { DEPTH_BYTES = ASHI_CACHE_DEPTH * 8, BLOCK_BYTES = 512 << 10, PANEL_BYTES = 6 << 20 };

int64_t ashi_cache_part(int64_t count, int64_t unit, int64_t most)
{
    const int64_t units = ashi_max(1, ashi_ceil_div(count, unit)), fit = ashi_max(1, most / unit);
    return ashi_ceil_div(units, ashi_ceil_div(units, fit)) * unit;
}

ashi_cache_blocks ashi_cache_blocks_of(ashlar_type type, int64_t m, int64_t n, int64_t k, int64_t deepest)
{
    const ashi_type *const of = ashi_type_of(type);
    const ashi_micro *const micro = ashi_micro_of(type);
    const int64_t bytes = (int64_t)of->bytes, most = DEPTH_BYTES / (of->complex ? bytes / 2 : bytes);
    const int64_t kc = ashi_cache_part(k, 1, deepest > 0 ? ashi_min(deepest, most) : most);
    return (ashi_cache_blocks){ashi_cache_part(m, micro->rows, BLOCK_BYTES / (kc * bytes)),
                               ashi_cache_part(n, micro->cols, PANEL_BYTES / (kc * bytes)), kc};
}
