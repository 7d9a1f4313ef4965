/* Loops over norms have the bits of ashi_up's arithmetic at all widths of registers. */
#include "layout/plain_loops.h"
#include "base/upward.h"
#include "test.h"

enum { COUNT = 37, FIRST = 100 };

/* 0 now and then, else a number of any magnitude that the loops take. */
static double draw(uint64_t *state)
{
    const double fraction = 1 + (double)(ashi_random(state) >> 11) * 0x1p-53;
    return ashi_random(state) % 6 == 0 ? 0 : ldexp(fraction, (int)(ashi_random(state) % 560) - 280);
}

static void check_sizes(ashi_test *t, const ashi_plain_loops *loops, uint64_t state)
{
    const double a = draw(&state), limit = draw(&state);
    double norm[COUNT], size[COUNT];
    unsigned char below[COUNT];
    for (int i = 0; i < COUNT; i++)
        norm[i] = draw(&state);
    loops->find_sizes(norm, COUNT, a, limit, size, below);
    for (int i = 0; i < COUNT; i++) {
        const ashi_up wanted = ashi_up_mul(ashi_up_of(a), ashi_up_of(norm[i]));
        CHECK(t, size[i] == ashi_up_value(wanted), "%a times %a: %a", a, norm[i], size[i]);
        CHECK(t, below[i] == ashi_up_below(wanted, ashi_up_of(limit)), "%a below %a: %d", size[i], limit, below[i]);
    }
}

static void check_sums(ashi_test *t, const ashi_plain_loops *loops, uint64_t state)
{
    double size[COUNT], sum[COUNT], sum_at[COUNT], wanted[COUNT];
    int64_t col[COUNT], products[COUNT], terms[COUNT];
    for (int i = 0; i < COUNT; i++) {
        size[i] = draw(&state);
        sum[i] = sum_at[COUNT - 1 - i] = ashi_random(&state) % 3 == 0 ? draw(&state) : 1.25 * size[i];
        wanted[i] = ashi_up_value(ashi_up_add(ashi_up_of(sum[i]), ashi_up_of(size[i])));
        col[i] = FIRST + COUNT - 1 - i;
        products[i] = i;
        terms[i] = 1000 + i;
    }
    loops->add_sizes(sum, size, COUNT);
    loops->add_sizes_at(sum_at, col, FIRST, size, COUNT);
    loops->add_products(products, terms, 23, COUNT);
    for (int i = 0; i < COUNT; i++) {
        CHECK(t, sum[i] == wanted[i], "sum %d: %a, not %a", i, sum[i], wanted[i]);
        CHECK(t, sum_at[COUNT - 1 - i] == wanted[i], "column %d: %a, not %a", i, sum_at[COUNT - 1 - i], wanted[i]);
        CHECK(t, products[i] == i + 1 && terms[i] == 1023 + i, "numbers %d", i);
    }
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 200);
    for (int kind = ashi_simd_widest(); kind < ASHI_SIMD_KINDS; kind++)
        for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
            check_sizes(&t, ashi_plain_loops_of(kind), seed);
            check_sums(&t, ashi_plain_loops_of(kind), seed);
        }
    return ashi_test_end(&t, "plain_loops");
}
