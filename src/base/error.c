/* Failing with a status and one line of text. */
#include "base/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct status_row {
    const char *name, *text;
} status_row;

static const status_row rows[] = {
    [ASHLAR_OK] = {"ASHLAR_OK", "done"},
    [ASHLAR_ERR_ARG] = {"ASHLAR_ERR_ARG", "an argument is wrong, or arguments do not fit together"},
    [ASHLAR_ERR_MEMORY] = {"ASHLAR_ERR_MEMORY", "an allocation failed"},
    [ASHLAR_ERR_LIMIT] = {"ASHLAR_ERR_LIMIT", "the memory limit cannot be met"},
    [ASHLAR_ERR_OVERFLOW] = {"ASHLAR_ERR_OVERFLOW", "a size is too large"},
    [ASHLAR_ERR_MPI] = {"ASHLAR_ERR_MPI", "an MPI call failed"},
    [ASHLAR_ERR_IO] = {"ASHLAR_ERR_IO", "a file could not be read or written"},
    [ASHLAR_ERR_UNSUPPORTED] = {"ASHLAR_ERR_UNSUPPORTED", "the strategy cannot serve this problem"},
    [ASHLAR_ERR_INTERNAL] = {"ASHLAR_ERR_INTERNAL", "a defect in Ashlar"},
    [ASHLAR_ERR_INTERRUPTED] = {"ASHLAR_ERR_INTERRUPTED", "the program asked for the end"},
    [ASHLAR_ERR_DEVICE] = {"ASHLAR_ERR_DEVICE", "a device is not there, or failed"},
};

static bool known(ashlar_status status)
{
    return status >= ASHLAR_OK && status <= ASHLAR_ERR_DEVICE;
}

const char *ashlar_status_name(ashlar_status status)
{
    return known(status) ? rows[status].name : "unknown status";
}

const char *ashlar_status_text(ashlar_status status)
{
    return known(status) ? rows[status].text : "unknown status";
}

ashlar_status ashi_fail(ashlar_error *err, ashlar_status status, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        err->status = status;
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return status;
}

ashlar_status ashi_fail_memory(ashlar_error *err, const char *who, int64_t bytes)
{
    return ashi_fail(err, ASHLAR_ERR_MEMORY, "%s: no memory for %" PRId64 " bytes", who, bytes);
}
