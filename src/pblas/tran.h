/* p?tran, p?tranu, p?tranc: the way of a call, from its arguments to its end. */
#ifndef ASHI_TRAN_H
#define ASHI_TRAN_H

#include <ashlar/base.h>

/* As Fortran passes them; x[0] is A, x[1] is C. */
typedef struct ashi_tran_arguments {
    const int *m, *n;
    const void *alpha, *beta;
    const void *a;
    void *c;
    const int *i[2], *j[2], *desc[2];
} ashi_tran_arguments;

/* op: ASHLAR_OP_C for p?tranc. */
void ashi_tran(ashlar_type type, ashlar_op op, const ashi_tran_arguments *given);

#endif
