/* The listing of a rank's tiles against asking for each element of random layouts. */
#include "random_layout.h"
#include "test.h"

#include <string.h>

enum { LONGEST = 24, RANKS = 7, ROOM = LONGEST * LONGEST + RANDOM_TILES_MAX * RANDOM_TILES_MAX };

/* Counts the tiles that have each element, and checks that it lies where the tile says. */
static void visit(ashi_test *t, uint64_t seed, const ashlar_layout *layout, int rank, const ashlar_tile *tile,
                  int seen[LONGEST][LONGEST])
{
    for (int64_t i = 0; i < tile->rows; i++)
        for (int64_t j = 0; j < tile->cols; j++) {
            const int64_t row = tile->row + i, col = tile->col + j;
            const int64_t place = tile->order == ASHLAR_COL_MAJOR ? i + j * tile->ld : i * tile->ld + j;
            CHECK(t, ashlar_layout_owner(layout, row, col) == rank, "seed %" PRIu64 " rank %d", seed, rank);
            CHECK(t, ashlar_layout_offset(layout, row, col) == tile->offset + place, "seed %" PRIu64 " (%" PRId64
                  ", %" PRId64 ") at %" PRId64, seed, row, col, tile->offset + place);
            seen[row][col]++;
        }
}

static void check_layout(ashi_test *t, uint64_t seed, const ashlar_layout *layout)
{
    static ashlar_tile tiles[ROOM];
    int seen[LONGEST][LONGEST] = {{0}};
    const int64_t rows = ashlar_layout_rows(layout), cols = ashlar_layout_cols(layout);
    for (int rank = 0; rank < RANKS; rank++) {
        int64_t count = -1, words = 0;
        ashlar_error err = {0};
        CHECK(t, ashlar_layout_list_tiles(layout, rank, ROOM, tiles, &count, &err) == ASHLAR_OK, "%s", err.text);
        CHECK(t, count >= ashlar_layout_tile_count(layout, rank) && count <= ROOM, "seed %" PRIu64, seed);
        for (int64_t i = 0; i < count; i++) {
            visit(t, seed, layout, rank, &tiles[i], seen);
            words += tiles[i].rows * tiles[i].cols;
        }
        CHECK(t, words == ashlar_layout_words(layout, rank), "seed %" PRIu64 " rank %d: %" PRId64 " words", seed, rank,
              words);
        int64_t again = -1;
        CHECK(t, ashlar_layout_list_tiles(layout, rank, 0, NULL, &again, NULL) == ASHLAR_OK && again == count,
              "seed %" PRIu64 ": %" PRId64 " tiles, then %" PRId64, seed, count, again);
    }
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            CHECK(t, seen[i][j] == 1, "seed %" PRIu64 " (%" PRId64 ", %" PRId64 ") %d times", seed, i, j, seen[i][j]);
}

static void random_case(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    ashlar_error err = {0};
    const int64_t rows = ashi_random_in(&state, 0, LONGEST), cols = ashi_random_in(&state, 0, LONGEST);
    ashlar_layout *layout = random_layout(&state, rows, cols, RANKS, &err);
    CHECK(t, layout, "seed %" PRIu64 " %s", seed, err.text);
    if (layout)
        check_layout(t, seed, layout);
    ashlar_layout_free(&layout);
}

/* Two ranks' tiles, one without elements: in their numbering, as far as there is room, for old programs and new. */
static void numbering(ashi_test *t)
{
    const int64_t row_cuts[] = {0, 2, 2, 5}, col_cuts[] = {0, 3, 4};
    const int owner[] = {0, 1, 0, 0, 1, 0};
    struct {
        ashlar_tile known;
        int64_t more;
    } later[5];
    ashlar_layout *layout = NULL;
    ashlar_error err = {0};
    int64_t count = 0;
    CHECK(t, ashlar_layout_tiles(3, 2, row_cuts, col_cuts, owner, ASHLAR_COL_MAJOR, &layout, &err) == ASHLAR_OK, "%s",
          err.text);
    memset(later, 255, sizeof later);
    CHECK(t, ashlar_layout_list_tiles_sized(layout, 0, 3, &later[0].known, sizeof later[0], &count, &err) == ASHLAR_OK,
          "%s", err.text);
    CHECK(t, count == 4 && later[3].known.rows == -1, "%" PRId64 " tiles", count);
    CHECK(t, later[0].known.row == 0 && later[0].known.rows == 2 && later[0].known.cols == 3 && later[0].more == 0,
          "tile 0");
    CHECK(t, later[1].known.row == 2 && later[1].known.rows == 0 && later[1].known.offset == 0, "tile 1");
    CHECK(t, later[2].known.row == 2 && later[2].known.col == 3 && later[2].known.cols == 1, "tile 2");
    int64_t old[4][2];
    CHECK(t, ashlar_layout_list_tiles_sized(layout, 0, 4, (ashlar_tile *)(void *)old, sizeof old[0], &count, &err) ==
                 ASHLAR_OK, "%s", err.text);
    CHECK(t, old[3][0] == 2 && old[3][1] == 3, "tile 3 at (%" PRId64 ", %" PRId64 ")", old[3][0], old[3][1]);
    const int64_t ld[] = {2, 1, 9, 9};
    ashlar_tile apart[4];
    CHECK(t, ashlar_layout_set_storage(layout, 0, NULL, ld, &err) == ASHLAR_OK, "%s", err.text);
    ashlar_layout_list_tiles(layout, 0, 4, apart, &count, NULL);
    for (int i = 0; i < 4; i++)
        CHECK(t, apart[i].offset == 0 && apart[i].ld == ld[i], "tile %d at %" PRId64 " of its own array", i,
              apart[i].offset);
    ashlar_layout_free(&layout);
}

static void wrong(ashi_test *t)
{
    const int64_t cuts[] = {0, 1};
    const int owner[] = {0};
    ashlar_layout *layout = NULL;
    ashlar_tile tile;
    int64_t count = 7;
    ashlar_layout_tiles(1, 1, cuts, cuts, owner, ASHLAR_COL_MAJOR, &layout, NULL);
    const struct {
        const ashlar_layout *layout;
        int rank;
        int64_t room;
        ashlar_tile *tiles;
        int64_t *count;
        const char *text;
    } calls[] = {{NULL, 0, 1, &tile, &count, "layout is NULL"},
                 {layout, 0, 1, NULL, &count, "tiles is NULL"},
                 {layout, 0, 1, &tile, NULL, "count is NULL"},
                 {layout, -1, 1, &tile, &count, "rank = -1, room = 1, wanted at least 0"},
                 {layout, 0, -2, &tile, &count, "rank = 0, room = -2, wanted at least 0"}};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        ashlar_error err = {0};
        char text[80];
        snprintf(text, sizeof text, "ashlar_layout_list_tiles: %s", calls[i].text);
        CHECK(t, ashlar_layout_list_tiles(calls[i].layout, calls[i].rank, calls[i].room, calls[i].tiles, calls[i].count,
                                          &err) == ASHLAR_ERR_ARG && strcmp(err.text, text) == 0, "%s", err.text);
    }
    CHECK(t, count == 7, "an error counted %" PRId64, count);
    ashlar_layout_free(&layout);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 2000);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        random_case(&t, seed);
    numbering(&t);
    wrong(&t);
    return ashi_test_end(&t, "list");
}
