/* Numbers as people read them: three digits and a prefix. */
#include "cli/figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Decimals that make three digits of a number from 1 to 1000. */
static int decimals(double value)
{
    return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

ashi_figure ashi_figure_of(double value, const char *unit)
{
    static const char *const prefix[] = {"", "k", "M", "G", "T", "P", "E", "Z", "Y"};
    ashi_figure f;
    int i = 0;
    if (!isfinite(value)) {
        snprintf(f.text, sizeof f.text, "-");
        return f;
    }
    if (value < 10000 && value == floor(value)) {
        snprintf(f.text, sizeof f.text, "%.0f%s%s", value, *unit ? " " : "", unit);
        return f;
    }
    for (; value >= 999.5 && i + 1 < (int)(sizeof prefix / sizeof prefix[0]); i++)
        value /= 1000;
    snprintf(f.text, sizeof f.text, "%.*f%s%s%s", decimals(value), value, i > 0 || *unit ? " " : "", prefix[i], unit);
    return f;
}

ashi_figure ashi_figure_seconds(double seconds)
{
    static const struct {
        double least;
        const char *unit;
    } units[] = {{0.9995, "s"}, {0.9995e-3, "ms"}, {0, "us"}};
    ashi_figure f;
    double scale = 1;
    int i = 0;
    for (; seconds < units[i].least; i++)
        scale *= 1000;
    if (!isfinite(seconds))
        snprintf(f.text, sizeof f.text, "-");
    else
        snprintf(f.text, sizeof f.text, "%.*f %s", decimals(seconds * scale), seconds * scale, units[i].unit);
    return f;
}

ashi_grid_figure ashi_figure_grid(const int64_t grid[3])
{
    ashi_grid_figure f = {"-"};
    if (grid[0] > 0)
        snprintf(f.text, sizeof f.text, "%" PRId64 "x%" PRId64 "x%" PRId64, grid[0], grid[1], grid[2]);
    return f;
}
