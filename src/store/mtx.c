/* Dense Matrix Market files: text, read by parsing it in order, written in order.
 *
 * Numbers have no width in such a file: real and integer ones are read as double, complex ones as double complex. They
 * are written with as many digits as bring the same bits back.
 *
 * What several processes write together, in any order, is a .npy file in columns until it is published. */
#include "store/format.h"

#include "base/checked.h"
#include "store/file.h"
#include "store/mtx_header.h"

#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How many columns' places in the file are remembered, so that a later box need not be looked for from the start. */
#define MARKS 4096

#define OUT_BYTES 65536
#define ENTRY_BYTES 80 /* the longest line of one entry */

typedef struct mtx {
    locale_t locale; /* with a point for a decimal point, whatever the caller's is; (locale_t)0 if not made */
    int fd;          /* own if reading, else the output's */
    ashi_mtx_header header;
    ashi_scan *scan;
    int64_t mark_every, marks_known; /* mark k is where column k * mark_every begins */
    int64_t marks[MARKS];
    /* writing: */
    int64_t next; /* the entry, in column order, that must come next */
    int64_t written, waiting;
    char out[OUT_BYTES];
} mtx;

static ashlar_status make_state(ashi_store *store, ashlar_error *err)
{
    mtx *f = calloc(1, sizeof *f);
    if (!f)
        return ashi_fail_memory(err, "Matrix Market", (int64_t)sizeof *f);
    f->fd = -1;
    store->state = f;
    store->info.order = ASHLAR_COL_MAJOR;
    f->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return f->locale ? ASHLAR_OK : ashi_fail_memory(err, "Matrix Market's locale", 0);
}

static ashlar_status open_text(ashi_store *store, ashlar_error *err)
{
    mtx *f = store->state;
    int64_t bytes = 0;
    f->scan = malloc(sizeof *f->scan);
    if (!f->scan)
        return ashi_fail_memory(err, "Matrix Market", (int64_t)sizeof *f->scan);
    ashlar_status status = ashi_file_open(store->place.path, &f->fd, &bytes, err);
    if (status != ASHLAR_OK)
        return status;
    f->scan->fd = f->fd;
    f->scan->path = store->place.path;
    ashi_scan_seek(f->scan, 0);
    status = ashi_mtx_read_header(f->scan, bytes, &f->header, err);
    if (status != ASHLAR_OK)
        return status;
    store->info.type = f->header.complex ? ASHLAR_TYPE_Z : ASHLAR_TYPE_D;
    const int64_t extent[2] = {f->header.rows, f->header.cols};
    if (!ashi_store_take_shape(&store->info, 2, extent))
        return ashi_fail_file(err, ASHLAR_ERR_IO, store->place.path, "a shape that is too large");
    store->chunks = (ashi_store_chunks){.rows = f->header.rows, .cols = 1, .packed = true};
    f->mark_every = ashi_max(1, ashi_ceil_div(f->header.cols, MARKS));
    f->marks[0] = f->header.data;
    f->marks_known = 1;
    return ASHLAR_OK;
}

/* Whether what is read back is numbers, as mtx_create_shared makes it. */
static ashlar_status see_numbers(const ashi_store *store, bool *numbers, ashlar_error *err)
{
    char first = '%';
    int64_t bytes = 0;
    int fd = -1;
    ashlar_status status = ashi_file_open(store->place.path, &fd, &bytes, err);
    if (status == ASHLAR_OK && bytes > 0)
        status = ashi_file_read(fd, store->place.path, &first, 1, 0, err);
    if (fd >= 0)
        close(fd);
    *numbers = first != '%';
    return status;
}

static ashlar_status mtx_open(ashi_store *store, ashlar_error *err)
{
    bool numbers = false;
    ashlar_status status = store->unpublished ? see_numbers(store, &numbers, err) : ASHLAR_OK;
    if (status == ASHLAR_OK && numbers)
        return ashi_format_npy.open(store, err);
    if (status == ASHLAR_OK)
        status = make_state(store, err);
    return status == ASHLAR_OK ? open_text(store, err) : status;
}

