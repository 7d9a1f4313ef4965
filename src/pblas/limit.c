/* Why ASHLAR_MEMORY is too little for a call, in bytes and with all that counts in it. */
#include "pblas/limit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number in "... : 5979 would do" or "... at least 5979 ..."; 0 if there is none. */
static int64_t least_words(const char *text)
{
    static const char before[] = "at least ", after[] = " would do";
    const char *found = strstr(text, after);
    if (found) {
        while (found > text && found[-1] >= '0' && found[-1] <= '9')
            found--;
        return strtoll(found, NULL, 10);
    }
    found = strstr(text, before);
    return found ? strtoll(found + strlen(before), NULL, 10) : 0;
}

void ashi_limit_explain(const ashi_limit *limit, ashlar_error *err)
{
    if (!err)
        return;
    const int64_t least = least_words(err->text), share = limit->share * limit->word;
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
