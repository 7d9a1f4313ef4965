/* Every strategy in the table, on random problems: what it proposes becomes a schedule that passes the checker, and the
 * simulator counts what was checked. */
#include "random_problem.h"
#include "sound.h"

#include <string.h>

enum { PROPOSALS_MOST = 4 };

static void check_one(ashi_test *t, uint64_t seed, const ashi_strategy *s, const ashi_problem *q, ashi_proposal *p)
{
    uint64_t state = seed + 1000003;
    ashi_schedule schedule = {0};
    ashi_check_report report = {0};
    ashi_totals totals;
    ashlar_error err = {0};
    p->strategy = s; /* as whoever asks for proposals does */
    p->rounds = ashi_max(p->rounds, 1) * ashi_random_in(&state, 1, 3);
    p->reduce_rounds = ashi_max(p->reduce_rounds, 1) * ashi_random_in(&state, 1, 3);
    ashlar_status status = ashi_proposal_furnish(q, p, &err);
    if (status == ASHLAR_OK)
        status = s->schedule(q, p, &schedule, &err);
    CHECK(t, status == ASHLAR_OK, "%s, seed %" PRIu64 ": %s", s->name, seed, err.text);
    if (status == ASHLAR_OK && schedule_is_sound(t, seed, &schedule, &report)) {
        status = ashi_simulate(&schedule, NULL, NULL, &totals, &err);
        CHECK(t, status == ASHLAR_OK, "%s, seed %" PRIu64 ": %s", s->name, seed, err.text);
        CHECK(t, report.words == totals.words_total, "%s, seed %" PRIu64 ": %" PRId64 " words checked, %" PRId64
              " counted", s->name, seed, report.words, totals.words_total);
        CHECK(t, strcmp(schedule.strategy, s->name) == 0, "%s calls itself %s", s->name, schedule.strategy);
    }
    ashi_schedule_free(&schedule);
}

static void one_problem(ashi_test *t, uint64_t seed, const char *only, int64_t *served)
{
    problem p;
    ashlar_error err = {0};
    const bool made = random_problem(seed, &p, &err);
    const ashi_strategy *s = NULL;
    CHECK(t, made, "seed %" PRIu64 ": %s", seed, err.text);
    for (int i = 0; made && (s = ashi_strategy_at(i)) != NULL; i++) {
        ashi_proposals list = {0};
        if (only && strcmp(only, s->name) != 0)
            continue;
        const ashlar_status status = s->propose(&p.q, &list, &err);
        CHECK(t, status == ASHLAR_OK || (status == ASHLAR_ERR_UNSUPPORTED && err.text[0]) ||
                     status == ASHLAR_ERR_LIMIT, "%s, seed %" PRIu64 ": %s", s->name, seed, err.text);
        served[i] += list.count > 0;
        for (int64_t j = 0; j < ashi_min(list.count, PROPOSALS_MOST); j++)
            check_one(t, seed, s, &p.q, &list.at[(j + (int64_t)(seed % 1000)) % list.count]);
        ashi_proposals_free(&list);
    }
    free_random_problem(&p);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    int64_t served[64] = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 120); /* or FIRST LAST STRATEGY */
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        one_problem(&t, seed, argc > 3 ? argv[3] : NULL, served);
    for (int i = 0; !seeds.told && ashi_strategy_at(i); i++)
        CHECK(&t, served[i] > 10 || strcmp(ashi_strategy_at(i)->name, "sequential") == 0,
              "%s served %" PRId64 " problems only", ashi_strategy_at(i)->name, served[i]);
    return ashi_test_end(&t, "strategies");
}
