/* Public structures of programs that were compiled with another version of Ashlar, and have fewer members or more. */
#ifndef ASHI_STRUCTURE_H
#define ASHI_STRUCTURE_H

#include <ashlar/base.h>

/* The bytes of a structure's first version, which ended with the member `last`. */
#define ASHI_FIRST_VERSION(type, last) (offsetof(type, last) + sizeof((type *)NULL)->last)

/* A structure that a caller filled. */
typedef struct ashi_filled {
    const char *who, *name; /* the call and its argument, for an error's text */
    const void *structure;  /* begins with a size_t: its bytes, or 0 for those of the first version */
    size_t first;           /* ASHI_FIRST_VERSION */
} ashi_filled;

/* Copy it to `out`, ours of `bytes` bytes, which holds the defaults of what the caller may lack. ASHLAR_OK;
 * ASHLAR_ERR_ARG (a size that no version has, or a member that we lack and that is not zero). */
ashlar_status ashi_structure_take(const ashi_filled *filled, void *out, size_t bytes, ashlar_error *err);

/* Copy ours to `out`, the caller's of `size` bytes. Members that we lack become zero. */
void ashi_structure_give(const void *ours, size_t bytes, void *out, size_t size);

#endif
