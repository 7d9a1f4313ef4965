/* One rank's program, printed: its operations, or the tasks that the passes make of them. */
#ifndef ASHI_SCHEDULE_PRINT_H
#define ASHI_SCHEDULE_PRINT_H

#include "schedule/ready.h"
#include "strategy/strategy.h"

typedef struct ashi_print_request {
    const ashi_problem *problem;
    const char *strategy;
    ashi_program *program;
    int64_t rank;
    bool tasks; /* else operations */
} ashi_print_request;

/* Tags of tasks as they are printed: an MPI may have more. */
enum { ASHI_PRINT_TAGS = 32768 };

/* The words that name memories, contents and operands. */
const char *ashi_memory_name(ashi_memory memory);
const char *ashi_content_name(ashi_content content);
const char *ashi_operand_name(ashlar_operand operand);

/* Both print one step after the other, so that a long program needs no more memory than a short one.
 * @return ASHLAR_OK; ASHLAR_ERR_IO; what the program or the passes fail with */
ashlar_status ashi_schedule_print_text(const ashi_print_request *request, ashlar_error *err);
ashlar_status ashi_schedule_print_json(const ashi_print_request *request, ashlar_error *err);

#endif
