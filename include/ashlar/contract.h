/** Contractions of tensors: products of arrays with named indices, summed over some of them. Needs MPI. */
#ifndef ASHLAR_CONTRACT_H
#define ASHLAR_CONTRACT_H

#include <ashlar/plan.h>
#include <ashlar/tensor_file.h>
#include <ashlar/tensor_layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An operand of a contraction, or its result. Equal on all ranks, except for strides in the layout. */
typedef struct ashlar_tensor {
    size_t size;           /**< sizeof(ashlar_tensor), or 0: see base.h */
    int order;             /**< how many indices; that of the expression */
    const int64_t *extent; /**< how many values each index has, in the order of the expression. Of the result, and of a
                                tensor in a file, it may be NULL: then it follows from the operands, or from the file */
    const ashlar_tensor_layout *layout; /**< how the tensor is laid out in memory; NULL asks for the plan's own layout:
                                             see ashlar_contraction_layout. NULL for a tensor in a file */
    ashlar_tensor_file *file; /**< NULL: in memory; else the file, which outlives the plan */
    bool conjugate;           /**< the operand's elements are conjugated before they are multiplied; false for the
                                   result */
} ashlar_tensor;

/** What is to be done: output <- alpha times the contraction of the operands + beta output. Equal on all ranks. */
typedef struct ashlar_contraction {
    size_t size;            /**< sizeof(ashlar_contraction), or 0: see base.h */
    ashlar_type type;       /**< of all tensors */
    const char *expression; /**< as numpy.einsum has it, with the indices of the output given: "abmn,cdmn->abcd". An
                                 index is a letter, upper or lower case; spaces do not count. The lists stand in the
                                 order of the operands, letters in the order of dimensions, slowest first. An index that
                                 the output lacks is summed over. An index twice in an operand is a diagonal; in several
                                 operands and in the output, it is a batch index. */
    int operands;           /**< how many; as many as the expression has */
    const ashlar_tensor *operand; /**< each of them; all have the `size` of the first */
    const ashlar_tensor *output;  /**< the result */
    ashlar_tensor_file *output0;  /**< an opened file that the old result is read from, which only executions with beta
                                       other than 0 do; NULL if the result is in memory */
} ashlar_contraction;

/** A contraction, planned: who computes what, what is sent when, and the memory for it. */
typedef struct ashlar_contraction_plan ashlar_contraction_plan;

/** What was decided and why. Strings are valid as long as the plan. */
typedef struct ashlar_contraction_explanation {
    const char *text;        /**< lines that end in newlines, one for each step: its number, its expression, the matrix
                                  products that it is, how they are done and why */
    int64_t steps;           /**< how many */
    double multiply_adds;    /**< of all steps and ranks */
    int64_t workspace_words; /**< that this rank holds beside the tensors */
    double bound_words;      /**< least words any schedule's busiest rank must receive if layouts are free, of one
                                  step; 0 for several */
    const char *bound_case;  /**< which case of whose theorem; NULL for several steps */
} ashlar_contraction_explanation;

