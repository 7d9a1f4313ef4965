/* The bottleneck assignment of domains to ranks.
 *
 * Few ranks: the least threshold under which a perfect matching exists, found by bisection
 * (Gross, "The bottleneck assignment problem", RAND P-1630, 1959), then the matching of the fewest words in all below
 * that threshold by shortest augmenting paths (Jonker and Volgenant, Computing 38, 1987). Many ranks: exchanges. */
#include "search/assign.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/wide.h"

#include <stdlib.h>
#include <string.h>

enum { EXCHANGES_MOST = 1 << 18 }; /* exchanges of two ranks that are looked at, of many ranks */

bool ashi_burden_less(const ashi_burden *x, const ashi_burden *y)
{
    return x->most != y->most ? x->most < y->most : x->total < y->total;
}

/* The domain of each rank, -1 if it has none. */
static void domains_of(const ashi_arrivals *a, const int *rank_of, int64_t *domain)
{
    for (int64_t r = 0; r < a->ranks; r++)
        domain[r] = -1;
    for (int64_t d = 0; d < a->domains; d++)
        domain[rank_of[d]] = d;
}

static ashi_burden burden_of(const ashi_arrivals *a, const int64_t *domain)
{
    ashi_burden b = {0, 0};
    for (int64_t r = 0; r < a->ranks; r++) {
        const int64_t words = a->words(a->context, r, domain[r]);
        b.most = ashi_max(b.most, words);
        if (!ashi_add(b.total, words, &b.total))
            b.total = INT64_MAX;
    }
    return b;
}

static ashlar_status fail_memory(const ashi_arrivals *a, ashlar_error *err)
{
    return ashi_fail_memory(err, "plan", a->ranks * (int64_t)sizeof(int64_t));
}

ashlar_status ashi_assign_burden(const ashi_arrivals *a, const int *rank_of, ashi_burden *out, ashlar_error *err)
{
    int64_t *domain = malloc((size_t)a->ranks * sizeof *domain);
    if (!domain)
        return fail_memory(a, err);
    domains_of(a, rank_of, domain);
    *out = burden_of(a, domain);
    free(domain);
    return ASHLAR_OK;
}

/* ---- few ranks ---- */

enum { MOST = ASHI_ASSIGN_EXACT_MOST };

_Static_assert(MOST == 64, "a set of columns is one number");

/* A square table: columns beyond the domains stand for having none. */
typedef struct table {
    int64_t n;
    int64_t words[MOST][MOST];
    int64_t greatest;
    ashi_burden least; /* no assignment has less, of one or of the other */
} table;

static void tabulate(const ashi_arrivals *a, table *t)
{
    t->n = a->ranks;
    t->greatest = 0;
    t->least = (ashi_burden){0, 0};
    for (int64_t r = 0; r < t->n; r++) {
        int64_t least = INT64_MAX;
        for (int64_t c = 0; c < t->n; c++) {
            t->words[r][c] = c > a->domains ? t->words[r][c - 1] : a->words(a->context, r, c < a->domains ? c : -1);
            t->greatest = ashi_max(t->greatest, t->words[r][c]);
            least = ashi_min(least, t->words[r][c]);
        }
        t->least.most = ashi_max(t->least.most, least);
        if (!ashi_add(t->least.total, least, &t->least.total))
            t->least.total = INT64_MAX;
    }
}

/* A matching that grows; sets of columns are bits. */
typedef struct matching {
    uint64_t allowed[MOST], unused, unseen;
    int64_t rank_at[MOST];
} matching;

/* Find a column for a rank; ranks that have one may move to others that were not seen. */
static bool place(matching *m, int64_t rank)
{
    const uint64_t at_once = m->allowed[rank] & m->unused;
    if (at_once) {
        const int c = __builtin_ctzll(at_once);
        m->unused &= ~((uint64_t)1 << c);
        m->rank_at[c] = rank;
        return true;
    }
    while (m->allowed[rank] & m->unseen) {
        const int c = __builtin_ctzll(m->allowed[rank] & m->unseen);
        m->unseen &= ~((uint64_t)1 << c);
        if (place(m, m->rank_at[c])) {
            m->rank_at[c] = rank;
            return true;
        }
    }
    return false;
}

static bool all_have_places(const table *t, int64_t threshold)
{
    matching m = {.unused = ~(uint64_t)0 >> (MOST - t->n)};
    for (int64_t r = 0; r < t->n; r++)
        for (int64_t c = 0; c < t->n; c++)
            m.allowed[r] |= (uint64_t)(t->words[r][c] <= threshold) << c;
    for (int64_t r = 0; r < t->n; r++) {
        m.unseen = ~(uint64_t)0;
        if (!place(&m, r))
            return false;
    }
    return true;
}

