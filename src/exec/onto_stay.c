/* Sums that stay on a device while products are added to them. */
#include "exec/onto_stay.h"

#include "base/checked.h"
#include "base/error.h"
#include "exec/onto_run.h"
#include "search/onto_sums.h"

#include <stdlib.h>

/* The tasks of a slab, in the order in which they are put into the queues, and the panels that they name. */
enum { BRING_C, BRING_A, BRING_B, MULTIPLY, RETURN, TASKS };
enum { PANEL_A, PANEL_B, PANEL_C, PANELS };

struct ashi_onto_stay {
    ashi_onto_run run; /* its steps are slabs */
    ashi_onto_product product; /* of the last call */
    ashi_placed panel[PANELS];
    ashi_onto_task task[TASKS];
    int64_t before[TASKS];
    int64_t slabs; /* so far */
    bool under_way;
};

/* ---- before and after ---- */

ashlar_status ashi_onto_stay_begin(ashi_onto *onto, int64_t area, ashi_onto_stay **out, ashlar_error *err)
{
    ashi_onto_stay *s = *out = calloc(1, sizeof *s);
    if (!s)
        return ashi_fail_memory(err, "device", (int64_t)sizeof *s);
    ashlar_status status = ashi_onto_allocate(onto, onto->request.memory_words, err);
    for (int set = 0; set < 2 && status == ASHLAR_OK; set++)
        status = ashi_onto_room_for_events(onto, set, TASKS, err);
    if (status != ASHLAR_OK) {
        free(s);
        *out = NULL;
        return status;
    }
    onto->area = area;
    s->run = (ashi_onto_run){.onto = onto, .watch.apart = true};
    return ASHLAR_OK;
}

void ashi_onto_stay_rest(ashi_onto_stay *s)
{
    if (!s->under_way)
        return;
    ashi_onto_stop(s->run.onto);
    if (s->run.watch.count > 0)
        ashi_onto_watch_events(&s->run);
    s->run.watch.count = 0;
    s->under_way = false;
}

void ashi_onto_stay_lose(ashi_onto_stay *s, const ashlar_error *why)
{
    ashlar_error *failure = &s->run.onto->tally.failure;
    ashi_onto_stay_rest(s);
    if (failure->status == ASHLAR_OK)
        *failure = *why;
}

void ashi_onto_stay_end(ashi_onto_stay **stay)
{
    ashi_onto_stay *s = *stay;
    if (!s)
        return;
    ashi_onto_stay_rest(s);
    s->run.onto->area = 0;
    free(s->run.watch.at);
    free(s);
    *stay = NULL;
}

/* ---- a slab ---- */

static ashi_placed placed_of(ashlar_operand x, int64_t id, const ashi_box *box, bool minor, int64_t at)
{
    ashi_placed p = {.panel = ashi_panel_of(x, box), .at = at, .base = at, .packed = true};
    p.panel.id = id;
    p.panel.order[0] = minor ? 0 : 1;
    p.panel.order[1] = minor ? 1 : 0;
    return p;
}

/* The sum, so that position (0, 0) is where a product begins. */
static ashi_placed sum_of(const ashi_onto_stay *s, const ashi_onto_sum *sum, const int64_t at[2])
{
    const ashi_onto *onto = s->run.onto;
    const ashi_box box = {-at[0], sum->size[0] - at[0], -at[1], sum->size[1] - at[1]};
    return placed_of(ASHLAR_C, PANEL_C, &box, sum->stride[0] == 1,
                     onto->request.memory_words - onto->area + sum->at);
}

/* A task of the slab; `befores`: the tasks that go before it, from `first` on. */
static void add_task(ashi_onto_stay *s, int which, const ashi_task *task, ashi_device_queue queue, int64_t first,
                     int64_t befores)
{
    s->task[which] = (ashi_onto_task){.task = *task, .before = first, .befores = befores, .queue = queue};
    s->task[which].task.number = which;
    s->before[which] = which;
}

static ashi_task move_of(int64_t from, int64_t to)
{
    return (ashi_task){.kind = ASHI_DO_MOVE, .read = {from, -1, -1, -1}, .makes = to};
}

/* The run works for a call: its lists are those of this slab. */
static void serve(ashi_onto_stay *s, const ashi_onto_product *product, bool minor_c)
{
    ashi_onto_run *run = &s->run;
    s->product = *product;
    run->product = &s->product;
    run->step = s->slabs;
    run->nest = (ashi_nest){.stays = ASHLAR_C};
    ashi_onto_orders(product, run->nest.minor);
    run->nest.minor[ASHLAR_C] = minor_c;
    run->nest.adds = !run->onto->kernels->is_zero(product->beta);
    run->panel = s->panel;
    run->panels = PANELS;
    run->task = s->task;
    run->before = s->before;
}

/* A product that reads neither A nor B makes it zero. */
static ashlar_status clear(ashi_onto_stay *s, const ashi_onto_sum *sum, ashlar_error *err)
{
    const ashi_onto *onto = s->run.onto;
    const ashi_placed *c = &s->panel[PANEL_C];
    char *at = ashi_onto_address(&s->run, c, c->panel.lo[0], c->panel.lo[1]);
    const int64_t line = sum->size[c->panel.order[0]], lines = sum->size[c->panel.order[1]];
    const ashi_device_gemm g = {.type = onto->request.type, .op_a = ASHLAR_OP_N, .op_b = ASHLAR_OP_N, .m = line,
                                .n = lines, .k = 1, .alpha = onto->kernels->zero, .beta = onto->kernels->zero, .a = at,
                                .b = at, .c = at, .lda = line, .ldb = 1, .ldc = line};
    s->under_way = true;
    return onto->calls->gemm(onto->request.device, &g, err);
}

