/* Binary trees over the factors of a product: the cheapest by dynamic programming over sets, all of a few factors.
 *
 * tensor/sequence.h searches such trees, too, and is not used: what is cheapest for a product alone is not what is
 * cheapest for the program, so all trees of a few factors are wanted and not the best; figures of large extents are
 * doubles here, and overflow there; a product has up to 64 indices, an expression 52; and no intermediate may have more
 * than ASHI_ASH_NODE_ORDER indices. */
#include "compile/trees.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ENUMERATED_MOST = 5 };

typedef struct forest {
    uint64_t has[1 << ASHI_ASH_FACTORS_MOST];  /* the indices that a set of factors has */
    uint64_t open[1 << ASHI_ASH_FACTORS_MOST]; /* those of them that are wanted outside the set */
    double extent[ASHI_ASH_LABELS_MOST];
    double best[1 << ASHI_ASH_FACTORS_MOST];
    uint8_t left[1 << ASHI_ASH_FACTORS_MOST];
} forest;

static double product_of(const forest *f, uint64_t indices)
{
    double product = 1;
    for (int i = 0; i < ASHI_ASH_LABELS_MOST; i++)
        if (indices >> i & 1)
            product *= f->extent[i];
    return product;
}

static int count_of(uint64_t indices)
{
    int n = 0;
    for (; indices; indices &= indices - 1)
        n++;
    return n;
}

/* Infinite if an operand has more indices than an intermediate can have. */
static double operations(const forest *f, unsigned left, unsigned right)
{
    if (count_of(f->open[left]) > ASHI_ASH_NODE_ORDER || count_of(f->open[right]) > ASHI_ASH_NODE_ORDER)
        return INFINITY;
    return product_of(f, f->open[left] | f->open[right]);
}

static void prepare(const ashi_ash_sums *s, const ashi_ash_product *t, int order, forest *f)
{
    const unsigned all = (1u << t->factors) - 1;
    const uint64_t outer = (UINT64_C(1) << order) - 1;
    for (int i = 0; i < t->indices; i++)
        f->extent[i] = (double)s->program->range[t->range[i]].typical;
    for (unsigned set = 0; set <= all; set++) {
        f->has[set] = 0;
        for (int x = 0; x < t->factors; x++)
            for (int d = 0; d < s->tensor[t->factor[x].tensor].order && (set >> x & 1); d++)
                f->has[set] |= UINT64_C(1) << t->factor[x].index[d];
    }
    for (unsigned set = 1; set <= all; set++)
        f->open[set] = f->has[set] & (f->has[all & ~set] | outer);
}

static void find_best(const ashi_ash_product *t, forest *f)
{
    for (unsigned set = 1; set < 1u << t->factors; set++) {
        f->best[set] = (set & (set - 1)) == 0 ? 0 : INFINITY;
        for (unsigned left = (set - 1) & set; left > (set & ~left); left = (left - 1) & set) {
            const double cost = f->best[left] + f->best[set & ~left] + operations(f, left, set & ~left);
            if (cost < f->best[set]) {
                f->best[set] = cost;
                f->left[set] = (uint8_t)left;
            }
        }
    }
}

static void take_best(const forest *f, unsigned set, ashi_ash_tree *tree)
{
    if ((set & (set - 1)) == 0)
        return;
    tree->set[tree->nodes] = (uint8_t)set;
    tree->left[tree->nodes++] = f->left[set];
    take_best(f, f->left[set], tree);
    take_best(f, set & ~(unsigned)f->left[set], tree);
}

typedef struct listing {
    const forest *f;
    ashi_ash_tree *tree, now;
    int count;
} listing;

/* All ways to split what `todo` lists, which are sets of two factors or more. */
static void list_trees(listing *l, const uint8_t *todo, int waiting)
{
    if (waiting == 0) {
        if (l->count < ASHI_ASH_TREES_MOST && isfinite(l->now.operations))
            l->tree[l->count++] = l->now;
        return;
    }
    const unsigned set = todo[waiting - 1];
    for (unsigned left = (set - 1) & set; left > (set & ~left); left = (left - 1) & set) {
        uint8_t next[2 * ASHI_ASH_FACTORS_MOST];
        const unsigned right = set & ~left;
        const ashi_ash_tree before = l->now;
        int n = waiting - 1;
        memcpy(next, todo, (size_t)n);
        if (left & (left - 1))
            next[n++] = (uint8_t)left;
        if (right & (right - 1))
            next[n++] = (uint8_t)right;
        l->now.set[l->now.nodes] = (uint8_t)set;
        l->now.left[l->now.nodes++] = (uint8_t)left;
        l->now.operations += operations(l->f, left, right);
        list_trees(l, next, n);
        l->now = before;
    }
}

static int cheaper(const void *a, const void *b)
{
    const ashi_ash_tree *x = a, *y = b;
    if (x->operations != y->operations)
        return x->operations < y->operations ? -1 : 1;
    const int sets = memcmp(x->set, y->set, sizeof x->set);
    return sets ? sets : memcmp(x->left, y->left, sizeof x->left);
}

int ashi_ash_trees_make(const ashi_ash_sums *s, const ashi_ash_product *t, int order,
                        ashi_ash_tree tree[ASHI_ASH_TREES_MOST])
{
    forest f;
    const unsigned all = (1u << t->factors) - 1;
    memset(&f, 0, sizeof f);
    prepare(s, t, order, &f);
    if (t->factors > ENUMERATED_MOST) {
        find_best(t, &f);
        tree[0] = (ashi_ash_tree){.operations = f.best[all]};
        if (isfinite(f.best[all]))
            take_best(&f, all, &tree[0]);
        return isfinite(f.best[all]);
    }
    listing l = {.f = &f, .tree = tree};
    const uint8_t todo = (uint8_t)all;
    list_trees(&l, &todo, t->factors > 1);
    qsort(tree, (size_t)l.count, sizeof *tree, cheaper);
    return l.count;
}

unsigned ashi_ash_tree_left(const ashi_ash_tree *tree, unsigned set)
{
    int n = 0;
    while (n < tree->nodes - 1 && tree->set[n] != set)
        n++;
    return tree->left[n];
}
