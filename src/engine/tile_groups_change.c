/* The groups of a rank after a few tiles have changed. */
#include "engine/tile_groups_change.h"

#include "base/checked.h"
#include "base/error.h"
#include "engine/tile_changes.h"
#include "engine/tile_entry.h"

#include <stdlib.h>
#include <string.h>

/* What changes in a line. Tiles that go are entries as the problem before says, those that come as the one after. */
typedef struct changing {
    const ashi_tile_groups_changes *changes;
    ashi_tile_finding gone, come;
    const ashi_tile_groups *old;
    int64_t *index;   /* where tiles that go are in the line, and before which tiles others come */
    int64_t *words;
    ashi_tile_at *at; /* of tiles that come */
    int64_t looked;
} changing;

/* Whether tiles of C and their words follow from C's pattern. */
static bool is_plain(const ashi_tile_problem *p)
{
    return !p->layers && !p->operand[0].rank && !p->operand[1].rank;
}

bool ashi_tile_groups_can_change(const ashi_tile_problem *before, const ashi_tile_problem *after)
{
    const ashi_deal *c = after->operand[ASHLAR_C].deal;
    const int64_t parts[2] = {c->grid_rows, c->grid_cols};
    bool same = is_plain(before) && is_plain(after) && before->iterations == after->iterations &&
                ashi_tile_lends_sums(before) == ashi_tile_lends_sums(after) &&
                memcmp(before->first, after->first, (size_t)(after->iterations + 1) * sizeof *after->first) == 0;
    for (int x = 0; x < 2 && same; x++)
        same = memcmp(before->needs->sums[x], after->needs->sums[x],
                      (size_t)(parts[x] * after->needs->words[x]) * sizeof **after->needs->sums) == 0;
    return same;
}

/* ---- where they are ---- */

static int use_of(const ashi_tile_group *g)
{
    return g->alone ? ASHI_TILE_STAYS : g->needed ? ASHI_TILE_COMES : ASHI_TILE_ONLY_SENT;
}

static const ashi_tile_round *round_of(const changing *g, const ashi_tile_entry *e)
{
    const int x = g->come.x;
    return &g->old->round[x][e->iteration * ashi_tile_panels(g->changes->after, x) + e->panel];
}

/* The group that an entry belongs to; none: NULL, and *position is where such a group begins. */
static const ashi_tile_group *find_group(const changing *g, const ashi_tile_entry *e, int64_t *position)
{
    const ashi_tile_round *round = round_of(g, e);
    *position = round->lo;
    for (int64_t i = round->group; i < round->group + round->groups; i++) {
        const ashi_tile_group *group = &g->old->group[i];
        const int use = use_of(group), order = ashi_tile_compare_name(group, e);
        if (use == e->use && order == 0)
            return group;
        if (use < e->use || (use == e->use && order < 0))
            *position = ashi_max(*position, group->hi);
    }
    return NULL;
}

static bool is_before(const ashi_tile_at *x, const ashi_tile_at *y)
{
    return x->row != y->row ? x->row < y->row : x->col < y->col;
}

/* The first tile of the line from `first` on, but before `end`, that is not before a tile. It is most often near, and
 * strides of equal length through what is near are foreseen by the processor. */
