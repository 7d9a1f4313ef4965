/* A contraction on a device, box by box: boxes of C one after the other, and for each the boxes of the sum. */
#include "exec/onto_boxes.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/type.h"

enum { A, B, C, CALL_MOST = 128 };

/* ---- places ---- */

static void find_places(ashi_boxes_run *run)
{
    const ashi_onto_cut *const cut = run->cut;
    char *at = run->onto->pool;
    for (int x = 0; x < 3; x++) {
        const int *const side = ashi_cut_sides[x];
        const int64_t bytes = run->onto->word * ashi_cut_positions(cut, side[0]) * ashi_cut_positions(cut, side[1]) *
                              ashi_cut_positions(cut, ASHI_CUT_BATCH);
        run->raw[x] = run->matrix[x] = at;
        at += bytes;
        if (!cut->matrix[x].permuted)
            continue;
        run->matrix[x] = at;
        at += bytes;
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

/* ---- one box of the sum ---- */

/* For a trace: what was put into a queue, after what is in another one. */
static ashlar_status note(ashi_boxes_run *run, ashi_device_queue queue, int64_t words, ashi_device_queue other,
                          ashlar_error *err)
{
    int64_t after[ASHI_DEVICE_QUEUES] = {0};
    after[other] = run->lanes.last[other];
    return ashi_onto_lanes_put(&run->lanes, queue, words, run->with->trace_step, after, err);
}

/* Multiply-adds of the products of a box. */
static int64_t products_of(const ashi_boxes_run *run)
{
    int64_t products = 1;
    for (int g = 0; g < ASHI_CUT_GROUPS; g++)
        products *= ashi_cut_box_positions(run->cut, &run->box, g);
    return products;
}

/* Copy what is not there, and permute it. */
static ashlar_status bring(ashi_boxes_run *run, const int64_t wanted[2][3], bool adds, ashlar_error *err)
{
    const ashi_onto *const onto = run->onto;
    ashi_device *const device = onto->request.device;
    const int64_t before = onto->tally.in;
    bool fresh[3] = {false, false, adds};
    ashlar_status status = onto->calls->wait(device, ASHI_DEVICE_IN, onto->end[0][ASHI_DEVICE_WORK], err);
    for (int x = A; x <= B; x++) {
        for (int i = 0; i < 3; i++) {
            fresh[x] = fresh[x] || run->there[x][i] != wanted[x][i];
            run->there[x][i] = wanted[x][i];
        }
    }
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++)
        if (fresh[x])
            status = ashi_boxes_copy_in(run, x, err);
    if (status == ASHLAR_OK)
        status = onto->calls->record(device, ASHI_DEVICE_IN, onto->end[0][ASHI_DEVICE_IN], err);
    if (status == ASHLAR_OK && onto->tally.in > before)
        status = note(run, ASHI_DEVICE_IN, onto->tally.in - before, ASHI_DEVICE_WORK, err);
    if (status == ASHLAR_OK)
        status = onto->calls->wait(device, ASHI_DEVICE_WORK, onto->end[0][ASHI_DEVICE_IN], err);
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++)
        if (fresh[x] && run->cut->matrix[x].permuted)
            status = ashi_boxes_permute(run, x, false, err);
    return status;
}

/* The products of boxes that are C's box: at its numbers in the loops. */
static ashlar_status contract_box(ashi_boxes_run *run, int64_t batch, int64_t outer, int64_t inner, ashlar_error *err)
{
    const ashi_onto_cut *const cut = run->cut;
    const ashi_onto *const onto = run->onto;
    ashi_device *const device = onto->request.device;
    const bool by_rows = cut->outer == ASHI_CUT_ROWS;
    const int64_t rows = by_rows ? outer : inner, cols = by_rows ? inner : outer;
    const int64_t boxes = ashi_cut_boxes(cut, ASHI_CUT_DEPTH);
    ashlar_status status = ASHLAR_OK;
    ashi_cut_box_of_c(cut, batch, outer, inner, &run->box);
    for (int64_t k = 0; k < boxes && status == ASHLAR_OK; k++) {
        const int64_t wanted[2][3] = {{batch, rows, k}, {batch, cols, k}};
        ashi_cut_box_of(cut, ASHI_CUT_DEPTH, k, &run->box);
        status = ashi_interrupt_check(err);
        if (status == ASHLAR_OK)
            status = bring(run, wanted, k == 0 && !onto->kernels->is_zero(run->with->beta), err);
        if (status == ASHLAR_OK)
            status = multiply(run, k == 0 ? run->with->beta : onto->kernels->one, err);
        if (status == ASHLAR_OK && k == boxes - 1 && cut->matrix[C].permuted)
            status = ashi_boxes_permute(run, C, true, err);
        if (status == ASHLAR_OK)
            status = onto->calls->record(device, ASHI_DEVICE_WORK, onto->end[0][ASHI_DEVICE_WORK], err);
        if (status == ASHLAR_OK)
            status = note(run, ASHI_DEVICE_WORK, products_of(run), ASHI_DEVICE_IN, err);
    }
    if (status == ASHLAR_OK)
        status = onto->calls->wait(device, ASHI_DEVICE_OUT, onto->end[0][ASHI_DEVICE_WORK], err);
    return status == ASHLAR_OK ? ashi_boxes_copy_out(run, err) : status;
}

static ashlar_status contract_all(ashi_boxes_run *run, ashlar_error *err)
{
    const ashi_onto_cut *const cut = run->cut;
    const int64_t batches = ashi_cut_boxes(cut, ASHI_CUT_BATCH), outers = ashi_cut_boxes(cut, cut->outer);
    const int64_t inners = ashi_cut_boxes(cut, ashi_cut_inner(cut));
    ashlar_status status = ASHLAR_OK;
    find_places(run);
    for (int64_t z = 0; z < batches; z++)
        for (int64_t o = 0; o < outers; o++)
            for (int64_t i = 0; i < inners && status == ASHLAR_OK; i++)
                status = contract_box(run, z, o, i, err);
    return status;
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
        status = contract_all(&run, &why);
        stop(&run);
        ashi_onto_lanes_end(&run.lanes);
        ashi_onto_lanes_free(&run.lanes);
    }
    if (status == ASHLAR_ERR_INTERRUPTED)
        return ashi_fail(err, status, "%s", why.text);
    if (status != ASHLAR_OK)
        *failure = why;
    if (failure->status != ASHLAR_OK)
        ashi_boxes_finish_on_host(&run);
    return ashi_interrupt_check(err);
}
