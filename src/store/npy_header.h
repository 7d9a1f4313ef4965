/* The header of .npy files: a strict parser of it, and the header of files we write. */
#ifndef ASHI_STORE_NPY_HEADER_H
#define ASHI_STORE_NPY_HEADER_H

#include "store/store.h"

/* The bytes before the header's text, in any version, and the longest text we read: a shape of two numbers needs a
 * hundred characters, and version 1.0 had room for this many. */
#define ASHI_NPY_LEAD_MAX 12
#define ASHI_NPY_TEXT_MAX 65535

/* Take the lead apart: *lead is its bytes (10 or 12), *text the bytes of text that follow. `have` bytes are at bytes;
 * file_bytes are in the file. */
ashlar_status ashi_npy_lead(const char *path, const unsigned char *bytes, int64_t have, int64_t file_bytes,
                            int64_t *lead, int64_t *text, ashlar_error *err);

/* Parse the text, which need not end in a zero. info->tensor says whether any number of dimensions will do.
 * *swapped: the elements' bytes are not in this machine's order. */
ashlar_status ashi_npy_parse(const char *path, const char *text, int64_t bytes, ashi_store_info *info, bool *swapped,
                             ashlar_error *err);

#define ASHI_NPY_WRITTEN_MAX 2048

/* The whole header of a file of version 1.0, lead included, of a matrix or of an array; returns its
 * bytes, a multiple of 64. */
int64_t ashi_npy_make(const ashi_store_info *info, char out[ASHI_NPY_WRITTEN_MAX]);

#endif
