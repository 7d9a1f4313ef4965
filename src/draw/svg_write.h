/* A drawing as a text. */
#ifndef ASHI_SVG_WRITE_H
#define ASHI_SVG_WRITE_H

#include <ashlar/base.h>

#include <stdio.h>

/* What `write` writes, as a text that the caller frees; NULL on failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_svg_write(void (*write)(void *context, FILE *file), void *context, char **out, ashlar_error *err);

#endif
