/* What the system says of this process and its machine. */
#define _GNU_SOURCE
#include "process.h"
#include "die.h"

#include <dlfcn.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ashi_resident ashi_resident_read(void)
{
    ashi_resident r = {.now = -1, .peak = -1};
    char line[256];
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "VmRSS:", 6) == 0)
            r.now = strtol(line + 6, NULL, 10);
        if (strncmp(line, "VmHWM:", 6) == 0)
            r.peak = strtol(line + 6, NULL, 10);
    }
    if (file)
        fclose(file);
    return r;
}

void ashi_processor_name(char *out, size_t size)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(out, size, "unknown");
    while (file && fgets(line, sizeof line, file)) {
        const char *value = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (value) {
            value += 1 + strspn(value + 1, " \t");
            snprintf(out, size, "%.*s", (int)strcspn(value, "\n"), value);
            break;
        }
    }
    if (file)
        fclose(file);
}

int ashi_cores_online(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 && cores <= INT_MAX ? (int)cores : 1;
}

int ashi_cores_allowed(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : ashi_cores_online();
}

void ashi_library_of(const char *symbol, char *out, size_t size)
{
    Dl_info info;
    const void *address = dlsym(RTLD_DEFAULT, symbol);
    snprintf(out, size, "none");
    if (!address || dladdr(address, &info) == 0 || !info.dli_fname)
        return;
    char *path = realpath(info.dli_fname, NULL); /* a link's name says less than what it leads to */
    const char *name = path ? path : info.dli_fname, *slash = strrchr(name, '/');
    snprintf(out, size, "%s", slash ? slash + 1 : name);
    free(path);
}

void ashi_require_one_blas(void)
{
    char ours[256], theirs[256];
    ashi_library_of("cblas_dgemm", ours, sizeof ours);
    ashi_library_of("dgemm_", theirs, sizeof theirs);
    if (strcmp(ours, theirs) != 0)
        ashi_die("Ashlar multiplies with %s but the others with %s", ours, theirs);
}
