/* How the ranks that share a block cut it along one side so that none has more words than others: by turns. */
#ifndef ASHI_TURNS_H
#define ASHI_TURNS_H

#include <stdint.h>

/*
 * A side is cut evenly into `parts`. If it does not divide, some parts are an index longer; if the same ones are along
 * the whole other side, the longest has up to one index too many, times the length of that side. So the other side is
 * cut into `bands`, and in each of them others are the longer ones.
 *
 * The other side is that which rounds cut, into `rounds` even slabs. A band is some whole slabs, so that all words of a
 * slab that a rank owns are one interval of the side.
 */
typedef struct ashi_turns {
    int64_t parts, bands, rounds;
} ashi_turns;

/* How `parts` ranks cut a side, if `ranks` ranks share the matrix: in one band if the parts are nearly equal already,
 * and never in more bands than rounds, or than a layout should have. */
ashi_turns ashi_turns_of(int64_t side, int64_t parts, int64_t rounds, int64_t ranks);

/* Where a part of the side begins in a band, and which part has a position there. */
int64_t ashi_turns_edge(const ashi_turns *turns, int64_t side, int64_t band, int64_t part);
int64_t ashi_turns_part(const ashi_turns *turns, int64_t side, int64_t band, int64_t position);

/* Where a band of the other side begins. */
int64_t ashi_turns_band(const ashi_turns *turns, int64_t across, int64_t band);

/* Words of a part of a block; the least and the most of the parts lo .. hi-1, which are at least one. */
int64_t ashi_turns_words(const ashi_turns *turns, int64_t side, int64_t across, int64_t part);
void ashi_turns_extremes(const ashi_turns *turns, int64_t side, int64_t across, int64_t lo, int64_t hi, int64_t out[2]);

#endif
