/* Products of 16-bit numbers beside those of mpi.product: large enough that their blocks are turned into floats one
 * after the other, checked without the triple loop; the bytes that MPI is given; and who has no such types. */
#define PROGRAM "narrow"

#include "mpi/in_context.h"
#include "mpi/multiplying.h"
#include "plan/plan.h"

static int64_t sent_bytes; /* counted where MPI is called */

static void count_sent(int count, MPI_Datatype type)
{
    int bytes = 0;
    MPI_Type_size(type, &bytes);
    sent_bytes += type == MPI_INT64_T ? 0 : (int64_t)count * bytes; /* letters of one-sided transport are integers */
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    count_sent(count, type);
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Issend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    count_sent(count, type);
    return PMPI_Issend(buffer, count, type, to, tag, comm, request);
}

int MPI_Rput(const void *buffer, int count, MPI_Datatype type, int to, MPI_Aint at, int there, MPI_Datatype there_type,
             MPI_Win window, MPI_Request *request)
{
    count_sent(count, type);
    return PMPI_Rput(buffer, count, type, to, at, there, there_type, window, request);
}

static void random_case(uint64_t seed, product *p, ashlar_options *o)
{
    uint64_t state = seed * 0x9E3779B97F4A7C15u;
    random_product(&state, p);
    p->type = seed % 2 ? ASHLAR_TYPE_H : ASHLAR_TYPE_B;
    for (int x = 0; x < 3; x++) {
        p->content[x].type = x < 2 ? p->type : ASHLAR_TYPE_S;
        p->size[x] = ashi_random_in(&state, 300, 700);
    }
    p->size[1] *= seed % 3 == 0 ? 2 : 1;
    p->alpha = (number){seed % 5 == 0 ? 1 : -0.75L, 0};
    p->beta = (number){seed % 4 == 0 ? 0 : 0.5L, 0};
    *o = ashlar_options_default();
    o->transport = ashi_random_in(&state, 0, 2) ? ASHLAR_TWO_SIDED : ASHLAR_ONE_SIDED;
    o->route = ashi_random_in(&state, 0, 1) ? ASHLAR_ROUTE_TREE : ASHLAR_ROUTE_DIRECT;
}

