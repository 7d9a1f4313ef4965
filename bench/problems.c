/* Random problems, the same on every rank, that cover what a plan can be asked for. */
#include "problems.h"
#include "die.h"
#include "random_layout.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* By name, so that every commit is asked for the same. `sequential` is for files. NULL: the planner chooses. */
static const char *const strategies[] = {NULL, "cosma", "summa", "2.5d", "carma", "uneven", "cannon", "sd_cannon",
                                         "tpmm", "cosma_tpmm", "summa_tpmm", NULL};
enum { STRATEGIES = sizeof strategies / sizeof *strategies };

/* One problem in this many is a movement. Coprime to the strategies, so that each comes as often. */
enum { MOVES_EVERY = 7 };

static bool one_in(uint64_t *state, int64_t n)
{
    return ashi_random_in(state, 1, n) == 1;
}

void problem_shape(const problem *p, int x, int64_t shape[2])
{
    const int64_t *s = p->size;
    const int64_t product[3][2] = {{s[0], s[2]}, {s[2], s[1]}, {s[0], s[1]}};
    const bool turned = x < 2 && p->op[x] != ASHLAR_OP_N;
    for (int d = 0; d < 2; d++)
        shape[d] = p->moves ? s[turned ? 1 - d : d] : product[x][turned ? 1 - d : d];
}

/* Any layout over these ranks; tiles may lie anywhere in a rank's memory. */
static ashlar_layout *layout_of(uint64_t *state, const problem *p, int x, int rank, int ranks)
{
    int64_t shape[2];
    ashlar_error err = {0};
    problem_shape(p, x, shape);
    const bool full = one_in(state, 3);
    ashlar_layout *layout = full ? random_full_layout(state, shape[0], shape[1], ranks, &err)
                                 : random_layout(state, shape[0], shape[1], ranks, &err);
    if (!layout)
        ashi_die("no layout: %s", err.text);
    /* random_layout may have laid out the tiles of one rank only. A layout without tiles refuses that, unchanged. */
    uint64_t own = ashi_random(state) + (uint64_t)rank;
    if (!full)
        random_storage(&own, layout, rank, ashi_max(shape[0], shape[1]), &err);
    return layout;
}

static void choose_layouts(uint64_t *state, problem *p, int rank, int ranks)
{
    const bool own = !p->moves && one_in(state, 4);
    for (int x = 0; x < (p->moves ? 2 : 3); x++)
        if (p->moves || (!own && !one_in(state, 5)))
            p->layout[x] = layout_of(state, p, x, rank, ranks);
}

static void choose_grid(uint64_t *state, problem *p, int ranks)
{
    const int first = (int)ashi_random_in(state, 0, 2);
    int64_t left = ranks;
    for (int i = 0; i < 3; i++) {
        const int d = (first + i) % 3;
        p->options.grid[d] = ashi_random_in(state, 1, ashi_max(1, ashi_min(left, p->size[d])));
        left /= p->options.grid[d];
    }
}

/* Dimensions that a part of the torus is factored into, none of length 1. */
static void add_dimensions(uint64_t *state, problem *p, int64_t nodes)
{
    while (nodes > 1 && p->torus_dims < PROBLEM_TORUS_MOST) {
        int64_t length = p->torus_dims == PROBLEM_TORUS_MOST - 1 ? nodes : ashi_random_in(state, 2, nodes);
        while (nodes % length != 0)
            length++;
        p->torus[p->torus_dims++] = (int)length;
        nodes /= length;
    }
}

/* Over all ranks; if the grid has a cell for each, its fibres are sub-tori. */
static void choose_torus(uint64_t *state, problem *p, int ranks)
{
    const int64_t *grid = p->options.grid;
    if (grid[0] * grid[1] * grid[2] == ranks)
        for (int d = 0; d < 3; d++)
            add_dimensions(state, p, grid[d]);
    else
        add_dimensions(state, p, ranks);
}

/* The even share, or what the layouts give the rank that has most, and a random part more. */
static int64_t choose_limit(uint64_t *state, const problem *p, int ranks)
{
    int64_t even = 0, most = 0;
    for (int r = 0; r < ranks; r++) {
        int64_t share = 0;
        even = 0;
        for (int x = 0; x < 3; x++) {
            int64_t shape[2];
            problem_shape(p, x, shape);
            even += shape[0] * shape[1] / ranks + 1;
            share += p->layout[x] ? ashlar_layout_words(p->layout[x], r) : shape[0] * shape[1] / ranks + 1;
        }
        most = ashi_max(most, share);
    }
    return most + even * ashi_random_in(state, 1, 12) / 6;
}