/* Steps lo to hi - 1 of k, in the half that the slab before the last one had. */
static ashlar_status add_slab(ashi_onto_stay *s, const ashi_onto_product *p, int64_t lo, int64_t hi, bool fetches,
                              ashlar_error *err)
{
    ashi_onto_run *run = &s->run;
    const bool *minor = run->nest.minor;
    const int64_t at = s->slabs % 2 * ((run->onto->request.memory_words - run->onto->area) / 2);
    const ashi_box a = {0, p->m, lo, hi}, b = {0, p->n, lo, hi};
    s->panel[PANEL_A] = placed_of(ASHLAR_A, PANEL_A, &a, minor[ASHLAR_A], at);
    s->panel[PANEL_B] = placed_of(ASHLAR_B, PANEL_B, &b, minor[ASHLAR_B], at + p->m * (hi - lo));
    const ashi_task c_in = move_of(-1, PANEL_C), a_in = move_of(-1, PANEL_A), b_in = move_of(-1, PANEL_B);
    const ashi_task multiply = {.kind = ASHI_DO_MULTIPLY, .read = {PANEL_A, -1, PANEL_B, -1}, .makes = PANEL_C,
                                .begins = lo == 0, .lo = {0, 0, lo, 0}, .hi = {p->m, p->n, hi, 1}};
    const int first = fetches ? BRING_C : BRING_A;
    add_task(s, BRING_C, &c_in, ASHI_DEVICE_IN, 0, 0);
    add_task(s, BRING_A, &a_in, ASHI_DEVICE_IN, 0, 0);
    add_task(s, BRING_B, &b_in, ASHI_DEVICE_IN, 0, 0);
    add_task(s, MULTIPLY, &multiply, ASHI_DEVICE_WORK, first, MULTIPLY - first);
    run->step = s->slabs;
    ashlar_status status = ashi_onto_await(run, run->onto->event[s->slabs % 2][MULTIPLY], err);
    ashi_onto_watch_events(run); /* before its events serve again */
    s->under_way = true;
    for (int i = first; i <= MULTIPLY && status == ASHLAR_OK; i++)
        status = ashi_onto_put_task(run, i, err);
    s->slabs++;
    return status;
}

ashlar_status ashi_onto_stay_add(ashi_onto_stay *s, const ashi_onto_sum *sum, const int64_t at[2],
                                 const ashi_onto_product *p, ashi_onto_before before, ashlar_error *err)
{
    ashi_onto *onto = s->run.onto;
    const int64_t room = onto->request.memory_words - onto->area, thick = ashi_onto_slab(p->m, p->n, p->k, room);
    serve(s, p, sum->stride[0] == 1);
    s->panel[PANEL_C] = sum_of(s, sum, at);
    ashlar_status status = before == ASHI_ONTO_CLEAR ? clear(s, sum, err) : ASHLAR_OK;
    onto->tally.held = ashi_max(onto->tally.held, onto->area + 2 * thick * (p->m + p->n));
    for (int64_t lo = 0; lo < p->k && status == ASHLAR_OK; lo += thick)
        status = add_slab(s, p, lo, ashi_min(lo + thick, p->k), before == ASHI_ONTO_FETCH && lo == 0, err);
    return status;
}

ashlar_status ashi_onto_stay_copied(ashi_onto_stay *s, const ashi_onto_product *p, ashlar_error *err)
{
    serve(s, p, true);
    return ashi_onto_await(&s->run, s->run.onto->event[(s->slabs + 1) % 2][BRING_B], err);
}

ashlar_status ashi_onto_stay_return(ashi_onto_stay *s, ashi_onto_sum *sum, const ashi_onto_product *p,
                                    ashlar_error *err)
{
    ashi_onto_run *run = &s->run;
    const ashi_onto *onto = run->onto;
    const int64_t whole[2] = {0, 0};
    const ashi_onto_product all = {.m = sum->size[0], .n = sum->size[1], .k = 1, .alpha = p->alpha, .beta = p->beta,
                                   .a = p->a, .b = p->b, .c = sum->c, .minor_stride = sum->stride[0],
                                   .major_stride = sum->stride[1], .listen = p->listen, .context = p->context,
                                   .trace = p->trace, .trace_step = p->trace_step};
    const ashi_task c_out = move_of(PANEL_C, -1);
    serve(s, &all, sum->stride[0] == 1);
    run->frontier = (ashi_onto_frontier){.item = -1};
    s->panel[PANEL_C] = sum_of(s, sum, whole);
    add_task(s, RETURN, &c_out, ASHI_DEVICE_OUT, 0, 0);
    ashlar_status status = ASHLAR_OK;
    for (int set = 0; set < 2 && status == ASHLAR_OK; set++)
        status = onto->calls->wait(onto->request.device, ASHI_DEVICE_OUT, onto->event[set][MULTIPLY], err);
    if (status == ASHLAR_OK)
        status = ashi_onto_put_task(run, RETURN, err);
    if (status == ASHLAR_OK)
        status = ashi_onto_collect(run, err);
    if (run->frontier.item >= 0) {
        sum->lines = run->frontier.line;
        sum->within = run->frontier.at;
    }
    return status;
}