/**
 * Plan a contraction: checks, choice, exchange lists and memory.
 *
 * @param context      outlives the plan
 * @param contraction  not kept; files outlive the plan
 * @param options      NULL for the default; not kept. memory_words is for everything that a rank holds: its parts of
 *                     the tensors and the workspace, in which operands are packed or summed. caller_workspace is
 *                     refused. What concerns messages between ranks has no effect on one rank.
 * @param out          the plan, freed by ashlar_contraction_plan_free; NULL on failure
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (an expression that cannot be read, extents, layouts or
 *         files that do not fit it: the text names the column of the expression; ranks that disagree; a structure's
 *         size that no version has); ASHLAR_ERR_LIMIT (memory_words cannot be kept: ashlar_context_memory_words has
 *         what can); ASHLAR_ERR_UNSUPPORTED (caller_workspace, or a combination that the text names);
 *         ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI
 *
 * A pair of operands is a batch of matrix products C(I, J) = sum over K of A(I, K) B(K, J): I are the indices of A and
 * C, J those of B and C, K those of A and B, and the batch runs over those of all three. An operand with indices that
 * are nowhere else is summed over them first, if memory_words has room for that.
 * If the same rank has the same values of all indices that are dealt out, and these are in all tensors, each rank
 * contracts its own parts; on one rank it is always so. No operand and no result is permuted as a whole then: elements
 * are brought into order where blocks of them are packed for the caches, or on this rank's device if the plan uses it.
 * Otherwise tensors become matrices of tiles, cut where the owner or the run in memory changes, each value of the batch
 * is a product as of ashlar_plan_create, and an operand with indices that are nowhere else is summed over them first.
 * Or the tensors are moved first to where each rank has some values of the batch, or teams of ranks form different
 * values side by side, if that is predicted to be better. A tensor that is a block-cyclic matrix is taken as one,
 * however many blocks it has. What lies as more than 1024 tiles otherwise is copied into the order of the product, by
 * each rank its part, into the workspace; if it is more than 2^16 tiles even so, it is dealt out anew in large blocks
 * there. ASHLAR_ERR_UNSUPPORTED are tensors of more than 2^22 tiles in that movement (small blocks of three and more
 * indices), and layouts of other plans that are not of blocks.
 * Three and more operands are contracted in pairs, in the order that takes the fewest multiply-adds and, of equals, the
 * fewest words, of those that memory_words allows: up to 10 operands no order is cheaper, above it is found greedily.
 * Intermediates are in the plan's memory, those that never exist together in the same place. On several ranks a result
 * without a layout is dealt out as the larger operand is, or evenly; or the layouts of all intermediates and of tensors
 * without one are chosen together, if that is predicted to be better; or ranks are a grid over all indices, each
 * receives the boxes of all operands that it needs and contracts them by itself, and the results are added up. If an
 * intermediate is large and used by the next step, as in MTTKRP and TTMc, it is made and used slice by slice by one
 * rank if that moves less. Figures of words and messages are sums of those of the steps.
 *
 * Any tensor may be in a file. If all of a pair are, they are streamed if memory_words are too few to hold them: tiles
 * of them are read and written where they lie. If some are, what is in files goes through memory slab by slab, or is
 * read as a whole if it fits; without a layout a tensor in memory is one array in C order on one rank. If all are in
 * files, a batch is dealt out over the ranks if memory_words have room for a value of it: each rank reads, contracts
 * and writes slabs of values. Else, and for a result of ashlar_tensor_resume, each value of the batch is a product of
 * its own, formed by all ranks. An operand in a file with indices that are nowhere else is summed over them first,
 * unless a function takes the result.
 * Of several steps with files, what is between two steps stays in memory if that takes at most half of memory_words and
 * the step that makes it reads a file. All else goes to scratch files: in the folder options.scratch, that of the
 * environment variable ASHLAR_SCRATCH, or beside the result. They are deleted like a file that is not published. The
 * order of pairs is then that with the fewest multiply-adds, memory_words is for each of them and what is kept, and
 * each execution plans them again, one after the other. If scratch files are needed and the result is in memory or
 * taken by a function, a folder must be named: ASHLAR_ERR_ARG. Planning makes the scratch files, too: ASHLAR_ERR_IO if
 * they cannot be. A result of ashlar_tensor_resume keeps nothing between steps in memory, and a run goes on only if
 * operands in memory have the elements that they had.
 *
 * Collective over the context's communicator.
 * Source: Matthews, SIAM J. Sci. Comput. 40, 2018, "High-performance tensor contraction without transposition".
 */
ASHLAR_API ashlar_status ashlar_contraction_plan_create(ashlar_context *context, const ashlar_contraction *contraction,
                                                        const ashlar_options *options, ashlar_contraction_plan **out,
                                                        ashlar_error *err);

/** Free a plan and set the pointer to NULL. NULL does nothing. Collective; before the context is freed. */
ASHLAR_API void ashlar_contraction_plan_free(ashlar_contraction_plan **plan);

/** What ashlar_contraction_explain calls: `out` is a structure of `size` bytes. */
ASHLAR_API ashlar_status ashlar_contraction_explain_sized(const ashlar_contraction_plan *plan,
                                                          ashlar_contraction_explanation *out, size_t size,
                                                          ashlar_error *err);

/** What was decided and why. Local. @return ASHLAR_OK; ASHLAR_ERR_ARG (NULL) */
static inline ashlar_status ashlar_contraction_explain(const ashlar_contraction_plan *plan,
                                                       ashlar_contraction_explanation *out, ashlar_error *err)
{
    return ashlar_contraction_explain_sized(plan, out, sizeof *out, err);
}

/** What ashlar_contraction_predicted calls: `out` is a structure of `size` bytes. */
ASHLAR_API ashlar_status ashlar_contraction_predicted_sized(const ashlar_contraction_plan *plan, ashlar_figures *out,
                                                            size_t size, ashlar_error *err);

/**
 * What an execution will move, hold and take, over all ranks. Words, messages and memory are exact for executions whose
 * alpha is not 0. The seconds are a prediction. Local.
 * @return ASHLAR_OK; ASHLAR_ERR_ARG (NULL)
 */
static inline ashlar_status ashlar_contraction_predicted(const ashlar_contraction_plan *plan, ashlar_figures *out,
                                                         ashlar_error *err)
{
    return ashlar_contraction_predicted_sized(plan, out, sizeof *out, err);
}

