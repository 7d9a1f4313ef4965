/* A product: interval by interval of k, each operand where it lies, in the pool or in the caller's array. */
#include "exec/place_of.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "exec/play_sums.h"
#include "kernel/narrow.h"

#include <inttypes.h>
#include <stdlib.h>

/* Intervals that are kept for a program at most. */
enum { KNOWN_MOST = 1 << 12 };

static ashlar_status add_interval(ashi_k_runs *list, const ashi_k_run *interval, ashlar_error *err)
{
    ashi_k_run *at = ashi_array_room(list->at, &list->capacity, list->count + 1, sizeof *at);
    if (!at)
        return ashi_fail_memory(err, "player", list->count * (int64_t)sizeof *at);
    list->at = at;
    at[list->count++] = *interval;
    return ASHLAR_OK;
}

/* One operand of a product: op(A) with m minor, or op(B) with n minor, and k major. */
typedef struct side {
    const ashi_play *play;
    const ashi_placed *pool, *here; /* what is in the pool, and what is in the caller's array; NULL for none */
    ashi_box box;                   /* what the product reads */
    ashi_k_runs *list;
    ashlar_status status;
    ashlar_error *err;
} side;

/* Position (minor, major) of a block of the caller's. */
static ashi_site site_within(const ashi_block *b, int64_t minor, int64_t major)
{
    const int64_t skipped = (minor - b->minor_at) * b->minor_stride + (major - b->major_at) * b->major_stride;
    return (ashi_site){b->tile, b->start, b->offset + skipped, b->minor_stride, b->major_stride};
}

/* Position (minor, major) of a panel in the pool. */
static ashi_site pool_site(const ashi_placed *placed, int64_t minor, int64_t major)
{
    const int64_t *lo = placed->panel.lo;
    int64_t stride[ASHI_INDICES_MAX];
    ashi_pool_strides(placed, stride);
    const int64_t skipped = (minor - lo[0]) * stride[0] + (major - lo[1]) * stride[1];
    return (ashi_site){-1, placed->base, placed->at - placed->base + skipped, stride[0], stride[1]};
}

static char *address(const ashi_play *play, int operand, const ashi_site *s)
{
    const size_t bytes = play->element[operand];
    if (s->tile < 0)
        return play->workspace + (size_t)s->start * play->bytes + (size_t)s->offset * bytes;
    const ashi_block block = {.tile = s->tile, .start = s->start, .offset = s->offset};
    return ashi_part_address(&play->work.part[operand], &block, bytes);
}

static void use_here(void *context, const ashi_block *b)
{
    side *s = context;
    const ashi_view *view = &s->play->program->view[s->here->panel.operand];
    const ashi_box all = ashi_panel_box(&s->here->panel);
    const int64_t lo = ashi_max(b->major_at, s->box.major_lo);
    const int64_t hi = ashi_min(b->major_at + b->major_count, s->box.major_hi);
    if (s->status != ASHLAR_OK || lo >= hi ||
        !ashi_block_in_place(view, b, all.minor_hi - all.minor_lo, ashi_view_least_in_place(&all)))
        return;
    const ashi_k_run i = {.lo = lo, .hi = hi, .site = site_within(b, s->box.minor_lo, lo),
                          .conjugate = view->conjugate};
    s->status = add_interval(s->list, &i, s->err);
}

static int by_lo(const void *a, const void *b)
{
    const ashi_k_run *x = a, *y = b;
    return (x->lo > y->lo) - (x->lo < y->lo);
}

/* What is not read in the caller's array is in the pool. */
static void use_pool(side *s, int64_t lo, int64_t hi)
{
    if (lo >= hi || s->status != ASHLAR_OK)
        return;
    if (!s->pool) {
        s->status = ashi_fail(s->err, ASHLAR_ERR_INTERNAL, "k = %" PRId64 " to %" PRId64 " of a product is nowhere", lo,
                              hi);
        return;
    }
    const ashi_k_run i = {.lo = lo, .hi = hi, .site = pool_site(s->pool, s->box.minor_lo, lo)};
    s->status = add_interval(s->list, &i, s->err);
}

