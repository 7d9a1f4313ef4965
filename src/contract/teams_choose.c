/* Which teams form which values of a batch: dynamic programming over how many values are left. */
#include "contract/teams.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "model/bounds.h"
#include "model/rates.h"

#include <math.h>
#include <stdlib.h>

enum { SIZES_MOST = 64 };

/* What some values of the batch cost, and the size of the teams that form the first of them. work: products on one
 * rank, times the ranks, one after the other: as many as there are values if no rank is idle. */
typedef struct cost {
    double words, seconds;
    int64_t work;
    int size;
} cost;

/* One product on `size` ranks. */
static cost one(const ashi_teams_request *q, int size)
{
    const ashi_type *const type = ashi_type_of(q->type);
    const double words = ashi_bound_words(q->m, q->n, q->k, size, 0).words;
    const double work = ashi_product_seconds(q->machine, (double)q->m, (double)q->n, (double)q->k,
                                             (int64_t)type->bytes, type->flops);
    return (cost){words, work / size + words * (double)type->bytes / q->machine->bandwidth +
                             2 * ceil(log2(size)) * q->machine->latency, q->ranks / size, size};
}

static bool is_less(const ashi_teams_request *q, const cost *a, const cost *b)
{
    if (q->objective == ASHLAR_LEAST_WORDS && a->work != b->work)
        return a->work < b->work;
    if (q->objective == ASHLAR_LEAST_WORDS && a->words != b->words)
        return a->words < b->words;
    return a->seconds < b->seconds;
}

/* As many as there are values for. */
static int64_t teams_of(const ashi_teams_request *q, int size, int64_t values)
{
    return ashi_min(q->ranks / size, values);
}

/* The first level of `left` values, if it has teams of one size: then what is left has its own. */
static cost by_size(const ashi_teams_request *q, const cost *best, const cost *product, int64_t left)
{
    const int64_t teams = teams_of(q, product->size, left), turns = left / teams;
    const cost *const rest = &best[left - turns * teams];
    return (cost){(double)turns * product->words + rest->words, (double)turns * product->seconds + rest->seconds,
                  turns * product->work + rest->work, product->size};
}

/* best[r]: of r values, for all r up to the batch's. */
static void search(const ashi_teams_request *q, cost *best)
{
    cost product[SIZES_MOST];
    int sizes = 0;
    for (int size = q->ranks; size >= 1 && sizes < SIZES_MOST; size--)
        if (q->ranks % size == 0)
            product[sizes++] = one(q, size);
    best[0] = (cost){0};
    for (int64_t left = 1; left <= q->batches; left++)
        for (int i = 0; i < sizes; i++) {
            const cost next = by_size(q, best, &product[i], left);
            best[left] = i == 0 || is_less(q, &next, &best[left]) ? next : best[left];
        }
}

ashlar_status ashi_teams_choose(const ashi_teams_request *q, ashi_teams *out, ashlar_error *err)
{
    cost *const best = malloc((size_t)(q->batches + 1) * sizeof *best);
    if (!best)
        return ashi_fail_memory(err, "batch", (q->batches + 1) * (int64_t)sizeof *best);
    search(q, best);
    out->levels = 0;
    for (int64_t left = q->batches; left > 0;) {
        const int size = best[left].size;
        const int64_t teams = teams_of(q, size, left), turns = left / teams;
        if (out->levels == ASHI_TEAM_LEVELS || (size == q->ranks && left == q->batches)) {
            out->levels = 0;
            break;
        }
        out->level[out->levels++] =
            (ashi_team_level){.size = size, .teams = (int)teams, .first = q->batches - left, .turns = turns};
        left -= turns * teams;
    }
    free(best);
    return ASHLAR_OK;
}
