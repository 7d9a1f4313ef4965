/* A step of a program that is asked for at once is that which comes after those before it. */
#ifndef ASHI_SAME_STEPS_H
#define ASHI_SAME_STEPS_H

#include "operation_digests.h"

static inline ashlar_status pass_panel(void *context, const ashi_panel *p, ashlar_error *err)
{
    (void)err;
    *(uint64_t *)context = mixed(*(uint64_t *)context, &p->id, 1);
    return ASHLAR_OK;
}

static inline ashlar_status pass_operation(void *context, const ashi_operation *o, ashlar_error *err)
{
    const int64_t value[] = {o->kind, o->step, o->begins, o->makes, o->read[0], o->read[1], o->read[2], o->read[3],
                             o->last[0], o->last[1], o->last[2], o->last[3]};
    (void)err;
    *(uint64_t *)context = mixed(*(uint64_t *)context, value, sizeof value / sizeof *value);
    return ASHLAR_OK;
}

static inline void steps_can_be_repeated(ashi_test *t, uint64_t seed, ashi_schedule *s)
{
    uint64_t state = seed + 2, in_order = 0, at_once = 0;
    ashi_program program = {0};
    ashlar_error err = {0};
    const int64_t rank = ashi_random_in(&state, 0, s->ranks - 1);
    ashlar_status status = s->program(s, &program, &err);
    const int64_t step = status == ASHLAR_OK ? ashi_random_in(&state, 0, program.steps - 1) : -1;
    const ashi_program_visitor first = {pass_panel, pass_operation, &in_order};
    const ashi_program_visitor second = {pass_panel, pass_operation, &at_once};
    for (int64_t at = 0; at <= step && status == ASHLAR_OK; at++) {
        in_order = 0;
        status = program.emit(&program, rank, at, &first, &err);
    }
    for (int i = 0; i < 2 && status == ASHLAR_OK; i++) { /* the same step once more, and after another rank */
        at_once = 0;
        status = program.emit(&program, rank, step, &second, &err);
        CHECK(t, at_once == in_order, "seed %" PRIu64 ", rank %" PRId64 ": step %" PRId64 " is another one now", seed,
              rank, step);
        if (status == ASHLAR_OK)
            status = program.emit(&program, ashi_random_in(&state, 0, s->ranks - 1), 0, &second, &err);
    }
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    ashi_program_free(&program);
}

#endif
