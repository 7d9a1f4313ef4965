/* The program of boxes in which A or B stays: rounds bring slabs of the other, and move sums of slabs of C. */
#ifndef ASHI_STAYS_PROGRAM_H
#define ASHI_STAYS_PROGRAM_H

#include "engine/grid_program.h"

/* Once the schedule's views are there. `thin`: stretches of one owner may be thin. */
ashlar_status ashi_stays_find_stretches(ashi_schedule *schedule, bool thin, ashlar_error *err);

/* An ashi_schedule's `program`, if A or B stays. */
ashlar_status ashi_stays_program_of(ashi_schedule *schedule, ashi_program *out, ashlar_error *err);

#endif
