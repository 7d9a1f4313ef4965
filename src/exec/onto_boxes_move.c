/* A contraction on a device, box by box: copies of boxes, and permutations of them there. */
#include "base/checked.h"
#include "base/type.h"
#include "exec/onto_boxes.h"

enum { A, B, C };

static int64_t stride_of(const ashi_onto_cut *cut, int matrix, int axis)
{
    return ashi_cut_index(&cut->product, cut->matrix[matrix].axis[axis])->stride[matrix];
}

static int64_t extent_of(const ashi_cut_box *box, ashi_cut_axis axis)
{
    return box->extent[axis.group][axis.index];
}

/* ---- where indices are on the device ---- */

static void line_up(const ashi_boxes_run *run, int group, int64_t *next, ashi_boxes_strides *out)
{
    for (int i = 0; i < ashi_cut_group(&run->cut->product, group)->count; i++) {
        out->of[group][i] = *next;
        *next *= run->box.extent[group][i];
    }
}

ashi_boxes_strides ashi_boxes_strides_of(const ashi_boxes_run *run, int matrix, bool permuted)
{
    const ashi_cut_matrix *const m = &run->cut->matrix[matrix];
    ashi_boxes_strides out = {{{0}}};
    int64_t next = 1;
    for (int i = 0; i < m->count && !permuted; i++) {
        out.of[m->axis[i].group][m->axis[i].index] = next;
        next *= extent_of(&run->box, m->axis[i]);
    }
    for (int s = 0; s < 2 && permuted; s++)
        line_up(run, ashi_cut_sides[matrix][s], &next, &out);
    if (permuted)
        line_up(run, ASHI_CUT_BATCH, &next, &out);
    return out;
}

/* ---- to the device ---- */

/* The elements of a box that one copy takes: each value of the indices from `first` on is another one. */
typedef struct rectangle {
    int64_t words, lines, apart; /* apart: elements of the host from line to line */
    int first;
} rectangle;

/* As many indices as go on where the ones before end are one line, and then as many as go on are lines. */
static rectangle rectangle_of(const ashi_boxes_run *run, int matrix)
{
    const ashi_cut_matrix *const m = &run->cut->matrix[matrix];
    rectangle r = {.words = 1, .lines = 1};
    for (; r.first < m->count; r.first++) {
        const int64_t extent = extent_of(&run->box, m->axis[r.first]);
        const int64_t stride = stride_of(run->cut, matrix, r.first);
        if (extent > 1 && r.lines == 1 && stride == r.words) {
            r.words *= extent;
        } else if (extent > 1 && r.lines == 1) {
            r.lines = extent;
            r.apart = stride;
        } else if (extent > 1 && stride == r.lines * r.apart) {
            r.lines *= extent;
        } else if (extent > 1) {
            break;
        }
    }
    r.apart = r.lines == 1 ? r.words : r.apart;
    return r;
}

/* One more in the indices from `first` on; false after the last. */
static bool advance(const ashi_boxes_run *run, int matrix, int first, int64_t *value)
{
    const ashi_cut_matrix *const m = &run->cut->matrix[matrix];
    for (int i = first; i < m->count; i++) {
        if (++value[i] < extent_of(&run->box, m->axis[i]))
            return true;
        value[i] = 0;
    }
    return false;
}

ashlar_status ashi_boxes_copy_in(ashi_boxes_run *run, int matrix, ashlar_error *err)
{
    const ashi_cut_matrix *const m = &run->cut->matrix[matrix];
    const int64_t bytes = run->onto->word;
    const void *const given[3] = {run->with->a, run->with->b, run->with->c};
    const rectangle r = rectangle_of(run, matrix);
    const int64_t begin = ashi_cut_box_begin(run->cut, &run->box, matrix);
    int64_t value[ASHI_CONTRACTION_INDICES] = {0}, to = 0;
    ashlar_status status = ASHLAR_OK;
    do {
        int64_t from = begin;
        for (int i = r.first; i < m->count; i++)
            from += value[i] * stride_of(run->cut, matrix, i);
        const ashi_device_copy copy = {(const char *)given[matrix] + from * bytes, r.apart * bytes,
                                       run->raw[matrix] + to * bytes, r.words * bytes, r.words * bytes, r.lines};
        status = run->onto->calls->copy_in(run->onto->request.device, &copy, err);
        to += r.words * r.lines;
        if (status == ASHLAR_OK)
            run->onto->tally.in += r.words * r.lines;
    } while (status == ASHLAR_OK && advance(run, matrix, r.first, value));
    return status;
}

