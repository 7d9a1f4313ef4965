/* The pattern of messages by which their rate is measured: each message that is sent is awaited, and no rank sends to
 * itself or to another one twice. */
#include "cli/partners.h"
#include "test.h"

enum { RANKS_MOST = 300 };

static void check_ranks(ashi_test *t, int ranks)
{
    const int partners = ashi_partners(ranks);
    CHECK(t, 1 << partners <= ranks && ranks < 2 << partners, "%d ranks: %d partners", ranks, partners);
    for (int rank = 0; rank < ranks; rank++) {
        bool sent[RANKS_MOST] = {false};
        for (int i = 0; i < partners; i++) {
            const int to = ashi_partner_to(rank, ranks, i), distance = (to - rank + ranks) % ranks;
            CHECK(t, to >= 0 && to < ranks && to != rank, "rank %d of %d sends to %d", rank, ranks, to);
            CHECK(t, ashi_partner_from(to, ranks, i) == rank, "rank %d of %d, partner %d", rank, ranks, i);
            CHECK(t, !sent[to], "rank %d of %d sends to %d twice", rank, ranks, to);
            CHECK(t, distance >= ranks / 2, "rank %d of %d sends to %d, near by", rank, ranks, to);
            sent[to] = true;
        }
    }
}

int main(void)
{
    ashi_test t = {0};
    for (int ranks = 1; ranks <= RANKS_MOST; ranks++)
        check_ranks(&t, ranks);
    const int most = 2147483647, last = ashi_partners(most) - 1;
    CHECK(&t, last + 1 < ASHI_PARTNERS_MOST, "%d partners", last + 1);
    CHECK(&t, ashi_partner_to(most - 1, most, last) == most / 2 + last - 1, "the last rank of as many as there can be");
    return ashi_test_end(&t, "partners");
}
