/* How thick the slabs of a box can be in a rank's memory, and what thin ones cost. */
#include "strategy/uneven_room.h"

#include <math.h>

static const double thick = 64;     /* thinner slabs waste the BLAS, and their messages cost more than their words: */
static const double thinner = 0.01; /* this part of the words each time that the slabs are as many again */
static const double beside = 2;     /* words of a slab with those that arrive beside it or are packed to be sent */
static const double scattered = 3;  /* tiles of an owner of C in a box, of which a round of sums has a column each */

/* What is held all the time: sums of C are made beside its share, which mostly is of several tiles. */
static double fixed(const ashi_uneven_room *room, bool layered, const double size[3], double ranks,
                    const double side[3])
{
    const double beside_share = side[0] * side[1] - (room->once && layered ? size[0] * size[1] / ranks : 0);
    return (size[0] * size[1] + size[2] * (size[0] + size[1])) / ranks + fmax(beside_share, 0);
}

double ashi_uneven_need(const ashi_uneven_room *room, bool layered, const double size[3], double ranks,
                        const double side[3])
{
    const double boxes = side[2] < size[2] ? ranks * side[0] * side[1] / (size[0] * size[1]) : 0; /* that share sums */
    return fixed(room, layered, size, ranks, side) + beside * fmax(side[0] + side[1], scattered * side[0] * boxes);
}

double ashi_uneven_thinness(const ashi_uneven_room *room, bool layered, const double size[3], double ranks,
                            const double side[3])
{
    const double words = (double)room->words;
    if (room->words <= 0)
        return 1;
    if (words < ashi_uneven_need(room, layered, size, ranks, side))
        return INFINITY;
    const double slab =
        (words - fixed(room, layered, size, ranks, side)) / (beside * room->window * (side[0] + side[1]));
    return ashi_uneven_thin(slab, side[2]);
}

double ashi_uneven_thin(double slab, double side)
{
    const double enough = fmin(thick, side);
    return slab >= enough ? 1 : 1 + thinner * (enough / slab - 1);
}
