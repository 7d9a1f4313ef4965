/* Batches of products that teams of ranks form side by side: which values of the batch, by which ranks. */
#ifndef ASHI_CONTRACT_TEAMS_H
#define ASHI_CONTRACT_TEAMS_H

#include "contract/ranks.h"

enum { ASHI_TEAM_LEVELS = 8 };

/* Some values of the batch, one after the other in each team. All teams have a plan, and the same one. */
typedef struct ashi_team_level {
    int size;                    /* ranks of a team: it divides the ranks */
    int teams;                   /* the first ones, which form products */
    int64_t first, turns;        /* team t forms `turns` values from first + t * turns on */
    ashlar_context *context;     /* of this rank's team */
    ashlar_plan *plan;
    bool moves[ASHI_MATRICES];   /* to or from the team's layout; else that is the caller's, or the plan's own */
    int64_t part[ASHI_MATRICES]; /* elements of this rank's part of each matrix of a value */
} ashi_team_level;

typedef struct ashi_teams {
    ashi_over_ranks over;
    bool spread; /* a team's ranks are as far apart as can be, and what moves goes to a layout like the caller's; else
                    they are neighbours, and it goes to the plan's own */
    int levels;
    ashi_team_level level[ASHI_TEAM_LEVELS];
    int *team_of;                          /* of each product: its level and team, as one number above 0 */
    ashlar_mover *(*mover)[ASHI_MATRICES]; /* of each piece: of what moves */
    int64_t at[ASHI_MATRICES];             /* where those of a value are in the workspace, behind what all work in */
    int64_t moving_words;                  /* workspace of the movers */
    int64_t buffer_words;                  /* room for the matrices that move */
} ashi_teams;

/* What a choice of teams goes by. */
typedef struct ashi_teams_request {
    int64_t m, n, k, batches;
    int ranks;
    ashlar_type type;
    const ashlar_machine *machine;
    ashlar_objective objective;
} ashi_teams_request;

/* The levels of the least sum of estimated seconds, or if so asked of the fewest words with the arithmetic dealt out
 * evenly: sizes, teams, values. None if that is all products on all ranks. Every product of a level counts as the words
 * of its bound and its share of the arithmetic. Local. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_teams_choose(const ashi_teams_request *request, ashi_teams *out, ashlar_error *err);

/* The value of the batch that a team forms in a turn of a level. */
static inline int64_t ashi_teams_value(const ashi_team_level *level, int team, int64_t turn)
{
    return level->first + team * level->turns + turn;
}

/* The number of a team of a level. */
static inline int ashi_teams_number(const ashi_team_level *level, const ashi_team_level *levels, int ranks, int team)
{
    return 1 + (int)(level - levels) * ranks + team;
}

/* The level that a piece belongs to. */
static inline const ashi_team_level *ashi_teams_level(const ashlar_contraction_plan *plan, const ashi_teams *teams,
                                                      int piece)
{
    return &teams->level[(teams->over.piece[piece].team - 1) / plan->context->ranks];
}

/* The ranks of a team of a level, and the team of a rank. */
static inline ashi_some_ranks ashi_teams_ranks(const ashi_teams *teams, const ashi_team_level *level, int ranks,
                                               int team)
{
    return teams->spread ? (ashi_some_ranks){level->size, team, ranks / level->size}
                         : (ashi_some_ranks){level->size, team * level->size, 1};
}

static inline int ashi_teams_of(const ashi_teams *teams, const ashi_team_level *level, int ranks, int rank)
{
    return teams->spread ? rank % (ranks / level->size) : rank / level->size;
}

/* Once values are dealt out: the levels' contexts and plans, the movers, the tensors' own layouts. Collective; the same
 * on all ranks. */
ashlar_status ashi_teams_plans(ashlar_contraction_plan *plan, ashi_teams *teams, const ashi_options_taken *how,
                               ashlar_error *err);

/* Execute. Collective over all ranks; the status is this rank's own. */
ashlar_status ashi_teams_run(ashlar_contraction_plan *plan, const ashi_contract_arguments *with, ashlar_error *err);

#endif
