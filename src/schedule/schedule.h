/* A schedule: what a strategy makes of a problem, and how to get the program of every rank from it.
 *
 * A rank sums up the boxes of its parts: one, or several if it stands for several ranks of a larger machine. Sums that
 * are not made in the rank's own C have a place in its pool, part after part. Boxes are in axis positions
 * (layout/axis.h). */
#ifndef ASHI_SCHEDULE_H
#define ASHI_SCHEDULE_H

#include "model/torus.h"
#include "schedule/home.h"
#include "schedule/stays.h"

enum { ASHI_WINDOW_USUAL = 2, ASHI_WINDOW_MAX = 16 }; /* rounds in flight */

typedef struct ashi_schedule ashi_schedule;
struct ashi_program;

struct ashi_schedule {
    const char *strategy;
    int64_t m, n, k, ranks;
    ashi_view view[3]; /* of op(A), op(B), C */
    int64_t grid[3];   /* parts of m, n and k; all 0 if the boxes are not those of a grid */
    int64_t ranks_used, rounds, reduce_rounds;
    ashi_stays stays;  /* A or B: reduce_rounds are those in which it arrives */
    int window;
    bool tree;         /* group operations go along binomial trees; sums do not if one_sided */
    ashi_torus torus;  /* a MULTICAST whose ranks are a sub-torus of it goes along that one's links; `tree` is set */
    bool one_sided;    /* messages are put into the receiver's memory */
    void *own;         /* the strategy's */

    /* The program of the products and messages (schedule/program.h). */
    ashlar_status (*program)(ashi_schedule *schedule, struct ashi_program *out, ashlar_error *err);
    /* How many parts a rank has, at least 1; each one's box of C, empty for an idle rank, and its place. */
    int64_t (*parts)(const ashi_schedule *schedule, int64_t rank);
    ashi_box (*domain)(const ashi_schedule *schedule, int64_t rank, int64_t part);
    ashi_home (*home)(const ashi_schedule *schedule, int64_t rank, int64_t part);
    void (*free_own)(ashi_schedule *schedule);
};

/* An ashi_schedule's `parts` if every rank has one. */
int64_t ashi_schedule_one_part(const ashi_schedule *schedule, int64_t rank);

/* Whether any rank sums up some of its boxes in its pool, and not where its C lies: then sums leave the rank that made
 * them, or are copied within it. */
bool ashi_schedule_sums_move(const ashi_schedule *schedule);

/* Free what a schedule holds; the views' layouts are not its own. */
void ashi_schedule_free(ashi_schedule *schedule);

#endif
