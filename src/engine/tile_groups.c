/* SUMMA over tiles: which tiles of A and B a rank sends, receives and multiplies in each iteration. */
#include "engine/tile_entry.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* ---- groups and rounds ---- */

static ashlar_status add_words(const ashi_tile_finding *f, const ashi_tile_at *tile, int64_t *at, ashlar_error *err)
{
    return ashi_add(*at, ashi_tile_words(f->p, (ashlar_operand)f->x, tile), at)
               ? ASHLAR_OK
               : ashi_fail(err, ASHLAR_ERR_OVERFLOW, "a rank handles more than 2^63 words of tiles");
}

static ashlar_status make_line(ashi_tile_finding *f, ashlar_error *err)
{
    ashi_tile_line *line = &f->out->line[f->x];
    int64_t at = 0;
    ashlar_status status = ashi_tile_line_make(f->entries, line, err);
    for (int64_t i = 0; i < f->entries && status == ASHLAR_OK; i++) {
        line->tile[i] = f->entry[i].at;
        line->start[i] = at;
        status = add_words(f, &f->entry[i].at, &at, err);
    }
    if (status == ASHLAR_OK)
        line->start[f->entries] = at;
    return status;
}

ashlar_status ashi_tile_add_piece(ashi_tile_finding *f, const ashi_tile_entry *of, int64_t tiles, ashlar_error *err)
{
    ashi_tile_piece *room = ashi_array_room(f->piece, &f->piece_room, f->pieces + 1, sizeof *room);
    if (!room)
        return ashi_fail_memory(err, "groups of tiles", ashi_mul_most(f->pieces + 1, (int64_t)sizeof *room));
    f->piece = room;
    room[f->pieces++] = (ashi_tile_piece){*of, tiles};
    return ASHLAR_OK;
}

static ashlar_status find_pieces(ashi_tile_finding *f, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    f->pieces = 0;
    for (int64_t first = 0, end; first < f->entries && status == ASHLAR_OK; first = end) {
        for (end = first + 1; end < f->entries && ashi_tile_same_group(&f->entry[first], &f->entry[end]);)
            end++;
        status = ashi_tile_add_piece(f, &f->entry[first], end - first, err);
    }
    return status;
}

/* Groups come in one order on all ranks, whatever their order along a rank's line is. */
static int by_name(const void *x, const void *y)
{
    const ashi_tile_group *a = x, *b = y;
    const ashi_tile_entry e = {.owner = b->owner, .part = b->part, .mask = b->mask, .mask_words = b->mask_words};
    const int order = ashi_tile_compare_name(a, &e);
    return order != 0 ? order : (a->lo > b->lo) - (a->lo < b->lo);
}

/* The pieces from `piece` on that are of an iteration and of a row or column of panels, whose tiles begin with tile *at
 * of the line. Returns the piece behind them. */
static int64_t make_round(ashi_tile_finding *f, int64_t iteration, int panel, int64_t piece, int64_t *at,
                          ashi_tile_round *round)
{
    const ashi_tile_line *line = &f->out->line[f->x];
    int64_t *const edge[] = {&round->lo, &round->own, &round->sent};
    round->group = f->out->groups;
    for (int u = ASHI_TILE_COMES; u <= ASHI_TILE_ONLY_SENT; u++) {
        *edge[u] = line->start[*at];
        for (; piece < f->pieces; piece++) {
            const ashi_tile_entry *e = &f->piece[piece].of;
            const int64_t first = *at;
            if (e->iteration != iteration || e->panel != panel || e->use != u)
                break;
            *at += f->piece[piece].tiles;
            f->out->group[f->out->groups++] =
                (ashi_tile_group){.owner = e->owner, .part = e->part, .mask = e->mask, .mask_words = e->mask_words,
                                  .needed = u != ASHI_TILE_ONLY_SENT, .alone = u == ASHI_TILE_STAYS,
                                  .lo = line->start[first], .hi = line->start[*at]};
        }
    }
    round->end = line->start[*at];
    round->groups = f->out->groups - round->group;
    if (round->groups > 1)
        qsort(f->out->group + round->group, (size_t)round->groups, sizeof *f->out->group, by_name);
    return piece;
}

