/* One element of an array of any type, as a complex number. */
#ifndef ASHI_TEST_ELEMENT_H
#define ASHI_TEST_ELEMENT_H

#include "base/half.h"

#include <ashlar/base.h>

#include <complex.h>
#include <stdint.h>

static inline double _Complex get_element(ashlar_type type, const void *data, int64_t i)
{
    if (type == ASHLAR_TYPE_S)
        return ((const float *)data)[i];
    if (type == ASHLAR_TYPE_D)
        return ((const double *)data)[i];
    if (type == ASHLAR_TYPE_C)
        return ((const float _Complex *)data)[i];
    if (type == ASHLAR_TYPE_H)
        return ashi_half_to_float(((const uint16_t *)data)[i]);
    if (type == ASHLAR_TYPE_B)
        return ashi_brief_to_float(((const uint16_t *)data)[i]);
    return ((const double _Complex *)data)[i];
}

/* Real types take the real part. */
static inline void set_element(ashlar_type type, void *data, int64_t i, double _Complex x)
{
    if (type == ASHLAR_TYPE_S)
        ((float *)data)[i] = (float)creal(x);
    else if (type == ASHLAR_TYPE_D)
        ((double *)data)[i] = creal(x);
    else if (type == ASHLAR_TYPE_C)
        ((float _Complex *)data)[i] = (float _Complex)x;
    else if (type == ASHLAR_TYPE_H)
        ((uint16_t *)data)[i] = ashi_half_of_float((float)creal(x));
    else if (type == ASHLAR_TYPE_B)
        ((uint16_t *)data)[i] = ashi_brief_of_float((float)creal(x));
    else
        ((double _Complex *)data)[i] = x;
}

#endif
