/* store: boxes of views that are visited chunk by chunk, beside the same boxes visited as they come. */
#include "store/by_chunk.h"
#include "store/cells.h"
#include "test.h"

enum { ORDER = 3, SIDE_MOST = 12, ROOM = SIDE_MOST * SIDE_MOST * SIDE_MOST };

typedef struct filling {
    const int64_t *chunk;
    int64_t element[ROOM]; /* of the array, for each place in memory; -1: none yet */
    int64_t visits, chunks; /* chunks: read if none is kept */
    bool twice;
} filling;

static ashlar_status fill(void *context, const ashi_array_box *box, int64_t at, ashlar_error *err)
{
    filling *const f = context;
    int64_t chunks = 1, i[ORDER];
    (void)err;
    f->visits++;
    for (int d = 0; d < ORDER; d++)
        chunks *= (box->from[d] + box->extent[d] - 1) / f->chunk[d] - box->from[d] / f->chunk[d] + 1;
    f->chunks += chunks;
    for (i[0] = 0; i[0] < box->extent[0]; i[0]++)
        for (i[1] = 0; i[1] < box->extent[1]; i[1]++)
            for (i[2] = 0; i[2] < box->extent[2]; i[2]++) {
                int64_t to = at, element = 0;
                for (int d = 0; d < ORDER; d++) {
                    to += i[d] * box->stride[d];
                    element = element * SIDE_MOST + box->from[d] + i[d];
                }
                f->twice = f->twice || f->element[to] >= 0;
                f->element[to] = element;
            }
    return ASHLAR_OK;
}

static void clear(filling *f, const int64_t *chunk)
{
    f->chunk = chunk;
    f->visits = f->chunks = 0;
    f->twice = false;
    for (int e = 0; e < ROOM; e++)
        f->element[e] = -1;
}

/* Chunks that have an element of what was visited. */
static int64_t distinct(const filling *f)
{
    bool met[ROOM] = {false};
    int64_t all = 0;
    for (int e = 0; e < ROOM; e++) {
        if (f->element[e] < 0)
            continue;
        const int64_t at[ORDER] = {f->element[e] / (SIDE_MOST * SIDE_MOST), f->element[e] / SIDE_MOST % SIDE_MOST,
                                   f->element[e] % SIDE_MOST};
        int64_t number = 0;
        for (int d = 0; d < ORDER; d++)
            number = number * SIDE_MOST + at[d] / f->chunk[d];
        all += !met[number];
        met[number] = true;
    }
    return all;
}

/* Each dimension is an index of a side, in any order. */
static void random_view(uint64_t *state, ashi_unfolding *view)
{
    int order[ORDER] = {0, 1, 2};
    *view = (ashi_unfolding){.order = ORDER};
    for (int i = 0; i < ORDER; i++) {
        const int j = (int)ashi_random_in(state, i, ORDER - 1), d = order[j];
        ashi_unfolding_side *const side = &view->side[ashi_random_in(state, 0, 1)];
        order[j] = order[i];
        side->index[side->count++] = (ashi_unfolding_index){ashi_random_in(state, 1, SIDE_MOST), (uint64_t)1 << d, 1};
        view->stride[d] = d == 0 ? SIDE_MOST * SIDE_MOST : d == 1 ? SIDE_MOST : 1;
    }
}

static void one(ashi_test *t, uint64_t seed, int64_t *spared)
{
    static filling plain, cut;
    static const int64_t extent[ORDER] = {SIDE_MOST, SIDE_MOST, SIDE_MOST};
    static ashi_chunks_kept kept;
    uint64_t state = seed;
    ashi_unfolding view;
    ashi_unfolding_box box;
    ashlar_error err = {0};
    int64_t chunk[ORDER], read = 0;
    double counted = 0;
    random_view(&state, &view);
    for (int s = 0; s < 2; s++) {
        const int64_t all = ashi_unfolding_extent(&view.side[s]);
        box.from[s] = ashi_random_in(&state, 0, all - 1);
        box.extent[s] = ashi_random_in(&state, 1, all - box.from[s]);
    }
    box.stride[0] = 1;
    box.stride[1] = box.extent[0];
    for (int d = 0; d < ORDER; d++)
        chunk[d] = ashi_random_in(&state, 1, 6);
    clear(&plain, chunk);
    clear(&cut, chunk);
    ashi_chunks_forget(&kept, 1);
    CHECK(t, ashi_unfolding_boxes(&view, &box, fill, &plain, &err) == ASHLAR_OK &&
              ashi_by_chunk(&view, &box, chunk, fill, &cut, &err) == ASHLAR_OK &&
              ashi_chunks_read(&view, &box, chunk, extent, false, &kept, &counted, &err) == ASHLAR_OK,
          "seed %" PRIu64 ": %s", seed, err.text);
    read = (int64_t)counted;
    CHECK(t, !cut.twice && memcmp(plain.element, cut.element, sizeof cut.element) == 0, "seed %" PRIu64, seed);
    const int64_t least = distinct(&plain);
    CHECK(t, least <= read && read <= plain.chunks, "seed %" PRIu64 ": %" PRId64 " chunks, %" PRId64 " of %" PRId64,
          seed, read, least, plain.chunks);
    CHECK(t, plain.visits > 1 || cut.visits == 1, "seed %" PRIu64 ": one box is cut", seed);
    CHECK(t, cut.visits == plain.visits || read == least || plain.visits > 128, "seed %" PRIu64 ": %" PRId64
          " chunks, %" PRId64 " are enough", seed, read, least);
    *spared += plain.chunks - read;
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 3000);
    int64_t spared = 0;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        one(&t, seed, &spared);
    CHECK(&t, spared > 0 || seeds.told, "no chunk is spared");
    return ashi_test_end(&t, "by_chunk");
}
