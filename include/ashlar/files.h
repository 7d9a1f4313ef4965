/** Matrices in files: opened by all ranks, read into layouts, written by all ranks, operands of plans. Needs MPI. */
#ifndef ASHLAR_FILES_H
#define ASHLAR_FILES_H

#include <ashlar/base.h>
#include <ashlar/context.h>
#include <ashlar/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A dense matrix in a file, open on all ranks of a context. A place is written PATH, or PATH:/DATASET for HDF5; the
 * format follows from the name: .npy, HDF5 (.h5, .hdf5), Matrix Market (.mtx). Every rank that reads or writes must see
 * the file under the name that it gives.
 *
 * Opened files are read: into layouts by ashlar_file_read, or by plans whose ashlar_problem names them. Created ones
 * are written in the same two ways. What is written lies in a temporary file beside the final name until
 * ashlar_file_publish; until then, and after any failure, a file that was there stays as it was.
 */
typedef struct ashlar_file ashlar_file;

/** What a file has. */
typedef struct ashlar_file_info {
    ashlar_type type;   /**< of the elements. Matrix Market files do not say how wide numbers are: ASHLAR_TYPE_D or
                             ASHLAR_TYPE_Z when they are read. Numbers of 16 bits (float16, IEEE binary16) in .npy
                             and HDF5 files are read as ASHLAR_TYPE_S, and as they are by a plan of ASHLAR_TYPE_H;
                             none are written */
    ashlar_order order; /**< of the elements in the file: boxes along it are read and written fastest */
    int64_t rows;       /**< of the matrix; a file of one dimension is a matrix of one column */
    int64_t cols;       /**< of the matrix */
} ashlar_file_info;

/**
 * Open a matrix for reading. What the header claims is checked against the file's size.
 *
 * @param context  outlives the file
 * @param place    PATH or PATH:/DATASET; not kept
 * @param out      the file, closed by ashlar_file_close; NULL on failure
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL, no known format, no data set named, ranks that see
 *         different matrices); ASHLAR_ERR_IO (missing, truncated, malformed, no dense matrix of the four types, a data
 *         set with its data in other files); ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI
 *
 * Collective over the context's communicator. Each rank holds about 1 MiB for an open file, and for an HDF5 data set
 * with filters up to three of its chunks.
 */
ASHLAR_API ashlar_status ashlar_file_open(ashlar_context *context, const char *place, ashlar_file **out,
                                          ashlar_error *err);

/**
 * Create a matrix to be written. A data set is added to an existing HDF5 file, or replaced in it; its other contents
 * are kept.
 *
 * @param context     outlives the file
 * @param place       PATH or PATH:/DATASET, where the matrix is after ashlar_file_publish; not kept
 * @param type        of the elements
 * @param rows, cols  of the matrix; at least 0
 * @param order       of the elements in the file. Only .npy has both: HDF5 is written in rows, Matrix Market in columns
 *                    (ashlar_file_describe says which).
 * @param out         the file, closed by ashlar_file_close; NULL on failure
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (also if ranks disagree about an argument);
 *         ASHLAR_ERR_IO (the folder cannot be written to, the disk is too full, what is there is no regular file);
 *         ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI
 *
 * Collective over the context's communicator. The file is written by all ranks at once. A Matrix Market file is written
 * as numbers beside its place; ashlar_file_publish makes it text, so that the disk has both for a while.
 */
ASHLAR_API ashlar_status ashlar_file_create(ashlar_context *context, const char *place, ashlar_type type, int64_t rows,
                                            int64_t cols, ashlar_order order, ashlar_file **out, ashlar_error *err);

