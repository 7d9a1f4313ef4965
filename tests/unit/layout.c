/* Layouts, axes, strips, views and the homes of sums against counting element by element. */
#include "layout/view.h"
#include "random_layout.h"
#include "schedule/home.h"
#include "test.h"

enum { LONGEST = 24, MOST = LONGEST * LONGEST, RANKS = 7 };

/* ---- dimensions ---- */

/* Where an index of a block-cyclic dimension is, found by dealing out the larger dimension one index at a time. */
typedef struct dealt {
    int64_t part, place, room; /* place in the part's memory, and how many indices it has there */
} dealt;

static dealt deal(const ashi_dim *dim, int64_t index)
{
    dealt found = {0};
    int64_t count[MOST] = {0}, block = 0, left = dim->first;
    for (int64_t i = 0; i < dim->whole; i++, left--) {
        if (left == 0) {
            block++;
            left = dim->block;
        }
        const int64_t part = (block + dim->source) % dim->parts;
        if (i == dim->start + index)
            found = (dealt){.part = part, .place = count[part]};
        count[part]++;
    }
    found.room = count[found.part];
    return found;
}

static void check_dim(ashi_test *t, uint64_t seed, const ashi_dim *dim)
{
    int64_t count[MOST] = {0};
    for (int64_t i = 0; i < dim->size; i++) {
        const int64_t part = ashi_dim_part(dim, i), local = ashi_dim_local(dim, i), end = ashi_dim_run_end(dim, i);
        const bool inside = part >= 0 && part < dim->parts;
        CHECK(t, inside, "seed %" PRIu64 " index %" PRId64, seed, i);
        if (!inside)
            return;
        if (dim->cuts)
            CHECK(t, dim->cuts[part] <= i && i < dim->cuts[part + 1], "seed %" PRIu64 " index %" PRId64, seed, i);
        else
            CHECK(t, part == deal(dim, i).part, "seed %" PRIu64 " index %" PRId64, seed, i);
        CHECK(t, local == count[part], "seed %" PRIu64 " index %" PRId64, seed, i);
        count[part]++;
        int64_t j = i + 1;
        while (j < dim->size && ashi_dim_part(dim, j) == part && ashi_dim_local(dim, j) == local + j - i)
            j++;
        CHECK(t, end == j, "seed %" PRIu64 " index %" PRId64, seed, i);
        const ashi_dim_run run = ashi_dim_run_at(dim, i);
        CHECK(t, run.part == part && run.local == local && run.end == end, "seed %" PRIu64 " index %" PRId64, seed, i);
    }
    for (int64_t p = 0; p < dim->parts; p++)
        CHECK(t, ashi_dim_count(dim, p) == count[p], "seed %" PRIu64 " part %" PRId64, seed, p);
}

/* ---- layouts ---- */

/* The tiles of a rank that hold something, or all of them in a tiles layout. */
static int64_t count_tiles(const ashlar_layout *layout, int rank)
{
    int64_t tiles = 0;
    for (int64_t r = 0; r < layout->row.parts; r++)
        for (int64_t c = 0; c < layout->col.parts; c++)
            tiles += layout->owner[r * layout->col.parts + c] == rank &&
                     (layout->row.cuts || ashi_dim_count(&layout->row, r) * ashi_dim_count(&layout->col, c) > 0);
    return tiles;
}

/* In a block-cyclic layout: the place as ScaLAPACK's documents have it. */
static void check_block_cyclic_place(ashi_test *t, uint64_t seed, const ashlar_layout *l, int64_t i, int64_t j)
{
    const dealt row = deal(&l->row, i), col = deal(&l->col, j);
    const bool by_col = l->order == ASHLAR_COL_MAJOR;
    const int64_t ld = ashi_max(l->ld, by_col ? row.room : col.room);
    const int64_t place = by_col ? row.place + col.place * ld : row.place * ld + col.place;
    CHECK(t, ashlar_layout_owner(l, i, j) == l->owner[row.part * l->col.parts + col.part], "seed %" PRIu64, seed);
    CHECK(t, ashlar_layout_offset(l, i, j) == place, "seed %" PRIu64, seed);
}

/* Whether the layout is of a submatrix, around which others' elements lie. */
static bool is_part(const ashlar_layout *layout)
{
    return !layout->row.cuts && (layout->row.whole != layout->row.size || layout->col.whole != layout->col.size);
}

