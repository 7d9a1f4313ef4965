/* The memory that uneven boxes are cut for. */
#ifndef ASHI_UNEVEN_H
#define ASHI_UNEVEN_H

#include "strategy/strategy.h"
#include "strategy/uneven_room.h"

/* In layouts of their own what the limit leaves, the least where that is hardly enough for any boxes; else none. */
ashi_uneven_room ashi_uneven_room_of(const ashi_problem *problem);

#endif
