/* The search is over sets of leaves: what a set makes does not depend on how it is made, so the best tree of a set has
 * the best trees of its two parts. With a limit of memory "best" is two numbers, cost and words held; then every set
 * keeps all of its trees of which no other is as cheap and holds as little. */
#include "tensor/sequence_search.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"

#include <inttypes.h>

enum { SETS = 1 << ASHI_SEQUENCE_EXACT };

typedef struct tree {
    ashi_wide multiply_adds, words;
    int64_t held;
    uint32_t first; /* the leaves of the side that is made first */
    int64_t at[2];  /* the trees of the first and the second side, in their lists */
} tree;

/* Cheapest first; each holds less than those before it. */
typedef struct tree_list {
    tree *tree;
    int64_t count, capacity;
} tree_list;

typedef enum wanted {
    CHEAPEST, /* one tree of a set: the cheapest, of equals that which holds least */
    SMALLEST, /* one: that which holds least, of equals the cheapest */
    ALL       /* all within the limits that are best in one of the two */
} wanted;

typedef struct search {
    const ashi_expression *expression;
    int leaves;
    const ashi_sequence_leaf *leaf;
    ashi_index_set made[SETS]; /* the indices of what a set makes */
    ashi_wide size[SETS];
    tree_list list[SETS];
    wanted wanted;
    int64_t words_most;        /* ALL: what may be held, */
    ashi_wide cost_most[2];    /* and what a tree may cost: multiply-adds, then words */
} search;

static ashi_wide least_wide(ashi_wide a, ashi_wide b)
{
    return a < b ? a : b;
}

static int64_t narrowed(ashi_wide a)
{
    return (int64_t)least_wide(a, INT64_MAX);
}

ashi_wide ashi_index_set_size(const ashi_expression *e, ashi_index_set indices)
{
    ashi_wide size = 1;
    for (int x = 0; x < e->indices; x++)
        if (indices >> x & 1 && e->extent[x] == 0)
            return 0;
    for (int x = 0; x < e->indices; x++)
        if (indices >> x & 1)
            size = size > ASHI_COST_MOST / e->extent[x] ? ASHI_COST_MOST : size * e->extent[x];
    return size;
}

ashi_index_set ashi_index_set_of(const ashi_index_list *list)
{
    ashi_index_set set = 0;
    for (int d = 0; d < list->order; d++)
        set |= (ashi_index_set)1 << list->index[d];
    return set;
}

int64_t ashi_sequence_held(const ashi_sequence_leaf *first, const ashi_sequence_leaf *second, int64_t result)
{
    const int64_t both = ashi_add_most(ashi_add_most(first->result, second->result), result);
    return ashi_max(ashi_max(first->held, ashi_add_most(first->result, second->held)), both);
}

static int compare_cost(const tree *a, const ashi_wide multiply_adds, const ashi_wide words)
{
    if (a->multiply_adds != multiply_adds)
        return a->multiply_adds < multiply_adds ? -1 : 1;
    return a->words < words ? -1 : a->words > words;
}

/* Whether `a` makes `b` superfluous, which was found later. */
static bool is_better(wanted how, const tree *a, const tree *b)
{
    const int cost = compare_cost(a, b->multiply_adds, b->words);
    if (how == CHEAPEST)
        return cost < 0 || (cost == 0 && a->held <= b->held);
    if (how == SMALLEST)
        return a->held < b->held || (a->held == b->held && cost <= 0);
    return cost <= 0 && a->held <= b->held;
}

/* Put a tree in its place, and take out those that it makes superfluous. False if memory lacks. */
static bool add_tree(const search *s, tree_list *list, const tree *t)
{
    int64_t kept = 0, place = 0;
    for (int64_t i = 0; i < list->count; i++)
        if (is_better(s->wanted, &list->tree[i], t))
            return true;
    for (int64_t i = 0; i < list->count; i++) /* none is better: none is taken out before this is decided */
        if (!is_better(s->wanted, t, &list->tree[i]))
            list->tree[kept++] = list->tree[i];
    list->count = kept;
    tree *room = ashi_array_room(list->tree, &list->capacity, kept + 1, sizeof *room);
    if (!room)
        return false;
    list->tree = room;
    while (place < kept && compare_cost(&room[place], t->multiply_adds, t->words) < 0)
        place++;
    for (int64_t i = kept; i > place; i--)
        room[i] = room[i - 1];
    room[place] = *t;
    list->count++;
    return true;
}

static bool is_within(const search *s, const tree *t)
{
    return s->wanted != ALL ||
           (t->held <= s->words_most && compare_cost(t, s->cost_most[0], s->cost_most[1]) <= 0);
}

/* What one side of a pair is, made by one of its trees. A leaf that is the caller's is not counted. */
static ashi_sequence_leaf side_of(const search *s, uint32_t set, const tree *t)
{
    const bool is_leaf = (set & (set - 1)) == 0;
    return (ashi_sequence_leaf){.held = t->held,
                                .result = is_leaf ? s->leaf[__builtin_ctz(set)].result : narrowed(s->size[set])};
}

