/* Make a choice of what won: the plan, the reason for it, and a row for everything that it was compared with. */
#ifndef ASHI_RESULT_H
#define ASHI_RESULT_H

#include "choose/contest.h"

/* The choice takes contest->best, its schedule and all rows. */
void ashi_contest_take(ashi_contest *contest, ashi_choice *out);

#endif
