/* Cuts, patterns, the operations on patterns and lines of tiles, compared with dense tables of booleans. */
#include "base/ordering.h"
#include "layout/cuts.h"
#include "layout/pattern_sets.h"
#include "schedule/tile_line.h"
#include "test.h"

#include <string.h>

enum { SIDE = 40 };

typedef struct table {
    bool at[SIDE][SIDE];
} table;

static table random_table(uint64_t *state)
{
    table made = {0};
    const int64_t density = ashi_random_in(state, 0, 3), rows = ashi_random_in(state, 1, SIDE);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < SIDE; j++)
            made.at[i][j] = ashi_random_in(state, 0, 9) < 3 * density;
    for (int empty = 0; empty < 4; empty++)
        memset(made.at[ashi_random_in(state, 0, SIDE - 1)], 0, sizeof made.at[0]);
    return made;
}

/* The list is out of order, and names a tile twice now and then. */
static ashi_pattern pattern_of(ashi_test *t, const table *from, uint64_t *state)
{
    static ashi_tile_at list[2 * SIDE * SIDE];
    int64_t count = 0;
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t j = 0; j < SIDE; j++)
            for (int64_t twice = ashi_random_in(state, 0, 4) == 0; from->at[i][j] && twice >= 0; twice--)
                list[count++] = (ashi_tile_at){i, j};
    for (int64_t x = count - 1; x > 0; x--) {
        const int64_t y = ashi_random_in(state, 0, x);
        const ashi_tile_at moved = list[x];
        list[x] = list[y];
        list[y] = moved;
    }
    ashi_pattern made;
    ashlar_error err = {0};
    CHECK(t, ashi_pattern_make(list, count, &made, &err) == ASHLAR_OK, "%s", err.text);
    return made;
}

/* The pattern is in order, mentions no row without tiles, and has what the table has. */
static void same(ashi_test *t, const ashi_pattern *pattern, const table *wanted, const char *what, uint64_t seed)
{
    int64_t tiles = 0, rows = 0, near = 0, far = 0;
    for (int64_t i = 0; i < SIDE; i++) {
        const int64_t before = tiles, x = ashi_pattern_row(pattern, i);
        for (int64_t j = 0; j < SIDE; j++) {
            const int64_t number = ashi_pattern_find(pattern, i, j);
            CHECK(t, number == (wanted->at[i][j] ? tiles : -1), "%s seed %" PRIu64 ": tile %" PRId64 ", %" PRId64, what,
                  seed, i, j);
            CHECK(t, !wanted->at[i][j] || pattern->col[tiles] == j, "%s seed %" PRIu64, what, seed);
            const int64_t row = j % 2 ? SIDE - 1 - i : i;
            CHECK(t, ashi_pattern_find_near(pattern, i, j, &near) == number &&
                  ashi_pattern_find_near(pattern, row, j, &far) == ashi_pattern_find(pattern, row, j),
                  "%s seed %" PRIu64 ": near tile %" PRId64 ", %" PRId64, what, seed, i, j);
            tiles += wanted->at[i][j];
        }
        CHECK(t, x == (tiles > before ? rows : -1), "%s seed %" PRIu64 ": row %" PRId64, what, seed, i);
        if (x >= 0)
            CHECK(t, pattern->start[x] == before && pattern->start[x + 1] == tiles, "%s seed %" PRIu64, what, seed);
        rows += tiles > before;
    }
    CHECK(t, pattern->tiles == tiles && pattern->rows == rows && pattern->start[rows] == tiles, "%s seed %" PRIu64,
          what, seed);
}

