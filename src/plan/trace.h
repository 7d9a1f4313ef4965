/* The traces of all ranks in one file. */
#ifndef ASHI_PLAN_TRACE_H
#define ASHI_PLAN_TRACE_H

#include "exec/trace.h"
#include "plan/context.h"
#include "store/output.h"

/* Write what all ranks have recorded to a file that rank 0 has begun and discards afterwards, in the Chrome trace event
 * format, which Perfetto opens: one process per rank, one thread per lane (several if its events overlap), times in
 * microseconds of rank 0's clock. Every line but
 * the first and the last one is one event:
 *
 *   {"displayTimeUnit":"ms","otherData":{"format":"ashlar trace","schema":1,"ranks":2,"events":9,"dropped":0},
 *    "traceEvents":[                                                                         (both in one line)
 *   {"ph":"M","name":"process_name","pid":0,"tid":0,"args":{"name":"rank 0"}},               (and others about names)
 *   {"ph":"X","name":"receive","cat":"network","pid":0,"tid":1000,"ts":12.345,"dur":6.789,
 *    "args":{"step":0,"words":100,"peer":1}},                                                (all in one line)
 *   {"ph":"M","name":"trace_end","pid":0,"tid":0,"args":{}}
 *   ]}
 *
 * An existing file is replaced only when the new one is complete. `output` is read on rank 0 only. Collective.
 * @return the same on all ranks: ASHLAR_OK; ASHLAR_ERR_IO; ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI */
ashlar_status ashi_trace_publish(const ashlar_context *context, ashi_trace *trace, ashi_output *output,
                                 ashlar_error *err);

/* The same of a plan whose recording was begun, which ends. */
ashlar_status ashi_plan_trace_publish(ashlar_plan *plan, ashi_output *output, ashlar_error *err);

/* Begin the file `path` (which is read on rank 0 only), publish it, and discard what is left. Collective, as above. */
ashlar_status ashi_trace_write(const ashlar_context *context, ashi_trace *trace, const char *path, ashlar_error *err);

#endif
