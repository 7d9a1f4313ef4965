/* Words and numbers of a text file, read in order through a small buffer. */
#include "store/scan.h"

#include "base/checked.h"
#include "store/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void ashi_scan_seek(ashi_scan *scan, int64_t offset)
{
    scan->offset = offset;
    scan->at = scan->have = 0;
}

int64_t ashi_scan_tell(const ashi_scan *scan)
{
    return scan->offset + scan->at;
}

static ashlar_status fill(ashi_scan *scan, ashlar_error *err)
{
    scan->offset += scan->have;
    scan->at = scan->have = 0;
    return ashi_file_read_some(scan->fd, scan->path, scan->buffer, ASHI_SCAN_BUFFER, scan->offset, &scan->have, err);
}

ashlar_status ashi_scan_char(ashi_scan *scan, int *c, ashlar_error *err)
{
    if (scan->at == scan->have) {
        const ashlar_status status = fill(scan, err);
        if (status != ASHLAR_OK)
            return status;
    }
    *c = scan->have == 0 ? -1 : (unsigned char)scan->buffer[scan->at++];
    return ASHLAR_OK;
}

ashlar_status ashi_scan_line(ashi_scan *scan, char *out, int64_t room, bool *end, ashlar_error *err)
{
    int64_t n = 0;
    int c = 0;
    *end = false;
    for (;;) {
        const ashlar_status status = ashi_scan_char(scan, &c, err);
        if (status != ASHLAR_OK)
            return status;
        if (c < 0 || c == '\n')
            break;
        if (n == room - 1)
            return ashi_fail_file(err, ASHLAR_ERR_IO, scan->path, "a line of more than %" PRId64 " characters", n);
        out[n++] = (char)c;
    }
    *end = c < 0 && n == 0;
    out[n] = '\0';
    return ASHLAR_OK;
}

ashlar_status ashi_scan_skip_line(ashi_scan *scan, ashlar_error *err)
{
    ashlar_status status;
    int c = 0;
    do
        status = ashi_scan_char(scan, &c, err);
    while (status == ASHLAR_OK && c >= 0 && c != '\n');
    return status;
}

/* isspace follows the locale; a file's blanks do not. */
static bool blank(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

ashlar_status ashi_scan_word(ashi_scan *scan, ashlar_error *err)
{
    int64_t n = 0;
    int c = 0;
    for (;;) {
        ashlar_status status = ashi_scan_char(scan, &c, err);
        if (status == ASHLAR_OK && c == '%' && n == 0) {
            status = ashi_scan_skip_line(scan, err);
            c = '\n';
        }
        if (status != ASHLAR_OK)
            return status;
        if (c < 0 || (blank(c) && n > 0))
            break;
        if (blank(c))
            continue;
        if (n == ASHI_WORD_MAX)
            return ashi_fail_file(err, ASHLAR_ERR_IO, scan->path, "a word of more than %d characters at byte %" PRId64,
                                  ASHI_WORD_MAX, ashi_scan_tell(scan) - n - 1);
        scan->word[n++] = (char)c;
    }
    if (c >= 0) /* the blank stays, since a caller may look for the line's end */
        scan->at--;
    scan->word[n] = '\0';
    return ASHLAR_OK;
}

bool ashi_word_to_double(const char *word, double *out)
{
    const char *digits = word + (*word == '+' || *word == '-');
    if (strcasecmp(digits, "inf") == 0 || strcasecmp(digits, "infinity") == 0) {
        *out = *word == '-' ? -INFINITY : INFINITY;
        return true;
    }
    if (strcasecmp(digits, "nan") == 0) {
        *out = NAN;
        return true;
    }
    char *end = NULL;
    if (*digits == '\0' || digits[strspn(digits, "0123456789.eE+-")] != '\0')
        return false;
    *out = strtod(word, &end);
    return *end == '\0' && isfinite(*out);
}

bool ashi_word_to_size(const char *word, int64_t *out)
{
    *out = 0;
    if (*word == '\0')
        return false;
    for (; *word; word++)
        if (*word < '0' || *word > '9' || !ashi_mul(*out, 10, out) || !ashi_add(*out, *word - '0', out))
            return false;
    return true;
}
