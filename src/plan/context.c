/* A communicator of Ashlar's own, and agreement over it. */
#include "plan/context.h"

#include "base/checked.h"
#include "base/error.h"
#include "exec/host.h"
#include "exec/mpi.h"
#include "exec/player.h"
#include "kernel/threads.h"
#include "plan/device.h"
#include "plan/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ashi_note(const ashlar_context *context, int code, const char *call)
{
    ashi_mpi_note(context->missed, code, call);
}

void ashi_refuse(const ashlar_context *context, int64_t memory_words)
{
    *context->refused = memory_words;
}

/* What the ranks learn of one rank's error. */
typedef struct complaint {
    int64_t enough; /* memory_words, as of the context */
    char text[ASHLAR_MESSAGE_MAX];
} complaint;

/* One rank's error becomes that of all: its text, or one made from its status. */
static ashlar_status share_error(const ashlar_context *context, ashlar_status mine, ashlar_status worst, int rank,
                                 ashlar_error *err)
{
    complaint said = {.enough = *context->refused};
    if (context->rank == rank && err->status == mine)
        memcpy(said.text, err->text, sizeof said.text);
    ashi_note(context, MPI_Bcast(&said, sizeof said, MPI_BYTE, rank, context->comm), "MPI_Bcast");
    if (worst == ASHLAR_ERR_MPI)
        context->missed->status = ASHLAR_OK; /* said; else whoever goes on after this error is to hear of it */
    if (said.text[0] == '\0')
        snprintf(said.text, sizeof said.text, "rank %d: %s", rank, ashlar_status_text(worst));
    if (worst == ASHLAR_ERR_LIMIT)
        ashi_refuse(context, said.enough);
    return ashi_fail(err, worst, "%s", said.text);
}

/* Worst status, then lowest rank: the greatest of these. How many ranks there are may be what could not be asked. */
static const int64_t ranks_most = (int64_t)1 << 31;

/* Less than any of them: what stands there if MPI fails and makes no reduction. */
static const int64_t not_reduced = -1;

static int64_t status_key(const ashlar_context *context, ashlar_status status)
{
    return (int64_t)status * ranks_most + (ranks_most - 1 - context->rank);
}

/* If MPI failed before, whatever else is wrong on this rank may follow from that. */
static ashlar_status or_noted(const ashlar_context *context, ashlar_status mine, ashlar_error *err)
{
    const ashlar_status noted = ashi_mpi_noted(context->missed, err);
    return noted == ASHLAR_OK ? mine : noted;
}

/* What all leave with. If nothing was reduced, each leaves with its own status: a text that a rank sent then might be
 * received in the next agreement. */
static ashlar_status conclude_from(const ashlar_context *context, ashlar_status mine, int64_t key, ashlar_error *err)
{
    if (key == not_reduced) {
        if (mine == ASHLAR_ERR_MPI)
            context->missed->status = ASHLAR_OK; /* said */
        return mine;
    }
    const ashlar_status worst = (ashlar_status)(key / ranks_most);
    return worst == ASHLAR_OK ? worst
                              : share_error(context, mine, worst, (int)(ranks_most - 1 - key % ranks_most), err);
}

/* If MPI_Allreduce fails, `most` is as it was or what MPI has made of it: another failure is followed if it is
 * there. */
