/* Finding along which index, and how thick, slabs of matrices in files are best cut. */
#include "base/checked.h"
#include "base/error.h"
#include "model/rates.h"
#include "plan/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
    TRIES = 3,   /* at a plan whose parts turn out to be uneven */
    THINNER = 2  /* halvings of the thickest slab that are tried too: the first is read with nothing beside it */
};

bool ashi_mixed_has(int x, int index)
{
    static const bool has[3][3] = {{true, false, true}, {false, true, true}, {true, true, false}};
    return has[x][index];
}

ashi_layout_slab ashi_mixed_slab(const ashlar_plan *plan, int index, int x, int64_t lo, int64_t hi)
{
    const ashlar_problem *p = &plan->problem;
    const bool turned = (x == ASHLAR_A && p->op_a != ASHLAR_OP_N) || (x == ASHLAR_B && p->op_b != ASHLAR_OP_N);
    const int of_rows = x == ASHLAR_B ? 2 : 0; /* the index of the rows of op(A), op(B) and C */
    const ashi_mixed *m = &plan->filed.mixed;
    ashi_layout_slab slab = {.rows = (index == of_rows) != turned, .lo = lo, .hi = hi};
    if (m->repeats[x] > 0) {
        slab.first = lo / m->cut.thickness * m->repeats[x];
        slab.count = m->repeats[x];
    }
    return slab;
}

static void sizes_of(const ashlar_plan *plan, int64_t size[3])
{
    size[0] = plan->problem.m;
    size[1] = plan->problem.n;
    size[2] = plan->problem.k;
}

/* Words of matrix x if the index is `length` long; all its words if it does not have the index. */
static int64_t words_of(const ashlar_plan *plan, int x, int index, int64_t length)
{
    int64_t size[3], words = 1;
    sizes_of(plan, size);
    size[index] = length;
    for (int d = 0; d < 3; d++)
        words = ashi_mixed_has(x, d) ? ashi_mul_most(words, size[d]) : words;
    return words;
}

/* ---- the plan of one slab ---- */

/* A slab of a layout in memory, for the time of planning. */
static ashlar_status cut_layouts(const ashi_mixing *q, int64_t lo, int64_t hi, ashlar_layout *out[3],
                                 ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++) {
        const ashi_layout_slab slab = ashi_mixed_slab(q->plan, q->cut.index, x, lo, hi);
        if (q->layout[x] && ashi_mixed_has(x, q->cut.index))
            status = ashi_layout_slab_of(q->layout[x], &slab, q->plan->context->rank, &out[x], err);
        else if (q->layout[x])
            status = ashi_layout_copy(q->layout[x], &out[x], err);
    }
    return status;
}

/* Words of this rank's parts in the caller's memory, whole; estimated if their layout is still to be found. */
static int64_t caller_words(const ashi_mixing *q, const ashlar_plan *sub)
{
    const int rank = q->plan->context->rank;
    int64_t size[3], words = 0;
    sizes_of(q->plan, size);
    for (int x = 0; x < 3; x++) {
        if (q->plan->filed.file[x])
            continue;
        if (q->layout[x])
            words += ashlar_layout_words(q->layout[x], rank);
        else if (!sub)
            words += ashi_ceil_div(words_of(q->plan, x, q->cut.index, size[q->cut.index]), q->plan->context->ranks);
        else
            words += ashi_mul_most(ashlar_layout_words(sub->layout[x], rank),
                                   ashi_mixed_has(x, q->cut.index)
                                       ? ashi_ceil_div(size[q->cut.index], q->cut.thickness) : 1);
    }
    return words;
}

/* Words of what the plan of a slab counts of the caller's memory. */
static int64_t slab_words(const ashi_mixing *q, ashlar_layout *const cut[3], int64_t length)
{
    int64_t words = 0;
    for (int x = 0; x < 3; x++)
        if (cut[x])
            words += ashlar_layout_words(cut[x], q->plan->context->rank);
        else if (!q->plan->filed.file[x])
            words += ashi_ceil_div(words_of(q->plan, x, q->cut.index, length), q->plan->context->ranks);
    return words;
}

