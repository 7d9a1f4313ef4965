/* Plans of matrices in files and in memory together: their layouts, the plans of all slabs, and memory for them. */
#include "base/checked.h"
#include "base/error.h"
#include "plan/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No limit is larger than that: a third of what 64 bits count. */
static const int64_t MEMORY_MOST = INT64_MAX / 3;

static const char *const names[3] = {"A", "B", "C"};

static int64_t length_of(const ashlar_plan *plan, int index)
{
    const int64_t size[3] = {plan->problem.m, plan->problem.n, plan->problem.k};
    return size[index];
}

/* ---- layouts of what is in memory ---- */

/* The caller's. */
static ashlar_status take_layouts(ashi_mixing *q, ashlar_error *err)
{
    ashlar_plan *plan = q->plan;
    const ashlar_layout *const given[3] = {plan->problem.a, plan->problem.b, plan->problem.c};
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++) {
        if (given[x])
            status = ashi_layout_copy(given[x], &plan->given[x], err);
        q->layout[x] = plan->layout[x] = plan->given[x];
    }
    return ashi_agree_named(plan->context, status, err);
}

/* The plan's own: what the first slab's plan would have, of every slab, so that nothing need be moved first. */
static ashlar_status find_layouts(ashi_mixing *q, const ashlar_plan *first, ashlar_error *err)
{
    ashlar_plan *plan = q->plan;
    const int index = q->cut.index;
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++) {
        if (plan->filed.file[x] || q->layout[x])
            continue;
        const ashlar_layout *own = first->layout[x];
        const bool rows = ashi_mixed_slab(plan, index, x, 0, 1).rows;
        if (ashi_mixed_has(x, index)) {
            plan->filed.mixed.repeats[x] = rows ? own->row.parts : own->col.parts;
            status = ashi_layout_repeat(own, rows, length_of(plan, index), &plan->given[x], err);
        } else {
            status = ashi_layout_copy(own, &plan->given[x], err);
        }
        q->layout[x] = plan->layout[x] = plan->given[x];
    }
    return ashi_agree_named(plan->context, status, err);
}

/* ---- the plans of all slabs ---- */

/* Slabs with equal keys lie alike and have one plan: at most one matrix in memory is cut. */
static ashi_layout_slab_key key_of(const ashi_mixing *q, int64_t lo, int64_t hi)
{
    ashi_layout_slab_key key = {hi - lo, 0, 0};
    for (int x = 0; x < 3; x++) {
        const ashi_layout_slab slab = ashi_mixed_slab(q->plan, q->cut.index, x, lo, hi);
        if (q->layout[x] && slab.count == 0 && ashi_mixed_has(x, q->cut.index))
            key = ashi_layout_slab_key_of(q->layout[x], &slab);
    }
    return key;
}

static int find_kind(const ashi_mixed *m, const ashi_layout_slab_key *key)
{
    for (int i = m->kinds - 1; i >= 0; i--)
        if (m->kind[i].key.size == key->size && m->kind[i].key.part == key->part && m->kind[i].key.at == key->at)
            return i;
    return -1;
}

/* Room for one more kind; grows by doubling. */
static ashlar_status grow(ashi_mixed *m, ashlar_error *err)
{
    if (m->kinds & (m->kinds - 1))
        return ASHLAR_OK;
    const size_t room = m->kinds ? 2 * (size_t)m->kinds : 1;
    ashi_mixed_kind *kind = realloc(m->kind, room * sizeof *kind);
    if (!kind)
        return ashi_fail_memory(err, "plan", (int64_t)(room * sizeof *kind));
    m->kind = kind;
    return ASHLAR_OK;
}

static void note_largest(ashi_mixing *q, const ashlar_plan *sub)
{
    for (int x = 0; x < 3; x++)
        if (q->plan->filed.file[x])
            q->extent[x] = ashi_max(q->extent[x], ashlar_layout_extent(sub->layout[x], q->plan->context->rank));
    q->workspace = q->plan->one_sided ? q->workspace + sub->need.workspace
                                      : ashi_max(q->workspace, sub->need.workspace);
}

