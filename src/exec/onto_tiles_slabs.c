/* How C's tiles are cut into slabs for a device that has no room for all of them. */
#include "exec/onto_tiles_slabs.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/ordering.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* PARTS, FROM: C's area is FROM to PARTS of PARTS of the memory, or all that A and B leave at least. */
enum { PARTS = 8, FROM = 2 };

typedef struct cutting {
    const ashi_tile_set *c;
    ashi_tile_slabs *out;
    int64_t memory;         /* words */
    int64_t depth;          /* of the largest tile of k */
    int64_t *column;        /* words of each column of tiles of C */
    int64_t *seen;          /* of each column: the last slab that had a tile in it */
    int64_t marks;
    ashi_tile_slab *slab;   /* those of the try in hand */
    int64_t slabs, capacity;
} cutting;

static int64_t largest(const ashi_cuts *cuts)
{
    int64_t most = 0;
    for (int64_t i = 0; i < cuts->tiles; i++)
        most = ashi_max(most, ashi_cuts_size(cuts, i));
    return most;
}

/* The largest tile of C; returns the largest of A with the largest of B. */
static int64_t largest_words(const ashi_tile_problem *problem, int64_t *c)
{
    const int64_t m = largest(problem->cuts[0]), n = largest(problem->cuts[1]), k = largest(problem->cuts[2]);
    *c = ashi_mul_most(m, n);
    return ashi_add_most(ashi_mul_most(m, k), ashi_mul_most(k, n));
}

int64_t ashi_tile_slabs_least(const ashi_tile_problem *problem)
{
    int64_t c;
    const int64_t pair = largest_words(problem, &c);
    return ashi_add_most(c, ashi_mul_most(2, pair));
}

void ashi_tile_slab_row(const ashi_tile_slabs *s, int64_t slab, int64_t row, int64_t *lo, int64_t *hi)
{
    const ashi_pattern *p = s->pattern;
    *lo = ashi_first_from(p->col, p->start[row], p->start[row + 1], s->slab[slab].col_lo);
    *hi = ashi_first_from(p->col, *lo, p->start[row + 1], s->slab[slab].col_hi);
}

/* ---- one way to cut ---- */

/* What is known of a slab that grows. */
typedef struct growing {
    ashi_tile_slab slab;
    int64_t words, rows, height, width; /* rows: that have tiles; width: of the columns that have some */
} growing;

/* The words of A and B that a slab needs for each index of k: each row of C's tiles once, and each column as often as
 * there are chunks of rows beside all columns in a half. */
static double needs_of(const cutting *c, const growing *g, int64_t half)
{
    const double beside = (double)half - (double)g->width * (double)c->depth;
    const double rows = (double)g->rows;
    double chunks = rows;
    if (beside > 0)
        chunks = fmin(rows, ceil((double)g->height * (double)c->depth / beside));
    return (double)g->height + chunks * (double)g->width;
}

static bool end_slab(cutting *c, growing *g, int64_t half, double *needs)
{
    if (g->words > 0) {
        ashi_tile_slab *room = ashi_array_room(c->slab, &c->capacity, c->slabs + 1, sizeof *room);
        if (!room)
            return false;
        c->slab = room;
        room[c->slabs++] = g->slab;
        *needs += needs_of(c, g, half);
    }
    g->slab.row_lo = g->slab.row_hi;
    g->words = g->rows = g->height = g->width = 0;
    c->marks++;
    return true;
}

static void add_row(cutting *c, growing *g, int64_t row, int64_t lo, int64_t hi)
{
    const ashi_pattern *p = c->c->pattern;
    g->rows += lo < hi;
    g->height += lo < hi ? ashi_cuts_size(c->c->rows, p->row[row]) : 0;
    for (int64_t t = lo; t < hi; t++) {
        g->words += c->out->words[t];
        g->width += c->seen[p->col[t]] == c->marks ? 0 : ashi_cuts_size(c->c->cols, p->col[t]);
        c->seen[p->col[t]] = c->marks;
    }
    g->slab.row_hi = row + 1;
}

/* The slabs of a group of columns: as many rows each as there is room for. *fits is false if a row has more. */
static bool cut_rows(cutting *c, int64_t col_lo, int64_t col_hi, int64_t room, double *needs, bool *fits)
{
    const ashi_pattern *p = c->c->pattern;
    const int64_t half = (c->memory - room) / 2;
    growing g = {.slab = {0, 0, col_lo, col_hi}};
    c->marks++;
    for (int64_t r = 0; r < p->rows && *fits; r++) {
        const int64_t lo = ashi_first_from(p->col, p->start[r], p->start[r + 1], col_lo);
        const int64_t hi = ashi_first_from(p->col, lo, p->start[r + 1], col_hi);
        int64_t words = 0;
        for (int64_t t = lo; t < hi; t++)
            words += c->out->words[t];
        *fits = words <= room;
        if (g.words + words > room && !end_slab(c, &g, half, needs))
            return false;
        add_row(c, &g, r, lo, hi);
    }
    return !*fits || end_slab(c, &g, half, needs);
}