/* Words of buffers for what is in files, beside the one for `length` positions that the plan of the slab counts. */
static int64_t more_buffers(const ashi_mixing *q, int64_t length)
{
    int64_t words = 0;
    for (int x = 0; x < 3; x++)
        if (q->plan->filed.file[x])
            words += q->cut.buffers * ashi_ceil_div(words_of(q->plan, x, q->cut.index, q->cut.thickness),
                                                    q->plan->context->ranks) -
                     ashi_ceil_div(words_of(q->plan, x, q->cut.index, length), q->plan->context->ranks);
    return words;
}

/* What this rank holds with the plan of one more slab. */
static int64_t held_with(const ashi_mixing *q, const ashlar_plan *sub)
{
    const int64_t workspace = sub->need.workspace;
    int64_t words = caller_words(q, sub);
    for (int x = 0; x < 3; x++)
        if (q->plan->filed.file[x])
            words += q->cut.buffers *
                     ashi_max(q->extent[x], ashlar_layout_extent(sub->layout[x], q->plan->context->rank));
    return words + (q->plan->one_sided ? q->workspace + workspace : ashi_max(q->workspace, workspace));
}

static ashlar_plan *part_of(const ashi_mixing *q, int64_t length, ashlar_layout *const cut[3], int64_t limit)
{
    ashlar_plan *sub = calloc(1, sizeof *sub);
    if (!sub)
        return NULL;
    sub->context = q->plan->context;
    sub->problem = q->plan->problem;
    int64_t *const size[3] = {&sub->problem.m, &sub->problem.n, &sub->problem.k};
    *size[q->cut.index] = length;
    sub->problem.a = cut[0];
    sub->problem.b = cut[1];
    sub->problem.c = cut[2];
    sub->problem.a_file = sub->problem.b_file = sub->problem.c_file = sub->problem.c0_file = NULL;
    sub->memory_words = limit;
    sub->one_sided = q->plan->one_sided;
    sub->c_begins_new = q->plan->c_is_new && q->cut.index == 2; /* C of the later slabs is a sum */
    sub->c_is_new = q->plan->c_is_new && !sub->c_begins_new;
    sub->caller_workspace = !sub->one_sided;
    sub->disk_words_per_second = q->plan->disk_words_per_second;
    return sub;
}

/* Plan the product of a slab within `limit` words a rank. *memory: the most words that a rank then holds. */
static ashlar_status plan_part(const ashi_mixing *q, int64_t length, ashlar_layout *const cut[3], int64_t limit,
                               ashlar_plan **out, int64_t *memory, ashlar_error *err)
{
    const ashlar_context *context = q->plan->context;
    ashlar_options o = *q->options;
    ashi_figures figures = {0};
    o.memory_words = limit;
    ashlar_plan *sub = part_of(q, length, cut, limit);
    ashlar_status status = sub ? ASHLAR_OK : ashi_fail_memory(err, "plan", (int64_t)sizeof *sub);
    status = ashi_agree_named(context, status, err);
    if (status == ASHLAR_OK)
        status = ashi_plan_make(sub, &o, err);
    if (status == ASHLAR_OK) {
        figures.greatest[0] = held_with(q, sub);
        status = ashi_agree_figures_first(context, ASHLAR_OK, &figures, err);
        *memory = figures.greatest[0];
    }
    if (status != ASHLAR_OK)
        ashi_plan_discard(&sub);
    *out = sub;
    return status;
}

static ashlar_status too_little(const ashi_mixing *q, ashlar_error *err)
{
    return ashi_fail(err, ASHLAR_ERR_LIMIT, "%" PRId64 " words a rank are too few", q->options->memory_words);
}

/* A plan's own layouts may be less even than they are taken to be: then the next try is given less. */
static ashlar_status plan_within(const ashi_mixing *q, int64_t length, ashlar_layout *const cut[3], int64_t limit,
                                 ashlar_plan **out, int64_t *memory, ashlar_error *err)
{
    const int64_t most = q->options->memory_words;
    for (int i = 0; i < TRIES && limit > 0; i++) {
        const ashlar_status status = plan_part(q, length, cut, limit, out, memory, err);
        if (status != ASHLAR_OK || *memory <= most)
            return status;
        ashi_plan_discard(out);
        limit -= *memory - most;
    }
    return too_little(q, err);
}

