/* strategy: for any number of ranks, boxes of equal volume that fill the space just once, whose ranks own equal shares
 * and receive little more than the bound. */
#include "strategy/shared_layout.h"
#include "strategy/uneven_cut.h"

#include "base/checked.h"
#include "layout/layout.h"
#include "model/bounds.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A function of positions: what is random can only by luck fulfil an equation that is not an identity. */
static uint64_t random_at(uint64_t seed, int dimension, int64_t position)
{
    uint64_t state = seed + (uint64_t)dimension * 0x100000001B3u + (uint64_t)position * 0x9E3779B97F4A7C15u;
    return ashi_random(&state);
}

/* If f, g, h are any functions, boxes fill the space just once where the sum over boxes of the product of f's, g's and
 * h's differences between the ends of their sides is that of the whole space. */
static uint64_t product_of_differences(uint64_t seed, const int64_t lo[3], const int64_t hi[3])
{
    uint64_t product = 1;
    for (int d = 0; d < 3; d++)
        product *= random_at(seed, d, hi[d]) - random_at(seed, d, lo[d]);
    return product;
}

static void fills(ashi_test *t, const int64_t size[3], int64_t p, const ashi_uneven_cut *cut, const ashi_cuboid *box)
{
    const int64_t origin[3] = {0, 0, 0};
    uint64_t sum = 0;
    double largest = 0;
    for (int64_t i = 0; i < cut->ranks; i++) {
        double volume = 1;
        bool inside = true;
        for (int d = 0; d < 3; d++) {
            inside = inside && 0 <= box[i].lo[d] && box[i].lo[d] < box[i].hi[d] && box[i].hi[d] <= size[d];
            volume *= (double)(box[i].hi[d] - box[i].lo[d]);
        }
        CHECK(t, inside, "%" PRId64 "x%" PRId64 "x%" PRId64 " on %" PRId64 ": box %" PRId64 " is empty or outside",
              size[0], size[1], size[2], p, i);
        largest = fmax(largest, volume);
        sum += product_of_differences((uint64_t)p, box[i].lo, box[i].hi);
    }
    CHECK(t, sum == product_of_differences((uint64_t)p, origin, size),
          "%" PRId64 "x%" PRId64 "x%" PRId64 " on %" PRId64 ": not filled just once", size[0], size[1], size[2], p);
    CHECK(t, largest == cut->volume, "%" PRId64 "x%" PRId64 "x%" PRId64 " on %" PRId64 ": %.0f, said %.0f", size[0],
          size[1], size[2], p, largest, cut->volume);
}

/* The boxes, the layouts and the words of one problem. */
typedef struct arrangement {
    ashi_uneven_cut cut;
    ashi_bricks bricks;
    ashlar_layout *layout[3];
    ashi_flow *flow;
} arrangement;

static bool arrange(ashi_test *t, const int64_t size[3], int64_t p, const ashlar_op op[2], arrangement *a)
{
    ashlar_error err = {0};
    *a = (arrangement){0};
    const ashi_uneven_room unlimited = {0, 2, false};
    ashi_uneven_search(size, p, &unlimited, &a->cut);
    ashi_cuboid *box = malloc((size_t)p * sizeof *box);
    a->flow = malloc((size_t)p * sizeof *a->flow);
    if (!box || !a->flow)
        abort();
    ashi_uneven_boxes(&a->cut, box);
    fills(t, size, p, &a->cut, box);
    ashlar_status status = ashi_bricks_of(box, NULL, a->cut.ranks, &a->bricks, &err);
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++)
        status = ashi_shared_layout(&a->bricks, op, (ashlar_operand)x, (ashi_shared_cut){0}, &a->layout[x], &err);
    free(box);
    CHECK(t, status == ASHLAR_OK, "%s", err.text);
    if (status != ASHLAR_OK)
        return false;
    const ashlar_layout *const layout[3] = {a->layout[0], a->layout[1], a->layout[2]};
    ashi_shared_words(&a->bricks, op, layout, p, a->flow);
    return true;
}

static void arrangement_free(arrangement *a)
{
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&a->layout[x]);
    ashi_bricks_free(&a->bricks);
    free(a->flow);
}

static int64_t most(const arrangement *a, int64_t p)
{
    int64_t words = 0;
    for (int64_t r = 0; r < p; r++)
        words = ashi_max(words, a->flow[r].received);
    return words;
}

