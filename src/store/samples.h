/* A number for the contents of a part of a file, from samples of its bytes, that other contents hardly have. */
#ifndef ASHI_STORE_SAMPLES_H
#define ASHI_STORE_SAMPLES_H

#include <ashlar/base.h>

/* A part of a file; bytes < 0: all of the file from `start` on. */
typedef struct ashi_file_part {
    int64_t start, bytes;
} ashi_file_part;

/* All bytes count if the part has at most 1 MiB, else 256 blocks of 4 KiB that are spread over it. ASHLAR_ERR_IO;
 * ASHLAR_ERR_MEMORY */
ashlar_status ashi_samples_of(const char *path, ashi_file_part part, uint64_t *out, ashlar_error *err);

#endif
