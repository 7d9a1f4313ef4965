/* Runs read past the system's memory many at a time, by Linux's io_submit(2): a thread is woken once for all of them,
 * and the system hands them to the disk together. */
#define _GNU_SOURCE /* syscall */
#include "store/direct_batch.h"

#include "base/checked.h"
#include "store/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* RUNS: at once. ROOM: bytes for them, enough for the longest. */
enum { RUNS = 32, ROOM = 5 << 16 };

/* A run, and the blocks of the disk around it: `room` bytes from `from` on, of which `got` came. */
typedef struct waiting_run {
    int direct, fd;
    const char *path;
    char *data, *between;
    int64_t at, bytes, from, room, got;
} waiting_run;

/* ---- the system's calls ---- */

#ifdef SYS_io_submit

#include <linux/aio_abi.h>

typedef struct calls {
    aio_context_t context; /* 0: there is none */
    struct iocb block[RUNS], *list[RUNS];
    struct io_event event[RUNS];
} calls;

static void open_calls(calls *c)
{
    c->context = 0;
    if (syscall(SYS_io_setup, (unsigned)RUNS, &c->context) != 0)
        c->context = 0;
}

/* Until nothing is on its way. */
static void close_calls(calls *c)
{
    if (c->context != 0)
        syscall(SYS_io_destroy, c->context);
    c->context = 0;
}

/* How many of the first runs are on their way. */
static long submit(calls *c, const waiting_run *run, int count)
{
    memset(c->block, 0, sizeof c->block);
    for (int i = 0; i < count; i++) {
        struct iocb *b = c->list[i] = &c->block[i];
        b->aio_data = (unsigned)i;
        b->aio_lio_opcode = IOCB_CMD_PREAD;
        b->aio_fildes = (uint32_t)run[i].direct;
        b->aio_buf = (uintptr_t)run[i].between;
        b->aio_nbytes = (size_t)run[i].room;
        b->aio_offset = run[i].from;
    }
    return syscall(SYS_io_submit, c->context, (long)count, c->list);
}

static void read_blocks(calls *c, waiting_run *run, int count)
{
    long left = c->context != 0 ? submit(c, run, count) : 0;
    while (left > 0) {
        const long ended = syscall(SYS_io_getevents, c->context, 1L, left, c->event, NULL);
        for (long i = 0; i < ended; i++)
            run[c->event[i].data].got = c->event[i].res;
        if (ended <= 0 && errno != EINTR)
            close_calls(c); /* what is on its way ends before that returns */
        left = c->context != 0 ? left - ashi_max(ended, 0) : 0;
    }
}

#else

typedef struct calls {
    int none;
} calls;

static void open_calls(calls *c)
{
    c->none = 0;
}

static void close_calls(calls *c)
{
    c->none = 0;
}

static void read_blocks(calls *c, waiting_run *run, int count)
{
    (void)c, (void)run, (void)count;
}

#endif

/* ---- runs ---- */

struct ashi_direct_batch {
    calls calls;
    char *room; /* NULL: not made yet */
    int64_t used;
    int count;
    waiting_run run[RUNS];
};

ashi_direct_batch *ashi_direct_batch_create(void)
{
    return calloc(1, sizeof(ashi_direct_batch));
}

void ashi_direct_batch_free(ashi_direct_batch *batch)
{
    if (batch && batch->room)
        close_calls(&batch->calls);
    if (batch)
        free(batch->room);
    free(batch);
}

bool ashi_direct_batch_takes(int64_t bytes)
{
    return bytes >= ASHI_BATCH_LEAST && bytes < ASHI_DIRECT_LEAST;
}

static bool has_room(ashi_direct_batch *batch)
{
    if (batch->room)
        return true;
    batch->room = ashi_direct_buffer(ROOM);
    if (batch->room)
        open_calls(&batch->calls);
    return batch->room != NULL;
}

ashlar_status ashi_direct_batch_end(ashi_direct_batch *batch, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    read_blocks(&batch->calls, batch->run, batch->count);
    for (int i = 0; i < batch->count && status == ASHLAR_OK; i++) {
        const waiting_run *r = &batch->run[i];
        const int64_t before = r->at - r->from;
        if (r->got >= before + r->bytes)
            memcpy(r->data, r->between + before, (size_t)r->bytes);
        else
            status = ashi_file_read(r->fd, r->path, r->data, r->bytes, r->at, err);
    }
    batch->count = 0;
    batch->used = 0;
    return status;
}

ashlar_status ashi_direct_batch_read(ashi_direct_batch *batch, const ashi_direct *direct, int fd, const char *path,
                                     void *data, int64_t bytes, int64_t offset, ashlar_error *err)
{
    const int64_t unit = ashi_direct_unit(), from = offset - offset % unit;
    const int64_t room = ashi_ceil_div(offset + bytes, unit) * unit - from;
    if (direct->fd < 0 || room > ROOM || !has_room(batch) ||
        (batch->count == 0 && ashi_direct_has_page(direct, fd, offset + bytes / 2)))
        return ashi_file_read(fd, path, data, bytes, offset, err);
    if (batch->count == RUNS || batch->used + room > ROOM) {
        const ashlar_status status = ashi_direct_batch_end(batch, err);
        if (status != ASHLAR_OK)
            return status;
    }
    batch->run[batch->count++] = (waiting_run){direct->fd, fd, path, data, batch->room + batch->used, offset, bytes,
                                               from, room, 0};
    batch->used += room;
    return ASHLAR_OK;
}
