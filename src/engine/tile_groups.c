/* SUMMA over tiles: which tiles of A and B a rank sends, receives and multiplies in each iteration. */
#include "engine/tile_groups.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/ordering.h"

#include <stdlib.h>
#include <string.h>

/* ---- the tiles of a rank ---- */

/* What happens to a tile on a rank, in the order of the line. */
typedef enum use { COMES_TOGETHER, MULTIPLIED_IN_PLACE, ONLY_SENT } use;

typedef struct entry {
    int64_t iteration;
    int panel; /* A: the row of panels of C that it is multiplied for; B: the column */
    use use;
    int64_t owner, part, mask_words;
    const uint64_t *mask;
    ashi_tile_at at;
} entry;

typedef struct finding {
    const ashi_tile_problem *p;
    int64_t rank;
    int64_t part[2]; /* of C's grid, the rank's process row and column; -1: it is none of its processes */
    int x;
    signed char *panel[2]; /* of each tile of m, and of n: the row and the column of panels of its process; NULL: 0 */
    entry *entry;
    int64_t entries;
    ashi_tile_groups *out;
} finding;

/* The iteration that has a tile of k. */
static int64_t iteration_of(const ashi_tile_problem *p, int64_t k)
{
    return ashi_first_from(p->first, 0, p->iterations, k + 1) - 1;
}

/* The panel of a tile before which there are `before` of `all` elements. */
static signed char panel_at(int64_t all, int64_t panels, int64_t before)
{
    return (signed char)(all > 0 ? ashi_cut_find(all, panels, ashi_min(before, all - 1)) : 0);
}

/* A process's rows or columns of tiles are cut where they have about equal parts of its elements. That depends on cuts
 * and deal alone, so all ranks cut alike. */
static ashlar_status cut_side(finding *f, int x, ashlar_error *err)
{
    const ashi_tile_problem *p = f->p;
    const ashi_deal *c = p->operand[ASHLAR_C].deal;
    const ashi_cuts *cuts = p->cuts[x];
    const int64_t parts = x == ASHLAR_A ? c->grid_rows : c->grid_cols, panels = ashi_tile_panels(p, x);
    if (panels == 1)
        return ASHLAR_OK;
    f->panel[x] = malloc((size_t)ashi_max(1, cuts->tiles));
    int64_t *all = calloc((size_t)parts, sizeof *all), *before = calloc((size_t)parts, sizeof *before);
    const bool made = f->panel[x] && all && before;
    for (int pass = 0; made && pass < 2; pass++)
        for (int64_t t = 0; t < cuts->tiles; t++) {
            const int part = x == ASHLAR_A ? ashi_deal_row_part(c, t) : ashi_deal_col_part(c, t);
            const int64_t size = ashi_cuts_size(cuts, t);
            if (pass == 1)
                f->panel[x][t] = panel_at(all[part], panels, before[part]);
            *(pass == 0 ? &all[part] : &before[part]) += size;
        }
    free(all);
    free(before);
    return made ? ASHLAR_OK : ashi_fail_memory(err, "panels of C", cuts->tiles + 2 * parts * (int64_t)sizeof *all);
}

static int panel_of(const finding *f, int x, int64_t tile)
{
    return f->panel[x] ? f->panel[x][tile] : 0;
}

/* Whether some process needs a tile. */
static bool is_needed(const entry *e, const uint64_t *sums)
{
    for (int64_t w = 0; w < e->mask_words; w++)
        if (e->mask[w] & sums[w])
            return true;
    return false;
}

/* Whether one of them, which needs it, is the only one. */
static bool is_only(const entry *e, const uint64_t *sums, int64_t process)
{
    for (int64_t w = 0; w < e->mask_words; w++)
        if (e->mask[w] & sums[w] & ~(w == process / ASHI_TILE_BITS ? (uint64_t)1 << (process % ASHI_TILE_BITS) : 0))
            return false;
    return true;
}

static void note_tile(finding *f, const ashi_tile_at *at, int64_t number)
{
    const ashi_tile_problem *p = f->p;
    const int x = f->x;
    const int64_t k = ashi_tile_inner(x, at), process = f->part[1 - x];
    entry e = {.owner = ashi_tile_owner(p, (ashlar_operand)x, at), .part = ashi_tile_part(p, x, at),
               .mask = ashi_tile_mask(p->needs, x, k, number), .mask_words = p->needs->words[x], .at = *at};
    const uint64_t *sums = ashi_tile_sums_mask(p->needs, x, e.part);
    const bool own = e.owner == f->rank;
    const bool needed = e.part == f->part[x] && process >= 0 && ashi_tile_has(e.mask, process) &&
                        ashi_tile_has(sums, process);
    if (ashi_tile_words(p, (ashlar_operand)x, at) == 0 || !is_needed(&e, sums) || (!own && !needed))
        return;
    const ashi_tile_operand *o = ashi_tile_operand_of(p, (ashlar_operand)x, at);
    const bool packed = o->conjugates && o->turned && ashi_tile_source_of(p, (ashlar_operand)x, at).mirrored;
    e.iteration = iteration_of(p, k);
    e.panel = panel_of(f, x, x == ASHLAR_A ? at->row : at->col);
    e.use = !needed ? ONLY_SENT : own && !packed && is_only(&e, sums, process) ? MULTIPLIED_IN_PLACE : COMES_TOGETHER;
    f->entry[f->entries++] = e;
}

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Of one iteration: who needs what, the same on all ranks. */
static int compare_groups(int64_t owner_a, int64_t part_a, const uint64_t *a, int64_t owner_b, int64_t part_b,
                          const uint64_t *b, int64_t words)
{
    int order = compare(owner_a, owner_b);
    if (order == 0)
        order = compare(part_a, part_b);
    for (int64_t w = 0; w < words && order == 0; w++)
        order = (a[w] > b[w]) - (a[w] < b[w]);
    return order;
}