/* No two elements of a rank in one place; the extent is one beyond the last. */
static void check_queries(ashi_test *t, uint64_t seed, const ashlar_layout *layout, int rank)
{
    int64_t words = 0, extent = 0;
    const int64_t most = ashlar_layout_extent(layout, rank);
    bool *taken = calloc((size_t)most + 1, sizeof *taken);
    CHECK(t, taken != NULL, "no memory");
    for (int64_t i = 0; taken && i < layout->row.size; i++)
        for (int64_t j = 0; j < layout->col.size; j++) {
            if (ashlar_layout_owner(layout, i, j) != rank)
                continue;
            const int64_t at = ashlar_layout_offset(layout, i, j);
            const bool sound = at >= 0 && at < most && !taken[at];
            CHECK(t, sound, "seed %" PRIu64 ": (%" PRId64 ", %" PRId64 ") at %" PRId64, seed, i, j, at);
            if (sound)
                taken[at] = true;
            words++;
            extent = ashi_max(extent, at + 1);
            if (!layout->row.cuts)
                check_block_cyclic_place(t, seed, layout, i, j);
        }
    free(taken);
    CHECK(t, ashlar_layout_words(layout, rank) == words, "seed %" PRIu64 " rank %d", seed, rank);
    CHECK(t, most == extent, "seed %" PRIu64 " rank %d", seed, rank);
    CHECK(t, layout->ld > 0 || is_part(layout) || layout->storage_rank == rank || extent == words,
          "seed %" PRIu64 " rank %d", seed, rank);
    CHECK(t, ashlar_layout_tile_count(layout, rank) == count_tiles(layout, rank), "seed %" PRIu64, seed);
    CHECK(t, ashi_layout_check(layout, rank, "X", NULL) == ASHLAR_OK, "seed %" PRIu64 " rank %d", seed, rank);
}

static void check_copy(ashi_test *t, uint64_t seed, const ashlar_layout *layout)
{
    ashlar_layout *copy = NULL;
    CHECK(t, ashi_layout_copy(layout, &copy, NULL) == ASHLAR_OK, "seed %" PRIu64, seed);
    if (!copy)
        return;
    CHECK(t, ashi_layout_digest(copy) == ashi_layout_digest(layout), "seed %" PRIu64, seed);
    for (int64_t i = 0; i < layout->row.size; i++)
        for (int64_t j = 0; j < layout->col.size; j++)
            CHECK(t, ashlar_layout_owner(copy, i, j) == ashlar_layout_owner(layout, i, j) &&
                         ashlar_layout_offset(copy, i, j) == ashlar_layout_offset(layout, i, j),
                  "seed %" PRIu64, seed);
    if (layout->row.size && layout->col.size) {
        copy->owner[0] += RANKS;
        CHECK(t, ashi_layout_digest(copy) != ashi_layout_digest(layout), "seed %" PRIu64, seed);
    }
    ashlar_layout_free(&copy);
}

static void one_layout(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    ashlar_error err = {0};
    const int64_t rows = ashi_random_in(&state, 0, LONGEST), cols = ashi_random_in(&state, 0, LONGEST);
    ashlar_layout *layout = random_layout(&state, rows, cols, RANKS, &err);
    CHECK(t, layout != NULL, "seed %" PRIu64 ": %s", seed, err.text);
    if (!layout)
        return;
    CHECK(t, ashlar_layout_rows(layout) == rows && ashlar_layout_cols(layout) == cols, "seed %" PRIu64, seed);
    CHECK(t, ashlar_layout_owner(layout, rows, 0) == -1 && ashlar_layout_owner(layout, 0, -1) == -1, "outside");
    CHECK(t, ashlar_layout_offset(layout, 0, cols) == -1 && ashlar_layout_offset(layout, -1, 0) == -1, "outside");
    check_dim(t, seed, &layout->row);
    check_dim(t, seed, &layout->col);
    for (int rank = 0; rank < RANKS; rank++)
        check_queries(t, seed, layout, rank);
    check_copy(t, seed, layout);
    ashlar_layout_free(&layout);
}

/* ---- malformed arguments ---- */

typedef struct cyclic_arguments {
    int64_t rows, cols, mb, nb;
    int grid_rows, grid_cols, row_source, col_source;
    const int *ranks;
    ashlar_order order;
    int64_t ld;
    ashlar_status wanted;
} cyclic_arguments;

