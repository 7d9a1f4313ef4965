/** Movements: take a matrix from one layout to another, once, or planned and any number of times. Needs MPI. */
#ifndef ASHLAR_MOVE_H
#define ASHLAR_MOVE_H

#include <ashlar/base.h>
#include <ashlar/context.h>
#include <ashlar/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A movement T <- alpha op(S) + beta T between two layouts, planned: who sends what to whom, and the memory for it. */
typedef struct ashlar_mover ashlar_mover;

/** Options of a mover. Fill with ashlar_mover_options_default first. Equal on all ranks. */
typedef struct ashlar_mover_options {
    size_t size;           /**< sizeof(ashlar_mover_options), or 0: see base.h */
    bool caller_workspace; /**< false: the mover allocates its workspace when it is made; true: it allocates none and
                                waits for ashlar_mover_use_workspace */
    bool trusted;          /**< false: executions check their arguments and all ranks agree on errors; true: the caller
                                has seen to it, and ashlar_mover_use_workspace and executions neither check nor agree:
                                they communicate only the data itself. A wrong argument is then undefined
                                behaviour. */
    int64_t memory_words;  /**< the most words of workspace a rank may have: messages are cut to fit, and travel in
                                rounds. 0: 65536, or an eighth of what the rank holds of S and T if that is more; if
                                even single columns need more, as many as these */
} ashlar_mover_options;

/** What ashlar_mover_options_default calls: fill a structure of `size` bytes. */
ASHLAR_API void ashlar_mover_options_default_sized(ashlar_mover_options *out, size_t size);

/** The options described above: false, false, 0. */
static inline ashlar_mover_options ashlar_mover_options_default(void)
{
    ashlar_mover_options options;
    ashlar_mover_options_default_sized(&options, sizeof options);
    return options;
}

/**
 * Prepare the movement T <- alpha op(S) + beta T: checks, lists of what is exchanged with whom, and memory. No word
 * travels more than once, none that is already in place, and no rank sends another more than one message a round.
 *
 * @param context   outlives the mover
 * @param type, op  of both matrices; what op(S) means
 * @param from, to  layouts of S and T as stored; op(S) has the shape of T; neither is kept
 * @param options   NULL for the default; not kept
 * @param out       the mover, freed by ashlar_mover_free; NULL on failure
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (a NULL pointer, no type, no op, shapes that do not fit,
 *         layouts that own ranks that do not exist, a leading dimension too small, a structure's size that no version
 *         has or a member that this one lacks, ranks that disagree); ASHLAR_ERR_LIMIT (memory_words cannot be kept:
 *         ashlar_context_memory_words has what can); ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI
 *
 * Collective over the context's communicator.
 */
ASHLAR_API ashlar_status ashlar_mover_create(ashlar_context *context, ashlar_type type, ashlar_op op,
                                             const ashlar_layout *from, const ashlar_layout *to,
                                             const ashlar_mover_options *options, ashlar_mover **out,
                                             ashlar_error *err);

/** Free a mover, set the pointer to NULL. NULL, and a pointer to NULL, do nothing. Local, also after MPI_Finalize. */
ASHLAR_API void ashlar_mover_free(ashlar_mover **mover);

/** What an execution moves and needs: exact figures, in words. With alpha = 0 nothing is moved. */
typedef struct ashlar_movement {
    int64_t words;           /**< words that this rank receives from others */
    int64_t words_max;       /**< words that the busiest rank receives */
    int64_t words_total;     /**< words received, over all ranks */
    int64_t messages;        /**< of this rank: the larger of those it sends and those it receives */
    int64_t messages_max;    /**< of the busiest rank */
    int64_t rounds;          /**< of messages, one after the other */
    int64_t workspace_words; /**< of this rank, beside the matrices */
} ashlar_movement;

/** What ashlar_mover_explain calls: `out` is a structure of `size` bytes. */
ASHLAR_API ashlar_status ashlar_mover_explain_sized(const ashlar_mover *mover, ashlar_movement *out, size_t size,
                                                    ashlar_error *err);

/** What a mover will do. Local. @return ASHLAR_OK; ASHLAR_ERR_ARG (NULL) */
static inline ashlar_status ashlar_mover_explain(const ashlar_mover *mover, ashlar_movement *out, ashlar_error *err)
{
    return ashlar_mover_explain_sized(mover, out, sizeof *out, err);
}

