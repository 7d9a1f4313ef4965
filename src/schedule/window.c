/* Tasks of a program that were passed and have not ended, which of them are ready, and the panels that they name. */
#include "schedule/window.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1, NODES_LEAST = 64 };

/* ---- heaps of ready tasks ---- */

static void swap(int64_t *a, int64_t *b)
{
    const int64_t kept = *a;
    *a = *b;
    *b = kept;
}

static void rise(int64_t *heap, int64_t i)
{
    for (; i > 0 && heap[i] < heap[(i - 1) / 2]; i = (i - 1) / 2)
        swap(&heap[i], &heap[(i - 1) / 2]);
}

static void sink(int64_t *heap, int64_t count, int64_t i)
{
    for (int64_t child; (child = 2 * i + 1) < count; i = child) {
        child += child + 1 < count && heap[child + 1] < heap[child];
        if (heap[i] <= heap[child])
            return;
        swap(&heap[i], &heap[child]);
    }
}

/* There is room: every queue has as much as there are nodes. */
static void push(ashi_numbers *queue, int64_t number)
{
    queue->number[queue->count++] = number;
    rise(queue->number, queue->count - 1);
}

static int64_t remove_at(ashi_numbers *queue, int64_t i)
{
    int64_t *heap = queue->number;
    const int64_t number = heap[i];
    heap[i] = heap[--queue->count];
    if (i < queue->count) {
        sink(heap, queue->count, i);
        rise(heap, i);
    }
    return number;
}

/* Takes one if it may begin. */
static int64_t take_first(const ashi_window *w, ashi_numbers *heap, int64_t most)
{
    return heap->count > 0 && ashi_window_node(w, heap->number[0])->task.step <= most ? remove_at(heap, 0) : NONE;
}

int64_t ashi_window_take(ashi_window *w, ashi_queue queue, int64_t most)
{
    const int64_t copy = queue == ASHI_QUEUE_CORES ? take_first(w, &w->copies, most) : NONE;
    return copy >= 0 ? copy : take_first(w, &w->ready[queue], most);
}

int64_t ashi_window_take_any(ashi_window *w, ashi_queue queue, int64_t most, uint64_t chosen)
{
    const int64_t all = ashi_window_ready(w, queue);
    for (int64_t i = 0; i < all; i++) {
        const int64_t at = (int64_t)((chosen + (uint64_t)i) % (uint64_t)all), copy = at - w->ready[queue].count;
        ashi_numbers *heap = copy < 0 ? &w->ready[queue] : &w->copies;
        if (ashi_window_node(w, heap->number[copy < 0 ? at : copy])->task.step <= most)
            return remove_at(heap, copy < 0 ? at : copy);
    }
    return NONE;
}

bool ashi_window_is_filed(const ashi_window *w, const ashi_node *n)
{
    const ashi_placed *from = ashi_window_placed(w, n->read[0]), *to = ashi_window_placed(w, n->makes);
    return n->task.kind == ASHI_DO_MOVE && ((from && from->panel.memory == ASHI_MEMORY_FILE) ||
                                            (to && to->panel.memory == ASHI_MEMORY_FILE));
}

ashi_queue ashi_window_queue(const ashi_window *w, const ashi_node *n)
{
    if (n->task.kind == ASHI_DO_SEND || n->task.kind == ASHI_DO_RECEIVE)
        return ASHI_QUEUE_BESIDE;
    return ashi_window_is_filed(w, n) ? ASHI_QUEUE_BESIDE : ASHI_QUEUE_CORES;
}

int64_t ashi_window_words(const ashi_window *w, const ashi_node *n)
{
    const ashi_task *t = &n->task;
    const ashi_placed *to = ashi_window_placed(w, n->makes);
    if (t->kind == ASHI_DO_MULTIPLY && t->words > 0)
        return t->words;
    if (t->kind == ASHI_DO_MULTIPLY)
        return (t->hi[0] - t->lo[0]) * (t->hi[1] - t->lo[1]) * (t->hi[2] - t->lo[2]) * (t->hi[3] - t->lo[3]);
    return t->kind == ASHI_DO_SEND || t->kind == ASHI_DO_RECEIVE ? t->words : to ? to->panel.words : 0;
}

const char *ashi_task_name(ashi_operation_kind kind)
{
    static const char *const names[] = {[ASHI_DO_MOVE] = "move",         [ASHI_DO_SEND] = "send",
                                        [ASHI_DO_RECEIVE] = "receive",   [ASHI_DO_MULTIPLY] = "multiply",
                                        [ASHI_DO_ADD] = "add",           [ASHI_DO_SCALE] = "scale"};
    return names[kind];
}

