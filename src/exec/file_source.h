/* Where a program's operands in files are: how the disk lane reads and writes a panel. */
#ifndef ASHI_FILE_SOURCE_H
#define ASHI_FILE_SOURCE_H

#include "schedule/program.h"
#include "store/direct.h"
#include "store/unfolding.h"

/* The files of a program. C0 has the panels of C that are there before the program begins; C has those that it writes
 * and those that it reads back. Both may be one file. OWN_A and OWN_B are the rank's own: what it writes of A and B. */
typedef enum ashi_file_role {
    ASHI_FILE_A,
    ASHI_FILE_B,
    ASHI_FILE_C0,
    ASHI_FILE_C,
    ASHI_FILE_OWN_A,
    ASHI_FILE_OWN_B,
    ASHI_FILES
} ashi_file_role;

/* A file whose elements lie in it one by one, without packing: threads read and write such files by themselves.
 * The element with indices i[0], i[1], ... is at byte `offset` + (sum of i[x] * stride[x]) * bytes of an element; with
 * a view that counts only which index is slowest. */
typedef struct ashi_plain_file {
    int fd;            /* -1: the file is not plain */
    const char *path;  /* for messages */
    int64_t offset;    /* bytes */
    int64_t stride[ASHI_INDICES_MAX]; /* elements; 1 for the index along which the file is contiguous */
    bool swapped;      /* its bytes are not in the order of the machine */
    bool goes_on;      /* boxes that are read follow one another along the contiguous index, from the first on */
    const ashi_direct *direct; /* the file, to be read past the system's memory; NULL if it is not */
    const ashi_unfolding *view; /* the first index counts its rows, the second its columns; NULL: there is none */
    bool turned;           /* the other way round */
} ashi_plain_file;

/* One file. Indices are those of the panels: of op(A) and op(B), so that a source of a transposed matrix has its
 * strides exchanged. Positions of a panel in a file are indices.
 *
 * `read` and `write` move the box of a panel: its element with indices lo[x] + i[x] is at
 * data + (sum of i[x] * stride[x]) elements. They are called only if the file is not plain, on any thread,
 * one call at a time for all files of a player; they do not call MPI. A source that is only read has no `write`. */
typedef struct ashi_file_source {
    void *file; /* the first argument of `read` and `write` */
    ashlar_status (*read)(void *file, const ashi_panel *panel, void *data, const int64_t *stride, ashlar_error *err);
    ashlar_status (*write)(void *file, const ashi_panel *panel, const void *data, const int64_t *stride,
                           ashlar_error *err);
    ashi_plain_file plain;
    bool conjugate; /* the program's operand is the conjugate of what is in the file */
} ashi_file_source;

#endif
