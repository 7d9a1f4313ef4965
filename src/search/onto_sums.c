/* Which running sums stay in a device's memory: looking one up, and the slabs that go past them. */
#include "search/onto_sums.h"

#include "base/checked.h"
#include "base/ordering.h"

#include <stdlib.h>

/* SLABS: of a product, so that its copies overlap with its multiplications; none needs to be thinner than THICK for
 * that. LEAST: thinner ones would leave the device busy with its own memory. */
enum { SLABS = 4, THICK = 64, LEAST = 16 };

int64_t ashi_onto_sums_first(const ashi_onto_sums *sums, int64_t panel)
{
    const ashi_onto_stretch *const s = sums->stretch;
    return sums->stretches > 0 ? ashi_first_key(&s->panel, sizeof *s, sums->stretches, panel) : 0;
}

void ashi_onto_sums_free(ashi_onto_sums *sums)
{
    free(sums->stretch);
    *sums = (ashi_onto_sums){0};
}

int64_t ashi_onto_slab(int64_t m, int64_t n, int64_t k, int64_t room)
{
    const int64_t most = room / 2 / (m + n), wanted = ashi_max(ashi_ceil_div(k, SLABS), THICK);
    const int64_t slabs = ashi_ceil_div(k, ashi_max(1, ashi_min(most, wanted)));
    return ashi_ceil_div(k, slabs);
}

int64_t ashi_onto_slab_least(int64_t m, int64_t n, int64_t k)
{
    return ashi_mul_most(ashi_mul_most(2, ashi_min(k, LEAST)), m + n);
}
