/* The table of element types: all that may differ between them outside exec's kernels. */
#ifndef ASHI_TYPE_H
#define ASHI_TYPE_H

#include <ashlar/base.h>

/* How many types there are. */
enum { ASHI_TYPES = 6 };

typedef struct ashi_type {
    char letter;
    const char *name;   /* in prose: "double complex" */
    size_t bytes;       /* of an element; if `sums` is another type, of A or B */
    bool complex;
    int flops;          /* of one multiply-add: 2, or 8 */
    double roundoff;    /* unit roundoff of the real part of a sum */
    ashlar_type sums;   /* of C, alpha, beta and all sums */
} ashi_type;

/* NULL for a value that is no type. */
const ashi_type *ashi_type_of(ashlar_type type);

/* Whether A, B, C and sums are of one type: s, d, c and z. Only products of dense matrices in memory have others. */
bool ashi_type_is_alike(ashlar_type type);

/* The error of a call, `who`, whose `what` cannot be of this type: always ASHLAR_ERR_UNSUPPORTED. */
ashlar_status ashi_type_refuse(ashlar_type type, const char *who, const char *what, ashlar_error *err);

/* The type of an operand's elements. */
ashlar_type ashi_type_of_operand(ashlar_type type, ashlar_operand operand);

/* Bytes of an element of an operand. */
size_t ashi_type_bytes(ashlar_type type, ashlar_operand operand);

/* Bytes of a word of a workspace: it has room for an element of any operand. */
static inline size_t ashi_type_word(ashlar_type type)
{
    return ashi_type_bytes(type, ASHLAR_C);
}

#endif
