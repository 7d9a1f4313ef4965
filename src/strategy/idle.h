/* How many ranks may idle. */
#ifndef ASHI_IDLE_H
#define ASHI_IDLE_H

#include <stdint.h>

/* The most of p ranks that may idle, if this part of them may: 1 % of 700 ranks is 7 of them, although 0.01 * 700 is a
 * little less in floating point. */
static inline int64_t ashi_idle_most(double idle, int64_t p)
{
    return (int64_t)(idle * (double)p * (1 + 1e-9));
}

#endif
