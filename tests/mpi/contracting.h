/* A contraction of tensors that every rank can make from a seed, and the loops that it is compared with. */
#ifndef ASHI_CONTRACTING_H
#define ASHI_CONTRACTING_H

#include "mpi/matrices.h" /* before "layout/..." */

#include "layout/tensor_layout.h"
#include "mpi/in_context.h"

enum { LETTERS = 12, TENSORS = 7, ORDER_MOST = 16 };

typedef struct contracting {
    int operands, ranks;
    char list[TENSORS][ORDER_MOST + 1]; /* letters from 'a' on; the last of them is the output's */
    char text[TENSORS * (ORDER_MOST + 3)];
    int64_t extent[LETTERS];
    content content; /* of tensor x: seed + x */
    number alpha, beta;
    const char *says; /* that the explanation must have, or NULL */
    int64_t words;    /* that the busiest rank receives; 0: any */
    int64_t device_words; /* that executions so far have copied to devices and from them */
    bool conjugate[TENSORS];
    /* how tensor x is dealt out */
    bool own[TENSORS], gaps[TENSORS];
    int64_t block[TENSORS][ORDER_MOST];
    int parts[TENSORS][ORDER_MOST], rank[TENSORS][16];
} contracting;

static inline void add_index(uint64_t *state, contracting *c, int x, int index)
{
    char *const list = c->list[x];
    const int64_t order = (int64_t)strlen(list), at = ashi_random_in(state, 0, order);
    if (order == ORDER_MOST)
        return;
    memmove(list + at + 1, list + at, (size_t)(order - at + 1));
    list[at] = (char)('a' + index);
}

/* A process grid of some of the ranks, in any order, or the plan's own layout. */
static inline void random_deal(uint64_t *state, contracting *c, int x)
{
    const int order = (int)strlen(c->list[x]);
    int free_ranks = c->ranks;
    c->own[x] = ashi_random_in(state, 0, 2) == 0;
    c->gaps[x] = ashi_random_in(state, 0, 2) == 0;
    for (int d = 0; d < order; d++) {
        c->block[x][d] = ashi_random_in(state, 1, 4);
        c->parts[x][d] = ashi_random_in(state, 0, 1) ? (int)ashi_random_in(state, 1, free_ranks) : 1;
        free_ranks /= c->parts[x][d];
    }
    for (int i = 0; i < c->ranks; i++)
        c->rank[x][i] = i;
    for (int i = c->ranks - 1; i > 0; i--) {
        const int64_t other = ashi_random_in(state, 0, i);
        const int kept = c->rank[x][i];
        c->rank[x][i] = c->rank[x][other];
        c->rank[x][other] = kept;
    }
}

/* ---- elements ---- */

static inline int64_t shape_of(const contracting *c, int x, int64_t *extent)
{
    int64_t words = 1;
    for (int d = 0; c->list[x][d]; d++) {
        extent[d] = c->extent[c->list[x][d] - 'a'];
        words *= extent[d];
    }
    return words;
}

/* The element of tensor x at these values of the letters. */
static inline number value_at(const contracting *c, int x, const int64_t *value)
{
    content of = c->content;
    int64_t position = 0;
    of.seed += (uint64_t)x * 0x5851F42D4C957F2Du;
    for (int d = 0; c->list[x][d]; d++)
        position = position * c->extent[c->list[x][d] - 'a'] + value[c->list[x][d] - 'a'];
    number n = element(&of, position, 0);
    if (c->conjugate[x])
        n.im = -n.im;
    return n;
}

/* One more than `value` in the indices that are marked; false after the last. */
static inline bool advance(const contracting *c, const bool *marked, int64_t *value)
{
    for (int i = LETTERS - 1; i >= 0; i--) {
        if (!marked[i])
            continue;
        if (++value[i] < c->extent[i])
            return true;
        value[i] = 0;
    }
    return false;
}

