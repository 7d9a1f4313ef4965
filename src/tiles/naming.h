/* Which tiles of A or B there are, named to the ranks that may multiply them. */
#ifndef ASHI_TILES_NAMING_H
#define ASHI_TILES_NAMING_H

#include "layout/deal.h"
#include "layout/pattern.h"
#include "plan/context.h"
#include "schedule/tile_problem.h"

/* A tile of op(A) or op(B), and a number of the caller's. */
typedef struct ashi_name {
    int64_t row, col;
    int64_t value;
} ashi_name;

typedef struct ashi_names {
    ashi_name *name;
    int64_t count, capacity;
} ashi_names;

/* ASHLAR_ERR_MEMORY: the list is as before. */
ashlar_status ashi_names_add(ashi_names *names, const ashi_name *name, ashlar_error *err);
void ashi_names_free(ashi_names *names);

/* Their tiles as a pattern, freed by ashi_pattern_free, also after a failure. Local. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_names_pattern(const ashi_names *names, ashi_pattern *out, ashlar_error *err);

/* C's process grid, and its layers or NULL. */
typedef struct ashi_named_to {
    const ashi_deal *deal;
    const ashi_tile_layers *layers;
} ashi_named_to;

/* Each tile goes to all processes of the process row of C's grid that has C's tiles of its row (x is ASHLAR_A), or of
 * the process column that has those of its column (ASHLAR_B); with layers, to those of the layer of its k alone. `own`
 * is put in the order of these rows or columns and held once, whatever the number of processes; `in` is freed by
 * ashi_names_free, also after a failure. Collective; status and text are the same on all ranks, `mine` is what this
 * rank comes with. */
ashlar_status ashi_names_exchange(const ashlar_context *context, ashlar_status mine, const ashi_named_to *c,
                                  ashlar_operand x, ashi_names *own, ashi_names *in, ashlar_error *err);

#endif
