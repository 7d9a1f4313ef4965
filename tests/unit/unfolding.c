/* Arrays seen as matrices: every box of every view of small arrays is read from and written to its elements and nothing
 * else, in .npy files of either order of elements and bytes, and in packed HDF5. */
#include "store/cells.h"
#include "store/unfolding_move.h"
#include "store/unfolding_runs.h"

#include "base/checked.h"
#include "folder.h"
#include "store/store.h"
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

enum { MOST = 4, ROOM = 2000 };

/* A view of a small array whose element number e, in C order, is e. */
typedef struct sample {
    ashi_unfolding view;
    int64_t extent[MOST];
} sample;

/* Where the element at row i and column j is in the array, found without the code that is tested. */
static void find_element(const sample *s, int64_t i, int64_t j, int64_t at[MOST])
{
    const int64_t position[2] = {i, j};
    memcpy(at, s->view.from, MOST * sizeof *at);
    for (int side = 0; side < 2; side++) {
        int64_t left = position[side];
        for (int x = 0; x < s->view.side[side].count; x++) {
            const ashi_unfolding_index *index = &s->view.side[side].index[x];
            for (int d = 0; d < s->view.order; d++)
                at[d] += index->dimensions >> d & 1 ? left % index->extent * index->step : 0;
            left /= index->extent;
        }
    }
}

static int64_t number_of(const sample *s, int64_t i, int64_t j)
{
    int64_t at[MOST], number = 0;
    find_element(s, i, j, at);
    for (int d = 0; d < s->view.order; d++)
        number = number * s->extent[d] + at[d];
    return number;
}

static void add_index(ashi_unfolding_side *side, int64_t extent, uint64_t dimensions)
{
    side->index[side->count++] = (ashi_unfolding_index){extent, dimensions, 1};
}

/* The dimensions in the order of a permutation: the first `rows` of them are rows. */
static sample sample_of(int order, const int64_t *extent, const int *permutation, int rows, bool by_column)
{
    sample s = {.view = {.order = order}};
    int64_t next = 1;
    for (int i = 0; i < order; i++) {
        const int d = by_column ? i : order - 1 - i;
        s.extent[d] = extent[d];
        s.view.stride[d] = next;
        next *= extent[d];
    }
    for (int i = 0; i < order; i++)
        add_index(&s.view.side[i >= rows], extent[permutation[i]], UINT64_C(1) << permutation[i]);
    return s;
}

/* ---- every box ---- */

typedef struct counting {
    const sample *sample;
    int64_t found[ROOM]; /* the element that is to be at each place in memory, and how often it was visited */
    int times[ROOM];
} counting;

static ashlar_status count(void *context, const ashi_array_box *box, int64_t at, ashlar_error *err)
{
    counting *c = context;
    ashi_cells cells = ashi_cells_within(box, 1);
    int64_t offset;
    (void)err;
    for (ashi_array_box one; ashi_cells_next(&cells, &one, &offset);) {
        int64_t number = 0;
        for (int d = 0; d < one.order; d++)
            number = number * c->sample->extent[d] + one.from[d];
        c->found[at + offset] = number;
        c->times[at + offset]++;
    }
    return ASHLAR_OK;
}

static void box_is_covered(ashi_test *t, const sample *s, const ashi_unfolding_box *box)
{
    counting c = {.sample = s};
    bool good = true;
    ashlar_error err;
    ashi_unfolding_boxes(&s->view, box, count, &c, &err);
    for (int64_t i = 0; i < box->extent[0]; i++)
        for (int64_t j = 0; j < box->extent[1]; j++) {
            const int64_t at = i * box->stride[0] + j * box->stride[1];
            good = good && c.times[at] == 1 && c.found[at] == number_of(s, box->from[0] + i, box->from[1] + j);
            c.times[at] = 0;
        }
    for (int64_t at = 0; at < ROOM; at++)
        good = good && c.times[at] == 0;
    CHECK(t, good, "rows %" PRId64 " + %" PRId64 ", columns %" PRId64 " + %" PRId64, box->from[0], box->extent[0],
          box->from[1], box->extent[1]);
}

static void count_run(void *context, const ashi_unfolding_run *run)
{
    counting *c = context;
    for (int64_t i = 0; i < run->runs * run->count; i++)
        c->times[run->at + i / run->count * run->step + i % run->count]++;
}