static void malformed_block_cyclic(ashi_test *t)
{
    static const int twice[] = {0, 0}, below[] = {0, -1};
    const ashlar_order col = ASHLAR_COL_MAJOR;
    const cyclic_arguments all[] = {
        {-1, 4, 1, 1, 1, 1, 0, 0, NULL, col, 0, ASHLAR_ERR_ARG},
        {4, -1, 1, 1, 1, 1, 0, 0, NULL, col, 0, ASHLAR_ERR_ARG},
        {4, 4, 0, 1, 1, 1, 0, 0, NULL, col, 0, ASHLAR_ERR_ARG},
        {4, 4, 1, -2, 1, 1, 0, 0, NULL, col, 0, ASHLAR_ERR_ARG},
        {4, 4, 1, 1, 0, 1, 0, 0, NULL, col, 0, ASHLAR_ERR_ARG},
        {4, 4, 1, 1, 1, -1, 0, 0, NULL, col, 0, ASHLAR_ERR_ARG},
        {4, 4, 1, 1, INT_MAX, INT_MAX, 0, 0, NULL, col, 0, ASHLAR_ERR_ARG},
        {4, 4, 1, 1, 2, 1, 2, 0, NULL, col, 0, ASHLAR_ERR_ARG},
        {4, 4, 1, 1, 2, 1, 0, -1, NULL, col, 0, ASHLAR_ERR_ARG},
        {4, 4, 1, 1, 2, 1, 0, 0, twice, col, 0, ASHLAR_ERR_ARG},
        {4, 4, 1, 1, 2, 1, 0, 0, below, col, 0, ASHLAR_ERR_ARG},
        {4, 4, 1, 1, 2, 1, 0, 0, NULL, (ashlar_order)5, 0, ASHLAR_ERR_ARG},
        {4, 4, 1, 1, 2, 1, 0, 0, NULL, col, -1, ASHLAR_ERR_ARG},
        {INT64_MAX / 2, 4, 1, 1, 2, 1, 0, 0, NULL, col, 0, ASHLAR_ERR_OVERFLOW},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const cyclic_arguments *a = &all[i];
        ashlar_layout *layout = (ashlar_layout *)t;
        ashlar_error err = {0};
        const ashlar_status status =
            ashlar_layout_block_cyclic(a->rows, a->cols, a->mb, a->nb, a->grid_rows, a->grid_cols, a->row_source,
                                       a->col_source, a->ranks, a->order, a->ld, &layout, &err);
        CHECK(t, status == a->wanted && err.status == status && err.text[0], "arguments %zu: %s", i, err.text);
        CHECK(t, layout == NULL, "arguments %zu", i);
    }
    CHECK(t, ashlar_layout_block_cyclic(4, 4, 1, 1, 1, 1, 0, 0, NULL, col, 0, NULL, NULL) == ASHLAR_ERR_ARG, "out");
}

static void malformed_tiles(ashi_test *t)
{
    const int64_t good[] = {0, 2, 5}, late[] = {1, 2, 5}, down[] = {0, 3, 2}, vast[] = {0, 1, INT64_MAX / 2};
    const int owner[] = {0, 1, 2, 3}, below[] = {0, 1, -2, 3};
    const ashlar_order col = ASHLAR_COL_MAJOR;
    ashlar_layout *l = NULL;
    CHECK(t, ashlar_layout_tiles(2, 2, good, good, owner, col, NULL, NULL) == ASHLAR_ERR_ARG, "out");
    CHECK(t, ashlar_layout_tiles(2, 2, good, good, NULL, col, &l, NULL) == ASHLAR_ERR_ARG && !l, "owner");
    CHECK(t, ashlar_layout_tiles(2, 2, NULL, good, owner, col, &l, NULL) == ASHLAR_ERR_ARG && !l, "cuts");
    CHECK(t, ashlar_layout_tiles(0, 2, good, good, owner, col, &l, NULL) == ASHLAR_ERR_ARG && !l, "none");
    CHECK(t, ashlar_layout_tiles(2, 2, late, good, owner, col, &l, NULL) == ASHLAR_ERR_ARG && !l, "first");
    CHECK(t, ashlar_layout_tiles(2, 2, good, down, owner, col, &l, NULL) == ASHLAR_ERR_ARG && !l, "order");
    CHECK(t, ashlar_layout_tiles(2, 2, good, good, below, col, &l, NULL) == ASHLAR_ERR_ARG && !l, "rank");
    CHECK(t, ashlar_layout_tiles(2, 2, good, good, owner, (ashlar_order)-1, &l, NULL) == ASHLAR_ERR_ARG && !l, "order");
    CHECK(t, ashlar_layout_tiles(2, 2, good, vast, owner, col, &l, NULL) == ASHLAR_ERR_OVERFLOW && !l, "words");
    CHECK(t, ashlar_layout_tiles(INT64_MAX / 2, 4, good, good, owner, col, &l, NULL) == ASHLAR_ERR_OVERFLOW, "tiles");
}

