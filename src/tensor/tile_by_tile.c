/* The blocks of a contraction of three operands without its intermediate. */
#include "tensor/tile_by_tile.h"

#include "base/checked.h"
#include "base/wide.h"

#include <math.h>

enum { X = 1, U = 2, V = 4, Y = 8 };
enum { I = ASHI_FUSED_I, J = ASHI_FUSED_J, K = ASHI_FUSED_K, R = ASHI_FUSED_R, B = ASHI_FUSED_B, C = ASHI_FUSED_C };
static const int pattern[ASHI_FUSED_GROUPS] = {X | Y, X | V, X | U, U | V | Y, V | Y, U | Y};

static bool has(const ashi_index_list *list, int index)
{
    return ashi_index_find(list, index) >= 0;
}

/* The extents of the groups; false if an index belongs to none of them. */
static bool match(const ashi_expression *e, ashi_tile_by_tile *out)
{
    for (int g = 0; g < ASHI_FUSED_GROUPS; g++)
        out->extent[g] = 1;
    for (int x = 0; x < e->indices; x++) {
        int arrays = has(&e->output, x) ? Y : 0, group = 0;
        for (int a = 0; a < 3; a++)
            arrays |= has(&e->operand[out->array[a]], x) ? 1 << a : 0;
        while (group < ASHI_FUSED_GROUPS && pattern[group] != arrays)
            group++;
        if (arrays != 0 && group == ASHI_FUSED_GROUPS)
            return false;
        if (arrays != 0 && !ashi_mul(out->extent[group], e->extent[x], &out->extent[group]))
            return false;
    }
    return true;
}

static int64_t product(const int64_t *extent, int a, int b, int c, int d)
{
    return ashi_mul_most(ashi_mul_most(extent[a], extent[b]), ashi_mul_most(extent[c], extent[d]));
}

/* Fill what blocks of I, J and K cost. */
static void count(const double words[4], ashi_tile_by_tile *t)
{
    const int64_t *n = t->extent, *block = t->block;
    const int64_t blocks[3] = {ashi_ceil_div(n[I], block[I]), ashi_ceil_div(n[J], block[J]),
                               ashi_ceil_div(n[K], block[K])};
    const int64_t first = ashi_mul_most(product(n, I, J, K, R), n[C]);
    const int64_t second = ashi_mul_most(product(n, I, J, C, R), ashi_mul_most(n[B], blocks[2]));
    t->memory_words = block[I] * block[J] * block[K] + block[K] + block[I] * block[J] + (block[I] + block[J]) * n[B];
    t->multiply_adds = ashi_add_most(first, second);
    t->disk_words = words[0] + words[1] * (double)blocks[0] * (double)blocks[1] +
                    words[2] * (double)blocks[0] * (double)blocks[2] +
                    words[3] * (2 * (double)blocks[1] * (double)blocks[2] - 1);
}

/* The next number of blocks to be tried: all small ones, then 2 % more each time. */
static int64_t more(int64_t blocks)
{
    return blocks + ashi_max(1, blocks / 50);
}

/* The longest block of J beside the other two, or 0. */
static int64_t longest(const ashi_tile_by_tile *t, int64_t memory_words)
{
    const ashi_wide i = t->block[I], k = t->block[K], b = t->extent[B];
    const ashi_wide most = (memory_words - k - i * b) / (i * k + i + b);
    return most < 1 ? 0 : most < t->extent[J] ? (int64_t)most : t->extent[J];
}

/* The best blocks of one assignment. */
static bool search(const double words[4], int64_t memory_words, int64_t multiply_adds_most, ashi_tile_by_tile *out)
{
    bool found = false;
    ashi_tile_by_tile t = *out;
    for (int64_t of_k = 1; of_k <= t.extent[K]; of_k = more(of_k))
        for (int64_t of_i = 1; of_i <= t.extent[I]; of_i = more(of_i)) {
            t.block[K] = ashi_ceil_div(t.extent[K], of_k);
            t.block[I] = ashi_ceil_div(t.extent[I], of_i);
            const int64_t most = longest(&t, memory_words);
            if (most == 0)
                continue;
            t.block[J] = ashi_ceil_div(t.extent[J], ashi_ceil_div(t.extent[J], most));
            count(words, &t);
            const bool better = !found || t.disk_words < out->disk_words ||
                                (t.disk_words <= out->disk_words && t.multiply_adds < out->multiply_adds);
            if (t.multiply_adds <= multiply_adds_most && better) {
                *out = t;
                found = true;
            }
        }
    return found;
}

bool ashi_tile_by_tile_find(const ashi_expression *e, const bool in_memory[4], int64_t memory_words,
                            int64_t multiply_adds_most, ashi_tile_by_tile *out)
{
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    bool found = false;
    for (int i = 0; i < 6; i++) {
        ashi_tile_by_tile t = {.array = {order[i][0], order[i][1], order[i][2]}};
        double words[4] = {0};
        if (!match(e, &t))
            continue;
        for (int a = 0; a < 4; a++)
            if (!in_memory[a < 3 ? t.array[a] : 3])
                words[a] = (double)ashi_expression_words(e, a < 3 ? &e->operand[t.array[a]] : &e->output);
        if (!search(words, memory_words, multiply_adds_most, &t))
            continue;
        if (!found || t.disk_words < out->disk_words ||
            (t.disk_words <= out->disk_words && t.multiply_adds < out->multiply_adds))
            *out = t;
        found = true;
    }
    return found;
}

bool ashi_is_mttkrp(const ashi_tile_by_tile *t)
{
    bool all = t->extent[B] == 1 && t->extent[C] == 1;
    for (int g = I; g <= R; g++)
        all = all && t->extent[g] > 1;
    return all;
}

double ashi_mttkrp_bound(const ashi_tile_by_tile *t, int64_t ranks, int64_t memory_words)
{
    const int64_t *n = t->extent;
    return 3 * (double)n[I] * (double)n[J] * (double)n[K] * (double)n[R] /
           ((double)ranks * pow((double)memory_words, 2.0 / 3));
}
