/* tensor: words that change owner, counted element by element. */
#include "tensor/distribution.h"
#include "test.h"

#include <math.h>

enum { RANKS = 6, INDICES = 6 };

static const char text[] = "aibk,kcbj->bjia"; /* batch b; I: i a; J: j; K: k; c is in B alone */

typedef struct setting {
    ashi_expression e;
    ashi_matching m;
    ashi_distribution given[3];
} setting;

/* Whether a rank has the element with these values of all indices. */
static bool has(const setting *s, const ashi_distribution *d, int rank, const int64_t value[INDICES])
{
    for (int i = 0; i < d->count; i++) {
        const int64_t n = s->e.extent[d->index[i]], parts = d->parts[i];
        const int64_t part = d->count == 1 ? rank : i == 0 ? rank / d->parts[1] : rank % d->parts[1];
        int64_t begin = 0;
        for (int64_t p = 0; p < part; p++)
            begin += n / parts + (p < n % parts);
        if (value[d->index[i]] < begin || value[d->index[i]] >= begin + n / parts + (part < n % parts))
            return false;
    }
    return true;
}

static bool is_of(const setting *s, int array, int index)
{
    return ashi_index_find(array < 2 ? &s->e.operand[array] : &s->e.output, index) >= 0 && s->e.name[index] != 'c';
}

/* Elements that the busiest rank lacks. */
static double count(const setting *s, int array, const ashi_distribution *from, const ashi_distribution *to)
{
    int64_t all = 1, most = 0;
    for (int i = 0; i < INDICES; i++)
        all *= is_of(s, array, i) ? s->e.extent[i] : 1;
    for (int rank = 0; rank < RANKS; rank++) {
        int64_t lacks = 0;
        for (int64_t v = 0; v < all; v++) {
            int64_t value[INDICES] = {0}, rest = v;
            for (int i = 0; i < INDICES; i++)
                if (is_of(s, array, i)) {
                    value[i] = rest % s->e.extent[i];
                    rest /= s->e.extent[i];
                }
            lacks += has(s, to, rank, value) && !has(s, from, rank, value);
        }
        most = lacks > most ? lacks : most;
    }
    return (double)most;
}

static ashi_distribution by(const setting *s, char one, int64_t parts, char other, int64_t others)
{
    ashi_distribution d = {.given = true, .parts = {parts, others}};
    const char names[2] = {one, other};
    for (int i = 0; i < 2; i++)
        if (names[i])
            d.index[d.count++] = (int)(strchr(s->e.name, names[i]) - s->e.name);
    return d;
}

static setting make(ashi_test *t, const int64_t *extent)
{
    setting s;
    ashlar_error err = {0};
    int column = 0;
    CHECK(t, ashi_expression_read(text, &s.e, &column, &err) == ASHLAR_OK, "%s", err.text);
    for (int i = 0; i < INDICES; i++)
        s.e.extent[i] = extent[i];
    CHECK(t, ashi_matching_make(&s.e, &s.m, &err) == ASHLAR_OK, "%s", err.text);
    return s;
}

static void read(ashi_test *t, setting *s, const char *const given[3])
{
    ashlar_error err = {0};
    for (int x = 0; x < 3; x++)
        CHECK(t, ashi_distribution_read(given[x], &s->e, &s->m, x, RANKS, &s->given[x], &err) == ASHLAR_OK, "%s",
              err.text);
}

static ashi_paper_problem problem_of(const setting *s)
{
    return (ashi_paper_problem){.extent = {s->m.group[ASHI_FREE_A].extent, s->m.group[ASHI_FREE_B].extent,
                                           s->m.group[ASHI_SUMMED].extent},
                                .batch = s->m.group[ASHI_BATCH].extent, .ranks = RANKS, .tile_words = 20,
                                .replicate = 1, .reduce = 2, .disk = 1, .network = 4};
}

