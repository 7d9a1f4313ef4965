/* Waiting: paths of predecessors, the pairing of messages, and that no tasks wait for each other. */
#include "check/tasks.h"

#include "base/error.h"

#include <stdlib.h>

/* ---- paths ---- */

static ashi_seen_task *task_at(const ashi_ready_proof *p, int64_t number)
{
    return (ashi_seen_task *)p->task.data + p->first + number;
}

static bool is_kept_back(const ashi_ready_proof *p, const ashi_seen_task *earlier, const ashi_seen_task *later)
{
    return earlier->step < later->step - p->request->look_ahead;
}

static bool push(ashi_ready_proof *p, int64_t number, ashlar_error *err)
{
    int64_t *top = ashi_check_add(&p->stack, sizeof *top);
    if (!top) {
        ashi_fail_memory(err, "checker", p->stack.count * (int64_t)sizeof *top);
        return false;
    }
    *top = number;
    return true;
}

bool ashi_ready_precedes(ashi_ready_proof *p, int64_t earlier, int64_t later, ashlar_error *err)
{
    const int64_t search = ++p->searches;
    p->stack.count = 0;
    if (!push(p, later, err))
        return false;
    while (p->stack.count > 0) {
        ashi_seen_task *t = task_at(p, ((int64_t *)p->stack.data)[--p->stack.count]);
        if (t->number == earlier || is_kept_back(p, task_at(p, earlier), t))
            return true;
        if (t->looked == search)
            continue;
        t->looked = search;
        for (int64_t i = 0; i < t->befores; i++) {
            const int64_t before = ((int64_t *)p->before.data)[t->before + i];
            if (before >= earlier && !push(p, before, err))
                return false;
        }
    }
    return false;
}

/* ---- pairing ---- */

static ashlar_status fail_at(ashi_ready_proof *p, const ashi_seen_task *t, ashlar_error *err, const char *what)
{
    const ashi_task task = {.kind = t->kind, .number = t->number};
    p->rank = t->rank;
    p->step = t->step;
    return ashi_ready_fail(p, &task, err, what);
}

static int by_pair(const void *a, const void *b)
{
    const ashi_seen_task *x = *(ashi_seen_task *const *)a, *y = *(ashi_seen_task *const *)b;
    const bool sx = x->kind == ASHI_DO_SEND, sy = y->kind == ASHI_DO_SEND;
    const int64_t u[] = {sx ? x->rank : x->peer, sx ? x->peer : x->rank, sx, x->number};
    const int64_t v[] = {sy ? y->rank : y->peer, sy ? y->peer : y->rank, sy, y->number};
    for (int i = 0; i < 4; i++)
        if (u[i] != v[i])
            return u[i] < v[i] ? -1 : 1;
    return 0;
}

static bool same_pair(const ashi_seen_task *a, const ashi_seen_task *b)
{
    return a->kind == b->kind ? a->rank == b->rank && a->peer == b->peer : a->rank == b->peer && a->peer == b->rank;
}

static int by_tag(const void *a, const void *b)
{
    const ashi_seen_task *x = *(ashi_seen_task *const *)a, *y = *(ashi_seen_task *const *)b;
    const int64_t u[] = {x->tag, x->number}, v[] = {y->tag, y->number};
    for (int i = 0; i < 2; i++)
        if (u[i] != v[i])
            return u[i] < v[i] ? -1 : 1;
    return 0;
}

/* The messages of one ordered pair of ranks: the receives, then as many sends. */
static ashlar_status match(ashi_ready_proof *p, ashi_seen_task **m, int64_t count, ashlar_error *err)
{
    const ashi_seen_task *all = p->task.data;
    const int64_t half = count / 2;
    if (count % 2 || m[half]->kind != ASHI_DO_SEND || m[half - 1]->kind != ASHI_DO_RECEIVE)
        return fail_at(p, m[0], err, "a message is sent and not received, or received and not sent");
    for (int64_t i = 0; i < half; i++) {
        ashi_seen_task *r = m[i], *s = m[half + i];
        if (r->step != s->step || r->words != s->words || r->tag != s->tag)
            return fail_at(p, r, err, "receives another message than the next that is sent to it");
        r->match = s - all;
        s->match = r - all;
    }
    qsort(m, (size_t)half, sizeof *m, by_tag);
    for (int64_t i = 1; i < half; i++)
        if (m[i]->tag == m[i - 1]->tag && m[i]->step <= m[i - 1]->step + p->request->look_ahead)
            return fail_at(p, m[i], err, "has the tag of another message that may be under way");
    return ASHLAR_OK;
}

