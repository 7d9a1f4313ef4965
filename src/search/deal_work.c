/* Dealing rows and columns of tiles to a process grid by sums of work. */
#include "search/deal_work.h"
#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* ROOM: sums that are asked for at once; LINES: the fewest lines whose sums these are. */
enum { SWEEPS = 12, NEIGHBOURS = 8, ROOM = 1 << 20, LINES = 4 * NEIGHBOURS };

/* Rows, or columns: lines that are dealt to `parts` while the other side's parts stay. */
typedef struct side {
    int64_t lines, parts;
    double *work;   /* of each line */
    int64_t *order; /* the most work first */
    int *part;      /* of each line, -1: not dealt yet */
} side;

struct ashi_dealing {
    const ashi_line_sums *sums;
    side side[2];     /* rows, columns */
    double *load;     /* [grid_rows * grid_cols] */
    double *band;     /* the sums of some lines */
    double *more;     /* what one line has more than another */
    int64_t *touched; /* the parts of the other side in which a line has work */
    int64_t count;
    int *row_part, *col_part; /* the best so far */
    double imbalance;
};

/* ---- sums ---- */

static int64_t lines_at_once(int64_t lines, int64_t parts)
{
    return ashi_min(lines, ashi_max(LINES, ROOM / parts));
}

int64_t ashi_dealing_room(const int64_t lines[2], const int64_t grid[2])
{
    return ashi_max(lines_at_once(lines[0], grid[1]) * grid[1], lines_at_once(lines[1], grid[0]) * grid[0]);
}

static int64_t band_lines(const ashi_dealing *d, int which)
{
    return lines_at_once(d->side[which].lines, d->side[1 - which].parts);
}

/* Of lines first to first + count - 1 of a list. */
static void find_band(ashi_dealing *d, int which, const int64_t *line, int64_t count)
{
    const side *other = &d->side[1 - which];
    d->sums->find(d->sums->user, which, &(ashi_line_band){line, count, other->part, other->parts}, d->band);
}

/* Loads are in rows of the side that is dealt: [own part][other part]. */
static double *load_at(const ashi_dealing *d, int which, int64_t own, int64_t other)
{
    const int64_t cols = d->side[1].parts;
    return which == 0 ? &d->load[own * cols + other] : &d->load[other * cols + own];
}

static void touch(ashi_dealing *d, int which, const double *has)
{
    d->count = 0;
    for (int64_t y = 0; y < d->side[1 - which].parts; y++)
        if (has[y] > 0 || has[y] < 0)
            d->touched[d->count++] = y;
}

static void add_line(ashi_dealing *d, int which, int64_t part, const double *has, double sign)
{
    for (int64_t y = 0; y < d->count; y++)
        *load_at(d, which, part, d->touched[y]) += sign * has[d->touched[y]];
}

/* ---- moving lines ---- */

/* How much a power of the loads grows in sum if the line comes to a part. Squares spread the work; the fourth powers
 * look after the busiest processes. */
static double growth(const ashi_dealing *d, int which, int64_t part, const double *has, bool fourth)
{
    double sum = 0;
    for (int64_t y = 0; y < d->count; y++) {
        const double add = has[d->touched[y]], before = *load_at(d, which, part, d->touched[y]);
        const double after = before + add, squares = add * (before + after);
        sum += fourth ? squares * (before * before + after * after) : squares;
    }
    return sum;
}

static void deal_line(ashi_dealing *d, int which, int64_t line, const double *has, bool fourth)
{
    side *own = &d->side[which];
    const int was = own->part[line];
    touch(d, which, has);
    if (was >= 0)
        add_line(d, which, was, has, -1);
    int64_t best = was >= 0 ? was : line % own->parts;
    double least = growth(d, which, best, has, fourth);
    for (int64_t part = 0; part < own->parts && d->count > 0; part++) {
        const double now = growth(d, which, part, has, fourth);
        if (now < least) {
            least = now;
            best = part;
        }
    }
    own->part[line] = (int)best;
    add_line(d, which, best, has, 1);
}

