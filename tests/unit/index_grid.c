/* tensor: grids of ranks over all indices: every element has one owner, boxes are made of the owners' parts, and no
 * rank receives more words than the choice says. */
#include "tensor/index_grid.h"
#include "test.h"

enum { CASES = 400, RANKS_MOST = 13 };

static const char *const expressions[] = {"ijk,jr,kr->ir", "ijk,jb,kc->ibc", "ab,bc,cd->ad", "abcd,ae,bf,cg,dh->efgh",
                                          "iij,j,jk->ik",  "i,j,k->",        "ab,,ab->ba"};

static const ashi_index_list *list_of(const ashi_expression *e, int x)
{
    return x < e->operands ? &e->operand[x] : &e->output;
}

/* What a rank receives of an array: the rest of its box, or of the result what the others have of its part. */
static int64_t words_of(ashi_test *t, const ashi_expression *e, const ashi_index_grid *grid, int x, int rank,
                        const ashlar_tensor_layout *layout)
{
    const ashi_index_list *const list = list_of(e, x);
    int coordinate[ASHI_INDICES_MOST];
    int64_t box[ASHI_ORDER_MOST], from[ASHI_ORDER_MOST], extent[ASHI_ORDER_MOST], all = 0;
    ashi_index_grid_share share;
    ashi_index_grid_share_of(e, grid, list, &share);
    ashi_index_grid_coordinates(e, grid, rank, coordinate);
    const int64_t words = ashi_index_grid_box(e, grid, list, coordinate, box);
    const int me = ashi_index_grid_number(e, grid, list, coordinate);
    CHECK(t, ashi_index_grid_sharer(e, grid, list, coordinate, me) == rank, "rank %d", rank);
    for (int n = 0; n < share.sharers; n++) {
        const int other = ashi_index_grid_sharer(e, grid, list, coordinate, n);
        const int64_t part = ashi_index_grid_part(list, &share, box, n, from, extent);
        CHECK(t, part == ashlar_tensor_layout_words(layout, other), "rank %d: %" PRId64 " words", other, part);
        all += part;
    }
    CHECK(t, all == words, "array %d, rank %d: %" PRId64 " of %" PRId64 " words", x, rank, all, words);
    const int64_t own = ashlar_tensor_layout_words(layout, rank);
    return x == e->operands ? (share.sharers - 1) * own : words - own;
}

static void try_one(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    const size_t which = (size_t)ashi_random_in(&state, 0, sizeof expressions / sizeof *expressions - 1);
    const ashlar_tensor_layout *const given[ASHI_OPERANDS_MOST + 1] = {NULL};
    static ashi_expression e;
    static ashi_sequence sequence;
    ashlar_error err = {0};
    ashi_index_grid grid;
    int column;
    int64_t least, received[RANKS_MOST] = {0}, most = 0;
    CHECK(t, ashi_expression_read(expressions[which], &e, &column, &err) == ASHLAR_OK, "%s", err.text);
    for (int i = 0; i < e.indices; i++)
        e.extent[i] = ashi_random_in(&state, 1, 17);
    CHECK(t, ashi_sequence_choose(&e, INT64_MAX, &sequence, &least, &err) == ASHLAR_OK, "%s", err.text);
    const int ranks = (int)ashi_random_in(&state, 1, RANKS_MOST);
    const ashi_index_grid_request request = {&e, &sequence, ranks, given, seed % 2 == 0, 1e-9, 1e-8, 1e-6};
    const int64_t words = ashi_index_grid_choose(&request, &grid);
    CHECK(t, grid.ranks >= 1 && grid.ranks <= request.ranks, "seed %" PRIu64 ": %d ranks", seed,
          grid.ranks);
    for (int x = 0; x <= e.operands; x++) {
        ashlar_tensor_layout *layout = NULL;
        int64_t owned = 0;
        CHECK(t, ashi_index_grid_layout(&e, &grid, list_of(&e, x), &layout, &err) == ASHLAR_OK, "%s", err.text);
        for (int rank = 0; rank < request.ranks; rank++)
            owned += ashlar_tensor_layout_words(layout, rank);
        CHECK(t, owned == ashi_expression_words(&e, list_of(&e, x)), "seed %" PRIu64 ": %" PRId64 " words are owned",
              seed, owned);
        for (int rank = 0; rank < grid.ranks; rank++)
            received[rank] += words_of(t, &e, &grid, x, rank, layout);
        ashlar_tensor_layout_free(&layout);
    }
    for (int rank = 0; rank < grid.ranks; rank++)
        most = received[rank] > most ? received[rank] : most;
    CHECK(t, most <= words, "seed %" PRIu64 ": %s: %" PRId64 " words, chosen for %" PRId64 "", seed, expressions[which],
          most, words);
}

/* A grid for MTTKRP, of three equal extents and another one; its words. */
static int64_t choose_mttkrp(ashi_test *t, int64_t extent, int64_t columns, int ranks, bool least_words,
                             ashi_expression *e, ashi_index_grid *grid)
{
    static ashi_sequence sequence;
    ashlar_error err = {0};
    int column;
    int64_t least;
    CHECK(t, ashi_expression_read("ijk,jr,kr->ir", e, &column, &err) == ASHLAR_OK, "%s", err.text);
    for (int i = 0; i < e->indices; i++)
        e->extent[i] = e->name[i] == 'r' ? columns : extent;
    CHECK(t, ashi_sequence_choose(e, INT64_MAX, &sequence, &least, &err) == ASHLAR_OK, "%s", err.text);
    const ashi_index_grid_request request = {e, &sequence, ranks, NULL, least_words, 1e-9, 1e-8, 1e-6};
    return ashi_index_grid_choose(&request, grid);
}

/* The words of docs/TENSORS.md. */
static void try_mttkrp(ashi_test *t)
{
    static const struct {
        int ranks;
        int64_t words;
    } cases[] = {{2, 1024}, {4, 1280}, {8, 1152}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        static ashi_expression e;
        ashi_index_grid grid;
        const int64_t words = choose_mttkrp(t, 64, 16, cases[c].ranks, true, &e, &grid);
        CHECK(t, words == cases[c].words, "%d ranks: %" PRId64 " words", cases[c].ranks, words);
    }
}

/* For as many words an index of the output is cut, though the first step, which lacks it, is then not divided: 0.3 % of
 * the work. */
static void try_sums(ashi_test *t)
{
    for (int least_words = 0; least_words < 2; least_words++) {
        static ashi_expression e;
        ashi_index_grid grid;
        const int64_t words = choose_mttkrp(t, 300, 48, 2, least_words, &e, &grid);
        for (int i = 0; i < e.indices; i++)
            CHECK(t, grid.parts[i] == (e.name[i] == 'i' ? 2 : 1), "%c is cut into %d", e.name[i], grid.parts[i]);
        CHECK(t, words == 2 * 300 * 48 / 2, "%" PRId64 " words", words);
    }
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, CASES);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        try_one(&t, seed);
    try_mttkrp(&t);
    try_sums(&t);
    return ashi_test_end(&t, "index_grid");
}
