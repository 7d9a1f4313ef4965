/* The products of a rank's program as a device gets them: each MULTIPLY in the intervals of k in which both operands
 * lie in one piece. */
#include "choose/device_walk.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/ordering.h"

#include <stdlib.h>

/* A panel that products may still read or update. */
typedef struct known_panel {
    ashi_panel panel;
    int64_t wide;   /* the distance between its lines in the pool, if it is not more than their length */
    bool from_file; /* sums that came from C's file */
    bool zero;      /* sums that were begun without a product */
    bool gone;
} known_panel;

/* An interval of k of one operand in which it lies in one piece. */
typedef struct k_interval {
    int64_t lo, hi;
    bool minor; /* its minor side is contiguous */
    bool conjugate;
} k_interval;

typedef struct intervals {
    k_interval *at;
    int64_t count, capacity;
} intervals;

typedef struct walking {
    const ashi_program *program;
    int64_t rank;
    const ashi_device_terms *terms;
    const ashi_device_visitor *visitor;
    known_panel *panel; /* by their numbers */
    int64_t panels, capacity;
    intervals list[2];
    ashi_onto_problem *product; /* of one MULTIPLY */
    int64_t products, product_capacity;
} walking;

/* ---- panels ---- */

static known_panel *find(const walking *w, int64_t id)
{
    const int64_t at = w->panels > 0 ? ashi_first_key(&w->panel->panel.id, sizeof *w->panel, w->panels, id) : 0;
    return at < w->panels && w->panel[at].panel.id == id ? &w->panel[at] : NULL;
}

static int64_t extent(const ashi_panel *p, int index)
{
    return p->hi[index] - p->lo[index];
}

/* Running sums of one part lie side by side: their lines are further apart than they are long. */
static void join_part(walking *w, known_panel *new)
{
    for (known_panel *p = w->panel; p < new && new->panel.part >= 0; p++)
        if (p->panel.part == new->panel.part && p->panel.operand == ASHLAR_C && !p->gone &&
            p->panel.memory == ASHI_MEMORY_POOL)
            p->wide = new->wide = p->wide + extent(&new->panel, new->panel.order[0]);
}

static ashlar_status note_panel(void *context, const ashi_panel *p, ashlar_error *err)
{
    walking *w = context;
    known_panel *at = ashi_array_room(w->panel, &w->capacity, w->panels + 1, sizeof *at);
    if (!at)
        return ashi_fail_memory(err, "device", (w->panels + 1) * (int64_t)sizeof *at);
    w->panel = at;
    const known_panel *outer = p->within >= 0 ? find(w, p->within) : NULL;
    at = &w->panel[w->panels++];
    *at = (known_panel){.panel = *p, .wide = outer ? outer->wide : extent(p, p->order[0])};
    if (p->operand == ASHLAR_C && p->memory == ASHI_MEMORY_POOL)
        join_part(w, at);
    return ASHLAR_OK;
}

/* Those that nothing reads later leave the list. */
static void forget(walking *w)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < w->panels; i++)
        if (!w->panel[i].gone)
            w->panel[kept++] = w->panel[i];
    w->panels = kept;
}

/* ---- where an operand lies ---- */

typedef struct side {
    const walking *walk;
    const known_panel *here;
    ashi_box box;
    intervals *list;
    ashlar_status status;
    ashlar_error *err;
} side;

static void add_interval(side *s, int64_t lo, int64_t hi, bool minor, bool conjugate)
{
    k_interval *at = ashi_array_room(s->list->at, &s->list->capacity, s->list->count + 1, sizeof *at);
    if (!at) {
        s->status = ashi_fail_memory(s->err, "device", (s->list->count + 1) * (int64_t)sizeof *at);
        return;
    }
    s->list->at = at;
    at[s->list->count++] = (k_interval){lo, hi, minor, conjugate};
}

static void use_here(void *context, const ashi_block *b)
{
    side *s = context;
    const ashi_view *view = &s->walk->program->view[s->here->panel.operand];
    const ashi_box all = ashi_panel_box(&s->here->panel);
    const int64_t lo = ashi_max(b->major_at, s->box.major_lo);
    const int64_t hi = ashi_min(b->major_at + b->major_count, s->box.major_hi);
    if (s->status == ASHLAR_OK && lo < hi &&
        ashi_block_in_place(view, b, all.minor_hi - all.minor_lo, ashi_view_least_in_place(&all)))
        add_interval(s, lo, hi, b->minor_stride == 1, view->conjugate);
}

