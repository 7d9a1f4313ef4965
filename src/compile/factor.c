/* From sums of products to nodes: products that are equal are computed once, and what several products of a sum have in
 * common is multiplied by the sum of the rest: A B + A C = A (B + C). */
#include "compile/factor.h"

#include "compile/naming.h"

#include <stdlib.h>
#include <string.h>

typedef ashi_ash_item item;

typedef struct factory {
    ashi_ash_graph *g;
    const ashi_ash_sums *s;
    bool share;
} factory;

static double make_node(factory *f, const item *list, int count, const int8_t *range, ashi_ash_reading *out);

static bool is_leaf(const item *x)
{
    return (x->set & (x->set - 1)) == 0;
}

/* The indices of the product that the factors in a set have. */
static uint64_t indices_of(const factory *f, const ashi_ash_product *t, unsigned set)
{
    uint64_t has = 0;
    for (int x = 0; x < t->factors; x++)
        for (int d = 0; d < f->s->tensor[t->factor[x].tensor].order && (set >> x & 1); d++)
            has |= UINT64_C(1) << t->factor[x].index[d];
    return has;
}

/* The outer labels that an item has. */
static uint64_t labels_of(const factory *f, const item *x)
{
    const uint64_t has = indices_of(f, x->product, x->set);
    uint64_t labels = 0;
    for (int i = 0; i < x->product->indices; i++)
        if ((has >> i & 1) && x->label[i] >= 0)
            labels |= UINT64_C(1) << x->label[i];
    return labels;
}

static void read_leaf(const factory *f, const item *x, ashi_ash_reading *out)
{
    int at = 0;
    while (!(x->set >> at & 1))
        at++;
    const ashi_ash_operand *o = &x->product->factor[at];
    *out = (ashi_ash_reading){.node = o->tensor, .conjugate = o->conjugate};
    for (int d = 0; d < f->s->tensor[o->tensor].order; d++)
        out->label[d] = (int8_t)(x->label[o->index[d]] >= 0 ? x->label[o->index[d]] : -2 - o->index[d]);
}

/* One operand of one product of a sum, seen as what others may have too. */
typedef struct side {
    uint64_t hash, rest; /* of its form; the labels of the other operand */
    int item;
    unsigned set;
    double saves; /* operations, if one product less is formed */
    ashi_ash_form form;
} side;

/* An item with only the factors in `set`, and the bonds of `form` as labels after the first `order`. */
static item restrict_to(const item *x, unsigned set, uint64_t bonds, const ashi_ash_form *form, int order)
{
    item out = *x;
    out.set = set;
    out.coefficient = 1;
    for (int i = 0; i < x->product->indices; i++)
        if (bonds >> i & 1)
            out.label[i] = (int8_t)(order + form->number[i]);
    return out;
}

static uint64_t bonds_of(const factory *f, const item *x, unsigned left)
{
    uint64_t both = indices_of(f, x->product, left) & indices_of(f, x->product, x->set & ~left);
    for (int i = 0; i < x->product->indices; i++)
        if (x->label[i] >= 0)
            both &= ~(UINT64_C(1) << i);
    return both;
}

static uint64_t hash_form(const ashi_ash_form *form)
{
    uint64_t h = 0;
    for (int i = 0; i < form->length; i++)
        h = (h ^ form->text[i]) * 0x100000001B3u;
    return h;
}

static void describe_side(const factory *f, const item *list, int which, unsigned set, side *out)
{
    const item *x = &list[which];
    const uint64_t bonds = bonds_of(f, x, set), has = indices_of(f, x->product, x->set);
    int8_t label[ASHI_ASH_LABELS_MOST], range[ASHI_ASH_LABELS_MOST];
    int labels = 0;
    for (int i = 0; i < x->product->indices; i++) {
        label[i] = (int8_t)(x->label[i] >= 0 ? x->label[i] : (bonds >> i & 1) ? ASHI_ASH_OPEN : ASHI_ASH_SUMMED);
        if ((has >> i & 1) && label[i] != ASHI_ASH_SUMMED)
            range[labels++] = x->product->range[i];
    }
    item rest = *x;
    rest.set = x->set & ~set;
    out->item = which;
    out->set = set;
    out->rest = labels_of(f, &rest);
    out->saves = ashi_ash_extent(f->s, labels, range);
    ashi_ash_form_make(f->s, x->product, set, label, &out->form);
    out->hash = hash_form(&out->form);
}

static int compare_sides(const void *a, const void *b)
{
    const side *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    if (x->rest != y->rest)
        return x->rest < y->rest ? -1 : 1;
    if (x->form.length != y->form.length)
        return x->form.length - y->form.length;
    const int text = memcmp(x->form.text, y->form.text, (size_t)x->form.length);
    return text ? text : x->item != y->item ? x->item - y->item : (int)x->set - (int)y->set;
}

static bool same_side(const side *x, const side *y)
{
    return x->hash == y->hash && x->rest == y->rest && x->form.length == y->form.length &&
           memcmp(x->form.text, y->form.text, (size_t)x->form.length) == 0;
}

