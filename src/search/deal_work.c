/* Dealing rows and columns of tiles to a process grid by the work that their tiles are. */
#include "search/deal_work.h"
#include "base/error.h"
#include "layout/pattern_sets.h"

#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 12, NEIGHBOURS = 8 };

/* Rows, or columns: lines that are dealt to `parts` while the other side's parts stay. */
typedef struct side {
    ashi_pattern pattern; /* line by line */
    double *work;         /* of its tiles */
    int64_t lines, parts; /* of the whole matrix; of the grid */
    int64_t *order;       /* which of pattern.row, the most work first */
    int *part;            /* of each line, -1: not dealt yet */
} side;

typedef struct dealing {
    side side[2];      /* rows, columns */
    double *load;      /* [grid_rows * grid_cols] */
    double *line_load; /* what a line has in each part of the other side; or one line less another */
    bool *is_touched;  /* the parts of the other side in which it has work */
    int64_t *touched;  /* a list of them */
    int64_t count;
} dealing;

/* Loads are in rows of the side that is dealt: [own part][other part]. */
static double *load_at(const dealing *d, int which, int64_t own, int64_t other)
{
    const int64_t cols = d->side[1].parts;
    return which == 0 ? &d->load[own * cols + other] : &d->load[other * cols + own];
}

/* Adds a line to what is in line_load. */
static void gather_line(dealing *d, int which, int64_t x, double sign)
{
    const side *own = &d->side[which], *other = &d->side[1 - which];
    for (int64_t t = own->pattern.start[x]; t < own->pattern.start[x + 1]; t++) {
        const int part = other->part[own->pattern.col[t]];
        if (!d->is_touched[part])
            d->touched[d->count++] = part;
        d->is_touched[part] = true;
        d->line_load[part] += sign * own->work[t];
    }
}

static void add_line(dealing *d, int which, int64_t part, double sign)
{
    for (int64_t y = 0; y < d->count; y++)
        *load_at(d, which, part, d->touched[y]) += sign * d->line_load[d->touched[y]];
}

static void forget_line(dealing *d)
{
    for (int64_t y = 0; y < d->count; y++) {
        d->line_load[d->touched[y]] = 0;
        d->is_touched[d->touched[y]] = false;
    }
    d->count = 0;
}

/* How much a power of the loads grows in sum if the line comes to a part. Squares spread the work; the fourth powers
 * look after the busiest processes. */
static double growth(const dealing *d, int which, int64_t part, bool fourth)
{
    double sum = 0;
    for (int64_t y = 0; y < d->count; y++) {
        const double add = d->line_load[d->touched[y]], before = *load_at(d, which, part, d->touched[y]);
        const double after = before + add, squares = add * (before + after);
        sum += fourth ? squares * (before * before + after * after) : squares;
    }
    return sum;
}

static void deal_line(dealing *d, int which, int64_t x, bool fourth)
{
    side *own = &d->side[which];
    const int64_t line = own->pattern.row[x];
    gather_line(d, which, x, 1);
    const int was = own->part[line];
    if (was >= 0)
        add_line(d, which, was, -1);
    int64_t best = was >= 0 ? was : 0;
    double least = growth(d, which, best, fourth);
    for (int64_t part = 0; part < own->parts; part++) {
        const double now = growth(d, which, part, fourth);
        if (now < least) {
            least = now;
            best = part;
        }
    }
    own->part[line] = (int)best;
    add_line(d, which, best, 1);
    forget_line(d);
}

/* All lines of a side, one after the other; the first time the loads begin at 0. */
static void sweep(dealing *d, int which, bool fourth)
{
    for (int64_t x = 0; x < d->side[which].pattern.rows; x++)
        deal_line(d, which, d->side[which].order[x], fourth);
}

static double fourth_power(double x)
{
    return x * x * x * x;
}

