/* The header of .npy files: a strict parser of it, and the header of files we write.
 *
 * The text is a Python dictionary of three keys, for which a small grammar does:
 *
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
 *
 * Source: the format's description, numpy.lib.format (NEP 1). */
#include "store/npy_header.h"

#include "base/checked.h"
#include "base/type.h"
#include "store/file.h"
#include "store/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct parser {
    const char *path, *at, *end;
    ashlar_error *err;
} parser;

static ashlar_status fail(const parser *p, const char *what)
{
    return ashi_fail_file(p->err, ASHLAR_ERR_IO, p->path, "malformed .npy header: %s", what);
}

static bool little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

ashlar_status ashi_npy_lead(const char *path, const unsigned char *bytes, int64_t have, int64_t file_bytes,
                            int64_t *lead, int64_t *text, ashlar_error *err)
{
    if (have < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return ashi_fail_file(err, ASHLAR_ERR_IO, path, "not a .npy file: it does not begin as one");
    const int major = bytes[6], minor = bytes[7];
    if (major < 1 || major > 3 || minor != 0)
        return ashi_fail_file(err, ASHLAR_ERR_IO, path, ".npy version %d.%d, wanted 1.0, 2.0 or 3.0", major, minor);
    *lead = major == 1 ? 10 : 12;
    if (have < *lead)
        return ashi_fail_file(err, ASHLAR_ERR_IO, path, "truncated .npy header");
    *text = bytes[8] | bytes[9] << 8;
    if (major > 1)
        *text |= (int64_t)bytes[10] << 16 | (int64_t)bytes[11] << 24;
    if (*text > ASHI_NPY_TEXT_MAX)
        return ashi_fail_file(err, ASHLAR_ERR_IO, path, ".npy header of %" PRId64 " bytes, wanted at most %d", *text,
                              ASHI_NPY_TEXT_MAX);
    if (*text > file_bytes - *lead)
        return ashi_fail_file(err, ASHLAR_ERR_IO, path,
                              "truncated .npy header: it claims %" PRId64 " bytes, the file has %" PRId64, *text,
                              file_bytes - *lead);
    return ASHLAR_OK;
}

static void skip_blanks(parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r'))
        p->at++;
}

/* Take one character, if it is the next that is not blank. */
static bool take(parser *p, char c)
{
    skip_blanks(p);
    if (p->at >= p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

/* A quoted string on one line and without escapes; *text points to its text, not closed by a zero. */
static bool take_string(parser *p, const char **text, size_t *length)
{
    char quote = '\'';
    if (!take(p, quote)) {
        quote = '"';
        if (!take(p, quote))
            return false;
    }
    const char *begin = p->at;
    while (p->at < p->end && *p->at != quote && *p->at != '\\' && *p->at >= ' ')
        p->at++;
    if (p->at >= p->end || *p->at != quote)
        return false;
    *text = begin;
    *length = (size_t)(p->at - begin);
    p->at++;
    return true;
}

static bool take_word(parser *p, const char *word)
{
    const size_t n = strlen(word);
    skip_blanks(p);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, word, n) != 0)
        return false;
    p->at += n;
    return true;
}

static ashlar_status parse_descr(parser *p, ashi_store_info *info, bool *swapped)
{
    static const struct {
        char text[4];
        ashlar_type type;
        bool half;
    } known[] = {{"f2", ASHLAR_TYPE_S, true}, {"f4", ASHLAR_TYPE_S, false}, {"f8", ASHLAR_TYPE_D, false},
                 {"c8", ASHLAR_TYPE_C, false}, {"c16", ASHLAR_TYPE_Z, false}};
    const char *text = NULL;
    size_t length = 0;
    skip_blanks(p);
    if (p->at < p->end && *p->at == '[')
        return fail(p, "a structured element type, wanted f2, f4, f8, c8 or c16");
    if (!take_string(p, &text, &length))
        return fail(p, "'descr' is not a string");
    if (length >= 2 && (text[0] == '<' || text[0] == '>' || text[0] == '=')) {
        *swapped = text[0] != '=' && (text[0] == '<') != little_endian();
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            if (strlen(known[i].text) == length - 1 && memcmp(known[i].text, text + 1, length - 1) == 0) {
                info->type = known[i].type;
                info->half = known[i].half;
                return ASHLAR_OK;
            }
    }
    if (length >= 1 && text[length - 1] == 'O')
        return fail(p, "elements are Python objects, wanted f2, f4, f8, c8 or c16");
    return ashi_fail_file(p->err, ASHLAR_ERR_IO, p->path,
                          "elements of type '%.*s', wanted f2, f4, f8, c8 or c16 with < or > before it",
                          (int)(length < 32 ? length : 32), text);
}

static ashlar_status parse_order(parser *p, ashi_store_info *info)
{
    if (take_word(p, "True"))
        info->order = ASHLAR_COL_MAJOR;
    else if (take_word(p, "False"))
        info->order = ASHLAR_ROW_MAJOR;
    else
        return fail(p, "'fortran_order' is neither True nor False");
    return ASHLAR_OK;
}

static ashlar_status parse_number(parser *p, int64_t *out)
{
    skip_blanks(p);
    if (p->at < p->end && *p->at == '-')
        return fail(p, "a negative number in 'shape'");
    if (p->at >= p->end || *p->at < '0' || *p->at > '9')
        return fail(p, "'shape' is not a tuple of whole numbers");
    *out = 0;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++)
        if (!ashi_mul(*out, 10, out) || !ashi_add(*out, *p->at - '0', out))
            return fail(p, "a number in 'shape' is too large");
    if (p->at < p->end && *p->at == 'L') /* as Python 2 wrote long numbers */
        p->at++;
    return ASHLAR_OK;
}