static void malformed_storage(ashi_test *t)
{
    const int64_t cuts[] = {0, 2, 5}, least[] = {2}, small[] = {1}, zero[] = {0}, below[] = {-1};
    const int owner[] = {0, 1, 2, 3};
    ashlar_layout *tiles = NULL, *cyclic = NULL;
    CHECK(t, ashlar_layout_tiles(2, 2, cuts, cuts, owner, ASHLAR_COL_MAJOR, &tiles, NULL) == ASHLAR_OK, "tiles");
    CHECK(t, ashlar_layout_block_cyclic(9, 4, 2, 2, 2, 1, 0, 0, NULL, ASHLAR_COL_MAJOR, 4, &cyclic, NULL) == ASHLAR_OK,
          "cyclic");
    CHECK(t, ashlar_layout_set_storage(tiles, 0, zero, least, NULL) == ASHLAR_OK, "storage");
    CHECK(t, ashlar_layout_set_storage(tiles, 7, NULL, NULL, NULL) == ASHLAR_OK, "a rank with no tile");
    CHECK(t, ashlar_layout_set_storage(tiles, 0, zero, small, NULL) == ASHLAR_ERR_ARG, "ld");
    CHECK(t, ashlar_layout_set_storage(tiles, 0, below, least, NULL) == ASHLAR_ERR_ARG, "offset");
    CHECK(t, ashlar_layout_set_storage(tiles, 0, zero, NULL, NULL) == ASHLAR_ERR_ARG, "no ld");
    CHECK(t, ashlar_layout_set_storage(tiles, -1, zero, least, NULL) == ASHLAR_ERR_ARG, "rank");
    CHECK(t, ashlar_layout_set_storage(cyclic, 0, zero, least, NULL) == ASHLAR_ERR_ARG, "no tiles layout");
    CHECK(t, ashlar_layout_set_storage(NULL, 0, zero, least, NULL) == ASHLAR_ERR_ARG, "no layout");
    CHECK(t, ashi_layout_check(cyclic, 0, "A", NULL) == ASHLAR_ERR_ARG, "5 rows, ld 4");
    CHECK(t, ashi_layout_check(cyclic, 1, "A", NULL) == ASHLAR_OK, "4 rows, ld 4");
    CHECK(t, ashlar_layout_owner(NULL, 0, 0) == -1 && ashlar_layout_rows(NULL) == 0, "no layout");
    ashlar_layout_free(&tiles);
    ashlar_layout_free(&cyclic);
    ashlar_layout_free(&cyclic);
    ashlar_layout_free(NULL);
}

/* A rank that is given pointers has one a tile, and no offsets. */
static void storage_by_pointers(ashi_test *t)
{
    const int64_t cuts[] = {0, 2, 5}, ld[] = {9, 8, 7};
    const int owner[] = {0, 1, 0, 0};
    ashlar_layout *l = NULL;
    CHECK(t, ashlar_layout_tiles(2, 2, cuts, cuts, owner, ASHLAR_ROW_MAJOR, &l, NULL) == ASHLAR_OK, "tiles");
    CHECK(t, !ashi_layout_needs_pointers(l, 0), "storage is not set");
    CHECK(t, ashlar_layout_set_storage(l, 0, NULL, ld, NULL) == ASHLAR_OK, "storage");
    CHECK(t, ashi_layout_needs_pointers(l, 0) && !ashi_layout_needs_pointers(l, 1), "pointers");
    const ashi_storage s = ashi_layout_storage(l, 1, 1);
    CHECK(t, s.tile == 2 && s.offset == 0 && s.row_stride == 7 && s.col_stride == 1, "last tile");
    ashlar_layout_free(&l);
}

/* ---- axes and strips ---- */

static int64_t part_or_zero(const ashi_dim *dim, int64_t index)
{
    return dim ? ashi_dim_part(dim, index) : 0;
}

/* Write an axis out: the index at each position. */
static void spread(const ashi_axis *axis, int64_t index[LONGEST])
{
    for (int64_t r = 0; r < axis->runs; r++)
        for (int64_t p = axis->at[r]; p < axis->at[r + 1]; p++)
            index[p] = axis->index[r] + p - axis->at[r];
}

static void check_axis(ashi_test *t, uint64_t seed, const ashi_axis *axis, int64_t size, const ashi_dim *first,
                       const ashi_dim *second)
{
    int64_t index[LONGEST] = {0};
    bool seen[LONGEST] = {false};
    CHECK(t, axis->size == size && axis->at[axis->runs] == size, "seed %" PRIu64, seed);
    spread(axis, index);
    for (int64_t p = 0; p < size; p++) {
        CHECK(t, index[p] >= 0 && index[p] < size && !seen[index[p]], "seed %" PRIu64 " at %" PRId64, seed, p);
        seen[index[p]] = true;
        if (p == 0)
            continue;
        const int64_t f = part_or_zero(first, index[p]) - part_or_zero(first, index[p - 1]);
        const int64_t s = part_or_zero(second, index[p]) - part_or_zero(second, index[p - 1]);
        CHECK(t, f > 0 || (f == 0 && (s > 0 || (s == 0 && index[p] > index[p - 1]))), "seed %" PRIu64 " at %" PRId64,
              seed, p);
    }
}

