/* Arrays that functions make when they are read, or take when they are written: nothing is stored. */
#ifndef ASHI_STORE_MADE_H
#define ASHI_STORE_MADE_H

#include "store/store.h"

/* One of the two. Boxes are in C order; anything but 0 is a failure. */
typedef struct ashi_store_function {
    int (*produce)(void *user, const int64_t *from, const int64_t *extent, void *elements);
    int (*consume)(void *user, const int64_t *from, const int64_t *extent, const void *elements);
    void *user;
} ashi_store_function;

/* A store of info's type, dimensions and extents, for views; `function` is copied. Functions are called on the thread
 * that reads or writes. ASHLAR_ERR_ARG, ASHLAR_ERR_OVERFLOW: no such shape; ASHLAR_ERR_MEMORY. Reading and writing fail
 * with ASHLAR_ERR_IO if a function does. */
ashlar_status ashi_store_make(const ashi_store_info *info, const ashi_store_function *function, ashi_store **out,
                              ashlar_error *err);

/* Whether functions make or take the elements: then only the calling thread may read and write. */
bool ashi_store_is_made(const ashi_store *store);

#endif
