/* Which format a place names. */
#include "store/store.h"

#include <string.h>

bool ashi_store_shared_writing(const char *place)
{
    const size_t n = strlen(place);
    return n >= 4 && strcmp(place + n - 4, ".npy") == 0;
}
