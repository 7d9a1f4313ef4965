/* Asking executions to end: a flag that a signal handler may set. */
#include "base/interrupt.h"

#include <assert.h>
#include <stdatomic.h>

static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler may set what needs no lock");

static atomic_int asked;

void ashlar_interrupt(int on)
{
    atomic_store(&asked, on != 0);
}

bool ashi_interrupt_asked(void)
{
    return atomic_load_explicit(&asked, memory_order_relaxed);
}

ashlar_status ashi_interrupt_check(ashlar_error *err)
{
    return ashi_interrupt_asked() ? ashi_fail(err, ASHLAR_ERR_INTERRUPTED, "interrupted") : ASHLAR_OK;
}
