/* Boxes of arrays, and of matrices that are views of them, moved between memory and a file of elements. */
#include "store/unfolding_move.h"

#include "base/checked.h"
#include "store/file.h"
#include "store/strided.h"

enum {
    PAGE = 4096,        /* gaps within a page are read: the disk delivers it anyway */
    LONG_RUN = 1 << 16  /* bytes that go straight between file and memory */
};

/* A dimension of a box: its extent, and the elements between neighbours in the file and in memory. */
typedef struct level {
    int64_t extent, file, memory;
} level;

/* The box, its dimensions from the fastest in the file to the slowest; those that lie as one are one. */
typedef struct levels {
    int count;
    level level[ASHI_DIMENSIONS_MAX];
} levels;

static void join(levels *l)
{
    int last = 0;
    for (int i = 1; i < l->count; i++) {
        level *a = &l->level[last];
        const level b = l->level[i];
        if (b.file == a->file * a->extent && b.memory == a->memory * a->extent)
            a->extent *= b.extent;
        else
            l->level[++last] = b;
    }
    l->count = ashi_min(l->count, last + 1) > 0 ? last + 1 : 0;
}

static levels levels_of(const int64_t *stride, const ashi_array_box *box)
{
    levels l = {0};
    for (int d = 0; d < box->order; d++) {
        if (box->extent[d] == 1)
            continue;
        int at = l.count++;
        for (; at > 0 && l.level[at - 1].file > stride[d]; at--)
            l.level[at] = l.level[at - 1];
        l.level[at] = (level){box->extent[d], stride[d], box->stride[d]};
    }
    if (l.count > 0)
        join(&l);
    else
        l = (levels){1, {{1, 1, 1}}};
    return l;
}

/* ---- blocks ---- */

/* What is read or written at once: the first `levels` dimensions, and at most `last` values of the last of them. */
typedef struct block {
    int levels;
    int64_t last;
} block;

/* Whether values of a level are moved with the elements between them: there are none, or they are in the same page. */
static bool goes_together(const ashi_unfolding_transfer *t, const level *l, int64_t span)
{
    return l->file == span || (!t->write && l->file * (int64_t)t->file->bytes <= PAGE);
}

static block block_of(const ashi_unfolding_transfer *t, const levels *l)
{
    const int64_t most = ASHI_UNFOLDING_MOVE_BYTES / (int64_t)t->file->bytes;
    block b = {0, 1};
    for (int64_t span = 1; b.levels < l->count; b.levels++) {
        const level *next = &l->level[b.levels];
        if (!goes_together(t, next, span) || (b.levels > 0 && next->file > most / 2))
            break;
        b.last = ashi_min(next->extent, (most - span) / next->file + 1);
        span += (b.last - 1) * next->file;
        if (b.last < next->extent || b.levels + 1 == l->count) {
            b.levels++;
            break;
        }
    }
    return b;
}

/* Whether runs of the first level are moved where they lie. */
static bool moves_directly(const ashi_unfolding_transfer *t, const levels *l, const block *b)
{
    const level *first = &l->level[0];
    return first->file == 1 && first->memory == 1 && !t->file->swapped &&
           (b->levels <= 1 || first->extent * (int64_t)t->file->bytes >= LONG_RUN);
}

static ashlar_status transfer(const ashi_unfolding_transfer *t, bool directly, char *data, int64_t count, int64_t at,
                              ashlar_error *err)
{
    const ashi_element_file *f = t->file;
    const int64_t bytes = count * (int64_t)f->bytes, offset = f->start + at * (int64_t)f->bytes;
    if (t->write)
        return ashi_file_write(f->fd, f->path, data, bytes, offset, err);
    if (directly && f->direct && f->batch && ashi_direct_batch_takes(bytes))
        return ashi_direct_batch_read(f->batch, f->direct, f->fd, f->path, data, bytes, offset, err);
    if (directly && f->direct)
        return ashi_direct_read(f->direct, f->fd, f->path, data, bytes, offset, t->between,
                                ASHI_UNFOLDING_MOVE_BYTES, err);
    return ashi_file_read(f->fd, f->path, data, bytes, offset, err);
}

