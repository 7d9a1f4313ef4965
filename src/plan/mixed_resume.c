/* What the bits of a C that is formed slab by slab depend on, so that a later run can go on with it: numbers for the
 * plans of the slabs, and for what is in the caller's memory. */
#include "base/hash.h"
#include "plan/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- plans ---- */

static uint64_t digest_of_layout(uint64_t digest, const ashlar_layout *layout)
{
    digest = ashi_hash(digest, (int64_t)(ashi_layout_digest(layout) >> 1));
    return ashi_hash(digest, (int64_t)layout->order);
}

/* Who multiplies which box in which order. */
static uint64_t digest_of_schedule(uint64_t digest, const ashi_schedule *s)
{
    const int64_t numbers[] = {s->grid[0], s->grid[1], s->grid[2], s->ranks_used, s->rounds, s->reduce_rounds,
                               (int64_t)s->stays, s->window, s->tree, s->one_sided};
    for (const char *c = s->strategy; *c; c++)
        digest = ashi_hash(digest, *c);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        digest = ashi_hash(digest, numbers[i]);
    for (int64_t rank = 0; rank < s->ranks; rank++)
        for (int64_t part = 0; part < s->parts(s, rank); part++) {
            const ashi_box b = s->domain(s, rank, part);
            digest = ashi_hash(ashi_hash(digest, b.minor_lo), b.minor_hi);
            digest = ashi_hash(ashi_hash(digest, b.major_lo), b.major_hi);
        }
    return digest;
}

uint64_t ashi_mixed_digest(const ashlar_plan *plan)
{
    const ashi_mixed *m = &plan->filed.mixed;
    uint64_t digest = 0;
    for (int x = 0; x < 3; x++)
        if (plan->layout[x])
            digest = digest_of_layout(digest, plan->layout[x]);
    for (int i = 0; i < m->kinds; i++) {
        const ashlar_plan *slab = m->kind[i].plan;
        digest = digest_of_schedule(digest, &slab->choice.schedule);
        for (int x = 0; x < 3; x++)
            digest = digest_of_layout(digest, slab->layout[x]);
    }
    return digest;
}

void ashi_mixed_describe(const ashlar_plan *plan, char *out, size_t room)
{
    const ashi_mixed *m = &plan->filed.mixed;
    snprintf(out, room, "%" PRId64 " slabs of at most %" PRId64 " along %c, plans %016" PRIx64 "\n", m->slabs,
             m->cut.thickness, "mnk"[m->cut.index], m->digest);
}

/* ---- elements in memory ---- */

/* Four sums beside each other, so that the memory is what takes the time. */
typedef struct sums {
    uint64_t lane[4];
} sums;

static uint64_t take(uint64_t sum, uint64_t word)
{
    sum ^= word;
    return (sum << 29 | sum >> 35) * 0x9E3779B97F4A7C15u;
}

static void add_bytes(sums *s, const char *from, size_t bytes)
{
    uint64_t word[4];
    for (; bytes >= sizeof word; bytes -= sizeof word, from += sizeof word) {
        memcpy(word, from, sizeof word);
        for (int i = 0; i < 4; i++)
            s->lane[i] = take(s->lane[i], word[i]);
    }
    if (bytes == 0)
        return;
    memset(word, 0, sizeof word);
    memcpy(word, from, bytes);
    for (int i = 0; i < 4; i++)
        s->lane[i] = take(s->lane[i], word[i]);
}

/* Element (i, j) at i * row_stride + j * col_stride elements. */
static void add_box(sums *s, const char *from, int64_t rows, int64_t cols, int64_t row_stride, int64_t col_stride,
                    int64_t bytes)
{
    const bool by_row = col_stride == 1;
    const int64_t lines = by_row ? rows : cols, length = by_row ? cols : rows;
    const int64_t line = by_row ? row_stride : col_stride;
    for (int64_t i = 0; i < lines; i++)
        add_bytes(s, from + i * line * bytes, (size_t)(length * bytes));
}

static void add_part(sums *s, const ashlar_layout *layout, int rank, const ashi_part *part, int64_t bytes)
{
    for (int64_t r = 0; r < layout->row.parts; r++)
        for (int64_t c = 0; c < layout->col.parts; c++) {
            if (layout->owner[r * layout->col.parts + c] != rank)
                continue;
            const int64_t rows = ashi_dim_count(&layout->row, r), cols = ashi_dim_count(&layout->col, c);
            const ashi_storage at = ashi_layout_storage(layout, r, c);
            const ashi_block block = {.tile = at.tile, .start = at.start, .offset = at.offset};
            if (rows > 0 && cols > 0)
                add_box(s, ashi_part_address(part, &block, (size_t)bytes), rows, cols, at.row_stride, at.col_stride,
                        bytes);
        }
}

int64_t ashi_mixed_memory(const ashlar_plan *plan, const ashi_part part[3])
{
    sums s = {{1, 2, 3, 4}};
    uint64_t sum = 0;
    for (int x = 0; x < 2; x++)
        if (!plan->filed.file[x])
            add_part(&s, plan->layout[x], plan->context->rank, &part[x],
                     (int64_t)ashlar_type_bytes(plan->problem.type));
    for (int i = 0; i < 4; i++)
        sum = ashi_hash(sum ^ s.lane[i], i);
    return (int64_t)(sum >> 1);
}
