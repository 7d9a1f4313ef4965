/* Where a point of the m x n x k box is in the picture. */
#include "cli/svg_box.h"

ashi_svg_point ashi_svg_project(const ashi_svg_box *d, double m, double n, double k)
{
    return (ashi_svg_point){d->x0 + 0.866 * (n + k), d->y0 + m + 0.5 * (n - k)};
}
