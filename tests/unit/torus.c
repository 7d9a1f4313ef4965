/* Routes on a torus are shortest and balanced, and the loads of links are those of the messages one by one. */
#include "random_layout.h"
#include "simulate/links.h"
#include "schedule/program.h"
#include "engine/grid_schedule.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MOST = 700, LINKS_MOST = NODES_MOST * 2 * ASHI_TORUS_MOST };

static ashi_torus any_torus(uint64_t *state, int64_t nodes)
{
    ashi_torus t = {.dims = (int)ashi_random_in(state, 1, 5)};
    for (int d = 0; d < t.dims; d++) {
        t.length[d] = ashi_random_in(state, 1, ashi_random_in(state, 1, nodes < 9 ? nodes : 9));
        nodes /= t.length[d];
    }
    return t;
}

/* Links between two places of a ring the shorter way. */
static int64_t ring_distance(int64_t length, int64_t a, int64_t b)
{
    const int64_t apart = a < b ? b - a : a - b;
    return apart < length - apart ? apart : length - apart;
}

/* Follows a route, link by link. */
typedef struct follower {
    ashi_test *test;
    const ashi_torus *torus;
    int64_t node;
    int dim; /* of the link before */
} follower;

static void follow(void *context, int64_t link)
{
    follower *f = context;
    int64_t at[ASHI_TORUS_MOST];
    const int dim = (int)(link / 2 % f->torus->dims), way = link % 2 ? -1 : 1;
    CHECK(f->test, link / 2 / f->torus->dims == f->node, "a link of another node");
    CHECK(f->test, dim >= f->dim && f->torus->length[dim] > 1, "dimension %d after %d", dim, f->dim);
    ashi_torus_at(f->torus, f->node, at);
    at[dim] = (at[dim] + way + f->torus->length[dim]) % f->torus->length[dim];
    f->node = ashi_torus_node(f->torus, at);
    f->dim = dim;
}

static void routes(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    const ashi_torus torus = any_torus(&state, NODES_MOST);
    const int64_t nodes = ashi_torus_nodes(&torus);
    for (int i = 0; i < 200; i++) {
        const int64_t from = ashi_random_in(&state, 0, nodes - 1), to = ashi_random_in(&state, 0, nodes - 1);
        int64_t a[ASHI_TORUS_MOST], b[ASHI_TORUS_MOST], distance = 0;
        follower f = {t, &torus, from, 0};
        ashi_torus_at(&torus, from, a);
        ashi_torus_at(&torus, to, b);
        for (int d = 0; d < torus.dims; d++)
            distance += ring_distance(torus.length[d], a[d], b[d]);
        CHECK(t, ashi_torus_node(&torus, a) == from, "seed %" PRIu64, seed);
        CHECK(t, ashi_torus_route(&torus, from, to, follow, &f) == distance, "seed %" PRIu64, seed);
        CHECK(t, f.node == to, "seed %" PRIu64 ": the route ends elsewhere", seed);
    }
}

static void count_link(void *context, int64_t link)
{
    ((int64_t *)context)[link]++;
}

/* Where all nodes send as far along one dimension, each link of the ways taken carries as much: of an even ring's
 * farthest shift, half of the distance each way, give or take one. */
static void shifts(ashi_test *t, const ashi_torus *torus)
{
    const int64_t nodes = ashi_torus_nodes(torus), numbers = ashi_torus_numbers(torus);
    for (int dim = 0; dim < torus->dims; dim++)
        for (int64_t far = 1; far < torus->length[dim]; far++) {
            int64_t load[LINKS_MOST] = {0}, at[ASHI_TORUS_MOST];
            for (int64_t node = 0; node < nodes; node++) {
                ashi_torus_at(torus, node, at);
                at[dim] = (at[dim] + far) % torus->length[dim];
                ashi_torus_route(torus, node, ashi_torus_node(torus, at), count_link, load);
            }
            const int64_t length = torus->length[dim], near = ring_distance(length, 0, far);
            const int64_t most = 2 * near == length ? (near + 1) / 2 : near;
            for (int64_t link = 0; link < numbers; link++)
                CHECK(t, load[link] <= most, "dimension %d, %" PRId64 " far: %" PRId64 " pass a link", dim, far,
                      load[link]);
        }
}

/* The loads once more, a message at a time from what its receiver says. */
typedef struct receiver {
    ashi_program program;
    const ashi_torus *torus;
    int64_t rank, *load, *one; /* `one` counts a single route */
    int64_t hops_max;
} receiver;

static ashlar_status receive(void *context, const ashi_operation *op, const ashi_message *message, ashlar_error *err)
{
    receiver *r = context;
    const int64_t numbers = ashi_torus_numbers(r->torus);
    (void)op;
    (void)err;
    if (message->send)
        return ASHLAR_OK;
    memset(r->one, 0, (size_t)numbers * sizeof *r->one);
    const int64_t hops = ashi_torus_route(r->torus, message->peer, r->rank, count_link, r->one);
    r->hops_max = hops > r->hops_max ? hops : r->hops_max;
    for (int64_t i = 0; i < numbers; i++)
        r->load[i] += r->one[i] * message->words;
    return ASHLAR_OK;
}