static ashlar_status parse_shape(parser *p, const ashi_store_info *info, int64_t *shape, int *dimensions)
{
    const int most = info->tensor ? ASHI_DIMENSIONS_MAX : 2;
    *dimensions = 0;
    if (!take(p, '('))
        return fail(p, "'shape' is not a tuple");
    bool comma = true;
    while (!take(p, ')')) {
        if (!comma)
            return fail(p, "'shape' is not a tuple of whole numbers");
        if (*dimensions == most)
            return fail(p, info->tensor ? "more than 64 dimensions" : "more than two dimensions, wanted a matrix");
        const ashlar_status status = parse_number(p, &shape[*dimensions]);
        if (status != ASHLAR_OK)
            return status;
        ++*dimensions;
        comma = take(p, ',');
    }
    if (*dimensions == 0 && !info->tensor)
        return fail(p, "no dimension at all, wanted a matrix");
    if (*dimensions == 1 && !comma)
        return fail(p, "'shape' is not a tuple");
    return ASHLAR_OK;
}

/* One key with its value. seen has a bit a key. */
static ashlar_status parse_item(parser *p, ashi_store_info *info, bool *swapped, int64_t *shape, int *dimensions,
                                unsigned *seen)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    const char *text = NULL;
    size_t length = 0;
    unsigned k = 0;
    if (!take_string(p, &text, &length) || !take(p, ':'))
        return fail(p, "not a dictionary of strings");
    while (k < 3 && (strlen(keys[k]) != length || memcmp(keys[k], text, length) != 0))
        k++;
    if (k == 3)
        return fail(p, "a key other than 'descr', 'fortran_order' and 'shape'");
    if (*seen & 1u << k)
        return fail(p, "a key stands there twice");
    *seen |= 1u << k;
    if (k == 0)
        return parse_descr(p, info, swapped);
    return k == 1 ? parse_order(p, info) : parse_shape(p, info, shape, dimensions);
}

ashlar_status ashi_npy_parse(const char *path, const char *text, int64_t bytes, ashi_store_info *info, bool *swapped,
                             ashlar_error *err)
{
    parser p = {path, text, text + bytes, err};
    int64_t shape[ASHI_DIMENSIONS_MAX] = {0};
    int dimensions = 0;
    unsigned seen = 0;
    for (const char *c = text; c < p.end; c++)
        if ((unsigned char)*c > 126 || ((unsigned char)*c < 32 && *c != '\n' && *c != '\t' && *c != '\r'))
            return fail(&p, "a character that is not printable ASCII");
    if (!take(&p, '{'))
        return fail(&p, "not a dictionary");
    bool comma = true;
    while (!take(&p, '}')) {
        if (!comma)
            return fail(&p, "not a dictionary: a comma or a closing brace is missing");
        const ashlar_status status = parse_item(&p, info, swapped, shape, &dimensions, &seen);
        if (status != ASHLAR_OK)
            return status;
        comma = take(&p, ',');
    }
    skip_blanks(&p);
    if (p.at != p.end)
        return fail(&p, "something follows the dictionary");
    if (seen != 7)
        return fail(&p, "a key is missing of 'descr', 'fortran_order' and 'shape'");
    if (!ashi_store_take_shape(info, dimensions, shape))
        return fail(&p, "a shape that is too large");
    if (dimensions == 1 && !info->tensor) /* a column lies the same in either order; this one has it in a single run */
        info->order = ASHLAR_COL_MAJOR;
    return ASHLAR_OK;
}

/* "(3, 4)", "(3,)" or "()". */
static void make_shape(const ashi_store_info *info, char *out, size_t room)
{
    size_t used = (size_t)snprintf(out, room, "(");
    for (int d = 0; d < info->dimensions; d++)
        used += (size_t)snprintf(out + used, room - used, "%s%" PRId64, d > 0 ? ", " : "", info->extent[d]);
    snprintf(out + used, room - used, info->dimensions == 1 ? ",)" : ")");
}

int64_t ashi_npy_make(const ashi_store_info *info, char out[ASHI_NPY_WRITTEN_MAX])
{
    const ashi_type *type = ashi_type_of(info->type);
    char shape[ASHI_NPY_WRITTEN_MAX - 256], text[ASHI_NPY_WRITTEN_MAX - 64];
    make_shape(info, shape, sizeof shape);
    const int n = snprintf(text, sizeof text, "{'descr': '%c%c%d', 'fortran_order': %s, 'shape': %s, }",
                           little_endian() ? '<' : '>', type->complex ? 'c' : 'f', (int)type->bytes,
                           info->order == ASHLAR_COL_MAJOR ? "True" : "False", shape);
    const int64_t total = ashi_ceil_div(10 + n + 1, 64) * 64;
    memset(out, ' ', (size_t)total);
    memcpy(out, "\x93NUMPY\x01", 8); /* the string's closing zero is the minor version */
    out[8] = (char)((total - 10) & 0xFF);
    out[9] = (char)((total - 10) >> 8);
    memcpy(out + 10, text, (size_t)n);
    out[total - 1] = '\n';
    return total;
}