ashlar_status ashi_mixed_part(const ashi_mixing *q, int64_t lo, int64_t hi, ashlar_plan **out, int64_t *memory,
                              ashlar_error *err)
{
    ashlar_layout *cut[3] = {NULL, NULL, NULL};
    ashi_figures figures = {0};
    *out = NULL;
    ashlar_status status = cut_layouts(q, lo, hi, cut, err);
    if (status == ASHLAR_OK)
        figures.greatest[0] = caller_words(q, NULL) - slab_words(q, cut, hi - lo);
    status = ashi_agree_figures_first(q->plan->context, status, &figures, err);
    if (status == ASHLAR_OK)
        status = plan_within(q, hi - lo, cut,
                             q->options->memory_words - figures.greatest[0] - more_buffers(q, hi - lo), out, memory,
                             err);
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&cut[x]);
    return status;
}

/* ---- which cut ---- */

/* The best so far. */
typedef struct search {
    ashi_mixing *mixing;
    ashi_mixed_cut best;
    double seconds, words;
    bool found;
} search;

int64_t ashi_mixed_rounded(const ashi_mixing *q, int index, int64_t thickness)
{
    int64_t period = 1, h = ashi_max(thickness, 1);
    for (int x = 0; x < 3; x++)
        if (q->layout[x] && ashi_mixed_has(x, index))
            period = ashi_layout_period(q->layout[x], ashi_mixed_slab(q->plan, index, x, 0, 1).rows);
    if (h >= period)
        return h - h % period;
    while (period % h != 0)
        h--;
    return h;
}

/* What must be read whole, chunks and columns of text, whatever a slab has of it. Created files have no such. */
static ashi_store_chunks pieces_of(const ashlar_file *file)
{
    return file->store && !file->created ? ashi_store_packed(file->store) : (ashi_store_chunks){0};
}

/* Words that are read for each word of a slab of `thickness` rows, or columns. */
static double words_for_one(const ashlar_file *file, bool rows, int64_t thickness)
{
    const ashi_store_chunks pieces = pieces_of(file);
    const int64_t piece = rows ? pieces.rows : pieces.cols, length = rows ? file->info.rows : file->info.cols;
    if (piece <= 1 || thickness % piece == 0)
        return 1;
    const int64_t read = piece % thickness == 0 ? piece : thickness + piece;
    return (double)ashi_min(read, length) / (double)thickness;
}

/* Words of a file that a rank reads in a second. */
static double rate_of(const ashi_mixing *q, const ashlar_file *file)
{
    const double seconds = ashi_filed_word_seconds(file), most = seconds > 0 ? 1 / seconds : INFINITY;
    return fmin(q->plan->disk_words_per_second, most);
}

/* Seconds to read or write a slab of a file, by all ranks together. */
static double disk_seconds(const ashi_mixing *q, int file, int x)
{
    const ashlar_file *f = q->plan->filed.file[file];
    if (!f)
        return 0;
    const double words = (double)words_of(q->plan, x, q->cut.index, q->cut.thickness);
    const bool by_row = f->info.order == ASHLAR_ROW_MAJOR, rows = ashi_mixed_slab(q->plan, q->cut.index, x, 0, 1).rows;
    const bool across = rows != by_row; /* a slab has part of a line */
    const double bytes = (double)ashlar_type_bytes(f->info.type);
    const double run = across ? (double)q->cut.thickness * bytes : words * bytes / q->plan->context->ranks;
    return words_for_one(f, rows, q->cut.thickness) * ashi_disk_bytes(words * bytes, words * bytes / fmax(run, 1)) /
           (bytes * rate_of(q, f) * q->plan->context->ranks);
}

/* With two buffers a slab is multiplied while the next is read and the last one written. */
double ashi_mixed_seconds(const ashi_mixing *q, double product)
{
    int64_t size[3];
    sizes_of(q->plan, size);
    const double slabs = (double)ashi_ceil_div(size[q->cut.index], q->cut.thickness);
    const double writing = disk_seconds(q, ASHLAR_C, ASHLAR_C);
    const double reading = disk_seconds(q, ASHLAR_A, ASHLAR_A) + disk_seconds(q, ASHLAR_B, ASHLAR_B) +
                           disk_seconds(q, ASHI_FILED_C0, ASHLAR_C);
    if (q->cut.buffers == 1)
        return slabs * (reading + product + writing);
    return reading + (slabs - 1) * fmax(product, reading + writing) + product + writing;
}