static ashlar_status visit(void *context, const ashi_operation *o, ashlar_error *err)
{
    receiver *r = context;
    return ashi_program_messages(&r->program, r->rank, o, receive, r, err);
}

static void compare(ashi_test *t, uint64_t seed, const ashi_links *links, const receiver *r)
{
    int64_t most = 0, sum = 0, used = 0, exist = 0;
    for (int64_t i = 0; i < ashi_torus_numbers(r->torus); i++) {
        CHECK(t, links->words[i] == r->load[i], "seed %" PRIu64 ": link %" PRId64, seed, i);
        most = r->load[i] > most ? r->load[i] : most;
        sum += r->load[i];
        used += r->load[i] > 0;
        exist += r->torus->length[i / 2 % r->torus->dims] > 1;
    }
    CHECK(t, links->words_max == most && links->words_total == sum && links->used == used, "seed %" PRIu64, seed);
    CHECK(t, links->count == exist && links->hops_max == r->hops_max, "seed %" PRIu64, seed);
    CHECK(t, fabs(links->words_mean * (double)exist - (double)sum) <= 1e-12 * (double)sum, "seed %" PRIu64, seed);
}

static void loads(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    const ashi_torus torus = any_torus(&state, RANDOM_RANKS_MAX);
    const int64_t ranks = ashi_torus_nodes(&torus), size[3] = {30, 20, 25}, grid[3] = {1, ranks, 1};
    ashi_bricks bricks;
    ashi_schedule schedule = {0};
    ashi_links links = {0};
    ashlar_layout *layout[3];
    ashlar_error err = {0};
    for (int x = 0; x < 3; x++)
        layout[x] = random_layout(&state, size[x == 1 ? 2 : 0], size[x == 0 ? 2 : 1], (int)ranks, &err);
    ashlar_status status = ashi_bricks_even(grid, size, &bricks, &err);
    const ashi_grid_request request = {.strategy = "test", .size = {size[0], size[1], size[2]}, .ranks = ranks,
                                       .layout = {layout[0], layout[1], layout[2]}, .bricks = &bricks, .rounds = 3,
                                       .reduce_rounds = 2, .window = 2, .tree = seed % 2};
    if (status == ASHLAR_OK)
        status = ashi_grid_schedule(&request, &schedule, &err);
    if (status == ASHLAR_OK)
        status = ashi_links_count(&schedule, &torus, &links, &err);
    receiver r = {.torus = &torus};
    const ashi_program_visitor visitor = {ashi_program_ignored.panel, visit, &r};
    if (status == ASHLAR_OK)
        status = ashi_program_of(&schedule, &r.program, &err);
    r.load = calloc(LINKS_MOST, sizeof *r.load);
    r.one = calloc(LINKS_MOST, sizeof *r.one);
    for (r.rank = 0; r.rank < ranks && status == ASHLAR_OK && r.load && r.one; r.rank++)
        status = ashi_program_walk(&r.program, r.rank, &visitor, &err);
    CHECK(t, status == ASHLAR_OK && r.load && r.one, "seed %" PRIu64 ": %s", seed, err.text);
    if (status == ASHLAR_OK && r.load && r.one)
        compare(t, seed, &links, &r);
    ashi_program_free(&r.program);
    free(r.load);
    free(r.one);
    ashi_links_free(&links);
    ashi_schedule_free(&schedule);
    ashi_bricks_free(&bricks);
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&layout[x]);
}

static void mistakes(ashi_test *t)
{
    const ashi_torus none = {0}, flat = {2, {3, 0}}, fits = {2, {3, 4}};
    const ashi_torus large = {3, {INT64_MAX / 2, 3, 3}}, many = {ASHI_TORUS_MOST + 1, {1}};
    ashlar_error err = {0};
    CHECK(t, ashi_torus_check(&none, 7, "who", &err) == ASHLAR_OK, "no torus is refused");
    CHECK(t, ashi_torus_check(&fits, 12, "who", &err) == ASHLAR_OK, "3x4 is refused for 12 ranks");
    CHECK(t, ashi_torus_check(&fits, 7, "who", &err) == ASHLAR_ERR_ARG, "3x4 is taken for 7 ranks");
    CHECK(t, strstr(err.text, "3x4 has 12") && strstr(err.text, "7 ranks"), "%s", err.text);
    CHECK(t, ashi_torus_check(&flat, 0, "who", &err) == ASHLAR_ERR_ARG, "a length of 0");
    CHECK(t, ashi_torus_check(&large, 9, "who", &err) == ASHLAR_ERR_ARG, "too many nodes");
    CHECK(t, ashi_torus_check(&many, 1, "who", &err) == ASHLAR_ERR_ARG, "too many dimensions");
}

int main(void)
{
    ashi_test t = {0};
    const ashi_torus known[] = {{2, {8, 8}}, {4, {4, 4, 4, 4}}, {3, {2, 5, 6}}, {1, {9}}};
    for (uint64_t seed = 1; seed <= 200; seed++) {
        routes(&t, seed);
        loads(&t, seed);
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        shifts(&t, &known[i]);
    mistakes(&t);
    return ashi_test_end(&t, "torus");
}
