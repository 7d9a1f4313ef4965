/* A number for the contents of a part of a file, from samples of its bytes. */
#include "store/samples.h"

#include "base/checked.h"
#include "base/hash.h"
#include "store/file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAMPLES = 256, SAMPLE = 4096 };

static uint64_t add_bytes(uint64_t sum, const char *data, int64_t bytes)
{
    for (int64_t at = 0; at < bytes; at += 8) {
        int64_t word = 0;
        memcpy(&word, data + at, (size_t)ashi_min(8, bytes - at));
        sum = ashi_hash(sum, word);
    }
    return sum;
}

/* Where sample i of a part begins: anywhere in the i-th of equal pieces, which are longer than a sample. */
static int64_t place_of(int64_t bytes, int i)
{
    const int64_t piece = bytes / SAMPLES;
    return i * piece + (int64_t)(ashi_hash((uint64_t)bytes, i) % (uint64_t)(piece - SAMPLE + 1));
}

ashlar_status ashi_samples_of(const char *path, ashi_file_part part, uint64_t *out, ashlar_error *err)
{
    char *const buffer = malloc(SAMPLE);
    int64_t all = 0;
    int fd = -1;
    if (!buffer)
        return ashi_fail_memory(err, "samples", SAMPLE);
    ashlar_status status = ashi_file_open(path, &fd, &all, err);
    const int64_t bytes = part.bytes < 0 ? all - part.start : part.bytes;
    const bool whole = bytes <= (int64_t)SAMPLES * SAMPLE;
    const int64_t samples = whole ? (bytes + SAMPLE - 1) / SAMPLE : SAMPLES;
    uint64_t sum = ashi_hash(0, bytes);
    for (int i = 0; i < samples && status == ASHLAR_OK; i++) {
        const int64_t at = whole ? (int64_t)i * SAMPLE : place_of(bytes, i), n = ashi_min(SAMPLE, bytes - at);
        status = ashi_file_read(fd, path, buffer, n, part.start + at, err);
        sum = status == ASHLAR_OK ? add_bytes(sum, buffer, n) : sum;
    }
    if (fd >= 0)
        close(fd);
    free(buffer);
    *out = sum;
    return status;
}