/* All lines of a side, one after the other; the first time the loads begin at 0. */
static void sweep(ashi_dealing *d, int which, bool fourth)
{
    const side *own = &d->side[which];
    const int64_t parts = d->side[1 - which].parts, most = band_lines(d, which);
    for (int64_t x = 0; x < own->lines; x += most) {
        const int64_t count = ashi_min(most, own->lines - x);
        find_band(d, which, own->order + x, count);
        for (int64_t i = 0; i < count; i++)
            deal_line(d, which, own->order[x + i], d->band + i * parts, fourth);
    }
}

static double fourth_power(double x)
{
    return x * x * x * x;
}

/* Two lines of different parts change places if that lessens the sum of the loads' fourth powers. */
static void try_swap(ashi_dealing *d, int which, const int64_t line[2], const double *const has[2])
{
    side *own = &d->side[which];
    const int part = own->part[line[0]], other = own->part[line[1]];
    if (part == other)
        return;
    for (int64_t y = 0; y < d->side[1 - which].parts; y++)
        d->more[y] = has[1][y] - has[0][y];
    touch(d, which, d->more);
    double grows = 0;
    for (int64_t n = 0; n < d->count; n++) {
        const double add = d->more[d->touched[n]];
        const double a = *load_at(d, which, part, d->touched[n]), b = *load_at(d, which, other, d->touched[n]);
        grows += (fourth_power(a + add) - fourth_power(a)) + (fourth_power(b - add) - fourth_power(b));
    }
    if (grows < 0) {
        add_line(d, which, part, d->more, 1);
        add_line(d, which, other, d->more, -1);
        own->part[line[0]] = other;
        own->part[line[1]] = part;
    }
}

/* Lines with nearly the same work: what is left to gain once no line alone is better elsewhere. */
static void swap_neighbours(ashi_dealing *d, int which)
{
    const side *own = &d->side[which];
    const int64_t parts = d->side[1 - which].parts, most = band_lines(d, which);
    const int64_t step = ashi_max(1, most - NEIGHBOURS);
    for (int64_t x = 0; x < own->lines; x += step) {
        const int64_t count = ashi_min(most, own->lines - x), firsts = ashi_min(step, count);
        find_band(d, which, own->order + x, count);
        for (int64_t i = 0; i < firsts; i++)
            for (int64_t j = i + 1; j < count && j <= i + NEIGHBOURS; j++)
                try_swap(d, which, (int64_t[]){own->order[x + i], own->order[x + j]},
                         (const double *const[]){d->band + i * parts, d->band + j * parts});
    }
}

/* ---- measuring ---- */

static void clear_loads(ashi_dealing *d)
{
    memset(d->load, 0, (size_t)(d->side[0].parts * d->side[1].parts) * sizeof *d->load);
}

static double loads_imbalance(const ashi_dealing *d)
{
    const int64_t count = d->side[0].parts * d->side[1].parts;
    double most = 0, sum = 0;
    for (int64_t x = 0; x < count; x++) {
        most = d->load[x] > most ? d->load[x] : most;
        sum += d->load[x];
    }
    return sum > 0 ? most / (sum / (double)count) : 1;
}

static void keep_if_better(ashi_dealing *d)
{
    const double now = loads_imbalance(d);
    if (now >= d->imbalance * (1 - 1e-9))
        return;
    d->imbalance = now;
    memcpy(d->row_part, d->side[0].part, (size_t)d->side[0].lines * sizeof *d->row_part);
    memcpy(d->col_part, d->side[1].part, (size_t)d->side[1].lines * sizeof *d->col_part);
}

/* ---- making ---- */

/* Lines with work are to be dealt; all are cyclic otherwise. */
static void begin_side(side *s, bool dealt)
{
    for (int64_t line = 0; line < s->lines; line++)
        s->part[line] = dealt || !(s->work[line] > 0) ? (int)(line % s->parts) : -1;
}

/* The work of each line of a side, with all lines cyclic, and what processes have then. */
static void find_work(ashi_dealing *d, int which)
{
    side *own = &d->side[which];
    const int64_t parts = d->side[1 - which].parts, most = band_lines(d, which);
    for (int64_t line = 0; line < own->lines; line++)
        own->order[line] = line;
    clear_loads(d);
    for (int64_t x = 0; x < own->lines; x += most) {
        const int64_t count = ashi_min(most, own->lines - x);
        find_band(d, which, own->order + x, count);
        for (int64_t i = 0; i < count; i++) {
            const double *has = d->band + i * parts;
            own->work[x + i] = 0;
            touch(d, which, has);
            add_line(d, which, (x + i) % own->parts, has, 1);
            for (int64_t y = 0; y < d->count; y++)
                own->work[x + i] += has[d->touched[y]];
        }
    }
}

