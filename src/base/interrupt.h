/* Whether the program has asked its executions to end. */
#ifndef ASHI_INTERRUPT_H
#define ASHI_INTERRUPT_H

#include "base/error.h"

#include <stdbool.h>

/* Whether ashlar_interrupt has asked executions to end. Any thread may ask. */
bool ashi_interrupt_asked(void);

/* ASHLAR_OK, or ASHLAR_ERR_INTERRUPTED if ashlar_interrupt has asked for that. Any thread may ask. */
ashlar_status ashi_interrupt_check(ashlar_error *err);

#endif
