/* Failing with a status and one line of text. */
#ifndef ASHI_ERROR_H
#define ASHI_ERROR_H

#include <ashlar/base.h>

#if defined(__GNUC__)
#define ASHI_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define ASHI_PRINTF(f, a)
#endif

/* Fill err (which may be NULL) and return the status. */
ashlar_status ashi_fail(ashlar_error *err, ashlar_status status, const char *format, ...) ASHI_PRINTF(3, 4);

/* ASHLAR_ERR_MEMORY with a text that names what was wanted. */
ashlar_status ashi_fail_memory(ashlar_error *err, const char *who, int64_t bytes);

#endif