static ashlar_status add_kind(ashi_mixing *q, const ashi_layout_slab_key *key, int64_t lo, int64_t hi,
                              ashlar_error *err)
{
    ashi_mixed *m = &q->plan->filed.mixed;
    ashlar_plan *sub = NULL;
    int64_t memory = 0;
    ashlar_status status = ashi_agree_named(q->plan->context, grow(m, err), err);
    if (status == ASHLAR_OK)
        status = ashi_mixed_part(q, lo, hi, &sub, &memory, err);
    if (status != ASHLAR_OK)
        return status;
    m->kind[m->kinds++] = (ashi_mixed_kind){*key, 0, sub};
    note_largest(q, sub);
    m->memory_max = ashi_max(m->memory_max, memory);
    return m->kinds == 1 ? find_layouts(q, sub, err) : ASHLAR_OK;
}

static ashlar_status plan_slabs(ashi_mixing *q, ashlar_error *err)
{
    ashi_mixed *m = &q->plan->filed.mixed;
    const int64_t length = length_of(q->plan, q->cut.index);
    m->cut = q->cut;
    m->slabs = ashi_ceil_div(length, q->cut.thickness);
    m->kind_of = malloc((size_t)m->slabs * sizeof *m->kind_of);
    ashlar_status status = m->kind_of ? ASHLAR_OK : ashi_fail_memory(err, "plan", m->slabs * 4);
    status = ashi_agree_named(q->plan->context, status, err);
    for (int64_t i = 0; i < m->slabs && status == ASHLAR_OK; i++) {
        const int64_t lo = i * q->cut.thickness, hi = ashi_min(lo + q->cut.thickness, length);
        const ashi_layout_slab_key key = key_of(q, lo, hi);
        m->kind_of[i] = find_kind(m, &key);
        if (m->kind_of[i] < 0) {
            status = add_kind(q, &key, lo, hi, err);
            m->kind_of[i] = m->kinds - 1;
        }
        if (status == ASHLAR_OK)
            m->kind[m->kind_of[i]].slabs++;
    }
    return status;
}

/* ---- memory and figures ---- */

static ashlar_status allocate(ashlar_plan *plan, const ashi_mixing *q, ashlar_error *err)
{
    ashi_mixed *m = &plan->filed.mixed;
    const int64_t bytes = (int64_t)ashlar_type_bytes(plan->problem.type);
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3; x++) {
        for (int b = 0; b < q->cut.buffers && plan->filed.file[x] && q->extent[x] > 0; b++)
            if (!(m->buffer[b][x] = malloc((size_t)(q->extent[x] * bytes))))
                status = ashi_fail_memory(err, names[x], q->extent[x] * bytes);
        const int64_t tiles = q->layout[x] ? ashi_max(ashlar_layout_tile_count(q->layout[x], plan->context->rank), 1)
                                           : 1;
        if (!(m->tile[x] = calloc((size_t)tiles, sizeof *m->tile[x])))
            status = ashi_fail_memory(err, names[x], tiles * (int64_t)sizeof *m->tile[x]);
    }
    if (plan->one_sided)
        return status;
    m->workspace = malloc((size_t)(ashi_max(q->workspace, 1) * bytes));
    if (!m->workspace)
        return ashi_fail_memory(err, "ashlar_plan_create", q->workspace * bytes);
    for (int i = 0; i < m->kinds; i++)
        ashi_runner_use_workspace(m->kind[i].plan->runner, m->workspace);
    return status;
}

