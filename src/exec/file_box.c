/* Boxes of plain files: read into memory and written from it, on any thread. */
#include "exec/file_box.h"

#include "base/checked.h"
#include "store/file.h"
#include "store/strided.h"
#include "store/unfolding_move.h"
#include "store/unfolding_runs.h"

enum { LONG_RUN = 1 << 16 }; /* bytes */

/* The indices in the order of their strides in the file, the contiguous one first. */
static void file_order(const ashi_box_move *m, int *order)
{
    for (int i = 0; i < m->indices; i++) {
        int at = i;
        for (; at > 0 && m->file.stride[order[at - 1]] > m->file.stride[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

/* A run of elements, or several side by side, at one place of the file and of memory. */
typedef struct run {
    int64_t at;          /* in the file: elements from its first */
    char *data;
    int64_t count, runs; /* elements of a run; runs, `file_step` elements apart in the file */
    int64_t file_step, element_step, run_step; /* the last two: in memory */
} run;

static ashlar_status transfer(const ashi_box_move *m, void *data, int64_t count, int64_t at, ashlar_error *err)
{
    const int64_t bytes = count * (int64_t)m->bytes, offset = m->file.offset + at * (int64_t)m->bytes;
    return m->write ? ashi_file_write(m->file.fd, m->file.path, data, bytes, offset, err)
                    : ashi_file_read(m->file.fd, m->file.path, data, bytes, offset, err);
}

/* To or from where the run stays. */
static ashlar_status transfer_directly(const ashi_box_move *m, void *data, int64_t count, int64_t at, char *between,
                                       ashlar_error *err)
{
    if (!m->past || !m->file.direct)
        return transfer(m, data, count, at, err);
    const ashi_plain_file *f = &m->file;
    const int64_t bytes = count * (int64_t)m->bytes, offset = f->offset + at * (int64_t)m->bytes;
    if (!m->write && m->batch && ashi_direct_batch_takes(bytes))
        return ashi_direct_batch_read(m->batch, f->direct, f->fd, f->path, data, bytes, offset, err);
    return m->write ? ashi_direct_write(f->direct, m->pace, f->fd, f->path, data, bytes, offset, between,
                                        ASHI_BOX_MOVE_BYTES, err)
                    : ashi_direct_read(f->direct, f->fd, f->path, data, bytes, offset, between, ASHI_BOX_MOVE_BYTES,
                                       err);
}

/* All runs at once if they follow one another in the file, else each by itself. */
static ashlar_status transfer_runs(const ashi_box_move *m, const run *r, char *packed, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    if (r->file_step == r->count)
        return transfer(m, packed, r->count * r->runs, r->at, err);
    for (int64_t i = 0; i < r->runs && status == ASHLAR_OK; i++)
        status = transfer(m, packed + (size_t)(i * r->count) * m->bytes, r->count, r->at + i * r->file_step, err);
    return status;
}

static void swap(const ashi_box_move *m, int64_t elements, void *data)
{
    if (m->file.swapped)
        ashi_swap_bytes(m->number_bytes, elements * (int64_t)(m->bytes / m->number_bytes), data);
}

/* As many runs as `between` holds. */
static ashlar_status move_between(const ashi_box_move *m, const run *r, char *between, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    const int64_t elements = r->count * r->runs;
    if (!m->write)
        status = transfer_runs(m, r, between, err);
    if (!m->write && status == ASHLAR_OK) {
        swap(m, elements, between);
        ashi_copy_strided(m->bytes, r->runs, r->count, between, r->count, 1, r->data, r->run_step, r->element_step);
    } else if (m->write) {
        ashi_copy_strided(m->bytes, r->runs, r->count, r->data, r->run_step, r->element_step, between, r->count, 1);
        swap(m, elements, between);
        status = transfer_runs(m, r, between, err);
    }
    return status;
}

/* Runs that are read and written where they lie: not short ones that follow one another in the file only. */
static bool moves_directly(const ashi_box_move *m, const run *r)
{
    return r->element_step == 1 && !m->file.swapped &&
           (r->run_step == r->count || r->file_step != r->count || r->count * (int64_t)m->bytes >= LONG_RUN);
}

/* All runs at once if they follow one another in the file and in memory, else each by itself. */
static ashlar_status move_directly(const ashi_box_move *m, const run *r, char *between, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    if (r->run_step == r->count && r->file_step == r->count)
        return transfer_directly(m, r->data, r->count * r->runs, r->at, between, err);
    for (int64_t i = 0; i < r->runs && status == ASHLAR_OK; i++)
        status = transfer_directly(m, r->data + i * r->run_step * (int64_t)m->bytes, r->count, r->at + i * r->file_step,
                                   between, err);
    return status;
}

static ashlar_status move_runs(const ashi_box_move *m, run r, char *between, ashlar_error *err)
{
    const int64_t most = ASHI_BOX_MOVE_BYTES / (int64_t)m->bytes;
    ashlar_status status = ASHLAR_OK;
    if (moves_directly(m, &r))
        return move_directly(m, &r, between, err);
    const int64_t wide = ashi_min(r.count, most), high = ashi_max(1, most / wide);
    for (int64_t i = 0; i < r.runs; i += high)
        for (int64_t j = 0; j < r.count && status == ASHLAR_OK; j += wide) {
            run part = r;
            part.runs = ashi_min(high, r.runs - i);
            part.count = ashi_min(wide, r.count - j);
            part.at += i * r.file_step + j;
            part.data += (i * r.run_step + j * r.element_step) * (int64_t)m->bytes;
            status = move_between(m, &part, between, err);
        }
    return status;
}

/* What is done with runs that are side by side. */
typedef ashlar_status (*run_visit)(const ashi_box_move *m, const run *r, void *context, ashlar_error *err);

/* All runs of a box, those side by side along the next index of the file together. */
static ashlar_status visit_runs(const ashi_box_move *m, run_visit visit, void *context, ashlar_error *err)
{
    int order[ASHI_INDICES_MAX];
    int64_t i[ASHI_INDICES_MAX] = {0};
    ashlar_status status = ASHLAR_OK;
    file_order(m, order);
    for (int d = 0; d < m->indices; d++)
        if (m->extent[d] <= 0)
            return ASHLAR_OK;
    const int fast = order[0], next = order[1];
    for (int d = 2; d <= m->indices && status == ASHLAR_OK;) {
        run r = {.data = m->data, .count = m->extent[fast], .runs = m->extent[next],
                 .file_step = m->file.stride[next], .element_step = m->stride[fast], .run_step = m->stride[next]};
        for (int x = 0; x < m->indices; x++) {
            r.at += (m->lo[x] + i[x]) * m->file.stride[x];
            r.data += i[x] * m->stride[x] * (int64_t)m->bytes;
        }
        status = visit(m, &r, context, err);
        for (d = 2; d < m->indices && ++i[order[d]] == m->extent[order[d]]; d++)
            i[order[d]] = 0;
        d += d == m->indices; /* all are through */
    }
    return status;
}

static ashlar_status move_visited(const ashi_box_move *m, const run *r, void *context, ashlar_error *err)
{
    return move_runs(m, *r, context, err);
}

_Static_assert((int)ASHI_BOX_MOVE_BYTES >= (int)ASHI_UNFOLDING_MOVE_BYTES, "memory of moves");

/* The box of the view's rows and columns. */
static ashi_unfolding_box box_of_view(const ashi_box_move *m)
{
    ashi_unfolding_box box;
    for (int s = 0; s < 2; s++) {
        const int x = m->file.turned ? 1 - s : s;
        box.from[s] = m->lo[x];
        box.extent[s] = m->extent[x];
        box.stride[s] = m->stride[x];
    }
    return box;
}

static ashlar_status move_view(const ashi_box_move *m, void *between, ashlar_error *err)
{
    const ashi_plain_file *f = &m->file;
    const ashi_element_file file = {f->fd, f->path, f->offset, f->swapped, m->past ? f->direct : NULL, m->batch,
                                    m->bytes, m->number_bytes};
    const ashi_unfolding_transfer t = {&file, m->data, m->write, between};
    const ashi_unfolding_box box = box_of_view(m);
    return ashi_unfolding_move(&t, f->view, &box, err);
}

ashlar_status ashi_move_box(const ashi_box_move *m, void *between, ashlar_error *err)
{
    const ashlar_status status =
        m->file.view ? move_view(m, between, err) : visit_runs(m, move_visited, between, err);
    if (!m->batch)
        return status;
    const ashlar_status ended = ashi_direct_batch_end(m->batch, status == ASHLAR_OK ? err : NULL);
    return status == ASHLAR_OK ? ended : status;
}

/* A caller's visit of runs as bytes of the file. */
typedef struct page_visit {
    const ashi_box_move *move;
    ashi_box_pages_visit visit;
    void *context;
} page_visit;

static ashlar_status tell_pages(const ashi_box_move *m, const run *r, void *context, ashlar_error *err)
{
    const page_visit *to = context;
    const int64_t bytes = (int64_t)m->bytes;
    const ashi_page_runs runs = {.origin = m->file.offset, .at = m->file.offset + r->at * bytes,
                                 .bytes = r->count * bytes, .count = r->runs, .step = r->file_step * bytes};
    (void)err;
    to->visit(to->context, m, &runs);
    return ASHLAR_OK;
}

/* Runs of a view are in no lines of the file that are moved from their beginnings to their ends. */
static void tell_view(void *context, const ashi_unfolding_run *r)
{
    const page_visit *to = context;
    const int64_t bytes = (int64_t)to->move->bytes, at = to->move->file.offset + r->at * bytes;
    const ashi_page_runs runs = {.origin = at, .at = at, .bytes = r->count * bytes, .count = r->runs,
                                 .step = r->step * bytes};
    to->visit(to->context, to->move, &runs);
}

void ashi_box_pages(const ashi_box_move *m, ashi_box_pages_visit visit, void *context)
{
    page_visit to = {m, visit, context};
    ashlar_error err;
    if (m->file.view) {
        const ashi_unfolding_box box = box_of_view(m);
        ashi_unfolding_runs(m->file.view, &box, tell_view, &to);
    } else {
        visit_runs(m, tell_pages, &to, &err);
    }
}
