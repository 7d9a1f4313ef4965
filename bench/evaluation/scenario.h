/* The twelve scenarios of the COSMA paper's evaluation: their sizes, memory, counts of ranks and published words. */
#ifndef ASHI_SCENARIO_H
#define ASHI_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ashi_shape { ASHI_SQUARE, ASHI_LARGE_K, ASHI_LARGE_M, ASHI_FLAT, ASHI_SHAPES } ashi_shape;
typedef enum ashi_scaling { ASHI_STRONG, ASHI_LIMITED, ASHI_EXTRA, ASHI_SCALINGS } ashi_scaling;

/* The libraries of Table 4, in the order of its columns. */
typedef enum ashi_rival { ASHI_SCALAPACK, ASHI_CTF, ASHI_CARMA, ASHI_COSMA, ASHI_RIVALS } ashi_rival;

const char *ashi_shape_name(ashi_shape shape);
const char *ashi_scaling_name(ashi_scaling scaling);
const char *ashi_rival_name(ashi_rival rival);

/* Table 4: mean MB that a rank of a library moved. */
double ashi_scenario_published(ashi_shape shape, ashi_scaling scaling, ashi_rival rival);

/* The counts of ranks of the paper's runs, ascending; returns how many. `out` has room for ASHI_SCENARIO_COUNTS. */
enum { ASHI_SCENARIO_COUNTS = 48 };
int ashi_scenario_counts(int64_t out[ASHI_SCENARIO_COUNTS]);

/* The fewest of them that a scenario was run on. */
int64_t ashi_scenario_least_ranks(ashi_shape shape, ashi_scaling scaling);

/* m, n, k on so many ranks, 1 to 2^31 - 1. */
void ashi_scenario_size(ashi_shape shape, ashi_scaling scaling, int64_t ranks, int64_t size[3]);

/* Words of memory a rank: as the text says or, if `machine`, the main memory of a core. */
int64_t ashi_scenario_memory(ashi_scaling scaling, int64_t ranks, const int64_t size[3], bool machine);

#endif