static ashlar_status find_intervals(side *s)
{
    ashi_k_runs *list = s->list;
    list->count = 0;
    if (s->here) {
        const ashi_box box = ashi_panel_box(&s->here->panel);
        ashi_view_blocks(&s->play->program->view[s->here->panel.operand], s->play->request.rank, &box, ashi_whole,
                         use_here, s);
    }
    const int64_t own = list->count;
    int64_t at = s->box.major_lo;
    if (own > 1)
        qsort(list->at, (size_t)own, sizeof *list->at, by_lo);
    for (int64_t i = 0; i < own; i++) {
        use_pool(s, at, list->at[i].lo);
        at = list->at[i].hi;
    }
    use_pool(s, at, s->box.major_hi);
    if (own > 0 && list->count > own)
        qsort(list->at, (size_t)list->count, sizeof *list->at, by_lo);
    return s->status;
}

static ashlar_status find_sides(const ashi_play *play, ashi_hand *hand, const ashi_node *n, ashlar_error *err)
{
    const ashi_task *t = &n->task;
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 2 && status == ASHLAR_OK; x++) {
        side s = {.play = play, .pool = ashi_window_placed(&play->window, n->read[2 * x]),
                  .here = ashi_window_placed(&play->window, n->read[2 * x + 1]),
                  .box = {t->lo[x], t->hi[x], t->lo[2], t->hi[2]}, .list = &hand->k_run[x], .err = err};
        if (s.pool && s.pool->panel.memory == ASHI_MEMORY_CALLER) {
            s.here = s.pool;
            s.pool = NULL;
        }
        status = find_intervals(&s);
    }
    return status;
}

/* What is there before the product is added. */
static const void *beta_of(const ashi_play *play, const ashi_node *n, const ashi_placed *to)
{
    if (!n->task.begins)
        return play->kernels->one;
    const bool there = to->panel.memory == ASHI_MEMORY_CALLER || play->window.panel[n->makes].from_file;
    return there ? play->work.beta : play->kernels->zero;
}

static void note_block(void *context, const ashi_block *block)
{
    *(ashi_block *)context = *block;
}

/* Where the product's first element is summed up. A running sum in the caller's C is one block. */
static ashi_site sum_of(const ashi_play *play, const ashi_node *n)
{
    const ashi_task *t = &n->task;
    const ashi_placed *to = ashi_window_placed(&play->window, n->makes);
    if (to->panel.memory == ASHI_MEMORY_POOL)
        return pool_site(to, t->lo[0], t->lo[1]);
    ashi_block block = {0};
    ashi_visit_blocks(play, to, to, note_block, &block);
    return site_within(&block, t->lo[0], t->lo[1]);
}

/* ---- what is kept ---- */

static bool is_empty(const ashi_task *t)
{
    return t->lo[0] >= t->hi[0] || t->lo[1] >= t->hi[1];
}

/* What was found last, with this hand, joins what is known. */
static ashlar_status keep(ashi_play *play, const ashi_hand *hand, const ashi_node *n, ashlar_error *err)
{
    const int64_t number = n->task.number;
    ashi_sited *sited = ashi_array_room(play->sited, &play->sited_capacity, number + 1, sizeof *sited);
    if (!sited)
        return ashi_fail_memory(err, "player", (number + 1) * (int64_t)sizeof *sited);
    play->sited = sited;
    while (play->sited_count <= number)
        sited[play->sited_count++] = (ashi_sited){0};
    ashi_sited own = {.sum = sum_of(play, n)};
    for (int x = 0; x < 2; x++) {
        own.first[x] = play->known.count;
        own.count[x] = hand->k_run[x].count;
        for (int64_t i = 0; i < own.count[x]; i++) {
            const ashlar_status status = add_interval(&play->known, &hand->k_run[x].at[i], err);
            if (status != ASHLAR_OK)
                return status;
        }
    }
    own.known = true;
    sited[number] = own;
    return ASHLAR_OK;
}

