/* Choosing the near-optimal sequential schedule's grid, tile and slab, and counting its words.
 *
 * Source: Kwasniewski et al., SC 2019 (COSMA), section 5.2.7: eqs. 26 to 28 and Listing 1. A tile of C, a x b, stays in
 * memory; h columns of op(A) and h rows of op(B) are read, multiplied and forgotten, until all of k has passed; then
 * the tile is written. It takes ab + h(a + b) words of memory and (a + b)/(ab) words of reading a product.
 *
 * Listing 1 has h = 1 and streams the row of B word by word: ab + a + 1 words. A file read so is slow, each read being
 * one word. Words do not depend on h but through the room that slabs take from the tile: with a = b the tile's side is
 * sqrt(S + h^2) - h, so the reading grows by about the part h/sqrt(S). We give a slab at least 64 KiB where that takes
 * h <= sqrt(S)/16, and sqrt(S)/16 where it does not, for at most some sixteenth more words than with h = 1; and once
 * the tile is chosen, all the room that is left goes to h, which costs no words.
 *
 * Where a tile does not divide C the ragged edge would cost a whole pass. So the search is over how many tiles go down
 * and across (their words are counted exactly), and they are cut evenly, which leaves room for thicker slabs. */
#include "strategy/sequential.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/wide.h"

#include <inttypes.h>
#include <math.h>

enum {
    SLAB_BYTES = 65536, /* reads of at least so many bytes, where the memory allows it */
    SLAB_PART = 16      /* slabs at most this part of the tile's side thick while the tile is chosen */
};

/* A larger memory makes no difference, and sums of products stay within 128 bits. */
static const int64_t LARGEST_MEMORY = INT64_C(1) << 60;

/* ---- words ---- */

/* Words of a part of C, rows x cols, beside the factor k in the first two. */
static void count_part(const ashi_sequential *s, int64_t rows, int64_t cols, ashi_wide words[4])
{
    words[0] = (ashi_wide)ashi_min(s->tiles[1], cols) * rows * s->size[2];
    words[1] = (ashi_wide)ashi_min(s->tiles[0], rows) * cols * s->size[2];
    words[3] = (ashi_wide)rows * cols;
    words[2] = s->adds ? words[3] : 0;
}

/* The largest part, that of rank 0. */
static int64_t side(const ashi_sequential *s, int d)
{
    return s->grid[d] > 0 ? ashi_cut_size(s->size[d], s->grid[d], 0) : 0;
}

static ashi_disk_words narrow(const ashi_wide w[4])
{
    return (ashi_disk_words){(int64_t)w[0], (int64_t)w[1], (int64_t)w[2], (int64_t)w[3],
                                   (int64_t)(w[0] + w[1] + w[2] + w[3])};
}

ashi_disk_words ashi_sequential_busiest(const ashi_sequential *s)
{
    ashi_wide words[4];
    count_part(s, side(s, 0), side(s, 1), words);
    return narrow(words);
}

/* Even parts are of two lengths: count[i] of length[i]. */
static void lengths(int64_t size, int64_t parts, int64_t length[2], int64_t count[2])
{
    length[0] = parts > 0 ? size / parts + 1 : 0;
    length[1] = parts > 0 ? size / parts : 0;
    count[0] = parts > 0 ? size % parts : 0;
    count[1] = parts - count[0];
}

static void count_all(const ashi_sequential *s, ashi_wide all[4])
{
    int64_t rows[2], cols[2], down[2], across[2];
    lengths(s->size[0], s->grid[0], rows, down);
    lengths(s->size[1], s->grid[1], cols, across);
    for (int x = 0; x < 4; x++)
        all[x] = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            ashi_wide words[4];
            count_part(s, rows[i], cols[j], words);
            for (int x = 0; x < 4; x++)
                all[x] += words[x] * down[i] * across[j];
        }
}

ashi_disk_words ashi_sequential_total(const ashi_sequential *s)
{
    ashi_wide words[4];
    count_all(s, words);
    return narrow(words);
}

/* ---- shape ---- */

void ashi_sequential_shape(const ashi_sequential *s, int64_t *a, int64_t *b, int64_t *h)
{
    *a = s->tiles[0] > 0 ? ashi_ceil_div(side(s, 0), s->tiles[0]) : 0;
    *b = s->tiles[1] > 0 ? ashi_ceil_div(side(s, 1), s->tiles[1]) : 0;
    *h = s->slabs > 0 ? ashi_ceil_div(s->size[2], s->slabs) : 0;
}

int64_t ashi_sequential_memory(const ashi_sequential *s)
{
    int64_t a, b, h;
    ashi_sequential_shape(s, &a, &b, &h);
    return a * b + h * (a + b);
}

/* ---- choosing ---- */

/* The thickness that room is kept for while the tile is chosen. */
static int64_t thickness(const ashi_sequential_request *q, int64_t memory)
{
    const double tile = sqrt((double)memory);
    const int64_t wanted = (int64_t)ceil((double)SLAB_BYTES / (double)ashi_max(q->bytes, 1) / tile);
    const int64_t most = ashi_max((int64_t)(tile / SLAB_PART), 1);
    return ashi_min(ashi_max(ashi_min(wanted, most), 1), q->size[2]);
}

typedef struct search {
    const ashi_sequential_request *request;
    int64_t memory, h;
    ashi_sequential best;
    ashi_wide busiest, total; /* words of the best */
    int64_t around;           /* a + b of the best: the less, the thicker its slabs may be */
    bool found;
} search;