static ashlar_status match_all(ashi_ready_proof *p, ashi_seen_task **m, int64_t count, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    if (count > 1)
        qsort(m, (size_t)count, sizeof *m, by_pair);
    for (int64_t i = 0, end = 0; i < count && status == ASHLAR_OK; i = end) {
        while (end < count && same_pair(m[i], m[end]))
            end++;
        status = match(p, m + i, end - i, err);
    }
    return status;
}

/* ---- no circle ---- */

/* A message ends at both ends when all that both wait for has ended: its two tasks are one. Whatever else waits for an
 * earlier step waits for no circle, so only predecessors of the same step count. */
typedef struct circle {
    const ashi_ready_proof *p;
    int64_t *first;   /* of each rank, its first task */
    int64_t *waits;   /* how many predecessors a task still waits for */
    int64_t *next, *head; /* lists of who waits for a task: by edge, by task */
    int64_t *ended, count; /* tasks that have ended */
} circle;

static const ashi_seen_task *seen(const circle *c)
{
    return c->p->task.data;
}

static bool may_end(const circle *c, int64_t i)
{
    const int64_t other = seen(c)[i].match;
    return c->waits[i] == 0 && (other < 0 || c->waits[other] == 0);
}

static void end_task(circle *c, int64_t i)
{
    const int64_t other = seen(c)[i].match;
    const int64_t both[2] = {i, other};
    for (int n = 0; n < 2 && both[n] >= 0; n++) {
        c->waits[both[n]] = -1;
        c->ended[c->count++] = both[n];
    }
}

/* Edge e of a task leads from predecessor before[e] to it. */
static void link_edges(circle *c, const int64_t *before)
{
    const ashi_seen_task *t = seen(c);
    for (int64_t i = 0; i < c->p->task.count; i++)
        for (int64_t e = t[i].before; e < t[i].before + t[i].befores; e++) {
            const int64_t from = c->first[t[i].rank] + before[e];
            c->next[e] = -1;
            if (t[from].step != t[i].step)
                continue;
            c->waits[i]++;
            c->next[e] = c->head[from];
            c->head[from] = e;
        }
}

static ashlar_status run_all(circle *c, const int64_t *of_edge, ashi_ready_proof *p, ashlar_error *err)
{
    const int64_t tasks = p->task.count;
    for (int64_t i = 0; i < tasks; i++)
        if (may_end(c, i))
            end_task(c, i);
    for (int64_t n = 0; n < c->count; n++)
        for (int64_t e = c->head[c->ended[n]]; e >= 0; e = c->next[e]) {
            const int64_t i = of_edge[e];
            c->waits[i]--;
            if (may_end(c, i))
                end_task(c, i);
        }
    if (c->count == tasks)
        return ASHLAR_OK;
    int64_t i = 0;
    while (c->waits[i] < 0)
        i++;
    return fail_at(p, &seen(c)[i], err, "waits for what waits for it");
}

static ashlar_status check_circles(ashi_ready_proof *p, ashlar_error *err)
{
    const int64_t tasks = p->task.count, edges = p->before.count, ranks = p->request->program->ranks;
    const int64_t words = ranks + 3 * tasks + 2 * edges + 1;
    int64_t *room = calloc((size_t)words, sizeof *room);
    if (!room)
        return ashi_fail_memory(err, "checker", words * (int64_t)sizeof *room);
    circle c = {.p = p, .first = room, .waits = room + ranks, .head = room + ranks + tasks,
                .ended = room + ranks + 2 * tasks, .next = room + ranks + 3 * tasks};
    int64_t *of_edge = c.next + edges;
    const ashi_seen_task *t = p->task.data;
    for (int64_t i = 0; i < tasks; i++) {
        c.head[i] = -1;
        if (t[i].number == 0)
            c.first[t[i].rank] = i;
        for (int64_t e = t[i].before; e < t[i].before + t[i].befores; e++)
            of_edge[e] = i;
    }
    link_edges(&c, p->before.data);
    const ashlar_status status = run_all(&c, of_edge, p, err);
    free(room);
    return status;
}

ashlar_status ashi_ready_pairing(ashi_ready_proof *p, ashlar_error *err)
{
    ashi_seen_task *t = p->task.data, **m = malloc((size_t)(p->task.count + 1) * sizeof *m);
    int64_t count = 0;
    if (!m)
        return ashi_fail_memory(err, "checker", p->task.count * (int64_t)sizeof *m);
    for (int64_t i = 0; i < p->task.count; i++)
        if (t[i].kind == ASHI_DO_SEND || t[i].kind == ASHI_DO_RECEIVE)
            m[count++] = &t[i];
    const ashlar_status status = match_all(p, m, count, err);
    free(m);
    return status == ASHLAR_OK ? check_circles(p, err) : status;
}
