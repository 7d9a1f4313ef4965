/* Writing a stream of operations down. */
#include "exec/tape.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* Beyond this, deriving an operation costs little beside what it moves and multiplies. */
enum { OPS_MOST = 1024, MEMBERS_MOST = 16384 };

typedef struct recording {
    ashi_tape *tape;
    int64_t step, ops, members;
} recording;

static ashlar_status count_op(void *context, const ashi_op *op, ashlar_error *err)
{
    recording *r = context;
    (void)err;
    r->ops++;
    r->members += op->members;
    return ASHLAR_OK;
}

static ashlar_status write_op(void *context, const ashi_op *op, ashlar_error *err)
{
    recording *r = context;
    ashi_op *to = &r->tape->op[r->ops];
    (void)err;
    r->tape->step[r->ops++] = r->step;
    *to = *op;
    to->member = r->tape->member + r->members;
    if (op->members > 0)
        memcpy(r->tape->member + r->members, op->member, (size_t)op->members * sizeof *op->member);
    r->members += op->members;
    return ASHLAR_OK;
}

ashlar_status ashi_tape_record(ashi_schedule *schedule, int64_t rank, ashi_tape *out, ashlar_error *err)
{
    recording r = {.tape = out};
    *out = (ashi_tape){0};
    ashlar_status status = ashi_schedule_walk(schedule, rank, count_op, &r, err);
    if (status != ASHLAR_OK || r.ops > OPS_MOST || r.members > MEMBERS_MOST)
        return status;
    out->op = malloc((size_t)(r.ops + 1) * sizeof *out->op);
    out->step = malloc((size_t)(r.ops + 1) * sizeof *out->step);
    out->member = malloc((size_t)(r.members + 1) * sizeof *out->member);
    out->ops = r.ops;
    r.ops = r.members = 0;
    if (!out->op || !out->step || !out->member)
        status = ashi_fail_memory(err, "executor", out->ops * (int64_t)sizeof *out->op);
    for (; status == ASHLAR_OK && r.step < schedule->steps; r.step++)
        status = schedule->emit(schedule, rank, r.step, write_op, &r, err);
    if (status != ASHLAR_OK)
        ashi_tape_free(out);
    return status;
}

void ashi_tape_free(ashi_tape *tape)
{
    free(tape->op);
    free(tape->step);
    free(tape->member);
    *tape = (ashi_tape){0};
}
