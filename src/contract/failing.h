/* The first failure of a rank that goes on after it: other ranks may wait for its messages. */
#ifndef ASHI_CONTRACT_FAILING_H
#define ASHI_CONTRACT_FAILING_H

#include <ashlar/base.h>

typedef struct ashi_failing {
    ashlar_status status; /* of the first failure; ASHLAR_OK: none */
    ashlar_error *err;    /* its text */
} ashi_failing;

/* Keep the status of a call if none has failed before. */
static inline void ashi_failing_note(ashi_failing *failing, ashlar_status now)
{
    failing->status = failing->status == ASHLAR_OK ? now : failing->status;
}

/* Where the next call is to put its error: nowhere once one has failed. */
static inline ashlar_error *ashi_failing_err(const ashi_failing *failing)
{
    return failing->status == ASHLAR_OK ? failing->err : NULL;
}

#endif
