/* ScaLAPACK's array descriptors of both kinds, and whether a submatrix fits the one it is described by. */
#include "pblas/descriptor.h"

#include "base/checked.h"

#include <inttypes.h>

/* Entries of a descriptor of eleven, counted from 1 as they are reported. */
enum { TYPE = 1, CONTEXT, ROWS, COLS, FIRST_ROWS, FIRST_COLS, BLOCK_ROWS, BLOCK_COLS, ROW_SOURCE, COL_SOURCE, LEAD };

enum { SCALE = 100, NO_ERROR = 10000 };

ashi_descriptor ashi_descriptor_read_short(const int *e)
{
    return (ashi_descriptor){ASHI_DESCRIPTOR_LONG, e[1], e[2], e[3], e[4], e[5], e[4], e[5], e[6], e[7], e[8]};
}

int ashi_descriptor_context(const int *e)
{
    return e[CONTEXT - 1];
}

ashi_descriptor ashi_descriptor_read(const int *e)
{
    if (e[0] == ASHI_DESCRIPTOR_SHORT)
        return ashi_descriptor_read_short(e);
    if (e[0] == ASHI_DESCRIPTOR_LONG)
        return (ashi_descriptor){e[0], e[1], e[2], e[3], e[4], e[5], e[6], e[7], e[8], e[9], e[10]};
    return (ashi_descriptor){e[0], e[1], 0, 0, 1, 1, 1, 1, 0, 0, 1};
}

int64_t ashi_descriptor_share(int64_t count, int64_t first, int64_t block, int process, int source, int processes)
{
    if (source < 0 || processes == 1)
        return count;
    const int64_t turn = (process - source + processes) % processes;
    if (count <= first)
        return turn == 0 ? count : 0;
    const int64_t rest = count - first, blocks = rest / block, last = rest % block; /* of block 1 and later ones */
    int64_t share = turn == 0 ? first : 0;
    const int64_t before = turn == 0 ? processes - 1 : turn - 1; /* whole blocks until the first of those is its own */
    if (blocks > before)
        share += ((blocks - before - 1) / processes + 1) * block;
    return share + (blocks % processes == before ? last : 0);
}

/* One matrix that is checked: the codes of its arguments, and the least code that is wrong. */
typedef struct verdict {
    const ashi_checked_call *call;
    char name;
    int row_code, col_code, entry; /* of IX, JX and, less an entry's number, of the descriptor */
    int least;
} verdict;

/* Errors are compared by 100 times the argument's number plus the entry. Without an entry the number alone is
 * reported. */
static int begin(int info)
{
    if (info >= 0)
        return NO_ERROR;
    return info < -SCALE ? -info : -info * SCALE;
}

static int end(int least)
{
    if (least == NO_ERROR)
        return 0;
    return least % SCALE == 0 ? -(least / SCALE) : -least;
}

static void blame(verdict *v, int code)
{
    if (code < v->least)
        v->least = code;
}

/* `illegal`: a word before the entry, which the PBLAS have for some. */
static void check_least(verdict *v, const char *illegal, int number, const char *entry, int value, int64_t least)
{
    if (value >= least)
        return;
    blame(v, v->entry + number);
    ashi_blacs_warn(v->call->context, v->call->routine, "%sDESC%c[%s] = %d, it must be at least %" PRId64, illegal,
                    v->name, entry, value, least);
}

static void check_block(verdict *v, int number, const char *entry, int value)
{
    if (value >= 1)
        return;
    blame(v, v->entry + number);
    ashi_blacs_warn(v->call->context, v->call->routine, "Illegal DESC%c[%s] = %d, DESC%c[%s] must be at least 1",
                    v->name, entry, value, v->name, entry);
}

static void check_source(verdict *v, bool copies, int number, const char *entry, int value, int processes)
{
    if (value >= (copies ? -1 : 0) && value < processes)
        return;
    blame(v, v->entry + number);
    ashi_blacs_warn(v->call->context, v->call->routine, "Illegal DESC%c[%s] = %d, DESC%c[%s] must be %s>= 0 and < %d",
                    v->name, entry, value, v->name, entry, copies ? "either -1, or " : "", processes);
}

static void check_geometry(verdict *v, const ashi_descriptor *d, bool copies)
{
    check_block(v, FIRST_ROWS, "IMB_", d->first_rows);
    check_block(v, FIRST_COLS, "INB_", d->first_cols);
    check_block(v, BLOCK_ROWS, "MB_", d->block_rows);
    check_block(v, BLOCK_COLS, "NB_", d->block_cols);
    check_source(v, copies, ROW_SOURCE, "RSRC_", d->row_source, v->call->grid->rows);
    check_source(v, copies, COL_SOURCE, "CSRC_", d->col_source, v->call->grid->cols);
}