/* The runs are the elements of the box, each once. */
static void box_is_in_runs(ashi_test *t, const sample *s, const ashi_unfolding_box *box)
{
    counting c = {.sample = s};
    bool good = true;
    ashi_unfolding joined;
    ashi_unfolding_join(&s->view, &joined);
    ashi_unfolding_runs(box->from[0] % 2 == 0 ? &s->view : &joined, box, count_run, &c);
    for (int64_t e = 0; e < box->extent[0] * box->extent[1]; e++) {
        int64_t at[MOST], place = 0;
        find_element(s, box->from[0] + e / box->extent[1], box->from[1] + e % box->extent[1], at);
        for (int d = 0; d < s->view.order; d++)
            place += at[d] * s->view.stride[d];
        good = good && c.times[place]-- == 1;
    }
    for (int64_t at = 0; at < ROOM; at++)
        good = good && c.times[at] == 0;
    CHECK(t, good, "runs of rows %" PRId64 " + %" PRId64 ", columns %" PRId64 " + %" PRId64, box->from[0],
          box->extent[0], box->from[1], box->extent[1]);
}

/* Reading puts the elements of the box in their places; writing them back plus 1000 changes these only. */
static void box_is_moved(ashi_test *t, const sample *s, const ashi_element_file *file, const ashi_unfolding_box *box,
                         bool writes, int64_t all)
{
    static char between[ASHI_UNFOLDING_MOVE_BYTES];
    double data[ROOM], wanted[ROOM], whole[ROOM], changed[ROOM];
    ashi_unfolding joined;
    ashlar_error err;
    ashi_unfolding_join(&s->view, &joined);
    for (int64_t at = 0; at < ROOM; at++)
        data[at] = wanted[at] = -1;
    if (writes && pread(file->fd, changed, (size_t)all * 8, file->start) != all * 8)
        CHECK(t, false, "the file cannot be read");
    for (int64_t i = 0; i < box->extent[0]; i++)
        for (int64_t j = 0; j < box->extent[1]; j++)
            wanted[i * box->stride[0] + j * box->stride[1]] =
                (double)number_of(s, box->from[0] + i, box->from[1] + j);
    const ashi_unfolding_transfer read = {file, (char *)data, false, between};
    const ashi_unfolding_transfer write = {file, (char *)data, true, between};
    CHECK(t, ashi_unfolding_move(&read, &joined, box, &err) == ASHLAR_OK && memcmp(data, wanted, sizeof data) == 0,
          "rows %" PRId64 " + %" PRId64 ", columns %" PRId64 " + %" PRId64 " are not read", box->from[0],
          box->extent[0], box->from[1], box->extent[1]);
    if (!writes)
        return;
    int64_t more = 0;
    for (int64_t at = 0; at < ROOM; at++)
        data[at] = -data[at];
    for (int64_t i = 0; i < 2; i++) { /* to the other sign and back */
        CHECK(t, ashi_unfolding_move(&write, &s->view, box, &err) == ASHLAR_OK, "%s", err.text);
        if (pread(file->fd, whole, (size_t)all * 8, file->start) != all * 8)
            CHECK(t, false, "the file cannot be read");
        for (int64_t e = 0; e < all; e++)
            more += memcmp(&whole[e], &changed[e], 8) != 0;
        for (int64_t at = 0; at < ROOM; at++)
            data[at] = -data[at];
    }
    int64_t own = 0; /* element 0 has no other sign that a comparison of values sees, but its bits differ */
    for (int64_t i = 0; i < box->extent[0]; i++)
        own += box->extent[1];
    CHECK(t, more == own, "%" PRId64 " elements were written for %" PRId64, more, own);
}

static void every_box(ashi_test *t, const sample *s, const ashi_element_file *file, uint64_t *state)
{
    const int64_t size[2] = {ashi_unfolding_extent(&s->view.side[0]), ashi_unfolding_extent(&s->view.side[1])};
    ashi_unfolding_box b;
    for (b.from[0] = 0; b.from[0] < size[0]; b.from[0]++)
        for (b.extent[0] = 1; b.from[0] + b.extent[0] <= size[0]; b.extent[0]++)
            for (b.from[1] = 0; b.from[1] < size[1]; b.from[1]++)
                for (b.extent[1] = 1; b.from[1] + b.extent[1] <= size[1]; b.extent[1]++) {
                    const int64_t gap = ashi_random_in(state, 0, 1), step = ashi_random_in(state, 1, 2);
                    const bool by_row = ashi_random_in(state, 0, 1);
                    b.stride[by_row] = step;
                    b.stride[!by_row] = b.extent[by_row] * step + gap;
                    box_is_covered(t, s, &b);
                    box_is_in_runs(t, s, &b);
                    if (ashi_random_in(state, 0, 3) == 0)
                        box_is_moved(t, s, file, &b, ashi_random_in(state, 0, 3) == 0, size[0] * size[1]);
                }
}

