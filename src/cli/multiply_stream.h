/* `ashlar multiply` where the matrices do not fit in the ranks' memory: streamed from their files. */
#ifndef ASHI_MULTIPLY_STREAM_H
#define ASHI_MULTIPLY_STREAM_H

#include "cli/multiply.h"

/* Whether C is beta C0, or zeros, or has no elements: A and B are not read then. */
bool ashi_multiply_is_trivial(const ashi_multiply_job *job);

/* Whether a run that cannot be planned in memory, or shall not be, is to be streamed. A trivial one always is. */
bool ashi_multiply_streams(const ashi_multiply_job *job, ashlar_status planned);

/* Plan it. ASHLAR_ERR_LIMIT with the least words that would do; ASHLAR_ERR_ARG where a wish cannot be met so.
 * Collective, the same on all ranks. */
ashlar_status ashi_multiply_stream_plan(ashi_multiply_job *job, int64_t memory_words, ashlar_error *err);

/* Do it, check the product where that is wished, and give the output its name unless the check refutes it. Collective,
 * the same on all ranks. */
ashlar_status ashi_multiply_stream(ashi_multiply_job *job, ashlar_error *err);

#endif
