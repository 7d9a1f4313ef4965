/* What blacs_gridexit cannot free, because all processes would have to free it together: plans that have windows.
 *
 * MPI_Win_free waits for all processes of the window. The BLACS let processes leave grids at different times and in
 * different orders, so nothing may wait in blacs_gridexit. Grids are kept here in the order in which this process made
 * them. To make a grid all its processes meet, so the orders of two processes never contradict each other: if each
 * frees in its own order, none waits for one that waits for it. */
#include "pblas/deferred.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { AT_ONCE = 64 };

struct ashi_deferred {
    MPI_Group group;
    ashi_cache *cache;
    ashlar_context *context; /* NULL once it and the plans are freed */
    bool left;               /* by this process */
    ashi_deferred *next;
};

/* Of all threads; those that make grids over the same processes must not do so at once, or the orders would differ. */
static ashi_deferred *oldest;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void free_plans(ashi_deferred *d)
{
    ashi_cache_free(d->cache);
    d->cache = NULL;
    ashlar_context_free(&d->context);
}

static ashi_deferred **place_of(const ashi_deferred *d)
{
    ashi_deferred **at = &oldest;
    while (*at && *at != d)
        at = &(*at)->next;
    return at;
}

static void forget(ashi_deferred *d)
{
    pthread_mutex_lock(&lock);
    ashi_deferred **at = place_of(d);
    if (*at)
        *at = d->next;
    pthread_mutex_unlock(&lock);
    if (d->group != MPI_GROUP_NULL)
        (void)MPI_Group_free(&d->group); /* if it fails, the group is lost and nothing else */
    free(d);
}

/* MPI deletes what hangs on MPI_COMM_SELF before anything else in MPI_Finalize. Grids that a process never left are
 * freed too: others may have left them, and wait for it. */
static int free_all(MPI_Comm comm, int keyval, void *attribute, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)attribute;
    (void)extra;
    for (ashi_deferred *d = oldest, *next; d; d = next) {
        next = d->next;
        free_plans(d);
        if (d->left)
            forget(d);
    }
    return MPI_SUCCESS;
}

static bool hook(void)
{
    static int keyval = MPI_KEYVAL_INVALID;
    static bool hooked;
    if (hooked)
        return true;
    if (keyval == MPI_KEYVAL_INVALID &&
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_all, &keyval, NULL) != MPI_SUCCESS)
        return false;
    hooked = MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &oldest) == MPI_SUCCESS;
    return hooked;
}

ashi_deferred *ashi_deferred_add(MPI_Comm comm, ashi_cache *cache, ashlar_context *context)
{
    ashi_deferred *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    *d = (ashi_deferred){.group = MPI_GROUP_NULL, .cache = cache, .context = context};
    pthread_mutex_lock(&lock);
    const bool added = hook() && MPI_Comm_group(comm, &d->group) == MPI_SUCCESS;
    if (added)
        *place_of(NULL) = d;
    pthread_mutex_unlock(&lock);
    if (added)
        return d;
    free(d);
    return NULL;
}

void ashi_deferred_remove(ashi_deferred *deferred)
{
    if (deferred)
        forget(deferred);
}

void ashi_deferred_leave(ashi_deferred *d)
{
    d->left = true;
    if (!d->context)
        forget(d);
}

/* The oldest grids over the processes of a group: the same on each of them, in the same order. */
static int grids_of(MPI_Group group, ashi_deferred *found[AT_ONCE])
{
    int count = 0;
    pthread_mutex_lock(&lock);
    for (ashi_deferred *d = oldest; d && count < AT_ONCE; d = d->next) {
        int result = MPI_UNEQUAL;
        if (MPI_Group_compare(group, d->group, &result) == MPI_SUCCESS && result != MPI_UNEQUAL)
            found[count++] = d;
    }
    pthread_mutex_unlock(&lock);
    return count;
}

void ashi_deferred_free(MPI_Comm comm)
{
    ashi_deferred *found[AT_ONCE];
    MPI_Group group = MPI_GROUP_NULL;
    uint64_t left = 0, by_all = 0;
    const int count = MPI_Comm_group(comm, &group) == MPI_SUCCESS ? grids_of(group, found) : 0;
    for (int i = 0; i < count; i++)
        left |= (uint64_t)found[i]->left << i;
    if (MPI_Allreduce(&left, &by_all, 1, MPI_UINT64_T, MPI_BAND, comm) != MPI_SUCCESS)
        by_all = 0;
    for (int i = 0; i < count; i++)
        if (by_all >> i & 1) {
            free_plans(found[i]);
            forget(found[i]);
        }
    if (group != MPI_GROUP_NULL)
        (void)MPI_Group_free(&group); /* likewise */
}
