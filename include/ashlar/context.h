/** Contexts: the communicator that plans and movements work over. Needs MPI. */
#ifndef ASHLAR_CONTEXT_H
#define ASHLAR_CONTEXT_H

#include <ashlar/base.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A communicator of Ashlar's own. All that Ashlar keeps belongs to a context or to a plan. Contexts belong to the
 * caller, or to the communicators that they are kept on.
 *
 * If a call of MPI fails on one rank, the call of Ashlar goes on until the ranks agree, and returns ASHLAR_ERR_MPI on
 * all of them. A failure in the last agreement itself is returned only by the rank that has it; if the call makes a
 * context, a plan or a mover, it is made, and the next collective call over the context returns ASHLAR_ERR_MPI on all
 * ranks.
 */
typedef struct ashlar_context ashlar_context;

/**
 * Make a context over a duplicate of a communicator. MPI errors on the duplicate are returned, not fatal.
 *
 * @param comm  an intracommunicator; not used after the call, and nothing is cached on it. If it has a Cartesian
 *              topology of at most ASHLAR_TORUS_MOST dimensions that is periodic in all of them, plans whose
 *              ashlar_machine names no torus take the network to be that torus.
 * @param out   the context, freed by ashlar_context_free; NULL on failure
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG; ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI
 *
 * A rank that has several cores, and several threads of the BLAS (OpenBLAS, BLIS), does small products side by side,
 * and packs, adds up and scales, with threads of the context, which sleep while they have nothing to do. They call the
 * BLAS, and nothing of MPI. While they multiply, the BLAS is set to one thread, and then back to what it was. A program
 * has none of them if it started MPI with MPI_THREAD_SINGLE, as MPI_Init does.
 *
 * Collective over comm.
 */
ASHLAR_API ashlar_status ashlar_context_create(MPI_Comm comm, ashlar_context **out, ashlar_error *err);

/**
 * The context that is kept on a communicator. The first call makes it, as ashlar_context_create does; it hangs on the
 * communicator as an attribute, and later calls return it without a message. It goes with the communicator: it is freed
 * by MPI_Comm_free, or at the beginning of MPI_Finalize. A duplicate of the communicator has none.
 *
 * ashlar_multiply uses the context that is kept on its communicator. Programs that multiply once in a while, and have
 * nowhere to keep a context, call this once to save the making of a context in every product.
 *
 * @param comm  as of ashlar_context_create; the attribute is cached on it
 * @param out   the context; NULL on failure. Plans and movers made with it are freed before the communicator. Ashlar's
 *              own ashlar_context_free sets the pointer to NULL and leaves the context to the communicator.
 * @return as ashlar_context_create
 *
 * The first call is collective over comm, later ones are local. Threads may keep contexts on different communicators at
 * the same time, if MPI was started with MPI_THREAD_MULTIPLE.
 */
ASHLAR_API ashlar_status ashlar_context_keep(MPI_Comm comm, ashlar_context **out, ashlar_error *err);

/**
 * The least memory_words, of ashlar_options, ashlar_mover_options or ashlar_tiles_options, that would have done for the
 * last plan, mover, or product of tiles with such a limit, that was asked for over the context, if it was refused with
 * ASHLAR_ERR_LIMIT. The same call with that limit succeeds.
 * 0 if it was not refused so, if the least is not known because it would take long to find, and for NULL. ashlar_move
 * asks for a mover; ashlar_multiply asks for a plan over the context that is kept on its communicator
 * (ashlar_context_keep), if there is one.
 *
 * Local; the same on every rank.
 */
ASHLAR_API int64_t ashlar_context_memory_words(const ashlar_context *context);

/**
 * Limit the threads of this rank: of plans that are made over the context from now on, and of products and algebra of
 * matrices of tiles. Each does small products side by side, packs, adds up and scales with at most this many, the
 * calling one among them, and lets the BLAS have this many in a product on all of them. Afterwards the BLAS has as many
 * as before. Plans that are there keep theirs, but those of contractions in several steps with files plan again when
 * they are executed.
 *
 * @param threads  0, as at first: as many as the BLAS has. Never more than there are cores for, and one, beside those
 *                 of the BLAS, if MPI was started with MPI_THREAD_SINGLE.
 * @return ASHLAR_OK; ASHLAR_ERR_ARG (NULL, threads below 0)
 *
 * Local; ranks may have different numbers. The number of threads of the BLAS is one of the process: products of other
 * threads of the program that want another number wait until this one's have ended. Bits of results may depend on it.
 */
ASHLAR_API ashlar_status ashlar_context_set_threads(ashlar_context *context, int threads, ashlar_error *err);