ashlar_status ashi_play_reserve(ashi_play *play, ashi_hand *hand, const ashi_node *n, ashlar_error *err)
{
    const ashlar_status status = find_sides(play, hand, n, err);
    const int64_t all = play->known.count + hand->k_run[0].count + hand->k_run[1].count;
    if (status != ASHLAR_OK || !play->window.keeps || is_empty(&n->task) || all > KNOWN_MOST)
        return status;
    return keep(play, hand, n, err);
}

void ashi_play_forget(ashi_play *play)
{
    free(play->sited);
    free(play->known.at);
    play->sited = NULL;
    play->sited_count = play->sited_capacity = 0;
    play->known = (ashi_k_runs){0};
}

/* ---- multiplying ---- */

/* How the product of an interval of k is cut, so that the lanes are heard in between: by its size alone. BLAS reads and
 * writes C slab by slab of k anyway, so slabs that are thick enough cost nothing. For each cut by columns it packs A
 * again. */
typedef struct cuts {
    int64_t slabs, columns;
} cuts;

static cuts cuts_of(const ashi_play *play, int64_t m, int64_t n, int64_t depth)
{
    const ashi_player_request *q = &play->request;
    if (!play->cuts)
        return (cuts){1, 1};
    const int64_t thick = ashi_max(q->cut_depth, ashi_ceil_div(q->cut, ashi_max(1, ashi_mul_most(m, n))));
    const int64_t slabs = ashi_max(1, depth / thick), slab = ashi_ceil_div(depth, slabs);
    const int64_t wide = ashi_max(ashi_max(q->cut_columns, 2 * slab),
                                  ashi_ceil_div(q->cut, ashi_max(1, ashi_mul_most(m, slab))));
    return (cuts){slabs, ashi_max(1, n / wide)};
}

/* Rows `at[0]` to `at[0] + size[0]` - 1 of a product's sums, and columns `at[1]` on. */
typedef struct rectangle {
    int64_t at[2], size[2];
} rectangle;

/* A part of the sums: cut along the longer side. */
static rectangle part_of(const ashi_task *t, ashi_stripe stripe)
{
    rectangle r = {{0, 0}, {t->hi[0] - t->lo[0], t->hi[1] - t->lo[1]}};
    const int along = r.size[0] > r.size[1] ? 0 : 1;
    const int64_t all = r.size[along];
    r.at[along] = ashi_cut(all, stripe.parts, stripe.part);
    r.size[along] = ashi_cut_size(all, stripe.parts, stripe.part);
    return r;
}

/* An interval of k, slab after slab, and columns of C after columns. The calling thread, which has the play, hears the
 * lanes in between. */
