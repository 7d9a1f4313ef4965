/* Stands between Ashlar and MPI, counts the calls, and lets one fail: for programs that define no calls of MPI. */
#ifndef ASHI_FAILING_H
#define ASHI_FAILING_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* What kind of call it is. AGREEMENT is a COLLECTIVE by which ranks can learn of each other's failures. */
typedef enum call_kind { LOCAL, MESSAGE, WAIT, COLLECTIVE, AGREEMENT, FREE } call_kind;

/* How a call fails. All of these return MPI_ERR_OTHER.
 *
 * TOGETHER: a collective call, on all ranks; it is not made.
 * DEAD: from a collective call on no call is made on any rank.
 * TOLD: a call on one rank; it is made, and is said to have failed.
 * NOT_MADE: a local call, or a wait, on one rank; it is not made. (A collective call or a message that one rank alone
 * does not make leaves others waiting inside MPI: nothing outside MPI can end that.) */
typedef enum failure_mode { NONE, TOGETHER, DEAD, TOLD, NOT_MADE } failure_mode;

static struct {
    failure_mode mode;    /* NONE on ranks that are to have no failure */
    int64_t fail_at;      /* among the calls that the mode counts, from 1 */
    int64_t calls[5];     /* by mode, since `failing_begin`; of NONE all calls */
    int64_t agreements;
    bool failed;
    int64_t failed_after; /* agreements, itself included */
    call_kind kind;       /* of the call that failed */
    const char *name;
    int64_t live;         /* communicators, windows, types and operations that there are */
} failing;

static inline void failing_begin(failure_mode mode, int64_t fail_at)
{
    const int64_t live = failing.live;
    memset(&failing, 0, sizeof failing);
    failing.mode = mode;
    failing.fail_at = fail_at;
    failing.live = live;
}

static bool counts(failure_mode mode, call_kind kind)
{
    switch (mode) {
    case TOGETHER:
    case DEAD:
        return kind == COLLECTIVE || kind == AGREEMENT;
    case NOT_MADE:
        return kind == LOCAL || kind == WAIT;
    default:
        return true;
    }
}

/* Whether the call that begins fails. */
static bool fails(call_kind kind, const char *name)
{
    for (int mode = NONE; mode <= NOT_MADE; mode++)
        failing.calls[mode] += counts((failure_mode)mode, kind);
    failing.agreements += kind == AGREEMENT;
    const failure_mode mode = failing.mode;
    if (mode == NONE || failing.fail_at == 0)
        return false;
    const bool now = counts(mode, kind) && failing.calls[mode] == failing.fail_at;
    if (now) {
        failing.failed = true;
        failing.failed_after = failing.agreements;
        failing.kind = kind;
        failing.name = name;
    }
    return now || (mode == DEAD && failing.failed);
}

/* Whether a call that fails is made all the same. */
static bool is_made(bool fails_now)
{
    return !fails_now || failing.mode == TOLD;
}

static int said(bool fails_now, int code)
{
    return fails_now ? MPI_ERR_OTHER : code;
}

/* ---- local ---- */

int MPI_Initialized(int *flag)
{
    const bool f = fails(LOCAL, __func__);
    return said(f, is_made(f) ? PMPI_Initialized(flag) : 0);
}

int MPI_Finalized(int *flag)
{
    const bool f = fails(LOCAL, __func__);
    return said(f, is_made(f) ? PMPI_Finalized(flag) : 0);
}

int MPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    const bool f = fails(LOCAL, __func__);
    return said(f, is_made(f) ? PMPI_Comm_test_inter(comm, flag) : 0);
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    const bool f = fails(LOCAL, __func__);
    return said(f, is_made(f) ? PMPI_Comm_rank(comm, rank) : 0);
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    const bool f = fails(LOCAL, __func__);
    return said(f, is_made(f) ? PMPI_Comm_size(comm, size) : 0);
}

int MPI_Get_processor_name(char *name, int *length)
{
    const bool f = fails(LOCAL, __func__);
    return said(f, is_made(f) ? PMPI_Get_processor_name(name, length) : 0);
}

int MPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *found)
{
    const bool f = fails(LOCAL, __func__);
    return said(f, is_made(f) ? PMPI_Comm_get_attr(comm, key, value, found) : 0);
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    const bool f = fails(LOCAL, __func__);
    return said(f, is_made(f) ? PMPI_Comm_set_errhandler(comm, handler) : 0);
}