/* All pairs of trees of the two parts of `set`. */
static bool join(search *s, uint32_t set, uint32_t part)
{
    const uint32_t side[2] = {part, set ^ part};
    const bool whole = set == (1u << s->leaves) - 1;
    const ashi_wide adds = ashi_index_set_size(s->expression, s->made[part] | s->made[set ^ part]);
    const ashi_wide words = s->size[part] + s->size[set ^ part] + s->size[set];
    for (int64_t i = 0; i < s->list[part].count; i++)
        for (int64_t j = 0; j < s->list[set ^ part].count; j++) {
            const tree *const t[2] = {&s->list[part].tree[i], &s->list[set ^ part].tree[j]};
            const ashi_sequence_leaf made[2] = {side_of(s, side[0], t[0]), side_of(s, side[1], t[1])};
            const int64_t result = whole ? 0 : narrowed(s->size[set]);
            const int64_t held[2] = {ashi_sequence_held(&made[0], &made[1], result),
                                     ashi_sequence_held(&made[1], &made[0], result)};
            const int first = held[1] < held[0];
            const tree joined = {
                .multiply_adds = least_wide(ASHI_COST_MOST, t[0]->multiply_adds + t[1]->multiply_adds + adds),
                .words = least_wide(ASHI_COST_MOST, t[0]->words + t[1]->words + words), .held = held[first],
                .first = side[first], .at = {first ? j : i, first ? i : j}};
            if (is_within(s, &joined) && !add_tree(s, &s->list[set], &joined))
                return false;
        }
    return true;
}

/* The trees of all sets, smaller ones first: a part of a set has a smaller number. False if memory lacks. */
static bool fill(search *s, wanted how)
{
    const uint32_t sets = 1u << s->leaves;
    s->wanted = how;
    for (uint32_t set = 1; set < sets; set++) {
        const uint32_t lowest = set & (~set + 1), rest = set ^ lowest;
        s->list[set].count = 0;
        if (rest == 0) {
            const tree leaf = {.held = s->leaf[__builtin_ctz(set)].held};
            if (is_within(s, &leaf) && !add_tree(s, &s->list[set], &leaf))
                return false;
            continue;
        }
        for (uint32_t part = 0; part != rest; part = (part - rest) & rest) /* all parts of `rest` but itself */
            if (!join(s, set, lowest | part))
                return false;
    }
    return true;
}

static void describe_sets(search *s, ashi_index_set output)
{
    const uint32_t sets = 1u << s->leaves;
    for (uint32_t set = 1; set < sets; set++) {
        ashi_index_set inside = 0, outside = output;
        for (int x = 0; x < s->leaves; x++)
            *(set >> x & 1 ? &inside : &outside) |= s->leaf[x].indices;
        const bool is_leaf = (set & (set - 1)) == 0;
        s->made[set] = is_leaf ? inside : inside & outside;
        s->size[set] = is_leaf ? s->leaf[__builtin_ctz(set)].words : ashi_index_set_size(s->expression, s->made[set]);
    }
}

/* The entries of one tree: a stack of what is still to be written, the first side on top. */
static void write_tree(const search *s, ashi_sequence_tree *out)
{
    struct { uint32_t set; int64_t at; } todo[2 * ASHI_SEQUENCE_EXACT] = {{(1u << s->leaves) - 1, 0}};
    int reversed[2 * ASHI_SEQUENCE_EXACT];
    int count = 0;
    for (int left = 1; left > 0;) { /* backwards: a pair, its second side, its first side */
        const uint32_t set = todo[--left].set;
        const tree *t = &s->list[set].tree[todo[left].at];
        const bool is_leaf = (set & (set - 1)) == 0;
        reversed[count++] = is_leaf ? __builtin_ctz(set) : ASHI_SEQUENCE_PAIR;
        for (int side = 0; side < 2 && !is_leaf; side++, left++) {
            todo[left].set = side == 0 ? t->first : set ^ t->first;
            todo[left].at = t->at[side];
        }
    }
    out->entries = count;
    for (int i = 0; i < count; i++)
        out->entry[i] = reversed[count - 1 - i];
}

static ashlar_status find(search *s, ashi_sequence_tree *out, int64_t *least, ashlar_error *err)
{
    const tree_list *whole = &s->list[(1u << s->leaves) - 1];
    const int64_t most = s->words_most;
    if (!fill(s, CHEAPEST))
        return ashi_fail_memory(err, "trees of contractions", (int64_t)sizeof(tree));
    if (whole->tree[0].held > most) {
        if (!fill(s, SMALLEST))
            return ashi_fail_memory(err, "trees of contractions", (int64_t)sizeof(tree));
        *least = whole->tree[0].held;
        if (*least > most)
            return ashi_fail(err, ASHLAR_ERR_LIMIT, "intermediates do not fit in %" PRId64 " words: %" PRId64
                             " would do", most, *least);
        s->cost_most[0] = whole->tree[0].multiply_adds;
        s->cost_most[1] = whole->tree[0].words;
        if (!fill(s, ALL))
            return ashi_fail_memory(err, "trees of contractions", (int64_t)sizeof(tree));
    }
    write_tree(s, out);
    return ASHLAR_OK;
}

ashlar_status ashi_sequence_search(const ashi_expression *e, int leaves, const ashi_sequence_leaf *leaf,
                                   ashi_index_set output, int64_t words_most, ashi_sequence_tree *out, int64_t *least,
                                   ashlar_error *err)
{
    search *s = calloc(1, sizeof *s);
    if (!s)
        return ashi_fail_memory(err, "search for a sequence of contractions", (int64_t)sizeof *s);
    s->expression = e;
    s->leaves = leaves;
    s->leaf = leaf;
    s->words_most = words_most;
    describe_sets(s, output);
    const ashlar_status status = find(s, out, least, err);
    for (int set = 0; set < SETS; set++)
        free(s->list[set].tree);
    free(s);
    return status;
}
