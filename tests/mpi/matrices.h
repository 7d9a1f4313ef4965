/* Matrices whose elements every rank knows from a seed, held in a rank's memory as a layout says, between guards. */
#ifndef ASHI_MATRICES_H
#define ASHI_MATRICES_H

#include "base/half.h"
#include "base/type.h"
#include "layout/layout.h"
#include "random_layout.h"

#include <ashlar/ashlar.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Elements before and after a matrix; tiles of one rank at most. */
enum { GUARD = 8, TILES_MOST = RANDOM_TILES_MAX * RANDOM_TILES_MAX };

typedef struct number {
    long double re, im;
} number;

static inline number number_add(number x, number y)
{
    return (number){x.re + y.re, x.im + y.im};
}

static inline number number_mul(number x, number y)
{
    return (number){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

static inline long double number_abs(number x)
{
    return hypotl(x.re, x.im);
}

static inline bool is_narrow(ashlar_type type)
{
    return type == ASHLAR_TYPE_H || type == ASHLAR_TYPE_B;
}

static inline uint16_t narrow_of(ashlar_type type, number x)
{
    return type == ASHLAR_TYPE_H ? ashi_half_of_float((float)x.re) : ashi_brief_of_float((float)x.re);
}

static inline void number_store(ashlar_type type, number x, void *to)
{
    if (is_narrow(type)) {
        const uint16_t bits = narrow_of(type, x);
        memcpy(to, &bits, sizeof bits);
        return;
    }
    const float f[2] = {(float)x.re, (float)x.im};
    const double d[2] = {(double)x.re, (double)x.im};
    const bool single = type == ASHLAR_TYPE_S || type == ASHLAR_TYPE_C;
    memcpy(to, single ? (const void *)f : (const void *)d, ashlar_type_bytes(type));
}

static inline number number_load(ashlar_type type, const void *from)
{
    if (is_narrow(type)) {
        uint16_t bits;
        memcpy(&bits, from, sizeof bits);
        return (number){type == ASHLAR_TYPE_H ? ashi_half_to_float(bits) : ashi_brief_to_float(bits), 0};
    }
    float f[2] = {0, 0};
    double d[2] = {0, 0};
    const bool single = type == ASHLAR_TYPE_S || type == ASHLAR_TYPE_C;
    memcpy(single ? (void *)f : (void *)d, from, ashlar_type_bytes(type));
    return single ? (number){f[0], f[1]} : (number){d[0], d[1]};
}

/* What a matrix is made of: small integers, with which every sum is exact, or numbers in -1 .. 1. */
typedef struct content {
    ashlar_type type;
    uint64_t seed;
    bool integers;
} content;

static inline number random_number(const content *c, uint64_t *state)
{
    const uint64_t x = ashi_random(state), y = ashi_random(state);
    number n = {(long double)(x >> 40) / 0x1p23L - 1, (long double)(y >> 40) / 0x1p23L - 1};
    if (c->integers)
        n = (number){(long double)(x % 7) - 3, (long double)(y % 7) - 3};
    if (!ashi_type_of(c->type)->complex)
        n.im = 0;
    if (is_narrow(c->type)) { /* a number that the type has */
        const uint16_t bits = narrow_of(c->type, n);
        n = number_load(c->type, &bits);
    }
    return n;
}

static inline number element(const content *c, int64_t i, int64_t j)
{
    uint64_t state = c->seed + (uint64_t)i * 0x9E3779B97F4A7C15u + (uint64_t)j * 0xC2B2AE3D27D4EB4Fu;
    return random_number(c, &state);
}

/* One rank's part. Gaps and guards are filled with a NaN, so that what reads them shows it. */
typedef struct part {
    content content;
    const ashlar_layout *layout;
    int rank;
    unsigned char *memory, *before; /* with guards; as it was filled */
    size_t bytes;                   /* of all of it */
    void *base;                     /* NULL where the rank owns nothing */
    void *tile[TILES_MOST];         /* the first ones */
} part;

static inline void *part_at(const part *p, unsigned char *memory, int64_t i, int64_t j)
{
    const int64_t at = ashlar_layout_offset(p->layout, i, j) + GUARD;
    return memory + (size_t)at * ashlar_type_bytes(p->content.type);
}

static inline bool part_owns(const part *p, int64_t i, int64_t j)
{
    return ashlar_layout_owner(p->layout, i, j) == p->rank;
}

static inline void point_at_tiles(part *p)
{
    const ashlar_layout *l = p->layout;
    const size_t word = ashlar_type_bytes(p->content.type);
    for (int64_t r = 0; r < l->row.parts; r++)
        for (int64_t c = 0; c < l->col.parts; c++)
            if (l->owner[r * l->col.parts + c] == p->rank) {
                const ashi_storage s = ashi_layout_storage(l, r, c);
                if (s.tile < TILES_MOST)
                    p->tile[s.tile] = p->memory + (size_t)(s.start + GUARD) * word;
            }
}

/* False where there is no memory. A NaN everywhere where `poisoned`. */
static inline bool part_make(part *p, const content *c, const ashlar_layout *layout, int rank, bool poisoned)
{
    const size_t word = ashlar_type_bytes(c->type);
    *p = (part){.content = *c, .layout = layout, .rank = rank};
    p->bytes = (size_t)(ashlar_layout_extent(layout, rank) + 2 * GUARD) * word;
    p->memory = malloc(p->bytes);
    p->before = malloc(p->bytes);
    if (!p->memory || !p->before)
        return false;
    memset(p->memory, 0xFF, p->bytes);
    for (int64_t i = 0; i < ashlar_layout_rows(layout) && !poisoned; i++)
        for (int64_t j = 0; j < ashlar_layout_cols(layout); j++)
            if (part_owns(p, i, j))
                number_store(c->type, element(c, i, j), part_at(p, p->memory, i, j));
    memcpy(p->before, p->memory, p->bytes);
    if (ashlar_layout_words(layout, rank) > 0)
        p->base = p->memory + GUARD * word;
    point_at_tiles(p);
    return true;
}

static inline void part_free(part *p)
{
    free(p->memory);
    free(p->before);
    *p = (part){0};
}

static inline void part_refill(part *p)
{
    memcpy(p->memory, p->before, p->bytes);
}

/* True where nothing but owned elements has changed since part_make; puts those back. */
static inline bool part_only_elements_changed(part *p)
{
    const size_t word = ashlar_type_bytes(p->content.type);
    for (int64_t i = 0; i < ashlar_layout_rows(p->layout); i++)
        for (int64_t j = 0; j < ashlar_layout_cols(p->layout); j++)
            if (part_owns(p, i, j))
                memcpy(part_at(p, p->memory, i, j), part_at(p, p->before, i, j), word);
    return memcmp(p->memory, p->before, p->bytes) == 0;
}

/* Any layout, the same on all ranks but for the storage, which is each rank's own. */
static inline ashlar_layout *random_part_layout(uint64_t *state, int64_t rows, int64_t cols, int ranks, int rank,
                                                ashlar_error *err)
{
    ashlar_layout *layout = ashi_random_in(state, 0, 2) ? random_layout(state, rows, cols, ranks, err)
                                                        : random_full_layout(state, rows, cols, ranks, err);
    uint64_t own = ashi_random(state) + (uint64_t)rank;
    if (layout && layout->storage_rank >= 0 &&
        random_storage(&own, layout, rank, ashi_max(rows, cols), err) != ASHLAR_OK)
        ashlar_layout_free(&layout);
    if (layout && layout->ld > 0)
        layout->ld += rank % 3; /* nor need leading dimensions be equal */
    return layout;
}

#endif
