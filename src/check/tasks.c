/* What is said of a task that is wrong, and the panels that a rank's tasks name. */
#include "check/tasks.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>

ashlar_status ashi_ready_fail(ashi_ready_proof *p, const ashi_task *t, ashlar_error *err, const char *what)
{
    char *text = p->report->text;
    size_t at = (size_t)snprintf(text, ASHLAR_MESSAGE_MAX, "rank %" PRId64 ", step %" PRId64 ": ", p->rank, p->step);
    if (t)
        at += (size_t)snprintf(text + at, ASHLAR_MESSAGE_MAX - at, "task %" PRId64 ", %s: ", t->number,
                               ashi_operation_name(t->kind));
    snprintf(text + at, ASHLAR_MESSAGE_MAX - at, "%s", what);
    return ashi_fail(err, ASHLAR_ERR_INTERNAL, "%s", text);
}

ashi_placed *ashi_ready_panel(const ashi_ready_proof *p, int64_t id)
{
    const int64_t at = ashi_map_find(&p->place_of, id);
    return at < 0 ? NULL : (ashi_placed *)p->panel.data + at;
}

int64_t *ashi_ready_filled(const ashi_ready_proof *p, int64_t id)
{
    const int64_t at = ashi_map_find(&p->place_of, id);
    return at < 0 ? NULL : (int64_t *)p->filled.data + at;
}

bool ashi_ready_is_loaded(const ashi_ready_proof *p, int64_t id)
{
    const int64_t *filled = ashi_ready_filled(p, id);
    return filled && *filled > 0;
}
