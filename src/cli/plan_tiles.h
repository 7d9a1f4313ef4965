/* `ashlar plan` and `ashlar simulate` of matrices of tiles, in files or described. */
#ifndef ASHI_PLAN_TILES_H
#define ASHI_PLAN_TILES_H

#include "choose/weigh_ways.h"
#include "cli/plan_device.h"
#include "cli/problem_line.h"
#include "simulate/joint.h"

#include <jansson.h>

/* What the options say of the tiles. */
typedef struct ashi_tiles_wish {
    const char *command;
    const char *tiling;       /* NULL: A and B are in files */
    double density, decay;    /* of a tiling */
    int64_t seed;
    bool density_given, decay_given, seed_given;
    bool plays;               /* all ranks are played against lanes, if that is not too much */
    bool json, quiet;
    ashi_plan_device_wish device;
} ashi_tiles_wish;

/* A matrix that is read or described: which tiles there are, and no elements. */
typedef struct ashi_tiles_factor {
    ashi_cuts row, col;
    ashi_pattern pattern;
    ashlar_symmetry symmetry;
    int64_t *rank;            /* of each tile that is stored as U V^T, -1: it is dense; NULL: all are */
    int64_t low_tiles, words; /* stored as U V^T; what is stored of all tiles */
    double density;           /* of elements; mirror images count */
    ashi_factor factor;       /* op of it */
} ashi_tiles_factor;

/* What is planned. */
typedef struct ashi_tiles_case {
    const ashi_tiles_wish *wish;
    ashi_problem problem;
    ashi_tiles_factor x[2];
    ashi_factor a_columns;
    ashi_cuts cuts[3];        /* of m, n and k: not owned */
    ashi_sparse_product product;
    ashi_sparse_request request;
    ashi_sparse_plan plan;
    ashi_ways_weighed ways;
    ashi_joint_play play;
    bool unplayed;            /* it was asked for, and there are too many tasks */
    ashi_plan_device device;
} ashi_tiles_case;

/* Plan for places[0] and places[1], or for the M, N and K of a tiling. The exit status, after one line of complaint if
 * that is not 0. */
int ashi_plan_tiles(const ashi_tiles_wish *wish, ashi_problem_line *line, char *const places[3]);

/* On standard output. */
void ashi_plan_tiles_print(const ashi_tiles_case *c);
json_t *ashi_plan_tiles_json(const ashi_tiles_case *c);

/* Their part on which matrix stays. */
void ashi_plan_tiles_print_ways(const ashi_tiles_case *c);
json_t *ashi_plan_tiles_ways_json(const ashi_tiles_case *c);

/* What they take of the ranks' devices, if these were asked for: as with C in one layer, and without a limit of memory.
 * Errors of ashi_plan_device_terms and ashi_onto_tiles_of_rank; ASHLAR_ERR_UNSUPPORTED: there are too many tiles. */
ashlar_status ashi_plan_tiles_device(ashi_tiles_case *c, ashlar_error *err);

/* Tiles of low rank are the host's. */
static inline bool ashi_tiles_are_low(const ashi_tiles_case *c)
{
    return c->x[0].low_tiles + c->x[1].low_tiles > 0;
}

/* The largest over the smallest of what tiles of C have, and of what products of tiles take; 1 if there are none. Tiles
 * without elements do not count. */
double ashi_tiles_words_ratio(const ashi_tiles_case *c);
double ashi_tiles_work_ratio(const ashi_tiles_case *c);

/* Tiles of C for each rank below which a core has too few of them. Source: Calvin, Lewis and Valeev 2015, section 4.3,
 * where four or fewer make the efficiency drop to a half. */
enum { ASHI_TILES_ENOUGH = 5 };

static inline double ashi_tiles_for_each(const ashi_tiles_case *c)
{
    return (double)c->plan.of[0].totals.c_tiles / (double)c->problem.ranks;
}

#endif
