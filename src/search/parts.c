/* How a block of a matrix is cut among the ranks that share it: rectangles of nearly equal words. */
#include "search/parts.h"

#include "base/checked.h"

#include <math.h>

ashi_parts ashi_parts_even(int64_t rows, int64_t cols)
{
    return (ashi_parts){{rows, 0}, {cols, 0}, 0};
}

int64_t ashi_parts_first(const ashi_parts *p)
{
    return p->rows[0] * p->cols[0];
}

int64_t ashi_parts_count(const ashi_parts *p)
{
    return ashi_parts_first(p) + p->rows[1] * p->cols[1];
}

void ashi_parts_sides(const ashi_parts *p, int64_t rows, int64_t cols, int64_t part, int64_t sides[2])
{
    const int64_t first = ashi_parts_first(p);
    const int band = part >= first;
    const int64_t at = band ? part - first : part;
    sides[0] = sides[1] = 0;
    if (at >= p->rows[band] * p->cols[band])
        return;
    sides[0] = ashi_cut_size(rows, p->rows[band], at / p->cols[band]);
    sides[1] = ashi_cut_size(band ? p->rest : cols - p->rest, p->cols[band], at % p->cols[band]);
}

int64_t ashi_parts_words(const ashi_parts *p, int64_t rows, int64_t cols, int64_t part)
{
    int64_t sides[2];
    ashi_parts_sides(p, rows, cols, part, sides);
    return sides[0] * sides[1];
}

/* ---- one band ---- */

static ashi_parts best_even(int64_t rows, int64_t cols, int64_t parts, int64_t *least)
{
    ashi_parts best = ashi_parts_even(1, parts);
    *least = ashi_ceil_div(cols, parts) * rows;
    for (int64_t d = 1; d <= parts / d; d++) {
        if (parts % d != 0)
            continue;
        const int64_t pairs[2][2] = {{d, parts / d}, {parts / d, d}};
        for (int i = 0; i < 2; i++) {
            const int64_t words = ashi_ceil_div(rows, pairs[i][0]) * ashi_ceil_div(cols, pairs[i][1]);
            if (words >= *least)
                continue;
            *least = words;
            best = ashi_parts_even(pairs[i][0], pairs[i][1]);
        }
    }
    return best;
}

/* ---- two bands ---- */

/* Two bands are worth their many edges if they save at least one word in WORTH of the largest part; one in WORTH_PLAIN
 * if parts are cut by columns alone, or by rows, because then a rank's own part needs no memory beside the matrix. */
enum { WORTH = 1024, WORTH_PLAIN = 64 };

/* The most tiles that a layout has for each part: it has its edges throughout, so those of one band cut the other. */
enum { TILES = 4 };

/* How much is tried: how many stacks of parts above each other; for the first band how many of these, and how many
 * counts of them beside each other. */
enum { STACKS = 320, FIRST = 8, COUNTS = 12 };

/* Stacks are tried of up to FLAT times as many rows as if parts were square, or of FEW rows, and down to LONG times
 * fewer: flat parts are slow to copy, because the columns of a block are contiguous. */
enum { FLAT = 8, FEW = 128, LONG = 16 };

/* Of large numbers of rows only some are tried, apart by a part of 1 / FINE of them, or 1 / COARSE if there are MANY
 * parts: then more grids are nearly equal, and looking closely at each of them would take long. */
enum { FINE = 64, COARSE = 8, MANY = 1024 };

/* Parts above each other. */
typedef struct stack {
    int64_t rows;  /* how many */
    int64_t width; /* columns that they can have */
    double waste;  /* which part of the words that they could have they do not have */
} stack;

/* What is to be cut, with no part above `most` words. */
typedef struct task {
    int64_t rows, cols, parts, most;
    int64_t least_stack, most_stack, fineness; /* rows of stacks that are tried */
    int stacks, firsts;
    stack stack[STACKS]; /* by rows */
    stack first[FIRST];  /* those with the least waste, best first */
} task;

/* a / b rounded down. Of doubles that is some times quicker, and exact if they are below 2^52. */
static int64_t quotient(int64_t a, int64_t b)
{
    return a >> 52 ? a / b : (int64_t)((double)a / (double)b);
}

