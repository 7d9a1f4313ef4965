/* A contraction on a device, box by box: boxes of C one after the other, and for each the boxes of the sum. */
#include "exec/onto_boxes.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/type.h"

#include <string.h>

enum { A, B, C, CALL_MOST = 128 };

/* ---- places ---- */

/* Let a matrix's boxes be in this one of its buffers. */
static void turn_to(ashi_boxes_run *run, int x, int turn)
{
    run->turn[x] = turn;
    run->raw[x] = run->buffer[x][turn];
    if (!run->cut->matrix[x].permuted)
        run->matrix[x] = run->raw[x];
}

static void find_places(ashi_boxes_run *run)
{
    const ashi_onto_cut *const cut = run->cut;
    char *at = run->onto->pool;
    for (int x = 0; x < 3; x++) {
        const int *const side = ashi_cut_sides[x];
        const int64_t bytes = run->onto->word * ashi_cut_positions(cut, side[0]) * ashi_cut_positions(cut, side[1]) *
                              ashi_cut_positions(cut, ASHI_CUT_BATCH);
        for (int i = 0; i < cut->buffers[x]; i++, at += bytes)
            run->buffer[x][i] = at;
        if (cut->matrix[x].permuted) {
            run->matrix[x] = at;
            at += bytes;
        }
        turn_to(run, x, 0);
    }
}

/* ---- products ---- */

/* A matrix of a value of the batch as BLAS sees it. */
typedef struct seen {
    const ashi_boxes_strides *stride;
    int64_t ld;
} seen;

static seen see(const ashi_boxes_run *run, int matrix, const ashi_boxes_strides *stride)
{
    const ashi_cut_matrix *const m = &run->cut->matrix[matrix];
    const int minor = ashi_cut_sides[matrix][m->first_minor ? 0 : 1];
    const int major = ashi_cut_sides[matrix][m->first_minor ? 1 : 0];
    const int64_t length = ashi_cut_box_positions(run->cut, &run->box, minor);
    const bool lines = ashi_cut_group(&run->cut->product, major)->count > 0;
    return (seen){stride, lines ? ashi_max(stride->of[major][0], length) : length};
}

/* The operation on matrix x, which is outer by sum on the left, sum by outer on the right. */
static ashlar_op op_of(const ashi_boxes_run *run, int x, bool left)
{
    const ashi_contraction *const p = &run->cut->product;
    const ashi_cut_matrix *const m = &run->cut->matrix[x];
    const bool conjugate = (x == A ? p->conjugate_a : p->conjugate_b) && !m->permuted && ashi_type_of(p->type)->complex;
    const bool transposed = left ? !m->first_minor : m->first_minor;
    return !transposed ? ASHLAR_OP_N : conjugate ? ASHLAR_OP_C : ASHLAR_OP_T;
}

/* Where value number z of the batch is in matrix x. */
static char *value_of(const ashi_boxes_run *run, int x, const ashi_boxes_strides *stride, int64_t z)
{
    int64_t at = 0;
    for (int i = 0; i < run->cut->product.batch.count; i++) {
        at += z % run->box.extent[ASHI_CUT_BATCH][i] * stride->of[ASHI_CUT_BATCH][i];
        z /= run->box.extent[ASHI_CUT_BATCH][i];
    }
    return run->matrix[x] + at * run->onto->word;
}

/* All values of the batch in the box, at most CALL_MOST in a call. */
static ashlar_status call(const ashi_boxes_run *run, ashi_device_gemm *g, const int of[3],
                          const ashi_boxes_strides stride[3], ashlar_error *err)
{
    const int64_t values = ashi_cut_box_positions(run->cut, &run->box, ASHI_CUT_BATCH);
    const ashi_device_kind *const calls = run->onto->calls;
    ashlar_status status = ASHLAR_OK;
    for (int64_t z = 0; z < values && status == ASHLAR_OK; z += CALL_MOST) {
        const int64_t count = ashi_min(values - z, CALL_MOST);
        const void *a[CALL_MOST], *b[CALL_MOST];
        void *c[CALL_MOST];
        for (int64_t i = 0; i < count; i++) {
            a[i] = value_of(run, of[0], &stride[of[0]], z + i);
            b[i] = value_of(run, of[1], &stride[of[1]], z + i);
            c[i] = value_of(run, of[2], &stride[of[2]], z + i);
        }
        g->a = a[0], g->b = b[0], g->c = c[0];
        status = count == 1 ? calls->gemm(run->onto->request.device, g, err)
                            : calls->gemm_batched(run->onto->request.device, g, count, a, b, c, err);
    }
    return status;
}

