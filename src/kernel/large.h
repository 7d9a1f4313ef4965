/* Zeroed memory of any size that takes little time to touch: large pages if the system has them. */
#ifndef ASHI_LARGE_H
#define ASHI_LARGE_H

#include <stddef.h>

/* At least one byte; NULL if memory lacks. Freed by ashi_large_free with the same number of bytes. */
void *ashi_large_make(size_t bytes);

/* Give back what is behind the first `bytes` of `from` bytes, as far as the system takes it. Returns how many bytes
 * there are now, for ashi_large_free. */
size_t ashi_large_shorten(void *memory, size_t from, size_t bytes);

/* NULL does nothing. */
void ashi_large_free(void *memory, size_t bytes);

#endif