int MPI_Win_set_errhandler(MPI_Win window, MPI_Errhandler handler)
{
    const bool f = fails(LOCAL, __func__);
    return said(f, is_made(f) ? PMPI_Win_set_errhandler(window, handler) : 0);
}

int MPI_Win_lock_all(int assert, MPI_Win window)
{
    const bool f = fails(LOCAL, __func__);
    return said(f, is_made(f) ? PMPI_Win_lock_all(assert, window) : 0);
}

int MPI_Win_sync(MPI_Win window)
{
    const bool f = fails(LOCAL, __func__);
    return said(f, is_made(f) ? PMPI_Win_sync(window) : 0);
}

int MPI_Type_contiguous(int count, MPI_Datatype of, MPI_Datatype *out)
{
    const bool f = fails(LOCAL, __func__), made = is_made(f);
    failing.live += made;
    return said(f, made ? PMPI_Type_contiguous(count, of, out) : 0);
}

int MPI_Type_commit(MPI_Datatype *type)
{
    const bool f = fails(LOCAL, __func__);
    return said(f, is_made(f) ? PMPI_Type_commit(type) : 0);
}

int MPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *out)
{
    const bool f = fails(LOCAL, __func__), made = is_made(f);
    failing.live += made;
    return said(f, made ? PMPI_Op_create(function, commutes, out) : 0);
}

int MPI_Topo_test(MPI_Comm comm, int *kind)
{
    const bool f = fails(LOCAL, __func__);
    return said(f, is_made(f) ? PMPI_Topo_test(comm, kind) : 0);
}

int MPI_Cartdim_get(MPI_Comm comm, int *dims)
{
    const bool f = fails(LOCAL, __func__);
    return said(f, is_made(f) ? PMPI_Cartdim_get(comm, dims) : 0);
}

int MPI_Cart_get(MPI_Comm comm, int most, int *length, int *periodic, int *at)
{
    const bool f = fails(LOCAL, __func__);
    return said(f, is_made(f) ? PMPI_Cart_get(comm, most, length, periodic, at) : 0);
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    const bool f = fails(LOCAL, __func__);
    return said(f, is_made(f) ? PMPI_Iprobe(from, tag, comm, flag, status) : 0);
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count)
{
    const bool f = fails(LOCAL, __func__);
    return said(f, is_made(f) ? PMPI_Get_count(status, type, count) : 0);
}

/* ---- messages ---- */

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    const bool f = fails(MESSAGE, __func__);
    return said(f, is_made(f) ? PMPI_Isend(data, count, type, to, tag, comm, request) : 0);
}

int MPI_Issend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    const bool f = fails(MESSAGE, __func__);
    return said(f, is_made(f) ? PMPI_Issend(data, count, type, to, tag, comm, request) : 0);
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    const bool f = fails(MESSAGE, __func__);
    return said(f, is_made(f) ? PMPI_Irecv(data, count, type, from, tag, comm, request) : 0);
}

int MPI_Put(const void *data, int count, MPI_Datatype type, int to, MPI_Aint at, int target_count,
            MPI_Datatype target_type, MPI_Win window)
{
    const bool f = fails(MESSAGE, __func__);
    return said(f, is_made(f) ? PMPI_Put(data, count, type, to, at, target_count, target_type, window) : 0);
}

int MPI_Rput(const void *data, int count, MPI_Datatype type, int to, MPI_Aint at, int target_count,
             MPI_Datatype target_type, MPI_Win window, MPI_Request *request)
{
    const bool f = fails(MESSAGE, __func__);
    return said(f, is_made(f) ? PMPI_Rput(data, count, type, to, at, target_count, target_type, window, request) : 0);
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    const bool f = fails(MESSAGE, __func__);
    return said(f, is_made(f) ? PMPI_Send(data, count, type, to, tag, comm) : 0);
}

int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    const bool f = fails(MESSAGE, __func__);
    return said(f, is_made(f) ? PMPI_Recv(data, count, type, from, tag, comm, status) : 0);
}

int MPI_Waitsome(int count, MPI_Request *request, int *done, int *which, MPI_Status *status)
{
    const bool f = fails(WAIT, __func__);
    return said(f, is_made(f) ? PMPI_Waitsome(count, request, done, which, status) : 0);
}