/* ---- on the device ---- */

/* An index of a permutation: several of the box's if they go on in both orders. */
typedef struct moved {
    int64_t extent, from, to;
} moved;

static int list_moved(const ashi_boxes_run *run, int matrix, bool back, moved out[ASHI_CONTRACTION_INDICES])
{
    const ashi_cut_matrix *const m = &run->cut->matrix[matrix];
    const ashi_boxes_strides from = ashi_boxes_strides_of(run, matrix, back);
    const ashi_boxes_strides to = ashi_boxes_strides_of(run, matrix, !back);
    int count = 0, kept = 0;
    for (int i = 0; i < m->count; i++) {
        const ashi_cut_axis x = m->axis[i];
        const moved one = {extent_of(&run->box, x), from.of[x.group][x.index], to.of[x.group][x.index]};
        int at = count;
        if (one.extent == 1)
            continue;
        for (; at > 0 && out[at - 1].to > one.to; at--)
            out[at] = out[at - 1];
        out[at] = one;
        count++;
    }
    for (int i = 0; i < count; i++) {
        moved *const last = kept > 0 ? &out[kept - 1] : NULL;
        if (last && out[i].from == last->from * last->extent && out[i].to == last->to * last->extent)
            last->extent *= out[i].extent;
        else
            out[kept++] = out[i];
    }
    return kept;
}

/* What a call has no room for is gone through outside. */
ashlar_status ashi_boxes_permute(ashi_boxes_run *run, int matrix, bool back, ashlar_error *err)
{
    const ashi_contraction *const of = &run->cut->product;
    moved list[ASHI_CONTRACTION_INDICES];
    const int count = list_moved(run, matrix, back, list), inner = count < ASHI_DEVICE_INDICES ? count
                                                                                               : ASHI_DEVICE_INDICES;
    int64_t value[ASHI_CONTRACTION_INDICES] = {0};
    ashi_device_permutation p = {.type = of->type, .indices = inner > 0 ? inner : 1, .extent = {1},
                                 .conjugate = (matrix == A && of->conjugate_a) || (matrix == B && of->conjugate_b)};
    for (int i = 0; i < inner; i++)
        p.extent[i] = list[i].extent, p.from_stride[i] = list[i].from, p.to_stride[i] = list[i].to;
    for (bool more = true; more;) {
        int64_t from = 0, to = 0;
        for (int i = inner; i < count; i++)
            from += value[i] * list[i].from, to += value[i] * list[i].to;
        p.from = (back ? run->matrix[matrix] : run->raw[matrix]) + from * run->onto->word;
        p.to = (back ? run->raw[matrix] : run->matrix[matrix]) + to * run->onto->word;
        const ashlar_status status = run->onto->calls->permute(run->onto->request.device, &p, err);
        if (status != ASHLAR_OK)
            return status;
        int i = inner;
        for (; i < count && ++value[i] == list[i].extent; i++)
            value[i] = 0;
        more = i < count;
    }
    return ASHLAR_OK;
}

/* ---- back ---- */

bool ashi_boxes_chunk_of(const ashi_onto_cut *cut, const ashi_cut_box *box, int64_t words, int64_t number,
                         ashi_boxes_chunk *out)
{
    const ashi_cut_matrix *const m = &cut->matrix[C];
    int64_t before = 1;
    *out = (ashi_boxes_chunk){.number = number, .words = 1};
    bool open = true; /* indices so far are whole */
    for (int i = 0; i < m->count; i++) {
        const int64_t extent = extent_of(box, m->axis[i]);
        const int64_t length = !open ? 1 : ashi_min(extent, ashi_max(1, words / before));
        const int64_t pieces = ashi_ceil_div(extent, length);
        out->from[i] = number % pieces * length;
        out->extent[i] = ashi_min(length, extent - out->from[i]);
        out->at += out->from[i] * before;
        out->words *= out->extent[i];
        number /= pieces;
        open = open && length == extent;
        before *= extent;
    }
    return number == 0;
}