/* Two lines of different parts change places if that lessens the sum of the loads' fourth powers. */
static void try_swap(dealing *d, int which, int64_t x, int64_t y)
{
    side *own = &d->side[which];
    int *const first = &own->part[own->pattern.row[x]], *const second = &own->part[own->pattern.row[y]];
    const int part = *first, other = *second;
    if (part == other)
        return;
    gather_line(d, which, x, -1);
    gather_line(d, which, y, 1);
    double grows = 0;
    for (int64_t n = 0; n < d->count; n++) {
        const double add = d->line_load[d->touched[n]];
        const double a = *load_at(d, which, part, d->touched[n]), b = *load_at(d, which, other, d->touched[n]);
        grows += (fourth_power(a + add) - fourth_power(a)) + (fourth_power(b - add) - fourth_power(b));
    }
    if (grows < 0) {
        add_line(d, which, part, 1);
        add_line(d, which, other, -1);
        *first = other;
        *second = part;
    }
    forget_line(d);
}

/* Lines with nearly the same work: what is left to gain once no line alone is better elsewhere. */
static void swap_neighbours(dealing *d, int which)
{
    const side *own = &d->side[which];
    for (int64_t x = 0; x < own->pattern.rows; x++)
        for (int64_t y = x + 1; y < own->pattern.rows && y <= x + NEIGHBOURS; y++)
            try_swap(d, which, own->order[x], own->order[y]);
}

/* ---- measuring ---- */

static void clear_loads(dealing *d)
{
    memset(d->load, 0, (size_t)(d->side[0].parts * d->side[1].parts) * sizeof *d->load);
}

static double loads_imbalance(const double *load, int64_t count)
{
    double most = 0, sum = 0;
    for (int64_t x = 0; x < count; x++) {
        most = load[x] > most ? load[x] : most;
        sum += load[x];
    }
    return sum > 0 ? most / (sum / (double)count) : 1;
}

static void add_loads(const ashi_tile_work *work, int64_t grid_rows, int64_t grid_cols, const int *row_part,
                      const int *col_part, double *load)
{
    const ashi_pattern *p = work->pattern;
    for (int64_t x = 0; x < p->rows; x++) {
        const int64_t row = row_part ? row_part[p->row[x]] : p->row[x] % grid_rows;
        for (int64_t t = p->start[x]; t < p->start[x + 1]; t++)
            load[row * grid_cols + (col_part ? col_part[p->col[t]] : p->col[t] % grid_cols)] += work->work[t];
    }
}

double ashi_work_imbalance(const ashi_tile_work *work, int64_t grid_rows, int64_t grid_cols, const int *row_part,
                           const int *col_part)
{
    double *load = calloc((size_t)(grid_rows * grid_cols), sizeof *load);
    if (!load)
        return -1;
    add_loads(work, grid_rows, grid_cols, row_part, col_part, load);
    const double imbalance = loads_imbalance(load, grid_rows * grid_cols);
    free(load);
    return imbalance;
}

/* ---- making ---- */

typedef struct line_work {
    double work;
    int64_t x;
} line_work;

static int most_work_first(const void *a, const void *b)
{
    const line_work *x = a, *y = b;
    if (x->work > y->work || x->work < y->work)
        return x->work > y->work ? -1 : 1;
    return (x->x > y->x) - (x->x < y->x);
}

static bool put_in_order(side *s)
{
    line_work *line = malloc(((size_t)s->pattern.rows + 1) * sizeof *line);
    s->order = malloc(((size_t)s->pattern.rows + 1) * sizeof *s->order);
    for (int64_t x = 0; x < s->pattern.rows && line; x++) {
        line[x] = (line_work){0, x};
        for (int64_t t = s->pattern.start[x]; t < s->pattern.start[x + 1]; t++)
            line[x].work += s->work[t];
    }
    if (line && s->pattern.rows > 1)
        qsort(line, (size_t)s->pattern.rows, sizeof *line, most_work_first);
    for (int64_t x = 0; x < s->pattern.rows && line && s->order; x++)
        s->order[x] = line[x].x;
    const bool done = line && s->order;
    free(line);
    return done;
}

static bool make_sides(dealing *d, const ashi_tile_work *work)
{
    ashi_pattern *rows = &d->side[0].pattern, *cols = &d->side[1].pattern;
    int64_t *tile = NULL;
    bool done = ashi_pattern_copy(work->pattern, rows, NULL) == ASHLAR_OK &&
                ashi_pattern_transpose(work->pattern, cols, &tile, NULL) == ASHLAR_OK;
    const size_t bytes = ((size_t)work->pattern->tiles + 1) * sizeof(double);
    d->side[0].work = malloc(bytes);
    d->side[1].work = malloc(bytes);
    done = done && d->side[0].work && d->side[1].work;
    for (int64_t t = 0; t < work->pattern->tiles && done; t++) {
        d->side[0].work[t] = work->work[t];
        d->side[1].work[t] = work->work[tile[t]];
    }
    free(tile);
    return done && put_in_order(&d->side[0]) && put_in_order(&d->side[1]);
}