static void make_ready(ashi_window *w, int64_t number)
{
    const ashi_node *n = ashi_window_node(w, number);
    const ashi_queue queue = ashi_window_queue(w, n);
    push(queue == ASHI_QUEUE_CORES && n->task.kind == ASHI_DO_MOVE ? &w->copies : &w->ready[queue], number);
}

static void clear_ready(ashi_window *w)
{
    for (int q = 0; q < ASHI_QUEUES; q++)
        w->ready[q].count = 0;
    w->copies.count = 0;
}

/* ---- panels ---- */

static ashlar_status no_room(ashlar_error *err, int64_t bytes)
{
    return ashi_fail_memory(err, "tasks", bytes);
}

static void rest(const ashi_window *w)
{
    if (w->rest)
        w->rest(w->rest_context);
}

static void leave_panel(ashi_window *w, int64_t place)
{
    ashi_window_panel *p = &w->panel[place];
    if (--p->users > 0)
        return;
    p->placed.panel.id = w->free_panel;
    w->free_panel = place;
}

static ashlar_status grow_panels(ashi_window *w, ashlar_error *err)
{
    rest(w);
    ashi_window_panel *panel = ashi_array_room(w->panel, &w->panel_capacity, w->panels + 1, sizeof *w->panel);
    if (!panel)
        return no_room(err, w->panels * (int64_t)sizeof *panel);
    w->panel = panel;
    return ASHLAR_OK;
}

static ashlar_status take_panel(void *context, const ashi_placed *placed, ashlar_error *err)
{
    ashi_window *w = context;
    int64_t place = w->free_panel;
    if (ashi_map_find(&w->place, placed->panel.id) >= 0)
        return ASHLAR_OK;
    if (place < 0) {
        place = w->panels;
        const ashlar_status status = place == w->panel_capacity ? grow_panels(w, err) : ASHLAR_OK;
        if (status != ASHLAR_OK)
            return status;
    }
    if (!ashi_map_put(&w->place, placed->panel.id, place))
        return no_room(err, w->place.count * 16);
    if (place == w->panels)
        w->panels++;
    else
        w->free_panel = w->panel[place].placed.panel.id;
    w->panel[place] = (ashi_window_panel){.placed = *placed, .users = 1};
    return ASHLAR_OK;
}

static ashlar_status name_panel(ashi_window *w, int64_t id, int64_t *place, ashlar_error *err)
{
    *place = NONE;
    if (id < 0)
        return ASHLAR_OK;
    *place = ashi_map_find(&w->place, id);
    if (*place < 0)
        return ashi_fail(err, ASHLAR_ERR_INTERNAL, "a task names panel %" PRId64 ", which is not there", id);
    w->panel[*place].users++;
    return ASHLAR_OK;
}

/* No later task names a panel. */
static void forget_panel(ashi_window *w, int64_t id, int64_t place)
{
    ashi_map_remove(&w->place, id);
    leave_panel(w, place);
}

/* ---- tasks ---- */

static ashlar_status grow_nodes(ashi_window *w, ashlar_error *err)
{
    const int64_t capacity = ashi_max(NODES_LEAST, 2 * w->capacity);
    rest(w);
    ashi_node *node = malloc((size_t)capacity * sizeof *node);
    bool ok = node;
    for (int q = 0; q <= ASHI_QUEUES && ok; q++) {
        ashi_numbers *heap = q < ASHI_QUEUES ? &w->ready[q] : &w->copies;
        int64_t *number = realloc(heap->number, (size_t)capacity * sizeof *number);
        ok = number;
        if (number)
            heap->number = number;
    }
    if (!ok) {
        free(node);
        return no_room(err, capacity * (int64_t)sizeof *node);
    }
    for (int64_t i = w->base; i < w->end; i++)
        node[i & (capacity - 1)] = *ashi_window_node(w, i);
    free(w->node);
    w->node = node;
    w->capacity = capacity;
    return ASHLAR_OK;
}

static ashlar_status grow_links(ashi_window *w, int64_t more, ashlar_error *err)
{
    if (more == 0)
        return ASHLAR_OK;
    ashi_link *link = ashi_array_room(w->link, &w->link_capacity, w->links + more, sizeof *w->link);
    if (!link)
        return no_room(err, (w->links + more) * (int64_t)sizeof *link);
    w->link = link;
    return ASHLAR_OK;
}

/* `after` waits until `before` has ended. There is room. */
static void add_link(ashi_window *w, ashi_node *before, int64_t after)
{
    int64_t at = w->free_link;
    if (at >= 0)
        w->free_link = w->link[at].next;
    else
        at = w->links++;
    w->link[at] = (ashi_link){after, before->after};
    before->after = at;
}