/* node += (what sides from `from` to `to` share) * (sum of the rests of those that are not done) */
static void add_product(factory *f, int node, int order, const item *list, const side *from, const side *to, bool *done)
{
    item left, *rest = malloc((size_t)(to - from) * sizeof *rest);
    ashi_ash_part part = {.node = node, .readings = 2, .labels = order + from->form.open};
    int count = 0;
    if (!rest) {
        f->g->failed = true;
        return;
    }
    memcpy(part.range, f->g->node[node].range, (size_t)order);
    for (const side *x = from; x < to; x++) {
        if (done[x->item])
            continue;
        done[x->item] = true;
        const item *whole = &list[x->item];
        const uint64_t bonds = bonds_of(f, whole, x->set);
        rest[count] = restrict_to(whole, whole->set & ~x->set, bonds, &x->form, order);
        rest[count].coefficient = whole->coefficient * x->form.sign;
        if (count++ > 0)
            continue;
        left = restrict_to(whole, x->set, bonds, &x->form, order);
        left.coefficient = x->form.sign;
        for (int i = 0; i < whole->product->indices; i++)
            if (bonds >> i & 1)
                part.range[order + x->form.number[i]] = whole->product->range[i];
    }
    part.coefficient = make_node(f, &left, 1, part.range, &part.reading[0]);
    part.coefficient *= make_node(f, rest, count, part.range, &part.reading[1]);
    free(rest);
    if (!f->g->failed)
        ashi_ash_part_add(f->g, &part);
}

/* The sides from `from` on that are alike; *saves is what multiplying by the sum of their rests saves. */
static const side *run_of(const factory *f, const side *from, const side *end, const bool *done, int order,
                          const int8_t *range, double *saves)
{
    const side *to = from;
    int count = 0, last = -1;
    for (; to < end && same_side(from, to); to++) {
        count += !done[to->item] && to->item != last;
        last = to->item;
    }
    int8_t rest[ASHI_ASH_LABELS_MOST];
    int labels = 0;
    for (int l = 0; l < order; l++)
        if (from->rest >> l & 1)
            rest[labels++] = range[l];
    *saves = f->share && count > 1 ? (count - 1) * from->saves - count * ashi_ash_extent(f->s, labels, rest) : 0;
    return to;
}

/* Products in groups that have an operand in common, the group that saves most first. */
static void add_products(factory *f, int node, int order, const item *list, side *sides, int count, bool *done)
{
    const side *end = sides + count;
    qsort(sides, (size_t)count, sizeof *sides, compare_sides);
    for (bool more = true; more && !f->g->failed;) {
        const side *best = NULL, *best_end = NULL;
        double most = 0;
        for (const side *from = sides, *to = sides; from < end; from = to) {
            double saves = 0;
            int8_t range[ASHI_ASH_NODE_ORDER];
            memcpy(range, f->g->node[node].range, sizeof range);
            to = run_of(f, from, end, done, order, range, &saves);
            if (saves > most) {
                best = from;
                best_end = to;
                most = saves;
            }
        }
        more = best != NULL;
        if (more)
            add_product(f, node, order, list, best, best_end, done);
    }
    for (const side *x = sides; x < end && !f->g->failed; x++)
        if (!done[x->item])
            add_product(f, node, order, list, x, x + 1, done);
}

/* node += the items; their labels are the node's dimensions. */
static void add_items(factory *f, int node, int order, const item *list, int count)
{
    side *sides = malloc((2 * (size_t)count + 1) * sizeof *sides);
    bool *done = calloc((size_t)count + 1, sizeof *done);
    int n = 0;
    f->g->failed = f->g->failed || !sides || !done;
    for (int i = 0; i < count && !f->g->failed; i++) {
        if (is_leaf(&list[i])) {
            ashi_ash_part part = {.node = node, .readings = 1, .labels = order, .coefficient = list[i].coefficient};
            memcpy(part.range, f->g->node[node].range, (size_t)order);
            read_leaf(f, &list[i], &part.reading[0]);
            ashi_ash_part_add(f->g, &part);
            continue;
        }
        const unsigned left = ashi_ash_tree_left(list[i].tree, list[i].set);
        describe_side(f, list, i, left, &sides[n++]);
        describe_side(f, list, i, list[i].set & ~left, &sides[n++]);
    }
    if (!f->g->failed)
        add_products(f, node, order, list, sides, n, done);
    free(sides);
    free(done);
}


/* The node that is the sum of the items, and how it is read; a tensor is read where it is.
 * @param range  of each label
 * @return what the reading is multiplied by */