static int compare_entries_of_group(const entry *a, const entry *b)
{
    return compare_groups(a->owner, a->part, a->mask, b->owner, b->part, b->mask, a->mask_words);
}

static int along_line(const void *x, const void *y)
{
    const entry *a = x, *b = y;
    int order = compare(a->iteration, b->iteration);
    if (order == 0)
        order = compare(a->panel, b->panel);
    if (order == 0)
        order = compare(a->use, b->use);
    if (order == 0)
        order = compare_entries_of_group(a, b);
    if (order == 0)
        order = compare(a->at.row, b->at.row);
    return order != 0 ? order : compare(a->at.col, b->at.col);
}

/* ---- groups and rounds ---- */

/* Of what a rank has for itself alone some may be packed, because it is conjugated, and some not. */
static bool same_group(const entry *a, const entry *b)
{
    return a->iteration == b->iteration && a->panel == b->panel && a->use == b->use &&
           compare_entries_of_group(a, b) == 0;
}

static ashlar_status make_line(finding *f, ashlar_error *err)
{
    ashi_tile_line *line = &f->out->line[f->x];
    int64_t at = 0;
    const ashlar_status status = ashi_tile_line_make(f->entries, line, err);
    for (int64_t i = 0; i < f->entries && status == ASHLAR_OK; i++) {
        line->tile[i] = f->entry[i].at;
        line->start[i] = at;
        if (!ashi_add(at, ashi_tile_words(f->p, (ashlar_operand)f->x, &f->entry[i].at), &at))
            return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "a rank handles more than 2^63 words of tiles");
    }
    if (status == ASHLAR_OK)
        line->start[f->entries] = at;
    return status;
}

/* Groups come in one order on all ranks, whatever their order along a rank's line is. */
static int by_name(const void *x, const void *y)
{
    const ashi_tile_group *a = x, *b = y;
    return compare_groups(a->owner, a->part, a->mask, b->owner, b->part, b->mask, a->mask_words);
}

static void note_group(finding *f, int64_t first, int64_t end)
{
    const entry *e = &f->entry[first];
    const ashi_tile_line *line = &f->out->line[f->x];
    f->out->group[f->out->groups++] =
        (ashi_tile_group){.owner = e->owner, .part = e->part, .mask = e->mask, .mask_words = e->mask_words,
                          .needed = e->use != ONLY_SENT, .alone = e->use == MULTIPLIED_IN_PLACE,
                          .lo = line->start[first], .hi = line->start[end]};
}

/* The tiles from entry `at` on that are of an iteration and of a row or column of panels. Returns the entry behind
 * them. */
static int64_t make_round(finding *f, int64_t iteration, int panel, int64_t at, ashi_tile_round *round)
{
    const ashi_tile_line *line = &f->out->line[f->x];
    int64_t *const edge[] = {&round->lo, &round->own, &round->sent};
    round->group = f->out->groups;
    for (int u = COMES_TOGETHER; u <= ONLY_SENT; u++) {
        *edge[u] = line->start[at];
        while (at < f->entries && f->entry[at].iteration == iteration && f->entry[at].panel == panel &&
               f->entry[at].use == (use)u) {
            const int64_t first = at;
            while (at < f->entries && same_group(&f->entry[first], &f->entry[at]))
                at++;
            note_group(f, first, at);
        }
    }
    round->end = line->start[at];
    round->groups = f->out->groups - round->group;
    if (round->groups > 1)
        qsort(f->out->group + round->group, (size_t)round->groups, sizeof *f->out->group, by_name);
    return at;
}

static void make_rounds(finding *f)
{
    const int panels = ashi_tile_panels(f->p, f->x);
    int64_t at = 0;
    for (int64_t s = 0; s < f->p->iterations; s++)
        for (int i = 0; i < panels; i++)
            at = make_round(f, s, i, at, &f->out->round[f->x][s * panels + i]);
}

