/* The environment variables of the drop-in, in one table, and what they say. */
#include "pblas/environment.h"

#include "base/number.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICE_LEAST = 48 };

#ifdef NDEBUG
#define CHECK_BY_DEFAULT false
#else
#define CHECK_BY_DEFAULT true
#endif

static bool read_switch(const char *text, bool *out)
{
    *out = strcmp(text, "1") == 0;
    return *out || strcmp(text, "0") == 0;
}

static bool read_log(const char *text, ashi_settings *out)
{
    return read_switch(text, &out->log);
}

static bool read_check(const char *text, ashi_settings *out)
{
    return read_switch(text, &out->check);
}

static bool read_memory(const char *text, ashi_settings *out)
{
    return ashi_number_size(text, &out->memory_bytes) && out->memory_bytes > 0;
}

static bool read_smallest(const char *text, ashi_settings *out)
{
    return ashi_number_count(text, &out->smallest);
}

static bool read_cache(const char *text, ashi_settings *out)
{
    return ashi_number_count(text, &out->plans) && out->plans >= 1 && out->plans <= 65536;
}

static bool read_strategy(const char *text, ashi_settings *out)
{
    for (int i = 0; ashlar_strategy_name(i); i++)
        if (strcmp(text, ashlar_strategy_name(i)) == 0 && strlen(text) < sizeof out->strategy) {
            snprintf(out->strategy, sizeof out->strategy, "%s", text);
            return true;
        }
    return false;
}

static bool read_transport(const char *text, ashi_settings *out)
{
    out->transport = strcmp(text, "one-sided") == 0 ? ASHLAR_ONE_SIDED : ASHLAR_TWO_SIDED;
    return out->transport == ASHLAR_ONE_SIDED || strcmp(text, "two-sided") == 0;
}

static bool read_device(const char *text, ashi_settings *out)
{
    const int n = snprintf(out->device, sizeof out->device, "%s", text);
    return n > 0 && (size_t)n < sizeof out->device;
}

/* No less than three elements of the largest type. */
static bool read_device_memory(const char *text, ashi_settings *out)
{
    return ashi_number_size(text, &out->device_bytes) && out->device_bytes >= DEVICE_LEAST;
}

static bool read_figure(const char *text, size_t length, ashlar_machine *m)
{
    const struct {
        const char *name;
        double *figure;
    } known[] = {{"flops=", &m->flops_per_second},
                 {"latency=", &m->latency},
                 {"bandwidth=", &m->bandwidth},
                 {"copy_bandwidth=", &m->copy_bandwidth},
                 {"device_in=", &m->device_in_bandwidth},
                 {"device_out=", &m->device_out_bandwidth},
                 {"device_delay=", &m->device_delay},
                 {"device_flops=", &m->device_flops[ASHLAR_TYPE_D]}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const size_t name = strlen(known[i].name);
        char *end = NULL;
        if (length <= name || strncmp(text, known[i].name, name) != 0)
            continue;
        *known[i].figure = strtod(text + name, &end);
        return end == text + length && *known[i].figure > 0 && isfinite(*known[i].figure);
    }
    return false;
}

static bool read_machine(const char *text, ashi_settings *out)
{
    out->machine_is_given = true;
    for (;;) {
        const size_t length = strcspn(text, ",");
        if (!read_figure(text, length, &out->machine))
            return false;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

static const ashi_variable table[] = {
    {"ASHLAR_LOG", "0 or 1", "0", "say at the end of the run, on stderr, what was done for each shape of call", false,
     read_log},
    {"ASHLAR_MEMORY", "bytes, with a unit such as kB, MB, GB (powers of 1000) or KiB, MiB, GiB (of 1024)", "see MEMORY",
     "the most memory a process may hold for a call, its shares of A, B and C included", true, read_memory},
    {"ASHLAR_STRATEGY", "a name that ashlar strategies lists", "the best", "how to multiply", false, read_strategy},
    {"ASHLAR_TRANSPORT", "two-sided or one-sided", "two-sided", "how words travel between processes", false,
     read_transport},
    {"ASHLAR_SMALLEST", "a whole number", "0",
     "calls of fewer multiplications than this, m times n times k, go to the ScaLAPACK behind", true, read_smallest},
    {"ASHLAR_CACHE", "1 to 65536", "64", "how many shapes of call are remembered for each BLACS context", true,
     read_cache},
    {"ASHLAR_CHECK", "0 or 1", "0, or 1 in a debug build",
     "compare the arguments of all processes before each call", false, read_check},
    {"ASHLAR_DEVICE", "none, auto, or a kind of device and a number or options", "none",
     "which device multiplies, see DEVICES", true, read_device},
    {"ASHLAR_DEVICE_MEMORY", "bytes as of ASHLAR_MEMORY, at least 48", "1GiB",
     "the most of its device's memory that a process may hold for each BLACS context", true, read_device_memory},
    {"ASHLAR_MACHINE", "flops=F,latency=S,bandwidth=B,copy_bandwidth=B,device_in=B,device_out=B,device_delay=S,"
                       "device_flops=F or some of these", "a current cluster's",
     "the figures of one process, operations a second, seconds, bytes a second", false, read_machine},
};

const ashi_variable *ashi_environment_variable(int i)
{
    static const ashi_variable none = {0};
    return i >= 0 && (size_t)i < sizeof table / sizeof table[0] ? &table[i] : &none;
}

static void complain(const ashi_variable *v, const char *text)
{
    if (v->limit)
        fprintf(stderr, "ashlar: %s=%s: wanted %s\n", v->name, text, v->values);
    else
        fprintf(stderr, "ashlar: %s=%s: wanted %s; going on with the default (%s)\n", v->name, text, v->values,
                v->standard);
    fflush(stderr);
}

ashi_settings ashi_environment_read(void)
{
    static atomic_bool read_before;
    const bool complains = !atomic_exchange(&read_before, true);
    ashi_settings settings = {.check = CHECK_BY_DEFAULT,
                              .transport = ASHLAR_TWO_SIDED,
                              .plans = 64,
                              .device = "none",
                              .device_bytes = INT64_C(1) << 30,
                              .machine = ashlar_machine_default()};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const char *text = getenv(table[i].name);
        ashi_settings with = settings;
        if (!text || !text[0])
            continue;
        if (table[i].read(text, &with)) {
            settings = with;
            continue;
        }
        settings.refused = settings.refused || table[i].limit;
        if (complains || table[i].limit)
            complain(&table[i], text);
    }
    return settings;
}
