/* A problem as the command line states it: the options that plan, simulate and check-schedule share. */
#ifndef ASHI_PROBLEM_LINE_H
#define ASHI_PROBLEM_LINE_H

#include "cli/options.h"
#include "cli/strategy_words.h"
#include "strategy/strategy.h"

enum { ASHI_PROBLEM_OPTIONS = 19 };

/* Start with ashi_problem_line_default, end with ashi_problem_line_free. */
typedef struct ashi_problem_line {
    int64_t ranks, memory, memory_words, window, node_ranks;
    bool ranks_given, memory_given, words_given, window_given;
    bool takes_all, every; /* --strategy all may be said; was */
    int type, op[2], objective, route;
    double idle;
    const char *grid, *machine, *torus, *strategy, *layout[3], *layouts;
    char strategies[ASHI_STRATEGY_WORDS]; /* what --strategy may be */
    ashlar_layout *made[3];
    int *node_of;
} ashi_problem_line;

ashi_problem_line ashi_problem_line_default(void);

/* Write the ASHI_PROBLEM_OPTIONS options whose values are in `line`. */
void ashi_problem_line_options(ashi_problem_line *line, ashi_option *out);

/* Make the problem of M, N and K in size[0] .. size[2], each at least `least`. The problem refers to the line's
 * layouts and nodes.
 * @return -1: go on; else exit with this status, one line having been written. */
int ashi_problem_line_read(const char *command, ashi_problem_line *line, char *const size[3], int64_t least,
                           ashi_problem *out);

void ashi_problem_line_free(ashi_problem_line *line);

#endif
