/* The scalars alpha and beta as the command line states them, and as elements of the matrices' type. */
#ifndef ASHI_SCALAR_TEXT_H
#define ASHI_SCALAR_TEXT_H

#include <ashlar/base.h>

/* A scalar and where it came from. */
typedef struct ashi_scalar_text {
    const char *option, *text; /* "--alpha", and its value as typed; text is NULL if it was not given */
    double part[2];            /* real and imaginary */
} ashi_scalar_text;

/* Fill `part` from "RE" or "RE,IM"; without text it stays as it is.
 * @return ASHLAR_ERR_ARG if the text is no scalar, or not even double holds it */
ashlar_status ashi_scalar_text_read(ashi_scalar_text *scalar, ashlar_error *err);

/* Write one element of the type to `out`.
 * @return ASHLAR_ERR_ARG if the type is real and the imaginary part is not 0, if a part is beyond the type's largest
 *         value, or if the scalar is not 0 and the type rounds both parts to 0 */
ashlar_status ashi_scalar_text_element(const ashi_scalar_text *scalar, ashlar_type type, unsigned char out[16],
                                       ashlar_error *err);

bool ashi_scalar_text_is_zero(const ashi_scalar_text *scalar);

#endif