static ashlar_status multiply(const ashi_boxes_run *run, const void *beta, ashlar_error *err)
{
    const bool straight = run->cut->matrix[C].first_minor; /* else C is stored as its transpose is */
    const int of[3] = {straight ? A : B, straight ? B : A, C};
    ashi_boxes_strides stride[3];
    int64_t ld[3];
    for (int x = 0; x < 3; x++) {
        stride[x] = ashi_boxes_strides_of(run, x, run->cut->matrix[x].permuted);
        ld[x] = see(run, x, &stride[x]).ld;
    }
    ashi_device_gemm g = {
        .type = run->cut->product.type, .op_a = op_of(run, of[0], true), .op_b = op_of(run, of[1], false),
        .m = ashi_cut_box_positions(run->cut, &run->box, ashi_cut_sides[of[0]][0]),
        .n = ashi_cut_box_positions(run->cut, &run->box, ashi_cut_sides[of[1]][0]),
        .k = ashi_cut_box_positions(run->cut, &run->box, ASHI_CUT_DEPTH), .alpha = run->with->alpha, .beta = beta,
        .lda = ld[of[0]], .ldb = ld[of[1]], .ldc = ld[C]};
    return call(run, &g, of, stride, err);
}

/* Multiply-adds of the products of a box. */
static int64_t products_of(const ashi_boxes_run *run)
{
    int64_t products = 1;
    for (int g = 0; g < ASHI_CUT_GROUPS; g++)
        products *= ashi_cut_box_positions(run->cut, &run->box, g);
    return products;
}

static ashlar_status note_products(ashi_boxes_run *run, ashlar_error *err)
{
    const int64_t after[ASHI_DEVICE_QUEUES] = {[ASHI_DEVICE_IN] = run->lanes.last[ASHI_DEVICE_IN]};
    return ashi_onto_lanes_put(&run->lanes, ASHI_DEVICE_WORK, products_of(run), run->with->trace_step, after, err);
}

/* The next buffer of a matrix takes a box, once nothing needs what is in it. */
static ashlar_status copy_in(ashi_boxes_run *run, int x, ashlar_error *err)
{
    turn_to(run, x, (run->turn[x] + 1) % run->cut->buffers[x]);
    const ashlar_status status = run->onto->calls->wait(run->onto->request.device, ASHI_DEVICE_IN,
                                                        run->free[x][run->turn[x]], err);
    return status == ASHLAR_OK ? ashi_boxes_copy_in(run, x, err) : status;
}

/* The queue of products needs a matrix's buffer no more. before: the last of its tasks then, for a trace. */
static ashlar_status set_free(ashi_boxes_run *run, int x, int64_t before, ashlar_error *err)
{
    run->last_use[x][run->turn[x]] = before;
    return run->onto->calls->record(run->onto->request.device, ASHI_DEVICE_WORK, run->free[x][run->turn[x]], err);
}

/* ---- the products of a box of C with one of the sum ---- */

/* One after the other: by the number of the box of C, in its own loops, and of the sum. */
typedef struct item {
    int64_t number, batch, outer, inner, sum;
    int turn; /* of C's buffers */
} item;

static int64_t sums_of(const ashi_boxes_run *run)
{
    return ashi_cut_boxes(run->cut, ASHI_CUT_DEPTH);
}

/* The item, whose box becomes the run's. */
static item go_to(ashi_boxes_run *run, int64_t at)
{
    const ashi_onto_cut *const cut = run->cut;
    const int64_t sums = sums_of(run), number = at / sums;
    const int64_t outers = ashi_cut_boxes(cut, cut->outer), inners = ashi_cut_boxes(cut, ashi_cut_inner(cut));
    const item i = {number, number / (outers * inners), number / inners % outers, number % inners, at % sums,
                    (int)(number % cut->buffers[C])};
    ashi_cut_box_of_c(cut, i.batch, i.outer, i.inner, &run->box);
    ashi_cut_box_of(cut, ASHI_CUT_DEPTH, i.sum, &run->box);
    turn_to(run, C, i.turn);
    return i;
}

static ashlar_status note_copies(ashi_boxes_run *run, int64_t words, int64_t after_work, ashlar_error *err)
{
    const int64_t after[ASHI_DEVICE_QUEUES] = {[ASHI_DEVICE_WORK] = after_work};
    return words > 0 ? ashi_onto_lanes_put(&run->lanes, ASHI_DEVICE_IN, words, run->with->trace_step, after, err)
                     : ASHLAR_OK;
}

