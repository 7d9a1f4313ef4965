/* Sums that are added to an output in place by runs that may be gone on with. */
#include "plan/added.h"

#include "base/error.h"
#include "kernel/kernels.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Room for the lines of a product. */
enum { ROOM = 3000 };

/* Whether two places are in one file; *same: they are one data set. */
static bool share_file(const ashlar_file *a, const ashlar_file *b, bool *same)
{
    struct stat st[2];
    char *const path[2] = {ashi_store_path(a->place), ashi_store_path(b->place)};
    const bool share = path[0] && path[1] && stat(path[0], &st[0]) == 0 && stat(path[1], &st[1]) == 0 &&
                       st[0].st_dev == st[1].st_dev && st[0].st_ino == st[1].st_ino;
    *same = share && strcmp(a->place + strlen(path[0]), b->place + strlen(path[1])) == 0;
    free(path[0]);
    free(path[1]);
    return share;
}

bool ashi_added_serves(const ashlar_file *c, const ashlar_file *c0, ashlar_file *const *operand, int operands)
{
    bool all = c && c0 && c->resumes && !c->asked && !c->whole && c->place && c0->place;
    for (int x = 0; x < operands && all; x++)
        all = operand[x] && operand[x]->place;
    return all;
}

void ashi_added_line(ashi_lines *l, const char *name, const ashlar_file *file, const ashlar_file *c)
{
    bool same = false;
    char *const path = ashi_store_path(file->place);
    if (path && share_file(file, c, &same))
        ashi_lines_add(l, "%s: in the output's file%s\n", name, file->place + strlen(path));
    else
        ashi_lines_add_file(l, name, file);
    free(path);
}

ashlar_status ashi_added_look(ashlar_file *c, const ashlar_file *c0, const char *text, ashlar_status mine,
                              ashlar_error *err)
{
    const ashlar_context *const context = c->context;
    bool added = false, same = false;
    int flag = 0;
    if (mine == ASHLAR_OK && context->rank == 0 && share_file(c, c0, &same) && same)
        mine = ashi_store_adds(c->store, text, &added, err);
    const ashlar_status status = ashi_agree(context, mine, err);
    if (status != ASHLAR_OK)
        return status;
    flag = added;
    ashi_note(context, MPI_Bcast(&flag, 1, MPI_INT, 0, context->comm), "MPI_Bcast");
    c->added = flag != 0;
    c->asked = true;
    return ashi_agree(context, ASHLAR_OK, err);
}

/* What is added by a product. */
static void describe(const ashlar_plan *plan, const void *alpha, const void *beta, ashi_lines *l)
{
    ashlar_file *const *const file = plan->filed.file;
    ashi_lines_add_product(l, &plan->problem, alpha, beta);
    ashi_added_line(l, "A", file[ASHLAR_A], file[ASHLAR_C]);
    ashi_added_line(l, "B", file[ASHLAR_B], file[ASHLAR_C]);
}

ashlar_status ashi_added_product(const ashlar_plan *plan, const void *alpha, const void *beta, ashlar_error *err)
{
    ashlar_file *const c = plan->filed.file[ASHLAR_C], *const c0 = plan->filed.file[ASHI_FILED_C0];
    char text[ROOM] = "";
    ashi_lines lines = {text, 0, sizeof text};
    if (!ashi_added_serves(c, c0, plan->filed.file, 2) || ashi_kernels_of(plan->problem.type)->is_zero(beta))
        return ASHLAR_OK;
    if (plan->context->rank == 0)
        describe(plan, alpha, beta, &lines);
    return ashi_added_look(c, c0, text, ASHLAR_OK, err);
}
