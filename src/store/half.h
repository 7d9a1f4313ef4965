/* Numbers of 16 bits, IEEE binary16, as floats. */
#ifndef ASHI_STORE_HALF_H
#define ASHI_STORE_HALF_H

#include <stdbool.h>
#include <stdint.h>

enum { ASHI_HALF_BYTES = 2 };

/* The value of a number, which a float has exactly: zeros, subnormal numbers and infinities too. A NaN stays one, with
 * its sign and payload; a signalling one stays signalling. */
float ashi_half_to_float(uint16_t half);

/* Convert `count` numbers from `halves` to `floats`. Neither needs to be aligned. They may overlap if the halves end
 * where the floats end. `swapped`: bytes of the halves are not in the machine's order. */
void ashi_half_to_floats(int64_t count, const void *halves, bool swapped, void *floats);

#endif