/* The sum of the products at the output's values, and of their sizes. */
static inline number sum_at(const contracting *c, int64_t *value, long double *size, int64_t *terms)
{
    bool summed[LETTERS] = {false}, empty = false;
    number sum = {0, 0};
    *size = 0, *terms = 0;
    for (int i = 0; i < LETTERS; i++) {
        for (int x = 0; x < c->operands; x++)
            summed[i] = summed[i] || strchr(c->list[x], 'a' + i);
        summed[i] = summed[i] && !strchr(c->list[c->operands], 'a' + i);
        empty = empty || (summed[i] && c->extent[i] == 0);
        if (summed[i])
            value[i] = 0;
    }
    if (empty)
        return sum;
    do {
        number product = value_at(c, 0, value);
        for (int x = 1; x < c->operands; x++)
            product = number_mul(product, value_at(c, x, value));
        sum = number_add(sum, product);
        *size += number_abs(product);
        ++*terms;
    } while (advance(c, summed, value));
    return sum;
}

/* ---- parts of a rank ---- */

typedef struct tensor_part {
    const ashlar_tensor_layout *layout;
    unsigned char *memory, *before;
    size_t bytes;
    void *base;
} tensor_part;

/* Call `each` for every element of this rank's part. */
static inline void for_each(const contracting *c, int x, const ashlar_tensor_layout *layout, int rank,
                            void each(void *user, const int64_t *value, int64_t at), void *user)
{
    int64_t count = 0, value[LETTERS] = {0};
    ashlar_error err;
    if (ashlar_tensor_layout_list_boxes(layout, rank, 0, 0, NULL, &count, &err) != ASHLAR_OK)
        exit(1);
    for (int64_t i = 0; i < count; i++) {
        ashlar_tensor_box box;
        int64_t position[ORDER_MOST] = {0};
        if (ashlar_tensor_layout_list_boxes(layout, rank, i, 1, &box, &count, &err) != ASHLAR_OK)
            exit(1);
        for (bool more = true; more;) {
            int64_t at = box.offset;
            for (int d = 0; d < box.order; d++) {
                at += position[d] * box.stride[d];
                value[c->list[x][d] - 'a'] = box.from[d] + position[d];
            }
            each(user, value, at);
            int d = box.order - 1;
            for (; d >= 0 && ++position[d] == box.extent[d]; d--)
                position[d] = 0;
            more = d >= 0;
        }
    }
}

typedef struct filling {
    const contracting *c;
    int x;
    unsigned char *memory;
} filling;

static inline void fill_one(void *user, const int64_t *value, int64_t at)
{
    const filling *const f = user;
    const ashlar_type type = f->c->content.type;
    number n = value_at(f->c, f->x, value);
    if (f->c->conjugate[f->x])
        n.im = -n.im;
    number_store(type, n, f->memory + (size_t)(at + GUARD) * ashlar_type_bytes(type));
}

/* Filled with elements, or where `poisoned` with a NaN everywhere; gaps and guards are a NaN too. */
static inline tensor_part tensor_part_make(const contracting *c, int x, const ashlar_tensor_layout *layout, int rank,
                                           bool poisoned)
{
    const size_t word = ashlar_type_bytes(c->content.type);
    tensor_part p = {.layout = layout};
    p.bytes = (size_t)(ashlar_tensor_layout_room(layout, rank) + 2 * GUARD) * word;
    p.memory = malloc(p.bytes);
    p.before = malloc(p.bytes);
    if (!p.memory || !p.before)
        exit(1);
    memset(p.memory, 0xFF, p.bytes);
    filling f = {c, x, p.memory};
    if (!poisoned)
        for_each(c, x, layout, rank, fill_one, &f);
    memcpy(p.before, p.memory, p.bytes);
    if (ashlar_tensor_layout_words(layout, rank) > 0)
        p.base = p.memory + GUARD * word;
    return p;
}

static inline void tensor_part_free(tensor_part *p)
{
    free(p->memory);
    free(p->before);
}

