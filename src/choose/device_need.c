/* What a rank's program takes of a device: each of its products is cut as the run will cut it, or goes past a sum that
 * stays there. */
#include "choose/device_need.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "choose/device_sums.h"
#include "choose/device_walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cuts of products that are kept: programs have many equal ones. */
enum { KEPT = 16 };

typedef struct kept_cut {
    ashi_onto_problem problem;
    ashi_device_need need;
} kept_cut;

/* What goes past sums that stay. */
typedef struct staying {
    double in, work, out; /* seconds of copies and products */
    double first;         /* of the first copy of a slab */
    int64_t slab;         /* words of the largest */
} staying;

typedef struct counting {
    const ashi_device_terms *terms;
    int64_t memory; /* words for products of sums that go there and back, and for slabs beside those that stay */
    ashi_device_need *need;
    kept_cut kept[KEPT];
    int64_t cuts;
    ashi_device_stretches *stretches; /* NULL: they are not asked for */
    const ashi_onto_sums *sums;       /* NULL: none stays */
    int64_t *done;                    /* of each stretch: MULTIPLYs */
    staying staying;
} counting;

static ashlar_status fail_words(ashlar_error *err)
{
    return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the words to be copied to the device do not fit in 64 bits");
}

/* ---- sums that go there and back ---- */

static ashlar_status cut(const counting *c, const ashi_onto_problem *p, ashi_device_need *out, ashlar_error *err)
{
    ashi_nest nest;
    ashi_onto_problem own = *p;
    own.memory_words = c->memory;
    const ashlar_status status = ashi_onto_choose(&own, &nest, err);
    if (status != ASHLAR_OK)
        return status;
    const ashi_nest_figures f = ashi_nest_of_rank(&nest, 0);
    *out = (ashi_device_need){.in = f.a + f.b + f.c0 + f.back, .out = f.c, .held = ashi_nest_memory(&nest), .calls = 1,
                              .products = f.products, .seconds = ashi_onto_predict(&own, &nest, &c->terms->rates)};
    return ASHLAR_OK;
}

static bool is_same(const ashi_onto_problem *a, const ashi_onto_problem *b)
{
    return memcmp(a->size, b->size, sizeof a->size) == 0 && memcmp(a->minor, b->minor, sizeof a->minor) == 0 &&
           a->adds == b->adds;
}

/* *words grows by those in and out. */
static ashlar_status add_product(counting *c, const ashi_onto_problem *p, int64_t *words, ashlar_error *err)
{
    const int64_t kept = ashi_min(c->cuts, KEPT);
    int64_t i = 0;
    while (i < kept && !is_same(&c->kept[i].problem, p))
        i++;
    if (i == kept) {
        i = c->cuts++ % KEPT;
        c->kept[i].problem = *p;
        const ashlar_status status = cut(c, p, &c->kept[i].need, err);
        if (status != ASHLAR_OK)
            return status;
    }
    const ashi_device_need *one = &c->kept[i].need;
    ashi_device_need *all = c->need;
    if (!ashi_add(all->in, one->in, &all->in) || !ashi_add(all->out, one->out, &all->out))
        return fail_words(err);
    *words = ashi_add_most(*words, ashi_add_most(one->in, one->out));
    all->held = ashi_max(all->held, ashi_add_most(c->sums ? c->sums->area : 0, one->held));
    all->calls += one->calls;
    all->products += one->products;
    all->seconds += one->seconds;
    return ASHLAR_OK;
}

/* ---- sums that stay ---- */

static ashlar_status go_past(counting *c, const ashi_onto_problem *p, ashlar_error *err)
{
    const ashi_type *type = ashi_type_of(p->type);
    const ashi_onto_rates *r = &c->terms->rates;
    const int64_t sides = p->size[0] + p->size[1], k = p->size[2];
    const int64_t thick = ashi_onto_slab(p->size[0], p->size[1], k, c->memory), products = p->size[0] * p->size[1] * k;
    const double slabs = (double)ashi_ceil_div(k, thick), bytes = (double)type->bytes;
    staying *s = &c->staying;
    if (!ashi_add(c->need->in, ashi_mul_most(sides, k), &c->need->in))
        return fail_words(err);
    c->need->calls++;
    c->need->products += products;
    s->in += (double)sides * (double)k * bytes / r->in + 2 * slabs * r->delay;
    s->work += (double)products * type->flops / r->flops + slabs * r->delay;
    s->first = s->first > 0 ? s->first : (double)sides * (double)thick * bytes / r->in + 2 * r->delay;
    s->slab = ashi_max(s->slab, sides * thick);
    return ASHLAR_OK;
}

