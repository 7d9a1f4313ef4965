/* What proposals in the caller's layouts would move: found for those that may be among the best. */
#include "strategy/estimate.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "strategy/arrange.h"
#include "strategy/idle.h"
#include "strategy/settle.h"
#include "strategy/sight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLED_RANKS = 4096 };

/* Bounds are computed in floating point: no integer above this, and given up by this part before one may rule a
 * proposal out. */
static const double exact_most = 0x1p52, slack = 1e-9;

/* ---- one proposal ---- */

/* The faces of a box, by operand. */
typedef struct faces {
    ashi_box of[3];
} faces;

static faces faces_of(const ashi_cuboid *box)
{
    return (faces){{ashi_cuboid_face(box, ASHLAR_A), ashi_cuboid_face(box, ASHLAR_B), ashi_cuboid_face(box, ASHLAR_C)}};
}

static int64_t owned_words(const ashi_view view[3], const faces *f, int64_t rank)
{
    int64_t words = 0;
    for (int x = 0; x < 3; x++)
        words += ashi_view_words(&view[x], rank, &f->of[x]);
    return words;
}

/* Words of sums that listed boxes have for each rank's C, its own among them. */
static ashlar_status count_sums(const ashi_view *c, const ashi_bricks *b, int64_t ranks, int64_t *sums,
                                ashlar_error *err)
{
    ashi_pieces pieces = {0};
    ashlar_status status = ASHLAR_OK;
    memset(sums, 0, (size_t)ranks * sizeof *sums);
    for (int64_t n = 0; n < b->count && status == ASHLAR_OK; n++) {
        const ashi_box face = ashi_cuboid_face(&b->box[n], ASHLAR_C);
        status = ashi_view_pieces(c, &face, &pieces, err);
        for (int64_t i = 0; i < pieces.count && status == ASHLAR_OK; i++)
            sums[pieces.piece[i].owner] += pieces.piece[i].words;
    }
    ashi_pieces_free(&pieces);
    return status;
}

/* The same of a grid's cells, for one rank. */
static int64_t sums_of_cells(const ashi_view *c, const ashi_bricks *b, int64_t rank)
{
    const ashi_box all = {0, c->minor.size, 0, c->major.size};
    return ashi_view_words(c, rank, &all) * b->grid[2];
}

/* What a rank receives: what it lacks of the faces of its box, if it has one, and sums for its C from all boxes but its
 * own. */
static int64_t received(const ashi_view view[3], int64_t sums, int64_t rank, const ashi_cuboid *box)
{
    if (!box)
        return sums;
    const faces f = faces_of(box);
    return sums + ashi_box_words(&f.of[ASHLAR_A]) + ashi_box_words(&f.of[ASHLAR_B]) - owned_words(view, &f, rank);
}

static int64_t products_of(const ashi_cuboid *box)
{
    return (box->hi[0] - box->lo[0]) * (box->hi[1] - box->lo[1]) * (box->hi[2] - box->lo[2]);
}

/* Words or seconds, of what the busiest rank and all ranks receive and multiply. */
static double figure_of(const ashi_problem *q, const ashi_totals *t)
{
    const ashi_type *type = ashi_type_of(q->type);
    const ashi_pace pace = {&q->machine, (int64_t)type->bytes, q->ranks, type->flops, q->ranks_per_core};
    return q->least_words ? (double)t->words_max : ashi_predict_seconds(t, &pace);
}

static ashlar_status estimate(const ashi_problem *q, const ashi_view view[3], const ashi_bricks *b,
                              int64_t *box_of_rank, int64_t *sums, double *out, ashlar_error *err)
{
    const int64_t step = ashi_max(1, q->ranks / SAMPLED_RANKS);
    ashi_totals t = {0};
    const ashlar_status status = b->box ? count_sums(&view[ASHLAR_C], b, q->ranks, sums, err) : ASHLAR_OK;
    for (int64_t r = 0; r < q->ranks; r++)
        box_of_rank[r] = -1;
    for (int64_t n = 0; n < b->count; n++)
        box_of_rank[b->rank_of[n]] = n;
    for (int64_t r = 0; r < q->ranks && status == ASHLAR_OK; r += step) {
        const bool works = box_of_rank[r] >= 0;
        const ashi_cuboid box = works ? ashi_bricks_box(b, box_of_rank[r]) : (ashi_cuboid){0};
        const int64_t of_c = b->box ? sums[r] : sums_of_cells(&view[ASHLAR_C], b, r);
        const int64_t words = received(view, of_c, r, works ? &box : NULL), products = products_of(&box);
        t.words_max = ashi_max(t.words_max, words);
        t.words_total += words * step;
        t.products_max = ashi_max(t.products_max, products);
        t.products_total += products * step;
    }
    *out = figure_of(q, &t);
    return status;
}

