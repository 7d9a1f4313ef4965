/* A program of empty tasks: words that are moved from place to place, by which the cost of a task is measured. */
#ifndef ASHI_CHAINS_H
#define ASHI_CHAINS_H

#include "engine/builder.h"

/* In each of `steps` steps each of `width` words is moved to another place in the pool, on one rank.
 * ASHLAR_ERR_MEMORY. */
ashlar_status ashi_chains_program(int64_t steps, int64_t width, ashi_program *out, ashlar_error *err);

#endif
