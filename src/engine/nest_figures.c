/* The closed forms of nests: words of files and of messages, memory, steps. */
#include "base/checked.h"
#include "base/error.h"
#include "base/wide.h"
#include "engine/nest_items.h"
#include "engine/nest_stagger.h"

/* The same figures before they are narrowed. */
typedef struct sums {
    ashi_wide a, b, c0, back, c, disk, received, sent, received_messages, sent_messages, products;
} sums;

/* Even cuts are of three lengths: the first ones may have a unit more, and the last one ends with the range. of[i] are
 * of length[i], the first of them at[i]. */
enum { LENGTHS = 3 };
typedef struct cuts {
    int64_t length[LENGTHS], of[LENGTHS], at[LENGTHS];
} cuts;

static cuts cuts_of(int64_t n, int64_t unit, int64_t count)
{
    const int64_t longer = count > 0 ? ashi_ceil_div(n, unit) % count : 0;
    cuts c = {.of = {longer, ashi_max(count - 1 - longer, 0), count > 0}, .at = {0, longer, ashi_max(count - 1, 0)}};
    for (int i = 0; i < LENGTHS && count > 0; i++)
        c.length[i] = ashi_cut_units(n, unit, count, ashi_min(c.at[i], count - 1) + 1) -
                      ashi_cut_units(n, unit, count, ashi_min(c.at[i], count - 1));
    return c;
}

static cuts blocks_of(const ashi_nest *nest, const ashi_nest_place *p, int d)
{
    return cuts_of(p->length[d], ashi_nest_unit(nest, d), p->count[d]);
}

/* Of a block that is cut among a team, what one of the team has. */
static int64_t own_length(const ashi_nest *nest, int d, int64_t length, int64_t at)
{
    const int64_t unit = ashi_nest_unit(nest, d), live = ashi_min(nest->team[d], ashi_ceil_div(length, unit));
    return at < live ? ashi_cut_units(length, unit, live, at + 1) - ashi_cut_units(length, unit, live, at) : 0;
}

/* One slab of A or B, `times` times. */
typedef struct slab {
    int64_t minor, major, sharers, sharer;
    ashi_wide times;
} slab;

static void count_slab(const ashi_nest *nest, ashlar_operand x, const slab *b, sums *s)
{
    const int64_t slow = nest->minor[x] ? b->major : b->minor, fast = nest->minor[x] ? b->minor : b->major;
    const int64_t unit = ashi_nest_piece_unit(nest, x), pieces = ashi_min(b->sharers, ashi_ceil_div(slow, unit));
    const int64_t own = ashi_cut_units(slow, unit, b->sharers, b->sharer + 1) -
                        ashi_cut_units(slow, unit, b->sharers, b->sharer);
    *(x == ASHLAR_A ? &s->a : &s->b) += b->times * own * fast;
    s->sent += b->times * own * fast * (b->sharers - 1);
    s->received += b->times * (slow - own) * fast;
    s->sent_messages += own > 0 ? b->times * (b->sharers - 1) : 0;
    s->received_messages += b->times * (pieces - (own > 0));
}

/* All items whose blocks have the lengths `length`. What stays is read once for all of them. */
static void count_items(const ashi_nest *nest, const ashi_nest_place *p, const int64_t length[3], const int64_t of[3],
                        sums *s)
{
    const int64_t live[2] = {ashi_min(nest->team[0], ashi_nest_units(nest, 0, length[0])),
                             ashi_min(nest->team[1], ashi_nest_units(nest, 1, length[1]))};
    const int64_t rows = own_length(nest, 0, length[0], p->at[0]), cols = own_length(nest, 1, length[1], p->at[1]);
    const ashi_wide times = (ashi_wide)of[0] * of[1] * of[2];
    const slab a = {rows, length[2], live[1], p->at[1], times}, b = {cols, length[2], live[0], p->at[0], times};
    if (rows == 0 || cols == 0 || times == 0)
        return;
    s->products += times * rows * cols * length[2];
    if (nest->stays != ASHLAR_A)
        count_slab(nest, ASHLAR_A, &a, s);
    if (nest->stays != ASHLAR_B)
        count_slab(nest, ASHLAR_B, &b, s);
}