/**
 * The layout in which the plan takes an operand, counted from 0, or the result, whose number is that of the operands:
 * the caller's own, or the plan's if that was NULL. ashlar_tensor_layout_list_boxes lists what a rank owns of it, and
 * ashlar_tensor_layout_room how long its array is. Local; valid as long as the plan; NULL for a wrong argument, and for
 * a tensor in a file.
 */
ASHLAR_API const ashlar_tensor_layout *ashlar_contraction_layout(const ashlar_contraction_plan *plan, int operand);

/**
 * Contract, as planned.
 *
 * @param alpha, beta  one element of the plan's type each, equal on all ranks. beta = 0: the old result is not read.
 *                     alpha = 0, or an empty sum: operands are not read and nothing is sent.
 * @param operand      for each operand this rank's part, laid out as ashlar_contraction_layout says; only read. NULL
 *                     for one in a file, and allowed if this rank owns nothing of it or alpha is 0.
 * @param output       this rank's part of the result; has no element in common with an operand. NULL if it is in a
 *                     file, and allowed if this rank owns nothing.
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL although elements are owned, a result that overlaps
 *         an operand, an array in the memory of a device, alpha or beta that differ between ranks; the result is
 *         untouched); ASHLAR_ERR_IO (a file cannot be read or written, or a function has failed: a result in a file
 *         cannot be published); ASHLAR_ERR_MPI (the result is unspecified, the plan good only for freeing)
 *
 * Collective. With all tensors in memory and no device it allocates nothing. May be called any number of times; same
 * input, same bits.
 */
ASHLAR_API ashlar_status ashlar_contraction_execute(ashlar_contraction_plan *plan, const void *alpha,
                                                    const void *const *operand, const void *beta, void *output,
                                                    ashlar_error *err);

/**
 * Follow the executions of a plan with tensors in files: `progress` is called on this rank, by the thread executing,
 * as parts of the work end, with how many are done and how many there are. It may not call Ashlar or MPI. If all are
 * in memory it is not called. NULL ends it. Local; a NULL plan does nothing.
 */
ASHLAR_API void ashlar_contraction_on_progress(ashlar_contraction_plan *plan,
                                               void (*progress)(void *user, int64_t done, int64_t all), void *user);

/** What ashlar_contraction_measured calls: `out` is a structure of `size` bytes. */
ASHLAR_API ashlar_status ashlar_contraction_measured_sized(ashlar_contraction_plan *plan, ashlar_figures *out,
                                                           size_t size, ashlar_error *err);

/**
 * What the last execution moved, held and took, over all ranks, beside ashlar_contraction_predicted. Collective.
 * @return ASHLAR_OK; ASHLAR_ERR_ARG (NULL); ASHLAR_ERR_MPI
 */
static inline ashlar_status ashlar_contraction_measured(ashlar_contraction_plan *plan, ashlar_figures *out,
                                                        ashlar_error *err)
{
    return ashlar_contraction_measured_sized(plan, out, sizeof *out, err);
}

/** What ashlar_contraction_device calls: `out` is a structure of `size` bytes. */
ASHLAR_API ashlar_status ashlar_contraction_device_sized(ashlar_contraction_plan *plan, ashlar_device_figures *out,
                                                         size_t size, ashlar_error *err);

/**
 * What a plan and its last execution take of devices (ashlar_context_set_device), over all ranks. Words and memory are
 * exact for executions whose alpha and beta are not 0, or for beta = 0 if the result is in a file and there is no
 * output0. The seconds are a prediction. All is 0 without a device; staged_words are 0 always.
 * @return ASHLAR_OK; ASHLAR_ERR_ARG (NULL); ASHLAR_ERR_MPI
 *
 * Collective.
 */
static inline ashlar_status ashlar_contraction_device(ashlar_contraction_plan *plan, ashlar_device_figures *out,
                                                      ashlar_error *err)
{
    return ashlar_contraction_device_sized(plan, out, sizeof *out, err);
}

/**
 * A contraction in one call: plan, execution, and the plan is freed. A tensor without a layout is one array in C order
 * on the only rank; on several ranks each tensor in memory needs a layout, as nobody sees the plan's own. Parameters
 * and errors are those of ashlar_contraction_plan_create and ashlar_contraction_execute. Collective over the context's
 * communicator.
 */
ASHLAR_API ashlar_status ashlar_contract(ashlar_context *context, const ashlar_contraction *contraction,
                                         const ashlar_options *options, const void *alpha, const void *const *operand,
                                         const void *beta, void *output, ashlar_error *err);

#ifdef __cplusplus
}
#endif
#endif
