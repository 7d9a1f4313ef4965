/* Plans of matrices in files and in memory together: what is in files goes through memory slab by slab.
 *
 * Slabs are cut along one of m, n and k that all matrices in files have, so that each word of a file is moved once. The
 * product of a slab is a plan of its own, in memory: the slab of what is in a file in the layout that this plan likes
 * best, the slab of what is in the caller's memory where it lies. Slabs that lie alike have one plan. With two buffers
 * the next slab is read, and the last one written, by a thread while one is multiplied. */
#ifndef ASHI_PLAN_MIXED_H
#define ASHI_PLAN_MIXED_H

#include "kernel/part.h"
#include "layout/slab.h"

#include <ashlar/plan.h>

/* How slabs are cut. */
typedef struct ashi_mixed_cut {
    int index;         /* 0 to 2: along m, n or k */
    int64_t thickness; /* the last slab may be thinner */
    int buffers;       /* slabs of what is in files that are in memory at once: 1 or 2 */
} ashi_mixed_cut;

/* The plan of slabs that lie alike. */
typedef struct ashi_mixed_kind {
    ashi_layout_slab_key key;
    int64_t slabs;
    ashlar_plan *plan;
} ashi_mixed_kind;

typedef struct ashi_mixed {
    bool on;
    ashi_mixed_cut cut;
    int64_t slabs;
    int *kind_of;          /* of each slab */
    ashi_mixed_kind *kind;
    int kinds;
    int64_t repeats[3];    /* tiles along a slab of the plan's own layout, which repeats; 0: it does not */
    void *buffer[2][3];    /* this rank's parts of slabs */
    const void **tile[3];  /* pointers to the tiles of the slab of what is in memory */
    void *workspace;       /* of all kinds with two-sided transport */
    int64_t own_words;     /* that this rank holds beside the caller's matrices */
    int64_t share;         /* of these and of the caller's, what is there whether a product runs or not */
    int64_t words_max, words_total, messages_max, memory_max, rounds; /* predicted, of all slabs */
    double seconds;
    uint64_t digest;       /* ashi_mixed_digest, on rank 0 if C is in a file */
    char reason[320];
} ashi_mixed;

/* Plan that; the plan that was to be made in memory is cleared. ASHLAR_ERR_LIMIT with the least words that would do.
 * Collective, the same on all ranks. */
ashlar_status ashi_mixed_make(ashlar_plan *plan, const ashlar_options *options, ashlar_error *err);

/* Whether matrix x has the index; and which rows or columns of it, as stored, positions lo .. hi - 1 of that are. */
bool ashi_mixed_has(int x, int index);
ashi_layout_slab ashi_mixed_slab(const ashlar_plan *plan, int index, int x, int64_t lo, int64_t hi);

/* Collective with one-sided transport. */
void ashi_mixed_free(ashi_mixed *mixed);

/* ---- mixed_search.c ---- */

/* What is being planned. `layout`: whole, of what is in memory; NULL if the plan's own is to be found. */
typedef struct ashi_mixing {
    ashlar_plan *plan;
    const ashlar_options *options;
    ashi_mixed_cut cut;
    const ashlar_layout *layout[3];
    int64_t extent[3], workspace; /* the most of those made so far, on this rank */
} ashi_mixing;

/* Find the cut that is predicted to be the best of those within the limit, and write it to mixing->cut.
 * ASHLAR_ERR_LIMIT if none is found. Collective, the same on all ranks. */
ashlar_status ashi_mixed_search(ashi_mixing *mixing, ashlar_error *err);

/* Predicted seconds of all slabs, if the product of one takes `product` seconds. */
double ashi_mixed_seconds(const ashi_mixing *mixing, double product);

/* Whether slabs may be cut along an index: all that is in files has it. */
bool ashi_mixed_serves(const ashlar_plan *plan, int index);

/* How thick slabs are to be if about so thick is wanted, so that many of them lie alike. At least 1. */
int64_t ashi_mixed_rounded(const ashi_mixing *mixing, int index, int64_t thickness);

/* Make the plan of positions lo .. hi - 1 of the index. *memory: the most words that a rank then holds, which are
 * within the limit. ASHLAR_ERR_LIMIT. Collective, the same on all ranks; *out is NULL on failure. */
ashlar_status ashi_mixed_part(const ashi_mixing *mixing, int64_t lo, int64_t hi, ashlar_plan **out, int64_t *memory,
                              ashlar_error *err);

/* ---- mixed_resume.c ---- */

/* A number for the plans of all slabs and the layouts in memory: plans that form C with other bits have another. */
uint64_t ashi_mixed_digest(const ashlar_plan *plan);

/* The slabs and that number, as a line. */
void ashi_mixed_describe(const ashlar_plan *plan, char *out, size_t room);

/* A number, at least 0, for the elements that this rank has of A and B in the caller's memory; it takes as long as
 * reading them once. Local. */
int64_t ashi_mixed_memory(const ashlar_plan *plan, const ashi_part part[3]);

/* ---- run_mixed.c ---- */

/* Execute such a plan, with arguments that were checked. If C is in a file its slabs are complete one after the other:
 * they are recorded, and what an earlier run has finished is not formed again (resume.h). Collective, the same on all
 * ranks. */
ashlar_status ashi_mixed_run(ashlar_plan *plan, const void *alpha, const ashi_part part[3], const void *beta,
                             ashlar_error *err);

#endif