/* A right product passes. With one element of C changed by more than rounding explains it does not. */
static void verify(ashlar_plan *plan, const product *p, part part_of[3], rig *r)
{
    const float alpha = (float)p->alpha.re, beta = (float)p->beta.re;
    const ashlar_layout *layout = part_of[2].layout;
    const int64_t row = p->size[0] / 2, col = p->size[1] - 1;
    ashlar_verification *check = NULL;
    ashlar_verdict verdict = {0};
    ashlar_error err = {0};
    CHECK(&r->test, ashlar_verify_begin(plan, &beta, part_of[2].base, &check, &err) == ASHLAR_OK, CASE "%s",
          CASE_OF(r), err.text);
    sent_bytes = 0;
    CHECK(&r->test, ashlar_plan_execute(plan, &alpha, part_of[0].base, part_of[1].base, &beta, part_of[2].base, &err) ==
                        ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    const int64_t own[2] = {sent_bytes, plan->tally.received_bytes};
    int64_t all[2] = {0, 0};
    PMPI_Allreduce(own, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(&r->test, all[0] == all[1], CASE "%" PRId64 " bytes sent, %" PRId64 " counted", CASE_OF(r), all[0], all[1]);
    for (int wrong = 0; wrong < 2; wrong++) {
        const ashlar_status status =
            ashlar_verify_end(check, &alpha, part_of[0].base, part_of[1].base, part_of[2].base, &verdict, &err);
        CHECK(&r->test, status == ASHLAR_OK && verdict.passed == !wrong && (!wrong || verdict.row == row),
              CASE "%s: %g times what rounding allows, in row %" PRId64, CASE_OF(r), wrong ? "wrong" : "right",
              verdict.worst, verdict.row);
        if (ashlar_layout_owner(layout, row, col) == r->rank)
            *(float *)part_at(&part_of[2], part_of[2].memory, row, col) += 1000;
    }
    ashlar_verify_free(&check);
}

/* What is asked for in vain is refused on all ranks, with one sentence. */
static void refused(rig *r, ashlar_status status, const char *who, const char *what, const ashlar_error *err)
{
    char wanted[256];
    snprintf(wanted, sizeof wanted, "%s: type h (float16) is for products of matrices in memory; %s are of type s, d, "
             "c or z", who, what);
    CHECK(&r->test, status == ASHLAR_ERR_UNSUPPORTED && strstr(err->text, wanted), "%s, wanted %s", err->text, wanted);
}

static void refusals(ashlar_context *context, rig *r)
{
    ashlar_error err = {0};
    ashlar_layout *layout = NULL;
    ashlar_mover *mover = NULL;
    ashlar_tiles *tiles = NULL;
    ashlar_file *file = NULL;
    ashlar_contraction_plan *plan = NULL;
    CHECK(&r->test, ashlar_layout_block_cyclic(4, 4, 4, 4, 1, 1, 0, 0, NULL, ASHLAR_COL_MAJOR, 0, &layout, &err) ==
                        ASHLAR_OK, "%s", err.text);
    refused(r, ashlar_mover_create(context, ASHLAR_TYPE_H, ASHLAR_OP_N, layout, layout, NULL, &mover, &err),
            "ashlar_mover_create", "matrices that are moved", &err);
    const int64_t size[1] = {4};
    const ashlar_tiles_description description = {.size = sizeof description, .type = ASHLAR_TYPE_H, .tile_rows = 1,
                                                  .tile_cols = 1, .row_sizes = size, .col_sizes = size,
                                                  .grid_rows = 1, .grid_cols = 1};
    refused(r, ashlar_tiles_create(context, &description, &tiles, &err), "ashlar_tiles_create", "matrices of tiles",
            &err);
    refused(r, ashlar_file_create(context, "/tmp/none.npy", ASHLAR_TYPE_H, 4, 4, ASHLAR_ROW_MAJOR, &file, &err),
            "store", "files that are written", &err);
    const int64_t extent[2] = {4, 4};
    const ashlar_tensor tensor = {.size = sizeof tensor, .order = 2, .extent = extent, .layout = NULL};
    const ashlar_tensor both[2] = {tensor, tensor};
    const ashlar_contraction contraction = {.size = sizeof contraction, .type = ASHLAR_TYPE_H,
                                            .expression = "ab,bc->ac", .operands = 2, .operand = both,
                                            .output = &tensor};
    refused(r, ashlar_contraction_plan_create(context, &contraction, NULL, &plan, &err),
            "ashlar_contraction_plan_create", "contractions", &err);
    ashlar_layout_free(&layout);
}

static void try_case(ashlar_context *context, rig *r)
{
    product p = {0};
    part part_of[3];
    ashlar_options options;
    ashlar_plan *plan = NULL;
    ashlar_error err = {0};
    memset(part_of, 0, sizeof part_of);
    random_case(r->seed, &p, &options);
    const ashlar_problem asked = {.type = p.type, .op_a = p.op[0], .op_b = p.op[1], .m = p.size[0], .n = p.size[1],
                                  .k = p.size[2]};
    bool made = ashlar_plan_create(context, &asked, &options, &plan, &err) == ASHLAR_OK;
    CHECK(&r->test, made, CASE "%s", CASE_OF(r), err.text);
    for (int x = 0; x < 3 && made; x++)
        made = part_make(&part_of[x], &p.content[x], ashlar_plan_layout(plan, (ashlar_operand)x), r->rank, false);
    CHECK(&r->test, made, CASE "no memory", CASE_OF(r));
    if (made)
        verify(plan, &p, part_of, r);
    if (r->seed == r->first)
        refusals(context, r);
    for (int x = 0; x < 3; x++)
        part_free(&part_of[x]);
    ashlar_plan_free(&plan);
}

int main(int argc, char **argv)
{
    return try_in_context(argc, argv, 4, try_case);
}
