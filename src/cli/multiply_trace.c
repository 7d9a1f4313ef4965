/* `ashlar multiply --trace`: a record of what all ranks do, from the first message to the last product. */
#include "cli/multiply.h"
#include "plan/plan.h"
#include "plan/trace.h"

ashlar_status ashi_multiply_trace(ashi_multiply_job *job, ashlar_error *err)
{
    const ashlar_context *c = job->context;
    if (!job->wish->trace)
        return ASHLAR_OK;
    ashlar_status status = ashi_trace_create(c->comm, c->rank, c->ranks, ASHI_TRACE_USUAL, &job->trace, err);
    if (status == ASHLAR_OK && job->plan)
        status = ashi_executor_record(job->plan->executor, job->trace, err);
    return ashi_agree(c, status, err);
}

ashlar_status ashi_multiply_write_trace(ashi_multiply_job *job, ashlar_error *err)
{
    return job->trace ? ashi_trace_publish(job->context, job->trace, &job->trace_file, err) : ASHLAR_OK;
}
