/* schedule: the words between nodes are those of the messages one by one, for each strategy and any ranks to a node. */
#include "choose/choose.h"
#include "random_layout.h"
#include "schedule/program.h"
#include "simulate/node_words.h"
#include "test.h"

#include <string.h>

enum { RANKS = RANDOM_RANKS_MAX };

/* Words from each rank to each, of what ranks send and of what they receive. */
typedef struct traffic {
    ashi_program program;
    int64_t rank;
    int64_t sent[RANKS][RANKS], received[RANKS][RANKS];
} traffic;

static ashlar_status note_message(void *context, const ashi_operation *op, const ashi_message *message,
                                  ashlar_error *err)
{
    traffic *t = context;
    (void)op;
    (void)err;
    if (message->send)
        t->sent[t->rank][message->peer] += message->words;
    else
        t->received[message->peer][t->rank] += message->words;
    return ASHLAR_OK;
}

static ashlar_status note_operation(void *context, const ashi_operation *o, ashlar_error *err)
{
    traffic *t = context;
    return ashi_program_messages(&t->program, t->rank, o, note_message, t, err);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A sum over pairs of ranks of different nodes: for each node what it receives and what it sends. */
static ashi_node_words sum_of(const traffic *t, const int *node_of, int ranks)
{
    ashi_node_words out = {0};
    for (int r = 0; r < ranks; r++)
        out.nodes = larger(out.nodes, node_of[r] + 1);
    for (int n = 0; n < out.nodes; n++) {
        int64_t in = 0, away = 0, here = 0;
        for (int r = 0; r < ranks; r++) {
            int64_t own = 0;
            if (node_of[r] != n)
                continue;
            here++;
            for (int other = 0; other < ranks; other++)
                if (node_of[other] != n) {
                    own += t->sent[other][r];
                    away += t->sent[r][other];
                }
            in += own;
            out.rank_words_max = larger(out.rank_words_max, own);
        }
        out.ranks_most = larger(out.ranks_most, here);
        out.words_max = larger(out.words_max, in);
        out.sent_max = larger(out.sent_max, away);
        out.words_total += in;
    }
    return out;
}

static bool same(const ashi_node_words *a, const ashi_node_words *b)
{
    return a->nodes == b->nodes && a->ranks_most == b->ranks_most && a->words_max == b->words_max &&
           a->sent_max == b->sent_max && a->words_total == b->words_total && a->rank_words_max == b->rank_words_max;
}

/* However ranks sit, the count is the sum over pairs; with one to a node all words cross, with one node none does. */
static void counted(ashi_test *t, uint64_t seed, uint64_t *state, const ashi_problem *q, ashi_choice *c)
{
    static traffic told;
    const int ranks = (int)q->ranks;
    const char *const name = c->strategy->name;
    int scattered[RANKS], alone[RANKS], together[RANKS] = {0};
    ashi_node_words got;
    ashlar_error err = {0};
    told = (traffic){0};
    const ashi_program_visitor visitor = {ashi_program_ignored.panel, note_operation, &told};
    CHECK(t, ashi_program_of(&c->schedule, &told.program, &err) == ASHLAR_OK, "%s", err.text);
    for (; told.rank < ranks; told.rank++)
        CHECK(t, ashi_program_walk(&told.program, told.rank, &visitor, &err) == ASHLAR_OK, "%s", err.text);
    ashi_program_free(&told.program);
    CHECK(t, memcmp(told.sent, told.received, sizeof told.sent) == 0, "seed %" PRIu64 ": %s: not all arrives",
          seed, name);
    for (int r = 0; r < ranks; r++) {
        scattered[r] = (int)ashi_random_in(state, 0, ranks / 2);
        alone[r] = ranks - 1 - r;
    }
    const int *const sitting[] = {q->node_of, scattered, alone, together};
    for (int i = 0; i < 4; i++) {
        const ashi_node_words wanted = sum_of(&told, sitting[i], ranks);
        CHECK(t, ashi_node_words_count(&c->schedule, sitting[i], &got, &err) == ASHLAR_OK, "%s", err.text);
        CHECK(t, same(&got, &wanted), "seed %" PRIu64 ": %s, %d: %" PRId64 " words, wanted %" PRId64, seed, name, i,
              got.words_total, wanted.words_total);
        if (i == 2)
            CHECK(t, got.words_total == c->totals.words_total && got.words_max == c->totals.words_max &&
                         got.sent_max == c->totals.sent_max, "seed %" PRIu64 ": %s: one rank a node", seed, name);
        if (i == 3)
            CHECK(t, got.words_total == 0 && got.sent_max == 0 && got.nodes == 1, "seed %" PRIu64 ": %s: one node",
                  seed, name);
    }
}

static ashlar_status simulate(void *context, ashi_schedule *schedule, ashi_totals *out, ashlar_error *err)
{
    (void)context;
    return ashi_simulate(schedule, NULL, NULL, out, err);
}

static void one_problem(ashi_test *t, uint64_t seed, int64_t *served)
{
    uint64_t state = seed;
    int node_of[RANKS];
    const int64_t each = ashi_random_in(&state, 1, 3), nodes = ashi_random_in(&state, 1, RANKS / each);
    ashi_problem q = {.ranks = each * nodes, .type = ASHLAR_TYPE_D, .idle = 0.03, .least_words = true,
                      .machine = ashlar_machine_default(), .window = ASHI_WINDOW_USUAL, .node_of = node_of,
                      .route = ashi_random_in(&state, 0, 1) ? ASHI_TREE : ASHI_DIRECT};
    const ashi_strategy *s = NULL;
    for (int64_t r = 0; r < q.ranks; r++)
        node_of[r] = (int)(r / each);
    for (int d = 0; d < 3; d++)
        q.size[d] = ashi_random_in(&state, 1, 80);
    ashlar_error err = {0};
    ashlar_layout *a = random_layout(&state, q.size[0], q.size[2], (int)q.ranks, &err);
    CHECK(t, a, "seed %" PRIu64 ": %s", seed, err.text);
    q.layout[0] = seed % 2 ? a : NULL;
    for (int i = 0; (s = ashi_strategy_at(i)) != NULL; i++) {
        ashi_choice choice;
        if (ashi_choose(&q, s->name, simulate, NULL, &choice, &err) != ASHLAR_OK)
            continue;
        served[i]++;
        counted(t, seed, &state, &q, &choice);
        ashi_choice_free(&choice);
    }
    ashlar_layout_free(&a);
}

int main(void)
{
    ashi_test t = {0};
    int64_t served[64] = {0};
    for (uint64_t seed = 1; seed <= 100; seed++)
        one_problem(&t, seed, served);
    for (int i = 0; ashi_strategy_at(i); i++)
        CHECK(&t, served[i] > 10 || ashi_strategy_at(i) == &ashi_strategy_sequential, "%s served %" PRId64,
              ashi_strategy_at(i)->name, served[i]);
    return ashi_test_end(&t, "node_words");
}
