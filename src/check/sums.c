/* Products and sums: C and running sums are begun once, and every partial sum goes once to where it belongs. */
#include "check/proof.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

static ashi_proof_part *part_at(const ashi_proof *p, int64_t part)
{
    return part >= 0 && part < p->parts.count ? (ashi_proof_part *)p->parts.data + part : NULL;
}

ashlar_status ashi_proof_open_sum(ashi_proof *p, const ashi_panel *panel, ashlar_error *err)
{
    const ashi_box b = ashi_panel_box(panel);
    const bool streams = p->program->source[ASHLAR_C] == ASHI_MEMORY_FILE;
    if (streams) /* a tile after another, each written when it is done */
        return panel->part == 0 ? ASHLAR_OK : ashi_proof_fail(p, NULL, err, "a tile of C in a file has parts");
    while (p->parts.count <= panel->part) { /* parts without a word have no panel */
        ashi_proof_part *fresh = ashi_check_add(&p->parts, sizeof *fresh);
        if (!fresh)
            return ashi_fail_memory(err, "checker", p->parts.count * (int64_t)sizeof *fresh);
        *fresh = (ashi_proof_part){0};
    }
    ashi_proof_part *part = part_at(p, panel->part);
    if (part->words == 0)
        part->box = b;
    part->box = (ashi_box){ashi_min(part->box.minor_lo, b.minor_lo), ashi_max(part->box.minor_hi, b.minor_hi),
                           ashi_min(part->box.major_lo, b.major_lo), ashi_max(part->box.major_hi, b.major_hi)};
    part->words += panel->words;
    part->kept = part->kept || panel->memory == ASHI_MEMORY_CALLER;
    part->pool_words += panel->memory == ASHI_MEMORY_POOL ? panel->words : 0;
    part->pool_panels += panel->memory == ASHI_MEMORY_POOL;
    return ASHLAR_OK;
}

/* ---- what is begun of the caller's C ---- */

static ashlar_status begin(ashi_proof *p, const ashi_panel *panel, ashlar_error *err)
{
    ashi_proof_begun *b = ashi_check_add(&p->begun, sizeof *b);
    if (!b)
        return ashi_fail_memory(err, "checker", p->begun.count * (int64_t)sizeof *b);
    *b = (ashi_proof_begun){ashi_panel_box(panel), panel->chunk};
    p->begun_words += panel->words;
    return ASHLAR_OK;
}

static ashi_box common(const ashi_box *a, const ashi_box *b)
{
    const ashi_box c = {ashi_max(a->minor_lo, b->minor_lo), ashi_min(a->minor_hi, b->minor_hi),
                        ashi_max(a->major_lo, b->major_lo), ashi_min(a->major_hi, b->major_hi)};
    return c.minor_lo < c.minor_hi && c.major_lo < c.major_hi ? c : (ashi_box){0, 0, 0, 0};
}

/* Whether all that the rank owns of a panel of its C is begun. */
static bool is_begun(ashi_proof *p, const ashi_panel *panel)
{
    const ashi_box box = ashi_panel_box(panel);
    const ashi_proof_begun *b = p->begun.data;
    int64_t words = 0;
    for (int64_t i = 0; i < p->begun.count; i++) {
        const ashi_box both = common(&box, &b[i].box);
        if (ashi_box_words(&both) > 0 && b[i].chunk.chunks == 1)
            words += ashi_proof_owned(p, ASHLAR_C, &both, ashi_whole, p->rank);
    }
    return words == ashi_proof_owned(p, ASHLAR_C, &box, ashi_whole, p->rank);
}

static int by_box(const void *a, const void *b)
{
    const ashi_proof_begun *x = a, *y = b;
    const int64_t u[] = {x->box.minor_lo, x->box.minor_hi, x->box.major_lo, x->box.major_hi, x->chunk.chunks,
                         x->chunk.number};
    const int64_t v[] = {y->box.minor_lo, y->box.minor_hi, y->box.major_lo, y->box.major_hi, y->chunk.chunks,
                         y->chunk.number};
    for (int i = 0; i < 6; i++)
        if (u[i] != v[i])
            return u[i] < v[i] ? -1 : 1;
    return 0;
}

