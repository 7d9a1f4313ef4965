/* What is said of a program that proves nothing. */
#include "check/proof.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>

ashlar_status ashi_proof_fail(ashi_proof *p, const ashi_operation *o, ashlar_error *err, const char *what)
{
    char *text = p->report->text;
    size_t at = 0;
    if (p->rank >= 0)
        at += (size_t)snprintf(text, ASHLAR_MESSAGE_MAX, "rank %" PRId64 ", step %" PRId64 ", operation %" PRId64 ": ",
                               p->rank, p->step, p->operations);
    if (o)
        at += (size_t)snprintf(text + at, ASHLAR_MESSAGE_MAX - at, "%s: ", ashi_operation_name(o->kind));
    snprintf(text + at, ASHLAR_MESSAGE_MAX - at, "%s", what);
    return ashi_fail(err, ASHLAR_ERR_INTERNAL, "%s", text);
}
