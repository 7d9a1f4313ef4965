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
 * Free a context, after its plans, and set the pointer to NULL. NULL does nothing. Collective; after MPI_Finalize
 * local, and what belongs to MPI is left to it. Of a context that is kept on a communicator only the pointer is set.
 */
ASHLAR_API void ashlar_context_free(ashlar_context **context);

#ifdef __cplusplus
}
#endif
#endif
