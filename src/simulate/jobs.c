/* Jobs that share what does them, and when each of them ends. */
#include "simulate/jobs.h"

#include "base/array.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>

enum { NONE = -1 };

static ashlar_status no_room(int64_t count, ashlar_error *err)
{
    return ashi_fail_memory(err, "simulate", count * (int64_t)sizeof(ashi_port_job));
}

ashlar_status ashi_jobs_create(int64_t ports, ashi_jobs *out, ashlar_error *err)
{
    *out = (ashi_jobs){.ports = ports, .free_job = NONE};
    out->port = calloc((size_t)ports, sizeof *out->port);
    out->changed = calloc((size_t)ports, sizeof *out->changed);
    if (!out->port || !out->changed) {
        ashi_jobs_free(out);
        return no_room(ports, err);
    }
    for (int64_t i = 0; i < ports; i++)
        out->port[i].first = NONE;
    return ASHLAR_OK;
}

void ashi_jobs_free(ashi_jobs *s)
{
    free(s->port);
    free(s->changed);
    free(s->job);
    free(s->event);
    *s = (ashi_jobs){0};
}

/* ---- events ---- */

static bool is_earlier(const ashi_job_event *x, const ashi_job_event *y)
{
    return x->at != y->at ? x->at < y->at : x->number < y->number;
}

static void swap(ashi_job_event *x, ashi_job_event *y)
{
    const ashi_job_event kept = *x;
    *x = *y;
    *y = kept;
}