/* The longest and the shortest of a dimension's cuts. */
static void find_lengths(const ashi_bricks *b, int d, int64_t *most, int64_t *least)
{
    *most = 0;
    *least = INT64_MAX;
    for (int64_t i = 0; i < b->grid[d]; i++) {
        const int64_t length = b->cut[d][i + 1] - b->cut[d][i];
        *most = ashi_max(*most, length);
        *least = ashi_min(*least, length);
    }
}

/* Products of a grid: of its largest cell, and of all. False if a cell is empty. */
static bool count_products(const ashi_problem *q, const ashi_bricks *b, ashi_totals *t)
{
    bool full = true;
    t->products_max = 1;
    t->products_total = q->size[0] * q->size[1] * q->size[2];
    for (int d = 0; d < 3; d++) {
        int64_t most, least;
        find_lengths(b, d, &most, &least);
        t->products_max *= most;
        full = full && least > 0;
    }
    return full;
}

/* Of a grid without empty cells whose ranks were found the words are known. */
static bool is_known(const ashi_problem *q, const ashi_bricks *b, const ashi_burden *burden, double *out)
{
    ashi_totals t = {.words_max = burden->most, .words_total = burden->total};
    if (burden->most < 0 || b->box || !count_products(q, b, &t))
        return false;
    *out = figure_of(q, &t);
    return true;
}

/* ---- a bound ---- */

/* Wherever the matrices lie, all ranks together receive each face but what its rank owns of it, and own each word
 * once; and the busiest receives the mean at least. */
double ashi_estimate_least(const ashi_problem *q, const ashi_proposal *p)
{
    const int64_t *size = q->size;
    const ashi_bricks *b = &p->bricks;
    const double m = (double)size[0], n = (double)size[1], k = (double)size[2];
    const double words = m * k * (double)(b->grid[1] - 1) + n * k * (double)(b->grid[0] - 1) +
                         m * n * (double)(b->grid[2] - 1);
    if (b->box || q->ranks > SAMPLED_RANKS || words > exact_most || m * n * k > exact_most)
        return 0;
    ashi_totals t = {.words_max = (int64_t)(words / (double)q->ranks), .words_total = (int64_t)words};
    count_products(q, b, &t);
    return figure_of(q, &t) * (1 - slack);
}

/* ---- all of a list ---- */

/* A proposal of the list on its way. */
typedef struct entry {
    ashi_proposal *proposal;
    double least;    /* no estimate of it is below */
    int *given;      /* the ranks that its boxes had before they were settled, if others may look at that */
    bool out;        /* it cannot be one of those that are looked at closely */
} entry;

typedef struct listing {
    const ashi_problem *problem;
    entry *entry, **sorted; /* as they are listed; by the bound */
    int64_t count;
    int64_t *of_ranks;      /* two numbers for each rank */
    double best[ASHI_LOOKED_AT]; /* the least estimates so far, of proposals that are not computed at home */
    int bests;
} listing;

static int by_least(const void *a, const void *b)
{
    const entry *const *x = a, *const *y = b;
    if ((*x)->least != (*y)->least)
        return (*x)->least < (*y)->least ? -1 : 1;
    return (*x > *y) - (*x < *y);
}

static void listing_close(listing *l)
{
    for (int64_t i = 0; i < l->count && l->entry; i++)
        free(l->entry[i].given);
    free(l->entry);
    free(l->sorted);
    free(l->of_ranks);
}

static ashlar_status listing_open(const ashi_problem *q, int64_t first, ashi_proposals *list, listing *l,
                                  ashlar_error *err)
{
    const int64_t n = list->count - first;
    *l = (listing){.problem = q, .count = n};
    l->entry = calloc((size_t)(n + 1), sizeof *l->entry);
    l->sorted = malloc((size_t)(n + 1) * sizeof *l->sorted);
    l->of_ranks = malloc(2 * (size_t)q->ranks * sizeof *l->of_ranks);
    if (!l->entry || !l->sorted || !l->of_ranks)
        return ashi_fail_memory(err, "plan", n * (int64_t)(sizeof *l->entry + sizeof *l->sorted) + q->ranks * 16);
    for (int64_t i = 0; i < n; i++) {
        ashi_proposal *p = &list->at[first + i];
        l->entry[i] = (entry){.proposal = p, .least = ashi_estimate_least(q, p)};
        l->sorted[i] = &l->entry[i];
    }
    qsort(l->sorted, (size_t)n, sizeof *l->sorted, by_least);
    return ASHLAR_OK;
}

/* Keep the least estimates of those that are measured in the order of their estimates if they fit, as all do without a
 * memory limit, however many ranks a proposal has to use. */
