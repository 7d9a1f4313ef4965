/* A drawing of how the m x n x k box is cut among the ranks. */
#ifndef ASHI_SVG_H
#define ASHI_SVG_H

#include "cli/report.h"

/* The chosen grid as SVG, one rank's domain marked with what it needs of A, B and C. *out is freed by the caller;
 * NULL on failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_svg_draw(const ashi_report *report, char **out, ashlar_error *err);

#endif
