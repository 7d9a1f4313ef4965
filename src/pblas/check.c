/* ASHLAR_CHECK: comparing the arguments of all processes before a call does anything with them. */
#include "pblas/check.h"

#include <stdio.h>

enum { SCALE = 100, NO_ERROR = 10000, LENGTH = 2 * ASHI_CALL_CHECK_MOST + 1 };

void ashi_call_check_add(ashi_call_check *check, int number, int entry, int64_t value)
{
    if (check->count == ASHI_CALL_CHECK_MOST)
        return;
    check->code[check->count] = number * SCALE + entry;
    check->value[check->count++] = value;
}

void ashi_call_check_add_submatrix(ashi_call_check *check, int number, const ashi_submatrix *sub)
{
    const ashi_descriptor *d = &sub->of;
    const int values[] = {d->type,       d->rows,       d->cols,       d->first_rows, d->first_cols,
                          d->block_rows, d->block_cols, d->row_source, d->col_source};
    const int entries[] = {1, 3, 4, 5, 6, 7, 8, 9, 10};
    ashi_call_check_add(check, number - 2, 0, sub->row);
    ashi_call_check_add(check, number - 1, 0, sub->col);
    for (int i = 0; i < 9; i++)
        ashi_call_check_add(check, number, entries[i], values[i]);
}

/* The greatest of the values and of their complements tell whether they are all equal. */
static int first_difference(const ashi_call_check *check, const int64_t *most)
{
    int least = NO_ERROR;
    for (int i = 0; i < ASHI_CALL_CHECK_MOST; i++) {
        const int code = i < check->count ? check->code[i] : SCALE;
        if (most[2 * i] != ~most[2 * i + 1] && code < least)
            least = code;
    }
    return least;
}

static int code_of(int info)
{
    if (info == 0)
        return NO_ERROR;
    return info < -SCALE ? -info : -info * SCALE;
}

int ashi_call_check_all(const ashi_call_check *check, const ashi_grid *grid, const char *routine, int info)
{
    int64_t own[LENGTH] = {0}, most[LENGTH] = {0}; /* as long for every routine: processes may be in different ones */
    for (int i = 0; i < ASHI_CALL_CHECK_MOST; i++) {
        own[2 * i] = i < check->count ? check->value[i] : 0;
        own[2 * i + 1] = ~own[2 * i];
    }
    own[LENGTH - 1] = -code_of(info);
    if (MPI_Allreduce(own, most, LENGTH, MPI_INT64_T, MPI_MAX, grid->comm) != MPI_SUCCESS)
        return info;
    const int error = (int)-most[LENGTH - 1], differs = first_difference(check, most);
    if (error == NO_ERROR && differs == NO_ERROR)
        return 0;
    const int least = error <= differs ? error : differs, entry = least % SCALE;
    if (differs < error && grid->at.row == 0 && grid->at.col == 0) {
        fprintf(stderr, "ashlar: %s: processes disagree about argument %d", routine, least / SCALE);
        if (entry)
            fprintf(stderr, ", entry %d", entry);
        fputc('\n', stderr);
    }
    return entry ? -least : -(least / SCALE);
}