/* Plan a slab so thick, and take it if it is the best. ASHLAR_ERR_LIMIT if it does not fit. */
static ashlar_status try_cut(search *s, ashi_mixed_cut cut, ashlar_error *err)
{
    ashi_mixing *q = s->mixing;
    ashlar_plan *sub = NULL;
    int64_t memory, size[3];
    sizes_of(q->plan, size);
    if (q->options->grid[0] > 0 && cut.thickness < q->options->grid[cut.index])
        return too_little(q, err);
    q->cut = cut;
    const ashlar_status status = ashi_mixed_part(q, 0, ashi_min(cut.thickness, size[cut.index]), &sub, &memory, err);
    if (status != ASHLAR_OK)
        return status;
    const double seconds = ashi_mixed_seconds(q, sub->choice.seconds);
    const double words = (double)sub->choice.totals.words_max * (double)size[cut.index] / (double)cut.thickness;
    const bool by_words = q->options->objective == ASHLAR_LEAST_WORDS;
    const double one[2] = {by_words ? words : seconds, by_words ? seconds : words};
    const double other[2] = {by_words ? s->words : s->seconds, by_words ? s->seconds : s->words};
    ashi_plan_discard(&sub);
    if (s->found && (one[0] > other[0] || (one[0] >= other[0] && one[1] >= other[1])))
        return ASHLAR_OK;
    s->found = true;
    s->best = cut;
    s->seconds = seconds;
    s->words = words;
    return ASHLAR_OK;
}

/* The thickest that fits, from a half of all down, and then somewhat thicker and thinner ones. */
static ashlar_status try_index(search *s, int index, int buffers, ashlar_error *err)
{
    const ashi_mixing *q = s->mixing;
    int64_t size[3], h;
    sizes_of(q->plan, size);
    ashlar_status status = ASHLAR_ERR_LIMIT;
    for (h = ashi_mixed_rounded(q, index, ashi_ceil_div(size[index], 2)); status == ASHLAR_ERR_LIMIT;) {
        status = try_cut(s, (ashi_mixed_cut){index, h, buffers}, err);
        if (status != ASHLAR_ERR_LIMIT || h == 1)
            break;
        h = ashi_mixed_rounded(q, index, h / 2);
    }
    if (status != ASHLAR_OK)
        return status == ASHLAR_ERR_LIMIT ? ASHLAR_OK : status;
    int64_t more[1 + THINNER] = {h + h / 2};
    for (int i = 1; i <= THINNER; i++)
        more[i] = h >> i;
    for (int i = 0; i <= THINNER && (status == ASHLAR_OK || status == ASHLAR_ERR_LIMIT); i++) {
        const int64_t other = ashi_mixed_rounded(q, index, more[i]);
        if (more[i] > 0 && other != h && other < size[index])
            status = try_cut(s, (ashi_mixed_cut){index, other, buffers}, err);
    }
    return status == ASHLAR_ERR_LIMIT ? ASHLAR_OK : status;
}

bool ashi_mixed_serves(const ashlar_plan *plan, int index)
{
    for (int x = 0; x < 3; x++)
        if (plan->filed.file[x] && !ashi_mixed_has(x, index))
            return false;
    return true;
}

ashlar_status ashi_mixed_search(ashi_mixing *q, ashlar_error *err)
{
    search s = {.mixing = q};
    ashlar_error tried = {0};
    ashlar_status status = ASHLAR_OK;
    for (int index = 0; index < 3 && status == ASHLAR_OK; index++)
        for (int buffers = 2; buffers >= 1 && status == ASHLAR_OK; buffers--)
            if (ashi_mixed_serves(q->plan, index))
                status = try_index(&s, index, buffers, &tried);
    if (status != ASHLAR_OK)
        return ashi_fail(err, status, "%s", tried.text);
    if (!s.found)
        return too_little(q, err);
    q->cut = s.best;
    return ASHLAR_OK;
}
