/* Boxes computed where one of the matrices lies: by its owners alone, however few they are. */
#ifndef ASHI_AT_HOME_H
#define ASHI_AT_HOME_H

#include "strategy/strategy.h"

/* Append, for each of A, B and C, the grid whose cells are the parts of that matrix that hold anything, each computed
 * by its owner. A small matrix lies on few ranks: there the messages that would bring the others to work can take
 * longer than the work. Only where every matrix has a layout, each rank at most one part of that matrix, and time
 * counts. */
ashlar_status ashi_at_home(const ashi_problem *problem, ashi_proposals *out, ashlar_error *err);

#endif
