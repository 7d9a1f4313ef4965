/* One text for all products that are equal up to the names of their indices, the order of their factors and the
 * symmetries of their tensors. */
#ifndef ASHI_COMPILE_FORM_H
#define ASHI_COMPILE_FORM_H

#include "compile/sums.h"

#include <stdint.h>

enum {
    ASHI_ASH_OPEN = -1,   /* an index that is not summed, and has no number yet */
    ASHI_ASH_SUMMED = -2, /* an index that is summed within the product */
    ASHI_ASH_FORM_MOST = ASHI_ASH_FACTORS_MOST * (4 + ASHI_ASH_ORDER_MOST)
};

/* The product is sign times what the text says. */
typedef struct ashi_ash_form {
    int length, sign, open; /* how many indices are open */
    uint8_t text[ASHI_ASH_FORM_MOST];
    int8_t number[ASHI_ASH_LABELS_MOST]; /* of each open index, from 0, in the order of the text; -1: not open */
} ashi_ash_form;

/* The form of the product of the factors in `mask`.
 * @param label  of each index: its number if it has one, at least 0; ASHI_ASH_OPEN; ASHI_ASH_SUMMED */
void ashi_ash_form_make(const ashi_ash_sums *s, const ashi_ash_product *t, unsigned mask, const int8_t *label,
                        ashi_ash_form *out);

#endif