/* The n-th permutation. */
static void permute(int order, int n, int *out)
{
    int left[MOST] = {0, 1, 2, 3};
    for (int i = 0; i < order; i++) {
        const int which = n % (order - i);
        n /= order - i;
        out[i] = left[which];
        memmove(left + which, left + which + 1, (size_t)(order - i - 1 - which) * sizeof *left);
    }
}

/* A file of the array's elements in this order. */
static void write_array(const sample *s, int fd, int64_t start)
{
    int64_t at[MOST] = {0}, all = 1;
    for (int d = 0; d < s->view.order; d++)
        all *= s->extent[d];
    for (int64_t e = 0; e < all; e++) {
        const double value = (double)e;
        int64_t place = 0;
        for (int d = 0; d < s->view.order; d++)
            place += at[d] * s->view.stride[d];
        if (pwrite(fd, &value, 8, start + 8 * place) != 8)
            exit(1);
        for (int d = s->view.order - 1; d >= 0 && ++at[d] == s->extent[d]; d--)
            at[d] = 0;
    }
}

/* Where a view says that its elements lie as those of a matrix, they do. */
static void plain_is_plain(ashi_test *t, const sample *s, int64_t *found)
{
    int64_t first, stride[2];
    if (!ashi_unfolding_is_plain(&s->view, &first, stride))
        return;
    ++*found;
    for (int64_t i = 0; i < ashi_unfolding_extent(&s->view.side[0]); i++)
        for (int64_t j = 0; j < ashi_unfolding_extent(&s->view.side[1]); j++) {
            int64_t number = number_of(s, i, j), place = 0;
            for (int d = s->view.order - 1; d >= 0; number /= s->extent[d--])
                place += number % s->extent[d] * s->view.stride[d];
            CHECK(t, first + i * stride[0] + j * stride[1] == place, "element %" PRId64 ", %" PRId64, i, j);
        }
    CHECK(t, (stride[0] == 1 || stride[1] == 1) && stride[0] > 0 && stride[1] > 0, "strides %" PRId64 " and %" PRId64,
          stride[0], stride[1]);
}

static void all_views(ashi_test *t, int order, const int64_t *extent, int fd)
{
    static const int permutations[MOST + 1] = {1, 1, 2, 6, 24};
    const ashi_element_file file = {.fd = fd, .path = "array", .start = 24, .bytes = 8, .number_bytes = 8};
    uint64_t state = 7;
    int64_t plain = 0;
    for (int by_column = 0; by_column < 2; by_column++)
        for (int n = 0; n < permutations[order]; n++)
            for (int rows = 0; rows <= order; rows++) {
                int permutation[MOST];
                permute(order, n, permutation);
                const sample s = sample_of(order, extent, permutation, rows, by_column);
                write_array(&s, fd, file.start);
                every_box(t, &s, &file, &state);
                plain_is_plain(t, &s, &plain);
                sample one = s; /* at the last position of the last index */
                if (order > 1) {
                    one.view.from[permutation[order - 1]] = extent[permutation[order - 1]] - 1;
                    one.view.side[rows < order].count--;
                    plain_is_plain(t, &one, &plain);
                }
            }
    CHECK(t, plain > 0, "no view is plain");
}

/* ---- diagonals, broadcasts, fixed positions ---- */

