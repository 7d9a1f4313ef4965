/* The options of a plan as a caller gave them, completed. */
#ifndef ASHI_PLAN_OPTIONS_H
#define ASHI_PLAN_OPTIONS_H

#include "plan/context.h"

/* Every member of this version, and a machine. */
typedef struct ashi_options_taken {
    ashlar_options options; /* its machine is the one below */
    ashlar_machine machine;
} ashi_options_taken;

/* options: NULL for the default; `who` is the call. The result points into itself. Local. */
ashlar_status ashi_options_take(const ashlar_context *context, const char *who, const ashlar_options *options,
                                ashi_options_taken *out, ashlar_error *err);

/* Whether the caller says how matrices are to be multiplied over all ranks: a strategy or a grid. Local. */
bool ashi_options_prescribe(const ashlar_options *options);

#endif