typedef struct comparing {
    const contracting *c;
    tensor_part *output;
    double worst; /* distance in units of what rounding allows */
    int64_t elements;
} comparing;

/* Any order of a sum of k products is within gamma(k) of the sum of their sizes (Higham, Accuracy and Stability of
 * Numerical Algorithms, 2nd ed., section 3.1). What has been compared is filled with what was there before. */
static inline void compare_one(void *user, const int64_t *value, int64_t at)
{
    comparing *const k = user;
    const contracting *const c = k->c;
    const ashlar_type type = c->content.type;
    const size_t from = (size_t)(at + GUARD) * ashlar_type_bytes(type);
    int64_t mine[LETTERS], terms;
    long double size;
    memcpy(mine, value, sizeof mine);
    const number sum = sum_at(c, mine, &size, &terms), old = value_at(c, c->operands, value);
    const number want = number_add(number_mul(c->alpha, sum), number_mul(c->beta, old));
    const number got = number_load(type, k->output->memory + from);
    const long double off = number_abs((number){got.re - want.re, got.im - want.im});
    const long double u = ashi_type_of(type)->roundoff * (long double)(2 * terms + 8) * 1.5L;
    const long double may =
        c->content.integers ? 0 : u * (number_abs(c->alpha) * size + number_abs(c->beta) * number_abs(old));
    if (!(off <= may))
        k->worst = INFINITY;
    k->elements++;
    memcpy(k->output->memory + from, k->output->before + from, ashlar_type_bytes(type));
}

static inline int64_t compare(const contracting *c, tensor_part *output, int rank)
{
    comparing k = {c, output, 0, 0};
    for_each(c, c->operands, output->layout, rank, compare_one, &k);
    const bool rest = memcmp(output->memory, output->before, output->bytes) == 0;
    return k.worst == 0 && rest ? k.elements : -1;
}

/* ---- the call ---- */

