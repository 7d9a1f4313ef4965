/* The cost of one COSMA grid in which A or B stays. */
#include "strategy/cosma_stays.h"

#include "base/checked.h"
#include "engine/grid_schedule.h"

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

/* Whether its own part of the block is held twice, because stretches of k are thin. */
static bool copies_thin(const ashi_cosma_query *q, const int64_t grid[3], ashi_stays stays)
{
    const int64_t owners = stays == ASHI_STAYS_A ? grid[1] : grid[0];
    return owners > ashi_max(1, q->k / grid[2] / ASHI_THINNEST_STRETCH);
}

static held held_of(const ashi_cosma_query *q, const int64_t grid[3], ashi_stays stays, bool thin)
{
    const int stay = stays == ASHI_STAYS_A ? 0 : 1; /* the input that stays, and its dimension beside k */
    const int64_t size[2] = {q->m, q->n};
    const int64_t across = ashi_ceil_div(size[stay], grid[stay]), along = ashi_ceil_div(size[1 - stay], grid[1 - stay]);
    const int64_t l = ashi_ceil_div(q->k, grid[2]), own_c = ashi_ceil_div(across, grid[2]);
    const int64_t shares = along * ashi_ceil_div(l, grid[stay]) + own_c * along;
    held h = {.along = along, .block = across * l};
    /* Its own part of the block is multiplied where it lies, and its own sums are made there, unless that needs a
     * copy: see copies_of in cosma_cost.c. */
    const bool twice = (!thin && copies_thin(q, grid, stays)) || q->op[stay] == ASHLAR_OP_C;
    h.fixed = shares + h.block + (twice ? across * ashi_ceil_div(l, grid[1 - stay]) : 0);
    h.passing = grid[stay] > 1 || q->op[1 - stay] == ASHLAR_OP_C ? l : 0;
    h.sums = across - own_c;
    h.moving = (grid[2] - 1) * own_c;
    h.packed = stays == ASHI_STAYS_A ? h.sums : 0;
    return h;
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

/* The fewest rounds that fit: if they do with its own part of a thin block copied, so. 0 if none do. */
static int64_t find_rounds(const ashi_cosma_query *q, const int64_t grid[3], ashi_cosma_cost_row *row, held *h)
{
    int64_t rounds = 0;
    for (int thin = 0; thin <= copies_thin(q, grid, row->stays) && rounds == 0; thin++) {
        row->thin = thin;
        *h = held_of(q, grid, row->stays, thin);
        rounds = rounds_within(q, h, row->window = q->window);
        if (rounds == 0)
            rounds = rounds_within(q, h, row->window = 1);
    }
    return rounds;
}

bool ashi_cosma_stays_row(const ashi_cosma_query *q, const int64_t grid[3], ashi_stays stays, ashi_cosma_cost_row *row,
                          ashi_wide *least)
{
    const int64_t pm = grid[0], pn = grid[1], pk = grid[2];
    held h = {0};
    *row = (ashi_cosma_cost_row){.grid = {pm, pn, pk}, .stays = stays, .reduce_rounds = 1};
    int64_t rounds = find_rounds(q, grid, row, &h);
    if (rounds == 0) {
        const ashi_wide needed = h.fixed + slab_words(&h, 1, 1);
        *least = needed < *least ? needed : *least;
        return false;
    }
    rounds = ashi_max(rounds, ashi_min(q->least_rounds, h.along));
    row->rounds = rounds;
    row->window = (int)ashi_min(row->window, rounds);
    row->memory = memory_of(&h, rounds, row->window);
    const ashi_parts parts = ashi_cosma_parts(q, grid, stays);
    ashi_cosma_row_words(q, &parts, row);
    const int64_t arrives = stays == ASHI_STAYS_A ? pn - 1 : pm - 1, passes = stays == ASHI_STAYS_A ? pm - 1 : pn - 1;
    row->messages = (ashi_wide)rounds * (passes + pk - 1) + arrives;
    ashi_cosma_row_seconds(q, row);
    return true;
}

int64_t ashi_cosma_stays_memory_most(const ashi_cosma_query *q, const ashi_grid_choice *c)
{
    if (c->stays == ASHI_STAYS_C)
        return ashi_cosma_memory_most(q, c);
    held most = held_of(q, c->grid, c->stays, c->thin);
    int64_t words;
    most.fixed += most.block;
    most.passing = ashi_max(most.passing, ashi_ceil_div(q->k, c->grid[2]));
    most.sums += most.moving;
    return ashi_narrow(memory_of(&most, c->rounds, c->window), &words) ? words : INT64_MAX;
}