static void multiply_interval(const ashi_play *play, const ashi_hand *hand, const rectangle *r, int64_t lo, int64_t hi,
                              const ashi_k_run *a, const ashi_k_run *b, const void *beta, const ashi_site *to)
{
    const int64_t m = r->size[0], n = r->size[1], bytes = (int64_t)play->element[ASHLAR_A];
    const int64_t bytes_b = (int64_t)play->element[ASHLAR_B], bytes_c = (int64_t)play->element[ASHLAR_C];
    const cuts c = cuts_of(play, m, n, hi - lo);
    const ashi_site *sa = &a->site, *sb = &b->site;
    const char *of_a = address(play, ASHLAR_A, sa) + r->at[0] * sa->minor_stride * bytes;
    const char *of_b = address(play, ASHLAR_B, sb) + r->at[1] * sb->minor_stride * bytes_b;
    char *sum = address(play, ASHLAR_C, to) + (r->at[0] * to->minor_stride + r->at[1] * to->major_stride) * bytes_c;
    for (int64_t i = 0; i < c.slabs * c.columns; i++) {
        const int64_t slab = i / c.columns, column = i % c.columns;
        const int64_t k = lo + ashi_cut(hi - lo, c.slabs, slab), at = ashi_cut(n, c.columns, column);
        const ashi_matrix from_a = {of_a + (k - a->lo) * sa->major_stride * bytes, sa->minor_stride, sa->major_stride};
        const ashi_matrix from_b = {of_b + (at * sb->minor_stride + (k - b->lo) * sb->major_stride) * bytes_b,
                                    sb->minor_stride, sb->major_stride};
        const int64_t columns = ashi_cut_size(n, c.columns, column), depth = ashi_cut_size(hi - lo, c.slabs, slab);
        const void *const add = slab == 0 ? beta : play->kernels->one;
        char *const first = sum + at * to->major_stride * bytes_c;
        if (hand->floats)
            ashi_narrow_gemm(play->request.type, m, columns, depth, play->work.alpha, &from_a, &from_b, add, first,
                             to->minor_stride, to->major_stride, hand->floats);
        else
            play->kernels->gemm(m, columns, depth, play->work.alpha, &from_a, a->conjugate, &from_b, b->conjugate, add,
                                first, to->minor_stride, to->major_stride);
        if (play->cuts && hand->heard)
            ashi_play_listen(hand->heard);
    }
}

static void listen(void *play)
{
    ashi_play_listen(play);
}

/* What a MULTIPLY is made of: where its intervals of k, and its sums, begin. */
typedef struct multiply {
    const ashi_node *node;
    const ashi_k_run *a, *b;
    ashi_site sum;
} multiply;

/* An interval of k for the device. */
static ashi_onto_product product_of(const ashi_play *play, ashi_play *heard, const ashi_task *t, int64_t lo, int64_t hi,
                                    const ashi_k_run *a, const ashi_k_run *b, const void *beta, const ashi_site *to)
{
    const int64_t bytes = (int64_t)play->element[ASHLAR_A], bytes_b = (int64_t)play->element[ASHLAR_B];
    const ashi_site *sa = &a->site, *sb = &b->site;
    const char *of_a = address(play, ASHLAR_A, sa) + (lo - a->lo) * sa->major_stride * bytes;
    const char *of_b = address(play, ASHLAR_B, sb) + (lo - b->lo) * sb->major_stride * bytes_b;
    return (ashi_onto_product){
        .m = t->hi[0] - t->lo[0], .n = t->hi[1] - t->lo[1], .k = hi - lo, .alpha = play->work.alpha, .beta = beta,
        .a = {of_a, sa->minor_stride, sa->major_stride}, .conjugate_a = a->conjugate,
        .b = {of_b, sb->minor_stride, sb->major_stride}, .conjugate_b = b->conjugate,
        .c = address(play, ASHLAR_C, to), .minor_stride = to->minor_stride, .major_stride = to->major_stride,
        .listen = play->cuts && heard ? listen : NULL, .context = heard, .trace = play->request.trace,
        .trace_step = t->step};
}

static ashlar_status multiply_onto(const ashi_play *play, ashi_play *heard, const multiply *m, const void *beta,
                                   ashlar_error *err)
{
    const ashi_task *t = &m->node->task;
    const ashi_k_run *a = m->a, *b = m->b;
    const int64_t stays = play->sums ? ashi_play_sums_next(play, m->node) : -1;
    ashi_onto_product p = {0};
    ashlar_status status = ASHLAR_OK;
    for (int64_t lo = t->lo[2], hi; lo < t->hi[2] && status == ASHLAR_OK; lo = hi) {
        hi = ashi_min(a->hi, b->hi);
        p = product_of(play, heard, t, lo, hi, a, b, lo == t->lo[2] ? beta : play->kernels->one, &m->sum);
        if (stays >= 0)
            ashi_play_sums_add(play, stays, m->node, &p, lo == t->lo[2]);
        else
            status = ashi_onto_multiply(play->request.onto, &p, err);
        a += a->hi == hi;
        b += b->hi == hi;
    }
    if (stays >= 0)
        ashi_play_sums_added(play, stays, &p);
    return status;
}

