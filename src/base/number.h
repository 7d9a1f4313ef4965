/* Numbers as people write them on a command line or in the environment: counts, sizes with units, real numbers. */
#ifndef ASHI_NUMBER_H
#define ASHI_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* A whole number of at least 0: "4096", "1e6", "1.5e9". False for anything else, and for what 64 bits cannot hold. */
bool ashi_number_count(const char *text, int64_t *out);

/* Bytes: a number of at least 0 and a unit, B, kB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB (of 1024), in
 * small or capital letters; without one, bytes. A part of a byte is dropped. */
bool ashi_number_size(const char *text, int64_t *out);

/* A number that double holds. */
bool ashi_number_real(const char *text, double *out);

/* The same of any size: infinite if it is beyond what double holds. */
bool ashi_number_any(const char *text, double *out);

#endif