/* Cut an axis into pieces, put them in another order, and compare position by position. */
static void check_rearranged(ashi_test *t, uint64_t seed, uint64_t *state, ashi_axis *axis)
{
    enum { PIECES = 5 };
    int64_t cut[PIECES + 1], from[PIECES], count[PIECES], before[LONGEST] = {0}, after[LONGEST] = {0}, at = 0;
    int order[PIECES];
    random_cuts(state, PIECES, axis->size, cut);
    random_permutation(state, PIECES, order);
    for (int i = 0; i < PIECES; i++) {
        from[i] = cut[order[i]];
        count[i] = cut[order[i] + 1] - from[i];
    }
    spread(axis, before);
    const int64_t size = axis->size;
    CHECK(t, ashi_axis_rearrange(axis, PIECES, from, count, NULL) == ASHLAR_OK, "seed %" PRIu64, seed);
    CHECK(t, axis->size == size, "seed %" PRIu64, seed);
    spread(axis, after);
    for (int i = 0; i < PIECES; i++)
        for (int64_t p = from[i]; p < from[i] + count[i]; p++, at++)
            CHECK(t, after[at] == before[p], "seed %" PRIu64 " at %" PRId64, seed, at);
}

static void check_strip(ashi_test *t, uint64_t seed, const ashi_axis *axis, const ashi_dim *dim,
                        const ashi_strip *strip)
{
    int64_t index[LONGEST] = {0}, below[MOST] = {0};
    spread(axis, index);
    CHECK(t, strip->size == axis->size && strip->at[strip->count] == axis->size, "seed %" PRIu64, seed);
    for (int64_t p = 0; p < strip->size; p++) {
        const int64_t s = ashi_strip_find(strip, p);
        CHECK(t, strip->at[s] <= p && p < strip->at[s + 1], "seed %" PRIu64 " at %" PRId64, seed, p);
        CHECK(t, strip->part[s] == ashi_dim_part(dim, index[p]), "seed %" PRIu64 " at %" PRId64, seed, p);
        CHECK(t, strip->local[s] + p - strip->at[s] == ashi_dim_local(dim, index[p]), "seed %" PRIu64, seed);
        for (int64_t part = 0; part < strip->parts; part++)
            CHECK(t, ashi_strip_below(strip, part, p) == below[part], "seed %" PRIu64 " at %" PRId64, seed, p);
        below[strip->part[s]]++;
    }
    for (int64_t part = 0; part < strip->parts; part++)
        CHECK(t, ashi_strip_below(strip, part, strip->size) == ashi_dim_count(dim, part), "seed %" PRIu64, seed);
    for (int64_t lo = 0; lo <= strip->size; lo++)
        for (int64_t part = 0; part < strip->parts; part++) {
            const int64_t hi = lo + (lo * 7 + (int64_t)seed) % (strip->size - lo + 1);
            int64_t first = -1;
            const int64_t count = ashi_strip_between(strip, part, lo, hi, &first);
            CHECK(t, first == ashi_strip_below(strip, part, lo) && count == ashi_strip_below(strip, part, hi) - first,
                  "seed %" PRIu64 ": %" PRId64 " .. %" PRId64, seed, lo, hi);
        }
}

/* ---- views ---- */

typedef struct scene {
    ashi_test *t;
    uint64_t seed;
    ashlar_layout *layout, *other;
    ashlar_op op;
    ashi_axis axis[2]; /* minor, major */
    ashi_view view;
    int64_t index[2][LONGEST]; /* natural, of each position */
    int64_t truths;            /* how often something lands, or is packed or in place */
    /* One rank's piece, or a chunk of it. */
    int64_t rank;
    ashi_box box;
    ashi_chunk chunk;
    int64_t packed[LONGEST][LONGEST]; /* of positions minor, major; -1 where not in it */
    int64_t words, seen;
} scene;

static int64_t row_of(const scene *s, int64_t minor, int64_t major)
{
    return s->view.minor_is_row ? s->index[0][minor] : s->index[1][major];
}

static int64_t col_of(const scene *s, int64_t minor, int64_t major)
{
    return s->view.minor_is_row ? s->index[1][major] : s->index[0][minor];
}

static int64_t pair_of(const scene *s, int64_t minor, int64_t major)
{
    return ashi_dim_part(&s->layout->row, row_of(s, minor, major)) * s->layout->col.parts +
           ashi_dim_part(&s->layout->col, col_of(s, minor, major));
}

/* How many major positions of the box hold words of a pair. */
static int64_t lines_of(const scene *s, int64_t pair)
{
    int64_t lines = 0;
    for (int64_t y = s->box.major_lo; y < s->box.major_hi; y++) {
        bool any = false;
        for (int64_t x = s->box.minor_lo; x < s->box.minor_hi; x++)
            any = any || pair_of(s, x, y) == pair;
        lines += any;
    }
    return lines;
}

/* A pair of a turned view, line after line of its minor side; a chunk has some of its major positions. */
static void pack_turned_pair(scene *s, int64_t pair)
{
    const int64_t lines = lines_of(s, pair);
    for (int64_t x = s->box.minor_lo; x < s->box.minor_hi; x++) {
        int64_t line = 0;
        for (int64_t y = s->box.major_lo; y < s->box.major_hi; y++) {
            if (pair_of(s, x, y) != pair)
                continue;
            if (ashi_cut_find(lines, s->chunk.chunks, line++) == s->chunk.number)
                s->packed[x][y] = s->words++;
        }
    }
}