/* The caller's layout of tensor x, or NULL for the plan's own. */
static inline ashlar_tensor_layout *make_layout(const contracting *c, int x)
{
    int64_t extent[ORDER_MOST], stride[ORDER_MOST], next = 1;
    ashlar_tensor_layout *layout = NULL;
    ashlar_error err = {0};
    const int order = (int)strlen(c->list[x]);
    shape_of(c, x, extent);
    if (c->own[x])
        return NULL;
    for (int i = 0; i < order; i++) { /* the fastest index is any; there are gaps */
        const int d = (i + x + order / 2) % order;
        stride[d] = next;
        next = next * (extent[d] > 0 ? extent[d] : 1) + i % 3;
    }
    if (ashlar_tensor_layout_blocks(order, extent, c->block[x], c->parts[x], c->rank[x], c->gaps[x] ? stride : NULL,
                                    &layout, &err) != ASHLAR_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return layout;
}

static inline void write_text(contracting *c)
{
    size_t used = 0;
    for (int x = 0; x <= c->operands; x++)
        used += (size_t)snprintf(c->text + used, sizeof c->text - used, "%s%s",
                                 x == 0 ? "" : x < c->operands ? "," : "->", c->list[x]);
}

/* Every element of the result has one owner. */
static inline void check_all_is_owned(rig *r, const contracting *c, const ashlar_tensor_layout *layout, int64_t mine)
{
    int64_t extent[ORDER_MOST], all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(&r->test, all == shape_of(c, c->operands, extent) && ashlar_tensor_layout_room(layout, r->rank) >= mine,
          CASE "%s: %" PRId64 " words are owned", CASE_OF(r), c->text, all);
}

/* Execute a plan twice, the second time on a fresh result, and compare each with the loops. */
static inline ashlar_status execute_both(rig *r, const contracting *c, ashlar_contraction_plan *plan,
                                         ashlar_error *err)
{
    const bool no_sum = c->alpha.re == 0 && c->alpha.im == 0, clears = c->beta.re == 0 && c->beta.im == 0;
    unsigned char factor[2][16];
    tensor_part held[TENSORS];
    const void *operand[TENSORS];
    ashlar_status status = ASHLAR_OK;
    number_store(c->content.type, c->alpha, factor[0]);
    number_store(c->content.type, c->beta, factor[1]);
    for (int x = 0; x < c->operands; x++) {
        held[x] = tensor_part_make(c, x, ashlar_contraction_layout(plan, x), r->rank, no_sum);
        operand[x] = held[x].base;
    }
    for (int time = 0; time < 2 && status == ASHLAR_OK; time++) {
        tensor_part *const out = &held[c->operands];
        *out = tensor_part_make(c, c->operands, ashlar_contraction_layout(plan, c->operands), r->rank, clears);
        status = ashlar_contraction_execute(plan, factor[0], operand, factor[1], out->base, err);
        const int64_t words = ashlar_tensor_layout_words(out->layout, r->rank);
        check_all_is_owned(r, c, out->layout, words);
        CHECK(&r->test, status != ASHLAR_OK || compare(c, out, r->rank) == words, CASE "%s: wrong", CASE_OF(r),
              c->text);
        tensor_part_free(out);
    }
    for (int x = 0; x < c->operands; x++) {
        CHECK(&r->test, memcmp(held[x].memory, held[x].before, held[x].bytes) == 0, CASE "%s: operand %d changed",
              CASE_OF(r), c->text, x);
        tensor_part_free(&held[x]);
    }
    return status;
}

/* What was predicted was counted; up to twice if a device failed: with sums that it had the ranks run once more. */
static inline bool is_as_predicted(int64_t predicted, int64_t measured, bool failed)
{
    return measured >= predicted && measured <= (failed ? 2 : 1) * predicted;
}

/* What was predicted was moved and held, within the limit. */
static inline void check_figures(rig *r, const contracting *c, ashlar_contraction_plan *plan,
                                 const ashlar_options *options)
{
    ashlar_figures predicted = {0}, measured = {0};
    ashlar_contraction_explanation why = {0};
    ashlar_error err = {0};
    ashlar_device_figures d = {0};
    const bool moves = c->alpha.re != 0 || c->alpha.im != 0;
    CHECK(&r->test, ashlar_contraction_predicted(plan, &predicted, &err) == ASHLAR_OK &&
          ashlar_contraction_measured(plan, &measured, &err) == ASHLAR_OK &&
          ashlar_contraction_device(plan, &d, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    const bool failed = d.failure != NULL;
    CHECK(&r->test, !moves || (is_as_predicted(predicted.words_max, measured.words_max, failed) &&
                               is_as_predicted(predicted.words_total, measured.words_total, failed) &&
                               is_as_predicted(predicted.messages_max, measured.messages_max, failed) &&
                               predicted.memory_words == measured.memory_words),
          CASE "%s: words %" PRId64 " and %" PRId64 ", total %" PRId64 " and %" PRId64 ", messages %" PRId64 " and %"
          PRId64 ", memory %" PRId64 " and %" PRId64, CASE_OF(r), c->text, predicted.words_max, measured.words_max,
          predicted.words_total, measured.words_total, predicted.messages_max, measured.messages_max,
          predicted.memory_words, measured.memory_words);
    CHECK(&r->test, c->words == 0 || predicted.words_max == c->words, CASE "%s: %" PRId64 " words, wanted %" PRId64,
          CASE_OF(r), c->text, predicted.words_max, c->words);
    CHECK(&r->test, !options || options->memory_words == 0 || predicted.memory_words <= options->memory_words,
          CASE "%s: %" PRId64 " words held, limit %" PRId64, CASE_OF(r), c->text, predicted.memory_words,
          options->memory_words);
    CHECK(&r->test, ashlar_contraction_explain(plan, &why, &err) == ASHLAR_OK && why.steps > 0 &&
          strncmp(why.text, "1. ", 3) == 0 && strstr(why.text, c->text) &&
          strstr(why.text, c->says ? c->says : c->text), CASE "%s: %s", CASE_OF(r), c->text,
          why.text);
}

/* Words between the host and devices are as predicted, of executions that read all that they may read. Returns those of
 * the last execution, over all ranks. */
static inline int64_t check_device(rig *r, const contracting *c, ashlar_contraction_plan *plan)
{
    ashlar_device_figures d = {0};
    ashlar_error err = {0};
    const bool reads = (c->alpha.re != 0 || c->alpha.im != 0) && (c->beta.re != 0 || c->beta.im != 0);
    CHECK(&r->test, ashlar_contraction_device(plan, &d, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    CHECK(&r->test, !reads || d.failure || d.ranks == 0 ||
          (d.words_in_max == d.measured_in_max && d.words_in_total == d.measured_in_total &&
           d.words_out_max == d.measured_out_max && d.words_out_total == d.measured_out_total &&
           d.memory_words <= d.measured_memory_words), CASE "%s: %" PRId64 " words in and %" PRId64 " out, predicted %"
          PRId64 " and %" PRId64, CASE_OF(r), c->text, d.measured_in_total, d.measured_out_total, d.words_in_total,
          d.words_out_total);
    CHECK(&r->test, d.ranks > 0 || d.measured_in_total + d.measured_out_total == 0, CASE "%s: %" PRId64 " words in",
          CASE_OF(r), c->text, d.measured_in_total);
    return d.measured_in_total + d.measured_out_total;
}

static inline ashlar_status contract(ashlar_context *context, rig *r, contracting *c, const ashlar_options *options,
                                     ashlar_error *err)
{
    int64_t extent[TENSORS][ORDER_MOST];
    ashlar_tensor tensor[TENSORS] = {{.size = sizeof tensor[0]}};
    ashlar_tensor_layout *layout[TENSORS];
    ashlar_contraction_plan *plan = NULL;
    write_text(c);
    for (int x = 0; x <= c->operands; x++) {
        shape_of(c, x, extent[x]);
        layout[x] = make_layout(c, x);
        tensor[x] = (ashlar_tensor){.size = sizeof tensor[x], .order = (int)strlen(c->list[x]), .extent = extent[x],
                                    .layout = layout[x], .conjugate = c->conjugate[x]};
    }
    const ashlar_contraction what = {.size = sizeof what, .type = c->content.type, .expression = c->text,
                                     .operands = c->operands, .operand = tensor, .output = &tensor[c->operands]};
    ashlar_status status = ashlar_contraction_plan_create(context, &what, options, &plan, err);
    for (int x = 0; x <= c->operands; x++)
        ashlar_tensor_layout_free(&layout[x]);
    if (status == ASHLAR_OK)
        status = execute_both(r, c, plan, err);
    if (status == ASHLAR_OK)
        check_figures(r, c, plan, options);
    if (status == ASHLAR_OK)
        c->device_words += check_device(r, c, plan);
    ashlar_contraction_plan_free(&plan);
    return status;
}

/* What a refusal names as enough, where a word less is refused, too; 0: a word is enough. */
static inline int64_t least_words(ashlar_context *context, rig *r, contracting *c)
{
    ashlar_options options = ashlar_options_default();
    ashlar_error err = {0};
    options.memory_words = 1;
    const ashlar_status status = contract(context, r, c, &options, &err);
    const int64_t least = ashlar_context_memory_words(context);
    if (status == ASHLAR_OK) /* no rank holds more than a word */
        return 0;
    CHECK(&r->test, status == ASHLAR_ERR_LIMIT && least > 1 && ashi_says_least(err.text, least),
          CASE "%s: status %d, %s", CASE_OF(r), c->text, (int)status, err.text);
    options.memory_words = least - 1;
    CHECK(&r->test, contract(context, r, c, &options, &err) == ASHLAR_ERR_LIMIT, CASE "%s: one word less does",
          CASE_OF(r), c->text);
    return least;
}

#endif