/* A submatrix without elements: less is asked for. */
static void check_empty(verdict *v, const ashi_descriptor *d)
{
    check_least(v, "", ROWS, "M_", d->rows, 0);
    check_least(v, "", COLS, "N_", d->cols, 0);
    check_least(v, "", LEAD, "LLD_", d->ld, 1);
}

static void check_end(verdict *v, int code, char size, char index, int64_t begins, int64_t length, int whole)
{
    if (begins + length <= whole)
        return;
    blame(v, code);
    ashi_blacs_warn(v->call->context, v->call->routine, "Operation out of bounds: %c = %" PRId64 ", %c%c = %" PRId64
                    ", DESC%c[%c_] = %d", size, length, index, v->name, begins + 1, v->name, size, whole);
}

static void check_bounds(verdict *v, const ashi_submatrix *sub)
{
    const ashi_descriptor *d = &sub->of;
    check_least(v, "Illegal ", ROWS, "M_", d->rows, 1);
    check_least(v, "Illegal ", COLS, "N_", d->cols, 1);
    if (d->rows < 1 || d->cols < 1)
        return;
    check_end(v, v->row_code, 'M', 'I', sub->row, sub->rows, d->rows);
    check_end(v, v->col_code, 'N', 'J', sub->col, sub->cols, d->cols);
}

/* If the process has no columns the leading dimension need not be enough for its rows. */
static void check_lead(verdict *v, const ashi_descriptor *d)
{
    const ashi_coordinates *grid = v->call->grid;
    const int64_t rows =
        ashi_descriptor_share(d->rows, d->first_rows, d->block_rows, grid->row, d->row_source, grid->rows);
    const int64_t cols =
        ashi_descriptor_share(d->cols, d->first_cols, d->block_cols, grid->col, d->col_source, grid->cols);
    check_least(v, "", LEAD, "LLD_", d->ld, d->ld >= 1 && cols > 0 ? ashi_max(rows, 1) : 1);
}

/* The arguments beside the descriptor. */
static void check_arguments(verdict *v, const ashi_submatrix *sub, ashi_operand_place place)
{
    const struct {
        int code;
        int64_t size;
        const char *what;
    } sizes[] = {{place.rows * SCALE, sub->rows, "rows"}, {place.cols * SCALE, sub->cols, "columns"}};
    const struct {
        int code;
        int64_t index;
        char letter;
    } indices[] = {{v->row_code, sub->row, 'I'}, {v->col_code, sub->col, 'J'}};
    for (int d = 0; d < 2; d++)
        if (sizes[d].size < 0) {
            blame(v, sizes[d].code);
            ashi_blacs_warn(v->call->context, v->call->routine, "Illegal number of %s of sub( %c ) = %" PRId64
                            ", it must be at least 0", sizes[d].what, v->name, sizes[d].size);
        }
    for (int d = 0; d < 2; d++)
        if (indices[d].index < 0) {
            blame(v, indices[d].code);
            ashi_blacs_warn(v->call->context, v->call->routine, "Illegal %c%c = %" PRId64 ", %c%c must be at least 1",
                            indices[d].letter, v->name, indices[d].index + 1, indices[d].letter, v->name);
        }
}

/* False if the rest of the descriptor cannot be read. */
static bool check_kind(verdict *v, const ashi_descriptor *d)
{
    const ashi_checked_call *call = v->call;
    if (d->type != ASHI_DESCRIPTOR_LONG) {
        blame(v, v->entry + TYPE);
        ashi_blacs_warn(call->context, call->routine, "Illegal descriptor type %d for matrix %c. PBLAS accepts: %d or "
                        "%d", d->type, v->name, ASHI_DESCRIPTOR_SHORT, ASHI_DESCRIPTOR_LONG);
        return false;
    }
    if (d->context == call->context && call->grid->rows >= 0)
        return true;
    blame(v, v->entry + CONTEXT);
    ashi_blacs_warn(call->context, call->routine, "DESC%c[CTXT_] = %d does not match other operand's context = %d",
                    v->name, d->context, call->context);
    return false;
}

int ashi_descriptor_check(const ashi_submatrix *sub, ashi_operand_place place, const ashi_checked_call *call, int info)
{
    const int entry = place.descriptor * SCALE;
    verdict v = {call, place.name, entry - 2 * SCALE, entry - SCALE, entry, begin(info)};
    check_arguments(&v, sub, place);
    if (!check_kind(&v, &sub->of))
        return end(v.least);
    check_geometry(&v, &sub->of, place.may_have_copies);
    if (sub->rows == 0 || sub->cols == 0) {
        check_empty(&v, &sub->of);
        return end(v.least);
    }
    check_bounds(&v, sub);
    if (v.least == NO_ERROR)
        check_lead(&v, &sub->of);
    return end(v.least);
}