/* What this rank holds, and the figures of all slabs. */
static ashlar_status sum_up(ashlar_plan *plan, const ashi_mixing *q, ashlar_error *err)
{
    ashi_mixed *m = &plan->filed.mixed;
    int64_t received = 0, in = 0, out = 0, largest = 0, buffers = 0;
    double products = 0;
    for (int i = 0; i < m->kinds; i++) {
        const ashlar_plan *sub = m->kind[i].plan;
        received += m->kind[i].slabs * sub->need.received;
        in += m->kind[i].slabs * sub->need.received_messages;
        out += m->kind[i].slabs * sub->need.sent_messages;
        plan->relayout_words += m->kind[i].slabs * sub->relayout_words;
        products += (double)m->kind[i].slabs * sub->choice.seconds;
        m->rounds += m->kind[i].slabs * sub->choice.schedule.rounds;
        largest = ashi_max(largest, sub->need.workspace);
    }
    m->share = 0;
    for (int x = 0; x < 3; x++) {
        m->share += plan->layout[x] ? ashlar_layout_words(plan->layout[x], plan->context->rank) : 0;
        buffers += plan->filed.file[x] ? q->cut.buffers * q->extent[x] : 0;
    }
    m->own_words = buffers + q->workspace;
    m->share += buffers + q->workspace - largest; /* of which all windows are there, and one works */
    ashi_figures figures = {.greatest = {received, ashi_max(in, out), m->share + largest}, .sum = {received}};
    const ashlar_status status = ashi_agree_figures(plan->context, ASHLAR_OK, &figures, err);
    m->words_max = figures.greatest[0];
    m->messages_max = figures.greatest[1];
    m->memory_max = figures.greatest[2];
    m->words_total = figures.sum[0];
    m->seconds = ashi_mixed_seconds(q, products / (double)m->slabs);
    plan->need = (ashi_need){.share = m->share, .workspace = m->own_words};
    return status;
}

/* ---- explaining ---- */

static void explain(ashlar_plan *plan)
{
    ashi_mixed *m = &plan->filed.mixed;
    const ashlar_plan *first = m->kind[0].plan;
    char which[8] = "";
    for (int x = 0; x < 3; x++)
        if (plan->filed.file[x])
            snprintf(which + strlen(which), sizeof which - strlen(which), "%s%s", which[0] ? ", " : "", names[x]);
    snprintf(m->reason, sizeof m->reason,
             "%s in files: %" PRId64 " slabs of at most %" PRId64 " along %c, %s; of each: %s", which, m->slabs,
             m->cut.thickness, "mnk"[m->cut.index],
             m->cut.buffers == 2 ? "one is multiplied while the next is moved" : "one after the other",
             first->choice.reason);
    memcpy(plan->warning, first->warning, sizeof plan->warning);
}

/* ---- all of it ---- */

static void forget_slabs(ashi_mixing *q)
{
    ashlar_plan *plan = q->plan;
    const ashlar_layout *const given[3] = {plan->problem.a, plan->problem.b, plan->problem.c};
    for (int x = 0; x < 3; x++) {
        if (!given[x]) {
            ashlar_layout_free(&plan->given[x]);
            q->layout[x] = plan->layout[x] = NULL;
        }
        q->extent[x] = 0;
    }
    q->workspace = 0;
    ashi_mixed_free(&plan->filed.mixed);
}

/* Plan all slabs. Others than the first may need more than that: then all are made thinner. */
static ashlar_status plan_cut(ashi_mixing *q, ashlar_error *err)
{
    for (;;) {
        const ashi_mixed_cut cut = q->cut;
        const ashlar_status status = plan_slabs(q, err);
        if (status != ASHLAR_ERR_LIMIT)
            return status;
        forget_slabs(q);
        if (cut.thickness == 1 && cut.buffers == 1)
            return status;
        q->cut.buffers = cut.thickness == 1 ? 1 : cut.buffers;
        q->cut.thickness = ashi_mixed_rounded(q, cut.index, cut.thickness * 3 / 4);
    }
}

/* The best cut; or, if that has no plan for all slabs, the thinnest along any index. */
static ashlar_status plan_all(ashi_mixing *q, ashlar_error *err)
{
    ashlar_status status = ashi_mixed_search(q, err);
    if (status == ASHLAR_OK)
        status = plan_cut(q, err);
    for (int index = 0; index < 3 && status == ASHLAR_ERR_LIMIT; index++) {
        q->cut = (ashi_mixed_cut){index, 1, 1};
        if (ashi_mixed_serves(q->plan, index))
            status = plan_cut(q, err);
    }
    return status;
}

/* ---- refusing ---- */