static ashlar_status next_number(const mtx *f, int64_t row, int64_t col, double *out, ashlar_error *err)
{
    const ashlar_status status = ashi_scan_word(f->scan, err);
    if (status != ASHLAR_OK)
        return status;
    const char *word = f->scan->word, *digits = word + (*word == '+' || *word == '-');
    if (*word == '\0')
        return ashi_fail_file(err, ASHLAR_ERR_IO, f->scan->path,
                              "truncated: it ends before the entry of row %" PRId64 ", column %" PRId64, row + 1,
                              col + 1);
    const bool whole = digits[0] != '\0' && digits[strspn(digits, "0123456789")] == '\0';
    if ((f->header.integer && !whole) || !ashi_word_to_double(word, out))
        return ashi_fail_file(err, ASHLAR_ERR_IO, f->scan->path,
                              "the entry of row %" PRId64 ", column %" PRId64 " is not %s that fits in a double",
                              row + 1, col + 1, f->header.integer ? "a whole number" : "a number");
    return ASHLAR_OK;
}

/* Put a value where the box has the element, if it has. */
static void place(const ashi_store *store, const ashi_file_box *box, int64_t row, int64_t col, const double value[2],
                  char *data, int64_t row_stride, int64_t col_stride)
{
    const size_t bytes = ashlar_type_bytes(store->info.type);
    if (row < box->row || row - box->row >= box->rows || col < box->col || col - box->col >= box->cols)
        return;
    memcpy(data + ((row - box->row) * row_stride + (col - box->col) * col_stride) * (int64_t)bytes, value, bytes);
}

/* The element above the diagonal that mirrors a stored one. */
static void mirror(ashi_mtx_symmetry symmetry, double value[2])
{
    if (symmetry == ASHI_MTX_SKEW)
        value[0] = -value[0];
    if (symmetry != ASHI_MTX_SYMMETRIC)
        value[1] = -value[1];
}

/* The first row that the file has of a column. */
static int64_t first_stored(const mtx *f, int64_t col)
{
    if (f->header.symmetry == ASHI_MTX_GENERAL)
        return 0;
    return f->header.symmetry == ASHI_MTX_SKEW ? col + 1 : col;
}

/* Read one stored column from its beginning to its end. */
static ashlar_status read_column(const ashi_store *store, int64_t col, const ashi_file_box *box, char *data,
                                 int64_t row_stride, int64_t col_stride, ashlar_error *err)
{
    const mtx *f = store->state;
    const ashi_mtx_symmetry symmetry = f->header.symmetry;
    double value[2] = {0, 0};
    if (symmetry == ASHI_MTX_SKEW)
        place(store, box, col, col, value, data, row_stride, col_stride);
    for (int64_t row = first_stored(f, col); row < f->header.rows; row++) {
        ashlar_status status = next_number(f, row, col, &value[0], err);
        if (status == ASHLAR_OK && f->header.complex)
            status = next_number(f, row, col, &value[1], err);
        if (status != ASHLAR_OK)
            return status;
        place(store, box, row, col, value, data, row_stride, col_stride);
        if (symmetry == ASHI_MTX_GENERAL || row == col)
            continue;
        mirror(symmetry, value);
        place(store, box, col, row, value, data, row_stride, col_stride);
    }
    return ASHLAR_OK;
}

/* Pass over the words of a column. */
static ashlar_status skip_column(const mtx *f, int64_t col, ashlar_error *err)
{
    const int64_t words = (f->header.rows - first_stored(f, col)) * (f->header.complex ? 2 : 1);
    ashlar_status status = ASHLAR_OK;
    for (int64_t w = 0; status == ASHLAR_OK && w < words; w++) {
        status = ashi_scan_word(f->scan, err);
        if (status == ASHLAR_OK && f->scan->word[0] == '\0')
            return ashi_fail_file(err, ASHLAR_ERR_IO, f->scan->path, "truncated: it ends in column %" PRId64, col + 1);
    }
    return status;
}

static void remember(mtx *f, int64_t col)
{
    if (col % f->mark_every == 0 && col / f->mark_every == f->marks_known && f->marks_known < MARKS)
        f->marks[f->marks_known++] = ashi_scan_tell(f->scan);
}

static ashlar_status check_end(const mtx *f, ashlar_error *err)
{
    const ashlar_status status = ashi_scan_word(f->scan, err);
    if (status != ASHLAR_OK || f->scan->word[0] == '\0')
        return status;
    return ashi_fail_file(err, ASHLAR_ERR_IO, f->scan->path, "something follows the last of %" PRId64 " entries",
                          f->header.entries);
}

