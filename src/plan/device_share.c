/* Who shares devices: all ranks exchange what they picked, and say by which rule, and whether ranks share without
 * need. */
#include "base/error.h"
#include "exec/mpi.h"
#include "plan/context.h"
#include "plan/device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a rank picked. */
typedef struct picked {
    int64_t rank, has, number, count;
    int64_t seen; /* ashi_device_identity */
} picked;

enum { NUMBERS = sizeof(picked) / sizeof(int64_t) };

/* Ranks of one node. */
typedef struct neighbours {
    const picked *at;
    int64_t count;
} neighbours;

static bool are_alike(const picked *a, const picked *b)
{
    return a->has && b->has && a->seen == b->seen;
}

/* How many ranks use device `number` of those that `one` sees. */
static int64_t users_of(const neighbours *n, const picked *one, int64_t number)
{
    int64_t users = 0;
    for (int64_t i = 0; i < n->count; i++)
        users += are_alike(&n->at[i], one) && n->at[i].number == number;
    return users;
}

/* The lowest device that `one` sees and no rank uses; -1: all are used. */
static int64_t unused_by(const neighbours *n, const picked *one)
{
    int64_t number = 0;
    while (number < one->count && users_of(n, one, number) > 0)
        number++;
    return number < one->count ? number : -1;
}

/* The first ranks that share a device while another one that they see is not used. */
static void warn(const neighbours *n, char *out, size_t room)
{
    out[0] = '\0';
    for (int64_t i = 0; i < n->count; i++) {
        const picked *one = &n->at[i];
        if (!one->has || users_of(n, one, one->number) < 2 || unused_by(n, one) < 0)
            continue;
        snprintf(out, room, "rank %" PRId64 " and %" PRId64 " more of its node share device %" PRId64
                 " while device %" PRId64 " is not used", one->rank, users_of(n, one, one->number) - 1, one->number,
                 unused_by(n, one));
        return;
    }
}

static void say_rule(ashi_context_device *d)
{
    const ashi_device_pick *p = &d->pick;
    const size_t room = sizeof d->rule;
    switch (p->reason) {
    case ASHI_DEVICE_BY_RULE:
        snprintf(d->rule, room, "the rank's number on its node, modulo the number of %s devices there, %" PRId64,
                 p->kind ? p->kind->name : "", p->count);
        break;
    case ASHI_DEVICE_BY_NAME:
        snprintf(d->rule, room, "asked for by its number");
        break;
    case ASHI_DEVICE_BY_ENVIRONMENT:
        snprintf(d->rule, room, "%s says so", ASHI_DEVICE_VARIABLE);
        break;
    case ASHI_DEVICE_NONE_WANTED:
        snprintf(d->rule, room, "none is wanted");
        break;
    default:
        snprintf(d->rule, room, "none was found%s%.*s", p->why[0] ? ": " : "", ASHI_DEVICE_SENTENCE - 40, p->why);
    }
}

/* The warning of the first rank that has one becomes that of all. */
static void share_warning(const ashlar_context *c, char text[ASHI_DEVICE_SENTENCE])
{
    const int own = text[0] ? c->rank : c->ranks;
    int first = own;
    ashi_note(c, MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, c->comm), "MPI_Allreduce");
    if (first < c->ranks)
        ashi_note(c, MPI_Bcast(text, ASHI_DEVICE_SENTENCE, MPI_CHAR, first, c->comm), "MPI_Bcast");
}

/* Those of this rank's node move to the front. */
static neighbours take_neighbours(const ashlar_context *c, picked *all)
{
    int64_t count = 0;
    for (int r = 0; r < c->ranks; r++)
        if (c->node_of[r] == c->node_of[c->rank])
            all[count++] = all[r];
    return (neighbours){all, count};
}

ashlar_status ashi_context_device_share(const ashlar_context *c, ashi_context_device *d, bool uses, bool *any,
                                        ashlar_error *err)
{
    picked own = {.rank = c->rank, .has = uses && d && d->device};
    if (own.has) {
        own.number = d->pick.number;
        own.count = d->pick.count;
        own.seen = ashi_device_identity(&d->pick);
    }
    char warning[ASHI_DEVICE_SENTENCE] = "";
    picked *all = calloc((size_t)c->ranks, sizeof *all);
    ashlar_status status = all ? ASHLAR_OK : ashi_fail_memory(err, "device", c->ranks * (int64_t)sizeof *all);
    status = ashi_agree(c, status, err);
    *any = false;
    if (status == ASHLAR_OK) {
        ashi_note(c, MPI_Allgather(&own, NUMBERS, MPI_INT64_T, all, NUMBERS, MPI_INT64_T, c->comm), "MPI_Allgather");
        for (int r = 0; r < c->ranks; r++)
            *any = *any || all[r].has;
        const neighbours near = take_neighbours(c, all);
        warn(&near, warning, sizeof warning);
        share_warning(c, warning);
        if (d) {
            d->sharers = own.has ? users_of(&near, &own, own.number) : 1;
            memcpy(d->warning, warning, sizeof warning);
            say_rule(d);
        }
    }
    free(all);
    return status;
}
