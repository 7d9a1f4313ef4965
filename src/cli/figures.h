/* Numbers as people read them: three digits and a prefix. */
#ifndef ASHI_CLI_FIGURES_H
#define ASHI_CLI_FIGURES_H

#include <stdint.h>

typedef struct ashi_figure {
    char text[32];
} ashi_figure;

/* "2.36 M", "46.1 GB": powers of 1000; whole numbers below 10000 stay as they are. "-" where it is not finite. */
ashi_figure ashi_figure_of(double value, const char *unit);

/* "4.53 ms": seconds. */
ashi_figure ashi_figure_seconds(double seconds);

typedef struct ashi_grid_figure {
    char text[72];
} ashi_grid_figure;

/* "4x3x2": the parts of m, n and k. "-" where the boxes are not those of a grid: all 0. */
ashi_grid_figure ashi_figure_grid(const int64_t grid[3]);

#endif
