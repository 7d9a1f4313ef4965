/* Products of matrices of tiles of which C, or what is to become of it, has tiles that are stored as U V^T. */
#include "tiles/multiply_panels.h"

#include "base/checked.h"
#include "base/error.h"
#include "exec/mpi.h"
#include "tiles/low_rank_product.h"
#include "tiles/multiply.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* EVEN: the least tiles that each row, or column, of processes has in a panel, so that all have about as much work. */
enum { EVEN = 4 };

typedef struct panels {
    const ashi_tiles_asked *q;
    int side;          /* which side of C is cut: 0 its rows, 1 its columns */
    int64_t count;
    ashi_held made;    /* C's tiles outside the ranges, and those of the panels that are done */
    int64_t now, all;  /* the panel that is formed, and its iterations: for progress */
    ashlar_tiles_result sum;
} panels;

/* ---- how many panels ---- */

/* Rows or columns of the process grid that C is on. */
static int64_t processes(const ashlar_tiles *c, int side)
{
    return side == 0 ? c->deal.grid_rows : c->deal.grid_cols;
}

static const ashi_cuts *cuts_of(const ashlar_tiles *c, int side)
{
    return side == 0 ? &c->row : &c->col;
}

static double part_present(const ashlar_tiles *t)
{
    const double all = (double)ashi_cuts_all(&t->row) * (double)ashi_cuts_all(&t->col);
    return all > 0 ? fmin(1, (double)(t->all_elements + t->all_mirrored) / all) : 0;
}

/* About how many elements C's tiles have after the product, if the tiles of A and B are anywhere. */
static double expected(const ashi_tiles_asked *q)
{
    const ashlar_tiles *const c = q->c;
    double absent = 1 - part_present(c);
    for (int64_t i = 0; i < q->terms && !q->options.retain; i++) {
        const ashlar_tiles *const a = q->term[i].a;
        const ashi_cuts *const k = q->term[i].op_a == ASHLAR_OP_N ? &a->col : &a->row;
        absent *= pow(1 - part_present(a) * part_present(q->term[i].b), (double)k->tiles);
    }
    const double all = (double)ashi_cuts_all(&c->row) * (double)ashi_cuts_all(&c->col);
    return (1 - absent) * all / (c->symmetry == ASHLAR_GENERAL ? 1 : 2);
}

/* What is cut: the side whose panels do not need all of the larger factor. That of rows if C has a symmetry. */
static int choose_side(const ashi_tiles_asked *q)
{
    int64_t a = 0, b = 0;
    for (int64_t i = 0; i < q->terms; i++) {
        a += q->term[i].a->all_words;
        b += q->term[i].b->all_words;
    }
    return q->c->symmetry == ASHLAR_GENERAL && b > a ? 1 : 0;
}

/* As many as it takes for a dense panel of C to need about as much as the matrices do. A panel needs all of B, or of A:
 * what travels is then no more than if C's elements did once. */
static int64_t choose_count(const ashi_tiles_asked *q, int side)
{
    const ashlar_tiles *const c = q->c;
    const int64_t most = cuts_of(c, side)->tiles / (processes(c, side) * EVEN);
    double stored = (double)c->all_words;
    for (int64_t i = 0; i < q->terms; i++)
        stored += (double)q->term[i].a->all_words +
                  (q->term[i].a == q->term[i].b ? 0 : (double)q->term[i].b->all_words);
    if (!(q->options.tolerance > 0) || q->ranges.given || q->options.trace || most <= 1)
        return 1;
    return (int64_t)fmin((double)most, fmax(1, ceil(expected(q) / fmax(1, stored))));
}

/* Whether all terms have as many tiles of k, so that one range of k has all of them. */
static bool same_inner(const ashi_tiles_asked *q)
{
    int64_t tiles = -1;
    for (int64_t i = 0; i < q->terms; i++) {
        const ashlar_tiles *const a = q->term[i].a;
        const int64_t of = q->term[i].op_a == ASHLAR_OP_N ? a->col.tiles : a->row.tiles;
        if (tiles >= 0 && of != tiles)
            return false;
        tiles = of;
    }
    return true;
}

