/* This rank's part of a matrix in the caller's memory. */
#ifndef ASHI_PART_H
#define ASHI_PART_H

/* One array, or one pointer for each tile. */
typedef struct ashi_part {
    const void *base;
    const void *const *tile; /* NULL if base is used */
} ashi_part;

#endif
