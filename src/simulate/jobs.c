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
    *out = (ashi_jobs){.ports = ports, .free_job = NONE, .free_seat = NONE};
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
    free(s->seat);
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

void ashi_jobs_set_capacity(ashi_jobs *s, int64_t port, double capacity, double most)
{
    s->port[port].capacity = capacity;
    s->port[port].most = most;
    note_change(s, port);
}

/* Room for a job's seats, so that it takes them all or none. */
static ashlar_status reserve_seats(ashi_jobs *s, int64_t wanted, ashlar_error *err)
{
    for (int64_t at = s->free_seat; at >= 0 && wanted > 0; at = s->seat[at].other)
        wanted--;
    if (wanted == 0)
        return ASHLAR_OK;
    ashi_port_seat *seat = ashi_array_room(s->seat, &s->seat_capacity, s->seats + wanted, sizeof *seat);
    if (!seat)
        return no_room(s->seats, err);
    s->seat = seat;
    return ASHLAR_OK;
}

static int64_t take_seat(ashi_jobs *s)
{
    const int64_t at = s->free_seat;
    if (at < 0)
        return s->seats++;
    s->free_seat = s->seat[at].other;
    return at;
}

static void join(ashi_jobs *s, int64_t job, int64_t port)
{
    ashi_port *p = &s->port[port];
    const int64_t at = take_seat(s);
    s->seat[at] = (ashi_port_seat){.port = port, .job = job, .next = p->first, .before = NONE,
                                   .other = s->job[job].seat};
    s->job[job].seat = at;
    if (p->first >= 0)
        s->seat[p->first].before = at;
    p->first = at;
    p->count++;
    note_change(s, port);
}

static void leave(ashi_jobs *s, int64_t job)
{
    for (int64_t at = s->job[job].seat, other; at >= 0; at = other) {
        ashi_port_seat *seat = &s->seat[at];
        other = seat->other;
        if (seat->next >= 0)
            s->seat[seat->next].before = seat->before;
        if (seat->before >= 0)
            s->seat[seat->before].next = seat->next;
        else
            s->port[seat->port].first = seat->next;
        s->port[seat->port].count--;
        note_change(s, seat->port);
        seat->other = s->free_seat;
        s->free_seat = at;
    }
}

/* ---- rates ---- */

static double rate_of(const ashi_jobs *s, const ashi_port_job *j)
{
    double rate = INFINITY;
    for (int64_t at = j->seat; at >= 0; at = s->seat[at].other) {
        const ashi_port *p = &s->port[s->seat[at].port];
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
        for (int64_t at = s->port[port].first; at >= 0 && status == ASHLAR_OK; at = s->seat[at].next)
            status = find_rate(s, s->seat[at].job, err);
    }
    s->changes = 0;
    return status;
}

/* ---- jobs ---- */

static ashlar_status take_job(ashi_jobs *s, int64_t *out, ashlar_error *err)
{
    *out = s->free_job;
    if (*out >= 0) {
        s->free_job = s->job[*out].seat;
        return ASHLAR_OK;
    }
    ashi_port_job *at = ashi_array_room(s->job, &s->capacity, s->count + 1, sizeof *at);
    if (!at)
        return no_room(s->count, err);
    s->job = at;
    *out = s->count++;
    return ASHLAR_OK;
}

ashlar_status ashi_jobs_begin(ashi_jobs *s, double work, const int64_t *port, int64_t ports, const int64_t of[3],
                              int64_t *out, ashlar_error *err)
{
    ashlar_status status = reserve_seats(s, ports, err);
    if (status == ASHLAR_OK)
        status = take_job(s, out, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_port_job *j = &s->job[*out];
    *j = (ashi_port_job){.seat = NONE, .left = work, .since = s->now, .due = INFINITY, .event = NONE,
                         .of = {of[0], of[1], of[2]}};
    for (int64_t i = 0; i < ports; i++)
        if (port[i] >= 0)
            join(s, *out, port[i]);
    s->under_way++;
    if (work > 0 && j->seat >= 0)
        return ASHLAR_OK; /* its rate is found with the others' on its ports */
    j->rate = 1;
    return push(s, end_of(j), *out, err);
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
    leave(s, job);
    s->job[job].seat = s->free_job;
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
