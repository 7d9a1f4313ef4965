/* This rank's part of a matrix in the caller's memory. */
#ifndef ASHI_PART_H
#define ASHI_PART_H

#include "layout/view.h"

#include <stdint.h>

/* One array, or one pointer for each tile. */
typedef struct ashi_part {
    const void *base;
    const void *const *tile; /* NULL if base is used */
} ashi_part;

/* The first element of a block in such a part. */
static inline char *ashi_part_address(const ashi_part *p, const ashi_block *block, size_t bytes)
{
    if (p->tile)
        return (char *)(uintptr_t)p->tile[block->tile] + (size_t)block->offset * bytes;
    return (char *)(uintptr_t)p->base + (size_t)(block->start + block->offset) * bytes;
}

#endif