static void pack_pair(scene *s, int64_t pair)
{
    if (s->view.turned) {
        pack_turned_pair(s, pair);
        return;
    }
    const int64_t lines = lines_of(s, pair);
    int64_t line = 0;
    for (int64_t y = s->box.major_lo; y < s->box.major_hi; y++) {
        bool any = false;
        const bool wanted = lines > 0 && line < lines && ashi_cut_find(lines, s->chunk.chunks, line) == s->chunk.number;
        for (int64_t x = s->box.minor_lo; x < s->box.minor_hi; x++) {
            if (pair_of(s, x, y) != pair)
                continue;
            any = true;
            if (wanted)
                s->packed[x][y] = s->words++;
        }
        line += any;
    }
}

/* What the piece of the rank is, found by looking at every element. */
static void pack_slowly(scene *s)
{
    s->words = 0;
    for (int64_t x = 0; x < LONGEST; x++)
        for (int64_t y = 0; y < LONGEST; y++)
            s->packed[x][y] = -1;
    for (int64_t pair = 0; pair < s->layout->row.parts * s->layout->col.parts; pair++)
        if (s->layout->owner[pair] == s->rank)
            pack_pair(s, pair);
}

static void check_block(void *context, const ashi_block *b)
{
    scene *s = context;
    for (int64_t x = 0; x < b->minor_count; x++)
        for (int64_t y = 0; y < b->major_count; y++) {
            const int64_t minor = b->minor_at + x, major = b->major_at + y;
            const int64_t at = b->start + b->offset + x * b->minor_stride + y * b->major_stride;
            const int64_t packed = b->packed + x * b->packed_minor_stride + y * b->packed_major_stride;
            CHECK(s->t, s->packed[minor][major] == packed, "seed %" PRIu64, s->seed);
            CHECK(s->t, at == ashlar_layout_offset(s->layout, row_of(s, minor, major), col_of(s, minor, major)),
                  "seed %" PRIu64, s->seed);
            CHECK(s->t, b->tile == s->layout->tile[pair_of(s, minor, major)], "seed %" PRIu64, s->seed);
            s->seen++;
        }
}

static void check_in_place_block(void *context, const ashi_block *b)
{
    scene *s = context;
    if (!ashi_block_in_place(&s->view, b, s->box.minor_hi - s->box.minor_lo, 2))
        return;
    CHECK(s->t, b->minor_at == s->box.minor_lo && b->minor_count == s->box.minor_hi - s->box.minor_lo,
          "seed %" PRIu64, s->seed);
    CHECK(s->t, s->op == ASHLAR_OP_C ? (s->view.conjugated_by == ASHI_MAJOR && b->major_stride == 1) ||
                                                  (s->view.conjugated_by == ASHI_MINOR && b->minor_stride == 1)
                                            : b->major_stride == 1 || b->minor_stride == 1, "seed %" PRIu64, s->seed);
    CHECK(s->t, b->major_count >= 2, "seed %" PRIu64, s->seed);
    s->seen += b->major_count;
    s->truths++;
    const int64_t seen = s->seen;
    check_block(s, b);
    s->seen = seen;
}

static void check_packed(scene *s)
{
    ashi_block block;
    if (!ashi_view_is_packed(&s->view, s->rank, &s->box, s->chunk, &block))
        return;
    s->truths++;
    CHECK(s->t, s->op != ASHLAR_OP_C, "seed %" PRIu64, s->seed);
    for (int64_t x = 0; x < s->view.minor.size; x++)
        for (int64_t y = 0; y < s->view.major.size; y++)
            if (s->packed[x][y] >= 0)
                CHECK(s->t,
                      ashlar_layout_offset(s->layout, row_of(s, x, y), col_of(s, x, y)) ==
                              block.start + block.offset + s->packed[x][y] &&
                          s->layout->tile[pair_of(s, x, y)] == block.tile,
                      "seed %" PRIu64, s->seed);
}

