/* Matrices and arrays of more dimensions in files: one interface over .npy, HDF5 data sets and dense Matrix Market.
 *
 * A place is written PATH or, for HDF5, PATH:/dataset; the format follows from the name (.npy, .h5/.hdf5, .mtx).
 * Boxes are read and written with their own strides, so that a rank touches only the part it owns. */
#ifndef ASHI_STORE_H
#define ASHI_STORE_H

#include "store/direct.h"
#include "store/unfolding.h"

#include <ashlar/base.h>

/* What a file says of its matrix. Bytes of the elements are in the machine's order once read. A file of one dimension
 * is a matrix of one column. Matrix Market does not say how wide its numbers are: it is always read as d or z. */
typedef struct ashi_store_info {
    ashlar_type type;
    bool half;          /* the file's elements have 16 bits, IEEE binary16, and are read as s, or as h after
                           ashi_store_keep_halves; if created, only beside type h, by one process */
    int64_t rows, cols;
    ashlar_order order; /* in which the file keeps elements: moving boxes along it is fast */
    bool tensor;        /* an array of any number of dimensions. `rows` is how many elements it has, `cols` 1 */
    int dimensions;     /* and their extents, as the file has them; not needed to create a matrix */
    int64_t extent[ASHI_DIMENSIONS_MAX];
} ashi_store_info;

/* A box of a matrix in a file: rows [row, row + rows) x columns [col, col + cols). */
typedef struct ashi_file_box {
    int64_t row, rows, col, cols;
} ashi_file_box;

/* A file whose data are in chunks that are packed, or have at most 1 MiB (HDF5): a chunk of rows x cols is read whole,
 * which takes at most `bytes` beside the caller's memory, and the last one is kept: boxes that follow one another
 * inside one chunk are fast. Of
 * text, a column is parsed whole: all rows x 1, and `bytes` is 0. All 0 for other files. */
typedef struct ashi_store_chunks {
    int64_t rows, cols, bytes;
    double word_bytes; /* of the file, that a word of a chunk takes in the mean; 0: not known */
    bool packed;       /* a core has to unpack or to parse them */
} ashi_store_chunks;

typedef struct ashi_store ashi_store;

/* Open an existing matrix for reading. Everything the header claims is checked against the file's size before anything
 * is allocated from it. ASHLAR_ERR_ARG: no known format, no data set named; ASHLAR_ERR_IO: missing, truncated, hostile,
 * not a dense matrix of s, d, c or z. */
ashlar_status ashi_store_open(const char *place, ashi_store **out, ashi_store_info *info, ashlar_error *err);

/* The same for an array of any number of dimensions. It is read through views: ashi_store_view. ASHLAR_ERR_IO also for
 * more than ASHI_DIMENSIONS_MAX dimensions. */
ashlar_status ashi_store_open_tensor(const char *place, ashi_store **out, ashi_store_info *info, ashlar_error *err);

/* See an array as a matrix: a store whose rows and columns are those of the view, which is inside the array. Of an
 * array that is written the view is written; it is finished, published and kept by the array's own store, which
 * outlives it. The strides of the view are filled in. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_store_view(ashi_store *whole, const ashi_unfolding *view, ashi_store **out, ashi_store_info *info,
                              ashlar_error *err);

/* The same matrix in another store of the same array. */
ashlar_status ashi_store_view_again(const ashi_store *view, ashi_store *whole, ashi_store **out, ashi_store_info *info,
                                    ashlar_error *err);

/* A number for how a view sees its array. */
uint64_t ashi_store_view_digest(const ashi_store *view);

/* Let the matrix of a view begin elsewhere in its array: from[d] is the first position of each dimension. */
void ashi_store_view_move(ashi_store *view, const int64_t *from);

/* Create a matrix to be written box by box. PATH is the final name; the data go to a file beside it with a name of
 * their own, which ashi_store_publish renames. Existing output stays as it was until then. For HDF5 with an existing
 * file, the file's other contents are kept (the new file is a copy with the data set added or replaced).
 * The order in info is a wish: .npy follows it, HDF5 is always in rows, Matrix Market always in columns; ask
 * ashi_store_order for what it came to. ASHLAR_ERR_ARG: no known format, no such type or shape; ASHLAR_ERR_IO: the
 * folder cannot be written to, the disk is too full, what is there is no regular file. */
ashlar_status ashi_store_create(const char *place, const ashi_store_info *info, ashi_store **out, ashlar_error *err);

/* The same, for several processes to write at once in any order: the others join. A Matrix Market file is written as
 * numbers, 8 or 16 bytes each for instance, and becomes text when it is published; the disk has both then. */
ashlar_status ashi_store_create_shared(const char *place, const ashi_store_info *info, ashi_store **out,
                                       ashlar_error *err);

/* The same, but what a killed run left of such a matrix is taken over if it has a record of what is finished
 * (record.h): *found. It is kept then, as after ashi_store_keep. ASHLAR_ERR_ARG also if it is of another type or
 * shape. */
ashlar_status ashi_store_resume(const char *place, const ashi_store_info *info, ashi_store **out, bool *found,
                                ashlar_error *err);

/* Of a created matrix: if it is not published, leave what has been written for ashi_store_resume; or no longer. */
void ashi_store_keep(ashi_store *store);
void ashi_store_forget(ashi_store *store);

/* Of a created matrix that is to be what is there and something more: whether an earlier run has added what `text`
 * says. If not, publishing it will be noted as that (done.h). ASHLAR_ERR_IO; ASHLAR_ERR_MEMORY; ASHLAR_ERR_ARG: nobody
 * can tell, because the output was written since. */
ashlar_status ashi_store_adds(ashi_store *store, const char *text, bool *added, ashlar_error *err);

