/* The options of a CUDA device. */
#include "base/error.h"
#include "base/number.h"
#include "device/cuda/cuda.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

enum { VALUE_MOST = 63 };

static const int64_t USUAL_PINNED = INT64_C(32) << 20;

const char ashi_cuda_option_names[] =
    "NUMBER, memory=BYTES, pinned=BYTES, in=BYTES_A_SECOND, out=BYTES_A_SECOND, flops=OPERATIONS_A_SECOND";

typedef struct option_row {
    const char *name;
    bool is_size;
    size_t offset;
} option_row;

static const option_row rows[] = {
    {"memory", true, offsetof(ashi_cuda_options, memory)}, {"pinned", true, offsetof(ashi_cuda_options, pinned)},
    {"in", false, offsetof(ashi_cuda_options, in)},        {"out", false, offsetof(ashi_cuda_options, out)},
    {"flops", false, offsetof(ashi_cuda_options, flops)},
};

static bool read_value(const option_row *row, const char *value, ashi_cuda_options *out)
{
    void *to = (char *)out + row->offset;
    if (row->is_size)
        return ashi_number_size(value, to) && *(int64_t *)to > 0;
    return ashi_number_real(value, to) && *(double *)to > 0;
}

/* One option, `length` characters of text. */
static ashlar_status read_one(const char *text, size_t length, bool first, ashi_cuda_options *out, ashlar_error *err)
{
    const size_t name = strcspn(text, "=,");
    const bool is_number = first && isdigit((unsigned char)text[0]), has_value = name + 1 < length;
    const char *from = is_number ? text : text + name + 1;
    const size_t room = is_number ? length : has_value ? length - name - 1 : 0;
    char value[VALUE_MOST + 1] = "";
    memcpy(value, from, room <= VALUE_MOST ? room : 0);
    if (is_number)
        return ashi_number_count(value, &out->number) ? ASHLAR_OK
                   : ashi_fail(err, ASHLAR_ERR_ARG, "device: cuda: '%.*s' is no number of a device", (int)length, text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strlen(rows[i].name) != name || strncmp(rows[i].name, text, name) != 0)
            continue;
        return read_value(&rows[i], value, out) ? ASHLAR_OK
                   : ashi_fail(err, ASHLAR_ERR_ARG, "device: cuda: '%.*s' gives no %s above 0", (int)length, text,
                               rows[i].is_size ? "number of bytes" : "number");
    }
    return ashi_fail(err, ASHLAR_ERR_ARG, "device: cuda: '%.*s' is no option; there are %s", (int)name, text,
                     ashi_cuda_option_names);
}

ashlar_status ashi_cuda_options_read(const char *text, ashi_cuda_options *out, ashlar_error *err)
{
    *out = (ashi_cuda_options){.pinned = USUAL_PINNED};
    for (const char *at = text; *at != '\0';) {
        const size_t length = strcspn(at, ",");
        const ashlar_status status = read_one(at, length, at == text, out, err);
        if (status != ASHLAR_OK)
            return status;
        at += length + (at[length] == ',');
    }
    return ASHLAR_OK;
}
