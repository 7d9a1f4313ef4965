/* How many ranks' schedules are walked one by one. */
#include "cli/walkable.h"

#include "base/checked.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>

static bool is_power_of_two(int64_t ranks)
{
    return (ranks & (ranks - 1)) == 0;
}

/* Whether its work grows with the square of the ranks. */
static bool is_squared(const ashi_problem *q, const ashi_strategy *s)
{
    return s == &ashi_strategy_tpmm || (s == &ashi_strategy_carma && !is_power_of_two(q->ranks));
}

/* What has every rank's schedule walked, in words; NULL if closed forms tell. */
static const char *reason_of(const ashi_problem *q, const ashi_walk *w, const ashi_strategy *only)
{
    const bool empty = ashi_problem_is_empty(q);
    if (w->all)
        return "--strategy=all";
    if (q->layout[0] || q->layout[1] || q->layout[2])
        return "a layout";
    if (only && (!only->foresee || is_squared(q, only)))
        return only->name;
    if (q->torus.dims > 0 && !empty)
        return "a torus";
    if ((q->route == ASHI_TREE || q->route == ASHI_RECTANGULAR) && !empty)
        return "this route";
    return w->always ? w->command : NULL;
}

/* "cosma, summa": the strategies with closed forms. */
static void list_foreseen(char *out, size_t room)
{
    const ashi_strategy *s = NULL;
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; (s = ashi_strategy_at(i)) != NULL && used < room; i++)
        if (s->foresee)
            used += (size_t)snprintf(out + used, room - used, "%s%s%s", used > 0 ? ", " : "", s->name,
                                     s == &ashi_strategy_carma ? " on powers of two" : "");
}

ashlar_status ashi_walkable(const ashi_problem *q, const ashi_walk *w, ashlar_error *err)
{
    char foreseen[160];
    const ashi_strategy *only = w->only ? ashi_strategy_named(w->only) : NULL;
    if (only == &ashi_strategy_sequential) /* which says itself that it needs files */
        return ASHLAR_OK;
    const char *what = reason_of(q, w, only);
    const bool squared = w->all || (only && is_squared(q, only));
    const int64_t most = squared ? ashi_min(w->most, ASHI_SQUARED_MOST) : w->most;
    if (!what || q->ranks <= most)
        return ASHLAR_OK;
    list_foreseen(foreseen, sizeof foreseen);
    return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                     "%s has each rank's schedule walked, of at most %" PRId64 " ranks, not %" PRId64
                     "; 'ashlar plan' has closed forms for %s in their own layouts", what, most, q->ranks, foreseen);
}