/* What it has. */
void ashi_store_describe(const ashi_store *store, ashi_store_info *out);

/* Read elements of 16 bits as they are from now on (`keep`), so that the matrix is of type h; or as floats again.
 * False: its elements have not 16 bits, or it is a view. */
bool ashi_store_keep_halves(ashi_store *store, bool keep);

/* The order in which the file keeps its elements. */
ashlar_order ashi_store_order(const ashi_store *store);

/* Whether elements lie in the file one by one: element (i, j) at byte start + (i * cols + j, or in columns i + j *
 * rows) times the bytes of an element. Then threads may read and write at such places by themselves. */
typedef struct ashi_store_plain {
    int fd;       /* the store's; -1: they do not */
    int64_t start;
    bool swapped; /* bytes of numbers are not in the machine's order */
    const ashi_direct *direct; /* the store's */
    const ashi_unfolding *view;     /* elements lie as this says, and not as above; NULL: as above */
} ashi_store_plain;

ashi_store_plain ashi_store_plain_of(const ashi_store *store);

/* The chunks in which an opened file is packed. */
ashi_store_chunks ashi_store_packed(const ashi_store *store);

/* The name of the temporary file of a created store, to open it for writing on other ranks. NULL for a store that was
 * not created, or was published. */
const char *ashi_store_temporary(const ashi_store *store);

/* Join the writing of a matrix that another process created to be shared: `temporary` is what ashi_store_temporary said
 * there, and info what it was created with. */
ashlar_status ashi_store_join(const char *place, const char *temporary, const ashi_store_info *info, ashi_store **out,
                              ashlar_error *err);

/* The file that a place is in, to be freed; NULL if it is of no known format or memory is short. */
char *ashi_store_path(const char *place);

/* The rows and columns of a view that share pages of a plain file, as ashi_store_packed has them of chunks; 0 for
 * what is no view. */
ashi_store_chunks ashi_store_pages(const ashi_store *store);

/* How long the chunks of an opened array are along each dimension; NULL: they are not read whole. */
const int64_t *ashi_store_chunk(const ashi_store *store);

/* How many of the chunks of a view's array are kept that were read last; 0: its array does not lie in chunks that are
 * read whole. */
int64_t ashi_store_chunks_kept(const ashi_store *store);

/* The bytes of the file that are read for a box of a view whose array lies in such chunks, after others for which
 * `kept` (by_chunk.h) was the same. False if memory is short. */
struct ashi_chunks_kept;
bool ashi_store_chunk_bytes(const ashi_store *store, const ashi_file_box *box, struct ashi_chunks_kept *kept,
                            double *out);

/* Read or write rows [row, row+rows) x cols [col, col+cols): element (i, j) of the box is at
 * data + (i * row_stride + j * col_stride) elements. An empty box is never an error inside the matrix, and its data may
 * be NULL. Beside the caller's memory 1 MiB is held, and what ashi_store_packed says.
 *
 * Matrix Market is text: reading parses from the nearest known column before the box to its end, so boxes of whole
 * columns from left to right are fast. One that ashi_store_create made is written in order: a box is whole columns that
 * follow the last ones written, or a piece of one column that follows the last piece. Else ASHLAR_ERR_ARG. */
ashlar_status ashi_store_read(ashi_store *store, int64_t row, int64_t rows, int64_t col, int64_t cols, void *data,
                              int64_t row_stride, int64_t col_stride, ashlar_error *err);
ashlar_status ashi_store_write(ashi_store *store, int64_t row, int64_t rows, int64_t col, int64_t cols,
                               const void *data, int64_t row_stride, int64_t col_stride, ashlar_error *err);

/* Boxes will be read that have parts of the file's lines. Beside each lies one that is read at another time, and a
 * system that guesses what is read next would read whole lines. Only advice, so that it may fail. Long parts may be
 * moved past the system's memory from now on: a plain file is opened for that too, if the system lets it. */
void ashi_store_expect_parts(ashi_store *store);

/* Free what an opened matrix keeps of the data read so far, the chunk unpacked last. Reading may go on afterwards. */
void ashi_store_rest(ashi_store *store);

/* End the writing of a created matrix, after which it can be read back: what this process has written is on the disk.
 * Refused like publishing. To publish does this too; it is not needed before. */
ashlar_status ashi_store_finish(ashi_store *store, ashlar_error *err);

/* A created or joined file is read back on this host alone and never published: finishing it need not wait until it is
 * on the disk. */
void ashi_store_pass(ashi_store *store);

/* Open for reading what is not published yet. It was finished by its creator, and whoever joined has closed;
 * `temporary` is what ashi_store_temporary said there. Like ashi_store_open otherwise. */
ashlar_status ashi_store_read_back(const char *place, const char *temporary, ashi_store **out, ashi_store_info *info,
                                   ashlar_error *err);
ashlar_status ashi_store_read_back_tensor(const char *place, const char *temporary, ashi_store **out,
                                          ashi_store_info *info, ashlar_error *err);

/* Flush, sync and rename the created file to its final name: the output appears whole or not at all. To be called
 * after every joined store was closed. Refused (ASHLAR_ERR_ARG) where a write through this store failed, or a Matrix
 * Market file is not complete. A symbolic link stays a link; permissions of a replaced file are kept. */
ashlar_status ashi_store_publish(ashi_store *store, ashlar_error *err);

/* Close, deleting the temporary file where the store was created, and is neither published nor kept (not where it was
 * only joined). Sets
 * the pointer to NULL. Errors of closing a written file are reported by publish, or returned here for a joined one. */
ashlar_status ashi_store_close(ashi_store **store, ashlar_error *err);

#endif