/* Tiles: few; and what the fullest and the emptiest rank own, to the mean. */
static void shares(ashi_test *t, const arrangement *a, int64_t p)
{
    int64_t *own = calloc((size_t)p, sizeof *own);
    double all = 0;
    if (!own)
        abort();
    for (int x = 0; x < 3; x++) {
        const ashlar_layout *l = a->layout[x];
        const int64_t tiles = l->row.parts * l->col.parts;
        CHECK(t, tiles < 100000, "%" PRId64 " ranks: %" PRId64 " tiles", p, tiles);
        for (int64_t i = 0; i < tiles; i++)
            own[l->owner[i]] += ashi_dim_count(&l->row, i / l->col.parts) * ashi_dim_count(&l->col, i % l->col.parts);
        all += (double)l->row.size * (double)l->col.size;
    }
    for (int64_t r = 0; r < p; r++) {
        const double part = (double)own[r] * (double)p / all;
        CHECK(t, part > 0.94 && part < 1.06, "%" PRId64 " ranks: rank %" PRId64 " owns %.3f of its part", p, r, part);
    }
    free(own);
}

/* From p = 8 on: near the bound, and always within 1 % of level. How near is printed. */
static void near_the_bound(ashi_test *t, int64_t m, int64_t n, int64_t k, double factor, uint64_t cases)
{
    const int64_t size[3] = {m, n, k};
    const ashlar_op op[2] = {ASHLAR_OP_N, ASHLAR_OP_N};
    double sum = 0, farthest = 0, fullest = 0;
    int64_t counted = 0, at = 0;
    for (uint64_t i = 0; i < cases; i++) {
        const int64_t p = 1 + (int64_t)(i * 1000 / cases);
        arrangement a;
        if (arrange(t, size, p, op, &a)) {
            const double mean = (double)m * (double)n * (double)k / (double)p;
            const double bound = ashi_bound_words(m, n, k, p, 0).words;
            const int64_t words = most(&a, p);
            CHECK(t, a.cut.ranks == p, "%" PRId64 " of %" PRId64 " ranks work", a.cut.ranks, p);
            CHECK(t, a.cut.volume <= 1.01 * mean, "%" PRId64 " ranks: %.4f", p, a.cut.volume / mean);
            CHECK(t, p < 8 || (double)words <= factor * bound, "%" PRId64 "x%" PRId64 "x%" PRId64 " on %" PRId64
                  ": %.4f of the bound", m, n, k, p, (double)words / bound);
            shares(t, &a, p);
            if (p >= 8) {
                const double ratio = (double)words / bound;
                at = ratio > farthest ? p : at;
                farthest = fmax(farthest, ratio);
                fullest = fmax(fullest, a.cut.volume / mean);
                sum += ratio;
                counted++;
            }
        }
        arrangement_free(&a);
    }
    printf("%" PRId64 "x%" PRId64 "x%" PRId64 ", %" PRId64 " numbers of ranks from 8 to 1000: words over bound %.4f in "
           "the mean, %.4f at %" PRId64 " ranks; largest box %.4f of the mean\n",
           m, n, k, counted, sum / (double)counted, farthest, at, fullest);
}

/* Any size does, those with fewer elements than ranks too, and every word that is owned twice over is counted. */
static void any_size(ashi_test *t, uint64_t *seed)
{
    const int64_t size[3] = {ashi_random_in(seed, 1, 30), ashi_random_in(seed, 1, 30), ashi_random_in(seed, 1, 30)};
    const int64_t p = ashi_random_in(seed, 1, 60);
    const ashlar_op op[2] = {(ashlar_op)ashi_random_in(seed, 0, 2), (ashlar_op)ashi_random_in(seed, 0, 2)};
    arrangement a;
    if (arrange(t, size, p, op, &a)) {
        int64_t received = 0, faces = 0, owned = 0;
        for (int64_t r = 0; r < p; r++)
            received += a.flow[r].received;
        for (int64_t i = 0; i < a.bricks.count; i++)
            for (int x = 0; x < 3; x++) {
                const ashi_box f = ashi_cuboid_face(&a.bricks.box[i], (ashlar_operand)x);
                faces += ashi_box_words(&f);
            }
        owned = size[0] * size[1] + size[0] * size[2] + size[1] * size[2];
        CHECK(t, received == faces - owned, "%" PRId64 "x%" PRId64 "x%" PRId64 " on %" PRId64 ": %" PRId64
              " received, %" PRId64 " of faces are not owned", size[0], size[1], size[2], p, received, faces - owned);
    }
    arrangement_free(&a);
}

int main(void)
{
    ashi_test t = {0};
    uint64_t seed = 20;
    near_the_bound(&t, 2000, 2000, 2000, 1.10, 1000);
    near_the_bound(&t, 2003, 2003, 2003, 1.10, 1000);
    near_the_bound(&t, 8000, 2000, 2000, 1.20, 1000);
    near_the_bound(&t, 2000, 8000, 2000, 1.20, 250);
    near_the_bound(&t, 2000, 2000, 8000, 1.20, 250);
    near_the_bound(&t, 8012, 8012, 2003, 1.20, 1000);
    near_the_bound(&t, 2000, 8000, 8000, 1.20, 250);
    near_the_bound(&t, 8000, 2000, 8000, 1.20, 250);
    for (uint64_t i = 0; i < 3000; i++)
        any_size(&t, &seed);
    return ashi_test_end(&t, "uneven");
}
