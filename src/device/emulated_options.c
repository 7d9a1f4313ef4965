/* The options of an emulated device. */
#include "base/error.h"
#include "base/number.h"
#include "device/emulated.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_MOST = 63 };

static const int64_t USUAL_MEMORY = INT64_C(1) << 30;

/* Where a value goes, and what it is. */
typedef struct option_row {
    const char *name;
    enum { SIZE, COUNT, REAL } is;
    size_t offset;
} option_row;

static const option_row rows[] = {
    {"memory", SIZE, offsetof(ashi_emulated_options, memory)},
    {"in", REAL, offsetof(ashi_emulated_options, in)},
    {"out", REAL, offsetof(ashi_emulated_options, out)},
    {"flops", REAL, offsetof(ashi_emulated_options, flops)},
    {"delay", REAL, offsetof(ashi_emulated_options, delay)},
    {"count-time", COUNT, offsetof(ashi_emulated_options, count_time)},
    {"fail-copy", COUNT, offsetof(ashi_emulated_options, fail_copy)},
    {"fail-product", COUNT, offsetof(ashi_emulated_options, fail_product)},
    {"lost", COUNT, offsetof(ashi_emulated_options, lost)},
};

const char ashi_emulated_option_names[] =
    "NUMBER, memory=BYTES, in=BYTES_A_SECOND, out=BYTES_A_SECOND, flops=OPERATIONS_A_SECOND, delay=SECONDS, "
    "count-time=1, fail-copy=N, fail-product=N, lost=N";

static bool read_value(const option_row *row, const char *value, ashi_emulated_options *out)
{
    void *to = (char *)out + row->offset;
    switch (row->is) {
    case SIZE:
        return ashi_number_size(value, to) && *(int64_t *)to > 0;
    case COUNT:
        return ashi_number_count(value, to) && *(int64_t *)to > 0;
    default:
        return ashi_number_real(value, to) && *(double *)to > 0;
    }
}

/* One option, `length` characters of text. */
static ashlar_status read_one(const char *text, size_t length, ashi_emulated_options *out, ashlar_error *err)
{
    const size_t name = strcspn(text, "=,");
    char value[VALUE_MOST + 1] = "";
    const bool has_value = name + 1 < length && length - name - 1 <= VALUE_MOST;
    if (has_value)
        memcpy(value, text + name + 1, length - name - 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strlen(rows[i].name) != name || strncmp(rows[i].name, text, name) != 0)
            continue;
        if (has_value && read_value(&rows[i], value, out))
            return ASHLAR_OK;
        return ashi_fail(err, ASHLAR_ERR_ARG, "device: emulated: '%.*s' gives no %s above 0", (int)length, text,
                         rows[i].is == SIZE ? "number of bytes" : rows[i].is == COUNT ? "whole number" : "number");
    }
    return ashi_fail(err, ASHLAR_ERR_ARG, "device: emulated: '%.*s' is no option; there are %s", (int)name, text,
                     ashi_emulated_option_names);
}

/* The number of a device, `length` characters of text. */
static ashlar_status read_number(const char *text, size_t length, ashi_emulated_options *out, ashlar_error *err)
{
    char number[VALUE_MOST + 1] = "";
    memcpy(number, text, length <= VALUE_MOST ? length : 0);
    if (ashi_number_count(number, &out->number))
        return ASHLAR_OK;
    return ashi_fail(err, ASHLAR_ERR_ARG, "device: emulated: '%.*s' is no number of a device", (int)length, text);
}

ashlar_status ashi_emulated_options_read(const char *text, ashi_emulated_options *out, ashlar_error *err)
{
    *out = (ashi_emulated_options){.memory = USUAL_MEMORY};
    for (const char *at = text; *at != '\0';) {
        const size_t length = strcspn(at, ",");
        const bool is_number = at == text && isdigit((unsigned char)*at);
        const ashlar_status status = is_number ? read_number(at, length, out, err) : read_one(at, length, out, err);
        if (status != ASHLAR_OK)
            return status;
        at += length + (at[length] == ',');
    }
    return ASHLAR_OK;
}

ashlar_status ashi_emulated_count(int64_t *out, ashlar_error *err)
{
    const char *text = getenv(ASHI_EMULATED_DEVICES);
    *out = 1;
    if (!text || text[0] == '\0' || ashi_number_count(text, out))
        return ASHLAR_OK;
    return ashi_fail(err, ASHLAR_ERR_ARG, "device: %s is '%.64s', wanted a whole number of at least 0",
                     ASHI_EMULATED_DEVICES, text);
}
