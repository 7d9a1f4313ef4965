/* Matrices of tiles in HDF5 files: a group with the tiling, which tiles are present, and their elements.
 *
 * docs/FILES.md has the schema. A place is written PATH:/GROUP. Tiles are numbered by rows, then columns, as in an
 * ashi_pattern, and their elements follow one another in that order, so that neighbours in a row of tiles are read and
 * written together. Beside the cuts of the two sides and where each row of tiles starts nothing of an opened matrix is
 * held in memory: lists are read in ranges. */
#ifndef ASHI_STORE_TILE_FILE_H
#define ASHI_STORE_TILE_FILE_H

#include "base/checked.h"
#include "layout/cuts.h"
#include "layout/factor.h"

/* As the file says it: "general". */
const char *ashi_symmetry_name(ashlar_symmetry symmetry);

typedef struct ashi_tile_head {
    ashlar_type type;
    ashlar_symmetry symmetry;
    ashi_cuts row, col;
    int64_t tiles, words; /* present tiles, and what is stored of them */
    bool low;             /* some tiles are stored as U V^T: there is a list of ranks */
} ashi_tile_head;

/* Words of a tile, of which U and V are stored if `rank` is not -1; INT64_MAX if they are more. */
static inline int64_t ashi_tile_head_words(const ashi_tile_head *head, int64_t row, int64_t col, int64_t rank)
{
    const int64_t rows = ashi_cuts_size(&head->row, row), cols = ashi_cuts_size(&head->col, col);
    int64_t words = 0;
    if (rank < 0)
        return ashi_mul_most(rows, cols);
    return ashi_add(ashi_mul_most(rows, rank), ashi_mul_most(cols, rank), &words) ? words : INT64_MAX;
}

/* What a file has of a matrix, and the numbers that a list of it has. */
typedef enum ashi_tile_list {
    ASHI_TILE_ROW_SIZES, /* int64_t: row.tiles */
    ASHI_TILE_COL_SIZES, /* int64_t: col.tiles */
    ASHI_TILE_STARTS,    /* int64_t: row.tiles + 1, the number of the first tile of each row of tiles, then `tiles` */
    ASHI_TILE_COLUMNS,   /* int64_t: tiles */
    ASHI_TILE_OFFSETS,   /* int64_t: tiles + 1, the number of the first element of each tile, then `words` */
    ASHI_TILE_NORMS,     /* double: tiles, Frobenius norms; a file may lack them */
    ASHI_TILE_RANKS,     /* int64_t: tiles, -1 for a dense one; if head.low */
    ASHI_TILE_ELEMENTS,  /* the matrix's type: words, each tile in columns, or U in columns and then V */
    ASHI_TILE_LISTS
} ashi_tile_list;

typedef struct ashi_tile_file ashi_tile_file;

/* Whether a place names a group of an HDF5 file that can be opened: then it is to be read as a matrix of tiles, and
 * opening it says what is wrong with it. A data set, another format and what is not there are not such. It is one too
 * if HDF5 cannot say what it is. */
bool ashi_tile_file_is_meant(const char *place);

/* Open a matrix for reading. All that the file claims is checked: lengths against what is stored, before anything is
 * allocated; sizes; that rows and columns ascend and are in the matrix; that U and V take less than the tile they stand
 * for; that offsets are those of the tiles' sizes.
 * ASHLAR_ERR_ARG: no HDF5, no group named; ASHLAR_ERR_IO: missing, truncated, hostile, no matrix of tiles. */
ashlar_status ashi_tile_file_open(const char *place, ashi_tile_file **out, ashlar_error *err);

const ashi_tile_head *ashi_tile_file_head(const ashi_tile_file *file);

/* Of an opened matrix, row.tiles + 1 numbers: ASHI_TILE_STARTS. */
const int64_t *ashi_tile_file_starts(const ashi_tile_file *file);

/* Whether an opened matrix has norms. */
bool ashi_tile_file_has_norms(const ashi_tile_file *file);

/* Create a matrix to be written, list by list in any order and by several processes at once; the sizes of its tiles are
 * written already. The head is copied. A file of that name keeps what else it has, and stays as it was until the new
 * one is published; what is replaced in it may be a matrix of tiles or a data set, nothing else. ASHLAR_ERR_ARG;
 * ASHLAR_ERR_IO; ASHLAR_ERR_OVERFLOW: more than 2^63 - 1 bytes; ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tile_file_create(const char *place, const ashi_tile_head *head, ashi_tile_file **out,
                                    ashlar_error *err);

/* Whether a matrix may be created at a place, as far as can be seen before there is one: its name, and that its folder
 * can be written to. ASHLAR_ERR_ARG; ASHLAR_ERR_IO; ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tile_file_try(const char *place, ashlar_error *err);

/* Where the lists of a created matrix begin in its file: for those who join. */
typedef struct ashi_tile_places {
    int64_t at[ASHI_TILE_LISTS];
} ashi_tile_places;

ashi_tile_places ashi_tile_file_places(const ashi_tile_file *file);

/* The name of the temporary file of a created matrix; NULL after it was published. */
const char *ashi_tile_file_temporary(const ashi_tile_file *file);

/* Join the writing of a matrix that another process created with the same head: the other arguments are what
 * ashi_tile_file_temporary and ashi_tile_file_places said there. */
ashlar_status ashi_tile_file_join(const char *place, const char *temporary, const ashi_tile_places *places,
                                  const ashi_tile_head *head, ashi_tile_file **out, ashlar_error *err);

/* Move numbers first .. first + count - 1 of a list. ASHLAR_ERR_ARG: there are no such; the file is not open for that;
 * ASHLAR_ERR_IO. */
ashlar_status ashi_tile_file_read(ashi_tile_file *file, ashi_tile_list list, int64_t first, int64_t count, void *data,
                                  ashlar_error *err);
ashlar_status ashi_tile_file_write(ashi_tile_file *file, ashi_tile_list list, int64_t first, int64_t count,
                                   const void *data, ashlar_error *err);

/* Give the created file its final name: after every process that joined has closed it. Refused if a write failed. */
ashlar_status ashi_tile_file_publish(ashi_tile_file *file, ashlar_error *err);

/* Close and set the pointer to NULL. A created file that was not published is removed. What a joined file has written
 * is on the disk then, or that fails. */
ashlar_status ashi_tile_file_close(ashi_tile_file **file, ashlar_error *err);

#endif