static ashlar_status push(ashi_jobs *s, double at, int64_t job, ashlar_error *err)
{
    ashi_job_event *e = ashi_array_room(s->event, &s->event_capacity, s->events + 1, sizeof *e);
    if (!e)
        return no_room(s->events, err);
    s->event = e;
    s->job[job].due = at;
    s->job[job].event = s->numbered;
    e[s->events] = (ashi_job_event){at, s->numbered++, job};
    for (int64_t i = s->events++; i > 0 && is_earlier(&e[i], &e[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&e[i], &e[(i - 1) / 2]);
    return ASHLAR_OK;
}

static ashi_job_event pop(ashi_jobs *s)
{
    ashi_job_event *e = s->event;
    const ashi_job_event first = e[0];
    e[0] = e[--s->events];
    for (int64_t i = 0, child; (child = 2 * i + 1) < s->events; i = child) {
        child += child + 1 < s->events && is_earlier(&e[child + 1], &e[child]);
        if (!is_earlier(&e[child], &e[i]))
            break;
        swap(&e[child], &e[i]);
    }
    return first;
}

/* ---- ports ---- */

static void note_change(ashi_jobs *s, int64_t port)
{
    if (!s->port[port].changed)
        s->changed[s->changes++] = port;
    s->port[port].changed = true;
}

void ashi_jobs_set_capacity(ashi_jobs *s, int64_t port, double capacity)
{
    s->port[port].capacity = s->port[port].most = capacity;
    note_change(s, port);
}

/* A job whose ports are the same is on it once. */
static void join(ashi_jobs *s, int64_t job)
{
    ashi_port_job *j = &s->job[job];
    if (j->port[0] == j->port[1])
        j->port[1] = NONE;
    for (int i = 0; i < ASHI_JOB_PORTS; i++) {
        if (j->port[i] < 0)
            continue;
        ashi_port *p = &s->port[j->port[i]];
        j->next[i] = p->first;
        j->before[i] = NONE;
        if (p->first >= 0)
            s->job[p->first].before[s->job[p->first].port[0] == j->port[i] ? 0 : 1] = job;
        p->first = job;
        p->count++;
        note_change(s, j->port[i]);
    }
}

static void leave(ashi_jobs *s, const ashi_port_job *j)
{
    for (int i = 0; i < ASHI_JOB_PORTS; i++) {
        const int64_t port = j->port[i];
        if (port < 0)
            continue;
        if (j->next[i] >= 0)
            s->job[j->next[i]].before[s->job[j->next[i]].port[0] == port ? 0 : 1] = j->before[i];
        if (j->before[i] >= 0)
            s->job[j->before[i]].next[s->job[j->before[i]].port[0] == port ? 0 : 1] = j->next[i];
        else
            s->port[port].first = j->next[i];
        s->port[port].count--;
        note_change(s, port);
    }
}

/* ---- rates ---- */

static double rate_of(const ashi_jobs *s, const ashi_port_job *j)
{
    double rate = INFINITY;
    for (int i = 0; i < ASHI_JOB_PORTS; i++) {
        if (j->port[i] < 0)
            continue;
        const ashi_port *p = &s->port[j->port[i]];
        rate = fmin(rate, fmin(p->most, p->capacity / (double)p->count));
    }
    return isinf(rate) ? 1 : rate;
}

static double end_of(const ashi_port_job *j)
{
    if (j->left > 0 && j->rate == 0)
        return INFINITY;
    return j->left > 0 ? j->since + j->left / j->rate : j->since;
}

static void settle(ashi_jobs *s, ashi_port_job *j)
{
    j->left = fmax(0, j->left - (s->now - j->since) * j->rate);
    j->since = s->now;
}

/* An event that comes too early stays: it is made again when its moment has come. */
static ashlar_status find_rate(ashi_jobs *s, int64_t job, ashlar_error *err)
{
    ashi_port_job *j = &s->job[job];
    const double rate = rate_of(s, j);
    s->found++;
    if (rate == j->rate)
        return ASHLAR_OK;
    settle(s, j);
    j->rate = rate;
    return end_of(j) < j->due ? push(s, end_of(j), job, err) : ASHLAR_OK;
}

static ashlar_status find_rates(ashi_jobs *s, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t c = 0; c < s->changes && status == ASHLAR_OK; c++) {
        const int64_t port = s->changed[c];
        s->port[port].changed = false;
        for (int64_t job = s->port[port].first, next; job >= 0 && status == ASHLAR_OK; job = next) {
            next = s->job[job].next[s->job[job].port[0] == port ? 0 : 1];
            status = find_rate(s, job, err);
        }
    }
    s->changes = 0;
    return status;
}

/* ---- jobs ---- */

ashlar_status ashi_jobs_begin(ashi_jobs *s, double work, const int64_t port[ASHI_JOB_PORTS], const int64_t of[3],
                              int64_t *out, ashlar_error *err)
{
    int64_t job = s->free_job;
    if (job < 0) {
        ashi_port_job *at = ashi_array_room(s->job, &s->capacity, s->count + 1, sizeof *at);
        if (!at)
            return no_room(s->count, err);
        s->job = at;
        job = s->count++;
    } else {
        s->free_job = s->job[job].next[0];
    }
    ashi_port_job *j = &s->job[job];
    *j = (ashi_port_job){.port = {port[0], port[1]}, .next = {NONE, NONE}, .before = {NONE, NONE}, .left = work,
                    .since = s->now, .due = INFINITY, .event = NONE, .of = {of[0], of[1], of[2]}};
    join(s, job);
    s->under_way++;
    *out = job;
    if (work > 0 && (j->port[0] >= 0 || j->port[1] >= 0))
        return ASHLAR_OK; /* its rate is found with the others' on its ports */
    j->rate = 1;
    return push(s, end_of(j), job, err);
}

ashlar_status ashi_jobs_extend(ashi_jobs *s, int64_t job, double work, ashlar_error *err)
{
    ashi_port_job *j = &s->job[job];
    settle(s, j);
    j->left += work;
    return j->event < 0 && j->rate > 0 ? push(s, end_of(j), job, err) : ASHLAR_OK;
}

static void end_job(ashi_jobs *s, int64_t job, ashi_port_job *ended)
{
    *ended = s->job[job];
    leave(s, ended);
    s->job[job].next[0] = s->free_job;
    s->job[job].event = NONE;
    s->free_job = job;
    s->under_way--;
}

ashlar_status ashi_jobs_next(ashi_jobs *s, ashi_port_job *ended, bool *any, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    *any = false;
    while (status == ASHLAR_OK && s->under_way > 0 && !*any) {
        if (s->changes > 0 && (s->events == 0 || s->event[0].at > s->now))
            status = find_rates(s, err);
        if (status != ASHLAR_OK || s->events == 0)
            return status;
        if (s->changes > 0 && s->event[0].at > s->now)
            continue;
        const ashi_job_event e = pop(s);
        ashi_port_job *j = &s->job[e.job];
        if (j->event != e.number)
            continue;
        s->now = e.at;
        if (end_of(j) > s->now) {
            j->due = INFINITY; /* also if it stands still: it has an event again when its rate is found */
            if (!isinf(end_of(j)))
                status = push(s, end_of(j), e.job, err);
            continue;
        }
        end_job(s, e.job, ended);
        *any = true;
    }
    return status;
}
