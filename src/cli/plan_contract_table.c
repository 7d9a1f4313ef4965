/* The tables of the paper that plan-contract computes, beside what is printed. */
#include "cli/command.h"
#include "cli/plan_contract.h"
#include "cli/report.h"
#include "tensor/paper_tables.h"

#include <stdio.h>

static json_t *cell_json(const ashi_paper_cell *c)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:b, s:s}", "method", c->method, "column", c->column, "order",
                     c->order, "unit", c->unit, "printed", c->printed, "computed", c->computed, "met", c->met, "note",
                     c->note ? c->note : "");
}

static int table_json(const ashi_paper_table *t)
{
    json_t *cells = json_array();
    for (int i = 0; cells && i < t->cells; i++)
        if (json_array_append_new(cells, cell_json(&t->cell[i])) != 0) {
            json_decref(cells);
            cells = NULL;
        }
    return ashi_json_print("plan-contract", json_pack("{s:i, s:s, s:s, s:o}", "schema", 1, "title", t->title,
                                                      "assumptions", t->assumptions, "cells", cells));
}

int ashi_contract_table(int number, bool json)
{
    const ashi_paper_table t = ashi_paper_table_make(number);
    int met = 0;
    if (json)
        return table_json(&t);
    printf("%s\n%s\n\n%-22s %-18s %-5s %14s %14s %-8s\n", t.title, t.assumptions, "method", "column", "order",
           "printed", "computed", "unit");
    for (int i = 0; i < t.cells; i++) {
        const ashi_paper_cell *c = &t.cell[i];
        met += c->met;
        printf("%-22s %-18s %-5s %14.12g %14.3f %-8s%s%s\n", c->method, c->column, c->order, c->printed, c->computed,
               c->unit, c->met ? "" : " ", c->note ? c->note : "");
    }
    printf("\n%d of %d are met to the last printed digit\n", met, t.cells);
    return ASHI_EXIT_DONE;
}
