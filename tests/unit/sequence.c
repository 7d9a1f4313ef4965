/* tensor: sequences of pairs beside all trees of pairs, and what their steps compute beside plain loops. */
#include "tensor/sequence.h"
#include "test.h"

enum { LIVE = 8, NUMBERS = 1 << 14 };

/* One way through all trees: the arrays that are left, as sets of indices, and what it has cost until now. */
typedef struct state {
    const ashi_expression *e;
    int left, stack[LIVE], stacked; /* stack: the intermediates, in the order in which they were made */
    uint64_t set[LIVE];
    int64_t own[LIVE];              /* words of an intermediate, 0 of an operand */
    bool summed[LIVE];              /* it has no index that nobody else has */
    int64_t stored[LIVE];
    int64_t adds, words, held;
} state;

typedef struct answer {
    int64_t limit, adds, words, held, least;
} answer;

static int64_t size_of(const ashi_expression *e, uint64_t set)
{
    int64_t size = 1;
    for (int x = 0; x < e->indices; x++)
        size *= set >> x & 1 ? e->extent[x] : 1;
    return size;
}

static uint64_t set_of(const ashi_index_list *list)
{
    uint64_t set = 0;
    for (int d = 0; d < list->order; d++)
        set |= UINT64_C(1) << list->index[d];
    return set;
}

static uint64_t others_of(const state *s, int i, int j)
{
    uint64_t others = set_of(&s->e->output);
    for (int x = 0; x < s->left; x++)
        others |= x == i || x == j ? 0 : s->set[x];
    return others;
}

/* A result is held beside all that waits. */
static void hold(state *s, int64_t result)
{
    int64_t held = result;
    for (int x = 0; x < s->left; x++)
        held += s->own[x];
    s->held = held > s->held ? held : s->held;
}

static void try_all(const state *s, answer *best);

/* Arrays i and j become one if the intermediates among them are the last that were made: one side of a tree is finished
 * before the other is begun. */
static void try_pair(state s, int i, int j, answer *best)
{
    const int64_t made = s.own[i] > 0 ? 1 : 0, both = made + (s.own[j] > 0);
    for (int x = 0; x < both; x++) {
        const int top = s.stack[s.stacked - 1 - x];
        if (top != i && top != j)
            return;
    }
    s.stacked -= (int)both;
    const uint64_t result = (s.set[i] | s.set[j]) & others_of(&s, i, j);
    const bool last = s.left == 2;
    s.adds += size_of(s.e, s.set[i] | s.set[j]);
    s.words += s.stored[i] + s.stored[j] + size_of(s.e, result);
    hold(&s, last ? 0 : size_of(s.e, result));
    s.set[i] = result;
    s.stored[i] = s.own[i] = size_of(s.e, result);
    s.left--;
    s.set[j] = s.set[s.left];
    s.own[j] = s.own[s.left];
    s.stored[j] = s.stored[s.left];
    s.summed[j] = s.summed[s.left];
    for (int x = 0; x < s.stacked; x++)
        s.stack[x] = s.stack[x] == s.left ? j : s.stack[x];
    s.stack[s.stacked++] = i;
    try_all(&s, best);
}

static void try_sum(state s, int i, answer *best)
{
    const uint64_t result = s.set[i] & others_of(&s, i, i);
    s.adds += size_of(s.e, s.set[i]);
    s.words += s.stored[i] + size_of(s.e, result);
    hold(&s, size_of(s.e, result));
    s.set[i] = result;
    s.stored[i] = s.own[i] = size_of(s.e, result);
    s.summed[i] = true;
    s.stack[s.stacked++] = i;
    try_all(&s, best);
}

static void try_all(const state *s, answer *best)
{
    if (s->left == 1) {
        best->least = s->held < best->least ? s->held : best->least;
        const bool better = s->adds != best->adds ? s->adds < best->adds
                                                  : s->words != best->words ? s->words < best->words
                                                                            : s->held < best->held;
        if (s->held <= best->limit && better)
            *best = (answer){best->limit, s->adds, s->words, s->held, best->least};
        return;
    }
    for (int i = 0; i < s->left; i++) {
        if (!s->summed[i])
            try_sum(*s, i, best);
        for (int j = i + 1; j < s->left; j++)
            if (s->summed[i] && s->summed[j])
                try_pair(*s, i, j, best);
    }
}