ashlar_status ashi_agree_same(const ashlar_context *context, ashlar_status mine, const char *who,
                              const ashi_shared *values, int count, ashlar_error *err)
{
    int64_t own[1 + 2 * ASHI_SHARED_MOST] = {0}, most[1 + 2 * ASHI_SHARED_MOST];
    ashlar_error own_text = {0};
    err = err ? err : &own_text;
    mine = or_noted(context, mine, err);
    own[0] = status_key(context, mine);
    for (int i = 0; i < count; i++) {
        own[1 + 2 * i] = values[i].value;
        own[2 + 2 * i] = ~values[i].value; /* its greatest is the complement of the least value */
    }
    memcpy(most, own, sizeof most);
    most[0] = not_reduced;
    ashi_note(context, MPI_Allreduce(own, most, 1 + 2 * count, MPI_INT64_T, MPI_MAX, context->comm), "MPI_Allreduce");
    const ashlar_status worst = conclude_from(context, mine, most[0], err);
    for (int i = 0; i < count && worst == ASHLAR_OK; i++)
        if (most[1 + 2 * i] != ~most[2 + 2 * i])
            return ashi_fail(err, ASHLAR_ERR_ARG, "%s: ranks disagree about %s", who, values[i].name);
    return worst;
}

/* The MPI_User_function of ashi_figures. */
static void join_figures(void *in, void *in_and_out, int *count, MPI_Datatype *type)
{
    const ashi_figures *x = in;
    ashi_figures *y = in_and_out;
    (void)type;
    for (int n = 0; n < *count; n++) {
        y[n].status = ashi_max(y[n].status, x[n].status);
        for (int i = 0; i < ASHI_GREATEST_MOST; i++)
            y[n].greatest[i] = ashi_max(y[n].greatest[i], x[n].greatest[i]);
        for (int i = 0; i < ASHI_SUMMED_MOST; i++)
            y[n].sum[i] += x[n].sum[i];
    }
}

ashlar_status ashi_agree_figures(const ashlar_context *context, ashlar_status mine, ashi_figures *figures,
                                 ashlar_error *err)
{
    ashlar_error own_text = {0};
    err = err ? err : &own_text;
    mine = or_noted(context, mine, err);
    figures->status = status_key(context, mine);
    const ashi_figures own = *figures;
    figures->status = not_reduced;
    ashi_note(context, MPI_Allreduce(&own, figures, 1, context->figures, context->join, context->comm),
              "MPI_Allreduce");
    return conclude_from(context, mine, figures->status, err);
}

/* How figures are joined. Local. */
static void make_join(ashlar_context *c)
{
    ashi_note(c, MPI_Type_contiguous(sizeof(ashi_figures) / sizeof(int64_t), MPI_INT64_T, &c->figures),
              "MPI_Type_contiguous");
    if (c->figures != MPI_DATATYPE_NULL)
        ashi_note(c, MPI_Type_commit(&c->figures), "MPI_Type_commit");
    ashi_note(c, MPI_Op_create(join_figures, 1, &c->join), "MPI_Op_create");
}

/* Failures have nobody to be reported to. */
static void release(ashlar_context *c)
{
    if (c->join != MPI_OP_NULL)
        (void)MPI_Op_free(&c->join);
    if (c->figures != MPI_DATATYPE_NULL)
        (void)MPI_Type_free(&c->figures);
    if (c->comm != MPI_COMM_NULL)
        (void)MPI_Comm_free(&c->comm);
}

ashlar_status ashi_agree(const ashlar_context *context, ashlar_status mine, ashlar_error *err)
{
    return ashi_agree_same(context, mine, NULL, NULL, 0, err);
}

ashlar_status ashi_agree_figures_first(const ashlar_context *context, ashlar_status mine, ashi_figures *figures,
                                       ashlar_error *err)
{
    const ashlar_status status = ashi_agree_figures(context, mine, figures, err);
    return status == ASHLAR_OK ? ashi_agree(context, status, err) : status;
}

ashlar_status ashi_agree_named(const ashlar_context *context, ashlar_status mine, ashlar_error *err)
{
    int failed = mine != ASHLAR_OK, all = failed;
    ashlar_error own = {0};
    err = err ? err : &own;
    ashi_note(context, MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_SUM, context->comm), "MPI_Allreduce");
    if (failed && all < context->ranks) {
        char text[ASHLAR_MESSAGE_MAX];
        memcpy(text, err->text, sizeof text);
        ashi_fail(err, mine, "rank %d: %.*s", context->rank, (int)sizeof text - 24, text);
    }
    return ashi_agree(context, mine, err);
}