static bool better(const search *f, ashi_wide busiest, ashi_wide total, int64_t around)
{
    if (!f->found || busiest != f->busiest)
        return !f->found || busiest < f->busiest;
    return total != f->total ? total < f->total : around < f->around;
}

static void consider(search *f, const ashi_sequential *s)
{
    ashi_wide words[4], all[4];
    int64_t a, b, h;
    ashi_sequential_shape(s, &a, &b, &h);
    count_part(s, side(s, 0), side(s, 1), words);
    count_all(s, all);
    const ashi_wide busiest = words[0] + words[1] + words[2] + words[3], total = all[0] + all[1] + all[2] + all[3];
    if (!better(f, busiest, total, a + b))
        return;
    f->found = true;
    f->around = a + b;
    f->best = *s;
    f->busiest = busiest;
    f->total = total;
}

/* The best tiles for one grid: for each height that cuts the part into fewer tiles than a larger one would not, the
 * largest width beside it. */
static void search_tiles(search *f, ashi_sequential *s)
{
    const int64_t rows = side(s, 0), cols = side(s, 1), h = f->h;
    int64_t a = ashi_min(rows, (f->memory - h) / (1 + h)); /* 1 column of C fits beside it */
    while (a >= 1) {
        const int64_t down = ashi_ceil_div(rows, a);
        a = ashi_ceil_div(rows, down);
        const int64_t room = (f->memory - h * a) / (a + h);
        const int64_t b = f->request->in_columns && down > 1 ? 1 : ashi_min(cols, room);
        if (f->found && (ashi_wide)down * cols * s->size[2] > f->busiest)
            return; /* B alone takes more, and ever more as a falls */
        s->tiles[0] = down;
        s->tiles[1] = ashi_ceil_div(cols, b);
        consider(f, s);
        a--;
    }
}

/* Grids that use as many ranks as can be used: for each number of parts of n, the most of m. */
static void search_grids(search *f)
{
    const ashi_sequential_request *q = f->request;
    const int64_t ranks = q->one_writer || q->in_columns ? 1 : q->ranks;
    ashi_sequential s = {.size = {q->size[0], q->size[1], q->size[2]}, .ranks = q->ranks, .adds = q->adds};
    for (int64_t pm = 1; pm <= ashi_min(ranks, s.size[0]);) {
        const int64_t pn = ranks / pm;
        pm = ranks / pn; /* the most parts of m that leave as many for n */
        s.grid[0] = ashi_min(pm, s.size[0]);
        s.grid[1] = ashi_min(pn, s.size[1]);
        search_tiles(f, &s);
        pm++;
    }
}

/* All the room that the chosen tile leaves goes to the slabs. */
static void thicken(const search *f, ashi_sequential *s)
{
    int64_t a, b, h;
    ashi_sequential_shape(s, &a, &b, &h);
    h = ashi_min((f->memory - a * b) / (a + b), s->size[2]);
    s->slabs = h > 0 ? ashi_ceil_div(s->size[2], h) : 0;
}

ashlar_status ashi_sequential_choose(const ashi_sequential_request *q, ashi_sequential *out, ashlar_error *err)
{
    const int64_t least = q->size[2] > 0 ? 3 : 1; /* a word of C, and one of A and of B */
    search f = {.request = q, .memory = ashi_min(q->memory_words, LARGEST_MEMORY)};
    *out = (ashi_sequential){.size = {q->size[0], q->size[1], q->size[2]}, .ranks = q->ranks, .adds = q->adds};
    if (q->size[0] == 0 || q->size[1] == 0)
        return ASHLAR_OK;
    if (q->memory_words < least)
        return ashi_fail(err, ASHLAR_ERR_LIMIT,
                         "sequential: %" PRId64 " words a rank are too few even if the matrices are streamed from "
                         "files: %" PRId64 " would do", q->memory_words, least);
    f.h = thickness(q, f.memory);
    for (int d = 0; d < 3; d++)
        if (q->size[d] > LARGEST_MEMORY)
            return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "a matrix of %" PRId64 " rows or columns is too large",
                             q->size[d]);
    search_grids(&f);
    int64_t fits;
    if (!ashi_narrow(f.total, &fits))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the words to be read from files do not fit in 64 bits");
    *out = f.best;
    thicken(&f, out);
    return ASHLAR_OK;
}

ashi_sequential ashi_sequential_lines(const ashi_sequential_request *q, bool by_rows)
{
    const int line = by_rows ? 1 : 0, across = 1 - line; /* the dimension along a line, and that which counts lines */
    const int64_t ranks = q->one_writer || q->in_columns ? 1 : q->ranks;
    ashi_sequential s = {.size = {q->size[0], q->size[1], 0}, .ranks = q->ranks, .adds = q->adds};
    if (q->size[0] == 0 || q->size[1] == 0)
        return s;
    s.grid[across] = ashi_min(ranks, s.size[across]);
    s.grid[line] = ashi_min(ranks / s.grid[across], s.size[line]);
    const int64_t length = ashi_min(side(&s, line), q->memory_words);
    const int64_t lines = ashi_min(side(&s, across), q->memory_words / length);
    s.tiles[line] = ashi_ceil_div(side(&s, line), length);
    s.tiles[across] = ashi_ceil_div(side(&s, across), lines);
    return s;
}