/* C, and what stays of A or B. */
static void count_tiles(const ashi_nest *nest, const ashi_nest_place *p, sums *s)
{
    const cuts b[2] = {blocks_of(nest, p, 0), blocks_of(nest, p, 1)};
    const int64_t again = nest->stays == ASHLAR_C ? 1 : ashi_max(p->count[2], 1);
    for (int i = 0; i < LENGTHS * LENGTHS; i++) {
        const int of_m = i % LENGTHS, of_n = i / LENGTHS;
        const int64_t rows = own_length(nest, 0, b[0].length[of_m], p->at[0]);
        const int64_t cols = own_length(nest, 1, b[1].length[of_n], p->at[1]);
        const ashi_wide words = (ashi_wide)rows * cols * b[0].of[of_m] * b[1].of[of_n];
        s->c += words * again;
        s->back += words * (again - 1);
        s->c0 += nest->adds ? words : 0;
    }
    for (int i = 0; i < LENGTHS && nest->stays != ASHLAR_C; i++) {
        const int d = nest->stays == ASHLAR_A ? 0 : 1;
        const ashi_wide words = (ashi_wide)own_length(nest, d, b[d].length[i], p->at[d]) * b[d].of[i];
        *(nest->stays == ASHLAR_A ? &s->a : &s->b) += words * p->length[2];
    }
}

static sums count(const ashi_nest *nest, const ashi_nest_place *p)
{
    sums s = {0};
    if (p->idle)
        return s;
    const cuts b[3] = {blocks_of(nest, p, 0), blocks_of(nest, p, 1), blocks_of(nest, p, 2)};
    for (int i = 0; i < LENGTHS * LENGTHS * LENGTHS; i++) {
        const int at[3] = {i % LENGTHS, i / LENGTHS % LENGTHS, i / LENGTHS / LENGTHS};
        const int64_t length[3] = {b[0].length[at[0]], b[1].length[at[1]], b[2].length[at[2]]};
        const int64_t of[3] = {b[0].of[at[0]], b[1].of[at[1]], b[2].of[at[2]]};
        count_items(nest, p, length, of, &s);
    }
    count_tiles(nest, p, &s);
    s.disk = s.a + s.b + s.c0 + s.back + s.c;
    return s;
}

enum { FIGURES = 11 };

/* The figures one after the other. */
static void list(sums *s, ashi_wide *at[FIGURES])
{
    ashi_wide *const all[FIGURES] = {&s->a, &s->b, &s->c0, &s->back, &s->c, &s->disk, &s->received, &s->sent,
                                     &s->received_messages, &s->sent_messages, &s->products};
    for (int i = 0; i < FIGURES; i++)
        at[i] = all[i];
}

static bool narrow(sums *s, ashi_nest_figures *f)
{
    int64_t *const to[FIGURES] = {&f->a, &f->b, &f->c0, &f->back, &f->c, &f->disk, &f->received, &f->sent,
                                  &f->received_messages, &f->sent_messages, &f->products};
    ashi_wide *from[FIGURES];
    bool fits = true;
    list(s, from);
    *f = (ashi_nest_figures){0};
    for (int i = 0; i < FIGURES; i++)
        fits = ashi_narrow(*from[i], to[i]) && fits;
    return fits;
}

ashi_nest_figures ashi_nest_of_rank(const ashi_nest *nest, int64_t rank)
{
    if (nest->stagger > 0)
        return ashi_stagger_figures(nest);
    const ashi_nest_place p = ashi_nest_place_of(nest, rank);
    sums s = count(nest, &p);
    ashi_nest_figures f;
    narrow(&s, &f);
    return f;
}

