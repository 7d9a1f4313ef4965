/* Numbers of 16 bits as floats, and floats as numbers of 16 bits: IEEE binary16, and bfloat16. */
#ifndef ASHI_HALF_H
#define ASHI_HALF_H

#include <stdbool.h>
#include <stdint.h>

enum { ASHI_HALF_BYTES = 2 };

/* The value of a number, which a float has exactly: zeros, subnormal numbers and infinities too. A NaN stays one, with
 * its sign and payload; a signalling one stays signalling. */
float ashi_half_to_float(uint16_t half);

/* The nearest number, of two that are as near the one whose last bit is 0; what is beyond the largest by half of its
 * last place or more is infinity. A NaN stays one, with its sign and the upper bits of its payload, and is quiet. */
uint16_t ashi_half_of_float(float value);

/* The same of a bfloat16, which is the upper half of a float. */
uint16_t ashi_brief_of_float(float value);

/* The value of a bfloat16. */
float ashi_brief_to_float(uint16_t brief);

/* Exchange the two bytes of each of `count` numbers. */
void ashi_halves_swap(int64_t count, void *halves);

/* Convert `count` numbers from `halves` to `floats`. Neither needs to be aligned. They may overlap if the halves end
 * where the floats end. `swapped`: bytes of the halves are not in the machine's order. */
void ashi_half_to_floats(int64_t count, const void *halves, bool swapped, void *floats);

#endif