static void check_sets(ashi_test *t, const table *x, const table *y, const ashi_pattern *px, const ashi_pattern *py,
                       uint64_t seed)
{
    table both = {0}, either = {0}, less = {0};
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            either.at[i][j] = x->at[i][j] || y->at[i][j];
            both.at[i][j] = x->at[i][j] && y->at[i][j];
            less.at[i][j] = x->at[i][j] && !y->at[i][j];
        }
    ashi_pattern made;
    ashlar_error err = {0};
    CHECK(t, ashi_pattern_union(px, py, &made, &err) == ASHLAR_OK, "%s", err.text);
    same(t, &made, &either, "union", seed);
    ashi_pattern_free(&made);
    CHECK(t, ashi_pattern_intersection(px, py, &made, &err) == ASHLAR_OK, "%s", err.text);
    same(t, &made, &both, "intersection", seed);
    ashi_pattern_free(&made);
    CHECK(t, ashi_pattern_difference(px, py, &made, &err) == ASHLAR_OK, "%s", err.text);
    same(t, &made, &less, "difference", seed);
    const ashi_pattern parts[] = {made, *py, *py};
    ashi_pattern whole;
    CHECK(t, ashi_pattern_merge(parts, 3, &whole, &err) == ASHLAR_OK, "%s", err.text);
    same(t, &whole, &either, "merge", seed);
    int64_t *number = malloc(((size_t)whole.tiles + 1) * sizeof *number);
    CHECK(t, number, "memory");
    if (number) {
        ashi_pattern_numbers(&whole, py, number);
        for (int64_t r = 0; r < whole.rows; r++)
            for (int64_t at = whole.start[r]; at < whole.start[r + 1]; at++)
                CHECK(t, number[at] == ashi_pattern_find(py, whole.row[r], whole.col[at]), "numbers seed %" PRIu64,
                      seed);
    }
    free(number);
    ashi_pattern_free(&whole);
    ashi_pattern_free(&made);
}

static void check_transpose(ashi_test *t, const table *x, const ashi_pattern *px, uint64_t seed)
{
    table turned = {0};
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            turned.at[j][i] = x->at[i][j];
    ashi_pattern made, back;
    int64_t *tile = NULL;
    ashlar_error err = {0};
    CHECK(t, ashi_pattern_transpose(px, &made, &tile, &err) == ASHLAR_OK, "%s", err.text);
    same(t, &made, &turned, "transpose", seed);
    for (int64_t r = 0; r < made.rows; r++)
        for (int64_t at = made.start[r]; at < made.start[r + 1]; at++)
            CHECK(t, tile[at] == ashi_pattern_find(px, made.col[at], made.row[r]), "transpose seed %" PRIu64, seed);
    free(tile);
    CHECK(t, ashi_pattern_transpose(&made, &back, NULL, &err) == ASHLAR_OK && ashi_pattern_equal(&back, px),
          "transposed twice, seed %" PRIu64, seed);
    CHECK(t, ashi_pattern_equal(&made, px) == (memcmp(&turned, x, sizeof turned) == 0), "equal, seed %" PRIu64, seed);
    ashi_pattern_free(&back);
    ashi_pattern_free(&made);
}

static int owner_of(void *context, int64_t row, int64_t col)
{
    return (int)((row * 7 + col * 3) % *(int *)context);
}

static void check_parts(ashi_test *t, const table *x, const ashi_pattern *px, uint64_t *state, uint64_t seed)
{
    const ashi_tile_at first = {ashi_random_in(state, 0, SIDE), ashi_random_in(state, 0, SIDE)};
    const ashi_tile_at end = {ashi_random_in(state, first.row, SIDE), ashi_random_in(state, first.col, SIDE)};
    int rank[] = {5, 1, 0, 3, 2, 4}, col_part[SIDE], ranks = 6;
    for (int j = 0; j < SIDE; j++)
        col_part[j] = (int)ashi_random_in(state, 0, 2);
    const ashi_deal deal = {.grid_rows = 2, .grid_cols = 3, .grid_rank = rank, .col_part = col_part};
    const ashi_deal mapped = {.owner = owner_of, .context = &ranks};
    table in_box = {0}, in_row = {0}, in_col = {0}, at_two = {0}, mapped_four = {0};
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            in_box.at[i][j] = x->at[i][j] && i >= first.row && i < end.row && j >= first.col && j < end.col;
            in_row.at[i][j] = x->at[i][j] && i % 2 == 1;
            in_col.at[i][j] = x->at[i][j] && col_part[j] == 2;
            at_two.at[i][j] = x->at[i][j] && i % 2 == 1 && col_part[j] == 1; /* rank[1 * 3 + 1] is 2 */
            mapped_four.at[i][j] = x->at[i][j] && (i * 7 + j * 3) % 6 == 4;
        }
    ashi_pattern made;
    ashlar_error err = {0};
    CHECK(t, ashi_pattern_box(px, first, end, &made, &err) == ASHLAR_OK, "%s", err.text);
    same(t, &made, &in_box, "box", seed);
    ashi_pattern_free(&made);
    CHECK(t, ashi_pattern_of_part(px, &deal, 1, -1, &made, &err) == ASHLAR_OK, "%s", err.text);
    same(t, &made, &in_row, "process row", seed);
    ashi_pattern_free(&made);
    CHECK(t, ashi_pattern_of_part(px, &deal, -1, 2, &made, &err) == ASHLAR_OK, "%s", err.text);
    same(t, &made, &in_col, "process column", seed);
    ashi_pattern_free(&made);
    CHECK(t, ashi_pattern_of_rank(px, &deal, 2, &made, &err) == ASHLAR_OK, "%s", err.text);
    same(t, &made, &at_two, "rank of a grid", seed);
    ashi_pattern_free(&made);
    CHECK(t, ashi_pattern_of_rank(px, &mapped, 4, &made, &err) == ASHLAR_OK, "%s", err.text);
    same(t, &made, &mapped_four, "rank of a map", seed);
    ashi_pattern_free(&made);
}

