/* Plans, movers and contexts that are freed after MPI_Finalize: what is local is freed, and MPI is not called. */
#include "mpi/allocations.h"
#include "mpi/ranks.h"

#include <ashlar/ashlar.h>

#define PROGRAM "finalized"

enum { SIZE = 24, BLOCK = 4 };

typedef struct objects {
    ashlar_context *context;
    ashlar_plan *plan[2]; /* two-sided, one-sided */
    ashlar_mover *mover;
} objects;

static ashlar_layout *blocks(int64_t block, int ranks)
{
    ashlar_layout *layout = NULL;
    ashlar_layout_block_cyclic(SIZE, SIZE, block, block, ranks, 1, 0, 0, NULL, ASHLAR_COL_MAJOR, 0, &layout, NULL);
    return layout;
}

static void make(rig *r, objects *o)
{
    const ashlar_problem problem = {.type = ASHLAR_TYPE_D, .m = SIZE, .n = SIZE, .k = SIZE};
    ashlar_options options = ashlar_options_default();
    ashlar_layout *from = blocks(BLOCK, r->ranks), *to = blocks(BLOCK + 1, r->ranks);
    CHECK(&r->test, ashlar_context_create(MPI_COMM_WORLD, &o->context, NULL) == ASHLAR_OK, "no context");
    for (int i = 0; i < 2; i++) {
        options.transport = i ? ASHLAR_ONE_SIDED : ASHLAR_TWO_SIDED;
        CHECK(&r->test, ashlar_plan_create(o->context, &problem, &options, &o->plan[i], NULL) == ASHLAR_OK, "plan %d",
              i);
    }
    CHECK(&r->test, ashlar_mover_create(o->context, ASHLAR_TYPE_D, ASHLAR_OP_N, from, to, NULL, &o->mover, NULL) ==
                        ASHLAR_OK, "no mover");
    ashlar_layout_free(&from);
    ashlar_layout_free(&to);
}

int main(int argc, char **argv)
{
    rig r;
    objects o = {0};
    if (!ranks_begin(&r, &argc, &argv, 1))
        return 1;
    const int64_t live = heap.live;
    make(&r, &o);
    const int status = ranks_end(&r, PROGRAM);
    ashlar_mover_free(&o.mover);
    ashlar_plan_free(&o.plan[1]);
    ashlar_plan_free(&o.plan[0]);
    ashlar_context_free(&o.context);
    CHECK(&r.test, heap.live == live, "%" PRId64 " allocations are not freed", heap.live - live);
    CHECK(&r.test, !o.mover && !o.plan[0] && !o.plan[1] && !o.context, "a pointer is left");
    return status || r.test.failures != 0;
}