/* Where the fastest remaining dimension in memory is, among levels 1 and above. */
static int second_of(const level *l, int count)
{
    int second = 1;
    for (int i = 2; i < count; i++)
        if (l[i].memory < l[second].memory)
            second = i;
    return second;
}

/* Copy the elements of `l` between a block at `packed`, which lies as the file does, and memory. */
static void copy_block(const ashi_unfolding_transfer *t, const level *l, int count, char *packed, char *data)
{
    static const level one = {1, 1, 1};
    const int64_t bytes = (int64_t)t->file->bytes;
    const int second = count > 1 ? second_of(l, count) : 0;
    const level *cols = &l[0], *rows = count > 1 ? &l[second] : &one;
    int64_t at[ASHI_DIMENSIONS_MAX] = {0};
    for (;;) {
        int64_t in_file = 0, in_memory = 0;
        for (int i = 1; i < count; i++) {
            in_file += at[i] * l[i].file;
            in_memory += at[i] * l[i].memory;
        }
        char *p = packed + in_file * bytes, *m = data + in_memory * bytes;
        if (t->write)
            ashi_copy_strided(t->file->bytes, rows->extent, cols->extent, m, rows->memory, cols->memory, p, rows->file,
                              cols->file);
        else
            ashi_copy_strided(t->file->bytes, rows->extent, cols->extent, p, rows->file, cols->file, m, rows->memory,
                              cols->memory);
        int i = 1;
        while (i < count && (i == second || ++at[i] == l[i].extent))
            at[i++] = 0;
        if (i >= count)
            return;
    }
}

static void swap(const ashi_element_file *f, int64_t elements, void *data)
{
    if (f->swapped)
        ashi_swap_bytes(f->number_bytes, elements * (int64_t)(f->bytes / f->number_bytes), data);
}

/* One block, of `last` values of its last level. */
static ashlar_status move_block(const ashi_unfolding_transfer *t, const levels *l, int count, int64_t last, int64_t at,
                                char *data, ashlar_error *err)
{
    level own[ASHI_DIMENSIONS_MAX];
    int64_t span = 1;
    for (int i = 0; i < count; i++) {
        own[i] = l->level[i];
        own[i].extent = i == count - 1 ? last : own[i].extent;
        span += (own[i].extent - 1) * own[i].file;
    }
    if (t->write) {
        copy_block(t, own, count, t->between, data);
        swap(t->file, span, t->between);
        return transfer(t, false, t->between, span, at, err);
    }
    const ashlar_status status = transfer(t, false, t->between, span, at, err);
    if (status == ASHLAR_OK) {
        swap(t->file, span, t->between);
        copy_block(t, own, count, t->between, data);
    }
    return status;
}

/* All of the first levels, at one value of each of the others. */
static ashlar_status move_inner(const ashi_unfolding_transfer *t, const levels *l, const block *b, int64_t at,
                                char *data, ashlar_error *err)
{
    static const level one = {1, 1, 1};
    const level *last = b->levels > 0 ? &l->level[b->levels - 1] : &one;
    ashlar_status status = ASHLAR_OK;
    if (moves_directly(t, l, b))
        return transfer(t, true, data, l->level[0].extent, at, err);
    if (b->levels == 0) {
        const levels single = {1, {one}};
        return move_block(t, &single, 1, 1, at, data, err);
    }
    for (int64_t i = 0; i < last->extent && status == ASHLAR_OK; i += b->last)
        status = move_block(t, l, b->levels, ashi_min(b->last, last->extent - i), at + i * last->file,
                            data + i * last->memory * (int64_t)t->file->bytes, err);
    return status;
}

ashlar_status ashi_array_move(const ashi_unfolding_transfer *t, const int64_t *stride, const ashi_array_box *box,
                              ashlar_error *err)
{
    int64_t first = 0, at[ASHI_DIMENSIONS_MAX] = {0};
    for (int d = 0; d < box->order; d++)
        if (box->extent[d] <= 0)
            return ASHLAR_OK;
        else
            first += box->from[d] * stride[d];
    const levels l = levels_of(stride, box);
    const block b = block_of(t, &l);
    const int inner = moves_directly(t, &l, &b) ? 1 : b.levels;
    for (;;) {
        int64_t in_file = first, in_memory = 0;
        for (int i = inner; i < l.count; i++) {
            in_file += at[i] * l.level[i].file;
            in_memory += at[i] * l.level[i].memory;
        }
        const ashlar_status status =
            move_inner(t, &l, &b, in_file, t->data + in_memory * (int64_t)t->file->bytes, err);
        int i = inner;
        while (i < l.count && ++at[i] == l.level[i].extent)
            at[i++] = 0;
        if (status != ASHLAR_OK || i >= l.count)
            return status;
    }
}