/* The least threshold that does, at most `enough`, which does. Most often nothing less does. */
static int64_t bottleneck(const table *t, int64_t enough)
{
    int64_t lo = t->least.most, hi = enough;
    if (lo < hi && !all_have_places(t, hi - 1))
        return hi;
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        if (all_have_places(t, mid))
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

/* Potentials, and the rank of each column; column n is where a path begins. */
typedef struct paths {
    ashi_wide row[MOST], column[MOST + 1], least[MOST];
    int64_t rank_at[MOST + 1], from[MOST];
    bool done[MOST + 1];
} paths;

/* Go to the nearest column that is not done; returns it. */
static int64_t next_column(const table *t, int64_t threshold, ashi_wide forbidden, int64_t at, paths *p)
{
    const int64_t rank = p->rank_at[at];
    ashi_wide nearest = 0;
    int64_t next = -1;
    for (int64_t c = 0; c < t->n; c++) {
        if (p->done[c])
            continue;
        const ashi_wide words = t->words[rank][c] <= threshold ? t->words[rank][c] : forbidden;
        const ashi_wide reduced = words - p->row[rank] - p->column[c];
        if (p->from[c] < 0 || reduced < p->least[c]) {
            p->least[c] = reduced;
            p->from[c] = at;
        }
        if (next < 0 || p->least[c] < nearest) {
            nearest = p->least[c];
            next = c;
        }
    }
    for (int64_t c = 0; c <= t->n; c++)
        if (p->done[c]) {
            p->row[p->rank_at[c]] += nearest;
            p->column[c] -= nearest;
        } else if (c < t->n) {
            p->least[c] -= nearest;
        }
    return next;
}

/* Among the assignments under the threshold one of the fewest words in all. */
static void fewest_words(const table *t, int64_t threshold, int64_t *rank_at)
{
    const ashi_wide forbidden = ((ashi_wide)t->greatest + 1) * (t->n + 1);
    paths p = {0};
    for (int64_t c = 0; c <= t->n; c++)
        p.rank_at[c] = -1;
    for (int64_t r = 0; r < t->n; r++) {
        int64_t at = t->n;
        p.rank_at[at] = r;
        for (int64_t c = 0; c < t->n; c++)
            p.from[c] = -1;
        memset(p.done, 0, sizeof p.done);
        do {
            p.done[at] = true;
            at = next_column(t, threshold, forbidden, at, &p);
        } while (p.rank_at[at] >= 0);
        for (int64_t before; at != t->n; at = before) {
            before = p.from[at];
            p.rank_at[at] = p.rank_at[before];
        }
    }
    memcpy(rank_at, p.rank_at, (size_t)t->n * sizeof *rank_at);
}

static int64_t tabulated(const void *context, int64_t rank, int64_t domain)
{
    const table *t = context;
    return t->words[rank][domain >= 0 ? domain : t->n - 1]; /* who has none has a column beyond the domains */
}

/* *given is the burden of *domain, *found that of the best. */
static ashlar_status assign_few(const ashi_arrivals *a, int64_t *domain, ashi_burden *given, ashi_burden *found,
                                ashlar_error *err)
{
    table *t = malloc(sizeof *t);
    int64_t rank_at[MOST];
    if (!t)
        return ashi_fail_memory(err, "plan", (int64_t)sizeof *t);
    tabulate(a, t);
    const ashi_arrivals known = {a->ranks, a->domains, tabulated, t};
    *found = *given = burden_of(&known, domain);
    if (ashi_burden_less(&t->least, given)) {
        fewest_words(t, bottleneck(t, given->most), rank_at);
        for (int64_t c = 0; c < t->n; c++)
            domain[rank_at[c]] = c < a->domains ? c : -1;
        *found = burden_of(&known, domain);
    }
    free(t);
    return ASHLAR_OK;
}

/* ---- many ranks ---- */

/* Exchange the busiest rank's domain with that of the rank with which the busier of the two has least; false if that
 * relieves nobody. */
static bool relieve(const ashi_arrivals *a, int64_t *domain, int64_t *words)
{
    int64_t busiest = 0, best = -1, most = 0, sum = 0;
    for (int64_t r = 1; r < a->ranks; r++)
        busiest = words[r] > words[busiest] ? r : busiest;
    for (int64_t r = 0; r < a->ranks; r++) {
        const int64_t mine = a->words(a->context, busiest, domain[r]);
        if (domain[r] == domain[busiest] || mine >= words[busiest])
            continue;
        const int64_t theirs = a->words(a->context, r, domain[busiest]), more = ashi_max(mine, theirs);
        if (more >= words[busiest] || (best >= 0 && (more > most || (more == most && mine + theirs >= sum))))
            continue;
        best = r;
        most = more;
        sum = mine + theirs;
    }
    if (best < 0)
        return false;
    const int64_t handed = domain[best];
    domain[best] = domain[busiest];
    domain[busiest] = handed;
    words[best] = a->words(a->context, best, domain[best]);
    words[busiest] = a->words(a->context, busiest, domain[busiest]);
    return true;
}

static ashlar_status assign_many(const ashi_arrivals *a, int64_t *domain, ashi_burden *given, ashi_burden *found,
                                 ashlar_error *err)
{
    int64_t *words = malloc((size_t)a->ranks * sizeof *words);
    if (!words)
        return fail_memory(a, err);
    *given = burden_of(a, domain);
    for (int64_t r = 0; r < a->ranks; r++)
        words[r] = a->words(a->context, r, domain[r]);
    for (int64_t left = EXCHANGES_MOST; left >= a->ranks && relieve(a, domain, words); left -= a->ranks)
        continue;
    *found = burden_of(a, domain);
    free(words);
    return ASHLAR_OK;
}

ashlar_status ashi_assign(const ashi_arrivals *a, int *rank_of, ashi_burden *out, ashlar_error *err)
{
    int64_t *domain = malloc((size_t)a->ranks * sizeof *domain);
    if (!domain)
        return fail_memory(a, err);
    domains_of(a, rank_of, domain);
    ashi_burden found = {0, 0};
    const ashlar_status status = a->ranks <= MOST ? assign_few(a, domain, out, &found, err)
                                                  : assign_many(a, domain, out, &found, err);
    if (status == ASHLAR_OK && ashi_burden_less(&found, out)) {
        *out = found;
        for (int64_t r = 0; r < a->ranks; r++)
            if (domain[r] >= 0)
                rank_of[domain[r]] = (int)r;
    }
    free(domain);
    return status;
}
