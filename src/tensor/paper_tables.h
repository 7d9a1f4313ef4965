/* The predictions that the paper prints in Tables 9, 10 and 11, beside ours. */
#ifndef ASHI_TENSOR_PAPER_TABLES_H
#define ASHI_TENSOR_PAPER_TABLES_H

#include "search/paper.h"

enum { ASHI_PAPER_CELLS_MOST = 30 };

typedef struct ashi_paper_cell {
    const char *method, *column; /* "inside/rotation"; what the column is about */
    const char *order;           /* of the reads, that our figure has */
    const char *unit;            /* "s", or "M words" */
    double printed, computed;
    bool met;                    /* printed with the same digits, rounded or cut */
    const char *note;            /* why the printed number differs, or NULL */
} ashi_paper_cell;

typedef struct ashi_paper_table {
    const char *title, *assumptions;
    int cells;
    ashi_paper_cell cell[ASHI_PAPER_CELLS_MOST];
} ashi_paper_table;

/* Table `number`, 9, 10 or 11, computed with real numbers of tiles. */
ashi_paper_table ashi_paper_table_make(int number);

#endif