static double make_node(factory *f, const item *list, int count, const int8_t *range, ashi_ash_reading *out)
{
    ashi_ash_naming name;
    int8_t own[ASHI_ASH_LABELS_MOST];
    *out = (ashi_ash_reading){0};
    if (count == 1 && is_leaf(list)) {
        read_leaf(f, list, out);
        return list->coefficient;
    }
    if (!ashi_ash_naming_make(f->s, list, count, labels_of(f, list), range, &name)) {
        free(name.text);
        f->g->failed = true;
        return 0;
    }
    for (int l = 0; l < ASHI_ASH_LABELS_MOST; l++)
        if (labels_of(f, list) >> l & 1) {
            out->label[name.dimension[l]] = (int8_t)l;
            own[name.dimension[l]] = range[l];
        }
    out->node = f->share ? ashi_ash_node_find(f->g, name.text, name.bytes) : -1;
    const bool found = out->node >= 0;
    if (!found)
        out->node = ashi_ash_node_add(f->g, name.labels, own, f->share ? name.text : NULL, name.bytes);
    item *inner = found ? NULL : malloc((size_t)count * sizeof *inner);
    f->g->failed = f->g->failed || (!found && !inner);
    for (int i = 0; i < count && inner; i++) {
        inner[i] = list[i];
        inner[i].coefficient /= name.scale;
        for (int k = 0; k < list[i].product->indices; k++)
            inner[i].label[k] = (int8_t)(list[i].label[k] >= 0 ? name.dimension[list[i].label[k]] : -1);
    }
    if (inner && !f->g->failed)
        add_items(f, out->node, name.labels, inner, count);
    free(inner);
    free(name.text);
    return name.scale;
}

/* target += the node with its labels exchanged as the operators from number `at` back to the first say */
static void add_images(factory *f, const ashi_ash_group *g, int at, ashi_ash_part *part)
{
    if (at < 0) {
        ashi_ash_part_add(f->g, part);
        return;
    }
    const ashi_ash_operator *o = &g->operator[at];
    add_images(f, g, at - 1, part);
    for (int i = 0; i < o->others; i++) {
        ashi_ash_part other = *part;
        other.coefficient *= o->sign;
        for (int d = 0; d < f->g->node[part->reading[0].node].order; d++) {
            int8_t *label = &other.reading[0].label[d];
            *label = *label == o->one ? o->other[i] : *label == o->other[i] ? o->one : *label;
        }
        add_images(f, g, at - 1, &other);
    }
}

static void add_group(factory *f, int which, const item *list, bool alone)
{
    const ashi_ash_group *g = &f->s->group[which];
    const ashi_ash_tensor *t = &f->s->tensor[g->target];
    ashi_ash_part part = {.node = g->target, .readings = 1, .labels = t->order};
    memcpy(part.range, t->range, (size_t)t->order);
    if (g->operators == 0 && (g->divisors == 0 || (alone && !t->adds))) {
        add_items(f, g->target, t->order, list, g->products);
        f->g->node[g->target].divided = g->divisors > 0 ? which : -1;
        return;
    }
    if (g->divisors == 0) {
        part.coefficient = make_node(f, list, g->products, t->range, &part.reading[0]);
    } else {
        part.coefficient = 1;
        part.reading[0].node = ashi_ash_node_add(f->g, t->order, t->range, NULL, 0);
        for (int d = 0; d < t->order; d++)
            part.reading[0].label[d] = (int8_t)d;
        if (!f->g->failed) {
            add_items(f, part.reading[0].node, t->order, list, g->products);
            f->g->node[part.reading[0].node].divided = which;
        }
    }
    if (!f->g->failed)
        add_images(f, g, g->operators - 1, &part);
}

/* The product as an item of a target: P(i,j) X[i,j] = -P(i,j) X[j,i], so that its dimensions may be exchanged. */
static item whole_item(const ashi_ash_sums *s, const ashi_ash_group *g, const ashi_ash_product *t,
                       const ashi_ash_choice *choice)
{
    item out = {.product = t, .tree = choice->tree, .set = (1u << t->factors) - 1, .coefficient = t->coefficient};
    for (int k = 0; k < ASHI_ASH_LABELS_MOST; k++)
        out.label[k] = (int8_t)(k < s->tensor[g->target].order ? k : -1);
    for (int o = 0; o < g->operators; o++)
        if (choice->exchanged >> o & 1) {
            const int8_t one = out.label[g->operator[o].one];
            out.label[g->operator[o].one] = out.label[g->operator[o].other[0]];
            out.label[g->operator[o].other[0]] = one;
            out.coefficient *= g->operator[o].sign;
        }
    return out;
}

bool ashi_ash_graph_make(ashi_ash_graph *g, const ashi_ash_sums *s, const ashi_ash_choice *choice, bool share)
{
    factory f = {.g = g, .s = s, .share = share};
    ashi_ash_graph_begin(g, s);
    for (int i = 0; i < s->groups && !g->failed; i++) {
        const ashi_ash_group *group = &s->group[i];
        item *list = malloc(((size_t)group->products + 1) * sizeof *list);
        const bool alone = (i == 0 || s->group[i - 1].target != group->target) &&
                           (i + 1 == s->groups || s->group[i + 1].target != group->target);
        g->failed = g->failed || !list;
        for (int p = 0; p < group->products && list; p++)
            list[p] = whole_item(s, group, &s->product[group->first + p], &choice[group->first + p]);
        if (list && group->products > 0)
            add_group(&f, i, list, alone);
        free(list);
    }
    return !g->failed;
}
