/* How large buffers are made that no memory limit restricts. */
#ifndef ASHI_BUFFERS_H
#define ASHI_BUFFERS_H

#include "base/checked.h"

/* A slab thinner than this wastes the BLAS; only a memory limit makes thinner ones. */
enum { ASHI_THINNEST_SLAB = 64 };

/* Words of all buffers beside a rank's share: a part of that, or this many if that is more. */
static inline int64_t ashi_buffer_words(int64_t share)
{
    enum { PART = 7, LEAST = 524288 };
    return ashi_max(ashi_ceil_div(share, PART), LEAST);
}

/* Workspace that a plan may have without a limit if some more words would spare it: more than buffers only beside small
 * shares ("Memory" in docs/PERFORMANCE.md). */
static inline int64_t ashi_workspace_words(int64_t share)
{
    enum { LEAST = 917504 };
    return ashi_max(ashi_buffer_words(share), LEAST);
}

#endif