/* The same, with fewer columns where a row of a group has no room: a tile always has. False: memory lacks. */
static bool cut_group(cutting *c, int64_t col_lo, int64_t col_hi, int64_t room, double *needs)
{
    const int64_t slabs = c->slabs, mid = col_lo + (col_hi - col_lo) / 2;
    const double before = *needs;
    bool fits = true;
    if (!cut_rows(c, col_lo, col_hi, room, needs, &fits))
        return false;
    if (fits)
        return true;
    c->slabs = slabs;
    *needs = before;
    return cut_group(c, col_lo, mid, room, needs) && cut_group(c, mid, col_hi, room, needs);
}

/* Columns in `groups` groups of about equal words, and rows in each. False: memory lacks. */
static bool cut(cutting *c, int64_t all, int64_t groups, int64_t room, double *needs)
{
    const int64_t columns = c->c->cols->tiles;
    int64_t done = 0, begin = 0;
    c->slabs = 0;
    *needs = 0;
    for (int64_t j = 0, next = 1; j < columns; j++) {
        done += c->column[j];
        if (j < columns - 1 && (double)done * (double)groups < (double)all * (double)next)
            continue;
        if (!cut_group(c, begin, j + 1, room, needs))
            return false;
        begin = j + 1;
        while (next < groups && (double)done * (double)groups >= (double)all * (double)next)
            next++;
    }
    return true;
}

/* ---- the choice ---- */

static bool keep(cutting *c, double needs, double *least)
{
    if (needs >= *least)
        return true;
    ashi_tile_slab *kept = realloc(c->out->slab, ((size_t)c->slabs + 1) * sizeof *kept);
    if (!kept)
        return false;
    memcpy(kept, c->slab, (size_t)c->slabs * sizeof *kept);
    c->out->slab = kept;
    c->out->count = c->slabs;
    *least = needs;
    return true;
}

/* `least_c` words at least are C's, and `most` at most. */
static bool choose(cutting *c, int64_t all, int64_t least_c, int64_t most)
{
    const int64_t columns = c->c->cols->tiles;
    double least = INFINITY;
    bool done = true;
    for (int64_t part = FROM; part <= PARTS && done; part++) {
        const int64_t area = c->memory / PARTS * part + c->memory % PARTS * part / PARTS;
        const int64_t room = ashi_min(most, ashi_max(least_c, area));
        for (int64_t groups = 1; groups <= columns && done;) {
            double needs;
            done = cut(c, all, groups, room, &needs) && keep(c, needs, &least);
            groups = groups == columns ? columns + 1 : ashi_min(columns, groups + ashi_max(1, groups / 4));
        }
    }
    return done;
}

/* Tiles lie row by row in their slab. */
static void find_places(ashi_tile_slabs *s)
{
    for (int64_t i = 0; i < s->count; i++) {
        int64_t word = 0, lo, hi;
        for (int64_t r = s->slab[i].row_lo; r < s->slab[i].row_hi; r++) {
            ashi_tile_slab_row(s, i, r, &lo, &hi);
            for (int64_t t = lo; t < hi; t++) {
                s->place[t] = word;
                word += s->words[t];
            }
        }
        s->area = ashi_max(s->area, word);
    }
}

static bool make(cutting *c, const ashi_tile_problem *problem)
{
    const ashi_pattern *p = c->c->pattern;
    int64_t least_c, all = 0;
    const int64_t pair = largest_words(problem, &least_c), most = c->memory - 2 * pair;
    for (int64_t r = 0; r < p->rows; r++)
        for (int64_t t = p->start[r]; t < p->start[r + 1]; t++) {
            c->out->words[t] = ashi_cuts_size(c->c->rows, p->row[r]) * ashi_cuts_size(c->c->cols, p->col[t]);
            c->column[p->col[t]] += c->out->words[t];
            all += c->out->words[t];
        }
    if (all > most)
        return choose(c, all, least_c, most);
    c->out->slab = malloc(sizeof *c->out->slab);
    c->out->count = 1;
    if (c->out->slab)
        c->out->slab[0] = (ashi_tile_slab){0, p->rows, 0, c->c->cols->tiles};
    return c->out->slab != NULL;
}

ashlar_status ashi_tile_slabs_make(const ashi_tile_set *set, const ashi_tile_problem *problem, int64_t words,
                                   ashi_tile_slabs *out, ashlar_error *err)
{
    const size_t tiles = (size_t)set->pattern->tiles + 1, columns = (size_t)set->cols->tiles + 1;
    *out = (ashi_tile_slabs){.pattern = set->pattern, .words = calloc(tiles, sizeof(int64_t)),
                             .place = calloc(tiles, sizeof(int64_t))};
    cutting c = {.c = set, .out = out, .memory = words, .depth = largest(problem->cuts[2]),
                 .column = calloc(columns, sizeof(int64_t)), .seen = calloc(columns, sizeof(int64_t)), .marks = 1};
    const bool done = out->words && out->place && c.column && c.seen && make(&c, problem);
    free(c.column);
    free(c.seen);
    free(c.slab);
    if (!done)
        return ashi_fail_memory(err, "device", (int64_t)((tiles + columns) * 2 * sizeof(int64_t)));
    find_places(out);
    out->half = (words - out->area) / 2;
    return ASHLAR_OK;
}

void ashi_tile_slabs_free(ashi_tile_slabs *s)
{
    free(s->slab);
    free(s->words);
    free(s->place);
    *s = (ashi_tile_slabs){0};
}
