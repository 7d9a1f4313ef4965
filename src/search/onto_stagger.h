/* Whether the strips of a product on a device are staggered, and over how many slabs of k. */
#ifndef ASHI_SEARCH_ONTO_STAGGER_H
#define ASHI_SEARCH_ONTO_STAGGER_H

#include "search/onto_device.h"
#include "search/tiling.h"

/* Seconds that a nest in which C stays is predicted to take: steps, each as long as the longest of its copies in, its
 * copies out with what waits for them, and its products. `request` is that of the tiling. */
double ashi_onto_seconds(const ashi_onto_problem *problem, const ashi_tiling_request *request, const ashi_nest *nest);

/* Stagger the strips of a tiling if that is predicted to take less time, in the memory of the problem and within 5 % of
 * the fewest words of any tiling. */
void ashi_onto_stagger(const ashi_onto_problem *problem, const ashi_tiling_request *request, ashi_nest *nest);

#endif