/* Rotation on 2 x 3: i or a, with j and k; the one of the two with which fewer words move. */
static void rotation(ashi_test *t, setting *s, const char *const given[3])
{
    const ashi_paper_problem q = problem_of(s);
    ashi_paper_schedule o = {.method = ASHI_PAPER_ROTATION, .inside = true, .applicable = true, .grid = {2, 3},
                             .tiles = {{{1, 1}, {1, 1}, {1, 1}}}};
    double least = HUGE_VAL;
    read(t, s, given);
    const ashi_redistribution r = ashi_redistribute(&s->e, &s->m, &q, &o, s->given, false);
    for (int c = 0; c < 2; c++) {
        const char i = "ia"[c];
        const ashi_distribution a = by(s, i, 2, 'k', 3), b = by(s, 'k', 2, 'j', 3), out = by(s, i, 2, 'j', 3);
        const double words[3] = {count(s, 0, &s->given[0], &a), count(s, 1, &s->given[1], &b),
                                 count(s, 2, &out, &s->given[2])};
        const double sum = words[0] + words[1] + words[2];
        least = fmin(least, sum / 4 + 2 * sum);
        if (r.index[0] == out.index[0])
            for (int x = 0; x < 3; x++)
                CHECK(t, fabs(words[x] - r.received[x]) < 1e-9, "%s %s %s, array %d: %g, counted %g", given[0],
                      given[1], given[2], x, r.received[x], words[x]);
    }
    CHECK(t, r.applicable && fabs(r.seconds - least) < 1e-9, "%g seconds, least %g", r.seconds, least);
    const ashi_redistribution fused = ashi_redistribute(&s->e, &s->m, &q, &o, s->given, true);
    CHECK(t, fused.disk == 0 && fabs(fused.seconds * 9 - r.seconds) < 1e-9, "fused: %g words of disk", fused.disk);
}

/* What other methods need. */
static void others(ashi_test *t, setting *s)
{
    static const char *const given[3] = {"ik", "-", "ij"};
    const ashi_paper_problem q = problem_of(s);
    ashi_paper_schedule o = {.applicable = true, .order = 4, .tiles = {{{3, 1}, {1, 1}, {1, 1}}}};
    read(t, s, given);
    o.method = ASHI_PAPER_ACCUMULATION;
    const ashi_distribution k = by(s, 'k', 6, 0, 1), j = by(s, 'j', 6, 0, 1);
    const ashi_redistribution sum = ashi_redistribute(&s->e, &s->m, &q, &o, s->given, true);
    CHECK(t, sum.received[0] == count(s, 0, &s->given[0], &k) && sum.received[0] > 0, "A %g", sum.received[0]);
    CHECK(t, sum.received[1] == 0 && sum.received[2] == 0, "B and C are on all ranks: %g %g", sum.received[1],
          sum.received[2]);
    CHECK(t, sum.index[0] == -1 && sum.index[1] == -1 && sum.index[2] >= 0, "k is cut alone");
    o.method = ASHI_PAPER_REPLICATION_A;
    const ashi_redistribution copy = ashi_redistribute(&s->e, &s->m, &q, &o, s->given, false);
    CHECK(t, copy.received[0] == 0 && copy.received[1] == 0, "A goes to all anyway");
    CHECK(t, copy.received[2] == count(s, 2, &j, &s->given[2]) && copy.received[2] > 0, "C %g", copy.received[2]);
    o.method = ASHI_PAPER_REPLICATION_B; /* I has 5 and 4 values for 6 parts */
    CHECK(t, !ashi_redistribute(&s->e, &s->m, &q, &o, s->given, false).applicable, "i and a are too short");
}

static void mistakes(ashi_test *t, const setting *s)
{
    static const char *const wrong[] = {"q", "j", "c", "ii", "ikb", ""};
    ashi_distribution d;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ashlar_error err = {0};
        CHECK(t, ashi_distribution_read(wrong[i], &s->e, &s->m, 0, 6, &d, &err) == ASHLAR_ERR_ARG && err.text[0],
              "'%s'", wrong[i]);
    }
    ashlar_error err = {0};
    CHECK(t, ashi_distribution_read("c", &s->e, &s->m, 1, 6, &d, &err) == ASHLAR_ERR_ARG, "c is summed first");
    CHECK(t, ashi_distribution_read("kb", &s->e, &s->m, 0, 12, &d, &err) == ASHLAR_OK && d.parts[0] == 3 &&
                 d.parts[1] == 4, "3 x 4");
}

int main(void)
{
    ashi_test t = {0};
    const int64_t extent[INDICES] = {4, 5, 3, 7, 2, 6}; /* a i b k c j */
    static const char *const given[][3] = {{"ik", "kj", "ij"}, {"ak", "jk", "ja"}, {"k", "b", "b"}, {"-", "kj", "-"},
                                           {"ki", "-", "ai"}, {"bk", "bk", "j"}};
    setting s = make(&t, extent);
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
        rotation(&t, &s, given[i]);
    others(&t, &s);
    mistakes(&t, &s);
    return ashi_test_end(&t, "distribution");
}