static int64_t find_index(const ashi_tile_line *line, const ashi_tile_entry *e, int64_t first, int64_t end)
{
    enum { STRIDE = 16, STRIDES = 32 };
    int64_t step = STRIDE;
    for (int64_t strides = 0; step <= end - first && is_before(&line->tile[first + step - 1], &e->at); strides++) {
        first += step;
        step *= strides < STRIDES ? 1 : 2;
    }
    for (end = ashi_min(end, first + step - 1); first < end;) {
        const int64_t middle = first + (end - first) / 2;
        if (is_before(&line->tile[middle], &e->at))
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* Add `sign` for each entry to the pieces, which begin with those of the groups before, and set their indices. */
static ashlar_status find_places(changing *g, const ashi_tile_finding *f, int64_t sign, int64_t *index,
                                 ashlar_error *err)
{
    const int64_t base = g->old->round[f->x][0].group;
    ashi_tile_finding *to = &g->come;
    const ashi_tile_line *line = &g->old->line[f->x];
    const ashi_tile_group *group = NULL;
    int64_t position = 0, piece = 0, first = 0, end = 0;
    for (int64_t i = 0; i < f->entries; i++) {
        const ashi_tile_entry *e = &f->entry[i];
        if (i == 0 || !ashi_tile_same_group(e, &f->entry[i - 1])) {
            group = find_group(g, e, &position);
            piece = group ? group - g->old->group - base : to->pieces;
            const ashlar_status status = group ? ASHLAR_OK : ashi_tile_add_piece(to, e, 0, err);
            if (status != ASHLAR_OK)
                return status;
            first = ashi_tile_line_find(line, group ? group->lo : position);
            end = group ? ashi_tile_line_find(line, group->hi) : first;
        }
        to->piece[piece].tiles += sign;
        first = index[i] = find_index(line, e, first, end);
    }
    return ASHLAR_OK;
}

/* ---- changing ---- */

/* Pieces of the groups as they are. */
static ashlar_status list_pieces(changing *g, int x, ashlar_error *err)
{
    const ashi_tile_line *line = &g->old->line[x];
    const int panels = ashi_tile_panels(g->changes->after, x);
    ashlar_status status = ASHLAR_OK;
    g->come.pieces = 0;
    for (int64_t s = 0; s < g->changes->after->iterations * panels; s++) {
        const ashi_tile_round *round = &g->old->round[x][s];
        for (int64_t i = round->group; i < round->group + round->groups && status == ASHLAR_OK; i++) {
            const ashi_tile_group *of = &g->old->group[i];
            const ashi_tile_entry e = {.iteration = s / panels, .panel = (int)(s % panels), .use = use_of(of),
                                       .owner = of->owner, .part = of->part, .mask = of->mask,
                                       .mask_words = of->mask_words};
            status = ashi_tile_add_piece(&g->come, &e,
                                         ashi_tile_line_find(line, of->hi) - ashi_tile_line_find(line, of->lo), err);
        }
    }
    return status;
}

static ashlar_status make_lists(changing *g, int64_t gone, int64_t come, ashlar_error *err)
{
    const int64_t all = gone + come + 1;
    free(g->index);
    free(g->words);
    free(g->at);
    g->index = malloc((size_t)all * sizeof *g->index);
    g->words = malloc((size_t)(come + 1) * sizeof *g->words);
    g->at = malloc((size_t)(come + 1) * sizeof *g->at);
    return g->index && g->words && g->at
               ? ASHLAR_OK : ashi_fail_memory(err, "groups of tiles", all * 4 * (int64_t)sizeof *g->index);
}

/* The tiles that go are at index[0] on, those that come behind them. */
static ashlar_status change_line(changing *g, int64_t gone, int64_t come, ashi_tile_line *line, ashlar_error *err)
{
    ashi_splice splice;
    const ashi_tile_line_come tiles = {g->at, g->words};
    for (int64_t i = 0; i < come; i++)
        g->words[i] = ashi_tile_words(g->changes->after, (ashlar_operand)g->come.x, &g->at[i]);
    ashlar_status status = ashi_splice_make(line->tiles, g->index, gone, g->index + gone, come, &splice, err);
    if (status == ASHLAR_OK)
        status = ashi_tile_line_change(line, &splice, &tiles, err);
    ashi_splice_free(&splice);
    return status;
}

/* Pieces without tiles are left out; the others name the masks that are valid from now on. */
static void settle_pieces(changing *g, const ashi_tile_line *line)
{
    ashi_tile_finding *f = &g->come;
    const ashi_tile_needs *needs = f->p->needs;
    const ashi_pattern *pattern = f->p->operand[f->x].pattern;
    int64_t count = 0, at = 0;
    if (f->pieces > 1)
        qsort(f->piece, (size_t)f->pieces, sizeof *f->piece, ashi_tile_along_line);
    for (int64_t i = 0; i < f->pieces; i++) {
        if (f->piece[i].tiles == 0)
            continue;
        ashi_tile_piece *to = &f->piece[count++];
        *to = f->piece[i];
        const ashi_tile_at *first = &line->tile[at];
        const int64_t number = needs->exact[f->x] ? ashi_pattern_find(pattern, first->row, first->col) : -1;
        to->of.mask = ashi_tile_mask(needs, f->x, ashi_tile_inner(f->x, first), number);
        at += to->tiles;
    }
    f->pieces = count;
}

static ashlar_status change_operand(changing *g, int x, ashi_tile_groups *out, ashlar_error *err)
{
    g->gone.x = g->come.x = x;
    ashlar_status status = ashi_tile_changes_find(g->changes, &g->gone, &g->come, &g->looked, err);
    const int64_t gone = g->gone.entries, come = g->come.entries;
    if (status == ASHLAR_OK)
        status = list_pieces(g, x, err);
    if (status == ASHLAR_OK)
        status = make_lists(g, gone, come, err);
    if (status == ASHLAR_OK)
        status = find_places(g, &g->gone, -1, g->index, err);
    if (status == ASHLAR_OK)
        status = find_places(g, &g->come, 1, g->index + gone, err);
    for (int64_t i = 0; i < come && status == ASHLAR_OK; i++)
        g->at[i] = g->come.entry[i].at;
    if (status == ASHLAR_OK)
        status = change_line(g, gone, come, &out->line[x], err);
    if (status != ASHLAR_OK)
        return status;
    ashi_tile_add_sides(&g->gone, -1, out->side[x]);
    ashi_tile_add_sides(&g->come, 1, out->side[x]);
    settle_pieces(g, &out->line[x]);
    return ashi_tile_make_rounds(&g->come, err);
}

/* ---- C ---- */

/* Whether tile t of C's line is before `at`, which is of a panel. */
static bool is_sum_before(const changing *g, int64_t t, int panel, const ashi_tile_at *at)
{
    const ashi_tile_at *tile = &g->come.out->line[ASHLAR_C].tile[t];
    const int of = g->come.panel[0] || g->come.panel[1] ? ashi_tile_sums_panel(&g->come, tile) : panel;
    return of != panel ? of < panel : is_before(tile, at);
}

/* The tile of C's line that `at` is, or before which it comes; it is not before tile `first`, and most often near. */
static int64_t find_sum(const changing *g, const ashi_tile_line *line, const ashi_tile_at *at, int64_t first)
{
    const int panel = ashi_tile_sums_panel(&g->come, at);
    int64_t step = 1;
    while (first + step < line->tiles && is_sum_before(g, first + step, panel, at)) {
        first += step;
        step *= 2;
    }
    for (int64_t end = ashi_min(first + step, line->tiles); first < end;) {
        const int64_t middle = first + (end - first) / 2;
        if (is_sum_before(g, middle, panel, at))
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* The rank's tiles of a list, panel after panel, and their indices. */
static int64_t place_sums(changing *g, const ashi_pattern *tiles, const ashi_tile_line *line, ashi_tile_at *at,
                          int64_t *index)
{
    const ashi_tile_problem *p = g->changes->after;
    const int panels = ashi_tile_panels(p, ASHLAR_A) * ashi_tile_panels(p, ASHLAR_B);
    int64_t count = 0;
    for (int panel = 0; panel < panels; panel++)
        for (int64_t r = 0, first = 0; r < tiles->rows; r++)
            for (int64_t t = tiles->start[r]; t < tiles->start[r + 1]; t++) {
                const ashi_tile_at tile = {tiles->row[r], tiles->col[t]};
                if (ashi_tile_sums_panel(&g->come, &tile) != panel ||
                    ashi_tile_owner(p, ASHLAR_C, &tile) != g->come.rank)
                    continue;
                first = find_sum(g, line, &tile, first);
                index[count] = first;
                if (at)
                    at[count] = tile;
                count++;
            }
    g->looked += tiles->tiles;
    return count;
}

static ashlar_status change_sums(changing *g, const ashi_pattern_changes *c, ashi_tile_groups *out, ashlar_error *err)
{
    ashi_tile_line *line = &out->line[ASHLAR_C];
    g->come.x = ASHLAR_C;
    if (line->of)
        return ASHLAR_OK;
    const ashlar_status status = make_lists(g, c->removed.tiles, c->added.tiles, err);
    if (status != ASHLAR_OK)
        return status;
    const int64_t gone = place_sums(g, &c->removed, line, NULL, g->index);
    const int64_t come = place_sums(g, &c->added, line, g->at, g->index + gone);
    return change_line(g, gone, come, line, err);
}

/* ---- all of it ---- */

static void end_changing(changing *g)
{
    ashi_tile_finding_end(&g->gone);
    ashi_tile_finding_end(&g->come);
    free(g->index);
    free(g->words);
    free(g->at);
}

ashlar_status ashi_tile_groups_change(const ashi_tile_groups_changes *changes, int64_t rank, ashi_tile_groups *groups,
                                      int64_t *looked, ashlar_error *err)
{
    ashi_tile_groups old = *groups;
    ashi_tile_problem before = *changes->after;
    changing g = {.changes = changes, .old = &old};
    before.needs = changes->before->needs;
    groups->group = NULL;
    groups->groups = 0;
    groups->round[0] = groups->round[1] = NULL;
    ashlar_status status = ashi_tile_finding_begin(&before, rank, NULL, &g.gone, err);
    if (status == ASHLAR_OK)
        status = ashi_tile_finding_begin(changes->after, rank, groups, &g.come, err);
    for (int x = 0; x < 2 && status == ASHLAR_OK; x++)
        status = change_operand(&g, x, groups, err);
    if (groups->line[ASHLAR_C].of)
        ashi_tile_line_lend(changes->after->operand[ASHLAR_C].pattern, changes->after->sums_start,
                            &groups->line[ASHLAR_C]);
    for (int64_t i = 0; i < changes->sums_count && status == ASHLAR_OK; i++)
        status = change_sums(&g, &changes->sums[i], groups, err);
    if (status == ASHLAR_OK)
        ashi_tile_find_sums(&g.come);
    *looked = g.looked;
    end_changing(&g);
    free(old.group);
    free(old.round[0]);
    free(old.round[1]);
    return status;
}
