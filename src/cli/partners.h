/* With which ranks one exchanges messages while the rate of messages is measured. */
#ifndef ASHI_PARTNERS_H
#define ASHI_PARTNERS_H

enum { ASHI_PARTNERS_MOST = 31 };

/* How many: the logarithm of the ranks to the base 2, rounded down. In a product a rank has messages from about as many
 * others at once, and several that share a link are slower than one. */
static inline int ashi_partners(int ranks)
{
    int partners = 0;
    for (int left = ranks; left > 1; left /= 2)
        partners++;
    return partners;
}

/* Rank `rank` sends to the first of them and receives from the second, for each `partner` below ashi_partners. They are
 * half of the ranks away and more: on other nodes, if each node has its ranks together. */
static inline int ashi_partner_to(int rank, int ranks, int partner)
{
    return (int)(((long long)rank + ranks / 2 + partner) % ranks);
}

static inline int ashi_partner_from(int rank, int ranks, int partner)
{
    return (int)(((long long)rank + ranks - ranks / 2 - partner) % ranks);
}

#endif
