/* Numbers of 16 bits, IEEE binary16, as floats: 1 bit of sign, 5 of the exponent + 15, 10 of the fraction. */
#include "store/half.h"

#include <string.h>

/* The bits of the float. */
static uint32_t widened(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16, exponent = half >> 10 & 31u;
    uint32_t fraction = half & 0x3FFu;
    if (exponent == 31) /* infinity or NaN */
        return sign | 0x7F800000u | fraction << 13;
    if (exponent > 0)
        return sign | (exponent + 127 - 15) << 23 | fraction << 13;
    if (fraction == 0)
        return sign;
    uint32_t shifted = 0; /* a subnormal half is a normal float: its first bit becomes the one that is not stored */
    for (; !(fraction & 0x400u); fraction <<= 1)
        shifted++;
    return sign | (127 - 14 - shifted) << 23 | (fraction & 0x3FFu) << 13;
}

float ashi_half_to_float(uint16_t half)
{
    const uint32_t bits = widened(half);
    float out;
    memcpy(&out, &bits, sizeof out);
    return out;
}

void ashi_half_to_floats(int64_t count, const void *halves, bool swapped, void *floats)
{
    const char *from = halves;
    char *to = floats;
    for (int64_t i = 0; i < count; i++) {
        uint16_t half;
        memcpy(&half, from + 2 * i, sizeof half);
        const uint32_t bits = widened(swapped ? (uint16_t)((half & 0xffU) << 8 | half >> 8) : half);
        memcpy(to + 4 * i, &bits, sizeof bits);
    }
}
