/* The cost of one COSMA grid in which A or B stays. */
#include "strategy/cosma_stays.h"

#include "base/checked.h"
#include "engine/grid_schedule.h"
#include "strategy/buffers.h"

/*
 * What rank (0, 0, 0) has, whose box is as large as any. The block that stays is across x L, and slabs are of `along`:
 * if A stays across is I and along is J, if B does the other way round.
 */
typedef struct held {
    int64_t along;     /* indices that are cut in slabs */
    int64_t fixed;     /* words of its shares of all matrices, and of the rest of the block that stays */
    int64_t block;     /* words of the block that stays */
    int64_t passing;   /* words of the other input that an index of a slab takes, */
    int64_t sums;      /* of its partial sums that are not made in its own C, */
    int64_t moving;    /* and of the sums that it receives; */
    int64_t packed;    /* of those that it sends, which are packed if a slab has several indices */
} held;

/* A grid, and how the ranks that share a block cut it. */
typedef struct shared {
    int64_t size[3];
    const int64_t *grid;
    ashi_stays stays;
    ashi_turns of[3];
} shared;

static shared shared_of(const ashi_cosma_query *q, const int64_t grid[3], ashi_stays stays, int64_t rounds)
{
    shared s = {.size = {q->m, q->n, q->k}, .grid = grid, .stays = stays};
    for (int x = 0; x < 3; x++)
        s.of[x] = ashi_own_turns(s.size, grid, stays, rounds, (ashlar_operand)x);
    return s;
}

/* The least and the most words that ranks lo .. hi-1 of a fibre have of a block with these sides. */
static void own_words(const shared *s, int x, const int64_t side[3], int64_t lo, int64_t hi, int64_t out[2])
{
    const int cut = ashi_own_turned(s->stays, (ashlar_operand)x);
    const int across = ashi_dims_of[x][0] + ashi_dims_of[x][1] - cut;
    ashi_turns_extremes(&s->of[x], side[cut], side[across], lo, hi, out);
}

/* Whether its own part of the block is held twice, because stretches of k are thin. */
static bool copies_thin(const ashi_cosma_query *q, const int64_t grid[3], ashi_stays stays)
{
    const int64_t owners = stays == ASHI_STAYS_A ? grid[1] : grid[0];
    return owners > ashi_max(1, q->k / grid[2] / ASHI_THINNEST_STRETCH);
}

/* The most that any rank owns of the matrices that do not stay. */
static int64_t moving_shares(const shared *s)
{
    int64_t side[3], words = 0;
    for (int d = 0; d < 3; d++)
        side[d] = ashi_ceil_div(s->size[d], s->grid[d]);
    for (int x = 0; x < 3; x++) {
        int64_t own[2] = {0, 0};
        if (x != (int)ashi_stationary(s->stays))
            own_words(s, x, side, 0, s->grid[ashi_dims_of[x][2]], own);
        words += own[1];
    }
    return words;
}

/* `shares`: words of the matrices that do not stay. By turns a rank's part of a slab of C may be several tiles. */
static held held_with(const ashi_cosma_query *q, const int64_t grid[3], ashi_stays stays, bool thin, int64_t shares,
                      bool by_turns)
{
    const int64_t size[3] = {q->m, q->n, q->k};
    const int stay = stays == ASHI_STAYS_A ? 0 : 1; /* the input that stays, and its dimension beside k */
    const int64_t across = ashi_ceil_div(size[stay], grid[stay]), l = ashi_ceil_div(q->k, grid[2]);
    const int64_t own_c = ashi_ceil_div(across, grid[2]);
    held h = {.along = ashi_ceil_div(size[1 - stay], grid[1 - stay]), .block = across * l};
    /* Its own part of the block is multiplied where it lies, and its own sums are made there, unless that needs a
     * copy: see copies_of in cosma_cost.c. */
    const bool twice = (!thin && copies_thin(q, grid, stays)) || q->op[stay] == ASHLAR_OP_C;
    h.fixed = shares + h.block + (twice ? across * ashi_ceil_div(l, grid[1 - stay]) : 0);
    h.passing = grid[stay] > 1 || q->op[1 - stay] == ASHLAR_OP_C ? l : 0;
    h.sums = by_turns ? across : across - own_c;
    h.moving = (grid[2] - 1) * own_c;
    h.packed = stays == ASHI_STAYS_A ? h.sums : 0;
    return h;
}

