/* The head of a Matrix Market file: its banner, comments and size.
 *
 * Source: Boisvert, Pozo and Remington, The Matrix Market Exchange Formats, NISTIR 5935, 1996. */
#include "store/mtx_header.h"

#include "base/checked.h"
#include "store/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define LINE_MAX_BYTES 1025 /* the format's longest line, and a zero */

static ashlar_status fail(const ashi_scan *scan, const char *what, ashlar_error *err)
{
    return ashi_fail_file(err, ASHLAR_ERR_IO, scan->path, "malformed Matrix Market header: %s", what);
}

static ashlar_status parse_symmetry(const ashi_scan *scan, const char *word, ashi_mtx_header *out, ashlar_error *err)
{
    static const char *const names[] = {
        [ASHI_MTX_GENERAL] = "general",
        [ASHI_MTX_SYMMETRIC] = "symmetric",
        [ASHI_MTX_HERMITIAN] = "hermitian",
        [ASHI_MTX_SKEW] = "skew-symmetric",
    };
    int s = 0;
    while (s <= (int)ASHI_MTX_SKEW && strcasecmp(word, names[s]) != 0)
        s++;
    if (s > (int)ASHI_MTX_SKEW)
        return fail(scan, "wanted general, symmetric, hermitian or skew-symmetric", err);
    out->symmetry = (ashi_mtx_symmetry)s;
    if (out->symmetry == ASHI_MTX_HERMITIAN && !out->complex)
        return fail(scan, "hermitian, but not complex", err);
    return ASHLAR_OK;
}

static ashlar_status parse_banner(const ashi_scan *scan, const char *line, ashi_mtx_header *out, ashlar_error *err)
{
    char word[5][16] = {""}, more[2] = "";
    const int n = sscanf(line, "%15s %15s %15s %15s %15s %1s", word[0], word[1], word[2], word[3], word[4], more);
    if (n < 1 || strcasecmp(word[0], "%%MatrixMarket") != 0)
        return ashi_fail_file(err, ASHLAR_ERR_IO, scan->path,
                              "not a Matrix Market file: it does not begin with %%%%MatrixMarket");
    if (n != 5 || strcasecmp(word[1], "matrix") != 0)
        return fail(scan, "wanted %%MatrixMarket matrix array FIELD SYMMETRY", err);
    if (strcasecmp(word[2], "coordinate") == 0)
        return ashi_fail_file(err, ASHLAR_ERR_IO, scan->path,
                              "a sparse (coordinate) matrix, wanted a dense (array) one");
    if (strcasecmp(word[2], "array") != 0)
        return fail(scan, "wanted the format array", err);
    out->complex = strcasecmp(word[3], "complex") == 0;
    out->integer = strcasecmp(word[3], "integer") == 0;
    if (!out->complex && !out->integer && strcasecmp(word[3], "real") != 0 && strcasecmp(word[3], "double") != 0)
        return fail(scan, "wanted the field real, complex or integer", err);
    return parse_symmetry(scan, word[4], out, err);
}

/* Comments may be of any length; the first other line that is not blank holds rows and columns alone. */
static ashlar_status parse_size(ashi_scan *scan, ashi_mtx_header *out, ashlar_error *err)
{
    char line[LINE_MAX_BYTES];
    bool end = false;
    ashlar_status status = ashi_scan_word(scan, err);
    if (status != ASHLAR_OK)
        return status;
    if (!ashi_word_to_size(scan->word, &out->rows))
        return fail(scan, "wanted a line with rows and columns", err);
    status = ashi_scan_line(scan, line, sizeof line, &end, err);
    if (status != ASHLAR_OK)
        return status;
    char cols[32] = "", more[2] = "";
    if (sscanf(line, "%31s %1s", cols, more) != 1 || !ashi_word_to_size(cols, &out->cols))
        return fail(scan, "wanted a line with rows and columns alone", err);
    out->data = ashi_scan_tell(scan);
    return ASHLAR_OK;
}

static bool count_entries(ashi_mtx_header *h)
{
    if (h->symmetry == ASHI_MTX_GENERAL)
        return ashi_mul(h->rows, h->cols, &h->entries);
    int64_t other;
    if (!ashi_add(h->rows, h->symmetry == ASHI_MTX_SKEW ? -1 : 1, &other))
        return false;
    other = ashi_max(other, 0);
    return h->rows % 2 == 0 ? ashi_mul(h->rows / 2, other, &h->entries) : ashi_mul(h->rows, other / 2, &h->entries);
}

ashlar_status ashi_mtx_read_header(ashi_scan *scan, int64_t file_bytes, ashi_mtx_header *out, ashlar_error *err)
{
    char line[LINE_MAX_BYTES];
    bool end = false;
    int64_t least;
    ashlar_status status = ashi_scan_line(scan, line, sizeof line, &end, err);
    if (status == ASHLAR_OK)
        status = parse_banner(scan, line, out, err);
    if (status == ASHLAR_OK)
        status = parse_size(scan, out, err);
    if (status != ASHLAR_OK)
        return status;
    if (out->symmetry != ASHI_MTX_GENERAL && out->rows != out->cols)
        return fail(scan, "a symmetric matrix that is not square", err);
    /* An entry is at least a digit and a blank, twice that if complex; the file's last blank may be missing. Whole
     * matrices are at most twice as large as their triangle, and 16 bytes an element must not overflow either. */
    if (!count_entries(out) || !ashi_mul(out->entries, out->complex ? 4 : 2, &least) || least > INT64_MAX / 16)
        return fail(scan, "rows and columns are too many", err);
    if (least - 1 > file_bytes - out->data)
        return ashi_fail_file(err, ASHLAR_ERR_IO, scan->path,
                              "truncated: %" PRId64 " entries do not fit in the %" PRId64 " bytes after the header",
                              out->entries, file_bytes - out->data);
    return ASHLAR_OK;
}