ashlar_status ashi_tile_make_rounds(ashi_tile_finding *f, ashlar_error *err)
{
    const int panels = ashi_tile_panels(f->p, f->x);
    ashi_tile_group *room = realloc(f->out->group, (size_t)(f->out->groups + f->pieces + 1) * sizeof *room);
    f->out->round[f->x] = calloc((size_t)(f->p->iterations * panels) + 1, sizeof *f->out->round[f->x]);
    f->out->group = room ? room : f->out->group;
    if (!room || !f->out->round[f->x])
        return ashi_fail_memory(err, "groups of tiles", (f->out->groups + f->pieces) * (int64_t)sizeof *room);
    int64_t piece = 0, at = 0;
    for (int64_t s = 0; s < f->p->iterations; s++)
        for (int i = 0; i < panels; i++)
            piece = make_round(f, s, i, piece, &at, &f->out->round[f->x][s * panels + i]);
    return ASHLAR_OK;
}

void ashi_tile_add_sides(const ashi_tile_finding *f, int64_t sign, int64_t *side)
{
    const int panels = ashi_tile_panels(f->p, f->x);
    for (int64_t i = 0; i < f->entries; i++) {
        const ashi_tile_entry *e = &f->entry[i];
        const int64_t outer = f->x == ASHLAR_A ? e->at.row : e->at.col;
        if (e->use != ASHI_TILE_ONLY_SENT)
            side[ashi_tile_inner(f->x, &e->at) * panels + e->panel] += sign * ashi_cuts_size(f->p->cuts[f->x], outer);
    }
}

static ashlar_status make_sides(ashi_tile_finding *f, ashlar_error *err)
{
    const int64_t count = f->p->cuts[2]->tiles * ashi_tile_panels(f->p, f->x);
    int64_t *side = calloc((size_t)count + 1, sizeof *side);
    f->out->side[f->x] = side;
    if (!side)
        return ashi_fail_memory(err, "groups of tiles", ashi_mul_most(count, (int64_t)sizeof *side));
    ashi_tile_add_sides(f, 1, side);
    return ASHLAR_OK;
}

static ashlar_status find_operand(ashi_tile_finding *f, ashlar_error *err)
{
    const ashi_pattern *pattern = f->p->operand[f->x].pattern;
    ashlar_status status = ASHLAR_OK;
    f->entries = 0;
    for (int64_t r = 0; r < pattern->rows; r++)
        for (int64_t t = pattern->start[r]; t < pattern->start[r + 1] && status == ASHLAR_OK; t++)
            status = ashi_tile_note(f, &(ashi_tile_at){pattern->row[r], pattern->col[t]}, t, err);
    if (f->entries > 1 && status == ASHLAR_OK)
        qsort(f->entry, (size_t)f->entries, sizeof *f->entry, ashi_tile_along_line);
    if (status == ASHLAR_OK)
        status = make_line(f, err);
    if (status == ASHLAR_OK)
        status = make_sides(f, err);
    if (status == ASHLAR_OK)
        status = find_pieces(f, err);
    return status == ASHLAR_OK ? ashi_tile_make_rounds(f, err) : status;
}

/* The tiles of C of which the rank's layer has sums. */
static const ashi_pattern *sums_of(const ashi_tile_finding *f)
{
    return ashi_tile_sums(f->p, f->p->layers && f->part[0] >= 0 ? f->part[0] / f->p->layers->rows : 0);
}

static bool has_sum(const ashi_tile_finding *f, const ashi_tile_at *at)
{
    return ashi_tile_is_at(f->p, at, f->part[0], f->part[1]);
}

/* How many tiles of C each panel has; added up, where those of each begin. */
static void count_sums(const ashi_tile_finding *f, int panels, int64_t *first)
{
    const ashi_pattern *c = sums_of(f);
    for (int64_t r = 0; r < c->rows && panels > 1; r++)
        for (int64_t t = c->start[r]; t < c->start[r + 1]; t++) {
            const ashi_tile_at at = {c->row[r], c->col[t]};
            if (has_sum(f, &at))
                first[ashi_tile_sums_panel(f, &at) + 1]++;
        }
    for (int i = 0; i < panels; i++)
        first[i + 1] += first[i];
}