/* A part of the sums, on the host. */
static void multiply_here(const ashi_play *play, const ashi_hand *hand, const multiply *m, const rectangle *part,
                          const void *beta)
{
    const ashi_task *t = &m->node->task;
    const ashi_k_run *a = m->a, *b = m->b;
    for (int64_t lo = t->lo[2], hi; lo < t->hi[2]; lo = hi) {
        hi = ashi_min(a->hi, b->hi);
        multiply_interval(play, hand, part, lo, hi, a, b, beta, &m->sum);
        beta = play->kernels->one;
        a += a->hi == hi;
        b += b->hi == hi;
    }
}

/* What the last run has lost of a product; all else is there. A sum in the pool begins with zero. */
static void mend(const ashi_play *play, const ashi_hand *hand, const multiply *m)
{
    const ashi_task *t = &m->node->task;
    const ashi_panel *panel = &ashi_window_placed(&play->window, m->node->makes)->panel;
    const ashi_matrix unread = {address(play, ASHLAR_C, &m->sum), 1, 1};
    ashi_box box[2];
    if (t->begins && panel->memory == ASHI_MEMORY_POOL)
        play->kernels->gemm(t->hi[0] - t->lo[0], t->hi[1] - t->lo[1], 0, play->kernels->one, &unread, false, &unread,
                            false, play->kernels->zero, (void *)(uintptr_t)unread.data, m->sum.minor_stride,
                            m->sum.major_stride);
    for (int i = play->sums ? ashi_play_sums_missing(play->sums, m->node, box) : 0; i-- > 0;) {
        const int64_t lo[2] = {ashi_max(box[i].minor_lo, t->lo[0] - panel->lo[0]),
                               ashi_max(box[i].major_lo, t->lo[1] - panel->lo[1])};
        const int64_t hi[2] = {ashi_min(box[i].minor_hi, t->hi[0] - panel->lo[0]),
                               ashi_min(box[i].major_hi, t->hi[1] - panel->lo[1])};
        const rectangle part = {{lo[0] - (t->lo[0] - panel->lo[0]), lo[1] - (t->lo[1] - panel->lo[1])},
                                {hi[0] - lo[0], hi[1] - lo[1]}};
        if (lo[0] < hi[0] && lo[1] < hi[1])
            multiply_here(play, hand, m, &part, play->kernels->one);
    }
}

ashlar_status ashi_play_multiply(const ashi_play *play, ashi_hand *hand, const ashi_node *n, ashi_stripe stripe,
                                 ashlar_error *err)
{
    const ashi_task *t = &n->task;
    const rectangle part = part_of(t, stripe);
    const ashi_sited *sited = t->number < play->sited_count ? &play->sited[t->number] : NULL;
    const bool known = sited && sited->known;
    const ashlar_status status = known ? ASHLAR_OK : find_sides(play, hand, n, err);
    if (status != ASHLAR_OK || is_empty(t))
        return status;
    const void *beta = beta_of(play, n, ashi_window_placed(&play->window, n->makes));
    const multiply m = {.node = n, .sum = known ? sited->sum : sum_of(play, n),
                        .a = known ? play->known.at + sited->first[ASHLAR_A] : hand->k_run[ASHLAR_A].at,
                        .b = known ? play->known.at + sited->first[ASHLAR_B] : hand->k_run[ASHLAR_B].at};
    if (play->mends && stripe.part == 0)
        mend(play, hand, &m);
    else if (play->mends)
        return ASHLAR_OK;
    else if (play->request.onto)
        return multiply_onto(play, hand->heard, &m, beta, err);
    else
        multiply_here(play, hand, &m, &part, beta);
    return ASHLAR_OK;
}