bool ashi_tiles_wants_panels(const ashi_tiles_asked *q)
{
    if (q->ranges.given)
        return q->options.tolerance > 0 || q->c->all_low > 0;
    return q->terms > 0 && !q->c->deal.owner && same_inner(q) && choose_count(q, choose_side(q)) > 1;
}

/* ---- a panel ---- */

/* Elements of the stored half of C, which has a symmetry, in the tiles of its first rows of tiles. */
static double stored_before(const ashlar_tiles *c, int64_t rows)
{
    const double all = (double)ashi_cuts_all(&c->row), before = (double)c->row.at[rows];
    return before * all - before * before / 2;
}

/* The first row or column of tiles of a panel, or the end of the last one: a multiple of the processes on that side, so
 * that all have as many. Panels have about as many elements each. */
static int64_t panel_begins(const panels *s, int64_t panel)
{
    const ashlar_tiles *const c = s->q->c;
    const int64_t tiles = cuts_of(c, s->side)->tiles, unit = processes(c, s->side), units = ashi_ceil_div(tiles, unit);
    int64_t at = ashi_cut(units, s->count, panel);
    if (c->symmetry != ASHLAR_GENERAL && at > 0 && at < units) {
        const double wanted = stored_before(c, tiles) * (double)panel / (double)s->count;
        for (at = 0; at < units && stored_before(c, at * unit) < wanted;)
            at++;
    }
    return ashi_min(tiles, at * unit);
}

/* Tiles of m, n and k. If C has a symmetry its stored tiles of some rows are in these columns or later ones. */
static ashi_ranges ranges_of(const panels *s, int64_t panel)
{
    const ashi_tiles_asked *const q = s->q;
    const ashlar_tiles *const a = q->term[0].a;
    ashi_ranges r = q->ranges;
    if (r.given)
        return r;
    r = (ashi_ranges){true, {0, 0, 0}, {q->c->row.tiles, q->c->col.tiles,
                                        q->term[0].op_a == ASHLAR_OP_N ? a->col.tiles : a->row.tiles}};
    r.first[s->side] = panel_begins(s, panel);
    r.end[s->side] = panel_begins(s, panel + 1);
    if (q->c->symmetry != ASHLAR_GENERAL)
        r.first[1] = r.first[0];
    return r;
}

/* Those of `from` that are in the ranges, or those that are not, with the ranks that they have, are added to `to`. */
static ashlar_status add_tiles(const ashlar_tiles *t, const ashi_held *from, const ashi_ranges *ranges, bool inside,
                               ashi_held *to, ashlar_error *err)
{
    const ashi_held_size size = ashi_tiles_held_size(t);
    const size_t room = (size_t)from->pattern.tiles + 1;
    ashi_tile_at *const at = malloc(room * sizeof *at);
    int64_t *const rank = malloc(room * sizeof *rank), count = 0;
    ashi_held both = {0};
    ashlar_status status = at && rank ? ASHLAR_OK
                                      : ashi_fail_memory(err, "tiles of a product",
                                                         from->pattern.tiles * (int64_t)(sizeof *at + sizeof *rank));
    for (ashi_held_walk w = {.number = -1}; status == ASHLAR_OK && ashi_held_next(from, &w);)
        if (ashi_ranges_have(ranges, 0, w.at.row, 1, w.at.col) == inside) {
            at[count] = w.at;
            rank[count++] = ashi_held_rank(from, w.number);
        }
    if (status == ASHLAR_OK)
        status = ashi_held_grow_ranked(to, at, rank, count, &size, &both, err);
    free(at);
    free(rank);
    if (status != ASHLAR_OK) {
        ashi_held_free(&both);
        return status;
    }
    ashi_held_copy(from, &size, &both);
    ashi_held_free(to);
    *to = both;
    return ASHLAR_OK;
}

