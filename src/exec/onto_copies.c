/* What goes between the host and a device: boxes of A, B and C to it, and C back by way of stages. */
#include "base/checked.h"
#include "base/error.h"
#include "exec/onto_run.h"

#include <time.h>

/* How long the host rests between two looks if it has to listen meanwhile. */
static const struct timespec look = {0, 50000};

ashi_matrix ashi_onto_matrix(const ashi_onto_product *p, ashlar_operand x)
{
    /* The kernels' B is k x n with n minor: the nest's n x k has the same strides. */
    return x == ASHLAR_A ? p->a : x == ASHLAR_B ? p->b : (ashi_matrix){p->c, p->minor_stride, p->major_stride};
}

void ashi_onto_strides(const ashi_placed *placed, int64_t stride[2])
{
    const ashi_panel *p = &placed->panel;
    const int fast = p->order[0], slow = p->order[1];
    stride[fast] = 1;
    stride[slow] = placed->packed ? p->hi[fast] - p->lo[fast] : placed->ld;
}

char *ashi_onto_address(const ashi_onto_run *run, const ashi_placed *placed, int64_t minor, int64_t major)
{
    int64_t stride[2];
    ashi_onto_strides(placed, stride);
    const int64_t within = placed->at - placed->base + (minor - placed->panel.lo[0]) * stride[0] +
                           (major - placed->panel.lo[1]) * stride[1];
    return (char *)run->onto->pool + placed->base * run->onto->word +
           within * run->onto->bytes[placed->panel.operand];
}

/* The rectangle of a box, in the host's matrix and in a panel: lines along the panel's contiguous side. */
static ashi_device_copy rectangle(const ashi_onto_run *run, const ashi_placed *placed, const ashi_box *box, char *host,
                                  const int64_t host_stride[2], bool in)
{
    const int64_t bytes = run->onto->bytes[placed->panel.operand];
    const int64_t extent[2] = {box->minor_hi - box->minor_lo, box->major_hi - box->major_lo};
    const int fast = placed->panel.order[0], slow = 1 - fast;
    int64_t stride[2];
    ashi_onto_strides(placed, stride);
    char *device = ashi_onto_address(run, placed, box->minor_lo, box->major_lo);
    const int64_t near = host_stride[slow] * bytes, far = stride[slow] * bytes;
    return (ashi_device_copy){in ? host : device, in ? near : far, in ? device : host, in ? far : near,
                              extent[fast] * bytes, extent[slow]};
}

ashlar_status ashi_onto_copy_in(ashi_onto_run *run, const ashi_placed *placed, ashlar_error *err)
{
    ashi_onto *onto = run->onto;
    const ashi_matrix x = ashi_onto_matrix(run->product, placed->panel.operand);
    const ashi_box box = ashi_panel_box(&placed->panel);
    const int64_t stride[2] = {x.minor_stride, x.major_stride};
    char *host = (char *)(uintptr_t)x.data +
                 (box.minor_lo * stride[0] + box.major_lo * stride[1]) * onto->bytes[placed->panel.operand];
    const ashi_device_copy copy = rectangle(run, placed, &box, host, stride, true);
    ashlar_status status = ASHLAR_OK;
    if (placed->panel.operand == ASHLAR_C && run->nest.stays != ASHLAR_C)
        status = ashi_onto_collect(run, err); /* sums may come back that are still in a stage */
    if (status == ASHLAR_OK)
        status = onto->calls->copy_in(onto->request.device, &copy, err);
    if (status == ASHLAR_OK)
        run->onto->tally.in += ashi_box_words(&box);
    return status;
}

/* ---- results ---- */

ashlar_status ashi_onto_await(ashi_onto_run *run, ashi_device_event *event, ashlar_error *err)
{
    const ashi_onto *onto = run->onto;
    ashi_device *device = onto->request.device;
    bool reached = false;
    if (!run->product->listen && !run->product->trace)
        return onto->calls->await(device, event, err);
    for (;;) {
        ashi_onto_watch_events(run);
        const ashlar_status status = onto->calls->reached(device, event, &reached, err);
        if (status != ASHLAR_OK || reached)
            return status;
        if (run->product->listen)
            run->product->listen(run->product->context);
        nanosleep(&look, NULL);
    }
}