/* From a stage to C, two indices at a time. */
static void scatter(const ashi_boxes_run *run, const ashi_boxes_chunk *chunk, const char *data)
{
    const ashi_cut_matrix *const m = &run->cut->matrix[C];
    const ashi_onto *const onto = run->onto;
    int64_t value[ASHI_CONTRACTION_INDICES] = {0}, extent[2] = {1, 1}, stride[2] = {1, 1};
    for (int i = 0; i < 2 && i < m->count; i++) {
        extent[i] = chunk->extent[i];
        stride[i] = stride_of(run->cut, C, i);
    }
    const int64_t begin = ashi_cut_box_begin(run->cut, &run->box, C);
    for (bool more = true; more;) {
        int64_t to = begin;
        for (int i = 0; i < m->count; i++)
            to += (chunk->from[i] + value[i]) * stride_of(run->cut, C, i);
        const ashi_matrix from = {data, 1, extent[0]};
        onto->kernels->axpby(extent[0], extent[1], onto->kernels->one, &from, false, onto->kernels->zero,
                             (char *)run->with->c + to * onto->word, stride[0], stride[1]);
        data += extent[0] * extent[1] * onto->word;
        int i = 2;
        for (; i < m->count && ++value[i] == chunk->extent[i]; i++)
            value[i] = 0;
        more = i < m->count;
    }
}

static ashlar_status empty_stage(ashi_boxes_run *run, int stage, ashlar_error *err)
{
    ashi_onto *const onto = run->onto;
    ashi_onto_stage *const s = &onto->stage[stage];
    const ashi_boxes_chunk *const chunk = &run->chunk[stage];
    if (!s->under_way)
        return ASHLAR_OK;
    s->under_way = false;
    const ashlar_status status = ashi_onto_lanes_await(&run->lanes, s->event, NULL, err);
    if (status != ASHLAR_OK)
        return status;
    scatter(run, chunk, s->data);
    onto->tally.out += chunk->words;
    run->chunks = chunk->number + 1;
    return ASHLAR_OK;
}

static ashlar_status fill_stage(ashi_boxes_run *run, int stage, const ashi_boxes_chunk *chunk, int64_t last,
                                ashlar_error *err)
{
    ashi_onto *const onto = run->onto;
    ashi_onto_stage *const s = &onto->stage[stage];
    const int64_t bytes = chunk->words * onto->word;
    const ashi_device_copy copy = {run->raw[C] + chunk->at * onto->word, bytes, s->data, bytes, bytes, 1};
    ashlar_status status = onto->calls->copy_out(onto->request.device, &copy, err);
    if (status == ASHLAR_OK)
        status = onto->calls->record(onto->request.device, ASHI_DEVICE_OUT, s->event, err);
    const int64_t after[ASHI_DEVICE_QUEUES] = {[ASHI_DEVICE_WORK] = last};
    if (status == ASHLAR_OK)
        status = ashi_onto_lanes_put(&run->lanes, ASHI_DEVICE_OUT, chunk->words, run->with->trace_step, after, err);
    s->under_way = status == ASHLAR_OK;
    run->chunk[stage] = *chunk;
    return status;
}

ashlar_status ashi_boxes_copy_out(ashi_boxes_run *run, int64_t after, ashlar_error *err)
{
    ashi_boxes_chunk chunk;
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; status == ASHLAR_OK &&
                        ashi_boxes_chunk_of(run->cut, &run->box, run->onto->stage_words, i, &chunk); i++) {
        status = empty_stage(run, run->next_stage, err);
        if (status == ASHLAR_OK)
            status = fill_stage(run, run->next_stage, &chunk, after, err);
        run->next_stage = (run->next_stage + 1) % ASHI_ONTO_STAGES;
    }
    for (int i = 0; i < ASHI_ONTO_STAGES && status == ASHLAR_OK; i++)
        status = empty_stage(run, (run->next_stage + i) % ASHI_ONTO_STAGES, err);
    if (status == ASHLAR_OK) {
        run->whole++;
        run->chunks = 0;
    }
    return status;
}
