/* A drawing of how much each link of a torus carries. */
#ifndef ASHI_SVG_LINKS_H
#define ASHI_SVG_LINKS_H

#include "cli/report.h"

/* ASHLAR_ERR_ARG where the torus is none of two or three dimensions. */
ashlar_status ashi_svg_links_check(const ashi_torus *torus, ashlar_error *err);

/* The loads of the chosen strategy's links as SVG; the torus has passed the check. *out is freed by the caller; NULL on
 * failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_svg_links_draw(const ashi_report *report, char **out, ashlar_error *err);

#endif
