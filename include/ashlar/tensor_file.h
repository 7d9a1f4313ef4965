/** Tensors in files, made by functions, or taken by them: operands and results of contractions. Needs MPI. */
#ifndef ASHLAR_TENSOR_FILE_H
#define ASHLAR_TENSOR_FILE_H

#include <ashlar/base.h>
#include <ashlar/context.h>
#include <ashlar/tensor_layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A tensor of any number of dimensions in a file, open on all ranks of a context. A place is written PATH, or
 * PATH:/DATASET for HDF5; the format follows from the name: .npy, HDF5 (.h5, .hdf5), and Matrix Market (.mtx) for
 * reading matrices. Every rank must see the file under the name that it gives.
 *
 * Opened files are read by contractions and created ones written. What is written lies in a temporary file beside the
 * final name until ashlar_tensor_publish; until then, and after any failure, a file that was there stays as it was.
 */
typedef struct ashlar_tensor_file ashlar_tensor_file;

/** What a file has. */
typedef struct ashlar_tensor_info {
    ashlar_type type; /**< of the elements; float16 in a file is read as ASHLAR_TYPE_S, and never written */
    int order;        /**< how many dimensions; 0 is a scalar */
    int64_t extent[ASHLAR_TENSOR_ORDER_MOST]; /**< of each, from the slowest in the order of indices */
} ashlar_tensor_info;

/**
 * Open a tensor for reading. What the header claims is checked against the file's size; no element is read.
 *
 * @param context  outlives the file
 * @param place    PATH or PATH:/DATASET; either may end in ranges: "V.h5:/V[0:10,:,5:20,7]" has three dimensions of 10,
 *                 all and 15 values; 7 is one value, and its dimension is none of the tensor's. FROM:TO counts from 0
 *                 and TO is not included; either may be missing. Not kept
 * @param out      the file, closed by ashlar_tensor_close; NULL on failure
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL, no known format, no data set named, ranges that do
 *         not fit the tensor, ranks that see different tensors); ASHLAR_ERR_IO (missing, truncated, malformed, no array
 *         of the four types, a data set with its data in other files); ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI
 *
 * Collective over the context's communicator. Each rank holds about 1 MiB for an open file, and for an HDF5 data set
 * with filters up to three of its chunks.
 */
ASHLAR_API ashlar_status ashlar_tensor_open(ashlar_context *context, const char *place, ashlar_tensor_file **out,
                                            ashlar_error *err);

/**
 * Create a tensor to be written, in C order. A data set is added to an existing HDF5 file, or replaced in it; its other
 * contents are kept.
 *
 * @param context  outlives the file
 * @param place    PATH.npy or PATH:/DATASET, where the tensor is after ashlar_tensor_publish; without ranges; not kept
 * @param type     of the elements
 * @param order    how many dimensions, 0 to ASHLAR_TENSOR_ORDER_MOST; HDF5 has at most 32
 * @param extent   of each dimension, at least 0
 * @param out      the file, closed by ashlar_tensor_close; NULL on failure
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (also if ranks disagree about an argument); ASHLAR_ERR_IO
 *         (the folder cannot be written to, the disk is too full, what is there is no regular file);
 *         ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI
 *
 * Collective over the context's communicator. The file is written by all ranks at once.
 */
ASHLAR_API ashlar_status ashlar_tensor_create(ashlar_context *context, const char *place, ashlar_type type, int order,
                                              const int64_t *extent, ashlar_tensor_file **out, ashlar_error *err);

/**
 * The same, going on with what a run that was killed left of it: see ashlar_file_resume, of which all holds. Of a
 * contraction with batch indices all products are gone on with, of one in several steps the scratch files that are
 * complete, too, as long as every operand's file, and what is in memory, is unchanged.
 *
 * @param context, place, type, order, extent, out  as for ashlar_tensor_create
 * @return what ashlar_tensor_create returns; ASHLAR_ERR_ARG also if what was left is of another type or shape
 *
 * Collective over the context's communicator.
 */
