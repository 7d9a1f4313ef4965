/* The words that the tiles of several iterations in flight take at each process. */
#include "simulate/sparse_window.h"
#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

typedef struct arrival {
    int64_t process, words;
} arrival;

/* Iterations that are in flight: a queue of what arrived in each. */
typedef struct queue {
    arrival *arrival; /* a ring */
    int64_t first, arrivals, room;
    int64_t *length;  /* of each iteration; a ring */
    int64_t oldest, count, length_room;
    int64_t *now;     /* words at each process */
} queue;

/* Makes a ring twice as long; what wraps around is laid straight. */
static bool lengthen(void **ring, int64_t *room, int64_t *first, int64_t count, size_t size)
{
    const int64_t wanted = ashi_max(64, 2 * *room);
    char *larger = malloc((size_t)wanted * size), *old = *ring;
    if (!larger)
        return false;
    for (int64_t x = 0; x < count; x++)
        memcpy(larger + (size_t)x * size, old + (size_t)((*first + x) % *room) * size, size);
    free(old);
    *ring = larger;
    *room = wanted;
    *first = 0;
    return true;
}

static bool push_arrival(queue *q, int64_t process, int64_t words)
{
    void *ring = q->arrival;
    if (q->arrivals == q->room && !lengthen(&ring, &q->room, &q->first, q->arrivals, sizeof *q->arrival))
        return false;
    q->arrival = ring;
    q->arrival[(q->first + q->arrivals++) % q->room] = (arrival){process, words};
    q->now[process] += words;
    return true;
}

static bool push(queue *q, const ashi_sparse_iteration *it)
{
    void *ring = q->length;
    if (q->count == q->length_room && !lengthen(&ring, &q->length_room, &q->oldest, q->count, sizeof *q->length))
        return false;
    q->length = ring;
    const int64_t before = q->arrivals;
    for (int64_t e = 0; e < it->events; e++)
        if (it->event[e].words > 0 && !push_arrival(q, it->event[e].process, it->event[e].words))
            return false;
    q->length[(q->oldest + q->count++) % q->length_room] = q->arrivals - before;
    return true;
}

static void pop(queue *q)
{
    for (int64_t left = q->length[q->oldest]; left > 0; left--, q->arrivals--) {
        const arrival *gone = &q->arrival[q->first];
        q->now[gone->process] -= gone->words;
        q->first = (q->first + 1) % q->room;
    }
    q->oldest = (q->oldest + 1) % q->length_room;
    q->count--;
}

static void free_queue(queue *q)
{
    free(q->arrival);
    free(q->length);
    free(q->now);
}

static ashlar_status begin(const ashi_sparse_summa *summa, ashi_sparse_iteration *it, queue *q, ashlar_error *err)
{
    *q = (queue){0};
    const ashlar_status status = ashi_sparse_iteration_begin(summa, it, err);
    if (status != ASHLAR_OK)
        return status;
    const int64_t processes = summa->c_deal->grid_rows * summa->c_deal->grid_cols;
    q->now = calloc((size_t)processes, sizeof *q->now);
    return q->now ? ASHLAR_OK : ashi_fail_memory(err, "iterations in flight", processes * (int64_t)sizeof *q->now);
}

static ashlar_status fail_memory(const queue *q, ashlar_error *err)
{
    return ashi_fail_memory(err, "iterations in flight", 2 * q->room * (int64_t)sizeof *q->arrival);
}

ashlar_status ashi_sparse_window_words(const ashi_sparse_summa *summa, int64_t window, int64_t *most,
                                       int64_t *iterations,
                                       ashlar_error *err)
{
    ashi_sparse_iteration it;
    queue q;
    int64_t count = 0;
    ashlar_status status = begin(summa, &it, &q, err);
    for (int64_t p = 0; p < summa->c_deal->grid_rows * summa->c_deal->grid_cols; p++)
        most[p] = 0;
    for (int64_t x = 0; x < summa->a_columns->rows && status == ASHLAR_OK; x++) {
        if (!ashi_sparse_iteration_at(&it, x))
            status = fail_memory(&q, err);
        if (status != ASHLAR_OK || it.events == 0)
            continue;
        count++;
        if (q.count > 0 && q.count >= window)
            pop(&q);
        if (window > 0 && !push(&q, &it))
            status = fail_memory(&q, err);
        for (int64_t e = 0; e < it.events && status == ASHLAR_OK; e++)
            most[it.event[e].process] = ashi_max(most[it.event[e].process], q.now[it.event[e].process]);
    }
    if (iterations)
        *iterations = count;
    free_queue(&q);
    ashi_sparse_iteration_free(&it);
    return status;
}

/* Does what arrived last exceed some process's room? Others only had less since they were looked at. */
static bool exceeds(const queue *q, const ashi_sparse_iteration *it, const int64_t *room)
{
    for (int64_t e = 0; e < it->events; e++)
        if (q->now[it->event[e].process] > room[it->event[e].process])
            return true;
    return false;
}

/* The longest window that ends at each iteration is known from the one before; the shortest of them is the answer,
 * except of those that begin with the first iteration. */
ashlar_status ashi_sparse_window_fit(const ashi_sparse_summa *summa, const int64_t *room, int64_t most, int64_t *window,
                                     ashlar_error *err)
{
    ashi_sparse_iteration it;
    queue q;
    int64_t count = 0, fits = most;
    ashlar_status status = begin(summa, &it, &q, err);
    for (int64_t x = 0; x < summa->a_columns->rows && status == ASHLAR_OK && fits > 0; x++) {
        if (!ashi_sparse_iteration_at(&it, x))
            status = fail_memory(&q, err);
        if (status != ASHLAR_OK || it.events == 0)
            continue;
        count++;
        if (q.count > 0 && q.count >= fits)
            pop(&q);
        if (!push(&q, &it))
            status = fail_memory(&q, err);
        while (status == ASHLAR_OK && exceeds(&q, &it, room)) {
            pop(&q);
            fits = ashi_min(fits, q.count);
        }
    }
    *window = ashi_min(fits, count);
    free_queue(&q);
    ashi_sparse_iteration_free(&it);
    return status;
}