/* As many words are begun as the rank owns, no chunk of a box twice, and the boxes have nothing in common. */
static ashlar_status all_begun(ashi_proof *p, ashlar_error *err)
{
    ashi_proof_begun *b = p->begun.data;
    const int64_t n = p->begun.count;
    ashi_check_list boxes = {0};
    const ashi_cover_box all = {.hi = {p->program->m, p->program->n, 1, 1}};
    ashi_cover_finding finding = ASHI_COVER_FILLED;
    ashi_cover_box where;
    ashlar_status status = ASHLAR_OK;
    if (p->begun_words != ashlar_layout_words(p->program->view[ASHLAR_C].layout, (int)p->rank))
        return ashi_proof_fail(p, NULL, err, "not all of the rank's C is multiplied by beta once");
    if (n > 1)
        qsort(b, (size_t)n, sizeof *b, by_box);
    for (int64_t i = 0; i < n && status == ASHLAR_OK; i++) {
        if (i > 0 && by_box(&b[i - 1], &b[i]) == 0)
            status = ashi_proof_fail(p, NULL, err, "a part of C is multiplied by beta twice");
        else if (i > 0 && ashi_box_same(&b[i - 1].box, &b[i].box) && b[i - 1].chunk.chunks == b[i].chunk.chunks)
            continue;
        ashi_cover_box *one = status == ASHLAR_OK ? ashi_check_add(&boxes, sizeof *one) : NULL;
        if (one)
            *one = (ashi_cover_box){.lo = {b[i].box.minor_lo, b[i].box.major_lo},
                                    .hi = {b[i].box.minor_hi, b[i].box.major_hi, 1, 1}};
        else if (status == ASHLAR_OK)
            status = ashi_fail_memory(err, "checker", n * (int64_t)sizeof *one);
    }
    if (status == ASHLAR_OK)
        status = ashi_cover(boxes.data, boxes.count, &all, true, &finding, &where, err);
    free(boxes.data);
    return status == ASHLAR_OK && finding == ASHI_COVER_TWICE
               ? ashi_proof_fail(p, NULL, err, "a part of C is multiplied by beta twice") : status;
}

ashlar_status ashi_proof_update(ashi_proof *p, const ashi_operation *o, ashi_proof_panel *sum, ashlar_error *err)
{
    const bool first = !sum->begun;
    const ashi_proof_part *part = part_at(p, sum->panel.part);
    if (o->begins != first)
        return ashi_proof_fail(p, o, err, first ? "adds to what is not begun" : "begins a sum a second time");
    if (part && part->left && sum->panel.memory == ASHI_MEMORY_POOL)
        return ashi_proof_fail(p, o, err, "adds to sums that have left");
    sum->begun = true;
    return first && sum->panel.memory == ASHI_MEMORY_CALLER ? begin(p, &sum->panel, err) : ASHLAR_OK;
}

/* ---- products ---- */

/* Whether a panel has words lo .. hi-1 of both its indices. */
static bool has(const ashi_panel *panel, ashlar_operand x, const ashi_operation *o, int minor)
{
    return panel->operand == x && panel->part < 0 && panel->lo[0] <= o->lo[minor] && o->hi[minor] <= panel->hi[0] &&
           panel->lo[1] <= o->lo[2] && o->hi[2] <= panel->hi[1];
}

/* What is in the pool and what is in the rank's array are together all of a box of A or B. */
static ashlar_status check_operand(ashi_proof *p, const ashi_operation *o, ashlar_operand x, int64_t *arrival,
                                   ashlar_error *err)
{
    const int at = x == ASHLAR_A ? 0 : 2, minor = x == ASHLAR_A ? 0 : 1;
    ashi_panel first = {.id = -1};
    int64_t words = 0, all = 0;
    for (int i = at; i < at + 2; i++) {
        if (o->read[i] < 0)
            continue;
        const ashi_proof_panel *e = ashi_proof_read(p, o, i, err);
        if (!e)
            return ASHLAR_ERR_INTERNAL;
        const bool here = e->panel.memory == ASHI_MEMORY_CALLER && e->panel.content == ASHI_CONTENT_HERE;
        const bool pool = e->panel.memory == ASHI_MEMORY_POOL &&
                          (e->panel.content == ASHI_CONTENT_ALL || e->panel.content == ASHI_CONTENT_AWAY);
        if (!(i == at ? pool : here) || !has(&e->panel, x, o, minor) ||
            (first.id >= 0 && !ashi_proof_same_box(&first, &e->panel)))
            return ashi_proof_fail(p, o, err, "multiplies a panel of another box");
        const ashi_box box = ashi_panel_box(&e->panel);
        first = e->panel;
        words += e->panel.words;
        *arrival = ashi_max(*arrival, e->arrival);
        all = ashi_box_words(&box);
    }
    return words == all && words > 0 ? ASHLAR_OK
                                     : ashi_proof_fail(p, o, err, "multiplies a box of which words are missing");
}