ashlar_status ashi_conclude(const ashlar_context *context, ashlar_status mine, ashlar_error *err)
{
    const ashlar_status status = ashi_agree(context, mine, err);
    return status == ASHLAR_OK ? ashi_mpi_noted(context->missed, err) : status;
}

ashlar_status ashi_same(const ashlar_context *context, const char *who, const ashi_shared *values, int count,
                        ashlar_error *err)
{
    return ashi_agree_same(context, ASHLAR_OK, who, values, count, err);
}

/* The cores of a node are those that any of its ranks may use: launchers bind ranks to cores, or do not. */
static void share_cores(ashlar_context *c, MPI_Comm node)
{
    ashi_core_set cores;
    ashi_core_set_own(&cores);
    ashi_note(c, MPI_Allreduce(MPI_IN_PLACE, cores.bits, ASHI_CORE_SET_BYTES, MPI_BYTE, MPI_BOR, node),
              "MPI_Allreduce");
    const double share = (double)c->node_ranks / ashi_core_set_count(&cores);
    c->ranks_per_core = share;
    ashi_note(c, MPI_Allreduce(&share, &c->ranks_per_core, 1, MPI_DOUBLE, MPI_MAX, c->comm), "MPI_Allreduce");
}

ashi_torus ashi_context_torus(const ashlar_context *c, const ashlar_machine *machine)
{
    return machine->torus_dims ? ashi_torus_of(machine) : c->torus;
}

/* If there is no memory for workers, the calling thread does what they would do. */
static void find_workers(ashlar_context *c)
{
    int level = MPI_THREAD_SINGLE;
    ashlar_error err;
    c->threads_most = 1;
    ashi_note(c, MPI_Query_thread(&level), "MPI_Query_thread");
    const int64_t cores = ashi_min(c->cores, (int64_t)(1 / c->ranks_per_core));
    if (level == MPI_THREAD_SINGLE || cores <= 1)
        return;
    c->threads_most = (int)ashi_min(cores, ASHI_PLAYER_THREADS);
    (void)ashi_workers_create(c->threads_most, &c->workers, &err);
}

/* For each rank the first rank of its node. */
static void find_nodes(ashlar_context *c, MPI_Comm node)
{
    int first = c->rank;
    ashi_note(c, MPI_Bcast(&first, 1, MPI_INT, 0, node), "MPI_Bcast");
    ashi_note(c, MPI_Allgather(&first, 1, MPI_INT, c->node_of, 1, MPI_INT, c->comm), "MPI_Allgather");
}

/* Nodes are numbered in the order of their first ranks. */
static void number_nodes(ashlar_context *c)
{
    for (int r = 0, nodes = 0; r < c->ranks; r++)
        c->node_of[r] = c->node_of[r] == r ? nodes++ : c->node_of[c->node_of[r]];
}

/* The duplicate has the topology of the caller's communicator. */
static void read_torus(ashlar_context *c)
{
    int kind = MPI_UNDEFINED, dims = 0, length[ASHI_TORUS_MOST] = {0}, periodic[ASHI_TORUS_MOST] = {0};
    int at[ASHI_TORUS_MOST];
    ashi_note(c, MPI_Topo_test(c->comm, &kind), "MPI_Topo_test");
    if (kind == MPI_CART)
        ashi_note(c, MPI_Cartdim_get(c->comm, &dims), "MPI_Cartdim_get");
    if (dims < 1 || dims > ASHI_TORUS_MOST)
        return;
    ashi_note(c, MPI_Cart_get(c->comm, dims, length, periodic, at), "MPI_Cart_get");
    for (int d = 0; d < dims; d++) {
        if (!periodic[d])
            return;
        c->torus.length[d] = length[d];
    }
    c->torus.dims = dims;
}

