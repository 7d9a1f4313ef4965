/* How the ranks that share a block cut it along one side so that none has more words than others: by turns. */
#include "search/turns.h"

#include "base/checked.h"

/* Parts that differ by less than one of EVEN of their length are equal enough. More than MOST bands are not worth
 * their edges, and in all a layout is to have no more than TILES bands of parts: on more ranks than half of that every
 * part is found at once, and comparing grids stays quick. */
enum { EVEN = 256, MOST = 32, TILES = 1 << 14 };

/*
 * Part r begins at position (side * r + phase) / parts of a band, rounded down, with phases spread evenly from 0 to
 * parts - 1. Over all phases each part is longer as often as every other, and over some evenly spread ones as often or
 * once more. parts / gcd(parts, side) phases do as well as all.
 */
ashi_turns ashi_turns_of(int64_t side, int64_t parts, int64_t rounds, int64_t ranks)
{
    const int64_t period = parts / ashi_common_divisor(parts, side % parts);
    const int64_t wanted = side > 0 ? ashi_ceil_div(EVEN * parts, side) : 1;
    const int64_t most = ashi_max(1, ashi_min(ashi_min(MOST, TILES / ranks), rounds));
    const bool even = side % parts == 0 || wanted <= 1;
    return (ashi_turns){parts, even ? 1 : ashi_min(ashi_min(wanted, period), most), rounds};
}

/* The shift of a band's edges, in parts of an index. */
static int64_t phase(const ashi_turns *t, int64_t band)
{
    return band * t->parts / t->bands;
}

/* The first band whose phase is at least `least`. */
static int64_t band_of(const ashi_turns *t, int64_t least)
{
    return ashi_ceil_div(least * t->bands, t->parts);
}

int64_t ashi_turns_edge(const ashi_turns *t, int64_t side, int64_t band, int64_t part)
{
    if (t->bands == 1)
        return ashi_cut(side, t->parts, part);
    return side / t->parts * part + (side % t->parts * part + phase(t, band)) / t->parts;
}

int64_t ashi_turns_part(const ashi_turns *t, int64_t side, int64_t band, int64_t position)
{
    if (t->bands == 1)
        return ashi_cut_find(side, t->parts, position);
    return ((position + 1) * t->parts - 1 - phase(t, band)) / side;
}

int64_t ashi_turns_band(const ashi_turns *t, int64_t across, int64_t band)
{
    return ashi_cut(across, t->rounds, ashi_cut(t->rounds, t->bands, band));
}

/* In the bands in which it is longer a part has an index more: in those whose phases lie in an interval, round the
 * circle. */
int64_t ashi_turns_words(const ashi_turns *t, int64_t side, int64_t across, int64_t part)
{
    const int64_t longer = side % t->parts, words = side / t->parts * across;
    if (t->bands == 1)
        return ashi_cut_size(side, t->parts, part) * across;
    const int64_t end = t->parts - longer * part % t->parts, begin = end - longer;
    const int64_t to = ashi_turns_band(t, across, band_of(t, end));
    if (begin >= 0)
        return words + to - ashi_turns_band(t, across, band_of(t, begin));
    return words + to + across - ashi_turns_band(t, across, band_of(t, begin + t->parts));
}

void ashi_turns_extremes(const ashi_turns *t, int64_t side, int64_t across, int64_t lo, int64_t hi, int64_t out[2])
{
    out[0] = ashi_turns_words(t, side, across, hi - 1);
    out[1] = ashi_turns_words(t, side, across, lo);
    for (int64_t part = lo; part < hi && t->bands > 1; part++) {
        const int64_t words = ashi_turns_words(t, side, across, part);
        out[0] = ashi_min(out[0], words);
        out[1] = ashi_max(out[1], words);
    }
}