static held held_of(const ashi_cosma_query *q, const shared *s, bool thin)
{
    return held_with(q, s->grid, s->stays, thin, moving_shares(s), s->of[ASHLAR_C].bands > 1);
}

/* No more than that has, however many rounds there are: parts are as large as the mean. */
static held least_held(const ashi_cosma_query *q, const int64_t grid[3], ashi_stays stays)
{
    const int64_t size[3] = {q->m, q->n, q->k};
    int64_t side[3], shares = 0;
    for (int d = 0; d < 3; d++)
        side[d] = ashi_ceil_div(size[d], grid[d]);
    for (int x = 0; x < 3; x++)
        if (x != (int)ashi_stationary(stays))
            shares += ashi_ceil_div(side[ashi_dims_of[x][0]] * side[ashi_dims_of[x][1]], grid[ashi_dims_of[x][2]]);
    return held_with(q, grid, stays, true, shares, false);
}

/* Words that a slab takes. With one in flight what passes has left when sums are moved. */
static ashi_wide slab_words(const held *h, int64_t indices, int window)
{
    const ashi_wide moving = (ashi_wide)indices * h->moving + (indices > 1 ? (ashi_wide)indices * h->packed : 0);
    const ashi_wide passing = (ashi_wide)indices * h->passing, sums = (ashi_wide)indices * h->sums;
    if (window > 1)
        return sums + passing + moving;
    return sums + (passing > moving ? passing : moving);
}

/* The slabs that are in flight at first, the longest of all. */
static ashi_wide memory_of(const held *h, int64_t rounds, int window)
{
    ashi_wide words = h->fixed;
    for (int i = 0; i < window && i < rounds; i++)
        words += slab_words(h, ashi_cut_size(h->along, rounds, i), window);
    return words;
}

/* The fewest rounds that fit with so many in flight; 0 if none do. */
static int64_t rounds_within(const ashi_cosma_query *q, const held *h, int window)
{
    const ashi_wide room = ((ashi_wide)q->memory_words - h->fixed) / window;
    if (q->memory_words < h->fixed || room < slab_words(h, 1, window))
        return 0;
    if (slab_words(h, ashi_max(h->along, 1), window) <= room)
        return 1;
    int64_t most = 1, beyond = h->along;
    while (most + 1 < beyond) {
        const int64_t middle = most + (beyond - most) / 2;
        *(slab_words(h, middle, window) <= room ? &most : &beyond) = middle;
    }
    return ashi_ceil_div(h->along, most);
}

/* The fewest rounds that fit with so many in flight, from row->rounds on; 0 if none do. How even shares are depends on
 * the rounds, because bands are made of them. */
static int64_t fit_rounds(const ashi_cosma_query *q, const ashi_cosma_cost_row *row, int window, held *h)
{
    enum { NEAR = 4 };
    int64_t rounds = row->rounds;
    for (int tries = 0;; tries++) {
        const shared s = shared_of(q, row->grid, row->stays, rounds);
        *h = held_of(q, &s, row->once);
        const int64_t wanted = rounds_within(q, h, window);
        if (wanted > 0 && wanted <= rounds)
            return rounds;
        if (rounds >= h->along)
            return 0;
        rounds = ashi_min(h->along, wanted > 0 && tries < NEAR ? wanted : 2 * rounds);
    }
}

/* What a rank takes slab by slab: what passes and the sums that arrive, and its products. */
static ashi_slab_work slabs_of(const held *h, int window)
{
    return (ashi_slab_work){.length = h->along, .words = (double)h->along * (double)(h->passing + h->moving),
                            .products = (double)h->along * (double)h->block, .window = window};
}

