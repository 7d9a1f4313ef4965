/* A product that was made for certain patterns, changed for others of which few tiles differ. */
#include "tiles/product_change.h"

#include "base/checked.h"
#include "base/error.h"
#include "layout/pattern_sets.h"
#include "layout/symbolic_update.h"
#include "tiles/product_parts.h"

#include <stdlib.h>

bool ashi_tiles_product_changes(const ashi_tiles_product *p)
{
    return !p->screen.type;
}

/* ---- tiles of A and B ---- */

enum { COMES = 1, GOES = -1 };

/* Stored tiles that come or go, as tiles of op(X). */
static ashlar_status list_stored(const ashi_tiles_product *p, const ashi_tiles_factors *t, int x,
                                 const ashi_pattern *stored, int64_t value, ashi_names *out, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t r = 0; r < stored->rows; r++)
        for (int64_t i = stored->start[r]; i < stored->start[r + 1] && status == ASHLAR_OK; i++)
            status = ashi_tiles_factors_name(p, t, x, &(ashi_name){stored->row[r], stored->col[i], value}, out, err);
    return status;
}

static ashlar_status list_own(const ashi_tiles_product *p, int x, const ashi_pattern_changes *changed, ashi_names *out,
                              ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t q = 0; q < p->terms && status == ASHLAR_OK; q++) {
        status = list_stored(p, &p->term[q], x, &changed[2 * q + x].removed, GOES, out, err);
        if (status == ASHLAR_OK)
            status = list_stored(p, &p->term[q], x, &changed[2 * q + x].added, COMES, out, err);
    }
    return status;
}

/* The changes in one or two lists, which may name a tile twice. */
static ashlar_status changes_in(const ashi_names *x, const ashi_names *y, ashi_pattern_changes *out, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    *out = (ashi_pattern_changes){0};
    for (int64_t value = GOES; value <= COMES && status == ASHLAR_OK; value += COMES - GOES) {
        ashi_names list = {0};
        for (int64_t i = 0; i < x->count + (y ? y->count : 0) && status == ASHLAR_OK; i++) {
            const ashi_name *name = i < x->count ? &x->name[i] : &y->name[i - x->count];
            if (name->value == value)
                status = ashi_names_add(&list, name, err);
        }
        if (status == ASHLAR_OK)
            status = ashi_names_pattern(&list, value == GOES ? &out->removed : &out->added, err);
        ashi_names_free(&list);
    }
    return status;
}

/* If `both` is `needed` before and after, needed's change is its own. */
static ashlar_status change_both(ashi_tiles_product *p, int x, const ashi_names *own, const ashi_names *in,
                                 const ashi_pattern_changes *needed, ashi_pattern_changes *changes, ashlar_error *err)
{
    ashi_pattern after = {0};
    ashlar_status status = changes_in(own, in, changes, err);
    if (status == ASHLAR_OK && p->same[x] && changes->added.tiles == needed->added.tiles &&
        changes->removed.tiles == needed->removed.tiles)
        return ASHLAR_OK;
    if (status == ASHLAR_OK)
        status = ashi_pattern_change(&p->both[x], changes, &after, err);
    ashi_product_free_both(p, x);
    p->both[x] = after;
    return status;
}

/* Take over the needed tiles as they are now. */
static void take_needed(ashi_tiles_product *p, int x, const ashi_pattern *after)
{
    ashi_pattern_free(&p->needed[x]);
    p->needed[x] = *after;
    if (p->same[x])
        p->both[x] = *after;
    else
        ashi_product_join_both(p, x);
}

/* How many needed tiles with elements there are for each k. */
static void change_counts(ashi_tiles_product *p, int x, const ashi_names *in)
{
    for (int64_t i = 0; i < in->count; i++) {
        const ashi_tile_at at = {in->name[i].row, in->name[i].col};
        if (ashi_tile_words(&p->problem, (ashlar_operand)x, &at) > 0)
            p->inner_tiles[x][x == ASHLAR_A ? at.col : at.row] += in->name[i].value;
    }
}

