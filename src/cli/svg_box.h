/* The picture of the m x n x k box, between the files that draw it. */
#ifndef ASHI_SVG_BOX_H
#define ASHI_SVG_BOX_H

#include "cli/report.h"

#include <stdio.h>

enum { ASHI_SVG_TOP = 80, ASHI_SVG_LEGEND = 400 }; /* pixels above the box, and of the column beside it */

/* The faces that are seen: C's in front on the left, A's in front on the right, B's on top. The marked cell is at the
 * corner where they meet, first along m and k and last along n. */
typedef struct ashi_svg_box {
    FILE *file;
    const ashi_report *report;
    const ashi_bricks *bricks; /* the boxes that are listed; NULL for a grid */
    int64_t grid[3], drawn[3]; /* parts of m, n and k, and how many of them are drawn */
    int64_t side[3];           /* of the marked domain */
    int marked;                /* the rank whose it is; -1: not known */
    double length[3];          /* pixels along m, n, k */
    double x0, y0, width, height;
} ashi_svg_box;

typedef struct ashi_svg_point {
    double x, y;
} ashi_svg_point;

/* m goes down, n to the right and down, k to the right and up. */
ashi_svg_point ashi_svg_project(const ashi_svg_box *d, double m, double n, double k);

/* What the sides are, and what the marked domain has of each matrix. */
void ashi_svg_legend(const ashi_svg_box *d);

#endif
