/* The tiling for matrices in files that do not fit in memory: who reads what together, what stays, which tile, which
 * slab. */
#ifndef ASHI_TILING_H
#define ASHI_TILING_H

#include "search/tiling_seconds.h"

/* Choose what stays, teams, tiles and slabs: within 5 % of the fewest words of files that any integer tiling for the
 * joint memory takes, the one that is predicted to be fastest (tiling.c). One of up to half as many words again is
 * taken if it is predicted to take at most 0.9 of that time, unless fewest_words is wanted. If the disk was not
 * measured and no file has chunks, one of up to a quarter as many words again is taken in place of slabs thinner than
 * 256 bytes, if time x words is at most half. If files have chunks, tilings are also cut in units of these. Either all
 * ranks are one team, or each reads for itself: one team unless that is predicted to take more than 5 % longer, because
 * the disk beats the network. With `least` they are one team, and the fewest words that are found are read, within 5 %
 * of the fewest of all, whatever the time.
 * @return ASHLAR_OK; ASHLAR_ERR_LIMIT if memory_words are fewer than ashi_tiling_least; ASHLAR_ERR_OVERFLOW */
ashlar_status ashi_tiling_choose(const ashi_tiling_request *request, ashi_nest *out, ashlar_error *err);

/* The fewest words of files that any integer tiling takes if each rank reads for itself; at most INT64_MAX. k >= 1, and
 * memory_words at least ashi_tiling_least. */
int64_t ashi_tiling_fewest(const ashi_tiling_request *request);

/* The least memory_words that a tiling can do with. */
int64_t ashi_tiling_least(const ashi_tiling_request *request);

/* The same if there is nothing to multiply, k = 0: C is written, beta C0 or zeros, in pieces of at most memory_words
 * that are whole rows of its file, or whole columns unless by_rows, or parts of one. The size may be 0. */
ashi_nest ashi_tiling_lines(const ashi_tiling_request *request, bool by_rows);

#endif