/* Copy the boxes of A and of B that are not there. */
static ashlar_status bring(ashi_boxes_run *run, int64_t at, ashlar_error *err)
{
    const item i = go_to(run, at);
    const bool by_rows = run->cut->outer == ASHI_CUT_ROWS;
    const int64_t wanted[2][3] = {{i.batch, by_rows ? i.outer : i.inner, i.sum},
                                  {i.batch, by_rows ? i.inner : i.outer, i.sum}};
    const int64_t before = run->onto->tally.in;
    int64_t after = 0;
    ashlar_status status = ASHLAR_OK;
    for (int x = A; x <= B && status == ASHLAR_OK; x++) {
        run->fresh[x] = memcmp(run->there[x], wanted[x], sizeof wanted[x]) != 0;
        memcpy(run->there[x], wanted[x], sizeof wanted[x]);
        if (!run->fresh[x])
            continue;
        status = copy_in(run, x, err);
        after = ashi_max(after, run->last_use[x][run->turn[x]]);
    }
    if (status == ASHLAR_OK)
        status = note_copies(run, run->onto->tally.in - before, after, err);
    if (status != ASHLAR_OK || (!run->fresh[A] && !run->fresh[B]))
        return status;
    return run->onto->calls->record(run->onto->request.device, ASHI_DEVICE_IN,
                                    run->copied[run->copies++ % ASHI_BOXES_COPIES], err);
}

/* Copy the box of C that is added to. Its buffer is free: what it had has come back. */
static ashlar_status bring_sums(ashi_boxes_run *run, ashlar_error *err)
{
    const int64_t before = run->onto->tally.in;
    ashlar_status status = ashi_boxes_copy_in(run, C, err);
    if (status == ASHLAR_OK)
        status = note_copies(run, run->onto->tally.in - before, 0, err);
    return status == ASHLAR_OK ? run->onto->calls->record(run->onto->request.device, ASHI_DEVICE_IN,
                                                          run->added[run->turn[C]], err)
                               : status;
}

/* Wait for what was copied, and permute it. */
static ashlar_status take(ashi_boxes_run *run, bool sums, ashlar_error *err)
{
    const ashi_device_kind *const calls = run->onto->calls;
    ashi_device *const device = run->onto->request.device;
    const bool fresh[3] = {run->fresh[A], run->fresh[B], sums};
    ashlar_status status = ASHLAR_OK;
    if (fresh[A] || fresh[B])
        status = calls->wait(device, ASHI_DEVICE_WORK, run->copied[(run->copies - 1) % ASHI_BOXES_COPIES], err);
    if (status == ASHLAR_OK && sums)
        status = calls->wait(device, ASHI_DEVICE_WORK, run->added[run->turn[C]], err);
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++) {
        if (!fresh[x] || !run->cut->matrix[x].permuted)
            continue;
        status = ashi_boxes_permute(run, x, false, err);
        if (status == ASHLAR_OK && x != C)
            status = set_free(run, x, run->lanes.last[ASHI_DEVICE_WORK], err);
    }
    return status;
}

/* What was multiplied where it was copied to may be written to afterwards. */
static ashlar_status set_all_free(ashi_boxes_run *run, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = A; x <= B && status == ASHLAR_OK; x++)
        if (!run->cut->matrix[x].permuted)
            status = set_free(run, x, run->lanes.last[ASHI_DEVICE_WORK], err);
    return status;
}

/* Put an item's products into the queue. Its boxes of A and of B are coming. */
static ashlar_status contract(ashi_boxes_run *run, int64_t at, ashlar_error *err)
{
    const ashi_onto *const onto = run->onto;
    const item i = go_to(run, at);
    const bool first = i.sum == 0, last = i.sum == sums_of(run) - 1;
    const bool sums = first && !onto->kernels->is_zero(run->with->beta);
    ashlar_status status = sums ? bring_sums(run, err) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        status = take(run, sums, err);
    if (status == ASHLAR_OK)
        status = multiply(run, first ? run->with->beta : onto->kernels->one, err);
    if (status == ASHLAR_OK && last && run->cut->matrix[C].permuted)
        status = ashi_boxes_permute(run, C, true, err);
    if (status == ASHLAR_OK)
        status = note_products(run, err);
    if (status == ASHLAR_OK)
        status = set_all_free(run, err);
    run->last_work[i.turn] = run->lanes.last[ASHI_DEVICE_WORK];
    if (status == ASHLAR_OK && last)
        status = onto->calls->record(onto->request.device, ASHI_DEVICE_WORK, run->contracted[i.turn], err);
    return status;
}

