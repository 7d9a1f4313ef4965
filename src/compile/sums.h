/* A program as sums of products of tensors, which is what is optimised. */
#ifndef ASHI_COMPILE_SUMS_H
#define ASHI_COMPILE_SUMS_H

#include "compile/program.h"

enum {
    ASHI_ASH_TENSORS_MOST = 512,
    ASHI_ASH_GROUPS_MOST = 512,
    ASHI_ASH_LABELS_MOST = ASHI_ASH_FACTORS_MOST * ASHI_ASH_ORDER_MOST /* indices of one product */
};

/* An array, or the part of one in which each index runs over a part of its range. Parts of inputs, and parts that are
 * written, are held on their own; other parts are read within what is written. */
typedef struct ashi_ash_tensor {
    char name[3 * ASHI_ASH_NAME];
    int array, order;
    int within; /* the tensor that this one is a part of and read in; -1: it is held on its own */
    int8_t range[ASHI_ASH_ORDER_MOST];
    bool written, adds; /* some statement writes it; none of these begins anew: they add to the caller's values */
    int symmetries;     /* of this part alone */
    ashi_ash_symmetry symmetry[ASHI_ASH_SYMMETRIES_MOST];
} ashi_ash_tensor;

typedef struct ashi_ash_operand {
    int tensor;
    bool conjugate;
    int8_t index[ASHI_ASH_ORDER_MOST]; /* of the product */
} ashi_ash_operand;

/* The product's index number d < order of the target is dimension d of the target; the others are summed. */
typedef struct ashi_ash_product {
    double coefficient;
    int group, indices, factors;
    int8_t range[ASHI_ASH_LABELS_MOST];
    ashi_ash_operand factor[ASHI_ASH_FACTORS_MOST];
} ashi_ash_product;

/* By one element of a vector for each value of dimension `at` of the target. */
typedef struct ashi_ash_divisor {
    int tensor, at, sign;
} ashi_ash_divisor;

/* target += operators (sum of products) / sum of divisors; operators exchange dimensions of the target. */
typedef struct ashi_ash_group {
    int target, operators, divisors, first, products;
    ashi_ash_operator operator[ASHI_ASH_OPERATORS_MOST];
    ashi_ash_divisor divisor[ASHI_ASH_VECTORS_MOST];
} ashi_ash_group;

typedef struct ashi_ash_sums {
    const ashi_ash_program *program;
    int tensors, groups, products;
    ashi_ash_tensor tensor[ASHI_ASH_TENSORS_MOST];
    ashi_ash_group group[ASHI_ASH_GROUPS_MOST];     /* groups of one target are neighbours, targets in order of need */
    ashi_ash_product product[ASHI_ASH_TERMS_MOST];  /* those of a group are neighbours */
} ashi_ash_sums;

/* Make sums of a program, which must live as long. *out is the caller's to free with free(); NULL on failure.
 * @return ASHLAR_OK; ASHLAR_ERR_ARG with a spot: an array that needs itself, a part that is read and not written, two
 *         statements with '=' for one array; ASHLAR_ERR_UNSUPPORTED: too many parts; ASHLAR_ERR_MEMORY */
ashlar_status ashi_ash_sums_make(const ashi_ash_program *p, ashi_ash_sums **out, ashi_ash_spot *spot,
                                 ashlar_error *err);

/* Drop the operators that only multiply this product, such as P(i,j) of what is antisymmetric in i and j. */
void ashi_ash_drop_operators(const ashi_ash_sums *s, ashi_ash_group *g, ashi_ash_product *t);

/* Join those of a group's products, which are `list`, that are equal, and leave out those whose coefficient is 0. */
void ashi_ash_join_products(const ashi_ash_sums *s, ashi_ash_group *g, ashi_ash_product *list);

#endif
