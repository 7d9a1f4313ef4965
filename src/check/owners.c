/* Whose each element is, found anew from the layouts: the checker's own count of boxes. */
#include "check/proof.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

/* One dimension of the problem as one of its two matrices sees it. */
typedef struct sight {
    const ashi_strip *strip;
    const ashi_dim *dim;
} sight;

static sight sight_of(const ashi_view *view, bool minor)
{
    const bool row = minor == view->minor_is_row;
    return (sight){minor ? &view->minor : &view->major, row ? &view->layout->row : &view->layout->col};
}

/* The natural index of a place in a part. */
static int64_t natural(const ashi_dim *dim, int64_t part, int64_t local)
{
    if (dim->cuts)
        return dim->cuts[part] + local;
    int64_t block = (part - dim->source + dim->parts) % dim->parts;
    int64_t place = local + ashi_dim_skip(dim, part); /* in the larger dimension's part */
    if (block == 0) {
        if (place < dim->first)
            return place - dim->start;
        place -= dim->first;
        block = dim->parts;
    }
    block += place / dim->block * dim->parts;
    return dim->first + (block - 1) * dim->block + place % dim->block - dim->start;
}

static int64_t natural_at(const sight *s, int64_t segment, int64_t position)
{
    return natural(s->dim, s->strip->part[segment], s->strip->local[segment] + position - s->strip->at[segment]);
}

/* What both sights say of one position; -1 where they differ or a sight contradicts its own layout. */
static int64_t agreed(const sight s[2], const int64_t segment[2], int64_t position)
{
    const int64_t index = natural_at(&s[0], segment[0], position);
    if (index < 0 || index >= s[0].dim->size || natural_at(&s[1], segment[1], position) != index)
        return -1;
    for (int i = 0; i < 2; i++)
        if (ashi_dim_part(s[i].dim, index) != s[i].strip->part[segment[i]])
            return -1;
    return index;
}

/* Every position has one index, and every index one position. */
static ashlar_status check_order(ashi_proof *p, const sight s[2], int64_t size, ashlar_error *err)
{
    if (s[0].strip->size != size || s[1].strip->size != size || s[0].dim->size != size || s[1].dim->size != size)
        return ashi_proof_fail(p, NULL, err, "a matrix and the problem differ in size");
    bool *seen = calloc((size_t)size + 1, sizeof *seen);
    if (!seen)
        return ashi_fail_memory(err, "checker", size + 1);
    int64_t segment[2] = {0, 0};
    bool sound = true;
    for (int64_t at = 0; at < size && sound; at++) {
        for (int i = 0; i < 2; i++)
            segment[i] += at >= s[i].strip->at[segment[i] + 1];
        const int64_t index = agreed(s, segment, at);
        sound = index >= 0 && !seen[index];
        if (sound)
            seen[index] = true;
    }
    free(seen);
    return sound ? ASHLAR_OK : ashi_proof_fail(p, NULL, err, "two matrices order their common dimension differently");
}

ashlar_status ashi_proof_places(ashi_proof *p, ashlar_error *err)
{
    const ashi_program *q = p->program;
    const ashi_view *view = q->view;
    const sight m[2] = {sight_of(&view[ASHLAR_A], true), sight_of(&view[ASHLAR_C], true)};
    const sight n[2] = {sight_of(&view[ASHLAR_B], true), sight_of(&view[ASHLAR_C], false)};
    const sight k[2] = {sight_of(&view[ASHLAR_A], false), sight_of(&view[ASHLAR_B], false)};
    ashlar_status status = check_order(p, m, q->m, err);
    if (status == ASHLAR_OK)
        status = check_order(p, n, q->n, err);
    return status == ASHLAR_OK ? check_order(p, k, q->k, err) : status;
}

static bool side_init(ashi_proof_side *side, int64_t parts)
{
    const size_t n = (size_t)parts;
    side->count = calloc(n, sizeof *side->count);
    side->index = malloc(n * sizeof *side->index);
    side->touched = malloc(n * sizeof *side->touched);
    return side->count && side->index && side->touched;
}

static void side_free(ashi_proof_side *side)
{
    free(side->count);
    free(side->index);
    free(side->touched);
}

ashlar_status ashi_proof_tally_init(ashi_proof *p, ashlar_error *err)
{
    const size_t ranks = (size_t)p->program->ranks;
    for (int x = 0; x < 3; x++) {
        const ashi_view *view = &p->program->view[x];
        ashi_proof_tally *t = &p->tally[x];
        t->words = calloc(ranks, sizeof *t->words);
        t->owner = malloc(ranks * sizeof *t->owner);
        const bool minor = side_init(&t->minor, view->minor.parts), major = side_init(&t->major, view->major.parts);
        if (!minor || !major || !t->words || !t->owner)
            return ashi_fail_memory(err, "checker", (view->minor.parts + view->major.parts) * 24);
    }
    return ASHLAR_OK;
}

void ashi_proof_tally_free(ashi_proof *p)
{
    for (int x = 0; x < 3; x++) {
        side_free(&p->tally[x].minor);
        side_free(&p->tally[x].major);
        free(p->tally[x].words);
        free(p->tally[x].owner);
    }
}

static void count_side(const sight *s, int64_t lo, int64_t hi, ashi_proof_side *side)
{
    for (int64_t i = 0; i < side->parts; i++)
        side->count[side->touched[i]] = 0;
    side->parts = 0;
    if (lo >= hi)
        return;
    for (int64_t g = ashi_strip_find(s->strip, lo); g < s->strip->count && s->strip->at[g] < hi; g++) {
        const int64_t from = ashi_max(lo, s->strip->at[g]), to = ashi_min(hi, s->strip->at[g + 1]);
        const int64_t part = s->strip->part[g];
        if (side->count[part] == 0) {
            side->index[part] = natural_at(s, g, from);
            side->touched[side->parts++] = part;
        }
        side->count[part] += to - from;
    }
}

static void tally_pair(ashi_proof_tally *t, const ashi_view *view, int64_t minor, int64_t major)
{
    const int64_t x = t->minor.index[minor], y = t->major.index[major];
    const int64_t lines = ashi_cut_size(t->major.count[major], t->chunk.chunks, t->chunk.number);
    const int64_t words = t->minor.count[minor] * lines;
    const int owner = ashlar_layout_owner(view->layout, view->minor_is_row ? x : y, view->minor_is_row ? y : x);
    if (words == 0)
        return;
    if (t->words[owner] == 0)
        t->owner[t->owners++] = owner;
    t->words[owner] += words;
}

const ashi_proof_tally *ashi_proof_count(ashi_proof *p, ashlar_operand x, const ashi_box *box, ashi_chunk chunk)
{
    ashi_proof_tally *t = &p->tally[x];
    const ashi_view *view = &p->program->view[x];
    if (t->known && ashi_box_same(&t->box, box) && t->chunk.number == chunk.number &&
        t->chunk.chunks == chunk.chunks)
        return t;
    const sight minor = sight_of(view, true), major = sight_of(view, false);
    for (int64_t i = 0; i < t->owners; i++)
        t->words[t->owner[i]] = 0;
    t->known = true;
    t->owners = 0;
    t->box = *box;
    t->chunk = chunk;
    count_side(&minor, box->minor_lo, box->minor_hi, &t->minor);
    count_side(&major, box->major_lo, box->major_hi, &t->major);
    for (int64_t i = 0; i < t->minor.parts; i++)
        for (int64_t j = 0; j < t->major.parts; j++)
            tally_pair(t, view, t->minor.touched[i], t->major.touched[j]);
    return t;
}