static void note(listing *l, const ashi_proposal *p)
{
    const ashi_problem *q = l->problem;
    if (p->at_home || ashi_proposal_ranks(p) < q->ranks - ashi_idle_most(q->idle, q->ranks))
        return;
    int at = l->bests < ASHI_LOOKED_AT ? l->bests++ : ASHI_LOOKED_AT;
    for (; at > 0 && l->best[at - 1] > p->estimate; at--)
        if (at < ASHI_LOOKED_AT)
            l->best[at] = l->best[at - 1];
    if (at < ASHI_LOOKED_AT)
        l->best[at] = p->estimate;
}

/* Whether as many others are better as are measured. */
static bool is_beaten(const listing *l, const entry *e)
{
    return l->problem->memory_words == 0 && !e->proposal->at_home && l->bests == ASHI_LOOKED_AT &&
           e->least > l->best[ASHI_LOOKED_AT - 1];
}

/* Settling proposals of equal boxes on equal axes, with equal ranks at first, has one result. */
static bool is_shared(const ashi_proposal *p)
{
    return !p->bricks.box && !p->own[0] && !p->own[1] && !p->own[2] &&
           (p->settling == ASHI_SETTLES_RANKS || (p->settling == ASHI_SETTLES_ORDERS && p->bricks.grid[2] == 1));
}

static const ashi_proposal *find_settled(const listing *l, const entry *e)
{
    const ashi_bricks *b = &e->proposal->bricks;
    for (int64_t i = 0; i < l->count && is_shared(e->proposal); i++) {
        const entry *other = l->sorted[i];
        if (other == e)
            return NULL;
        const ashi_bricks *o = &other->proposal->bricks;
        if (other->given && ashi_bricks_same_cuts(o, b) &&
            memcmp(other->given, b->rank_of, (size_t)b->count * sizeof *b->rank_of) == 0 &&
            ashi_sight_same_axes(l->problem, &o->lead, &b->lead))
            return other->proposal;
    }
    return NULL;
}

/* Find the ranks of its boxes. */
static ashlar_status settle(listing *l, entry *e, ashi_burden *burden, ashlar_error *err)
{
    ashi_proposal *p = e->proposal;
    const size_t bytes = (size_t)p->bricks.count * sizeof *e->given;
    *burden = (ashi_burden){-1, 0};
    if (p->settling == ASHI_SETTLED)
        return ASHLAR_OK;
    if (is_shared(p)) {
        e->given = malloc(bytes);
        if (!e->given)
            return ashi_fail_memory(err, "plan", (int64_t)bytes);
        memcpy(e->given, p->bricks.rank_of, bytes);
    }
    const bool orders = p->settling == ASHI_SETTLES_ORDERS;
    p->settling = ASHI_SETTLED;
    return ashi_settle(l->problem, &p->bricks, orders, burden, err);
}

static ashlar_status estimate_one(listing *l, entry *e, ashlar_error *err)
{
    const ashi_problem *q = l->problem;
    ashi_proposal *p = e->proposal;
    const ashi_proposal *same = find_settled(l, e);
    const ashlar_layout *layout[3];
    ashi_burden burden;
    ashi_sight own = {0};
    const ashi_sight *s = &own;
    if (same) {
        memcpy(p->bricks.rank_of, same->bricks.rank_of, (size_t)p->bricks.count * sizeof *p->bricks.rank_of);
        p->settling = ASHI_SETTLED;
        p->estimate = same->estimate;
        return ASHLAR_OK;
    }
    ashlar_status status = settle(l, e, &burden, err);
    if (status != ASHLAR_OK || is_known(q, &p->bricks, &burden, &p->estimate))
        return status;
    ashi_proposal_layouts(q, p, layout);
    status = p->own[0] || p->own[1] || p->own[2] ? ashi_sight_open(q, layout, p->bricks.lead, &own, err)
                                                 : ashi_sight_find(q, p->bricks.lead, &own, &s, err);
    if (status == ASHLAR_OK)
        status = estimate(q, s->view, &p->bricks, l->of_ranks, l->of_ranks + q->ranks, &p->estimate, err);
    ashi_sight_close(&own);
    return status;
}

/* Leave out those that are beaten; the others stay in their order. */
static void leave_out(const listing *l, int64_t first, ashi_proposals *list)
{
    int64_t n = first;
    for (int64_t i = 0; i < l->count; i++)
        if (l->entry[i].out)
            ashi_proposal_free(l->entry[i].proposal);
        else
            list->at[n++] = *l->entry[i].proposal;
    list->count = n;
}

ashlar_status ashi_estimate_proposals(const ashi_problem *q, int64_t first, ashi_proposals *list, ashlar_error *err)
{
    listing l;
    ashlar_status status = listing_open(q, first, list, &l, err);
    for (int64_t i = 0; i < l.count && status == ASHLAR_OK; i++) {
        entry *e = l.sorted[i];
        e->out = is_beaten(&l, e);
        if (e->out)
            continue;
        status = estimate_one(&l, e, err);
        note(&l, e->proposal);
    }
    if (status == ASHLAR_OK)
        leave_out(&l, first, list);
    listing_close(&l);
    return status;
}
