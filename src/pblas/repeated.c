/* A call of p?gemm like the one before it on the same grid: what was read, checked and found for that serves again. */
#include "pblas/repeated.h"

#include "pblas/scalar.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 9, ENTRIES_MOST = 11, ENTRIES_SHORT = 9 };

struct ashi_repeated {
    int64_t entry; /* of the cache; 0: nothing is remembered */
    bool one_context;
    char trans[2];
    int numbers[NUMBERS]; /* m, n, k, and where the submatrices begin */
    int desc[3][ENTRIES_MOST];
    ashi_gemm_call call;
};

static void read_numbers(const ashi_gemm_arguments *g, int out[NUMBERS])
{
    const int all[NUMBERS] = {*g->m, *g->n, *g->k, *g->i[0], *g->j[0], *g->i[1], *g->j[1], *g->i[2], *g->j[2]};
    memcpy(out, all, sizeof all);
}

static size_t desc_bytes(const int *desc)
{
    return (desc[0] == ASHI_DESCRIPTOR_LONG ? ENTRIES_MOST : ENTRIES_SHORT) * sizeof *desc;
}

/* What depends on more than the arguments of this process, and on the grid of A, is not remembered. */
void ashi_repeated_keep(const ashi_gemm_call *call, bool one_context, ashi_grid *grid, const ashi_product *product)
{
    const ashi_gemm_arguments *g = &call->given;
    const int context = call->sub[0].of.context;
    const bool alone = call->sub[1].of.context == context && call->sub[2].of.context == context;
    ashi_repeated *r = grid->repeated ? grid->repeated : calloc(1, sizeof *r);
    grid->repeated = r;
    if (!r)
        return; /* then every call is read */
    r->entry = alone && !call->nothing && !grid->settings.check && product->plan && !product->fixed
                   ? ashi_cache_last(grid->cache) : 0;
    r->one_context = one_context;
    r->trans[0] = *g->transa;
    r->trans[1] = *g->transb;
    read_numbers(g, r->numbers);
    for (int x = 0; x < 3; x++)
        memcpy(r->desc[x], g->desc[x], desc_bytes(g->desc[x]));
    r->call = *call;
}

static bool is_same(const ashi_repeated *r, ashlar_type type, bool one_context, const ashi_gemm_arguments *g)
{
    int numbers[NUMBERS];
    read_numbers(g, numbers);
    bool same = r->call.type == type && r->one_context == one_context && r->trans[0] == *g->transa &&
                r->trans[1] == *g->transb && memcmp(numbers, r->numbers, sizeof numbers) == 0;
    for (int x = 0; x < 3 && same; x++)
        same = g->desc[x][0] == r->desc[x][0] && memcmp(g->desc[x], r->desc[x], desc_bytes(r->desc[x])) == 0;
    return same && !ashi_scalar_is(type, g->alpha, 0);
}

ashi_product *ashi_repeated_find(ashlar_type type, bool one_context, const ashi_gemm_arguments *given, ashi_grid *grid,
                                 const ashi_gemm_call **call)
{
    ashi_repeated *r = grid->repeated;
    if (!r || r->entry == 0 || !is_same(r, type, one_context, given))
        return NULL;
    r->call.given = *given;
    *call = &r->call;
    return ashi_cache_again(grid->cache, r->entry);
}
