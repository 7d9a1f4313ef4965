/* What one rank sends and receives in a group: the same for the passes, the simulator and the checkers. */
#ifndef ASHI_LOWER_H
#define ASHI_LOWER_H

#include "schedule/program.h"

/* Whether MULTICASTs, or REDUCEs, go along trees; else straight between the owner and each other member. */
bool ashi_lower_along_tree(const ashi_program *program, bool multicast);

/* Whether a program that is only counted writes what a rank receives in a step's MULTICASTs, or sends in its REDUCEs,
 * as one operation (see `brief`): if each is one message. */
bool ashi_lower_together(const ashi_program *program, bool multicast);

/* How many messages a rank sends and receives in a group, without those of a sub-torus: what is visited, counted. */
typedef struct ashi_traffic {
    int64_t sends, receives;
} ashi_traffic;

ashi_traffic ashi_lower_count(const ashi_program *program, const ashi_operation *group, int64_t rank);

#endif
