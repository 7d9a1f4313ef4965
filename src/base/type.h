/* The table of element types: all that may differ between s, d, c and z outside exec's kernels. */
#ifndef ASHI_TYPE_H
#define ASHI_TYPE_H

#include <ashlar/base.h>

typedef struct ashi_type {
    char letter;
    const char *name;   /* in prose: "double complex" */
    size_t bytes;
    bool complex;
    int flops;          /* of one multiply-add: 2, or 8 */
    double roundoff;    /* unit roundoff of the real part */
} ashi_type;

/* NULL for a value that is no type. */
const ashi_type *ashi_type_of(ashlar_type type);

#endif
