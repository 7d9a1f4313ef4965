/* How the nest engine's programs tell a visitor of their panels and operations.
 *
 * Panels say themselves where in the pool they lie, and operations which of them is the last to read one. Once a visit
 * has failed nothing more is visited, so that only the end of a step asks for the status. */
#ifndef ASHI_NEST_TELL_H
#define ASHI_NEST_TELL_H

#include "engine/builder.h"

enum { ASHI_NEST_STRIPS = 64 }; /* at most of a rank's box of C */

typedef struct ashi_nest_tale {
    int64_t step;                         /* what is told next */
    int64_t panels;                       /* so far */
    const ashi_program_visitor *visitor;  /* NULL: panels are only numbered */
    ashlar_error *err;
    ashlar_status status;
} ashi_nest_tale;

/* Number a panel and tell it. Returns its number. */
static inline int64_t ashi_nest_tell_panel(ashi_nest_tale *tale, ashi_panel panel)
{
    panel.id = tale->panels++;
    if (tale->visitor && tale->status == ASHLAR_OK)
        tale->status = tale->visitor->panel(tale->visitor->context, &panel, tale->err);
    return panel.id;
}

static inline void ashi_nest_tell(ashi_nest_tale *tale, ashi_operation operation)
{
    operation.step = tale->step;
    if (tale->visitor && tale->status == ASHLAR_OK)
        tale->status = tale->visitor->operation(tale->visitor->context, &operation, tale->err);
}

/* A panel is made of another, which nothing reads later. */
static inline void ashi_nest_tell_move(ashi_nest_tale *tale, int64_t from, int64_t to)
{
    ashi_operation o = ashi_operation_blank(ASHI_DO_MOVE);
    ashi_operation_reads(&o, 0, from, true);
    o.makes = to;
    ashi_nest_tell(tale, o);
}

/* Number and tell a panel in a matrix's file. */
static inline int64_t ashi_nest_tell_file(ashi_nest_tale *tale, ashlar_operand operand, const ashi_box *box, bool given)
{
    ashi_panel p = ashi_panel_of(operand, box);
    p.memory = ASHI_MEMORY_FILE;
    p.given = given;
    return ashi_nest_tell_panel(tale, p);
}

/* A panel in the pool, at a word of it. */
static inline ashi_panel ashi_nest_in_pool(const ashi_nest *nest, ashlar_operand operand, const ashi_box *box,
                                           int64_t at)
{
    ashi_panel p = ashi_panel_of(operand, box);
    p.order[0] = nest->minor[operand] ? 0 : 1;
    p.order[1] = (signed char)(1 - p.order[0]);
    p.fixed = at >= 0;
    p.at = p.fixed ? at : 0;
    return p;
}

#endif