static void read_tag_most(ashlar_context *c)
{
    enum { LEAST = 32767 }; /* that MPI allows itself */
    int *value = NULL, found = 0;
    ashi_note(c, MPI_Comm_get_attr(c->comm, MPI_TAG_UB, &value, &found), "MPI_Comm_get_attr");
    c->tag_most = found && value ? *value : LEAST;
}

/* What the communicator says of itself, and memory for what follows. */
static void look_around(ashlar_context *c)
{
    ashi_note(c, MPI_Comm_set_errhandler(c->comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    ashi_note(c, MPI_Comm_rank(c->comm, &c->rank), "MPI_Comm_rank");
    ashi_note(c, MPI_Comm_size(c->comm, &c->ranks), "MPI_Comm_size");
    read_torus(c);
    read_tag_most(c);
    make_join(c);
    if (c->missed->status == ASHLAR_OK)
        c->node_of = calloc((size_t)c->ranks, sizeof *c->node_of);
}

/* What the ranks find out together before anything else. Sets of bits, which are joined by one reduction. */
typedef struct meeting {
    uint64_t faults;
    uint64_t host, other; /* a number for the machine, and its complement: no bit is in both if all ranks have the same
                             number, and only then */
    uint64_t cores[ASHI_CORE_SET_BYTES / sizeof(uint64_t)];
} meeting;

_Static_assert(ASHI_CORE_SET_BYTES % sizeof(uint64_t) == 0, "the set fills its numbers");

enum { NO_DUPLICATE = 1, FAILED = 2, MEETING_NUMBERS = sizeof(meeting) / sizeof(uint64_t) };

static meeting own_part(ashlar_context *c, bool memory)
{
    char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
    int length = 0;
    ashi_core_set cores;
    meeting own = {.faults = FAILED};
    ashi_note(c, MPI_Get_processor_name(name, &length), "MPI_Get_processor_name");
    if (c->comm == MPI_COMM_NULL)
        own.faults = NO_DUPLICATE;
    else if (memory && c->node_of && c->missed->status == ASHLAR_OK)
        own.faults = 0;
    own.host = ashi_host_digest(name);
    own.other = ~own.host;
    ashi_core_set_own(&cores);
    c->cores = ashi_core_set_count(&cores);
    memcpy(own.cores, cores.bits, sizeof own.cores);
    return own;
}

static ashlar_status leave(ashlar_context *c, const meeting *all, bool memory, ashlar_error *err)
{
    if (all->faults & NO_DUPLICATE) {
        const ashlar_status status = ashi_mpi_noted(c->missed, err);
        return status != ASHLAR_OK ? status
                                   : ashi_fail(err, ASHLAR_ERR_MPI, "MPI_Comm_dup: it failed on another rank");
    }
    const bool ready = memory && (c->node_of || c->missed->status != ASHLAR_OK);
    return ashi_agree(c, ready ? ASHLAR_OK
                               : ashi_fail_memory(err, "ashlar_context_create",
                                                  (int64_t)sizeof *c + c->ranks * (int64_t)sizeof(int)), err);
}

/* Make the duplicate, on all ranks or on none, and find out whether all ranks are on one machine. If they are, all have
 * joined their cores already. The reduction goes over the caller's communicator, as there may be no duplicate.
 * memory: this rank has it for the context. */
static ashlar_status meet(ashlar_context *c, MPI_Comm comm, bool memory, bool *one_host, ashlar_error *err)
{
    ashi_note(c, MPI_Comm_dup(comm, &c->comm), "MPI_Comm_dup");
    if (c->comm != MPI_COMM_NULL)
        look_around(c);
    const meeting own = own_part(c, memory);
    meeting all = own;
    ashi_note(c, MPI_Allreduce(&own, &all, MEETING_NUMBERS, MPI_UINT64_T, MPI_BOR, comm), "MPI_Allreduce");
    if (all.faults)
        return leave(c, &all, memory, err);
    ashi_core_set cores;
    memcpy(cores.bits, all.cores, sizeof cores.bits);
    c->node_ranks = c->ranks;
    c->ranks_per_core = (double)c->ranks / ashi_core_set_count(&cores);
    *one_host = (all.host & all.other) == 0;
    return ASHLAR_OK;
}

/* Of several machines: which ranks share memory, and how many share a core there. */
static ashlar_status look_at_nodes(ashlar_context *c, ashlar_error *err)
{
    MPI_Comm node = MPI_COMM_NULL;
    ashi_note(c, MPI_Comm_split_type(c->comm, MPI_COMM_TYPE_SHARED, c->rank, MPI_INFO_NULL, &node),
              "MPI_Comm_split_type");
    ashlar_status status = ashi_agree(c, ASHLAR_OK, err);
    if (status == ASHLAR_OK) {
        ashi_note(c, MPI_Comm_size(node, &c->node_ranks), "MPI_Comm_size");
        share_cores(c, node);
        find_nodes(c, node);
    }
    if (node != MPI_COMM_NULL)
        ashi_note(c, MPI_Comm_free(&node), "MPI_Comm_free");
    if (status == ASHLAR_OK)
        status = ashi_agree(c, ASHLAR_OK, err);
    if (status == ASHLAR_OK)
        number_nodes(c);
    return status;
}

/* All ranks of a stage make all of its calls, and meet at its end. */
static ashlar_status fill(ashlar_context *c, MPI_Comm comm, bool memory, ashlar_error *err)
{
    bool one_host = false;
    ashlar_status status = meet(c, comm, memory, &one_host, err);
    if (status == ASHLAR_OK && !one_host)
        status = look_at_nodes(c, err);
    if (status == ASHLAR_OK)
        find_workers(c);
    return status;
}

ashlar_status ashi_context_check(ashlar_context *c, MPI_Comm comm, const char *who, ashlar_error *err)
{
    int started = 1, ended = 0, inter = 0;
    ashi_note(c, MPI_Initialized(&started), "MPI_Initialized");
    ashi_note(c, MPI_Finalized(&ended), "MPI_Finalized");
    if (!started || ended)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: MPI is not running", who);
    if (comm == MPI_COMM_NULL)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: comm is MPI_COMM_NULL", who);
    ashi_note(c, MPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
    if (inter)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: comm is an intercommunicator", who);
    return ASHLAR_OK;
}

ashlar_status ashlar_context_create(MPI_Comm comm, ashlar_context **out, ashlar_error *err)
{
    if (!out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_context_create: out is NULL");
    *out = NULL;
    ashlar_context *c = calloc(1, sizeof *c), fallback;
    ashlar_context *made = c ? c : &fallback; /* who has no memory still takes part, so that all learn of it */
    *made = (ashlar_context){.comm = MPI_COMM_NULL, .figures = MPI_DATATYPE_NULL, .join = MPI_OP_NULL,
                             .kept_on = MPI_COMM_NULL, .missed = &made->kept, .refused = &made->enough};
    ashlar_status status = ashi_context_check(made, comm, "ashlar_context_create", err);
    if (status == ASHLAR_OK)
        status = fill(made, comm, c != NULL, err);
    if (status == ASHLAR_OK) {
        *out = c;
        return status;
    }
    release(made);
    ashi_workers_free(&made->workers);
    free(made->node_of);
    free(c);
    return status;
}

void ashlar_context_free(ashlar_context **context)
{
    if (!context || !*context)
        return;
    if ((*context)->kept_on == MPI_COMM_NULL) {
        if ((*context)->on_free)
            (*context)->on_free((*context)->on_free_user);
        ashi_recording_drop(*context);
        if (ashi_mpi_runs((*context)->missed))
            release(*context);
        ashi_workers_free(&(*context)->workers);
        if (!(*context)->device_is_lent)
            ashi_context_device_free(&(*context)->device);
        free((*context)->node_of);
        free(*context);
    }
    *context = NULL;
}