/* Fill in the fewest rounds that fit with so many in flight. */
static bool try_window(const ashi_cosma_query *q, int window, ashi_cosma_cost_row *row, held *h)
{
    const int64_t rounds = fit_rounds(q, row, window, h);
    if (rounds == 0)
        return false;
    row->rounds = rounds;
    row->window = (int)ashi_min(window, rounds);
    row->memory = memory_of(h, rounds, row->window);
    return true;
}

/* With several rounds in flight, unless only one has room, or slabs would be so thin that thicker ones, with nothing in
 * flight, take less time. */
static bool find_window(const ashi_cosma_query *q, ashi_cosma_cost_row *row, held *h)
{
    ashi_cosma_cost_row one = *row;
    held held_one = {0};
    const bool several = q->window > 1 && try_window(q, q->window, row, h);
    if (several && (q->window_given ||
                    ashi_ceil_div(h->along, row->rounds) >= ashi_min(ASHI_THINNEST_SLAB, h->along)))
        return true;
    if (!try_window(q, 1, &one, &held_one)) {
        *h = several ? *h : held_one;
        return several;
    }
    const ashi_slab_work slabs = slabs_of(&held_one, q->window);
    if (several && ashi_rounds_seconds(&slabs, one.rounds, 1, q->type, &q->machine) >=
                       ashi_rounds_seconds(&slabs, row->rounds, row->window, q->type, &q->machine))
        return true;
    *row = one;
    *h = held_one;
    return true;
}

/* The fewest rounds that fit: if they do with its own part of a thin block copied, so. Fills in how. */
static bool find_rounds(const ashi_cosma_query *q, ashi_cosma_cost_row *row, held *h)
{
    const bool can_be_thin = copies_thin(q, row->grid, row->stays);
    for (int thin = 0; thin <= can_be_thin; thin++) {
        row->once = thin;
        if (find_window(q, row, h))
            return true;
    }
    return false;
}

/* ---- words ---- */

/* The words that the busiest of all ranks receives, and that the busiest sends. Boxes have up to two lengths along each
 * dimension. Among ranks whose boxes have the same lengths, what a rank owns of a matrix depends on one of its numbers
 * along m, n and k, and for each matrix on another one: so one of these ranks has the extremes of all three. */
static void find_busiest(const shared *s, int64_t *received, int64_t *sent)
{
    *received = *sent = 0;
    for (int kind = 0; kind < 8; kind++) {
        int64_t side[3], lo[3], hi[3], in = 0, out = 0;
        bool any = true;
        for (int d = 0; d < 3; d++) {
            const int64_t longer = s->size[d] % s->grid[d];
            const bool shorter = kind >> d & 1;
            side[d] = s->size[d] / s->grid[d] + !shorter;
            lo[d] = shorter ? longer : 0;
            hi[d] = shorter ? s->grid[d] : longer;
            any = any && lo[d] < hi[d];
        }
        for (int x = 0; x < 3 && any; x++) {
            const int fibre = ashi_dims_of[x][2];
            const int64_t face = side[ashi_dims_of[x][0]] * side[ashi_dims_of[x][1]], others = s->grid[fibre] - 1;
            int64_t own[2];
            own_words(s, x, side, lo[fibre], hi[fibre], own);
            in += x == ASHLAR_C ? others * own[1] : face - own[0];
            out += x == ASHLAR_C ? face - own[0] : others * own[1];
        }
        *received = ashi_max(*received, in);
        *sent = ashi_max(*sent, out);
    }
}

/* What stays arrives once, and in each round what passes and the sums of C. */
static ashi_wide messages_of(const int64_t grid[3], ashi_stays stays, int64_t rounds)
{
    const int passing = stays == ASHI_STAYS_A ? 0 : 1; /* the dimension along which ranks share it */
    return (ashi_wide)rounds * (grid[passing] + grid[2] - 2) + grid[1 - passing] - 1;
}

