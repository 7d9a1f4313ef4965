/* How much memory the node has for the programs of this job. */
#define _GNU_SOURCE /* _SC_PHYS_PAGES */
#include "plan/node_memory.h"

#include "base/checked.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_MOST = 4096 };

static int64_t physical(void)
{
    const int64_t pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    int64_t memory = 0;
    return pages > 0 && bytes > 0 && ashi_mul(pages, bytes, &memory) ? memory : 0;
}

/* The number in a file; INT64_MAX if there is no such file, or it says "max". */
static int64_t limit_in(const char *path)
{
    int64_t limit = INT64_MAX;
    FILE *f = fopen(path, "r");
    if (!f)
        return INT64_MAX;
    if (fscanf(f, "%" SCNd64, &limit) != 1)
        limit = INT64_MAX;
    fclose(f);
    return limit;
}

/* The least limit of a group and those around it. `group` is its path below `root`; it is cut down to nothing. */
static int64_t least_limit(const char *root, char *group, const char *file)
{
    int64_t least = INT64_MAX;
    for (;;) {
        char path[PATH_MOST + 128];
        snprintf(path, sizeof path, "%s%s/%s", root, group, file);
        least = ashi_min(least, limit_in(path));
        char *last = strrchr(group, '/');
        if (!last)
            return least;
        *last = '\0';
    }
}

static bool names_memory(const char *controllers)
{
    static const char memory[] = "memory";
    const size_t length = strlen(memory);
    for (const char *c = controllers;; c++) {
        if (strncmp(c, memory, length) == 0 && (c[length] == ',' || c[length] == '\0'))
            return true;
        c = strchr(c, ',');
        if (!c)
            return false;
    }
}

/* A line of /proc/self/cgroup is "number:controllers:path"; version 2 has number 0 and no controllers (cgroups(7)). */
static int64_t limit_of_line(char *line)
{
    char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path)
        return INT64_MAX;
    *path++ = '\0';
    path[strcspn(path, "\n")] = '\0';
    if (controllers[1] == '\0')
        return least_limit("/sys/fs/cgroup", path, "memory.max");
    if (names_memory(controllers + 1))
        return least_limit("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes");
    return INT64_MAX;
}

static int64_t group_limit(void)
{
    char line[PATH_MOST];
    int64_t least = INT64_MAX;
    FILE *f = fopen("/proc/self/cgroup", "r");
    while (f && fgets(line, sizeof line, f))
        least = ashi_min(least, limit_of_line(line));
    if (f)
        fclose(f);
    return least;
}

int64_t ashi_node_memory(void)
{
    const int64_t machine = physical(), group = group_limit();
    if (machine == 0)
        return group == INT64_MAX ? 0 : group;
    return ashi_min(machine, group);
}
