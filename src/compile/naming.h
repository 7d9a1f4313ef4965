/* One text for all sums that are equal up to a factor, the names of their indices and the order of their dimensions. */
#ifndef ASHI_COMPILE_NAMING_H
#define ASHI_COMPILE_NAMING_H

#include "compile/form.h"
#include "compile/trees.h"

/* coefficient * some factors of a product. Indices with a label, at least 0, are dimensions of the sum that the item is
 * in; the others, -1, are summed within. */
typedef struct ashi_ash_item {
    const ashi_ash_product *product;
    const ashi_ash_tree *tree;
    unsigned set;
    double coefficient;
    int8_t label[ASHI_ASH_LABELS_MOST];
} ashi_ash_item;

/* The sum is scale times what the text says. */
typedef struct ashi_ash_naming {
    int64_t bytes;
    uint8_t *text; /* the caller's to free */
    double scale;
    int labels;
    int8_t dimension[ASHI_ASH_LABELS_MOST]; /* of each label */
} ashi_ash_naming;

/* Name a sum of items that all have the same labels.
 * @param labels  the set of them
 * @param range   of each label
 * @return false: memory lacks; out->text is to be freed all the same */
bool ashi_ash_naming_make(const ashi_ash_sums *s, const ashi_ash_item *list, int count, uint64_t labels,
                          const int8_t *range, ashi_ash_naming *out);

#endif