int MPI_Testsome(int count, MPI_Request *request, int *done, int *which, MPI_Status *status)
{
    const bool f = fails(WAIT, __func__);
    return said(f, is_made(f) ? PMPI_Testsome(count, request, done, which, status) : 0);
}

int MPI_Test(MPI_Request *request, int *ended, MPI_Status *status)
{
    const bool f = fails(WAIT, __func__);
    return said(f, is_made(f) ? PMPI_Test(request, ended, status) : 0);
}

int MPI_Win_flush(int to, MPI_Win window)
{
    const bool f = fails(WAIT, __func__);
    return said(f, is_made(f) ? PMPI_Win_flush(to, window) : 0);
}

int MPI_Waitall(int count, MPI_Request *request, MPI_Status *status)
{
    const bool f = fails(WAIT, __func__);
    return said(f, is_made(f) ? PMPI_Waitall(count, request, status) : 0);
}

/* ---- collective ---- */

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    const bool f = fails(AGREEMENT, __func__);
    return said(f, is_made(f) ? PMPI_Allreduce(from, to, count, type, op, comm) : 0);
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    const bool f = fails(COLLECTIVE, __func__);
    return said(f, is_made(f) ? PMPI_Bcast(data, count, type, root, comm) : 0);
}

int MPI_Gather(const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type, int root,
               MPI_Comm comm)
{
    const bool f = fails(COLLECTIVE, __func__);
    return said(f, is_made(f) ? PMPI_Gather(from, count, type, to, to_count, to_type, root, comm) : 0);
}

int MPI_Allgather(const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type,
                  MPI_Comm comm)
{
    const bool f = fails(COLLECTIVE, __func__);
    return said(f, is_made(f) ? PMPI_Allgather(from, count, type, to, to_count, to_type, comm) : 0);
}

int MPI_Alltoall(const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type,
                 MPI_Comm comm)
{
    const bool f = fails(COLLECTIVE, __func__);
    return said(f, is_made(f) ? PMPI_Alltoall(from, count, type, to, to_count, to_type, comm) : 0);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *out)
{
    const bool f = fails(COLLECTIVE, __func__), made = is_made(f);
    failing.live += made;
    return said(f, made ? PMPI_Comm_dup(comm, out) : 0);
}

int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *out)
{
    const bool f = fails(COLLECTIVE, __func__), made = is_made(f);
    failing.live += made;
    return said(f, made ? PMPI_Comm_split(comm, colour, key, out) : 0);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out)
{
    const bool f = fails(COLLECTIVE, __func__), made = is_made(f);
    failing.live += made;
    return said(f, made ? PMPI_Comm_split_type(comm, type, key, info, out) : 0);
}

int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *out)
{
    const bool f = fails(COLLECTIVE, __func__), made = is_made(f);
    failing.live += made;
    return said(f, made ? PMPI_Win_allocate(bytes, unit, info, comm, base, out) : 0);
}

int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *out)
{
    const bool f = fails(COLLECTIVE, __func__), made = is_made(f);
    failing.live += made;
    return said(f, made ? PMPI_Win_allocate_shared(bytes, unit, info, comm, base, out) : 0);
}

int MPI_Win_fence(int assert, MPI_Win window)
{
    const bool f = fails(COLLECTIVE, __func__);
    return said(f, is_made(f) ? PMPI_Win_fence(assert, window) : 0);
}

int MPI_Win_unlock_all(MPI_Win window)
{
    const bool f = fails(FREE, __func__);
    return said(f, is_made(f) ? PMPI_Win_unlock_all(window) : 0);
}

int MPI_Comm_free(MPI_Comm *comm)
{
    const bool f = fails(FREE, __func__), made = is_made(f);
    failing.live -= made;
    return said(f, made ? PMPI_Comm_free(comm) : 0);
}

int MPI_Type_free(MPI_Datatype *type)
{
    const bool f = fails(FREE, __func__), made = is_made(f);
    failing.live -= made;
    return said(f, made ? PMPI_Type_free(type) : 0);
}

int MPI_Op_free(MPI_Op *op)
{
    const bool f = fails(FREE, __func__), made = is_made(f);
    failing.live -= made;
    return said(f, made ? PMPI_Op_free(op) : 0);
}

int MPI_Win_free(MPI_Win *window)
{
    const bool f = fails(FREE, __func__), made = is_made(f);
    failing.live -= made;
    return said(f, made ? PMPI_Win_free(window) : 0);
}

#endif