static void check_cuts(ashi_test *t, uint64_t *state, uint64_t seed)
{
    int64_t size[30], tiles = ashi_random_in(state, 0, 30), index = 0;
    for (int64_t x = 0; x < tiles; x++)
        size[x] = ashi_random_in(state, 0, 4) == 0 ? 0 : ashi_random_in(state, 1, 50);
    ashi_cuts cuts, copy;
    ashlar_error err = {0};
    CHECK(t, ashi_cuts_make(tiles, size, "rows", &cuts, &err) == ASHLAR_OK, "%s", err.text);
    for (int64_t x = 0; x < tiles; x++) {
        CHECK(t, ashi_cuts_size(&cuts, x) == size[x] && cuts.at[x] == index, "seed %" PRIu64, seed);
        for (int64_t end = index + size[x]; index < end; index++)
            CHECK(t, ashi_cuts_find(&cuts, index) == x, "seed %" PRIu64 " index %" PRId64, seed, index);
    }
    CHECK(t, ashi_cuts_all(&cuts) == index && cuts.tiles == tiles, "seed %" PRIu64, seed);
    CHECK(t, ashi_cuts_copy(&cuts, &copy, &err) == ASHLAR_OK && ashi_cuts_differ(&cuts, &copy) == -1, "%s", err.text);
    if (tiles > 0) {
        const int64_t change = ashi_random_in(state, 0, tiles - 1);
        copy.at[change + 1]++;
        CHECK(t, ashi_cuts_differ(&cuts, &copy) == change, "seed %" PRIu64, seed);
        copy.at[change + 1]--;
        copy.tiles = change;
        CHECK(t, ashi_cuts_differ(&cuts, &copy) == change && ashi_cuts_differ(&copy, &cuts) == change, "seed %" PRIu64,
              seed);
    }
    ashi_cuts_free(&copy);
    ashi_cuts_free(&cuts);
}

static void check_cut_errors(ashi_test *t)
{
    const int64_t wrong[] = {3, -2}, vast[] = {INT64_MAX, 1};
    ashi_cuts cuts;
    ashlar_error err = {0};
    CHECK(t, ashi_cuts_make(-1, wrong, "rows", &cuts, &err) == ASHLAR_ERR_ARG, "tiles");
    ashi_cuts_free(&cuts);
    CHECK(t, ashi_cuts_make(2, wrong, "the rows of A", &cuts, &err) == ASHLAR_ERR_ARG &&
             strstr(err.text, "the rows of A: tile 1 has the size -2"), "%s", err.text);
    ashi_cuts_free(&cuts);
    CHECK(t, ashi_cuts_make(2, vast, "rows", &cuts, &err) == ASHLAR_ERR_OVERFLOW, "%s", err.text);
    ashi_cuts_free(&cuts);
}