/* One rank's piece of the box; returns how many words it is. */
static int64_t check_piece(scene *s, int64_t rank)
{
    s->rank = rank;
    int64_t whole = 0;
    const int64_t chunks = 1 + (int64_t)(s->seed % 4);
    for (int64_t n = 0; n < chunks; n++) {
        s->chunk = (ashi_chunk){n, chunks};
        pack_slowly(s);
        s->seen = 0;
        ashi_view_blocks(&s->view, rank, &s->box, s->chunk, check_block, s);
        CHECK(s->t, s->seen == s->words, "seed %" PRIu64 " rank %" PRId64, s->seed, rank);
        CHECK(s->t, ashi_view_chunk_words(&s->view, rank, &s->box, s->chunk) == s->words, "seed %" PRIu64, s->seed);
        check_packed(s);
        whole += s->words;
    }
    CHECK(s->t, ashi_view_words(&s->view, rank, &s->box) == whole, "seed %" PRIu64 " rank %" PRId64, s->seed, rank);
    s->chunk = ashi_whole;
    pack_slowly(s);
    s->seen = 0;
    s->view.conjugated_by = (ashi_side)(s->seed % 3);
    ashi_view_blocks(&s->view, rank, &s->box, ashi_whole, check_in_place_block, s);
    CHECK(s->t, ashi_view_in_place(&s->view, rank, &s->box, 2) == s->seen, "seed %" PRIu64 " rank %" PRId64, s->seed,
          rank);
    return whole;
}

/* Each position of the box is in one part: the rank's own, or at a place of its own in the buffer. */
static void check_home_part(scene *s, const ashi_home *home, const ashi_home_part *part,
                            int64_t place[LONGEST][LONGEST], bool taken[MOST])
{
    const int64_t words = ashi_home_buffer_words(home, &s->box);
    for (int64_t x = part->box.minor_lo; x < part->box.minor_hi; x++)
        for (int64_t y = part->box.major_lo; y < part->box.major_hi; y++) {
            s->seen++;
            if (part->own) {
                CHECK(s->t, s->packed[x][y] >= 0, "seed %" PRIu64, s->seed);
                continue;
            }
            const int64_t at = ashi_home_offset(home, &s->box, x, y);
            const bool sound = at >= 0 && at < words && !taken[at];
            const int64_t corner = ashi_home_offset(home, &s->box, part->box.minor_lo, part->box.major_lo);
            CHECK(s->t, sound, "seed %" PRIu64, s->seed);
            CHECK(s->t, at == corner + x - part->box.minor_lo +
                                  (y - part->box.major_lo) * ashi_home_ld(home, &s->box), "seed %" PRIu64, s->seed);
            place[x][y] = at;
            if (sound)
                taken[at] = true;
        }
}

static void check_home(scene *s, int64_t rank)
{
    int64_t place[LONGEST][LONGEST], offset = 0;
    bool taken[MOST] = {false};
    ashi_home_part part[3];
    const ashi_home home = ashi_home_find(&s->view, rank, &s->box, s->seed / 2 % 2);
    const int parts = ashi_home_parts(&home, &s->box, part);
    s->rank = rank;
    s->chunk = ashi_whole;
    pack_slowly(s);
    s->seen = 0;
    for (int i = 0; i < parts; i++)
        check_home_part(s, &home, &part[i], place, taken);
    CHECK(s->t, s->seen == ashi_box_words(&s->box), "seed %" PRIu64 " rank %" PRId64, s->seed, rank);
    s->truths += home.kind != ASHI_HOME_BUFFER;
    s->rank = (rank + 1) % RANKS;
    s->chunk = (ashi_chunk){(int64_t)(s->seed % 2), 2};
    pack_slowly(s);
    if (!ashi_home_is_packed(&home, &s->view, s->rank, &s->box, s->chunk, &offset))
        return;
    s->truths++;
    for (int64_t x = s->box.minor_lo; x < s->box.minor_hi; x++)
        for (int64_t y = s->box.major_lo; y < s->box.major_hi; y++)
            if (s->packed[x][y] >= 0)
                CHECK(s->t, place[x][y] == offset + s->packed[x][y], "seed %" PRIu64, s->seed);
}

/* Where it says that a piece lands, the packed piece is the panel from there on. */
static void check_landing(scene *s, const ashi_piece *piece)
{
    if (!piece->lands)
        return;
    s->truths++;
    const bool turned = s->view.turned;
    const int64_t width = turned ? s->box.major_hi - s->box.major_lo : s->box.minor_hi - s->box.minor_lo;
    for (int64_t x = s->box.minor_lo; x < s->box.minor_hi; x++)
        for (int64_t y = s->box.major_lo; y < s->box.major_hi; y++)
            if (s->packed[x][y] >= 0)
                CHECK(s->t, s->packed[x][y] == (turned ? y - s->box.major_lo + (x - piece->at) * width
                                                       : x - s->box.minor_lo + (y - piece->at) * width),
                      "seed %" PRIu64, s->seed);
    CHECK(s->t, s->words % width == 0, "seed %" PRIu64, s->seed);
}