/* The rank's sums, panel after panel. */
static ashlar_status find_sums(ashi_tile_finding *f, ashlar_error *err)
{
    const ashi_pattern *c = sums_of(f);
    const int panels = ashi_tile_panels(f->p, ASHLAR_A) * ashi_tile_panels(f->p, ASHLAR_B);
    int64_t first[ASHI_TILE_PANELS_MAX * ASHI_TILE_PANELS_MAX + 1] = {0}, words = 0;
    ashi_tile_line *line = &f->out->line[ASHLAR_C];
    f->x = ASHLAR_C;
    if (ashi_tile_lends_sums(f->p)) {
        ashi_tile_line_lend(c, f->p->sums_start, line);
        ashi_tile_find_sums(f);
        return ASHLAR_OK;
    }
    ashlar_status status = ashi_tile_line_make(c->tiles, line, err);
    line->tiles = 0;
    count_sums(f, panels, first);
    for (int64_t r = 0; r < c->rows && status == ASHLAR_OK; r++)
        for (int64_t t = c->start[r]; t < c->start[r + 1]; t++) {
            const ashi_tile_at at = {c->row[r], c->col[t]};
            if (!has_sum(f, &at))
                continue;
            line->tile[first[ashi_tile_sums_panel(f, &at)]++] = at;
            line->tiles++;
        }
    for (int64_t t = 0; t < line->tiles && status == ASHLAR_OK; t++) {
        line->start[t] = words;
        status = add_words(f, &line->tile[t], &words, err);
    }
    if (status != ASHLAR_OK)
        return status;
    line->start[line->tiles] = words;
    ashi_tile_find_sums(f);
    return ASHLAR_OK;
}

bool ashi_tile_lends_sums(const ashi_tile_problem *p)
{
    return p->sums_start && !p->layers && ashi_tile_panels(p, ASHLAR_A) == 1 && ashi_tile_panels(p, ASHLAR_B) == 1;
}

/* Tile t of C's line, and whether it is of an earlier panel. */
static bool is_before(const ashi_tile_finding *f, int64_t t, int panel)
{
    const ashi_tile_at at = ashi_tile_line_at(&f->out->line[ASHLAR_C], t);
    return ashi_tile_sums_panel(f, &at) < panel;
}

void ashi_tile_find_sums(ashi_tile_finding *f)
{
    const int panels = ashi_tile_panels(f->p, ASHLAR_A) * ashi_tile_panels(f->p, ASHLAR_B);
    const ashi_tile_line *line = &f->out->line[ASHLAR_C];
    int64_t first = 0;
    for (int panel = 0; panel <= panels; panel++) {
        for (int64_t end = line->tiles; first < end;) {
            const int64_t middle = first + (end - first) / 2;
            if (is_before(f, middle, panel))
                first = middle + 1;
            else
                end = middle;
        }
        f->out->sums[panel] = line->start[first];
    }
}

ashlar_status ashi_tile_groups_find(const ashi_tile_problem *problem, int64_t rank, ashi_tile_groups *out,
                                    ashlar_error *err)
{
    ashi_tile_finding f;
    *out = (ashi_tile_groups){0};
    ashlar_status status = ashi_tile_finding_begin(problem, rank, out, &f, err);
    for (f.x = ASHLAR_A; f.x <= ASHLAR_B && status == ASHLAR_OK; f.x++)
        status = find_operand(&f, err);
    if (status == ASHLAR_OK)
        status = find_sums(&f, err);
    ashi_tile_finding_end(&f);
    return status;
}

void ashi_tile_groups_free(ashi_tile_groups *groups)
{
    for (int x = 0; x < 3; x++)
        ashi_tile_line_free(&groups->line[x]);
    free(groups->group);
    free(groups->round[0]);
    free(groups->round[1]);
    free(groups->side[0]);
    free(groups->side[1]);
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
