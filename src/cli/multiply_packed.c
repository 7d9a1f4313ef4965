/* The packed inputs of `ashlar multiply`: what their chunks take beside the matrices. */
#include "cli/multiply_packed.h"

#include "base/error.h"
#include "cli/multiply_stream.h"

#include <inttypes.h>

/* The part of what is held beside the memory limit that unpacking may use. */
#define FREE_BYTES (INT64_C(16) << 20)

int64_t ashi_multiply_unpacking(const ashi_multiply_job *job, const char **file)
{
    int64_t most = 0;
    *file = NULL;
    for (int x = ashi_multiply_is_trivial(job) ? 2 : 0; x < 3; x++) {
        const int64_t bytes = job->in[x] ? ashi_store_packed(job->in[x]).bytes : 0;
        if (bytes > FREE_BYTES && bytes > most) {
            most = bytes;
            *file = job->wish->input[x];
        }
    }
    return most;
}

ashlar_status ashi_multiply_fail_packed(const ashi_multiply_job *job, ashlar_error *err)
{
    const char *file = NULL;
    const int64_t bytes = ashi_multiply_unpacking(job, &file);
    return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                     "%.200s: its packed chunks, of which one takes %" PRId64 " bytes to unpack, are too large for "
                     "matrices to be streamed; chunks of 5 MiB are not", file, bytes);
}
