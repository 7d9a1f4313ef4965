/* Grids and other products as the command line states them. */
#include "cli/grid_text.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/number.h"

#include <inttypes.h>
#include <string.h>

bool ashi_grid_text_read(const char *text, int count, int64_t *out)
{
    for (int i = 0; i < count; i++) {
        char one[32];
        const size_t length = strcspn(text, "x");
        if (length >= sizeof one || (text[length] == 'x') != (i + 1 < count))
            return false;
        memcpy(one, text, length);
        one[length] = '\0';
        if (!ashi_number_count(one, &out[i]) || out[i] < 1)
            return false;
        text += length + 1;
    }
    return true;
}

ashlar_status ashi_grid_text_check(const char *text, const int64_t size[3], int64_t ranks, int64_t out[3],
                                   ashlar_error *err)
{
    int64_t cells = 0;
    if (!ashi_grid_text_read(text, 3, out))
        return ashi_fail(err, ASHLAR_ERR_ARG, "--grid is '%.64s', wanted PMxPNxPK, three numbers of at least 1", text);
    if (!ashi_mul(out[0], out[1], &cells) || !ashi_mul(cells, out[2], &cells) || cells > ranks)
        return ashi_fail(err, ASHLAR_ERR_ARG, "--grid=%.64s needs more than %" PRId64 " rank%s", text, ranks,
                         ranks == 1 ? "" : "s");
    for (int d = 0; d < 3; d++)
        if (out[d] > ashi_max(size[d], 1))
            return ashi_fail(err, ASHLAR_ERR_ARG, "--grid=%.64s cuts %c = %" PRId64 " into %" PRId64 " parts", text,
                             "MNK"[d], size[d], out[d]);
    return ASHLAR_OK;
}
