/* Why ASHLAR_MEMORY is too little for a call, in bytes and with all that counts in it. */
#include "pblas/limit.h"

#include <inttypes.h>
#include <stdio.h>

void ashi_limit_explain(const ashi_limit *limit, int64_t least, ashlar_error *err)
{
    if (!err)
        return;
    const int64_t share = limit->share * limit->word;
    const int64_t total = (least + (limit->beside ? limit->share : 0)) * limit->word;
    if (least > 0)
        snprintf(err->text, sizeof err->text, "ASHLAR_MEMORY is %" PRId64 " bytes, too little for this call: %" PRId64
                 " would do", limit->bytes, total);
    else if (share > limit->bytes)
        snprintf(err->text, sizeof err->text, "ASHLAR_MEMORY is %" PRId64 " bytes, less than a process's share of the "
                 "matrices, %" PRId64 " bytes", limit->bytes, share);
    else
        snprintf(err->text, sizeof err->text, "ASHLAR_MEMORY is %" PRId64 " bytes, too little for this call",
                 limit->bytes);
}