/* What is in a stage goes to C, once its copy has succeeded. */
static ashlar_status empty_stage(ashi_onto_run *run, ashi_onto_stage *s, ashlar_error *err)
{
    const ashi_onto *onto = run->onto;
    const ashi_onto_product *p = run->product;
    if (!s->under_way)
        return ASHLAR_OK;
    s->under_way = false;
    const ashlar_status status = ashi_onto_await(run, s->event, err);
    if (status != ASHLAR_OK)
        return status;
    const int64_t rows = s->box.minor_hi - s->box.minor_lo, columns = s->box.major_hi - s->box.major_lo;
    const bool minor = run->nest.minor[ASHLAR_C];
    const ashi_matrix from = {s->data, minor ? 1 : columns, minor ? rows : 1};
    char *to = (char *)p->c +
               (s->box.minor_lo * p->minor_stride + s->box.major_lo * p->major_stride) * onto->bytes[ASHLAR_C];
    onto->kernels->axpby(rows, columns, onto->kernels->one, &from, false, onto->kernels->zero, to, p->minor_stride,
                         p->major_stride);
    run->onto->tally.out += ashi_box_words(&s->box);
    const ashi_box *all = &s->all;
    const bool whole = minor ? s->box.minor_hi == all->minor_hi : s->box.major_hi == all->major_hi; /* its lines are */
    const int64_t begin = minor ? all->minor_lo : all->major_lo, end = minor ? s->box.minor_hi : s->box.major_hi;
    const int64_t next = minor ? s->box.major_hi : s->box.minor_hi;
    run->frontier = (ashi_onto_frontier){s->item, whole ? next : next - 1, whole ? begin : end, *all};
    return ASHLAR_OK;
}

ashlar_status ashi_onto_collect(ashi_onto_run *run, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < ASHI_ONTO_STAGES && status == ASHLAR_OK; i++)
        status = empty_stage(run, &run->onto->stage[(run->next_stage + i) % ASHI_ONTO_STAGES], err);
    return status;
}

/* A piece of a panel, which its next stage has room for. */
static ashlar_status copy_piece(ashi_onto_run *run, const ashi_placed *placed, const ashi_box *piece, ashlar_error *err)
{
    ashi_onto *onto = run->onto;
    ashi_onto_stage *s = &onto->stage[run->next_stage];
    const int64_t rows = piece->minor_hi - piece->minor_lo, columns = piece->major_hi - piece->major_lo;
    const int64_t stride[2] = {run->nest.minor[ASHLAR_C] ? 1 : columns, run->nest.minor[ASHLAR_C] ? rows : 1};
    ashlar_status status = empty_stage(run, s, err);
    if (status != ASHLAR_OK)
        return status;
    const ashi_device_copy copy = rectangle(run, placed, piece, s->data, stride, false);
    status = onto->calls->copy_out(onto->request.device, &copy, err);
    if (status == ASHLAR_OK)
        status = onto->calls->record(onto->request.device, ASHI_DEVICE_OUT, s->event, err);
    if (status != ASHLAR_OK)
        return status;
    s->under_way = true;
    s->item = run->step - 2 * run->nest.ahead; /* a step writes what that item completed */
    s->box = *piece;
    s->all = ashi_panel_box(&placed->panel);
    run->next_stage = (run->next_stage + 1) % ASHI_ONTO_STAGES;
    return ASHLAR_OK;
}

/* Pieces are whole lines, or parts of one that is longer than a stage. */
ashlar_status ashi_onto_copy_out(ashi_onto_run *run, const ashi_placed *placed, ashlar_error *err)
{
    const ashi_box box = ashi_panel_box(&placed->panel);
    const bool minor = run->nest.minor[ASHLAR_C];
    const int64_t lo[2] = {box.minor_lo, box.major_lo}, hi[2] = {box.minor_hi, box.major_hi};
    const int fast = minor ? 0 : 1, slow = 1 - fast;
    const int64_t part = ashi_min(hi[fast] - lo[fast], run->onto->stage_words);
    const int64_t lines = part < hi[fast] - lo[fast] ? 1 : run->onto->stage_words / part;
    ashlar_status status = ASHLAR_OK;
    for (int64_t line = lo[slow]; line < hi[slow]; line += lines)
        for (int64_t at = lo[fast]; at < hi[fast] && status == ASHLAR_OK; at += part) {
            const int64_t end = ashi_min(at + part, hi[fast]), last = ashi_min(line + lines, hi[slow]);
            const ashi_box piece = minor ? (ashi_box){at, end, line, last} : (ashi_box){line, last, at, end};
            status = copy_piece(run, placed, &piece, err);
        }
    return status;
}