/* Parse the stored columns that hold elements of the box or their mirrors. */
static ashlar_status read_columns(ashi_store *store, const ashi_file_box *box, char *data, int64_t row_stride,
                                  int64_t col_stride, ashlar_error *err)
{
    mtx *f = store->state;
    const bool general = f->header.symmetry == ASHI_MTX_GENERAL;
    const int64_t row_end = box->row + box->rows, col_end = box->col + box->cols;
    const int64_t begin = general ? box->col : ashi_min(box->row, box->col);
    const int64_t end = general ? col_end : ashi_min(row_end, col_end);
    const int64_t mark = ashi_min(begin / f->mark_every, f->marks_known - 1);
    ashlar_status status = ASHLAR_OK;
    ashi_scan_seek(f->scan, f->marks[mark]);
    for (int64_t col = mark * f->mark_every; status == ASHLAR_OK && col < end; col++) {
        remember(f, col);
        status = col < begin ? skip_column(f, col, err)
                             : read_column(store, col, box, data, row_stride, col_stride, err);
    }
    return status == ASHLAR_OK && end == f->header.cols ? check_end(f, err) : status;
}

/* A box of two dimensions. */
static ashi_file_box file_box(const ashi_array_box *box)
{
    return (ashi_file_box){box->from[0], box->extent[0], box->from[1], box->extent[1]};
}

static ashlar_status mtx_read(ashi_store *store, const ashi_array_box *box, void *data, ashlar_error *err)
{
    const ashi_file_box own = file_box(box);
    const mtx *f = store->state;
    const locale_t was = uselocale(f->locale);
    const ashlar_status status = read_columns(store, &own, data, box->stride[0], box->stride[1], err);
    uselocale(was);
    return status;
}

static bool is_complex(const ashi_store *store)
{
    return store->info.type == ASHLAR_TYPE_C || store->info.type == ASHLAR_TYPE_Z;
}

static ashlar_status flush(ashi_store *store, ashlar_error *err)
{
    mtx *f = store->state;
    const ashlar_status status = ashi_file_write(f->fd, store->place.path, f->out, f->waiting, f->written, err);
    f->written += f->waiting;
    f->waiting = 0;
    return status;
}

/* Begin the text in a file. */
static ashlar_status begin_text(ashi_store *store, int fd, ashlar_error *err)
{
    const ashlar_status status = make_state(store, err);
    if (status != ASHLAR_OK)
        return status;
    mtx *f = store->state;
    f->fd = fd;
    f->waiting = snprintf(f->out, OUT_BYTES, "%%%%MatrixMarket matrix array %s general\n%" PRId64 " %" PRId64 "\n",
                          is_complex(store) ? "complex" : "real", store->info.rows, store->info.cols);
    return ASHLAR_OK;
}

static ashlar_status mtx_create(ashi_store *store, ashlar_error *err)
{
    return begin_text(store, store->output.fd, err);
}

static ashlar_status mtx_create_shared(ashi_store *store, ashlar_error *err)
{
    store->info.order = ASHLAR_COL_MAJOR;
    return ashi_format_npy.create(store, err);
}

static ashlar_status mtx_join(ashi_store *store, const char *temporary, ashlar_error *err)
{
    store->info.order = ASHLAR_COL_MAJOR;
    return ashi_format_npy.join(store, temporary, err);
}

/* One entry's line into `out`, at most ENTRY_BYTES; returns its length. */
static int print_entry(ashlar_type type, const void *element, char *out)
{
    union {
        float s[2];
        double d[2];
    } e;
    memcpy(&e, element, ashlar_type_bytes(type));
    switch (type) {
    case ASHLAR_TYPE_S:
        return snprintf(out, ENTRY_BYTES, "%.9g\n", (double)e.s[0]);
    case ASHLAR_TYPE_C:
        return snprintf(out, ENTRY_BYTES, "%.9g %.9g\n", (double)e.s[0], (double)e.s[1]);
    case ASHLAR_TYPE_Z:
        return snprintf(out, ENTRY_BYTES, "%.17g %.17g\n", e.d[0], e.d[1]);
    default:
        return snprintf(out, ENTRY_BYTES, "%.17g\n", e.d[0]);
    }
}

