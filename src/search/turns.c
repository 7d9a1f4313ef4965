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

/* The words of a part that is an index longer in the bands with a phase from end - longer to below `end`, round the
 * circle; 0 < end <= parts. */
static int64_t words_of(const ashi_turns *t, int64_t side, int64_t across, int64_t end)
{
    const int64_t begin = end - side % t->parts, words = side / t->parts * across;
    const int64_t to = ashi_turns_band(t, across, band_of(t, end));
    if (begin >= 0)
        return words + to - ashi_turns_band(t, across, band_of(t, begin));
    return words + to + across - ashi_turns_band(t, across, band_of(t, begin + t->parts));
}

int64_t ashi_turns_words(const ashi_turns *t, int64_t side, int64_t across, int64_t part)
{
    if (t->bands == 1)
        return ashi_cut_size(side, t->parts, part) * across;
    return words_of(t, side, across, t->parts - side % t->parts * part % t->parts);
}

/* The least x for which step * x modulo `all` is from lo to hi, INT64_MAX if there is none; 0 <= step < all and 0 <= lo
 * <= hi < all. A step of more than half the circle is one of less than half the other way round. If the multiples of
 * `step` skip lo .. hi, what counts is where they begin each time round, which is the same question modulo `step`. */
static int64_t first_within(int64_t step, int64_t all, int64_t lo, int64_t hi)
{
    if (lo == 0)
        return 0;
    if (step == 0)
        return INT64_MAX;
    if (2 * step > all)
        return first_within(all - step, all, all - hi, all - lo);
    const int64_t x = ashi_ceil_div(lo, step);
    if (x * step <= hi)
        return x;
    const int64_t rounds = first_within((step - all % step) % step, step, lo % step, hi % step);
    return rounds == INT64_MAX ? rounds : ashi_ceil_div(lo + rounds * all, step);
}

/* Some parts of a block that is cut by turns. */
typedef struct some {
    const ashi_turns *turns;
    int64_t side, across, lo, hi; /* parts lo .. hi-1 */
} some;

/* Include those whose end, as words_of has it, is from first to last, and which all have as many words. */
static void include_ends(const some *s, int64_t first, int64_t last, int64_t out[2])
{
    const int64_t parts = s->turns->parts, longer = s->side % parts;
    /* Part s->lo + x ends at parts - (before + longer * x modulo parts). */
    const int64_t before = longer * s->lo % parts, lo = parts - last - before, hi = parts - first - before;
    const int64_t round = hi < 0 ? parts : 0;
    const int64_t x = lo < 0 && hi >= 0 ? 0 : first_within(longer, parts, lo + round, hi + round);
    if (x >= s->hi - s->lo)
        return;
    const int64_t words = words_of(s->turns, s->side, s->across, first);
    out[0] = ashi_min(out[0], words);
    out[1] = ashi_max(out[1], words);
}

/* Takes steps for each band and none for each part. Of the parts that end between the same two phases those that end
 * last may begin to be longer one band later than the others, and have fewer words. */
void ashi_turns_extremes(const ashi_turns *t, int64_t side, int64_t across, int64_t lo, int64_t hi, int64_t out[2])
{
    const some s = {t, side, across, lo, hi};
    const int64_t longer = side % t->parts;
    out[0] = ashi_turns_words(t, side, across, hi - 1);
    out[1] = ashi_turns_words(t, side, across, lo);
    for (int64_t band = 0; band < t->bands && t->bands > 1; band++) {
        const int64_t first = phase(t, band) + 1, last = phase(t, band + 1);
        const int64_t begin = last - longer + (last > longer ? 0 : t->parts); /* of those that end last */
        const int64_t later = ashi_max(first, last - begin + phase(t, band_of(t, begin) - 1) + 1);
        if (first < later)
            include_ends(&s, first, later - 1, out);
        if (later <= last)
            include_ends(&s, later, last, out);
    }
}