static int by_lo(const void *a, const void *b)
{
    const k_interval *x = a, *y = b;
    return (x->lo > y->lo) - (x->lo < y->lo);
}

/* Whether neighbours along the minor side of a panel in the pool lie one beside the other. */
static bool pool_is_minor(const known_panel *p)
{
    return p->panel.order[0] == 0 || p->wide == 1;
}

/* What is not read in the caller's array is in the pool. */
static void use_pool(side *s, const known_panel *pool, int64_t lo, int64_t hi)
{
    if (lo >= hi || s->status != ASHLAR_OK)
        return;
    if (pool)
        add_interval(s, lo, hi, pool_is_minor(pool), false);
    else
        s->status = ashi_fail(s->err, ASHLAR_ERR_INTERNAL, "device: a part of a product is nowhere");
}

static ashlar_status find_intervals(walking *w, const ashi_operation *o, int x, ashlar_error *err)
{
    const known_panel *pool = find(w, o->read[2 * x]), *here = find(w, o->read[2 * x + 1]);
    if (pool && pool->panel.memory == ASHI_MEMORY_CALLER) {
        here = pool;
        pool = NULL;
    }
    side s = {w, here, {o->lo[x], o->hi[x], o->lo[2], o->hi[2]}, &w->list[x], ASHLAR_OK, err};
    s.list->count = 0;
    if (here) {
        const ashi_box box = ashi_panel_box(&here->panel);
        ashi_view_blocks(&w->program->view[here->panel.operand], w->rank, &box, ashi_whole, use_here, &s);
    }
    const int64_t own = s.list->count;
    int64_t at = s.box.major_lo;
    if (own > 1)
        qsort(s.list->at, (size_t)own, sizeof *s.list->at, by_lo);
    for (int64_t i = 0; i < own && s.status == ASHLAR_OK; i++) {
        use_pool(&s, pool, at, s.list->at[i].lo);
        at = s.list->at[i].hi;
    }
    use_pool(&s, pool, at, s.box.major_hi);
    if (s.list->count > 1)
        qsort(s.list->at, (size_t)s.list->count, sizeof *s.list->at, by_lo);
    return s.status;
}

/* ---- products ---- */

static void note_block(void *context, const ashi_block *block)
{
    *(ashi_block *)context = *block;
}

/* Whether the minor side of the sums is contiguous. Sums in the caller's C are one block. */
static bool sums_are_minor(const walking *w, const known_panel *to)
{
    if (to->panel.memory == ASHI_MEMORY_POOL)
        return pool_is_minor(to);
    const ashi_box box = ashi_panel_box(&to->panel);
    ashi_block block = {0};
    ashi_view_blocks(&w->program->view[ASHLAR_C], w->rank, &box, ashi_whole, note_block, &block);
    return block.minor_stride == 1;
}

static ashlar_status add_product(walking *w, const ashi_onto_problem *p, ashlar_error *err)
{
    ashi_onto_problem *at = ashi_array_room(w->product, &w->product_capacity, w->products + 1, sizeof *at);
    if (!at)
        return ashi_fail_memory(err, "device", (w->products + 1) * (int64_t)sizeof *at);
    w->product = at;
    at[w->products++] = *p;
    return ASHLAR_OK;
}