/* Keys of any range, in one digit or in several, with gaps between them. */
static void check_ordering(ashi_test *t, uint64_t *state, uint64_t seed)
{
    static int64_t key[6000], order[3000], number[3000], spare[3000];
    const int64_t count = ashi_random_in(state, 0, 3000), shift = ashi_random_in(state, 0, 63);
    for (int64_t x = 0; x < count; x++) {
        key[2 * x] = (int64_t)(ashi_random(state) >> shift) - (shift == 0 ? 0 : INT64_MAX >> shift);
        number[x] = key[2 * x];
    }
    ashi_order_start(count, order);
    CHECK(t, ashi_order_by(key, 2, count, order), "memory");
    ashi_sort_numbers(number, count, spare);
    for (int64_t x = 0; x < count; x++) {
        CHECK(t, number[x] == key[2 * order[x]], "seed %" PRIu64, seed);
        CHECK(t, x == 0 || number[x - 1] < number[x] || (number[x - 1] == number[x] && order[x - 1] < order[x]),
              "seed %" PRIu64, seed);
    }
}

/* A line of the tiles of x, of words that follow from row and column, becomes one of those of y, in place. */
typedef struct line_change {
    int64_t gone[SIDE * SIDE], before[SIDE * SIDE], words[SIDE * SIDE], goes, comes, tiles;
    ashi_tile_at come[SIDE * SIDE];
} line_change;

static int64_t words_of(int64_t row, int64_t col)
{
    return (row + 2 * col) % 5;
}

static line_change find_changes(const table *x, const table *y)
{
    line_change c = {0};
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t j = 0; j < SIDE; j++) {
            if (y->at[i][j] && !x->at[i][j]) {
                c.before[c.comes] = c.tiles;
                c.words[c.comes] = words_of(i, j);
                c.come[c.comes++] = (ashi_tile_at){i, j};
            } else if (x->at[i][j] && !y->at[i][j]) {
                c.gone[c.goes++] = c.tiles;
            }
            c.tiles += x->at[i][j];
        }
    return c;
}

static void check_line(ashi_test *t, const table *x, const table *y, uint64_t seed)
{
    const line_change c = find_changes(x, y);
    const ashi_tile_line_come come = {c.come, c.words};
    ashi_tile_line line;
    ashi_splice splice;
    int64_t at = 0, words = 0;
    CHECK(t, ashi_tile_line_make(c.tiles, &line, NULL) == ASHLAR_OK, "memory");
    for (int64_t i = 0; i < SIDE * SIDE; i++)
        if (x->at[i / SIDE][i % SIDE]) {
            line.tile[at] = (ashi_tile_at){i / SIDE, i % SIDE};
            line.start[at++] = words;
            words += words_of(i / SIDE, i % SIDE);
        }
    line.start[at] = words;
    CHECK(t, ashi_splice_make(c.tiles, c.gone, c.goes, c.before, c.comes, &splice, NULL) == ASHLAR_OK &&
             ashi_tile_line_change(&line, &splice, &come, NULL) == ASHLAR_OK, "memory");
    at = words = 0;
    for (int64_t i = 0; i < SIDE * SIDE; i++)
        if (y->at[i / SIDE][i % SIDE]) {
            CHECK(t, at < line.tiles && line.tile[at].row == i / SIDE && line.tile[at].col == i % SIDE &&
                  line.start[at] == words, "seed %" PRIu64 ": tile %" PRId64 " of the line", seed, at);
            at++;
            words += words_of(i / SIDE, i % SIDE);
        }
    CHECK(t, at == line.tiles && line.start[at] == words, "seed %" PRIu64 ": %" PRId64 " tiles", seed, line.tiles);
    ashi_splice_free(&splice);
    ashi_tile_line_free(&line);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 60);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        uint64_t state = seed;
        const table x = random_table(&state), y = random_table(&state);
        ashi_pattern px = pattern_of(&t, &x, &state), py = pattern_of(&t, &y, &state);
        same(&t, &px, &x, "made", seed);
        check_sets(&t, &x, &y, &px, &py, seed);
        check_transpose(&t, &x, &px, seed);
        check_parts(&t, &x, &px, &state, seed);
        check_cuts(&t, &state, seed);
        check_ordering(&t, &state, seed);
        check_line(&t, &x, &y, seed);
        ashi_pattern_free(&px);
        ashi_pattern_free(&py);
    }
    check_cut_errors(&t);
    return ashi_test_end(&t, "pattern");
}