static ashlar_status add_to_staying(counting *c, const ashi_device_multiply *m, int64_t at, ashlar_error *err)
{
    const ashi_panel *sum = m->sum;
    const ashi_onto_rates *r = &c->terms->rates;
    const int64_t words = (sum->hi[0] - sum->lo[0]) * (sum->hi[1] - sum->lo[1]);
    const double bytes = (double)words * (double)ashi_type_bytes(c->terms->type, ASHLAR_C);
    ashlar_status status = ASHLAR_OK;
    if (c->done[at] == 0 && m->product[0].adds && !m->zero) {
        if (!ashi_add(c->need->in, words, &c->need->in))
            return fail_words(err);
        c->staying.in += bytes / r->in + r->delay;
    }
    for (int64_t i = 0; i < m->products && status == ASHLAR_OK; i++)
        status = go_past(c, &m->product[i], err);
    if (++c->done[at] == c->sums->stretch[at].multiplies) {
        if (!ashi_add(c->need->out, words, &c->need->out))
            return fail_words(err);
        c->staying.out += bytes / r->out + r->delay;
    }
    return status;
}

/* ---- all of a program ---- */

/* The stretch that a MULTIPLY belongs to, -1 for one of a panel of which none stays. */
static int64_t stretch_of(const counting *c, int64_t panel)
{
    const ashi_onto_sums *s = c->sums;
    int64_t i = s ? ashi_onto_sums_first(s, panel) : 0;
    while (s && i < s->stretches && s->stretch[i].panel == panel && c->done[i] == s->stretch[i].multiplies)
        i++;
    return s && i < s->stretches && s->stretch[i].panel == panel ? i : -1;
}

static ashlar_status visit_multiply(void *context, const ashi_device_multiply *m, ashlar_error *err)
{
    counting *c = context;
    const int64_t at = stretch_of(c, m->sum->id);
    ashlar_status status = ASHLAR_OK;
    int64_t words = 0;
    if (at >= 0 && c->sums->stretch[at].at >= 0)
        return add_to_staying(c, m, at, err);
    if (at >= 0)
        c->done[at]++;
    for (int64_t i = 0; i < m->products && status == ASHLAR_OK; i++)
        status = add_product(c, &m->product[i], &words, err);
    if (status == ASHLAR_OK && c->stretches)
        status = ashi_device_stretches_multiply(c->stretches, m, words, err);
    return status;
}

static void visit_touched(void *context, const ashi_panel *panel)
{
    counting *c = context;
    if (c->stretches)
        ashi_device_stretches_touch(c->stretches, panel);
}

static ashlar_status count(ashi_program *program, int64_t rank, const ashi_device_terms *terms,
                           const ashi_onto_sums *sums, ashi_device_stretches *stretches, ashi_device_need *out,
                           ashlar_error *err)
{
    *out = (ashi_device_need){0};
    counting c = {.terms = terms, .memory = terms->memory_words - (sums ? sums->area : 0), .need = out,
                  .stretches = stretches, .sums = sums};
    if (sums && !(c.done = calloc((size_t)sums->stretches + 1, sizeof *c.done)))
        return ashi_fail_memory(err, "device", sums->stretches * (int64_t)sizeof *c.done);
    const ashi_device_visitor visitor = {visit_multiply, visit_touched, &c};
    const ashlar_status status = ashi_device_walk(program, rank, terms, &visitor, err);
    const staying *s = &c.staying;
    if (s->slab > 0)
        out->held = ashi_max(out->held, ashi_add_most(sums->area, 2 * s->slab));
    out->seconds += fmax(s->in, s->work) + s->first + s->out;
    free(c.done);
    return status;
}

ashlar_status ashi_device_need_with(ashi_program *program, int64_t rank, const ashi_device_terms *terms,
                                    const ashi_onto_sums *sums, ashi_device_need *out, ashlar_error *err)
{
    return count(program, rank, terms, sums->area > 0 ? sums : NULL, NULL, out, err);
}

static int64_t words_of(const ashi_device_need *n)
{
    return ashi_add_most(n->in, n->out);
}

ashlar_status ashi_device_need_choose(ashi_program *program, int64_t rank, const ashi_device_terms *terms,
                                      ashi_device_need *out, ashi_onto_sums *sums, ashlar_error *err)
{
    ashi_onto_sums own = {0};
    ashi_device_need with = {0};
    ashi_device_stretches *stretches = NULL;
    *sums = own;
    if (program->source[ASHLAR_C] == ASHI_MEMORY_CALLER && !(stretches = ashi_device_stretches_create()))
        return ashi_fail_memory(err, "device", 1);
    ashlar_status status = count(program, rank, terms, NULL, stretches, out, err);
    if (status == ASHLAR_OK && stretches)
        status = ashi_device_stretches_choose(stretches, terms->memory_words, program->look_ahead, &own, err);
    ashi_device_stretches_free(&stretches);
    if (status == ASHLAR_OK && own.area > 0)
        status = count(program, rank, terms, &own, NULL, &with, err);
    if (status == ASHLAR_OK && own.area > 0 && words_of(&with) < words_of(out)) {
        *out = with;
        *sums = own;
    } else {
        ashi_onto_sums_free(&own);
    }
    return status;
}

ashlar_status ashi_device_need_of(ashi_program *program, int64_t rank, const ashi_device_terms *terms,
                                  ashi_device_need *out, ashlar_error *err)
{
    ashi_onto_sums sums;
    const ashlar_status status = ashi_device_need_choose(program, rank, terms, out, &sums, err);
    ashi_onto_sums_free(&sums);
    return status;
}
