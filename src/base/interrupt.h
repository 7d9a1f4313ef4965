/* Whether the program has asked its executions to end. */
#ifndef ASHI_INTERRUPT_H
#define ASHI_INTERRUPT_H

#include "base/error.h"

/* ASHLAR_OK, or ASHLAR_ERR_INTERRUPTED if ashlar_interrupt has asked for that. Any thread may ask. */
ashlar_status ashi_interrupt_check(ashlar_error *err);

#endif
