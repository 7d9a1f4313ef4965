/* What the strategies share whose domains are boxes of any shape: the way from boxes to a proposal. */
#ifndef ASHI_BOXES_H
#define ASHI_BOXES_H

#include "strategy/strategy.h"

/* ASHLAR_ERR_UNSUPPORTED where no boxes can serve: for files, an empty product, or a grid that is asked for. */
ashlar_status ashi_boxes_check(const char *strategy, const ashi_problem *problem, ashlar_error *err);

/* Append a proposal whose bricks are made: own layouts where there are neither the caller's nor its own, ranks near
 * what they own, and an estimate unless it is foreseen. Rounds are left to be
 * found. Takes over the proposal, also where it fails. */
ashlar_status ashi_boxes_add(const ashi_problem *problem, ashi_proposal *proposal, ashi_proposals *out,
                             ashlar_error *err);

#endif