static void special_indices(ashi_test *t, int fd)
{
    const int64_t extent[4] = {3, 2, 3, 4};
    const int order[4] = {0, 1, 2, 3};
    const ashi_element_file file = {.fd = fd, .path = "array", .bytes = 8, .number_bytes = 8};
    uint64_t state = 3;
    sample s = sample_of(4, extent, order, 0, false);
    write_array(&s, fd, 0);
    s.view.side[0].count = s.view.side[1].count = 0;
    add_index(&s.view.side[0], 3, 5);  /* a diagonal of the first and the third */
    add_index(&s.view.side[0], 2, 0);  /* the same for both values */
    add_index(&s.view.side[1], 3, 8);  /* three of four values */
    s.view.from[1] = 1;
    s.view.from[3] = 1;
    for (int i = 0; i < 50; i++) {
        ashi_unfolding_box b;
        for (int x = 0; x < 2; x++) {
            const int64_t size = x == 0 ? 6 : 3;
            b.from[x] = ashi_random_in(&state, 0, size - 1);
            b.extent[x] = ashi_random_in(&state, 1, size - b.from[x]);
            b.stride[x] = x == 0 ? 5 : 1;
        }
        box_is_covered(t, &s, &b);
        box_is_moved(t, &s, &file, &b, false, 72);
    }
}

/* Two indices for one dimension: positions in a block, and blocks. */
static void blocks(ashi_test *t, int fd)
{
    const int64_t extent[3] = {4, 6, 3};
    const int order[3] = {0, 1, 2};
    const ashi_element_file file = {.fd = fd, .path = "array", .bytes = 8, .number_bytes = 8};
    uint64_t state = 5;
    sample s = sample_of(3, extent, order, 0, false);
    write_array(&s, fd, 0);
    s.view.side[0].count = s.view.side[1].count = 0;
    add_index(&s.view.side[0], 2, 1);
    add_index(&s.view.side[0], 3, 2);
    add_index(&s.view.side[0], 2, 1);
    s.view.side[0].index[2].step = 2;
    add_index(&s.view.side[0], 2, 2);
    s.view.side[0].index[3].step = 3;
    add_index(&s.view.side[1], 3, 4);
    every_box(t, &s, &file, &state);
}

/* Long runs, and blocks that are larger than the memory between file and box. */
static void large_boxes(ashi_test *t, int fd)
{
    enum { SIDE = 128 };
    static char between[ASHI_UNFOLDING_MOVE_BYTES];
    const int64_t extent[3] = {SIDE, SIDE, SIDE};
    const ashi_element_file file = {.fd = fd, .path = "array", .bytes = 8, .number_bytes = 8};
    double *data = malloc(sizeof *data * SIDE * SIDE * SIDE);
    ashlar_error err;
    for (int64_t e = 0; data && e < SIDE * SIDE * SIDE; e++)
        data[e] = (double)e;
    CHECK(t, data && pwrite(fd, data, 8 * SIDE * SIDE * SIDE, 0) == 8 * SIDE * SIDE * SIDE, "the file is not there");
    for (int n = 0; data && n < 6; n++) {
        int permutation[MOST];
        permute(3, n, permutation);
        const sample s = sample_of(3, extent, permutation, 1 + n % 2, false);
        const ashi_unfolding_transfer read = {&file, (char *)data, false, between};
        const int64_t rows = ashi_unfolding_extent(&s.view.side[0]), cols = ashi_unfolding_extent(&s.view.side[1]);
        const ashi_unfolding_box b = {{1, 2}, {rows - 1, cols - 5}, {1, rows - 1}};
        int64_t wrong = 0;
        CHECK(t, ashi_unfolding_move(&read, &s.view, &b, &err) == ASHLAR_OK, "%s", err.text);
        for (int64_t j = 0; j < b.extent[1]; j++)
            for (int64_t i = 0; i < b.extent[0]; i++)
                wrong += data[i + j * b.stride[1]] != (double)number_of(&s, 1 + i, 2 + j);
        CHECK(t, wrong == 0, "permutation %d: %" PRId64 " elements are wrong", n, wrong);
    }
    free(data);
}

/* ---- runs ---- */

/* A length that covers the first indices of a side whole, and some values of the next one. */
static int64_t some_length(const ashi_unfolding_side *side, uint64_t *state)
{
    const int whole = side->count > 0 ? (int)ashi_random_in(state, 0, side->count - 1) : 0;
    int64_t length = side->count > 0 ? ashi_random_in(state, 1, side->index[whole].extent) : 1;
    for (int i = 0; i < whole; i++)
        length *= side->index[i].extent;
    return length;
}