bool ashi_cosma_stays_row(const ashi_cosma_query *q, const int64_t grid[3], ashi_stays stays, ashi_cosma_cost_row *row,
                          ashi_wide *least)
{
    const int64_t along = stays == ASHI_STAYS_A ? ashi_ceil_div(q->n, grid[1]) : ashi_ceil_div(q->m, grid[0]);
    held h = {0};
    *row = (ashi_cosma_cost_row){.grid = {grid[0], grid[1], grid[2]}, .stays = stays, .reduce_rounds = 1,
                                 .rounds = ashi_max(1, ashi_min(q->least_rounds, along))};
    if (!find_rounds(q, row, &h)) {
        const ashi_wide needed = h.fixed + slab_words(&h, 1, 1);
        *least = needed < *least ? needed : *least;
        return false;
    }
    const shared s = shared_of(q, grid, stays, row->rounds);
    int64_t sent;
    find_busiest(&s, &row->words_max, &sent);
    row->words_total = ashi_cosma_words_total(q, grid);
    row->messages = messages_of(grid, stays, row->rounds);
    ashi_cosma_row_seconds(q, row);
    return true;
}

/* Rank (0, 0, 0) has no longer part of what passes, and no shorter one of C, than if all bands of them were alike. */
bool ashi_cosma_stays_row_least(const ashi_cosma_query *q, const int64_t grid[3], ashi_stays stays,
                                ashi_cosma_cost_row *row)
{
    const int64_t i = ashi_ceil_div(q->m, grid[0]), j = ashi_ceil_div(q->n, grid[1]), l = ashi_ceil_div(q->k, grid[2]);
    const int64_t inputs = i * (l - ashi_ceil_div(l, grid[1])) + j * (l - ashi_ceil_div(l, grid[0]));
    const int64_t own_c = stays == ASHI_STAYS_A ? i / grid[2] * j : j / grid[2] * i;
    const held h = least_held(q, grid, stays);
    *row = (ashi_cosma_cost_row){.grid = {grid[0], grid[1], grid[2]}, .stays = stays,
                                 .rounds = rounds_within(q, &h, 1), .words_max = inputs + (grid[2] - 1) * own_c,
                                 .words_total = ashi_cosma_words_total(q, grid),
                                 .memory = h.fixed + slab_words(&h, 1, 1)};
    row->messages = messages_of(grid, stays, row->rounds);
    ashi_cosma_row_seconds(q, row);
    return row->rounds > 0;
}

ashi_totals ashi_cosma_stays_totals(const ashi_cosma_query *q, const ashi_grid_choice *c)
{
    if (c->stays == ASHI_STAYS_C)
        return ashi_cosma_totals(q, c);
    const shared s = shared_of(q, c->grid, c->stays, c->rounds);
    const int64_t i = ashi_ceil_div(q->m, c->grid[0]), j = ashi_ceil_div(q->n, c->grid[1]);
    const int64_t l = ashi_ceil_div(q->k, c->grid[2]);
    const int64_t stays = c->stays == ASHI_STAYS_A ? i * ashi_ceil_div(l, c->grid[1])
                                                   : j * ashi_ceil_div(l, c->grid[0]);
    int64_t received, sent;
    find_busiest(&s, &received, &sent);
    return (ashi_totals){.words_max = c->words_max, .words_total = c->words_total, .words_mean = c->words_mean,
                         .sent_max = sent, .messages_max = c->messages_max,
                         .messages_total = ashi_mul_most(c->messages_max, c->ranks_used),
                         .memory_max = c->memory_words, .share_max = stays + moving_shares(&s),
                         .products_max = ashi_mul_most(ashi_mul_most(i, j), l),
                         .products_total = ashi_mul_most(ashi_mul_most(q->m, q->n), q->k)};
}

int64_t ashi_cosma_stays_memory_most(const ashi_cosma_query *q, const ashi_grid_choice *c)
{
    if (c->stays == ASHI_STAYS_C)
        return ashi_cosma_memory_most(q, c);
    const shared s = shared_of(q, c->grid, c->stays, c->rounds);
    held most = held_of(q, &s, c->once);
    int64_t words;
    most.fixed += most.block;
    most.passing = ashi_max(most.passing, ashi_ceil_div(q->k, c->grid[2]));
    most.sums += most.moving;
    return ashi_narrow(memory_of(&most, c->rounds, c->window), &words) ? words : INT64_MAX;
}
