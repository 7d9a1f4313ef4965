/* The messages of all ranks of a schedule, one by one. */
#include "simulate/messages.h"

typedef struct looking {
    ashi_program program;
    ashi_message_seen seen;
    void *context;
    int64_t rank, step;
} looking;

static ashlar_status see_panel(void *context, const ashi_panel *panel, ashlar_error *err)
{
    (void)context;
    (void)panel;
    (void)err;
    return ASHLAR_OK;
}

static ashlar_status see_message(void *context, const ashi_operation *op, const ashi_message *message,
                                 ashlar_error *err)
{
    const looking *l = context;
    (void)op;
    return l->seen(l->context, l->rank, l->step, message, err);
}

static ashlar_status see_operation(void *context, const ashi_operation *o, ashlar_error *err)
{
    looking *l = context;
    l->step = o->step;
    return ashi_program_messages(&l->program, l->rank, o, see_message, l, err);
}

ashlar_status ashi_messages_visit(ashi_schedule *schedule, ashi_message_seen seen, void *context, ashlar_error *err)
{
    looking l = {.seen = seen, .context = context};
    const ashi_program_visitor visitor = {see_panel, see_operation, &l};
    ashlar_status status = ashi_program_of(schedule, &l.program, err);
    for (; l.rank < schedule->ranks && status == ASHLAR_OK; l.rank++)
        status = ashi_program_walk(&l.program, l.rank, &visitor, err);
    ashi_program_free(&l.program);
    return status;
}