/* The most work first: a heap, since sorting is not to fail for memory. */
static bool comes_first(const side *s, int64_t a, int64_t b)
{
    return s->work[a] > s->work[b] || (!(s->work[a] < s->work[b]) && a < b);
}

static void sink(side *s, int64_t at, int64_t count)
{
    for (int64_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && comes_first(s, s->order[child], s->order[child + 1]))
            child++;
        if (comes_first(s, s->order[child], s->order[at]))
            return;
        const int64_t line = s->order[at];
        s->order[at] = s->order[child];
        s->order[child] = line;
        at = child;
    }
}

static void put_in_order(side *s)
{
    for (int64_t at = s->lines / 2; at-- > 0;)
        sink(s, at, s->lines);
    for (int64_t end = s->lines; end-- > 1;) {
        const int64_t line = s->order[0];
        s->order[0] = s->order[end];
        s->order[end] = line;
        sink(s, 0, end);
    }
}

/* One side is dealt with the other cyclic, then both by turns while that helps. */
static void deal_from(ashi_dealing *d, int first)
{
    begin_side(&d->side[first], false);
    begin_side(&d->side[1 - first], true);
    clear_loads(d);
    sweep(d, first, false);
    keep_if_better(d);
    for (int s = 1; s < SWEEPS; s++) {
        const int which = s % 2 == 1 ? 1 - first : first;
        sweep(d, which, s >= SWEEPS / 2);
        if (s >= SWEEPS / 2)
            swap_neighbours(d, which);
        keep_if_better(d);
    }
}

void ashi_dealing_run(ashi_dealing *d, const ashi_line_sums *sums, int *row_part, int *col_part, double *imbalance)
{
    d->sums = sums;
    d->row_part = row_part;
    d->col_part = col_part;
    for (int which = 0; which < 2; which++) {
        side *s = &d->side[which];
        for (int64_t line = 0; line < s->lines; line++)
            s->part[line] = (which == 0 ? row_part : col_part)[line] = (int)(line % s->parts);
    }
    for (int which = 0; which < 2; which++) {
        find_work(d, which);
        put_in_order(&d->side[which]);
    }
    d->imbalance = loads_imbalance(d);
    for (int first = 0; first < 2; first++)
        deal_from(d, first);
    *imbalance = d->imbalance;
}

ashlar_status ashi_dealing_make(const int64_t lines[2], const int64_t grid[2], ashi_dealing **out, ashlar_error *err)
{
    ashi_dealing *d = calloc(1, sizeof *d);
    const int64_t most = ashi_max(grid[0], grid[1]);
    *out = d;
    for (int which = 0; d && which < 2; which++) {
        side *s = &d->side[which];
        *s = (side){.lines = lines[which], .parts = grid[which]};
        s->work = malloc(((size_t)lines[which] + 1) * sizeof *s->work);
        s->order = malloc(((size_t)lines[which] + 1) * sizeof *s->order);
        s->part = malloc(((size_t)lines[which] + 1) * sizeof *s->part);
    }
    if (d) {
        const int64_t room = ashi_dealing_room(lines, grid);
        d->load = malloc((size_t)(grid[0] * grid[1]) * sizeof *d->load);
        d->band = malloc(((size_t)room + 1) * sizeof *d->band);
        d->more = malloc((size_t)most * sizeof *d->more);
        d->touched = malloc((size_t)most * sizeof *d->touched);
    }
    const bool made = d && d->side[0].work && d->side[0].order && d->side[0].part && d->side[1].work &&
                      d->side[1].order && d->side[1].part && d->load && d->band && d->more && d->touched;
    return made ? ASHLAR_OK : ashi_fail_memory(err, "dealing tiles by work", 20 * (lines[0] + lines[1]));
}

void ashi_dealing_free(ashi_dealing **dealing)
{
    ashi_dealing *d = *dealing;
    if (!d)
        return;
    for (int which = 0; which < 2; which++) {
        free(d->side[which].work);
        free(d->side[which].order);
        free(d->side[which].part);
    }
    free(d->load);
    free(d->band);
    free(d->more);
    free(d->touched);
    free(d);
    *dealing = NULL;
}
