/* Ashlar as a way to form a product. */
#include "die.h"
#include "way.h"

#include <stdlib.h>

typedef struct planned {
    ashlar_context *context;
    ashlar_plan *plan;
} planned;

typedef struct once {
    MPI_Comm comm;
    ashlar_options options;
} once;

static const double one = 1, zero = 0;

static void run_planned(ashi_way *way, const ashi_matrices *x, double *c)
{
    ashlar_error err = {0};
    const planned *s = way->state;
    if (ashlar_plan_execute(s->plan, &one, x->a.data, x->b.data, &zero, c, &err) != ASHLAR_OK)
        ashi_die("%s", err.text);
}

static void close_planned(ashi_way *way)
{
    planned *s = way->state;
    ashlar_plan_free(&s->plan);
    ashlar_context_free(&s->context);
    free(s);
    way->state = NULL;
}

ashi_way ashi_way_planned(const char *name, const ashi_matrices *x, const ashlar_options *options, MPI_Comm comm)
{
    ashlar_error err = {0};
    planned *s = ashi_need(1, (long long)sizeof *s);
    if (ashlar_context_create(comm, &s->context, &err) != ASHLAR_OK ||
        ashlar_plan_create(s->context, &x->problem, options, &s->plan, &err) != ASHLAR_OK)
        ashi_die("%s", err.text);
    return (ashi_way){.name = name, .state = s, .run = run_planned, .close = close_planned};
}

ashlar_plan *ashi_way_plan(const ashi_way *way)
{
    const planned *s = way->state;
    return s->plan;
}

static void run_once(ashi_way *way, const ashi_matrices *x, double *c)
{
    ashlar_error err = {0};
    const once *s = way->state;
    if (ashlar_multiply(s->comm, &x->problem, &s->options, &one, x->a.data, x->b.data, &zero, c, &err) != ASHLAR_OK)
        ashi_die("%s", err.text);
}

static void close_once(ashi_way *way)
{
    free(way->state);
    way->state = NULL;
}

ashi_way ashi_way_once(const char *name, const ashlar_options *options, MPI_Comm comm)
{
    once *s = ashi_need(1, (long long)sizeof *s);
    *s = (once){.comm = comm, .options = *options};
    return (ashi_way){.name = name, .state = s, .run = run_once, .close = close_once};
}

static void close_kept(ashi_way *way)
{
    once *s = way->state;
    MPI_Comm_free(&s->comm);
    close_once(way);
}

ashi_way ashi_way_kept(const char *name, const ashlar_options *options, MPI_Comm comm)
{
    ashlar_error err = {0};
    ashlar_context *context;
    ashi_way way = ashi_way_once(name, options, comm);
    once *s = way.state;
    if (MPI_Comm_dup(comm, &s->comm) != MPI_SUCCESS || ashlar_context_keep(s->comm, &context, &err) != ASHLAR_OK)
        ashi_die("no context could be kept: %s", err.text);
    way.close = close_kept;
    return way;
}
