/* A rank's short stream of operations, written down once so that executions need not derive it again. */
#ifndef ASHI_TAPE_H
#define ASHI_TAPE_H

#include "schedule/schedule.h"

typedef struct ashi_tape {
    ashi_op *op; /* NULL where the stream is long: it is derived as it is walked */
    int64_t *step; /* of each operation */
    int64_t ops;
    int *member; /* of all operations, one after the other */
} ashi_tape;

/* Write down a rank's stream, unless it is long. */
ashlar_status ashi_tape_record(ashi_schedule *schedule, int64_t rank, ashi_tape *out, ashlar_error *err);
void ashi_tape_free(ashi_tape *tape);

#endif
