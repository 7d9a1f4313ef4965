/* The table of element types. */
#include "base/type.h"

#include "base/error.h"

static const ashi_type types[ASHI_TYPES] = {
    [ASHLAR_TYPE_S] = {'s', "float", 4, false, 2, 0x1p-24, ASHLAR_TYPE_S},
    [ASHLAR_TYPE_D] = {'d', "double", 8, false, 2, 0x1p-53, ASHLAR_TYPE_D},
    [ASHLAR_TYPE_C] = {'c', "float complex", 8, true, 8, 0x1p-24, ASHLAR_TYPE_C},
    [ASHLAR_TYPE_Z] = {'z', "double complex", 16, true, 8, 0x1p-53, ASHLAR_TYPE_Z},
    [ASHLAR_TYPE_H] = {'h', "float16", 2, false, 2, 0x1p-24, ASHLAR_TYPE_S},
    [ASHLAR_TYPE_B] = {'b', "bfloat16", 2, false, 2, 0x1p-24, ASHLAR_TYPE_S},
};

const ashi_type *ashi_type_of(ashlar_type type)
{
    return type >= ASHLAR_TYPE_S && type <= ASHLAR_TYPE_B ? &types[type] : NULL;
}

size_t ashlar_type_bytes(ashlar_type type)
{
    const ashi_type *t = ashi_type_of(type);
    return t ? t->bytes : 0;
}

ashlar_type ashlar_type_of_sums(ashlar_type type)
{
    const ashi_type *t = ashi_type_of(type);
    return t ? t->sums : type;
}

bool ashi_type_is_alike(ashlar_type type)
{
    return ashi_type_of(type) && ashlar_type_of_sums(type) == type;
}

ashlar_status ashi_type_refuse(ashlar_type type, const char *who, const char *what, ashlar_error *err)
{
    const ashi_type *t = ashi_type_of(type);
    return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                     "%s: type %c (%s) is for products of matrices in memory; %s are of type s, d, c or z", who,
                     t->letter, t->name, what);
}

ashlar_type ashi_type_of_operand(ashlar_type type, ashlar_operand x)
{
    return x == ASHLAR_C ? ashlar_type_of_sums(type) : type;
}

size_t ashi_type_bytes(ashlar_type type, ashlar_operand x)
{
    return ashlar_type_bytes(ashi_type_of_operand(type, x));
}