/* The ranks of one team stand for those of `teams` equal ones. */
static void add_team(const ashi_nest *nest, int64_t team, int64_t teams, sums *total, sums *most)
{
    const int64_t members = nest->team[0] * nest->team[1];
    ashi_wide *all[FIGURES], *largest[FIGURES], *own[FIGURES];
    list(total, all);
    list(most, largest);
    for (int64_t r = 0; r < members && teams > 0; r++) {
        const ashi_nest_place p = ashi_nest_place_of(nest, team * members + r);
        sums s = count(nest, &p);
        list(&s, own);
        for (int i = 0; i < FIGURES; i++) {
            *all[i] += *own[i] * teams;
            if (*own[i] > *largest[i])
                *largest[i] = *own[i];
        }
    }
}

ashlar_status ashi_nest_total(const ashi_nest *nest, ashi_nest_figures *total, ashi_nest_figures *most,
                              ashlar_error *err)
{
    if (nest->stagger > 0) {
        *total = *most = ashi_stagger_figures(nest);
        return ASHLAR_OK;
    }
    sums all = {0}, largest = {0};
    const cuts of_m = cuts_of(nest->size[0], ashi_nest_unit(nest, 0), nest->parts[0]);
    const cuts of_n = cuts_of(nest->size[1], ashi_nest_unit(nest, 1), nest->parts[1]);
    for (int i = 0; i < LENGTHS; i++) /* one part of each length stands for all */
        for (int j = 0; j < LENGTHS; j++)
            add_team(nest, of_m.at[i] + of_n.at[j] * nest->parts[0], of_m.of[i] * of_n.of[j], &all, &largest);
    if (narrow(&all, total) && narrow(&largest, most))
        return ASHLAR_OK;
    return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the words to be read from files do not fit in 64 bits");
}

void ashi_nest_shape(const ashi_nest *nest, int64_t shape[3])
{
    if (nest->stagger > 0) {
        ashi_stagger_shape(nest, shape);
        return;
    }
    const ashi_nest_place p = ashi_nest_place_of(nest, 0);
    for (int d = 0; d < 3; d++) {
        const int64_t unit = ashi_nest_unit(nest, d), all = ashi_ceil_div(p.length[d], unit);
        const int64_t units = p.count[d] > 0 ? ashi_ceil_div(all, p.count[d]) : 0;
        shape[d] = d < 2 && units > 0 ? ashi_ceil_div(units, ashi_min(nest->team[d], units)) : units;
        shape[d] = ashi_min(shape[d] * unit, p.length[d]);
    }
}

int64_t ashi_nest_memory(const ashi_nest *nest)
{
    if (nest->stagger > 0)
        return ashi_stagger_memory(nest);
    const ashi_nest_place p = ashi_nest_place_of(nest, 0);
    const int64_t buffers = ashi_min(1 + nest->ahead, p.items);
    int64_t shape[3], words[3];
    ashi_nest_shape(nest, shape);
    words[ASHLAR_A] = shape[0] * shape[2];
    words[ASHLAR_B] = shape[1] * shape[2];
    words[ASHLAR_C] = shape[0] * shape[1];
    return words[nest->stays] + buffers * (words[0] + words[1] + words[2] - words[nest->stays]);
}

static const char too_many[] = "the steps of streaming so little at a time do not fit in 64 bits";

ashlar_status ashi_nest_steps(const ashi_nest *nest, int64_t *steps, ashlar_error *err)
{
    const ashi_nest_place p = ashi_nest_place_of(nest, 0);
    if (nest->stagger > 0) {
        *steps = ashi_stagger_of(nest).items;
        return ashi_add(*steps, 2, steps) ? ASHLAR_OK : ashi_fail(err, ASHLAR_ERR_OVERFLOW, "%s", too_many);
    }
    *steps = p.idle ? 0 : 1;
    for (int d = 0; d < 3 && *steps > 0; d++)
        if (!ashi_mul(*steps, d < 2 ? p.count[d] : ashi_max(p.count[d], 1), steps))
            return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "%s", too_many);
    if (*steps > 0)
        *steps = ashi_max((nest->to > 0 ? ashi_min(nest->to, *steps) : *steps) - nest->from, 0);
    if (*steps > 0 && !ashi_add(*steps, 2 * nest->ahead, steps))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "%s", too_many);
    return ASHLAR_OK;
}
