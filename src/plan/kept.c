/* Contexts that are kept on the caller's communicators, and go with them. */
#include "plan/context.h"

#include "base/error.h"
#include "exec/mpi.h"

#include <stdatomic.h>
#include <stddef.h>

/* Of all threads. They are in the order in which this process kept them: to keep one all its processes meet, so the
 * orders of two processes never contradict each other, and if each frees in its own order in MPI_Finalize, none waits
 * for one that waits for it. Nothing but the list is guarded, and none waits long. */
static ashlar_context *oldest;
static atomic_flag guard = ATOMIC_FLAG_INIT;

/* Attributes of the communicators, and of MPI_COMM_SELF. */
static int key = MPI_KEYVAL_INVALID, key_of_self = MPI_KEYVAL_INVALID;

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&guard, memory_order_acquire))
        continue;
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&guard, memory_order_release);
}

ashlar_context *ashi_context_kept(MPI_Comm comm)
{
    lock();
    ashlar_context *c = oldest;
    while (c && c->kept_on != comm)
        c = c->next;
    unlock();
    return c;
}

static void add(ashlar_context *c, MPI_Comm comm)
{
    lock();
    ashlar_context **at = &oldest;
    while (*at)
        at = &(*at)->next;
    *at = c;
    c->kept_on = comm;
    unlock();
}

/* Take it out of the list and free it. Nothing is done if it is not there, so that nothing is freed twice if MPI calls
 * back for what it has said to have failed. */
static void end(ashlar_context *c)
{
    lock();
    ashlar_context **at = &oldest;
    while (*at && *at != c)
        at = &(*at)->next;
    const bool found = *at != NULL;
    if (found) {
        *at = c->next;
        c->kept_on = MPI_COMM_NULL;
    }
    unlock();
    if (found)
        ashlar_context_free(&c);
}

/* MPI calls this while the communicator is freed, or its attribute deleted. */
static int let_go(MPI_Comm comm, int keyval, void *attribute, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)extra;
    end(attribute);
    return MPI_SUCCESS;
}

/* MPI deletes what hangs on MPI_COMM_SELF before anything else in MPI_Finalize, while contexts can still be freed. */
static int let_all_go(MPI_Comm comm, int keyval, void *attribute, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)attribute;
    (void)extra;
    for (ashlar_context *c; (c = oldest) != NULL;)
        if (MPI_Comm_delete_attr(c->kept_on, key) != MPI_SUCCESS)
            end(c);
    return MPI_SUCCESS;
}

/* What was made stays for the next try. */
static void make_keys(ashlar_context *c)
{
    lock();
    if (key == MPI_KEYVAL_INVALID)
        ashi_note(c, MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, let_go, &key, NULL), "MPI_Comm_create_keyval");
    if (key != MPI_KEYVAL_INVALID && key_of_self == MPI_KEYVAL_INVALID) {
        int made = MPI_KEYVAL_INVALID;
        ashi_note(c, MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, let_all_go, &made, NULL), "MPI_Comm_create_keyval");
        const int code = made != MPI_KEYVAL_INVALID ? MPI_Comm_set_attr(MPI_COMM_SELF, made, &oldest) : MPI_SUCCESS;
        ashi_note(c, code, "MPI_Comm_set_attr");
        if (code == MPI_SUCCESS)
            key_of_self = made;
    }
    unlock();
}

/* Kept on all ranks or on none: then it is freed. */
static ashlar_status keep(ashlar_context *c, MPI_Comm comm, ashlar_error *err)
{
    int code = MPI_ERR_OTHER;
    make_keys(c);
    if (key != MPI_KEYVAL_INVALID && key_of_self != MPI_KEYVAL_INVALID) {
        code = MPI_Comm_set_attr(comm, key, c);
        ashi_note(c, code, "MPI_Comm_set_attr");
    }
    add(c, comm);
    const ashlar_status status = ashi_agree(c, ASHLAR_OK, err);
    if (status == ASHLAR_OK)
        return status;
    if (code == MPI_SUCCESS)
        (void)MPI_Comm_delete_attr(comm, key); /* which ends it, unless it fails */
    end(c);
    return status;
}

ashlar_status ashlar_context_keep(MPI_Comm comm, ashlar_context **out, ashlar_error *err)
{
    ashlar_error missed = {0};
    ashlar_context asking = {.missed = &missed};
    if (!out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_context_keep: out is NULL");
    *out = NULL;
    ashlar_status status = ashi_context_check(&asking, comm, "ashlar_context_keep", err);
    if (status != ASHLAR_OK)
        return status;
    *out = ashi_context_kept(comm);
    if (*out)
        return ASHLAR_OK;
    ashlar_context *made = NULL;
    status = ashlar_context_create(comm, &made, err);
    if (status == ASHLAR_OK)
        status = keep(made, comm, err);
    if (status == ASHLAR_OK)
        *out = made;
    return status;
}