static ashlar_status find_products(walking *w, const ashi_operation *o, const known_panel *to, ashlar_error *err)
{
    const ashi_onto_rates *stated = &w->terms->stated;
    ashi_onto_problem p = {.size = {o->hi[0] - o->lo[0], o->hi[1] - o->lo[1], 0}, .type = w->terms->type,
                           .rate = stated->in, .out = stated->out, .flops = stated->flops, .delay = stated->delay,
                           .adds = !o->begins || (to->panel.memory == ASHI_MEMORY_CALLER && !w->terms->c_is_new) ||
                                   to->from_file};
    p.minor[ASHLAR_C] = sums_are_minor(w, to);
    w->products = 0;
    ashlar_status status = find_intervals(w, o, ASHLAR_A, err);
    if (status == ASHLAR_OK)
        status = find_intervals(w, o, ASHLAR_B, err);
    const k_interval *a = w->list[ASHLAR_A].at, *b = w->list[ASHLAR_B].at;
    for (int64_t lo = o->lo[2], hi; lo < o->hi[2] && status == ASHLAR_OK; lo = hi) {
        hi = ashi_min(a->hi, b->hi);
        p.size[2] = hi - lo;
        p.minor[ASHLAR_A] = a->minor && !a->conjugate; /* the major stride of what BLAS conjugates is 1 */
        p.minor[ASHLAR_B] = b->minor;
        status = add_product(w, &p, err);
        p.adds = true;
        a += a->hi == hi;
        b += b->hi == hi;
    }
    return status;
}

static ashlar_status visit_multiply(walking *w, const ashi_operation *o, ashlar_error *err)
{
    known_panel *to = find(w, o->makes);
    if (o->lo[0] >= o->hi[0] || o->lo[1] >= o->hi[1] || !to)
        return ASHLAR_OK;
    ashlar_status status = find_products(w, o, to, err);
    const ashi_panel *p = &to->panel;
    const ashi_device_multiply multiply = {
        .sum = p, .step = o->step, .begins = o->begins, .zero = to->zero, .product = w->product,
        .products = w->products,
        .whole = o->lo[0] == p->lo[0] && o->hi[0] == p->hi[0] && o->lo[1] == p->lo[1] && o->hi[1] == p->hi[1]};
    to->zero = false;
    return status == ASHLAR_OK ? w->visitor->multiply(w->visitor->context, &multiply, err) : status;
}

/* A running sum in the pool that is begun without a product. */
static void note_zero(const walking *w, const ashi_operation *o)
{
    known_panel *to = o->makes >= 0 && o->kind != ASHI_DO_MULTIPLY ? find(w, o->makes) : NULL;
    if (to)
        to->zero = o->kind == ASHI_DO_SCALE && o->begins && to->panel.memory == ASHI_MEMORY_POOL && !to->from_file;
}

static void visit_touched(const walking *w, int64_t id)
{
    const known_panel *p = id >= 0 ? find(w, id) : NULL;
    if (p && p->panel.operand == ASHLAR_C)
        w->visitor->touch(w->visitor->context, &p->panel);
}

static ashlar_status note_operation(void *context, const ashi_operation *o, ashlar_error *err)
{
    walking *w = context;
    ashlar_status status = ASHLAR_OK;
    if (o->kind == ASHI_DO_MULTIPLY)
        status = visit_multiply(w, o, err);
    for (int i = 0; i < ASHI_READS_MAX && o->kind != ASHI_DO_MULTIPLY; i++)
        visit_touched(w, o->read[i]);
    if (o->kind != ASHI_DO_MULTIPLY)
        visit_touched(w, o->makes);
    note_zero(w, o);
    if (o->kind == ASHI_DO_MOVE) {
        const known_panel *from = find(w, o->read[0]);
        known_panel *to = find(w, o->makes);
        if (from && to && from->panel.memory == ASHI_MEMORY_FILE && to->panel.part >= 0)
            to->from_file = true;
    }
    for (int i = 0; i < ASHI_READS_MAX; i++) {
        known_panel *read = o->last[i] ? find(w, o->read[i]) : NULL;
        if (read)
            read->gone = true;
    }
    return status;
}

ashlar_status ashi_device_walk(ashi_program *program, int64_t rank, const ashi_device_terms *terms,
                               const ashi_device_visitor *visitor, ashlar_error *err)
{
    walking w = {.program = program, .rank = rank, .terms = terms, .visitor = visitor};
    const ashi_program_visitor visits = {note_panel, note_operation, &w};
    ashlar_status status = ASHLAR_OK;
    for (int64_t step = 0; step < program->steps && status == ASHLAR_OK; step++) {
        status = program->emit(program, rank, step, &visits, err);
        forget(&w);
    }
    free(w.panel);
    free(w.list[ASHLAR_A].at);
    free(w.list[ASHLAR_B].at);
    free(w.product);
    return status;
}
