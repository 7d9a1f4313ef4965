/* The elements of generated matrices. */
#include "cli/values.h"

#include "base/hash.h"
#include "base/type.h"

#include <string.h>

/* The top bits make the number, so that no rounding can reach 1. */
static double number(ashi_values_kind kind, bool wide, uint64_t bits)
{
    if (kind == ASHI_VALUES_INTEGERS)
        return (double)(bits % 9) - 4;
    return wide ? (double)(bits >> 11) * 0x1p-52 - 1 : (double)(bits >> 40) * 0x1p-23 - 1;
}

static void store(bool wide, double value, char *to)
{
    const float narrow = (float)value;
    if (wide)
        memcpy(to, &value, sizeof value);
    else
        memcpy(to, &narrow, sizeof narrow);
}

void ashi_values_fill(const ashi_values *values, int64_t row, int64_t rows, int64_t col, int64_t cols, void *data,
                      int64_t row_stride, int64_t col_stride)
{
    const ashi_type *type = ashi_type_of(values->type);
    const size_t part = type->complex ? type->bytes / 2 : type->bytes;
    const bool wide = part == sizeof(double);
    for (int64_t i = 0; i < rows; i++) {
        const uint64_t row_key = ashi_hash(values->seed, row + i);
        for (int64_t j = 0; j < cols; j++) {
            const uint64_t bits = ashi_hash(row_key, col + j);
            char *to = (char *)data + (i * row_stride + j * col_stride) * (int64_t)type->bytes;
            store(wide, number(values->kind, wide, bits), to);
            if (type->complex)
                store(wide, number(values->kind, wide, ashi_hash_mix(bits + 1)), to + part);
        }
    }
}