static ashlar_status name_panels(ashi_window *w, ashi_node *n, ashlar_error *err)
{
    ashlar_status status = name_panel(w, n->task.makes, &n->makes, err);
    for (int i = 0; i < ASHI_READS_MAX && status == ASHLAR_OK; i++)
        status = name_panel(w, n->task.read[i], &n->read[i], err);
    if (status != ASHLAR_OK)
        return status;
    for (int i = 0; i < ASHI_READS_MAX; i++)
        if (n->read[i] >= 0 && n->task.last[i])
            forget_panel(w, n->task.read[i], n->read[i]);
    const ashi_placed *from = ashi_window_placed(w, n->read[0]);
    if (n->task.kind == ASHI_DO_MOVE && n->makes >= 0 && from && from->panel.memory == ASHI_MEMORY_FILE)
        w->panel[n->makes].from_file = true;
    return ASHLAR_OK;
}

/* Memory is asked for before anything is changed, so that a step can be passed once more. */
static ashlar_status take_task(void *context, const ashi_task *task, ashlar_error *err)
{
    ashi_window *w = context;
    if (task->number < w->end)
        return ASHLAR_OK;
    if (task->number > w->end)
        return ashi_fail(err, ASHLAR_ERR_INTERNAL, "task %" PRId64 " comes after task %" PRId64, task->number,
                         w->end - 1);
    ashlar_status status = w->end - w->base == w->capacity ? grow_nodes(w, err) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        status = grow_links(w, task->befores, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_node *n = ashi_window_node(w, task->number);
    *n = (ashi_node){.task = *task, .read = {NONE, NONE, NONE, NONE}, .makes = NONE, .after = NONE};
    status = name_panels(w, n, err);
    if (status != ASHLAR_OK)
        return status;
    for (int64_t i = 0; i < task->befores; i++) {
        const int64_t before = task->before[i];
        if (before < w->base || ashi_window_node(w, before)->ended)
            continue;
        add_link(w, ashi_window_node(w, before), task->number);
        n->befores++;
    }
    w->end++;
    n->waits = n->befores;
    if (n->waits == 0)
        make_ready(w, task->number);
    return ASHLAR_OK;
}

ashi_task_visitor ashi_window_visitor(ashi_window *w)
{
    return (ashi_task_visitor){take_panel, take_task, w};
}

static void leave_node(ashi_window *w, const ashi_node *n)
{
    if (n->makes >= 0)
        leave_panel(w, n->makes);
    for (int i = 0; i < ASHI_READS_MAX; i++)
        if (n->read[i] >= 0)
            leave_panel(w, n->read[i]);
}

void ashi_window_ended(ashi_window *w, int64_t number)
{
    ashi_node *n = ashi_window_node(w, number);
    int64_t last = NONE;
    n->ended = true;
    for (int64_t at = n->after; at >= 0; at = w->link[at].next) {
        last = at;
        if (--ashi_window_node(w, w->link[at].number)->waits == 0)
            make_ready(w, w->link[at].number);
    }
    if (last >= 0 && !w->keeps) {
        w->link[last].next = w->free_link;
        w->free_link = n->after;
        n->after = NONE;
    }
    for (; w->first < w->end && ashi_window_node(w, w->first)->ended; w->first++) {
        if (w->keeps)
            continue;
        leave_node(w, ashi_window_node(w, w->first));
        w->base++;
    }
}

void ashi_window_force(ashi_window *w)
{
    ashi_window_node(w, w->first)->waits = 0;
    make_ready(w, w->first);
}

void ashi_window_rewind(ashi_window *w)
{
    w->first = w->base;
    clear_ready(w);
    for (int64_t i = w->base; i < w->end; i++) {
        ashi_node *n = ashi_window_node(w, i);
        n->ended = false;
        n->waits = n->befores;
        if (n->waits == 0)
            make_ready(w, i);
    }
}

void ashi_window_clear(ashi_window *w)
{
    w->base = w->end = w->first = 0;
    w->links = w->panels = 0;
    w->free_link = w->free_panel = NONE;
    ashi_map_free(&w->place);
    clear_ready(w);
}

void ashi_window_free(ashi_window *w)
{
    free(w->node);
    free(w->link);
    free(w->panel);
    ashi_map_free(&w->place);
    for (int q = 0; q < ASHI_QUEUES; q++)
        free(w->ready[q].number);
    free(w->copies.number);
    *w = (ashi_window){0};
}