/**
 * Create a matrix to be written, as ashlar_file_create does, and go on with what a run that was killed left of it.
 *
 * A plan whose C is in a file and goes through memory in pieces (see ashlar_plan_create) records beside its output, now
 * and then, which parts of C are finished and on the disk. These are tiles or sums; slabs if A or B is in the caller's
 * memory. If the run ends before C is complete, a later one that calls this function and executes the same plan begins
 * from there, and C has the same bits as if nothing had happened: the same files, unchanged, the same elements in the
 * caller's memory, the same ranks, tiles or slabs, alpha and beta, the same version of Ashlar and the same BLAS and
 * threads. If anything differs ashlar_plan_execute fails with ASHLAR_ERR_ARG and says what, and what was left stays. If
 * nothing was left the product is formed from its beginning. ashlar_figures.resumed says what part was finished before.
 * Nothing is recorded of a C in the caller's memory, which ends with the run, nor of a product that is formed in memory
 * as a whole.
 *
 * What was left of ashlar_file_create is found too, if nothing had a chance to remove it (SIGKILL, a crash). Of
 * ashlar_file_resume it also stays if a signal ends the run, as batch systems send them, and if the run fails, since a
 * disk was full for example. And sums of C that go to files and come back are then kept in two places by turns, so that
 * an interrupted run never spoils them: a second file as large as C lies beside it until it is published.
 *
 * If C is also c0_file, with a beta other than 0, and A and B are in files, C is added to in place. Such a sum is added
 * once, however often the run is killed and started again. A note beside the output says what was added: from the
 * moment on at which the new file takes its name, an execution of the same product does nothing, ashlar_figures.resumed
 * is 1, and ashlar_file_publish leaves what is there. The same product has the same types, sizes, operations, alpha and
 * beta, and the same files, unchanged. If the output was written by anyone else since, ashlar_plan_execute fails with
 * ASHLAR_ERR_ARG and names the note; without it the sum is added again. ashlar_file_create removes it.
 *
 * @param context, place, type, rows, cols, order, out  as for ashlar_file_create
 * @return what ashlar_file_create returns; ASHLAR_ERR_ARG also if what was left is of another type, order or shape
 *
 * Collective over the context's communicator. What was left is found if the file system has locks, in the folder of the
 * output; ashlar_file_create removes it.
 */
ASHLAR_API ashlar_status ashlar_file_resume(ashlar_context *context, const char *place, ashlar_type type, int64_t rows,
                                            int64_t cols, ashlar_order order, ashlar_file **out, ashlar_error *err);

/** What ashlar_file_describe calls: `out` is a structure of `size` bytes. */
ASHLAR_API ashlar_status ashlar_file_describe_sized(const ashlar_file *file, ashlar_file_info *out, size_t size,
                                                    ashlar_error *err);

/** Type, order and shape of the matrix in a file. Local. @return ASHLAR_OK; ASHLAR_ERR_ARG (NULL) */
static inline ashlar_status ashlar_file_describe(const ashlar_file *file, ashlar_file_info *out, ashlar_error *err)
{
    return ashlar_file_describe_sized(file, out, sizeof *out, err);
}

/**
 * Read a matrix: each rank what the layout says it owns, straight from the file.
 *
 * @param file    opened by ashlar_file_open
 * @param layout  of the file's rows and columns, equal on all ranks; one array a rank (no pointers for each tile)
 * @param data    ashlar_layout_extent elements of the file's type; NULL is allowed if this rank owns nothing
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (a shape that differs from the file's, NULL, a file that
 *         was created); ASHLAR_ERR_IO; ASHLAR_ERR_MPI. After a failure the elements are unspecified.
 *
 * Collective. Elements between those of the layout are not touched.
 */
ASHLAR_API ashlar_status ashlar_file_read(ashlar_file *file, const ashlar_layout *layout, void *data,
                                          ashlar_error *err);

/**
 * Write a matrix: each rank what the layout says it owns.
 *
 * @param file    made by ashlar_file_create and not yet published
 * @param layout  of the file's rows and columns, equal on all ranks; one array a rank
 * @param data    ashlar_layout_extent elements of the file's type; NULL is allowed if this rank owns nothing
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (a shape that differs from the file's, NULL, a file that is
 *         not open for writing); ASHLAR_ERR_IO; ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI. After any of the last three the
 *         file cannot be published.
 *
 * Collective.
 */
ASHLAR_API ashlar_status ashlar_file_write(ashlar_file *file, const ashlar_layout *layout, const void *data,
                                           ashlar_error *err);

/**
 * Give a created file its final name: the output appears whole or not at all. The data are on the disk before. A
 * symbolic link stays a link, and a file that is replaced hands on its permissions. Rank 0 makes a Matrix Market file
 * text; if the disk is too full for that, or the run ends, what was left can be gone on with: see ashlar_file_resume.
 *
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL, not created, published already, or writing it
 *         failed); ASHLAR_ERR_IO; ASHLAR_ERR_MPI
 *
 * Collective. Afterwards the file can only be closed.
 */
ASHLAR_API ashlar_status ashlar_file_publish(ashlar_file *file, ashlar_error *err);

/**
 * Close a file and set the pointer to NULL. NULL does nothing. What was created and not published is deleted, unless it
 * is of ashlar_file_resume, not complete and recorded.
 * After the plans that read or write it. Local.
 */
ASHLAR_API void ashlar_file_close(ashlar_file **file);

#ifdef __cplusplus
}
#endif
#endif
