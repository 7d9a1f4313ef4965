/* The word on a list that a mistyped one was probably meant to be. */
#include "cli/nearest.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

enum { LONGEST = 32 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Letters changed, lost, added, or swapped with their neighbour (Damerau, 1964; without overlapping edits). */
static int edits(const char *a, const char *b)
{
    const size_t la = strlen(a), lb = strlen(b);
    int d[LONGEST + 1][LONGEST + 1];
    if (la > LONGEST || lb > LONGEST)
        return INT_MAX;
    for (size_t i = 0; i <= la; i++)
        for (size_t j = 0; j <= lb; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = (int)(i + j);
                continue;
            }
            d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[la][lb];
}

void ashi_nearest_offer(const char *typed, const char *candidate, const char **best, int *distance)
{
    const size_t length = strlen(typed);
    const int found = edits(typed, candidate), worth = length > 5 ? 3 : length > 2 ? 2 : 1;
    /* A beginning is near, however much is missing. */
    const int d = length > 1 && strncmp(typed, candidate, length) == 0 ? least(found, 1) : found;
    if (d <= worth && (!*best || d < *distance)) {
        *best = candidate;
        *distance = d;
    }
}
