/* Public structures of programs that were compiled with another version of Ashlar, and have fewer members or more. */
#include "base/structure.h"

#include "base/error.h"

#include <string.h>

/* No version will have more bytes: a larger size comes from memory that was never filled. */
enum { MOST = 4096 };

static bool all_zero(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

ashlar_status ashi_structure_take(const ashi_filled *filled, void *out, size_t bytes, ashlar_error *err)
{
    const unsigned char *theirs = filled->structure;
    size_t size = 0;
    memcpy(&size, theirs, sizeof size);
    if (size == 0)
        size = filled->first;
    if (size < filled->first || size > MOST)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s.size = %zu, wanted 0 or %zu", filled->who, filled->name, size,
                         bytes);
    if (size > bytes && !all_zero(theirs + bytes, size - bytes))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s has a member that this library, version %s, lacks; wanted 0 in "
                         "it", filled->who, filled->name, ashlar_version());
    memcpy(out, theirs, size < bytes ? size : bytes);
    memcpy(out, &bytes, sizeof bytes);
    return ASHLAR_OK;
}

void ashi_structure_give(const void *ours, size_t bytes, void *out, size_t size)
{
    const size_t common = size < bytes ? size : bytes;
    memcpy(out, ours, common);
    memset((unsigned char *)out + common, 0, size - common);
}