/* What comes and goes of the tiles that this rank needs, and of these and its own. Collective. */
static ashlar_status change_needed(ashi_tiles_product *p, int x, const ashi_pattern_changes *changed,
                                   ashlar_status mine, ashi_pattern_changes *needed, ashi_pattern_changes *both,
                                   ashlar_error *err)
{
    const ashi_named_to to = {&p->c->deal, p->layers};
    ashi_names own = {0}, in = {0};
    if (mine == ASHLAR_OK)
        mine = list_own(p, x, changed, &own, err);
    ashlar_status status = ashi_names_exchange(p->c->context, mine, &to, (ashlar_operand)x, &own, &in, err);
    p->steps.named += own.count + in.count;
    if (status == ASHLAR_OK)
        status = changes_in(&in, NULL, needed, err);
    if (status == ASHLAR_OK)
        status = change_both(p, x, &own, &in, needed, both, err);
    if (status == ASHLAR_OK)
        change_counts(p, x, &in);
    ashi_names_free(&own);
    ashi_names_free(&in);
    return status;
}

/* ---- C ---- */

/* C's tiles begin elsewhere. With ranges that is found anew once all changes are known, since tiles outside the ranges
 * are between them. */
static ashlar_status change_offsets(ashi_tiles_product *p, const ashi_pattern_changes *changes,
                                    const ashi_splice *splice, ashlar_error *err)
{
    const ashi_pattern *added = &changes->added;
    if (p->ranges.given)
        return ASHLAR_OK;
    int64_t *words = malloc(((size_t)added->tiles + 1) * sizeof *words);
    if (!words)
        return ashi_fail_memory(err, p->who, added->tiles * (int64_t)sizeof *words);
    for (int64_t r = 0; r < added->rows; r++)
        for (int64_t t = added->start[r]; t < added->start[r + 1]; t++)
            words[t] = ashi_tiles_words(p->c, added->row[r], added->col[t]);
    p->offset_room = ashi_max(p->offset_room, splice->before);
    const ashlar_status status = ashi_splice_starts(splice, &p->offset, &p->offset_room, words, err);
    free(words);
    return status;
}

/* C may have had other tiles before than when the product was made: those without products follow them. There are such
 * tiles only if C had some at one of the two times. */
static ashlar_status find_followers(const ashi_tiles_product *p, ashi_pattern_changes *changes, ashlar_error *err)
{
    const ashi_symbolic *s = &p->symbolic;
    const ashi_pattern *before = ashi_product_before(p);
    ashi_pattern_maker gone = {0};
    bool added = true;
    for (int64_t r = 0; r < s->c.rows; r++)
        for (int64_t t = s->c.start[r]; t < s->c.start[r + 1] && added; t++)
            if (s->products[t] == 0 && ashi_pattern_find(before, s->c.row[r], s->c.col[t]) < 0)
                added = ashi_pattern_add(&gone, s->c.row[r], s->c.col[t]);
    const ashlar_status status = ashi_pattern_finish(&gone, added, &changes->removed, err);
    return status == ASHLAR_OK ? ashi_pattern_difference(before, &s->c, &changes->added, err) : status;
}

static ashlar_status follow_before(ashi_tiles_product *p, ashi_pattern_changes *changes, ashlar_error *err)
{
    ashi_splice splice = {0};
    const bool stands = ashi_product_before(p)->tiles > 0, may_change = stands || p->stood;
    ashlar_status status = may_change ? find_followers(p, changes, err) : ASHLAR_OK;
    p->stood = stands;
    if (status != ASHLAR_OK || changes->added.tiles + changes->removed.tiles == 0)
        return status;
    status = ashi_symbolic_change_tiles(&p->symbolic, changes, NULL, &splice, err);
    if (status == ASHLAR_OK)
        status = change_offsets(p, changes, &splice, err);
    ashi_splice_free(&splice);
    return status;
}

