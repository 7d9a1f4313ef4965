/* Numbers of at least 0 of any magnitude, rounded upwards: bounds made of them hold. */
#ifndef ASHI_UPWARD_H
#define ASHI_UPWARD_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* fraction * 2^exponent, 1 <= fraction < 2. Zero, infinity and what is not a number are a fraction with the exponent 0.
 * Products and squares of norms such as 1e200 have room, and those of 1e-200 do not vanish. */
typedef struct ashi_up {
    double fraction;
    int64_t exponent;
} ashi_up;

static inline ashi_up ashi_up_normal(double fraction, int64_t exponent)
{
    if (!(fraction > 0 && fraction <= 0x1.fffffffffffffp+1023))
        return (ashi_up){fraction, 0};
    while (fraction >= 2) {
        fraction *= 0.5;
        exponent++;
    }
    return (ashi_up){fraction, exponent};
}

/* The absolute value, exactly. */
static inline ashi_up ashi_up_of(double x)
{
    int exponent = 0;
    if (!isfinite(x) || x == 0)
        return (ashi_up){fabs(x), 0};
    const double fraction = frexp(fabs(x), &exponent);
    return (ashi_up){2 * fraction, (int64_t)exponent - 1};
}

/* 2^-d, 0 <= d <= 1000: the exponent of a double of 64 bits. */
static inline double ashi_up_shift(int64_t d)
{
    const uint64_t bits = (uint64_t)(1023 - d) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

static inline bool ashi_up_finite(ashi_up x)
{
    return isfinite(x.fraction);
}

static inline ashi_up ashi_up_mul(ashi_up x, ashi_up y)
{
    const double product = x.fraction * y.fraction; /* below 4: rounded by at most 2^-52 */
    return ashi_up_normal(product > 0 ? product + 0x1p-51 : product, x.exponent + y.exponent);
}

static inline ashi_up ashi_up_add(ashi_up x, ashi_up y)
{
    if (x.fraction == 0 || !ashi_up_finite(y))
        return ashi_up_finite(x) ? y : ashi_up_normal(x.fraction + y.fraction, 0);
    if (y.fraction == 0 || !ashi_up_finite(x))
        return x;
    const ashi_up greater = x.exponent >= y.exponent ? x : y, less = x.exponent >= y.exponent ? y : x;
    const int64_t apart = greater.exponent - less.exponent;
    const double small = apart <= 60 ? less.fraction * ashi_up_shift(apart) : 0x1p-59;
    return ashi_up_normal(greater.fraction + small + 0x1p-50, greater.exponent);
}

static inline ashi_up ashi_up_sqrt(ashi_up x)
{
    if (!(x.fraction > 0) || !ashi_up_finite(x))
        return x;
    const bool odd = x.exponent % 2 != 0;
    return ashi_up_normal(sqrt(odd ? 2 * x.fraction : x.fraction) + 0x1p-51,
                          odd ? (x.exponent - 1) / 2 : x.exponent / 2);
}

/* x < y; never if one of them is not a number, nor if x is infinite. */
static inline bool ashi_up_below(ashi_up x, ashi_up y)
{
    if (!(x.fraction < INFINITY) || !(y.fraction <= INFINITY) || y.fraction == 0)
        return false;
    if (x.fraction == 0 || isinf(y.fraction))
        return true;
    return x.exponent != y.exponent ? x.exponent < y.exponent : x.fraction < y.fraction;
}

/* The least double that is not below, infinity if there is none and also for what is not a number. */
static inline double ashi_up_value(ashi_up x)
{
    if (x.fraction == 0)
        return 0;
    if (!ashi_up_finite(x) || x.exponent > 1023)
        return INFINITY;
    if (x.exponent < -1080)
        return 0x1p-1074;
    const double value = ldexp(x.fraction, (int)x.exponent);
    return x.exponent < -1022 ? nextafter(value, INFINITY) : value;
}

/* sqrt(x^2 + y^2), without overflow. */
static inline ashi_up ashi_up_hypot(ashi_up x, ashi_up y)
{
    return ashi_up_sqrt(ashi_up_add(ashi_up_mul(x, x), ashi_up_mul(y, y)));
}

#endif