/**
 * Multiply on a device from now on: products of dense matrices in plans that are made over the context after this, with
 * matrices in memory or in files, those of contractions, and products of matrices of tiles that are begun or planned
 * after this. ashlar_plan_device, ashlar_contraction_device and ashlar_tiles_device say what they take. All other work
 * is the host's, by one thread.
 * Of dense matrices in host memory, what a product needs is copied to the device and C back, close to the fewest words
 * for the memory given. A sum to which several products of a rank are added stays there if it fits, unless C is in a
 * file. If the device fails during an execution, the host multiplies what is missing, for which the ranks may send
 * their messages once more: results are whole.
 * docs/DEVICES.md has the kinds of devices. The host's memory by which results and copies go is counted in the
 * limits and figures of plans, of all ranks as on the rank that has most of it: 1 MiB, or half of `memory` if that is
 * less, and for copies of pageable memory what the device's option `pinned` says.
 *
 * From this call on, also after "none", ashlar_plan_execute and ashlar_plan_execute_tiles take operands in the memory
 * of this rank's device as well, each pointer by itself, and C's result goes to where C is. What the caller has asked
 * of the device for them must have ended. If the context has one rank, each of the three matrices is one tile or
 * block-cyclic, and all are on the device, they are multiplied there; a device that fails then leaves C unspecified.
 * Otherwise an execution holds a copy of them in host memory, in place of the rank's shares that the plan's limit
 * counts. If lines of an operand are further apart than they are long, it counts what lies between them, too, and an
 * execution may fail with ASHLAR_ERR_LIMIT: ashlar_context_memory_words has what would do. The context keeps the memory
 * for copies, as much as an execution has needed most. A pointer into the memory of another device, or to too little
 * of it, is ASHLAR_ERR_ARG. Each execution then begins with an agreement of all ranks, of trusted plans as well.
 *
 * @param device  a kind of device: "cuda", a GPU, for which the plug-in libashlar_cuda must be installed; "emulated", a
 *                device for tests. Ranks of a node take its devices by turns: a rank's number on the node, modulo the
 *                number of devices. "KIND:N" is device N, counted from 0, and "KIND:OPTIONS" or "KIND:N,OPTIONS" has
 *                options, as "cuda:0,memory=4GiB". A device that is named makes all products.
 *                "auto": the first kind of which there is a device, except the emulated one, and only for plans whose
 *                products are predicted to be faster there on this rank. NULL or "none": none from now on.
 *                Several of these, with blanks between, are for the ranks of a node by turns; and ranks may give
 *                different texts.
 *                The environment variable ASHLAR_DEVICE may have such a list as well: it replaces "auto", which stays
 *                a choice by prediction, and gives the number to a device of the same kind that is named without one.
 *                Unless the number is given or none is wanted, it must name kinds that there are.
 * @param memory  the most bytes of the device's memory that this rank takes, at least 3 elements; 0: all that it has,
 *                in equal parts if ranks share it. It is allocated now, and freed with the context.
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL, memory below 0, no such kind or option, the context
 *         has another device or another size of it from an earlier call); ASHLAR_ERR_DEVICE (the device is not there,
 *         or its plug-in is not, or is of another version);
 *         ASHLAR_ERR_MEMORY (it has less memory); ASHLAR_ERR_MPI. The text names the rank if not all have failed.
 *
 * Collective over the context's communicator.
 */
ASHLAR_API ashlar_status ashlar_context_set_device(ashlar_context *context, const char *device, int64_t memory,
                                                   ashlar_error *err);

/**
 * Record from now on what all executions over the context do and when: of plans, contractions, movements, and products
 * of matrices of tiles, until ashlar_context_trace_end. A plan that ashlar_plan_trace_begin records, or a product with
 * ashlar_tiles_options.trace, notes its events there instead.
 *
 * @param path    the file that ashlar_context_trace_end writes, in the format that ashlar_plan_trace_end describes;
 *                read on rank 0 only. A temporary file is made beside it now. "multiply" is a part of a contraction
 *                that one process forms in its own memory by one thread, "move" a movement.
 * @param events  for how many events each rank allocates memory, as of ashlar_plan_trace_begin; 0: 131072
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL, events below 0, recording was begun already);
 *         ASHLAR_ERR_IO (the file cannot be made); ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI. If it fails nothing is recorded.
 *
 * Collective over the context's communicator.
 */
ASHLAR_API ashlar_status ashlar_context_trace_begin(ashlar_context *context, const char *path, int64_t events,
                                                    ashlar_error *err);

/**
 * End what ashlar_context_trace_begin began, and write its file; an existing file is replaced once the new one is
 * complete.
 *
 * @param keep  0: no file is written; equal on all ranks
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL, recording was not begun, ranks disagree);
 *         ASHLAR_ERR_IO; ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI. Recording has ended whatever is returned.
 *
 * Collective over the context's communicator.
 */
ASHLAR_API ashlar_status ashlar_context_trace_end(ashlar_context *context, int keep, ashlar_error *err);

/**
 * Call a function before the context is freed, by ashlar_context_free or with the communicator that it is kept on: for
 * what was made with a kept context by somebody who does not see the communicator go. It may free plans.
 *
 * @param call  NULL: none, as at first. It may call MPI, and no other function of Ashlar than those that free.
 * @param user  handed to it
 *
 * Local. The function is called on each rank, while MPI_Comm_free or MPI_Finalize is under way if the context is kept.
 * A NULL context does nothing.
 */
ASHLAR_API void ashlar_context_on_free(ashlar_context *context, void (*call)(void *user), void *user);

/**
 * Free a context, after its plans, and set the pointer to NULL. NULL does nothing. Collective; after MPI_Finalize
 * local, and what belongs to MPI is left to it. Of a context that is kept on a communicator only the pointer is set.
 */
ASHLAR_API void ashlar_context_free(ashlar_context **context);

#ifdef __cplusplus
}
#endif
#endif
