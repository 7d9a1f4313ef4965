/* The elements of generated matrices. */
#include "cli/values.h"

#include "base/half.h"
#include "base/hash.h"
#include "base/type.h"

#include <string.h>

/* The top bits make the number, so that no rounding can reach 1; `part` bytes have all of them. */
static double number(ashi_values_kind kind, size_t part, uint64_t bits)
{
    if (kind == ASHI_VALUES_INTEGERS)
        return (double)(bits % 9) - 4;
    if (part == sizeof(double))
        return (double)(bits >> 11) * 0x1p-52 - 1;
    return part == sizeof(float) ? (double)(bits >> 40) * 0x1p-23 - 1 : (double)(bits >> 53) * 0x1p-10 - 1;
}

static void store(size_t part, double value, char *to)
{
    const float narrow = (float)value;
    if (part == sizeof value)
        memcpy(to, &value, sizeof value);
    else if (part == sizeof narrow)
        memcpy(to, &narrow, sizeof narrow);
    else
        memcpy(to, &(uint16_t){ashi_half_of_float(narrow)}, ASHI_HALF_BYTES);
}

void ashi_values_fill(const ashi_values *values, int64_t row, int64_t rows, int64_t col, int64_t cols, void *data,
                      int64_t row_stride, int64_t col_stride)
{
    const ashi_type *type = ashi_type_of(values->type);
    const size_t part = type->complex ? type->bytes / 2 : type->bytes;
    for (int64_t i = 0; i < rows; i++) {
        const uint64_t row_key = ashi_hash(values->seed, row + i);
        for (int64_t j = 0; j < cols; j++) {
            const uint64_t bits = ashi_hash(row_key, col + j);
            char *to = (char *)data + (i * row_stride + j * col_stride) * (int64_t)type->bytes;
            store(part, number(values->kind, part, bits), to);
            if (type->complex)
                store(part, number(values->kind, part, ashi_hash_mix(bits + 1)), to + part);
        }
    }
}
