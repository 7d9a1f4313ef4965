/* The table of element types. */
#include "base/type.h"

static const ashi_type types[] = {
    [ASHLAR_TYPE_S] = {'s', "float", 4, false, 2, 0x1p-24},
    [ASHLAR_TYPE_D] = {'d', "double", 8, false, 2, 0x1p-53},
    [ASHLAR_TYPE_C] = {'c', "float complex", 8, true, 8, 0x1p-24},
    [ASHLAR_TYPE_Z] = {'z', "double complex", 16, true, 8, 0x1p-53},
};

const ashi_type *ashi_type_of(ashlar_type type)
{
    return type >= ASHLAR_TYPE_S && type <= ASHLAR_TYPE_Z ? &types[type] : NULL;
}

size_t ashlar_type_bytes(ashlar_type type)
{
    const ashi_type *t = ashi_type_of(type);
    return t ? t->bytes : 0;
}