static void choose_options(uint64_t *state, problem *p, int ranks)
{
    ashlar_options *o = &p->options;
    *o = ashlar_options_default();
    o->strategy = strategies[p->seed % STRATEGIES];
    o->objective = one_in(state, 2) ? ASHLAR_LEAST_WORDS : ASHLAR_LEAST_TIME;
    o->transport = one_in(state, 3) ? ASHLAR_ONE_SIDED : ASHLAR_TWO_SIDED;
    o->route = (ashlar_route)ashi_random_in(state, ASHLAR_ROUTE_DIRECT, ASHLAR_ROUTE_RECTANGULAR);
    o->window = (int)ashi_random_in(state, 0, 4);
    o->idle = (double)ashi_random_in(state, 0, 2) / 2;
    o->node_ranks = ashi_random_in(state, 0, 3);
    o->trusted = one_in(state, 4);
    o->caller_workspace = o->transport == ASHLAR_TWO_SIDED && one_in(state, 4);
    if (one_in(state, 3))
        choose_grid(state, p, ranks);
    if (o->route == ASHLAR_ROUTE_RECTANGULAR || one_in(state, 4))
        choose_torus(state, p, ranks);
}

problem problem_random(uint64_t seed, change changed, int rank, int ranks)
{
    static const double alphas[] = {1, 1, -2, 0.5}, betas[] = {0, 0, 1, 0.5};
    uint64_t state = (seed * 64 + (uint64_t)ranks) * 0x9E3779B97F4A7C15u;
    problem p = {.seed = seed, .change = changed, .moves = seed % MOVES_EVERY == 0};
    const int64_t longest = one_in(&state, 8) ? 300 : 90;
    for (int d = 0; d < 3; d++)
        p.size[d] = one_in(&state, 60) ? 0 : one_in(&state, 6) ? ashi_random_in(&state, 1, 5)
                                                               : ashi_random_in(&state, 1, longest);
    if (p.moves)
        p.size[2] = 0;
    p.type = (ashlar_type)ashi_random_in(&state, ASHLAR_TYPE_S, ASHLAR_TYPE_Z);
    for (int x = 0; x < 2; x++)
        p.op[x] = p.moves && x == 1 ? ASHLAR_OP_N : (ashlar_op)ashi_random_in(&state, ASHLAR_OP_N, ASHLAR_OP_C);
    p.alpha = one_in(&state, 40) ? 0 : alphas[ashi_random_in(&state, 0, 3)];
    p.beta = betas[ashi_random_in(&state, 0, 3)];
    if (changed == CHANGE_SIZE)
        p.size[p.moves ? 1 : 2] += 7;
    choose_options(&state, &p, ranks);
    choose_layouts(&state, &p, rank, ranks);
    if (one_in(&state, 2) && !p.moves)
        p.options.memory_words = choose_limit(&state, &p, ranks);
    if (one_in(&state, 2) && p.moves)
        p.limit = ashi_random_in(&state, 300, 3000);
    return p;
}

void problem_free(problem *p)
{
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&p->layout[x]);
}

/* snprintf behind the text that is there. */
static void append(char *out, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void append(char *out, size_t room, const char *format, ...)
{
    va_list args;
    const size_t used = strlen(out);
    va_start(args, format);
    vsnprintf(out + used, room - used, format, args);
    va_end(args);
}

static void describe_options(const problem *p, char *out, size_t room)
{
    static const char *const routes[] = {"direct", "tree", "auto", "rectangular"};
    const ashlar_options *o = &p->options;
    append(out, room, ", %s, %s, %s, %s, window %d, idle %g, nodes of %" PRId64, o->strategy ? o->strategy : "chosen",
           o->objective == ASHLAR_LEAST_WORDS ? "words" : "time",
           o->transport == ASHLAR_ONE_SIDED ? "one-sided" : "two-sided", routes[o->route], o->window, o->idle,
           o->node_ranks);
    if (o->grid[0] > 0)
        append(out, room, ", grid %" PRId64 "x%" PRId64 "x%" PRId64, o->grid[0], o->grid[1], o->grid[2]);
    for (int d = 0; d < p->torus_dims; d++)
        append(out, room, "%s%d", d > 0 ? "x" : ", torus ", p->torus[d]);
    if (o->memory_words > 0)
        append(out, room, ", limit %" PRId64, o->memory_words);
    append(out, room, "%s%s", o->trusted ? ", trusted" : "", o->caller_workspace ? ", caller's workspace" : "");
}

void problem_describe(const problem *p, char *out, size_t room)
{
    static const char types[] = "sdcz", ops[] = "NTC";
    out[0] = '\0';
    append(out, room, "%c%s%c", types[p->type], p->moves ? " move " : "", ops[p->op[0]]);
    if (!p->moves)
        append(out, room, "%c", ops[p->op[1]]);
    append(out, room, " %" PRId64 "x%" PRId64, p->size[0], p->size[1]);
    if (!p->moves)
        append(out, room, "x%" PRId64, p->size[2]);
    append(out, room, " alpha %g beta %g", p->alpha, p->beta);
    if (p->moves) {
        append(out, room, ", limit %" PRId64, p->limit);
        return;
    }
    append(out, room, ", layouts ");
    for (int x = 0; x < 3; x++)
        append(out, room, "%c", p->layout[x] ? 'g' : '-');
    describe_options(p, out, room);
}
