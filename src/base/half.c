/* Numbers of 16 bits as floats, and floats as numbers of 16 bits. IEEE binary16: 1 bit of sign, 5 of the exponent + 15,
 * 10 of the fraction. bfloat16: the upper half of a float. */
#include "base/half.h"

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

static float float_of(uint32_t bits)
{
    float out;
    memcpy(&out, &bits, sizeof out);
    return out;
}

static uint32_t bits_of(float value)
{
    uint32_t out;
    memcpy(&out, &value, sizeof out);
    return out;
}

float ashi_half_to_float(uint16_t half)
{
    return float_of(widened(half));
}

float ashi_brief_to_float(uint16_t brief)
{
    return float_of((uint32_t)brief << 16);
}

/* Without the last `drop` bits, to the nearest, of two that are as near to the even one. */
static uint32_t shortened(uint32_t x, int drop)
{
    const uint32_t half = (uint32_t)1 << (drop - 1);
    return (x + half - 1 + (x >> drop & 1u)) >> drop;
}

uint16_t ashi_half_of_float(float value)
{
    enum { LEAST_NORMAL = 127 - 14, DROP = 13 };
    const uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000u, size = bits & 0x7FFFFFFFu;
    const int exponent = (int)(size >> 23);
    if (size > 0x7F800000u) /* NaN */
        return (uint16_t)(sign | 0x7E00u | (size >> DROP & 0x3FFu));
    if (exponent < LEAST_NORMAL - 11) /* at most half of the least subnormal number's half */
        return (uint16_t)sign;
    if (exponent < LEAST_NORMAL) /* subnormal: a carry makes the least normal number of the largest */
        return (uint16_t)(sign | shortened((size & 0x7FFFFFu) | 0x800000u, DROP + LEAST_NORMAL - exponent));
    const uint32_t half = shortened(size, DROP) - ((uint32_t)(127 - 15) << 10);
    return (uint16_t)(sign | (half < 0x7C00u ? half : 0x7C00u));
}

uint16_t ashi_brief_of_float(float value)
{
    const uint32_t bits = bits_of(value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) /* NaN */
        return (uint16_t)(bits >> 16 | 0x40u);
    return (uint16_t)shortened(bits, 16);
}

void ashi_halves_swap(int64_t count, void *halves)
{
    char *const bytes = halves;
    for (int64_t i = 0; i < count; i++) {
        const char first = bytes[2 * i];
        bytes[2 * i] = bytes[2 * i + 1];
        bytes[2 * i + 1] = first;
    }
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
