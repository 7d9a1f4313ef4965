/* Read today's stream of a rank (schedule/schedule.h) as a program (schedule/program.h). */
#ifndef ASHI_TRANSLATE_H
#define ASHI_TRANSLATE_H

#include "schedule/program.h"

/* `schedule` outlives the program. A rank's stream is emitted twice: first to find the last reader of each panel, of
 * which 8 bytes are kept, then to tell. Emitting fails with ASHLAR_ERR_INTERNAL if the stream reads what it does not
 * have. */
ashlar_status ashi_translate(ashi_schedule *schedule, ashi_program *out, ashlar_error *err);

#endif