static ashlar_status find_operand(finding *f, ashlar_error *err)
{
    const ashi_pattern *pattern = f->p->operand[f->x].pattern;
    f->entries = 0;
    for (int64_t r = 0; r < pattern->rows; r++)
        for (int64_t t = pattern->start[r]; t < pattern->start[r + 1]; t++)
            note_tile(f, &(ashi_tile_at){pattern->row[r], pattern->col[t]}, t);
    if (f->entries > 1)
        qsort(f->entry, (size_t)f->entries, sizeof *f->entry, along_line);
    const ashlar_status status = make_line(f, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_tile_group *room = realloc(f->out->group, (size_t)(f->out->groups + f->entries + 1) * sizeof *room);
    f->out->round[f->x] = calloc((size_t)(f->p->iterations * ashi_tile_panels(f->p, f->x)) + 1,
                                 sizeof *f->out->round[f->x]);
    f->out->group = room ? room : f->out->group;
    if (!room || !f->out->round[f->x])
        return ashi_fail_memory(err, "groups of tiles", (f->out->groups + f->entries) * (int64_t)sizeof *room);
    make_rounds(f);
    return ASHLAR_OK;
}

/* The rank's own tiles of C, panel after panel. */
static ashlar_status find_sums(finding *f, ashlar_error *err)
{
    const int64_t layer = f->p->layers && f->part[0] >= 0 ? f->part[0] / f->p->layers->rows : 0;
    const ashi_pattern *pattern = ashi_tile_sums(f->p, layer);
    const int cols = ashi_tile_panels(f->p, ASHLAR_B), panels = ashi_tile_panels(f->p, ASHLAR_A) * cols;
    f->x = ASHLAR_C;
    f->entries = 0;
    for (int64_t r = 0; r < pattern->rows; r++)
        for (int64_t t = pattern->start[r]; t < pattern->start[r + 1]; t++) {
            const ashi_tile_at at = {pattern->row[r], pattern->col[t]};
            const int panel = panel_of(f, ASHLAR_A, at.row) * cols + panel_of(f, ASHLAR_B, at.col);
            if (ashi_tile_is_at(f->p, &at, f->part[0], f->part[1]))
                f->entry[f->entries++] = (entry){.panel = panel, .at = at};
        }
    if (f->entries > 1 && panels > 1)
        qsort(f->entry, (size_t)f->entries, sizeof *f->entry, along_line);
    const ashlar_status status = make_line(f, err);
    for (int64_t panel = 0, at = 0; status == ASHLAR_OK && panel <= panels; panel++) {
        while (at < f->entries && f->entry[at].panel < panel)
            at++;
        f->out->sums[panel] = f->out->line[ASHLAR_C].start[at];
    }
    return status;
}

ashlar_status ashi_tile_groups_find(const ashi_tile_problem *problem, int64_t rank, ashi_tile_groups *out,
                                    ashlar_error *err)
{
    int64_t most = 1;
    *out = (ashi_tile_groups){0};
    for (int x = 0; x < 3; x++)
        most = ashi_max(most, problem->operand[x].pattern->tiles);
    for (int64_t layer = 0; problem->layers && layer < problem->layers->count; layer++)
        most = ashi_max(most, ashi_tile_sums(problem, layer)->tiles);
    finding f = {.p = problem, .rank = rank, .out = out, .entry = malloc((size_t)most * sizeof *f.entry)};
    if (!f.entry)
        return ashi_fail_memory(err, "groups of tiles", ashi_mul_most(most, (int64_t)sizeof *f.entry));
    ashi_tile_process(problem, rank, f.part);
    ashlar_status status = cut_side(&f, ASHLAR_A, err);
    if (status == ASHLAR_OK)
        status = cut_side(&f, ASHLAR_B, err);
    for (f.x = ASHLAR_A; f.x <= ASHLAR_B && status == ASHLAR_OK; f.x++)
        status = find_operand(&f, err);
    if (status == ASHLAR_OK)
        status = find_sums(&f, err);
    free(f.entry);
    free(f.panel[0]);
    free(f.panel[1]);
    return status;
}

void ashi_tile_groups_free(ashi_tile_groups *groups)
{
    for (int x = 0; x < 3; x++)
        ashi_tile_line_free(&groups->line[x]);
    free(groups->group);
    free(groups->round[0]);
    free(groups->round[1]);
    *groups = (ashi_tile_groups){0};
}

int64_t ashi_tile_members(const ashi_tile_problem *p, ashlar_operand x, const ashi_tile_group *group, int *member)
{
    const ashi_deal *c = p->operand[ASHLAR_C].deal;
    int64_t count = 0;
    for (int64_t i = 0; i < ashi_tile_processes(p, (int)x); i++)
        if (ashi_tile_has(group->mask, i) && ashi_tile_has(ashi_tile_sums_mask(p->needs, (int)x, group->part), i))
            member[count++] = c->grid_rank[x == ASHLAR_A ? group->part * c->grid_cols + i
                                                         : i * c->grid_cols + group->part];
    return count;
}