static void check_box(scene *s)
{
    ashi_pieces pieces = {0};
    int64_t next = 0, words = 0;
    CHECK(s->t, ashi_view_pieces(&s->view, &s->box, &pieces, NULL) == ASHLAR_OK, "seed %" PRIu64, s->seed);
    for (int64_t rank = 0; rank < RANKS; rank++) {
        const int64_t own = check_piece(s, rank);
        words += own;
        if (own == 0)
            continue;
        const bool there = next < pieces.count && pieces.piece[next].owner == rank && pieces.piece[next].words == own;
        CHECK(s->t, there, "seed %" PRIu64 " rank %" PRId64, s->seed, rank);
        if (there)
            check_landing(s, &pieces.piece[next++]);
    }
    s->view.turned = false; /* sums never are */
    for (int64_t rank = 0; rank < RANKS; rank++)
        check_home(s, rank);
    CHECK(s->t, next == pieces.count, "seed %" PRIu64, s->seed);
    CHECK(s->t, words == ashi_box_words(&s->box), "seed %" PRIu64, s->seed);
    ashi_pieces_free(&pieces);
}

static void random_range(uint64_t *state, int64_t size, int64_t *lo, int64_t *hi)
{
    const bool all = ashi_random_in(state, 0, 2) == 0;
    *lo = all ? 0 : ashi_random_in(state, 0, size);
    *hi = all ? size : ashi_random_in(state, *lo, size);
}

/* The axes of one scene: by its own parts or another's first, or rearranged, or natural. */
static void random_axes(scene *s, uint64_t *state, const ashi_dim *const own[2], const ashi_dim *const other[2])
{
    for (int i = 0; i < 2; i++) {
        const bool mine = ashi_random_in(state, 0, 1), both = ashi_random_in(state, 0, 3);
        const ashi_dim *first = mine ? own[i] : other[i], *second = both ? (mine ? other[i] : own[i]) : NULL;
        if (ashi_random_in(state, 0, 7) == 0)
            first = second = NULL;
        CHECK(s->t, ashi_axis_build(own[i]->size, first, second, &s->axis[i], NULL) == ASHLAR_OK, "axis");
        check_axis(s->t, s->seed, &s->axis[i], own[i]->size, first, second);
        if (ashi_random_in(state, 0, 2) == 0)
            check_rearranged(s->t, s->seed, state, &s->axis[i]);
        spread(&s->axis[i], s->index[i]);
    }
}

static void one_scene(ashi_test *t, uint64_t seed, int64_t *truths)
{
    uint64_t state = seed;
    ashlar_error err = {0};
    scene *s = calloc(1, sizeof *s);
    if (s) {
        const int64_t rows = ashi_random_in(&state, 1, LONGEST), cols = ashi_random_in(&state, 1, LONGEST);
        *s = (scene){.t = t, .seed = seed, .op = (ashlar_op)ashi_random_in(&state, 0, 2)};
        s->layout = random_layout(&state, rows, cols, RANKS, &err);
        s->other = random_layout(&state, rows, cols, RANKS, &err);
    }
    CHECK(t, s && s->layout && s->other, "seed %" PRIu64 ": %s", seed, err.text);
    if (s && s->layout && s->other) {
        const bool given = ashi_random_in(&state, 0, 1), minor_is_row = given == (s->op == ASHLAR_OP_N);
        const ashi_dim *const own[2] = {minor_is_row ? &s->layout->row : &s->layout->col,
                                        minor_is_row ? &s->layout->col : &s->layout->row};
        const ashi_dim *const other[2] = {minor_is_row ? &s->other->row : &s->other->col,
                                          minor_is_row ? &s->other->col : &s->other->row};
        random_axes(s, &state, own, other);
        CHECK(t, ashi_view_build(s->layout, s->op, given, &s->axis[0], &s->axis[1], RANKS, &s->view, &err) == ASHLAR_OK,
              "seed %" PRIu64 ": %s", seed, err.text);
        check_strip(t, seed, &s->axis[0], own[0], &s->view.minor);
        check_strip(t, seed, &s->axis[1], own[1], &s->view.major);
        random_range(&state, own[0]->size, &s->box.minor_lo, &s->box.minor_hi);
        random_range(&state, own[1]->size, &s->box.major_lo, &s->box.major_hi);
        s->view.turned = ashi_random_in(&state, 0, 1);
        check_box(s);
        *truths += s->truths;
        ashi_view_free(&s->view);
        ashi_axis_free(&s->axis[0]);
        ashi_axis_free(&s->axis[1]);
    }
    if (s) {
        ashlar_layout_free(&s->layout);
        ashlar_layout_free(&s->other);
    }
    free(s);
}

int main(void)
{
    ashi_test t = {0};
    int64_t truths = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++)
        one_layout(&t, seed);
    malformed_block_cyclic(&t);
    malformed_tiles(&t);
    malformed_storage(&t);
    storage_by_pointers(&t);
    for (uint64_t seed = 1; seed <= 2000; seed++)
        one_scene(&t, seed, &truths);
    CHECK(&t, truths > 5000, "too few pieces land, are packed or in place: %" PRId64, truths);
    return ashi_test_end(&t, "layout");
}
