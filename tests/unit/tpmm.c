/* tpMM's order of partners: of each two ranks that exchange, how often and when, as the paper's recursion has it.
 *
 * Hunold, Rauber and Ruenger, ICCS 2004, section 2 and Figure 1: a group of 2^l ranks multiplies in its halves, then
 * each of its ranks exchanges with the one half the group's size away, then it multiplies in its halves again. */
#include "base/checked.h"
#include "choosing.h"
#include "schedule/program.h"
#include "test.h"

enum { RANKS_MOST = 64 };

/* The partners of a rank, one for each exchange, in their order; a partner of several sub-blocks in a row is one. */
typedef struct partners {
    int64_t count, at[RANKS_MOST];
    int64_t words_beyond[7]; /* received from outside the rank's node of 2^i ranks */
    int64_t rank;
} partners;

static ashlar_status note(void *context, const ashi_operation *op, ashlar_error *err)
{
    partners *p = context;
    (void)err;
    if (op->kind != ASHI_DO_RECEIVE || op->operand != ASHLAR_B)
        return ASHLAR_OK;
    if (p->count == 0 || p->at[p->count - 1] != op->peer)
        p->at[p->count++ % RANKS_MOST] = op->peer;
    for (int i = 0; i < 7; i++)
        p->words_beyond[i] += op->peer >> i != p->rank >> i ? op->words : 0;
    return ASHLAR_OK;
}

/* The distances of a group of so many ranks, by the recursion: those of its halves, its own, those of its halves. */
static int64_t *recursion(int64_t ranks, int64_t *at)
{
    if (ranks == 1)
        return at;
    at = recursion(ranks / 2, at);
    *at++ = ranks / 2;
    return recursion(ranks / 2, at);
}

/* Words from outside a node of 2^i ranks: an exchange with another half, and so a block of B, each time that a group
 * larger than the node has done its halves. */
static void crosses(ashi_test *t, const partners *p, int64_t ranks, int64_t block)
{
    for (int i = 0; i < 7 && ranks >> i >= 1; i++)
        CHECK(t, p->words_beyond[i] == ((ranks >> i) - 1) * block, "rank %" PRId64 " of %" PRId64 ", nodes of %d: %"
              PRId64 " words from outside, wanted %" PRId64, p->rank, ranks, 1 << i, p->words_beyond[i],
              ((ranks >> i) - 1) * block);
}

static void one_count(ashi_test *t, int64_t ranks, int64_t columns)
{
    const ashi_problem q = problem_of(ranks * 2, ranks * columns, 24, ranks);
    int64_t wanted[RANKS_MOST];
    ashi_choice choice;
    ashlar_error err = {0};
    ashi_program program = {0};
    ashlar_status status = ashi_choose(&q, "tpmm", walk_all, NULL, &choice, &err);
    if (status == ASHLAR_OK)
        status = ashi_program_of(&choice.schedule, &program, &err);
    recursion(ranks, wanted);
    CHECK(t, status == ASHLAR_OK, "%" PRId64 " ranks: %s", ranks, err.text);
    for (int64_t r = 0; r < ranks && status == ASHLAR_OK; r++) {
        partners p = {.rank = r};
        const ashi_program_visitor visitor = {ashi_program_ignored.panel, note, &p};
        CHECK(t, ashi_program_walk(&program, r, &visitor, &err) == ASHLAR_OK, "%s", err.text);
        CHECK(t, p.count == ranks - 1, "rank %" PRId64 " of %" PRId64 ": %" PRId64 " exchanges", r, ranks, p.count);
        for (int64_t i = 0; i < ashi_min(p.count, ranks - 1); i++)
            CHECK(t, p.at[i] == (r ^ wanted[i]), "rank %" PRId64 " of %" PRId64 ", exchange %" PRId64 ": with %" PRId64
                  ", wanted %" PRId64, r, ranks, i, p.at[i], r ^ wanted[i]);
        crosses(t, &p, ranks, columns * 24);
    }
    ashi_program_free(&program);
    ashi_choice_free(&choice);
}

int main(void)
{
    ashi_test t = {0};
    for (int64_t ranks = 1; ranks <= RANKS_MOST; ranks *= 2)
        for (int64_t columns = 3; columns <= 192; columns *= 8) /* one sub-block of B, and several in flight */
            one_count(&t, ranks, columns);
    return ashi_test_end(&t, "tpmm");
}