/* A matrix with C's tiles in the ranges. Collective. */
static ashlar_status begin_panel(const panels *s, const ashi_ranges *ranges, ashlar_tiles **out, ashlar_error *err)
{
    const ashlar_tiles *const c = s->q->c;
    ashlar_status status = ashi_tiles_like(c, out, err);
    if (status == ASHLAR_OK)
        status = add_tiles(c, &c->held, ranges, true, &(*out)->held, err);
    status = ashi_agree_named(c->context, status, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_tiles_count(*out);
    return ashi_conclude(c->context, ASHLAR_OK, err);
}

static void tell_progress(void *user, int64_t done, int64_t all)
{
    const panels *const s = user;
    s->q->options.progress(s->q->options.progress_user, s->now * all + done, s->count * all);
}

static ashlar_status multiply(panels *s, const ashi_tiles_asked *of_panel, ashlar_tiles_result *result,
                              ashlar_error *err)
{
    ashi_tiles_product p;
    const double began = MPI_Wtime();
    ashlar_status status = ashi_tiles_product_begin(of_panel, false, &p, err);
    status = ashi_tiles_product_make(&p, status, err);
    const double planning = MPI_Wtime() - began;
    if (status == ASHLAR_OK)
        status = ashi_tiles_product_run(&p, of_panel, result, err);
    result->planning_seconds = planning;
    ashi_tiles_product_free(&p);
    return ashi_agree(s->q->context, status, err);
}

/* ---- the sum ---- */

/* sqrt of the sum of squares of bounds, not below the true value. */
static double join(double a, double b)
{
    return a == 0 ? b : b == 0 ? a : hypot(a, b) * (1 + 4 * DBL_EPSILON);
}

static void add_result(panels *s, const ashlar_tiles_result *r, int64_t held)
{
    ashlar_tiles_result *const sum = &s->sum;
    const bool first = sum->layers == 0;
    sum->products += r->products;
    sum->left_out += r->left_out;
    sum->dropped += r->dropped;
    sum->flops += r->flops;
    sum->words += r->words;
    sum->messages += r->messages;
    sum->predicted_words += r->predicted_words;
    sum->seconds += r->seconds;
    sum->planning_seconds += r->planning_seconds;
    sum->planning_steps += r->planning_steps;
    sum->workspace_words = ashi_max(sum->workspace_words, r->workspace_words);
    sum->memory_words = ashi_max(sum->memory_words, r->memory_words + held);
    sum->iterations = ashi_max(sum->iterations, r->iterations);
    sum->window = r->window > sum->window ? r->window : sum->window;
    sum->imbalance = fmax(sum->imbalance, r->imbalance);
    sum->error_bound = first ? r->error_bound : join(sum->error_bound, r->error_bound);
    sum->stays = ASHLAR_STAYS_C;
    sum->layers = 1;
}

/* Collective. */
static ashlar_status form_panel(panels *s, int64_t panel, ashlar_error *err)
{
    const ashi_tiles_asked *const q = s->q;
    const ashi_ranges ranges = ranges_of(s, panel);
    ashi_tiles_asked of_panel = *q;
    ashlar_tiles_result result = {0};
    const int64_t held = ashi_held_words(&q->c->held) + ashi_held_words(&s->made);
    ashlar_tiles *part = NULL;
    ashlar_status status = begin_panel(s, &ranges, &part, err);
    of_panel.c = part;
    of_panel.ranges = ranges;
    s->now = panel;
    if (q->options.progress) {
        of_panel.options.progress = tell_progress;
        of_panel.options.progress_user = s;
    }
    if (status == ASHLAR_OK)
        status = multiply(s, &of_panel, &result, err);
    if (status == ASHLAR_OK)
        status = ashi_agree_named(q->context, add_tiles(q->c, &part->held, &ranges, true, &s->made, err), err);
    if (status == ASHLAR_OK)
        add_result(s, &result, held);
    ashlar_tiles_free(&part);
    return status;
}

ashlar_status ashi_tiles_multiply_panels(const ashi_tiles_asked *q, ashlar_tiles_result *result, ashlar_error *err)
{
    panels s = {.q = q, .side = choose_side(q)};
    s.count = choose_count(q, s.side);
    ashlar_status status = ASHLAR_OK;
    if (q->ranges.given)
        status = ashi_agree_named(q->context, add_tiles(q->c, &q->c->held, &q->ranges, false, &s.made, err), err);
    for (int64_t panel = 0; panel < s.count && status == ASHLAR_OK; panel++)
        status = form_panel(&s, panel, err);
    if (status == ASHLAR_OK)
        status = ashi_tiles_settle(q->c, &s.made, err);
    if (status == ASHLAR_OK)
        *result = s.sum;
    ashi_held_free(&s.made);
    return status;
}