/* Whether the thinnest slabs along an index fit into `words` words: the first slab alone, or all of them. */
static ashlar_status fits(const ashi_mixing *with, int index, int64_t words, bool all, ashlar_error *err)
{
    ashlar_options o = *with->options;
    ashi_mixing q = *with;
    ashlar_plan *sub = NULL;
    int64_t memory;
    o.memory_words = words;
    q.options = &o;
    q.cut = (ashi_mixed_cut){index, 1, 1};
    if (!all) {
        const ashlar_status status = ashi_mixed_part(&q, 0, 1, &sub, &memory, err);
        ashi_plan_discard(&sub);
        return status;
    }
    const ashlar_status status = plan_slabs(&q, err);
    forget_slabs(&q);
    return status;
}

/* The least words that do along an index, of those below `most`; other errors than ASHLAR_ERR_LIMIT end it. */
static ashlar_status least_along(const ashi_mixing *q, int index, int64_t *least, ashlar_error *err)
{
    int64_t few = q->options->memory_words, many = few; /* few does not do */
    ashlar_status status = ASHLAR_ERR_LIMIT;
    while (status == ASHLAR_ERR_LIMIT && many < MEMORY_MOST) {
        few = many;
        many = 2 * many + 1;
        status = fits(q, index, many, false, err);
    }
    while (status == ASHLAR_OK && many - few > 1) {
        const int64_t middle = few + (many - few) / 2;
        status = fits(q, index, middle, false, err);
        *(status == ASHLAR_OK ? &many : &few) = middle;
        status = status == ASHLAR_ERR_LIMIT ? ASHLAR_OK : status;
    }
    while (status == ASHLAR_OK && (status = fits(q, index, many, true, err)) == ASHLAR_ERR_LIMIT) {
        many += many / 16 + 1;
        status = many < MEMORY_MOST ? ASHLAR_OK : ASHLAR_ERR_LIMIT;
    }
    if (status == ASHLAR_OK)
        *least = ashi_min(*least, many);
    return status == ASHLAR_ERR_LIMIT ? ASHLAR_OK : status;
}

static ashlar_status refuse(const ashi_mixing *q, ashlar_error *err)
{
    const int64_t given = q->options->memory_words;
    int64_t least = INT64_MAX;
    ashlar_error tried = {0};
    ashlar_status status = ASHLAR_OK;
    for (int index = 0; index < 3 && status == ASHLAR_OK; index++)
        if (ashi_mixed_serves(q->plan, index))
            status = least_along(q, index, &least, &tried);
    if (status != ASHLAR_OK)
        return ashi_fail(err, status, "%s", tried.text);
    ashi_refuse(q->plan->context, least < INT64_MAX ? least : 0);
    if (least == INT64_MAX)
        return ashi_fail(err, ASHLAR_ERR_LIMIT, "%" PRId64 " words a rank are too few", given);
    return ashi_fail(err, ASHLAR_ERR_LIMIT,
                     "%" PRId64 " words a rank are too few even if what is in files goes through memory slab by slab: %"
                     PRId64 " would do", given, least);
}

ashlar_status ashi_mixed_make(ashlar_plan *plan, const ashlar_options *options, ashlar_error *err)
{
    ashi_mixing q = {.plan = plan, .options = options};
    ashlar_status status = take_layouts(&q, err);
    if (status == ASHLAR_OK)
        status = plan_all(&q, err);
    if (status == ASHLAR_ERR_LIMIT)
        return refuse(&q, err);
    if (status != ASHLAR_OK)
        return status;
    status = ashi_agree_named(plan->context, allocate(plan, &q, err), err);
    if (status == ASHLAR_OK)
        status = sum_up(plan, &q, err);
    if (status != ASHLAR_OK)
        return status;
    plan->filed.mixed.on = true;
    if (plan->context->rank == 0 && plan->filed.file[ASHLAR_C])
        plan->filed.mixed.digest = ashi_mixed_digest(plan);
    explain(plan);
    return ASHLAR_OK;
}

void ashi_mixed_free(ashi_mixed *m)
{
    for (int i = 0; i < m->kinds; i++)
        ashi_plan_discard(&m->kind[i].plan);
    for (int x = 0; x < 3; x++) {
        free(m->buffer[0][x]);
        free(m->buffer[1][x]);
        free(m->tile[x]);
    }
    free(m->kind);
    free(m->kind_of);
    free(m->workspace);
    *m = (ashi_mixed){0};
}