static int64_t quotient_up(int64_t a, int64_t b)
{
    return quotient(a + b - 1, b);
}

static void add_first(task *t, const stack *s)
{
    int at = t->firsts;
    if (at < FIRST)
        t->firsts++;
    else if (t->first[--at].waste <= s->waste)
        return;
    for (; at > 0 && t->first[at - 1].waste > s->waste; at--)
        t->first[at] = t->first[at - 1];
    t->first[at] = *s;
}

static void find_stacks(task *t)
{
    int64_t height = ashi_min(quotient_up(t->rows, t->least_stack), t->most);
    t->stacks = t->firsts = 0;
    while (height > 0 && t->stacks < STACKS) {
        stack *s = &t->stack[t->stacks++];
        s->rows = quotient_up(t->rows, height);
        s->width = ashi_min(quotient(t->most, height), t->cols);
        s->waste = 1 - (double)t->rows * (double)s->width / ((double)s->rows * (double)t->most);
        if (s->rows > t->most_stack)
            return;
        add_first(t, s);
        height = ashi_min(quotient_up(t->rows, s->rows + 1 + s->rows / t->fineness), height - 1);
    }
}

static task task_of(int64_t rows, int64_t cols, int64_t parts)
{
    const int64_t square = (int64_t)sqrt((double)parts * (double)rows / (double)cols);
    return (task){.rows = rows, .cols = cols, .parts = parts, .fineness = parts < MANY ? FINE : COARSE,
                  .least_stack = ashi_max(1, square / LONG),
                  .most_stack = ashi_min(ashi_max(FLAT * square, FEW), ashi_min(rows, parts))};
}

/* Whether the last `cols` columns can be a second band of at most `parts` parts. */
static bool fits_second(const task *t, int64_t cols, int64_t parts, ashi_parts *out)
{
    if ((double)cols * (double)t->rows > (double)parts * (double)t->most)
        return false;
    for (int i = 0; i < t->stacks && t->stack[i].rows <= parts; i++) {
        const stack *s = &t->stack[i];
        const int64_t rows = out->rows[0] + s->rows, tiles = TILES * t->parts;
        if (rows * (out->cols[0] + 1) > tiles)
            return false;
        const int64_t beside = quotient_up(cols, s->width);
        if (s->rows * beside <= parts && rows * (out->cols[0] + beside) <= tiles) {
            out->rows[1] = s->rows;
            out->cols[1] = beside;
            out->rest = cols;
            return true;
        }
    }
    return false;
}

static bool fits(task *t, int64_t most, ashi_parts *out)
{
    t->most = most;
    find_stacks(t);
    for (int i = 0; i < t->firsts; i++) {
        const stack *s = &t->first[i];
        const int64_t all = ashi_min(quotient(t->parts, s->rows), quotient(t->cols, s->width));
        for (int64_t beside = all; beside > 0 && beside > all - COUNTS; beside--) {
            const int64_t cols = beside * s->width;
            *out = ashi_parts_even(s->rows, beside);
            if (cols == t->cols || fits_second(t, t->cols - cols, t->parts - beside * s->rows, out))
                return true;
        }
    }
    return false;
}

ashi_parts ashi_parts_best(int64_t rows, int64_t cols, int64_t parts)
{
    int64_t even;
    ashi_parts best = best_even(rows, cols, parts, &even), found;
    const int64_t mean = ashi_ceil_div(rows * cols, parts), enough = ashi_max(1, mean / (4 * WORTH));
    const int64_t worth = best.rows[0] == 1 || best.cols[0] == 1 ? WORTH_PLAIN : WORTH;
    int64_t less = mean - 1, most = even - ashi_max(1, even / worth); /* what is not worth it is not looked for */
    if (parts < 3 || mean < 1 || most < mean)
        return best;
    task t = task_of(rows, cols, parts);
    if (!fits(&t, most, &found))
        return best;
    best = found;
    while (most - less > enough) {
        const int64_t middle = less + (most - less) / 2;
        if (fits(&t, middle, &found)) {
            best = found;
            most = middle;
        } else {
            less = middle;
        }
    }
    return best;
}