/* The runs of a box are those that its elements make, one by one. */
static void runs_are_counted(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    int64_t extent[MOST], length[2], bytes = 0, runs = 0, before = -1;
    int permutation[MOST];
    bool has[ROOM] = {false};
    const int order = (int)ashi_random_in(&state, 1, MOST);
    for (int d = 0; d < order; d++) {
        const int at = (int)ashi_random_in(&state, 0, d);
        extent[d] = ashi_random_in(&state, 1, 6);
        permutation[d] = permutation[at];
        permutation[at] = d;
    }
    const sample s = sample_of(order, extent, permutation, (int)ashi_random_in(&state, 0, order), false);
    const int64_t page = ashi_random_in(&state, 1, 200);
    ashi_file_levels levels = {{0, 0}, {{{0, 0}}}};
    for (int side = 0; side < 2; side++) {
        length[side] = some_length(&s.view.side[side], &state);
        ashi_unfolding_levels(&s.view, side, side, &levels);
    }
    for (int64_t i = 0; i < length[0]; i++)
        for (int64_t j = 0; j < length[1]; j++)
            has[number_of(&s, i, j)] = true;
    for (int64_t e = 0; e < ROOM; e++) {
        if (!has[e])
            continue;
        const bool joins = before >= 0 && (e - before - 1) * 8 < page;
        runs += !joins;
        bytes += joins ? (e - before) * 8 : 8;
        before = e;
    }
    const double side[2] = {(double)length[0], (double)length[1]};
    const int64_t unit[2] = {0, 0};
    const ashi_file_runs r = ashi_file_runs_of(&levels, side, unit, 8, page);
    CHECK(t, r.count == (double)runs && r.count * r.bytes == (double)bytes,
          "seed %" PRIu64 ": %g runs of %g bytes, wanted %" PRId64 " of %" PRId64 " together", seed, r.count, r.bytes,
          runs, bytes);
}

/* ---- cells ---- */

/* Parts cover the box once, keep to the room, and cut no chunk that fits. */
static void cells_cover(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    ashi_array_box box = {.order = (int)ashi_random_in(&state, 0, 4)}, part;
    int64_t chunk[4], room = ashi_random_in(&state, 1, 40), chunk_words = 1, words = 0, at;
    int times[625] = {0};
    for (int d = 0; d < box.order; d++) {
        chunk[d] = ashi_random_in(&state, 1, 4);
        box.from[d] = ashi_random_in(&state, 0, 4);
        box.extent[d] = ashi_random_in(&state, 0, 5);
        chunk_words *= chunk[d];
    }
    for (int64_t d = box.order - 1, next = 1; d >= 0; d--) {
        box.stride[d] = next;
        next *= ashi_max(box.extent[d], 1);
    }
    ashi_cells cells = ashi_cells_of(&box, chunk, room);
    while (ashi_cells_next(&cells, &part, &at)) {
        const int64_t own = ashi_array_box_words(&part);
        words += own;
        times[at]++;
        CHECK(t, own > 0 && own <= ashi_max(room, chunk_words), "seed %" PRIu64 ": a part of %" PRId64, seed, own);
        for (int d = 0; d < part.order; d++) {
            const int64_t end = part.from[d] + part.extent[d];
            CHECK(t, (part.from[d] == box.from[d] || part.from[d] % chunk[d] == 0) &&
                  (end == box.from[d] + box.extent[d] || end % chunk[d] == 0), 
                  "seed %" PRIu64 ": a chunk is cut", seed);
        }
    }
    CHECK(t, words == ashi_array_box_words(&box), "seed %" PRIu64 ": %" PRId64 " words", seed, words);
    for (int i = 0; i < 625; i++)
        CHECK(t, times[i] <= 1, "seed %" PRIu64 ": two parts begin at %d", seed, i);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 300);
    const folder f = folder_make();
    char path[PATH_BYTES];
    folder_name(&f, "array", path);
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    static const int64_t extents[][MOST] = {{3}, {2, 3}, {3, 1}, {2, 3, 2}, {1, 3, 2}, {2, 3, 2, 2}};
    static const int orders[] = {1, 2, 2, 3, 3, 4};
    for (int i = 0; i < 6; i++)
        all_views(&t, orders[i], extents[i], fd);
    special_indices(&t, fd);
    blocks(&t, fd);
    large_boxes(&t, fd);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        cells_cover(&t, seed);
        runs_are_counted(&t, seed);
    }
    close(fd);
    folder_remove(&f);
    return ashi_test_end(&t, "unfolding");
}
