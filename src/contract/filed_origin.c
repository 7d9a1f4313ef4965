/* What the record of a batch of products says beside what is said of one product. */
#include "contract/filed_origin.h"

#include "base/error.h"
#include "plan/resume_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 200 };

ashlar_status ashi_filed_origin(int64_t products, ashlar_file *const view[4], const char *how, const char *more,
                                char **out, ashlar_error *err)
{
    const size_t room = ROOM + (how ? strlen(how) : 0) + (more ? strlen(more) : 0);
    *out = malloc(room);
    if (!*out)
        return ashi_fail_memory(err, "record", (int64_t)room);
    ashi_lines l = {*out, 0, room};
    **out = '\0';
    if (products > 1) {
        ashi_lines_add(&l, "%" PRId64 " products, seen as", products);
        for (int x = 0; x < 4; x++)
            if (view[x] && view[x]->store)
                ashi_lines_add(&l, " %016" PRIx64, ashi_store_view_digest(view[x]->store));
        ashi_lines_add(&l, "\n");
    }
    ashi_lines_add(&l, "%s%s", how ? how : "", more ? more : "");
    return ASHLAR_OK;
}
