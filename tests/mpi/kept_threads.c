/* Threads that keep contexts on communicators of their own at the same time, where MPI lets several threads call it. */
#include "mpi/ranks.h"

#include <ashlar/ashlar.h>
#include <pthread.h>

#define PROGRAM "kept_threads"

enum { THREADS = 2 };

typedef struct thread {
    pthread_t thread;
    MPI_Comm comm;
    ashlar_context *context, *again;
    bool kept;
} thread;

static void *keep_in_thread(void *argument)
{
    thread *t = argument;
    t->kept = ashlar_context_keep(t->comm, &t->context, NULL) == ASHLAR_OK &&
              ashlar_context_keep(t->comm, &t->again, NULL) == ASHLAR_OK;
    return NULL;
}

static void keeps_in_threads(rig *r)
{
    thread t[THREADS] = {0};
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &t[i].comm);
    for (int i = 0; i < THREADS; i++)
        CHECK(&r->test, pthread_create(&t[i].thread, NULL, keep_in_thread, &t[i]) == 0, "thread %d", i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i].thread, NULL);
    for (int i = 0; i < THREADS; i++) {
        CHECK(&r->test, t[i].kept && t[i].context == t[i].again && t[i].context != t[1 - i].context, "thread %d", i);
        MPI_Comm_free(&t[i].comm);
    }
}

int main(int argc, char **argv)
{
    rig r;
    const int unserved = ranks_begin_threads(&r, &argc, &argv, 1);
    if (unserved != 0)
        return unserved;
    keeps_in_threads(&r);
    return ranks_end(&r, PROGRAM);
}