ASHLAR_API ashlar_status ashlar_tensor_resume(ashlar_context *context, const char *place, ashlar_type type, int order,
                                              const int64_t *extent, ashlar_tensor_file **out, ashlar_error *err);

/**
 * Make a box of a tensor: extent[d] values of each index d, from value from[d] on. Fills `elements` in C order, the
 * last index fastest. `user` is as given. Returns 0; anything else is a failure.
 */
typedef int (*ashlar_tensor_produce)(void *user, const int64_t *from, const int64_t *extent, void *elements);

/** Take a box of a tensor, which is complete: parameters as for ashlar_tensor_produce, elements are only read. */
typedef int (*ashlar_tensor_consume)(void *user, const int64_t *from, const int64_t *extent, const void *elements);

/**
 * A tensor that is never stored: its elements are made when they are needed, any box as often as it is needed, at most
 * 1 MiB at once.
 *
 * @param context        outlives it
 * @param type           of the elements
 * @param order, extent  as for ashlar_tensor_create
 * @param produce        called during executions, on the calling thread of each rank, for what this rank needs. It
 *                       calls no collective function of MPI. A failure ends the execution on all ranks with
 *                       ASHLAR_ERR_IO.
 * @param user           its first argument
 * @param out            closed by ashlar_tensor_close; NULL on failure
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG; ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI
 *
 * Collective over the context's communicator.
 */
ASHLAR_API ashlar_status ashlar_tensor_from_function(ashlar_context *context, ashlar_type type, int order,
                                                     const int64_t *extent, ashlar_tensor_produce produce, void *user,
                                                     ashlar_tensor_file **out, ashlar_error *err);

/**
 * A result that is never stored: its elements are handed over as soon as they are complete, each exactly once in an
 * execution, on one of the ranks. Sums stay in memory until they are complete. Parameters, `consume` in the place of
 * `produce`, and errors as for ashlar_tensor_from_function. There is nothing to publish, resume or add to.
 */
ASHLAR_API ashlar_status ashlar_tensor_to_function(ashlar_context *context, ashlar_type type, int order,
                                                   const int64_t *extent, ashlar_tensor_consume consume, void *user,
                                                   ashlar_tensor_file **out, ashlar_error *err);

/** What ashlar_tensor_describe calls: `out` is a structure of `size` bytes. */
ASHLAR_API ashlar_status ashlar_tensor_describe_sized(const ashlar_tensor_file *file, ashlar_tensor_info *out,
                                                      size_t size, ashlar_error *err);

/** Type, order and extents of a tensor, within its ranges. Local. @return ASHLAR_OK; ASHLAR_ERR_ARG (NULL) */
static inline ashlar_status ashlar_tensor_describe(const ashlar_tensor_file *file, ashlar_tensor_info *out,
                                                   ashlar_error *err)
{
    return ashlar_tensor_describe_sized(file, out, sizeof *out, err);
}

/**
 * Give a created file its final name: the output appears whole or not at all. The data are on the disk before. A
 * symbolic link stays a link, and a file that is replaced hands on its permissions. Of a tensor that a function takes
 * it does nothing.
 *
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL, not created, published already, or writing it
 *         failed); ASHLAR_ERR_IO; ASHLAR_ERR_MPI
 *
 * Collective. Afterwards the file can only be closed.
 */
ASHLAR_API ashlar_status ashlar_tensor_publish(ashlar_tensor_file *file, ashlar_error *err);

/**
 * Close a file and set the pointer to NULL. NULL does nothing. What was created and not published is deleted, unless it
 * is of ashlar_tensor_resume, not complete and recorded. After the plans that read or write it. Local.
 */
ASHLAR_API void ashlar_tensor_close(ashlar_tensor_file **file);

#ifdef __cplusplus
}
#endif
#endif
