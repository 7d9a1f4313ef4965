/* The table of kinds of devices, and opening one by its name. */
#include "device/device.h"

#include "base/error.h"
#include "device/emulated.h"
#include "device/plugin.h"

#include <stdio.h>
#include <string.h>

const ashi_device_kind *const ashi_device_kinds[] = {&ashi_emulated_kind, &ashi_cuda_kind, NULL};

/* The names of all kinds, with commas between. */
static void list_kinds(char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; ashi_device_kinds[i] && used < room; i++) {
        const int n = snprintf(out + used, room - used, "%s%s", i > 0 ? ", " : "", ashi_device_kinds[i]->name);
        used += n > 0 ? (size_t)n : 0;
    }
}

ashlar_status ashi_device_kind_of(const char *text, const ashi_device_kind **out, ashlar_error *err)
{
    const size_t length = strcspn(text, ":");
    char kinds[128];
    for (int i = 0; ashi_device_kinds[i]; i++) {
        *out = ashi_device_kinds[i];
        if (strlen((*out)->name) == length && strncmp((*out)->name, text, length) == 0)
            return ASHLAR_OK;
    }
    *out = NULL;
    list_kinds(kinds, sizeof kinds);
    return ashi_fail(err, ASHLAR_ERR_ARG, "device: '%.*s' is none of the kinds that there are: %s", (int)length, text,
                     kinds);
}

ashlar_status ashi_device_open(const char *text, ashi_device **out, ashlar_error *err)
{
    const size_t length = strcspn(text, ":");
    const ashi_device_kind *kind;
    *out = NULL;
    const ashlar_status status = ashi_device_kind_of(text, &kind, err);
    return status == ASHLAR_OK ? kind->open(text[length] == ':' ? text + length + 1 : "", out, err) : status;
}

void ashi_device_close(ashi_device **device)
{
    if (*device)
        (*device)->kind->close(*device);
    *device = NULL;
}
