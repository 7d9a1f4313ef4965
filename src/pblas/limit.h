/* Why ASHLAR_MEMORY is too little for a call, in bytes and with all that counts in it. */
#ifndef ASHI_LIMIT_H
#define ASHI_LIMIT_H

#include <ashlar/base.h>

/* What the library, which counts words, does not say. */
typedef struct ashi_limit {
    int64_t bytes;  /* ASHLAR_MEMORY */
    int64_t word;   /* bytes of an element */
    int64_t share;  /* elements that a process has of the call's matrices, the most of all */
    bool beside;    /* the library counted only what is held beside the share */
} ashi_limit;

/* Put such a text in the place of one of ASHLAR_ERR_LIMIT. least: memory_words that would do; 0: not known. err may be
 * NULL. */
void ashi_limit_explain(const ashi_limit *limit, int64_t least, ashlar_error *err);

#endif
