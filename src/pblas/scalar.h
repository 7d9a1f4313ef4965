/* Scalars of a call: elements of a type that is known at run time. */
#ifndef ASHI_SCALAR_H
#define ASHI_SCALAR_H

#include "pblas/check.h"

/* True where the scalar is the real number `wanted`. */
bool ashi_scalar_is(ashlar_type type, const void *scalar, double wanted);

/* Argument `number` must have the same bits on all processes. */
void ashi_scalar_compare(ashi_call_check *check, int number, ashlar_type type, const void *scalar);

#endif