static ashlar_status write_columns(ashi_store *store, const ashi_file_box *box, const char *data, int64_t row_stride,
                                   int64_t col_stride, ashlar_error *err)
{
    mtx *f = store->state;
    const int64_t bytes = (int64_t)ashlar_type_bytes(store->info.type);
    ashlar_status status = ASHLAR_OK;
    for (int64_t j = 0; j < box->cols; j++)
        for (int64_t i = 0; i < box->rows; i++) {
            if (f->waiting > OUT_BYTES - ENTRY_BYTES)
                status = flush(store, err);
            if (status != ASHLAR_OK)
                return status;
            f->waiting += print_entry(store->info.type, data + (i * row_stride + j * col_stride) * bytes,
                                      f->out + f->waiting);
        }
    f->next += box->rows * box->cols;
    return ASHLAR_OK;
}

static ashlar_status mtx_write(ashi_store *store, const ashi_array_box *wanted, const void *data, ashlar_error *err)
{
    const ashi_file_box own = file_box(wanted), *box = &own;
    const mtx *f = store->state;
    const int64_t rows = store->info.rows;
    if (box->col * rows + box->row != f->next || (box->rows != rows && box->cols != 1))
        return ashi_fail_file(err, ASHLAR_ERR_ARG, store->place.path,
                              "a box at row %" PRId64 ", column %" PRId64 ", wanted row %" PRId64 ", column %" PRId64
                              ": Matrix Market files are written in order of columns",
                              box->row, box->col, f->next % rows, f->next / rows);
    const locale_t was = uselocale(f->locale);
    const ashlar_status status = write_columns(store, box, data, wanted->stride[0], wanted->stride[1], err);
    uselocale(was);
    return status;
}

static ashlar_status mtx_finish(ashi_store *store, ashlar_error *err)
{
    const mtx *f = store->state;
    if (!f)
        return ASHLAR_OK;
    const int64_t wanted = store->info.rows * store->info.cols;
    if (f->next != wanted)
        return ashi_fail_file(err, ASHLAR_ERR_ARG, store->place.path,
                              "%" PRId64 " elements were written, wanted %" PRId64, f->next, wanted);
    return flush(store, err);
}

/* All elements in the order of columns, a piece at a time. */
static ashlar_status print_numbers(ashi_store *store, char *piece, ashlar_error *err)
{
    const int64_t bytes = (int64_t)ashlar_type_bytes(store->info.type), most = OUT_BYTES / bytes;
    const int64_t all = store->info.rows * store->info.cols;
    ashlar_status status = ASHLAR_OK;
    for (int64_t at = 0; at < all && status == ASHLAR_OK; at += most) {
        const ashi_file_box line = {0, ashi_min(most, all - at), 0, 1};
        status = ashi_file_read(store->array.fd, store->place.path, piece, line.rows * bytes,
                                store->array.start + at * bytes, err);
        if (status == ASHLAR_OK)
            status = write_columns(store, &line, piece, 1, line.rows, err);
    }
    return status == ASHLAR_OK ? flush(store, err) : status;
}

static ashlar_status mtx_render(void *context, int fd, ashlar_error *err)
{
    ashi_store *store = context;
    char *piece = malloc(OUT_BYTES);
    if (!piece)
        return ashi_fail_memory(err, "Matrix Market", OUT_BYTES);
    ashlar_status status = begin_text(store, fd, err);
    if (status == ASHLAR_OK) {
        const mtx *f = store->state;
        const locale_t was = uselocale(f->locale);
        status = print_numbers(store, piece, err);
        uselocale(was);
    }
    free(piece);
    return status;
}

static void mtx_close(ashi_store *store)
{
    mtx *f = store->state;
    if (!f)
        return;
    if (store->mode == ASHI_STORE_READING && f->fd >= 0)
        close(f->fd);
    if (f->locale)
        freelocale(f->locale);
    free(f->scan);
    free(f);
    store->state = NULL;
}

const ashi_format ashi_format_mtx = {
    .name = "Matrix Market",
    .endings = {".mtx"},
    .open = mtx_open,
    .create = mtx_create,
    .create_shared = mtx_create_shared,
    .join = mtx_join,
    .render = mtx_render,
    .read = mtx_read,
    .write = mtx_write,
    .finish = mtx_finish,
    .close = mtx_close,
};
