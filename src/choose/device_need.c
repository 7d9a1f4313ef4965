/* What a rank's program takes of a device: each of its products, in the intervals of k in which both operands lie in
 * one piece, is cut as the run will cut it. */
#include "choose/device_need.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* Cuts of products that are kept: programs have many equal ones. */
enum { KEPT = 16 };

/* A panel that products may still read or update. */
typedef struct known_panel {
    ashi_panel panel;
    int64_t wide;   /* the distance between its lines in the pool, if it is not more than their length */
    bool from_file; /* sums that came from C's file */
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

typedef struct kept_cut {
    ashi_onto_problem problem;
    ashi_device_need need;
} kept_cut;

typedef struct counting {
    const ashi_program *program;
    int64_t rank;
    const ashi_device_terms *terms;
    ashi_device_need *need;
    known_panel *panel; /* by their numbers */
    int64_t panels, capacity;
    intervals list[2];
    kept_cut kept[KEPT];
    int64_t cuts;
} counting;

/* ---- panels ---- */

static known_panel *find(const counting *c, int64_t id)
{
    int64_t lo = 0, hi = c->panels;
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        if (c->panel[mid].panel.id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < c->panels && c->panel[lo].panel.id == id ? &c->panel[lo] : NULL;
}

static int64_t extent(const ashi_panel *p, int index)
{
    return p->hi[index] - p->lo[index];
}

/* Running sums of one part lie side by side: their lines are further apart than they are long. */
static void join_part(counting *c, known_panel *new)
{
    for (known_panel *p = c->panel; p < new && new->panel.part >= 0; p++)
        if (p->panel.part == new->panel.part && p->panel.operand == ASHLAR_C && !p->gone &&
            p->panel.memory == ASHI_MEMORY_POOL)
            p->wide = new->wide = p->wide + extent(&new->panel, new->panel.order[0]);
}

static ashlar_status note_panel(void *context, const ashi_panel *p, ashlar_error *err)
{
    counting *c = context;
    known_panel *at = ashi_array_room(c->panel, &c->capacity, c->panels + 1, sizeof *at);
    if (!at)
        return ashi_fail_memory(err, "device", (c->panels + 1) * (int64_t)sizeof *at);
    c->panel = at;
    const known_panel *outer = p->within >= 0 ? find(c, p->within) : NULL;
    at = &c->panel[c->panels++];
    *at = (known_panel){.panel = *p, .wide = outer ? outer->wide : extent(p, p->order[0])};
    if (p->operand == ASHLAR_C && p->memory == ASHI_MEMORY_POOL)
        join_part(c, at);
    return ASHLAR_OK;
}

/* Those that nothing reads later leave the list. */
static void forget(counting *c)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < c->panels; i++)
        if (!c->panel[i].gone)
            c->panel[kept++] = c->panel[i];
    c->panels = kept;
}

/* ---- where an operand lies ---- */