/* The factors before and after. */
typedef struct factors {
    ashi_factor a[2], b[2];
} factors;

static ashlar_status make_factors(const ashi_tiles_product *p, const ashi_pattern after[2], factors *f,
                                  ashlar_error *err)
{
    const ashi_pattern *const a[2] = {&p->needed[0], &after[0]}, *const b[2] = {&p->needed[1], &after[1]};
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < 2 && status == ASHLAR_OK; i++) {
        status = ashi_factor_make(a[i], ASHLAR_GENERAL, ASHLAR_OP_N, &f->a[i], err);
        if (status == ASHLAR_OK)
            status = ashi_factor_make(b[i], ASHLAR_GENERAL, ASHLAR_OP_N, &f->b[i], err);
    }
    return status;
}

static void free_factors(factors *f)
{
    for (int i = 0; i < 2; i++) {
        ashi_factor_free(&f->a[i]);
        ashi_factor_free(&f->b[i]);
    }
}

static ashlar_status change_sums(ashi_tiles_product *p, const ashi_pattern_changes needed[2],
                                 const ashi_pattern after[2], ashi_pattern_changes sums[ASHI_PRODUCT_SUMS],
                                 ashlar_error *err)
{
    factors f = {0};
    ashi_splice splice = {0};
    ashlar_status status = make_factors(p, after, &f, err);
    if (status == ASHLAR_OK)
        status = ashi_product_find_before(p, err);
    ashi_sparse_product product[2];
    for (int i = 0; i < 2; i++)
        product[i] = (ashi_sparse_product){.a = &f.a[i], .b = &f.b[i], .rows = p->problem.cuts[0],
                                           .cols = p->problem.cuts[1], .inner = p->problem.cuts[2],
                                           .c = ashi_product_before(p), .retain = p->retain,
                                           .half = p->c->symmetry != ASHLAR_GENERAL};
    const ashi_symbolic_changes changes = {&product[0], &product[1], &needed[0], &needed[1]};
    if (status == ASHLAR_OK)
        status = ashi_symbolic_update(&changes, &p->symbolic, &sums[0], &splice, err);
    p->steps.products += p->symbolic.visited;
    if (status == ASHLAR_OK)
        status = change_offsets(p, &sums[0], &splice, err);
    if (status == ASHLAR_OK)
        status = follow_before(p, &sums[1], err);
    if (status == ASHLAR_OK && p->ranges.given)
        status = ashi_product_find_after(p, err);
    ashi_splice_free(&splice);
    free_factors(&f);
    return status;
}

ashlar_status ashi_tiles_product_change(ashi_tiles_product *p, const ashi_pattern_changes *changed,
                                        ashlar_status mine, ashlar_error *err)
{
    ashi_pattern_changes needed[2] = {0};
    ashi_pattern after[2] = {0};
    ashi_product_kept kept;
    ashi_product_keep(p, &kept);
    ashlar_status status = change_needed(p, ASHLAR_A, changed, mine, &needed[0], &kept.factor[0], err);
    status = change_needed(p, ASHLAR_B, changed, status, &needed[1], &kept.factor[1], err);
    for (int x = 0; x < 2 && status == ASHLAR_OK; x++)
        status = ashi_pattern_change(&p->needed[x], &needed[x], &after[x], err);
    if (status == ASHLAR_OK)
        status = ashi_product_move_used(p, needed, err);
    if (status == ASHLAR_OK)
        status = change_sums(p, needed, after, kept.sums, err);
    for (int x = 0; x < 2; x++)
        take_needed(p, x, &after[x]);
    if (status == ASHLAR_OK)
        status = ashi_product_open_used(p, needed, err);
    for (int x = 0; x < 2; x++)
        ashi_pattern_changes_free(&needed[x]);
    ashi_tiles_product_drop(p);
    status = ashi_tiles_product_finish(p, &kept, status, err);
    ashi_product_kept_free(&kept);
    return status;
}
