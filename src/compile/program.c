/* What a program has: ranges, indices and arrays by name, and ranges within ranges. */
#include "compile/program.h"

#include "base/checked.h"

#include <string.h>

int ashi_ash_range_named(const ashi_ash_program *p, const char *name)
{
    for (int i = 0; i < p->ranges; i++)
        if (strcmp(p->range[i].name, name) == 0)
            return i;
    return -1;
}

int ashi_ash_index_named(const ashi_ash_program *p, const char *name)
{
    for (int i = 0; i < p->indices; i++)
        if (strcmp(p->index[i].name, name) == 0)
            return i;
    return -1;
}

int ashi_ash_array_named(const ashi_ash_program *p, const char *name)
{
    for (int i = 0; i < p->arrays; i++)
        if (strcmp(p->array[i].name, name) == 0)
            return i;
    return -1;
}

void ashi_ash_set_typical(ashi_ash_program *p, int range, int64_t typical)
{
    p->range[range].typical = typical;
    for (int r = p->range[range].whole; r >= 0; r = p->range[r].whole) {
        p->range[r].typical = 0;
        for (int i = 0; i < p->range[r].parts; i++)
            p->range[r].typical = ashi_add_most(p->range[r].typical, p->range[p->range[r].part[i]].typical);
    }
}

bool ashi_ash_range_within(const ashi_ash_program *p, int range, int whole)
{
    while (range >= 0 && range != whole)
        range = p->range[range].whole;
    return range >= 0;
}
