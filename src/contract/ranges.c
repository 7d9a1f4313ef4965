/* Ranges of a tensor's dimensions: "[0:10,:,5:20,7]" at the end of a place. */
#include "base/checked.h"
#include "base/error.h"
#include "contract/tensor_file.h"

#include <inttypes.h>
#include <string.h>

size_t ashi_ranges_begin(const char *place)
{
    const size_t n = strlen(place);
    const char *open = n > 0 && place[n - 1] == ']' ? strrchr(place, '[') : NULL;
    return open ? (size_t)(open - place) : n;
}

typedef struct reader {
    const char *place, *at;
} reader;

static void skip_blanks(reader *r)
{
    while (*r->at == ' ')
        r->at++;
}

/* A number, if there is one; false: it is too large. */
static bool read_number(reader *r, int64_t *out, bool *there)
{
    skip_blanks(r);
    *there = *r->at >= '0' && *r->at <= '9';
    for (int64_t n = 0; *r->at >= '0' && *r->at <= '9'; *out = n)
        if (!ashi_mul(n, 10, &n) || !ashi_add(n, *r->at++ - '0', &n))
            return false;
    skip_blanks(r);
    return true;
}

static ashlar_status fail(const reader *r, ashlar_error *err)
{
    return ashi_fail(err, ASHLAR_ERR_ARG,
                     "%.200s: column %d: wanted a range FROM:TO, a colon or a number for each dimension, as in "
                     "[0:10,:,7]", r->place, (int)(r->at - r->place) + 1);
}

/* One dimension: its positions, and whether it is one of the tensor's. */
static ashlar_status read_range(reader *r, int d, int64_t extent, int64_t *from, int64_t *to, bool *kept,
                                ashlar_error *err)
{
    bool has_from, has_to = false;
    *from = 0;
    *to = extent;
    if (!read_number(r, from, &has_from))
        return fail(r, err);
    *kept = *r->at == ':';
    if (*kept) {
        r->at++;
        if (!read_number(r, to, &has_to))
            return fail(r, err);
    } else if (has_from) {
        *to = ashi_min(*from, INT64_MAX - 1) + 1;
    } else {
        return fail(r, err);
    }
    if (*from > *to || *to > extent)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%.200s: range %" PRId64 ":%" PRId64 " of dimension %d, which has %"
                         PRId64 " positions", r->place, *from, *to, d + 1, extent);
    return ASHLAR_OK;
}

ashlar_status ashi_ranges_read(const char *place, const ashi_store_info *array, ashlar_tensor_file *out,
                               ashlar_error *err)
{
    const char *const ranges = place + ashi_ranges_begin(place);
    reader r = {place, ranges};
    out->info.type = array->type;
    out->info.order = 0;
    for (int d = 0; d < array->dimensions; d++) {
        int64_t from = 0, to = array->extent[d];
        bool kept = true;
        if (*ranges) {
            if (*r.at != (d == 0 ? '[' : ','))
                return ashi_fail(err, ASHLAR_ERR_ARG, "%.200s: %d range%s, the tensor has %d dimensions", place, d,
                                 d == 1 ? "" : "s", array->dimensions);
            r.at++;
            const ashlar_status status = read_range(&r, d, array->extent[d], &from, &to, &kept, err);
            if (status != ASHLAR_OK)
                return status;
        }
        out->from[d] = from;
        if (kept) {
            out->dimension[out->info.order] = d;
            out->info.extent[out->info.order++] = to - from;
        }
    }
    if (*ranges && (array->dimensions == 0 || strcmp(r.at, "]") != 0))
        return array->dimensions > 0 && *r.at == ','
                   ? ashi_fail(err, ASHLAR_ERR_ARG, "%.200s: more ranges than the tensor's %d dimensions", place,
                               array->dimensions)
                   : fail(&r, err);
    return ASHLAR_OK;
}
