/* The rank's pool while panels are placed: which intervals are in use, and since when the others are not. */
#ifndef ASHI_SPACE_H
#define ASHI_SPACE_H

#include <ashlar/base.h>

#include <stdbool.h>

/* An operation that uses a panel, or the memory of one. */
typedef struct ashi_use {
    int64_t number, step;
    int64_t lo, hi; /* a RECEIVE: which words it makes, as they lie packed; others: all */
    bool waits;     /* within its step it waits for a message */
} ashi_use;

typedef struct ashi_uses {
    ashi_use *at;
    int64_t count, capacity;
} ashi_uses;

typedef struct ashi_interval {
    int64_t at, words;
    int64_t users;   /* panels that have it; 0: it is free */
    int64_t step;    /* the last step in which it was used */
    ashi_uses after; /* the operations of that step that use it; only if it may be taken again within the step */
    bool waits;      /* one of them waits for a message */
} ashi_interval;

typedef struct ashi_space {
    ashi_interval *at; /* side by side, from the beginning of the pool on */
    int64_t count, capacity;
    int64_t end, peak; /* of the last interval; the largest end of one in use so far */
} ashi_space;

/* Who may take what. */
typedef struct ashi_space_rule {
    int64_t before; /* what was last used in a step below this */
    int64_t step;   /* and what was last used in this step by operations that do not wait for messages; -1: nothing */
} ashi_space_rule;

/* Take `words` in one interval for `users` panels. *after gets the operations that must end before it is written. */
ashlar_status ashi_space_take(ashi_space *space, int64_t words, int64_t users, const ashi_space_rule *rule,
                              int64_t *at, ashi_uses *after, ashlar_error *err);

/* Take `words` from word `at` on. ASHLAR_ERR_INTERNAL if some of them may not be taken. */
ashlar_status ashi_space_take_at(ashi_space *space, int64_t at, int64_t words, int64_t users,
                                 const ashi_space_rule *rule, ashi_uses *after, ashlar_error *err);

/* One of the panels that have the interval which contains word `at` is gone. `used`: the operations of this step that
 * used it, or NULL if the interval is not to be taken again within the step. */
ashlar_status ashi_space_give(ashi_space *space, int64_t at, int64_t step, const ashi_uses *used, ashlar_error *err);

/* Free intervals last used in a step below `before` become one with their neighbours. */
void ashi_space_settle(ashi_space *space, int64_t before);

void ashi_space_free(ashi_space *space);

ashlar_status ashi_uses_add(ashi_uses *uses, const ashi_use *use, ashlar_error *err);
ashlar_status ashi_uses_append(ashi_uses *uses, const ashi_uses *more, ashlar_error *err);

#endif
