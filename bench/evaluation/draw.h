/* Running gnuplot, where it is installed. */
#ifndef ASHI_DRAW_H
#define ASHI_DRAW_H

#include <ashlar/base.h>

typedef enum ashi_drawn { ASHI_DRAWN, ASHI_NO_PROGRAM } ashi_drawn;

/* Run a script in its folder. ASHLAR_ERR_IO where gnuplot could not be started for another reason, or failed. */
ashlar_status ashi_draw(const char *folder, const char *script, ashi_drawn *out, ashlar_error *err);

#endif