typedef struct side {
    counting *count;
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
    const ashi_view *view = &s->count->program->view[s->here->panel.operand];
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

static ashlar_status find_intervals(counting *c, const ashi_operation *o, int x, ashlar_error *err)
{
    const known_panel *pool = find(c, o->read[2 * x]), *here = find(c, o->read[2 * x + 1]);
    if (pool && pool->panel.memory == ASHI_MEMORY_CALLER) {
        here = pool;
        pool = NULL;
    }
    side s = {c, here, {o->lo[x], o->hi[x], o->lo[2], o->hi[2]}, &c->list[x], ASHLAR_OK, err};
    s.list->count = 0;
    if (here) {
        const ashi_box box = ashi_panel_box(&here->panel);
        ashi_view_blocks(&c->program->view[here->panel.operand], c->rank, &box, ashi_whole, use_here, &s);
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

static ashlar_status cut(const ashi_device_terms *terms, const ashi_onto_problem *p, ashi_device_need *out,
                         ashlar_error *err)
{
    ashi_nest nest;
    const ashlar_status status = ashi_onto_choose(p, &nest, err);
    if (status != ASHLAR_OK)
        return status;
    const ashi_nest_figures f = ashi_nest_of_rank(&nest, 0);
    *out = (ashi_device_need){.in = f.a + f.b + f.c0 + f.back, .out = f.c, .held = ashi_nest_memory(&nest), .calls = 1,
                              .products = f.products, .seconds = ashi_onto_predict(p, &nest, &terms->rates)};
    return ASHLAR_OK;
}

static bool is_same(const ashi_onto_problem *a, const ashi_onto_problem *b)
{
    return memcmp(a->size, b->size, sizeof a->size) == 0 && memcmp(a->minor, b->minor, sizeof a->minor) == 0 &&
           a->adds == b->adds;
}

static ashlar_status add_product(counting *c, const ashi_onto_problem *p, ashlar_error *err)
{
    const int64_t kept = ashi_min(c->cuts, KEPT);
    int64_t i = 0;
    while (i < kept && !is_same(&c->kept[i].problem, p))
        i++;
    if (i == kept) {
        i = c->cuts++ % KEPT;
        c->kept[i].problem = *p;
        const ashlar_status status = cut(c->terms, p, &c->kept[i].need, err);
        if (status != ASHLAR_OK)
            return status;
    }
    const ashi_device_need *one = &c->kept[i].need;
    ashi_device_need *all = c->need;
    if (!ashi_add(all->in, one->in, &all->in) || !ashi_add(all->out, one->out, &all->out))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the words to be copied to the device do not fit in 64 bits");
    all->held = ashi_max(all->held, one->held);
    all->calls += one->calls;
    all->products += one->products;
    all->seconds += one->seconds;
    return ASHLAR_OK;
}

static void note_block(void *context, const ashi_block *block)
{
    *(ashi_block *)context = *block;
}

/* Whether the minor side of the sums is contiguous. Sums in the caller's C are one block. */
static bool sums_are_minor(const counting *c, const known_panel *to)
{
    if (to->panel.memory == ASHI_MEMORY_POOL)
        return pool_is_minor(to);
    const ashi_box box = ashi_panel_box(&to->panel);
    ashi_block block = {0};
    ashi_view_blocks(&c->program->view[ASHLAR_C], c->rank, &box, ashi_whole, note_block, &block);
    return block.minor_stride == 1;
}

static ashlar_status add_products(counting *c, const ashi_operation *o, ashlar_error *err)
{
    const known_panel *to = find(c, o->makes);
    if (o->lo[0] >= o->hi[0] || o->lo[1] >= o->hi[1] || !to)
        return ASHLAR_OK;
    const ashi_onto_rates *stated = &c->terms->stated;
    ashi_onto_problem p = {.size = {o->hi[0] - o->lo[0], o->hi[1] - o->lo[1], 0}, .type = c->terms->type,
                           .memory_words = c->terms->memory_words, .rate = stated->in, .out = stated->out,
                           .flops = stated->flops, .delay = stated->delay,
                           .adds = !o->begins || (to->panel.memory == ASHI_MEMORY_CALLER && !c->terms->c_is_new) ||
                                   to->from_file};
    p.minor[ASHLAR_C] = sums_are_minor(c, to);
    ashlar_status status = find_intervals(c, o, ASHLAR_A, err);
    if (status == ASHLAR_OK)
        status = find_intervals(c, o, ASHLAR_B, err);
    const k_interval *a = c->list[ASHLAR_A].at, *b = c->list[ASHLAR_B].at;
    for (int64_t lo = o->lo[2], hi; lo < o->hi[2] && status == ASHLAR_OK; lo = hi) {
        hi = ashi_min(a->hi, b->hi);
        p.size[2] = hi - lo;
        p.minor[ASHLAR_A] = a->minor && !a->conjugate; /* the major stride of what BLAS conjugates is 1 */
        p.minor[ASHLAR_B] = b->minor;
        status = add_product(c, &p, err);
        p.adds = true;
        a += a->hi == hi;
        b += b->hi == hi;
    }
    return status;
}

static ashlar_status note_operation(void *context, const ashi_operation *o, ashlar_error *err)
{
    counting *c = context;
    ashlar_status status = ASHLAR_OK;
    if (o->kind == ASHI_DO_MULTIPLY)
        status = add_products(c, o, err);
    if (o->kind == ASHI_DO_MOVE) {
        const known_panel *from = find(c, o->read[0]);
        known_panel *to = find(c, o->makes);
        if (from && to && from->panel.memory == ASHI_MEMORY_FILE && to->panel.part >= 0)
            to->from_file = true;
    }
    for (int i = 0; i < ASHI_READS_MAX; i++) {
        known_panel *read = o->last[i] ? find(c, o->read[i]) : NULL;
        if (read)
            read->gone = true;
    }
    return status;
}

ashlar_status ashi_device_need_of(ashi_program *program, int64_t rank, const ashi_device_terms *terms,
                                  ashi_device_need *out, ashlar_error *err)
{
    *out = (ashi_device_need){0};
    counting c = {.program = program, .rank = rank, .terms = terms, .need = out};
    const ashi_program_visitor visitor = {note_panel, note_operation, &c};
    ashlar_status status = ASHLAR_OK;
    for (int64_t step = 0; step < program->steps && status == ASHLAR_OK; step++) {
        status = program->emit(program, rank, step, &visitor, err);
        forget(&c);
    }
    free(c.panel);
    free(c.list[ASHLAR_A].at);
    free(c.list[ASHLAR_B].at);
    return status;
}