/* The best of all trees, if they hold at most `limit` words. */
static answer search_all(const ashi_expression *e, int64_t limit)
{
    state s = {.e = e, .left = e->operands};
    answer best = {limit, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    for (int x = 0; x < e->operands; x++) {
        s.set[x] = set_of(&e->operand[x]);
        s.stored[x] = ashi_expression_words(e, &e->operand[x]);
    }
    for (int x = 0; x < e->operands; x++)
        s.summed[x] = (s.set[x] & ~others_of(&s, x, x)) == 0;
    try_all(&s, &best);
    return best;
}

static ashi_expression read(ashi_test *t, const char *text, const int64_t *extent)
{
    ashi_expression e;
    ashlar_error err = {0};
    int column;
    ashlar_status status = ashi_expression_read(text, &e, &column, &err);
    for (int x = 0; x < e.indices && status == ASHLAR_OK; x++)
        status = ashi_expression_extent(&e, e.name[x], extent[x], &err);
    if (status == ASHLAR_OK)
        status = ashi_expression_check(&e, &column, &err);
    CHECK(t, status == ASHLAR_OK, "%s: %s", text, err.text);
    return e;
}

/* What an array's element at these values of all indices is. */
static int64_t place_of(const ashi_expression *e, const ashi_index_list *list, const int64_t *value)
{
    int64_t place = 0;
    for (int d = 0; d < list->order; d++)
        place = place * e->extent[list->index[d]] + value[list->index[d]];
    return place;
}

/* The expression, by a loop over all values of all indices of its operands. */
static int64_t *contract(const ashi_expression *e, int64_t *const *operand)
{
    uint64_t used = 0;
    int64_t value[ASHI_INDICES_MOST] = {0};
    int64_t *out = calloc(NUMBERS, sizeof *out);
    for (int x = 0; x < e->operands; x++)
        used |= set_of(&e->operand[x]);
    const int64_t points = size_of(e, used);
    for (int64_t p = 0; p < points && out; p++) {
        uint64_t product = 1;
        int64_t rest = p;
        for (int x = 0; x < e->indices; x++)
            if (used >> x & 1) {
                value[x] = rest % e->extent[x];
                rest /= e->extent[x];
            }
        for (int x = 0; x < e->operands; x++)
            product *= (uint64_t)operand[x][place_of(e, &e->operand[x], value)];
        int64_t *at = &out[place_of(e, &e->output, value)];
        *at = (int64_t)((uint64_t)*at + product);
    }
    return out;
}

/* The steps, one after the other, beside the whole: all bits of the sums of products, modulo 2^64. */
static void computes(ashi_test *t, const char *text, const ashi_expression *e, const ashi_sequence *q, uint64_t *seed)
{
    int64_t *array[ASHI_OPERANDS_MOST + ASHI_SEQUENCE_STEPS] = {NULL};
    for (int x = 0; x < e->operands; x++) {
        array[x] = calloc(NUMBERS, sizeof *array[x]);
        for (int64_t i = 0; array[x] && i < ashi_expression_words(e, &e->operand[x]); i++)
            array[x][i] = ashi_random_in(seed, -9, 9);
    }
    for (int s = 0; s < q->steps; s++) {
        ashi_expression step;
        ashi_sequence_expression(e, q, s, &step);
        int64_t *const from[2] = {array[q->step[s].operand[0]],
                                  q->step[s].operand[1] < 0 ? NULL : array[q->step[s].operand[1]]};
        array[e->operands + s] = contract(&step, from);
    }
    int64_t *whole = contract(e, array);
    const int64_t words = ashi_expression_words(e, &e->output);
    CHECK(t, memcmp(whole, array[e->operands + q->steps - 1], (size_t)words * sizeof *whole) == 0, "%s", text);
    for (int x = 0; x < e->operands + q->steps; x++)
        free(array[x]);
    free(whole);
}

/* Operands of random letters, diagonals and indices alone among them; at most 9 letters of extents 1 to 3. */
static void random_text(uint64_t *seed, int operands, int letters, char *text)
{
    char *at = text;
    uint64_t used = 0;
    for (int x = 0; x < operands; x++) {
        for (int64_t d = ashi_random_in(seed, 0, 4); d > 0; d--) {
            const int letter = (int)ashi_random_in(seed, 0, letters - 1);
            used |= UINT64_C(1) << letter;
            *at++ = (char)('a' + letter);
        }
        if (x < operands - 1)
            *at++ = ',';
    }
    memcpy(at, "->", 2);
    at += 2;
    for (int letter = letters - 1; letter >= 0; letter--)
        if (used >> letter & 1 && ashi_random(seed) % 3 == 0)
            *at++ = (char)('a' + letter);
    *at = '\0';
}

static void beside_all_trees(ashi_test *t, uint64_t seed)
{
    char text[64];
    int64_t extent[ASHI_INDICES_MOST], least = 0;
    const int operands = (int)ashi_random_in(&seed, 2, seed % 8 == 0 ? 5 : 4);
    random_text(&seed, operands, (int)ashi_random_in(&seed, 2, 8), text);
    for (int x = 0; x < ASHI_INDICES_MOST; x++)
        extent[x] = ashi_random_in(&seed, 1, 3);
    const ashi_expression e = read(t, text, extent);
    ashlar_error err = {0};
    ashi_sequence q;
    const answer free_order = search_all(&e, INT64_MAX);
    const int64_t limits[3] = {INT64_MAX, ashi_random_in(&seed, free_order.least, free_order.held),
                               free_order.least - 1};
    for (int i = 0; i < 3; i++) {
        const answer wanted = i == 0 ? free_order : search_all(&e, limits[i]);
        const ashlar_status status = ashi_sequence_choose(&e, limits[i], &q, &least, &err);
        if (i == 2) {
            CHECK(t, limits[i] < 0 || (status == ASHLAR_ERR_LIMIT && least == wanted.least &&
                                       ashi_says_least(err.text, least)),
                  "seed %" PRIu64 " %s: %s", seed, text, err.text);
            continue;
        }
        CHECK(t, status == ASHLAR_OK && q.multiply_adds == wanted.adds && q.words == wanted.words &&
                     q.held == wanted.held && q.exact,
              "seed %" PRIu64 " %s, limit %" PRId64 ": %" PRId64 " %" PRId64 " %" PRId64 ", wanted %" PRId64 " %" PRId64
              " %" PRId64, seed, text, limits[i], q.multiply_adds, q.words, q.held, wanted.adds, wanted.words,
              wanted.held);
        if (status == ASHLAR_OK)
            computes(t, text, &e, &q, &seed);
    }
}

static ashi_sequence choose(ashi_test *t, const ashi_expression *e, int64_t limit)
{
    ashlar_error err = {0};
    ashi_sequence q = {0};
    int64_t least;
    const ashlar_status status = ashi_sequence_choose(e, limit, &q, &least, &err);
    CHECK(t, status == ASHLAR_OK, "%s", err.text);
    return q;
}

/* Orders that can be found by hand. */
static void known(ashi_test *t)
{
    static const struct {
        const char *text;
        int64_t extent[12], multiply_adds;
        const char *steps[4];
    } row[] = {
        /* Cormen, Leiserson, Rivest, Stein, Introduction to Algorithms, section 15.2 */
        {"ab,bc,cd,de,ef,fg->ag", {30, 35, 15, 5, 10, 20, 25}, 15125, {"bc,cd->db"}},
        /* the four-index transformation: four quarters of 10^4 5, 10^3 5^2, 10^2 5^3 and 10 5^4 */
        {"pqrs,pi,qj,rk,sl->ijkl", {10, 10, 10, 10, 5, 5, 5, 5}, 93750, {NULL}},
        /* u and v first: 10 x 10, not 10^3 */
        {"ijkl,i,j->kl", {10, 10, 10, 10}, 10100, {"i,j->ij", "ijkl,ij->kl"}},
        {"ijk,jr,kr->ir", {5, 7, 8, 3}, 5 * 7 * 8 * 3 + 5 * 7 * 3, {"ijk,kr->irj", "jr,irj->ir"}},
        {"ijk,jr,kr->ir", {9, 8, 7, 3}, 9 * 8 * 7 * 3 + 8 * 7 * 3, {"jr,kr->rjk", "ijk,rjk->ir"}},
        {"is,js,s->ij", {4, 5, 6}, 4 * 5 + 4 * 5 * 6, {"is,s->is", "js,is->ij"}},
        {"ks,kkt->", {3, 4, 5}, 3 * 4 + 3 * 5 + 3, {"ks->k", "kkt->k", "k,k->"}},
        {"iij->ij", {3, 4}, 12, {"iij->ij"}},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        const ashi_expression e = read(t, row[i].text, row[i].extent);
        const ashi_sequence q = choose(t, &e, INT64_MAX);
        CHECK(t, q.multiply_adds == row[i].multiply_adds, "%s: %" PRId64, row[i].text, q.multiply_adds);
        for (int s = 0; s < 4 && row[i].steps[s]; s++) {
            char text[ASHI_STEP_TEXT];
            ashi_sequence_text(&e, &q, s, text);
            CHECK(t, strcmp(text, row[i].steps[s]) == 0, "%s: step %d is %s", row[i].text, s, text);
        }
    }
}

/* More operands than are searched exactly, many of them; and sizes that 64 bits do not hold. */
static void many(ashi_test *t)
{
    static const char names[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    int64_t extent[ASHI_INDICES_MOST], least;
    char text[128], *at = text;
    uint64_t seed = 1;
    ashlar_error err = {0};
    for (int x = 0; x < ASHI_INDICES_MOST; x++)
        extent[x] = x % 11 == 0 ? 2 : 1;
    for (int x = 0; x < ASHI_OPERANDS_MOST; x++)
        at += snprintf(at, 8, "%c%c%s", names[x], names[x + 1], x < ASHI_OPERANDS_MOST - 1 ? "," : "->");
    snprintf(at, 8, "%c%c", names[0], names[ASHI_OPERANDS_MOST]);
    ashi_expression e = read(t, text, extent);
    ashi_sequence q = choose(t, &e, INT64_MAX);
    CHECK(t, q.steps == ASHI_OPERANDS_MOST - 1 && !q.exact, "%d steps", q.steps);
    computes(t, text, &e, &q, &seed);

    /* Sixteen matrices in a row: the cheapest order, by the dynamic program for chains. */
    const int64_t sides[17] = {40, 7, 90, 12, 64, 3, 77, 20, 15, 81, 9, 33, 50, 6, 71, 28, 45};
    e = read(t, "ab,bc,cd,de,ef,fg,gh,hi,ij,jk,kl,lm,mn,no,op,pq->aq", sides);
    q = choose(t, &e, INT64_MAX);
    CHECK(t, q.multiply_adds == 42789, "%" PRId64, q.multiply_adds);

    for (int x = 0; x < ASHI_INDICES_MOST; x++)
        extent[x] = x % 2 ? 8 : 1000; /* a chain of matrices: never more than 2 x 10^6 words */
    e = read(t, text, extent);
    q = choose(t, &e, INT64_MAX);
    CHECK(t, q.multiply_adds < 32 * INT64_C(1000000) && q.held == 8064, "%" PRId64 " held %" PRId64, q.multiply_adds,
          q.held);

    const int64_t large[] = {INT64_C(1) << 20, INT64_C(1) << 22, INT64_C(1) << 20, INT64_C(1) << 22};
    e = read(t, "ab,cd,ac,bd->", large);
    CHECK(t, ashi_sequence_choose(&e, INT64_MAX, &q, &least, &err) == ASHLAR_ERR_OVERFLOW, "%s", err.text);
    CHECK(t, ashi_sequence_choose(&e, 1000, &q, &least, &err) == ASHLAR_ERR_LIMIT && least == INT64_C(5) << 40,
          "least %" PRId64 ": %s", least, err.text);
    const int64_t none[] = {0, INT64_C(1) << 31, INT64_C(1) << 31};
    e = read(t, "ab,bc,ca->", none);
    q = choose(t, &e, INT64_MAX);
    CHECK(t, q.multiply_adds == 0, "%" PRId64, q.multiply_adds);
}

/* Ten operands and a limit under which many trees of every set are kept: still every tree is found that is there. */
static void limited(ashi_test *t)
{
    int64_t extent[ASHI_INDICES_MOST];
    for (int x = 0; x < ASHI_INDICES_MOST; x++)
        extent[x] = 3 + (x * 7) % 11;
    const ashi_expression e = read(t, "abcd,cdef,efgh,ghij,ijkl,klmn,mnop,opqr,qrst,abst->", extent);
    ashi_sequence q = choose(t, &e, INT64_MAX), less;
    ashlar_error err = {0};
    int64_t least = 0;
    CHECK(t, ashi_sequence_choose(&e, 0, &less, &least, &err) == ASHLAR_ERR_LIMIT, "%s", err.text);
    for (int64_t limit = least; limit < q.held; limit += 1 + (q.held - least) / 3) {
        less = choose(t, &e, limit);
        CHECK(t, less.held <= limit && less.multiply_adds >= q.multiply_adds, "held %" PRId64, less.held);
    }
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 400);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        beside_all_trees(&t, seed);
    known(&t);
    many(&t);
    limited(&t);
    return ashi_test_end(&t, "sequence");
}
