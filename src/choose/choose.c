/* Compare what the strategies propose, and take the best. */
#include "choose/choose.h"

#include "base/checked.h"
#include "base/error.h"
#include "choose/measuring.h"
#include "choose/result.h"
#include "strategy/sight.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    STRATEGIES_MOST = 32,
    FRUITLESS_MOST = 1 << 16 /* rounds of all ranks that are walked only to say how much memory would do */
};

/* Of pointers to proposals: by estimate; of equals by name, and those of one strategy as it proposed them. */
static int by_estimate(const void *a, const void *b)
{
    const ashi_proposal *const *x = a, *const *y = b;
    int order = ((*x)->estimate > (*y)->estimate) - ((*x)->estimate < (*y)->estimate);
    if (order == 0)
        order = strcmp((*x)->strategy->name, (*y)->strategy->name);
    return order != 0 ? order : (*x > *y) - (*x < *y);
}

/* Why there is no choice; and if memory is too little, the words a rank that would do, 0 if that is not known. */
typedef struct refusal {
    ashlar_error why;
    int64_t least;
} refusal;

/* What all propose. Who refuses has a row with the reason. *refused is one of the reasons: of several that of the first
 * name, but a lack of memory, which the user can do something about, before all others. */
static ashlar_status ask(ashi_contest *c, const ashi_competition *asked, refusal *refused, ashlar_error *err)
{
    const char *who = NULL;
    for (int i = 0; i < asked->strategies; i++) {
        const ashi_strategy *s = asked->strategy[i];
        const int64_t before = c->list.count;
        ashi_compared *row = &c->row[c->rows++];
        ashlar_error why = {0};
        c->list.memory_least = 0;
        const ashlar_status status = s->propose(c->problem, &c->list, &why);
        *row = (ashi_compared){.strategy = s};
        if (status == ASHLAR_ERR_UNSUPPORTED || status == ASHLAR_ERR_LIMIT) {
            ashi_proposals_shrink(&c->list, before);
            const bool memory = status == ASHLAR_ERR_LIMIT, had = refused->why.status == ASHLAR_ERR_LIMIT;
            if (!who || (memory && !had) || (memory == had && strcmp(s->name, who) < 0)) {
                *refused = (refusal){why, memory ? c->list.memory_least : 0};
                who = s->name;
            }
            row->refusal = why;
        } else if (status != ASHLAR_OK) {
            return ashi_fail(err, status, "%s", why.text);
        }
        for (int64_t p = before; p < c->list.count; p++)
            c->list.at[p].strategy = s;
    }
    return ASHLAR_OK;
}

/* Enter those that are foreseen: of each strategy the one of the least seconds, or of the fewest words if they count,
 * competes, the others in turn where that does not fit. They were proposed in the order of an estimate that does not
 * count what a rank copies. */
static void enter_foreseen(ashi_contest *c)
{
    int64_t of_strategy = 0;
    for (int64_t i = 0; i < c->list.count; i++) {
        ashi_proposal *p = &c->list.at[i];
        if (!p->foreseen)
            continue;
        const ashi_contender new = {.proposal = p, .totals = p->totals, .out = true,
                                    .seconds = ashi_problem_seconds(c->problem, &p->totals, false)};
        if (c->entries > 0 && c->entry[of_strategy].proposal->strategy != p->strategy)
            of_strategy = c->entries;
        int64_t at = c->entries++;
        for (; at > of_strategy && !c->problem->least_words && c->entry[at - 1].seconds > new.seconds; at--)
            c->entry[at] = c->entry[at - 1];
        c->entry[at] = new;
    }
    for (int64_t i = 0; i < c->entries; i++) {
        const ashi_proposal *p = c->entry[i].proposal;
        if (i == 0 || c->entry[i - 1].proposal->strategy != p->strategy)
            c->entry[i].out = ashi_proposal_ranks(p) < c->wanted;
    }
}

/* Sort them, and enter those that are foreseen. */
static ashlar_status sort(ashi_contest *c, ashlar_error *err)
{
    const int64_t count = c->list.count;
    c->sorted = malloc((size_t)ashi_max(count, 1) * sizeof *c->sorted);
    c->entry = calloc((size_t)ashi_max(count, 1), sizeof *c->entry);
    ashi_compared *row = realloc(c->row, (size_t)(c->rows + count) * sizeof *row);
    c->row = row ? row : c->row;
    if (!c->sorted || !c->entry || !row)
        return ashi_fail_memory(err, "plan", count * (int64_t)(sizeof *c->sorted + sizeof *c->entry + sizeof *row));
    for (int64_t i = 0; i < count; i++)
        c->sorted[i] = &c->list.at[i];
    qsort(c->sorted, (size_t)count, sizeof *c->sorted, by_estimate);
    enter_foreseen(c);
    return ASHLAR_OK;
}

/* Whether proposals are to be measured: not if the memory limit has no room for the matrices alone, wherever they lie,
 * and it would take long to say how much would do. */
static bool is_worth_measuring(const ashi_problem *q)
{
    const double rounds_of_all = (double)q->size[2] * (double)q->ranks;
    return q->memory_words == 0 || ashi_problem_share(q) <= (double)q->memory_words ||
           rounds_of_all <= FRUITLESS_MOST;
}