/* Bring a box of C back. */
static ashlar_status return_box(ashi_boxes_run *run, int64_t number, ashlar_error *err)
{
    const item i = go_to(run, number * sums_of(run));
    const ashlar_status status = run->onto->calls->wait(run->onto->request.device, ASHI_DEVICE_OUT,
                                                        run->contracted[i.turn], err);
    return status == ASHLAR_OK ? ashi_boxes_copy_out(run, run->last_work[i.turn], err) : status;
}

/* The boxes of the next item are in the queue of copies while one is multiplied. With two buffers for C's boxes the
 * next one is multiplied before the host waits for the one before. */
static ashlar_status contract_all(ashi_boxes_run *run, ashlar_error *err)
{
    const ashi_onto_cut *const cut = run->cut;
    const int64_t sums = sums_of(run), behind = cut->buffers[C] - 1;
    const int64_t boxes = ashi_cut_boxes(cut, ASHI_CUT_BATCH) * ashi_cut_boxes(cut, ASHI_CUT_ROWS) *
                          ashi_cut_boxes(cut, ASHI_CUT_COLS);
    find_places(run);
    ashlar_status status = bring(run, 0, err);
    for (int64_t at = 0; at < boxes * sums && status == ASHLAR_OK; at++) {
        const int64_t done = (at + 1) / sums - behind; /* boxes of C that are back afterwards */
        status = ashi_interrupt_check(err);
        if (status == ASHLAR_OK)
            status = contract(run, at, err);
        if (status == ASHLAR_OK && at + 1 < boxes * sums)
            status = bring(run, at + 1, err);
        if (status == ASHLAR_OK && (at + 1) % sums == 0 && done > 0)
            status = return_box(run, done - 1, err);
    }
    return status == ASHLAR_OK && behind > 0 ? return_box(run, boxes - 1, err) : status;
}

/* ---- events ---- */

enum { EVENTS = ASHI_BOXES_COPIES + 8 };

static ashi_device_event **event_of(ashi_boxes_run *run, int number)
{
    ashi_device_event **const others[] = {&run->free[0][0], &run->free[0][1], &run->free[1][0],   &run->free[1][1],
                                          &run->added[0],   &run->added[1],   &run->contracted[0], &run->contracted[1]};
    return number < ASHI_BOXES_COPIES ? &run->copied[number] : others[number - ASHI_BOXES_COPIES];
}

static ashlar_status make_events(ashi_boxes_run *run, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < EVENTS && status == ASHLAR_OK; i++)
        status = run->onto->calls->event_create(run->onto->request.device, event_of(run, i), err);
    return status;
}

static void free_events(ashi_boxes_run *run)
{
    for (int i = 0; i < EVENTS; i++)
        run->onto->calls->event_free(run->onto->request.device, *event_of(run, i));
}

/* What the device took from the host is no longer read, nor what it writes written. */
static void stop(const ashi_boxes_run *run)
{
    ashlar_error ignored;
    run->onto->calls->finish(run->onto->request.device, &ignored);
    for (int i = 0; i < ASHI_ONTO_STAGES; i++)
        run->onto->stage[i].under_way = false;
}

ashlar_status ashi_boxes_contract(ashi_onto *onto, const ashi_onto_way *way, const ashi_onto_arguments *with,
                                  ashlar_error *err)
{
    ashi_boxes_run run = {.onto = onto, .cut = &way->cut, .with = with, .there = {{-1, -1, -1}, {-1, -1, -1}}};
    ashlar_error *const failure = &onto->tally.failure;
    ashlar_error why = {0};
    ashlar_status status = ashi_onto_reserve(onto, way->need.held, &why);
    if (status != ASHLAR_OK && status != ASHLAR_ERR_DEVICE)
        return ashi_fail(err, status, "%s", why.text);
    if (status == ASHLAR_OK && failure->status == ASHLAR_OK) {
        ashi_onto_lanes_begin(&run.lanes, onto->request.device, with->trace);
        status = make_events(&run, &why);
        if (status == ASHLAR_OK)
            status = contract_all(&run, &why);
        stop(&run);
        ashi_onto_lanes_end(&run.lanes);
        ashi_onto_lanes_free(&run.lanes);
        free_events(&run);
    }
    if (status == ASHLAR_ERR_INTERRUPTED)
        return ashi_fail(err, status, "%s", why.text);
    if (status != ASHLAR_OK)
        *failure = why;
    if (failure->status != ASHLAR_OK)
        ashi_boxes_finish_on_host(&run);
    return ashi_interrupt_check(err);
}