/** Elements of workspace that this rank needs beside the matrices. Local; 0 for NULL. */
ASHLAR_API int64_t ashlar_mover_workspace(const ashlar_mover *mover);

/**
 * Let the mover work in the caller's memory from now on, and free its own.
 *
 * @param workspace  ashlar_mover_workspace elements of the mover's type, aligned for it; stays the caller's and must
 *                   stay valid while the mover executes; it may be NULL if no element is needed
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (a NULL mover, or NULL if elements are needed)
 *
 * Collective; local with ashlar_mover_options.trusted.
 */
ASHLAR_API ashlar_status ashlar_mover_use_workspace(ashlar_mover *mover, void *workspace, ashlar_error *err);

/**
 * Let this rank's parts have other leading dimensions from now on. Nothing is prepared anew: what ranks send each other
 * does not depend on them.
 *
 * @param from_ld, to_ld  of the parts of S and T in elements, as for ashlar_layout_block_cyclic; -1 leaves one as it is
 * @return ASHLAR_OK; ASHLAR_ERR_ARG (also if a layout to be changed is not block-cyclic); ASHLAR_ERR_OVERFLOW. If it
 *         fails the mover is as before.
 *
 * Local: other ranks need not make the call. Allocates nothing.
 */
ASHLAR_API ashlar_status ashlar_mover_set_ld(ashlar_mover *mover, int64_t from_ld, int64_t to_ld, ashlar_error *err);

/**
 * T <- alpha op(S) + beta T, as prepared.
 *
 * @param alpha, beta  one element of the type each, equal on all ranks; beta = 0: T is not read; alpha = 0: S is not
 *                     read, nothing is sent; alpha = 1 with beta = 0, unless conjugated, copies bits
 * @param source    this rank's part of S; only read. NULL is allowed if the rank owns nothing.
 * @param target    this rank's part of T; its elements must not be elements of the source, though both may lie in one
 *                  array. NULL is allowed if the rank owns nothing.
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL although elements are owned, a layout without
 *         offsets, a workspace of the caller's that was not given, or alpha or beta differ between ranks; T untouched);
 *         ASHLAR_ERR_MPI (T unspecified, the mover good only for freeing)
 *
 * Collective. Allocates nothing. May be called any number of times.
 */
ASHLAR_API ashlar_status ashlar_mover_execute(ashlar_mover *mover, const void *alpha, const void *source,
                                              const void *beta, void *target, ashlar_error *err);

/**
 * T <- alpha op(S) + beta T as ashlar_mover_execute does it, with tiles in memory of their own.
 *
 * @param source    one pointer for each tile of this rank's part of S, in the numbering of ashlar_layout_tiles, to its
 *                  first element. A block-cyclic layout has one tile, whose pointer is that of ashlar_mover_execute.
 *                  Pointers to tiles without elements are not used; NULL is allowed if the rank owns nothing.
 * @param target    likewise of T; written to
 * @return as of ashlar_mover_execute
 *
 * Collective. Allocates nothing. May be called any number of times, also in turns with ashlar_mover_execute. The arrays
 * of pointers are read during the call only.
 */
ASHLAR_API ashlar_status ashlar_mover_execute_tiles(ashlar_mover *mover, const void *alpha, const void *const *source,
                                                    const void *beta, void *const *target, ashlar_error *err);

/**
 * Move a matrix between two layouts in one call: T <- alpha op(S) + beta T. No word travels more than once, none that
 * is already in place.
 *
 * @param type, op  of both matrices; what op(S) means
 * @param from, to  layouts of S and T as stored, with offsets; op(S) has the shape of T
 * @param alpha, beta  one element of the type each; beta = 0: T is not read; alpha = 0: S is not read, nothing is sent
 * @param source    this rank's part of S; only read
 * @param target    this rank's part of T; its elements must not be elements of the source
 * @param memory_words  as of ashlar_mover_options
 * @param words     NULL, or where to put the number of words this rank received
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG; ASHLAR_ERR_LIMIT (memory_words cannot be kept:
 *         ashlar_context_memory_words has what can); ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI (T
 *         unspecified)
 *
 * Collective over the context's communicator.
 */
ASHLAR_API ashlar_status ashlar_move(ashlar_context *context, ashlar_type type, ashlar_op op, const void *alpha,
                                     const ashlar_layout *from, const void *source, const void *beta,
                                     const ashlar_layout *to, void *target, int64_t memory_words, int64_t *words,
                                     ashlar_error *err);

#ifdef __cplusplus
}
#endif
#endif