ashlar_status ashi_proof_multiply(ashi_proof *p, const ashi_operation *o, ashlar_error *err)
{
    ashi_proof_panel *sum = ashi_proof_find(p, o->makes);
    bool inside = sum && sum->panel.part >= 0;
    for (int d = 0; d < ASHI_PRODUCT_INDICES && inside; d++)
        inside = o->lo[d] >= 0 && o->lo[d] < o->hi[d] &&
                 (d > 1 || (sum->panel.lo[d] <= o->lo[d] && o->hi[d] <= sum->panel.hi[d]));
    if (!inside || o->hi[2] > p->program->k || o->hi[3] > 1)
        return ashi_proof_fail(p, o, err, "multiplies into no running sum, or outside it");
    if (!sum->begun && ((o->hi[0] - o->lo[0]) * (o->hi[1] - o->lo[1])) != sum->panel.words)
        return ashi_proof_fail(p, o, err, "begins a sum with a part of it");
    ashlar_status status = check_operand(p, o, ASHLAR_A, &sum->arrival, err);
    if (status == ASHLAR_OK)
        status = check_operand(p, o, ASHLAR_B, &sum->arrival, err);
    if (status == ASHLAR_OK)
        status = ashi_proof_update(p, o, sum, err);
    ashi_cover_box *box = status == ASHLAR_OK ? ashi_check_add(&p->products, sizeof *box) : NULL;
    if (!box)
        return status == ASHLAR_OK ? ashi_fail_memory(err, "checker", p->products.count * (int64_t)sizeof *box)
                                   : status;
    *box = (ashi_cover_box){.rank = p->rank, .step = p->step};
    int64_t products = 1;
    for (int d = 0; d < ASHI_PRODUCT_INDICES; d++) {
        box->lo[d] = o->lo[d];
        box->hi[d] = o->hi[d];
        products *= o->hi[d] - o->lo[d];
    }
    p->report->products += products;
    return ASHLAR_OK;
}

/* ---- sums that leave ---- */

ashlar_status ashi_proof_leave(ashi_proof *p, const ashi_operation *o, int first, const ashi_panel *to,
                               ashlar_error *err)
{
    ashi_proof_part *part = NULL;
    int64_t panels = 0;
    for (int i = first; i < ASHI_READS_MAX; i++) {
        if (o->read[i] < 0)
            continue;
        const ashi_proof_panel *e = ashi_proof_read(p, o, i, err);
        if (!e)
            return ASHLAR_ERR_INTERNAL;
        ashi_proof_part *its = part_at(p, e->panel.part);
        if (!its || e->panel.memory != ASHI_MEMORY_POOL || (part && its != part) ||
            (i > first && o->read[i] == o->read[i - 1]))
            return ashi_proof_fail(p, o, err, "reads sums of several parts, or what is no running sum");
        part = its;
        panels++;
    }
    const ashi_box box = ashi_panel_box(to);
    if (!part || panels != part->pool_panels || !ashi_box_same(&box, &part->box) || to->operand != ASHLAR_C)
        return ashi_proof_fail(p, o, err, "does not read all sums of the box");
    if (to->content != ASHI_CONTENT_SHARE || (to->owner == p->rank && part->kept))
        return ashi_proof_fail(p, o, err, "takes sums that stay in the rank's C");
    ashi_proof_delivery *d = ashi_check_add(&p->deliveries, sizeof *d);
    if (!d)
        return ashi_fail_memory(err, "checker", p->deliveries.count * (int64_t)sizeof *d);
    *d = (ashi_proof_delivery){part - (ashi_proof_part *)p->parts.data, to->owner, to->chunk.number, to->words};
    part->left = true;
    return ASHLAR_OK;
}

