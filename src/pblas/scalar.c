/* Scalars of a call: elements of a type that is known at run time. */
#include "pblas/scalar.h"

#include <string.h>

bool ashi_scalar_is(ashlar_type type, const void *scalar, double wanted)
{
    float narrow[2] = {0};
    double wide[2] = {0};
    if (type == ASHLAR_TYPE_S || type == ASHLAR_TYPE_C) {
        memcpy(narrow, scalar, ashlar_type_bytes(type));
        wide[0] = (double)narrow[0];
        wide[1] = (double)narrow[1];
    } else {
        memcpy(wide, scalar, ashlar_type_bytes(type));
    }
    return wide[0] == wanted && wide[1] == 0;
}

void ashi_scalar_compare(ashi_call_check *check, int number, ashlar_type type, const void *scalar)
{
    int64_t bits[2] = {0, 0};
    memcpy(bits, scalar, ashlar_type_bytes(type));
    ashi_call_check_add(check, number, 0, bits[0]);
    ashi_call_check_add(check, number, 0, bits[1]);
}