/* Why no proposal is taken: those that there are do not fit, or there are none. */
static ashlar_status say_why_none(const ashi_fitting *f, const refusal *refused, refusal *said)
{
    const ashi_problem *q = f->problem;
    const ashlar_status status = refused->why.status;
    said->least = f->least < INT64_MAX ? f->least : 0;
    if (f->least < INT64_MAX)
        return ashi_fail(&said->why, ASHLAR_ERR_LIMIT,
                         "%" PRId64 " words a rank are too few for these layouts: %" PRId64 " would do",
                         q->memory_words, f->least);
    if (status == ASHLAR_OK || (status != ASHLAR_ERR_LIMIT && !is_worth_measuring(q)))
        return ashi_fail(&said->why, ASHLAR_ERR_LIMIT,
                         "%" PRId64 " words are too few for a rank's share of the matrices, %.0f", q->memory_words,
                         ashi_problem_share(q));
    *said = *refused;
    return status;
}

static void end(ashi_contest *c)
{
    for (int64_t i = 0; i < c->entries; i++)
        ashi_schedule_free(&c->entry[i].schedule);
    ashi_proposals_free(&c->list);
    free(c->sorted);
    free(c->entry);
    free(c->row);
    free(c->fitting.put_off);
}

static ashlar_status choose_within(const ashi_problem *q, const ashi_competition *asked, ashi_choice *out,
                                   refusal *said)
{
    ashi_problem problem = *q;
    ashi_contest c = {.problem = &problem, .fitting = ashi_fitting_begin(&problem, asked)};
    ashi_sights sights = {0};
    refusal refused = {{0}, 0};
    *out = (ashi_choice){0};
    problem.compared = q->compared || asked->strategies > 1;
    problem.sights = &sights;
    c.row = calloc((size_t)asked->strategies, sizeof *c.row);
    ashlar_status status = c.row ? ask(&c, asked, &refused, &said->why)
                                 : ashi_fail_memory(&said->why, "plan", 0);
    if (status == ASHLAR_OK && is_worth_measuring(q)) {
        c.wanted = asked->strategies > 1 ? ashi_proposals_ranks_wanted(q, &c.list) : 0;
        status = sort(&c, &said->why);
    }
    if (status == ASHLAR_OK && c.sorted)
        status = ashi_measure_in_order(&c, &said->why);
    if (status == ASHLAR_OK && c.sorted)
        status = ashi_contest_decide(&c, asked->foreseen_does, &said->why);
    if (status == ASHLAR_OK && !c.best)
        status = ashi_fit_least(&c.fitting, &said->why);
    if (status == ASHLAR_OK && !c.best)
        status = say_why_none(&c.fitting, &refused, said);
    if (status == ASHLAR_OK)
        ashi_contest_take(&c, out);
    end(&c);
    ashi_sights_close(&sights);
    return status;
}

/* Closed forms give the memory that is enough if sums go straight to their owners. Along trees sums may take more. So
 * that memory is tried; if it is not enough, the larger number that this gives is tried next, and so on. */
static ashlar_status find_what_does(const ashi_problem *q, const ashi_competition *asked, refusal *said)
{
    ashi_problem more = *q;
    refusal next = *said;
    ashlar_status status = ASHLAR_ERR_LIMIT;
    while (status == ASHLAR_ERR_LIMIT && next.least > more.memory_words) {
        ashi_choice choice;
        more.memory_words = next.least;
        status = choose_within(&more, asked, &choice, &next);
        if (status == ASHLAR_OK)
            ashi_choice_free(&choice);
    }
    if (status != ASHLAR_OK && status != ASHLAR_ERR_LIMIT) {
        *said = next;
        return status;
    }
    if (status != ASHLAR_OK || more.memory_words == said->least)
        return ASHLAR_ERR_LIMIT;
    said->least = more.memory_words;
    return ashi_fail(&said->why, ASHLAR_ERR_LIMIT, "%" PRId64 " words a rank are too few if sums go along trees: %"
                     PRId64 " would do", q->memory_words, more.memory_words);
}

ashlar_status ashi_choose_among(const ashi_problem *q, const ashi_competition *asked, ashi_choice *out,
                                ashlar_error *err)
{
    refusal said = {{0}, 0};
    ashlar_status status = choose_within(q, asked, out, &said);
    if (status == ASHLAR_ERR_LIMIT && q->route == ASHI_TREE)
        status = find_what_does(q, asked, &said);
    if (status == ASHLAR_OK)
        return status;
    out->memory_least = status == ASHLAR_ERR_LIMIT ? said.least : 0;
    return ashi_fail(err, status, "%s", said.why.text);
}

/* Between all strategies, or one that is named. */
static ashlar_status choose_by_name(const ashi_problem *q, const char *name, ashi_competition *asked, ashi_choice *out,
                                    ashlar_error *err)
{
    const ashi_strategy *all[STRATEGIES_MOST] = {name ? ashi_strategy_named(name) : NULL};
    *out = (ashi_choice){0};
    if (name && !all[0])
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "there is no strategy \"%s\"", name);
    asked->strategy = all;
    asked->strategies = name ? 1 : 0;
    for (int i = 0; !name && i < STRATEGIES_MOST && ashi_strategy_at(i); i++)
        all[asked->strategies++] = ashi_strategy_at(i);
    return ashi_choose_among(q, asked, out, err);
}

ashlar_status ashi_choose(const ashi_problem *q, const char *name, ashi_measure measure_one, void *context,
                          ashi_choice *out, ashlar_error *err)
{
    return choose_by_name(q, name, &(ashi_competition){.measure = measure_one, .context = context}, out, err);
}

ashlar_status ashi_choose_together(const ashi_problem *q, const char *name, ashi_measure_all measure_all,
                                   void *context, ashi_choice *out, ashlar_error *err)
{
    return choose_by_name(q, name, &(ashi_competition){.measure_all = measure_all, .context = context}, out, err);
}

void ashi_choice_free(ashi_choice *c)
{
    ashi_schedule_free(&c->schedule);
    ashi_proposal_free(&c->proposal);
    free(c->compared);
    *c = (ashi_choice){0};
}