static bool make_room(dealing *d, const ashi_tile_work *work, int64_t grid_rows, int64_t grid_cols)
{
    const int64_t lines[] = {work->rows, work->cols}, parts[] = {grid_rows, grid_cols};
    const size_t most = (size_t)(grid_rows > grid_cols ? grid_rows : grid_cols);
    for (int which = 0; which < 2; which++) {
        d->side[which].lines = lines[which];
        d->side[which].parts = parts[which];
        d->side[which].part = malloc(((size_t)lines[which] + 1) * sizeof(int));
    }
    d->load = malloc((size_t)(grid_rows * grid_cols) * sizeof *d->load);
    d->line_load = calloc(most, sizeof *d->line_load);
    d->is_touched = calloc(most, sizeof *d->is_touched);
    d->touched = malloc(most * sizeof *d->touched);
    return d->side[0].part && d->side[1].part && d->load && d->line_load && d->is_touched && d->touched &&
           make_sides(d, work);
}

static void free_dealing(dealing *d)
{
    for (int which = 0; which < 2; which++) {
        ashi_pattern_free(&d->side[which].pattern);
        free(d->side[which].work);
        free(d->side[which].order);
        free(d->side[which].part);
    }
    free(d->load);
    free(d->line_load);
    free(d->is_touched);
    free(d->touched);
}

/* Lines without work stay cyclic; those with work are to be dealt. */
static void begin_side(side *s, bool dealt)
{
    for (int64_t line = 0; line < s->lines; line++)
        s->part[line] = (int)(line % s->parts);
    for (int64_t x = 0; x < s->pattern.rows && !dealt; x++)
        s->part[s->pattern.row[x]] = -1;
}

static void keep_if_better(const dealing *d, int *row_part, int *col_part, double *imbalance)
{
    const double now = loads_imbalance(d->load, d->side[0].parts * d->side[1].parts);
    if (now >= *imbalance * (1 - 1e-9))
        return;
    *imbalance = now;
    memcpy(row_part, d->side[0].part, (size_t)d->side[0].lines * sizeof *row_part);
    memcpy(col_part, d->side[1].part, (size_t)d->side[1].lines * sizeof *col_part);
}

/* One side is dealt with the other cyclic, then both by turns while that helps. */
static void deal_from(dealing *d, int first, int *row_part, int *col_part, double *imbalance)
{
    begin_side(&d->side[first], false);
    begin_side(&d->side[1 - first], true);
    clear_loads(d);
    sweep(d, first, false);
    keep_if_better(d, row_part, col_part, imbalance);
    for (int s = 1; s < SWEEPS; s++) {
        const int which = s % 2 == 1 ? 1 - first : first;
        sweep(d, which, s >= SWEEPS / 2);
        if (s >= SWEEPS / 2)
            swap_neighbours(d, which);
        keep_if_better(d, row_part, col_part, imbalance);
    }
}

ashlar_status ashi_deal_by_work(const ashi_tile_work *work, int64_t grid_rows, int64_t grid_cols, int *row_part,
                                int *col_part, double *imbalance, ashlar_error *err)
{
    dealing d = {0};
    const bool room = make_room(&d, work, grid_rows, grid_cols);
    if (room) {
        for (int64_t i = 0; i < work->rows; i++)
            row_part[i] = (int)(i % grid_rows);
        for (int64_t j = 0; j < work->cols; j++)
            col_part[j] = (int)(j % grid_cols);
        clear_loads(&d);
        add_loads(work, grid_rows, grid_cols, NULL, NULL, d.load);
        *imbalance = loads_imbalance(d.load, grid_rows * grid_cols);
        for (int first = 0; first < 2; first++)
            deal_from(&d, first, row_part, col_part, imbalance);
    }
    free_dealing(&d);
    return room ? ASHLAR_OK : ashi_fail_memory(err, "dealing tiles by work", work->pattern->tiles * 32);
}