/* ---- memory ---- */

static void copy_packed(size_t bytes, const ashi_array_box *box, char *packed, char *data, bool write)
{
    const ashi_element_file file = {.bytes = bytes};
    const ashi_unfolding_transfer t = {.file = &file, .write = write};
    int64_t stride[ASHI_DIMENSIONS_MAX], next = 1;
    for (int d = box->order - 1; d >= 0; d--) {
        stride[d] = next;
        next *= box->extent[d];
    }
    const levels l = levels_of(stride, box);
    copy_block(&t, l.level, l.count, packed, data);
}

void ashi_array_unpack(size_t bytes, const ashi_array_box *box, const void *packed, void *data)
{
    copy_packed(bytes, box, (char *)(uintptr_t)packed, data, false); /* packed is only read */
}

void ashi_array_pack(size_t bytes, const ashi_array_box *box, const void *data, void *packed)
{
    copy_packed(bytes, box, packed, (char *)(uintptr_t)data, true); /* data are only read */
}

/* ---- views ---- */

typedef struct moving {
    const ashi_unfolding_transfer *transfer;
    const ashi_unfolding *view;
} moving;

static ashlar_status move_box(void *context, const ashi_array_box *box, int64_t at, ashlar_error *err)
{
    const moving *m = context;
    ashi_unfolding_transfer t = *m->transfer;
    t.data += at * (int64_t)t.file->bytes;
    return ashi_array_move(&t, m->view->stride, box, err);
}

/* Positions of a side that are moved together: those of one value of its last index, if that is the slowest in the file
 * of all; else all. */
static int64_t turn_of(const ashi_unfolding *view, int side)
{
    const ashi_unfolding_side *own = &view->side[side], *other = &view->side[1 - side];
    int64_t slowest = 0, positions = 1;
    for (int i = 0; i < other->count; i++)
        slowest = ashi_max(slowest, ashi_unfolding_stride(view, &other->index[i]));
    for (int i = 0; i + 1 < own->count; i++) {
        slowest = ashi_max(slowest, ashi_unfolding_stride(view, &own->index[i]));
        positions = ashi_mul_most(positions, own->index[i].extent);
    }
    return own->count > 1 && ashi_unfolding_stride(view, &own->index[own->count - 1]) > slowest ? positions : INT64_MAX;
}

static bool is_one_part(const ashi_unfolding *view, const ashi_unfolding_box *box, int side)
{
    const int64_t from = box->from[side], all = box->extent[side];
    return ashi_unfolding_part_at(&view->side[side], from, from + all).positions == all;
}

/* A range of a side that begins or ends amid an index is several boxes of the array, which may be of the same pages.
 * So that these are still there, they are moved for a part of the file each. */
ashlar_status ashi_unfolding_move(const ashi_unfolding_transfer *transfer, const ashi_unfolding *view,
                                  const ashi_unfolding_box *box, ashlar_error *err)
{
    const int along = turn_of(view, 0) < INT64_MAX ? 0 : 1;
    const int64_t end = box->from[along] + box->extent[along];
    const bool at_once = is_one_part(view, box, 1 - along);
    const int64_t turn = at_once ? INT64_MAX : turn_of(view, along);
    ashi_unfolding_transfer t = *transfer;
    moving m = {&t, view};
    ashi_unfolding_box now = *box;
    ashlar_status status = ASHLAR_OK;
    for (int64_t at = box->from[along]; at < end && status == ASHLAR_OK; at += now.extent[along]) {
        now.from[along] = at;
        now.extent[along] = ashi_min(end - at, turn == INT64_MAX ? end - at : turn - at % turn);
        t.data = transfer->data + (at - box->from[along]) * box->stride[along] * (int64_t)t.file->bytes;
        status = ashi_unfolding_boxes(view, &now, move_box, &m, err);
    }
    return status;
}
