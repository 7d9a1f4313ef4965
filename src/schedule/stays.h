/* Which matrix stays with the ranks while rounds of the others pass by it. */
#ifndef ASHI_STAYS_H
#define ASHI_STAYS_H

#include <ashlar/base.h>

typedef enum ashi_stays {
    ASHI_STAYS_C, /* rounds cut k: sums are moved after all products */
    ASHI_STAYS_A, /* rounds cut n: each brings words of B and moves sums of C */
    ASHI_STAYS_B  /* rounds cut m: each brings words of A and moves sums of C */
} ashi_stays;

static inline ashlar_operand ashi_stationary(ashi_stays stays)
{
    return stays == ASHI_STAYS_A ? ASHLAR_A : stays == ASHI_STAYS_B ? ASHLAR_B : ASHLAR_C;
}

#endif