ashlar_status ashi_proof_add(ashi_proof *p, const ashi_operation *o, ashlar_error *err)
{
    const ashi_proof_panel *e = ashi_proof_find(p, o->makes);
    ashlar_status status = ASHLAR_OK;
    if (!e || e->panel.memory != ASHI_MEMORY_CALLER || e->panel.operand != ASHLAR_C ||
        e->panel.content != ASHI_CONTENT_SHARE)
        return ashi_proof_fail(p, o, err, "adds to something else than the rank's own C");
    const ashi_panel to = e->panel;
    if (o->read[0] >= 0) {
        const ashi_proof_panel *from = ashi_proof_read(p, o, 0, err);
        if (!from)
            return ASHLAR_ERR_INTERNAL;
        if (!ashi_proof_same_box(&from->panel, &to) || from->panel.content != ASHI_CONTENT_SHARE ||
            from->panel.owner != p->rank || from->panel.words != to.words || !o->last[0] ||
            from->panel.chunk.number != to.chunk.number || from->panel.chunk.chunks != to.chunk.chunks)
            return ashi_proof_fail(p, o, err, "adds other sums than arrived, or not for the last time");
    }
    if (o->read[1] >= 0)
        status = ashi_proof_leave(p, o, 1, &to, err);
    else if (o->read[0] < 0)
        status = ashi_proof_fail(p, o, err, "adds nothing");
    if (status != ASHLAR_OK)
        return status;
    if (!o->begins && !is_begun(p, &to))
        return ashi_proof_fail(p, o, err, "adds to what is not begun");
    status = o->begins ? begin(p, &to, err) : ASHLAR_OK;
    ashi_proof_drop(p, o->makes);
    return status;
}

ashlar_status ashi_proof_scale(ashi_proof *p, const ashi_operation *o, ashlar_error *err)
{
    ashi_proof_panel *e = ashi_proof_find(p, o->makes);
    if (!o->begins || !e || e->panel.operand != ASHLAR_C)
        return ashi_proof_fail(p, o, err, "begins nothing");
    if (e->panel.part >= 0)
        return ashi_proof_update(p, o, e, err);
    if (e->panel.memory != ASHI_MEMORY_CALLER)
        return ashi_proof_fail(p, o, err, "scales something else than the rank's own C");
    const ashlar_status status = begin(p, &e->panel, err);
    ashi_proof_drop(p, o->makes);
    return status;
}

/* ---- the end of a rank ---- */

static int by_part(const void *a, const void *b)
{
    const ashi_proof_delivery *x = a, *y = b;
    const int64_t u[] = {x->part, x->owner, x->chunk}, v[] = {y->part, y->owner, y->chunk};
    for (int i = 0; i < 3; i++)
        if (u[i] != v[i])
            return u[i] < v[i] ? -1 : 1;
    return 0;
}

/* Pieces of different owners, and chunks of one piece, have no word in common. */
static ashlar_status all_left(ashi_proof *p, ashlar_error *err)
{
    const ashi_proof_part *part = p->parts.data;
    ashi_proof_delivery *d = p->deliveries.data;
    if (p->deliveries.count > 1)
        qsort(d, (size_t)p->deliveries.count, sizeof *d, by_part);
    for (int64_t n = 0, i = 0; n < p->parts.count; n++) {
        int64_t words = 0;
        for (; i < p->deliveries.count && d[i].part == n; i++) {
            if (i > 0 && by_part(&d[i - 1], &d[i]) == 0)
                return ashi_proof_fail(p, NULL, err, "partial sums are read twice");
            words += d[i].words;
        }
        if (part[n].words != ashi_box_words(&part[n].box))
            return ashi_proof_fail(p, NULL, err, "the panels of a part do not fill its box");
        if (words != part[n].pool_words)
            return ashi_proof_fail(p, NULL, err, "partial sums do not reach the owner");
    }
    return ASHLAR_OK;
}

ashlar_status ashi_proof_sums_end(ashi_proof *p, ashlar_error *err)
{
    if (p->program->source[ASHLAR_C] == ASHI_MEMORY_FILE)
        return ASHLAR_OK; /* a tile that is not written has no last reader */
    const ashlar_status status = all_left(p, err);
    return status == ASHLAR_OK ? all_begun(p, err) : status;
}
