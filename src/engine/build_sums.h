/* How engines write sums: opened where a part has its home, added up, and brought to the owners of C. */
#ifndef ASHI_BUILD_SUMS_H
#define ASHI_BUILD_SUMS_H

#include "engine/builder.h"

/* Two in the pool, and one for each tile of the rank's own C. */
enum { ASHI_SUMS_MOST = 2 + ASHI_HOME_TILES_MOST };

/* Where the products of one part are summed up: panels that fill its box. */
typedef struct ashi_part_sums {
    int panels;
    ashi_panel panel[ASHI_SUMS_MOST];
    bool begun[ASHI_SUMS_MOST];
    bool kept; /* some of them are in the caller's C */
} ashi_part_sums;

/* Number and visit the panels of a part's box. */
void ashi_build_sums(ashi_builder *builder, const ashi_box *box, const ashi_home *home, int64_t part,
                     ashi_part_sums *out);

/* Products of `product`'s box, k and operands are added to the sums. `last`: of what it reads, for the last of them. */
void ashi_build_product(ashi_builder *builder, const ashi_operation *product, ashi_part_sums *sums);

/* Sums that got no product begin with zero, or with beta C. */
void ashi_build_begin(ashi_builder *builder, ashi_part_sums *sums);

/* A REDUCE on the owner. Returns the panel of what others contribute, ASHI_NO_PANEL if nobody does. */
int64_t ashi_build_arrivals(ashi_builder *builder, ashi_operation *group);

/* A REDUCE on a member: of sums from where they lie if they lie there as they are sent, else packed. What is passed on
 * is packed too. `last`: nothing reads the sums later. */
void ashi_build_contribution(ashi_builder *builder, ashi_operation *group, const ashi_part_sums *sums, bool packs,
                             bool last);

/* The same for all other owners together, if the program is brief: `group` has their words and messages, of which
 * `packed` are packed. */
void ashi_build_contributions(ashi_builder *builder, ashi_operation *group, int64_t packed, const ashi_part_sums *sums,
                              bool last);

/* What arrived for a piece of C (or ASHI_NO_PANEL) and the rank's own sums of it are added to the caller's C. `sums`:
 * NULL if the rank is no member. `begins`: nothing is added to that piece before. */
void ashi_build_add(ashi_builder *builder, const ashi_operation *group, int64_t arrived, const ashi_part_sums *sums,
                    bool begins, bool last);

/* beta C for all that the rank owns of C. */
void ashi_build_scale(ashi_builder *builder);

#endif
