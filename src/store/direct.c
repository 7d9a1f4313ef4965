/* Long runs of a file read and written past the memory that the system keeps of files. */
#define _GNU_SOURCE /* O_DIRECT, mincore */
#include "store/direct.h"

#include "base/checked.h"
#include "store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef O_DIRECT /* POSIX has none */
#define O_DIRECT 0
#endif

/* What memory must be aligned to, on disks of today. Where it is more, the system refuses. */
enum { MEMORY_UNIT = 512 };

/* What places in the file are aligned to: the blocks of disks have 512 or 4096 bytes. */
int64_t ashi_direct_unit(void)
{
    return ashi_max(sysconf(_SC_PAGESIZE), 4096);
}

/* Since Linux 5.2 mincore tells everybody else that all pages are there. */
static bool sees_pages(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && (st.st_uid == geteuid() || geteuid() == 0);
}

ashi_direct ashi_direct_open(int fd)
{
    char path[64];
    const int flags = fcntl(fd, F_GETFL);
    ashi_direct out = {.fd = -1, .sees = sees_pages(fd)};
    if (flags < 0 || O_DIRECT == 0)
        return out;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    do
        out.fd = open(path, (flags & O_ACCMODE) | O_DIRECT | O_CLOEXEC);
    while (out.fd < 0 && errno == EINTR);
    return out;
}

void ashi_direct_close(ashi_direct *direct)
{
    if (direct->fd >= 0)
        close(direct->fd);
    direct->fd = -1;
}

void *ashi_direct_buffer(int64_t bytes)
{
    void *memory = NULL;
    return posix_memalign(&memory, (size_t)ashi_direct_unit(), (size_t)bytes) == 0 ? memory : NULL;
}

/* ---- reading ---- */

/* Looking is no reading: nothing is fetched. */
bool ashi_direct_has_page(const ashi_direct *direct, int fd, int64_t at)
{
    const int64_t unit = ashi_direct_unit();
    unsigned char has = 0;
    if (!direct->sees)
        return false;
    void *page = mmap(NULL, (size_t)unit, PROT_READ, MAP_SHARED, fd, at - at % unit);
    if (page == MAP_FAILED)
        return false;
    const bool told = mincore(page, 1, &has) == 0;
    munmap(page, (size_t)unit);
    return told && has & 1;
}

/* A run that is read. */
typedef struct direct_run {
    int direct, fd;
    const char *path;
    char *data;
    int64_t at, end, unit; /* bytes of the file */
    char *between;
    int64_t room;
} direct_run;

static ashlar_status read_plainly(const direct_run *r, int64_t from, int64_t to, ashlar_error *err)
{
    return to > from ? ashi_file_read(r->fd, r->path, r->data + (from - r->at), to - from, from, err) : ASHLAR_OK;
}

/* Read whole blocks, and tell how far that came: it may be 0 bytes, at the end of a file or after any failure. */
static int64_t read_blocks(const direct_run *r, void *to, int64_t from, int64_t bytes)
{
    ssize_t got;
    do
        got = pread(r->direct, to, (size_t)ashi_min(bytes, INT64_C(1) << 30), from);
    while (got < 0 && errno == EINTR);
    return ashi_max(got, 0);
}

/* The whole blocks of the run go to their place, the parts of blocks at its ends by ordinary reads. */
static ashlar_status read_in_place(const direct_run *r, ashlar_error *err)
{
    const int64_t lo = ashi_ceil_div(r->at, r->unit) * r->unit, hi = r->end - r->end % r->unit;
    int64_t done = lo;
    for (int64_t got = 1; done < hi && got > 0 && done % r->unit == 0; done += got)
        got = read_blocks(r, r->data + (done - r->at), done, hi - done);
    const ashlar_status status = read_plainly(r, r->at, lo, err);
    return status == ASHLAR_OK ? read_plainly(r, done, r->end, err) : status;
}

/* The blocks in which the run lies, as many at a time as there is room for. */
static ashlar_status read_between(const direct_run *r, ashlar_error *err)
{
    const int64_t most = r->room - r->room % r->unit;
    int64_t done = r->at;
    while (done < r->end) {
        const int64_t lo = done - done % r->unit, all = ashi_ceil_div(r->end, r->unit) * r->unit - lo;
        const int64_t got = read_blocks(r, r->between, lo, ashi_min(all, most)), to = ashi_min(lo + got, r->end);
        if (to <= done)
            return read_plainly(r, done, r->end, err);
        memcpy(r->data + (done - r->at), r->between + (done - lo), (size_t)(to - done));
        done = to;
    }
    return ASHLAR_OK;
}

ashlar_status ashi_direct_read(const ashi_direct *direct, int fd, const char *path, void *data, int64_t bytes,
                               int64_t offset, void *between, int64_t room, ashlar_error *err)
{
    const direct_run r = {.direct = direct->fd, .fd = fd, .path = path, .data = data, .at = offset,
                          .end = offset + bytes, .unit = ashi_direct_unit(), .between = between, .room = room};
    if (direct->fd < 0 || bytes < ASHI_DIRECT_LEAST || ashi_direct_has_page(direct, fd, offset + bytes / 2))
        return ashi_file_read(fd, path, data, bytes, offset, err);
    const uint64_t shift = (uint64_t)(uintptr_t)data - (uint64_t)offset;
    return shift % MEMORY_UNIT == 0 ? read_in_place(&r, err) : read_between(&r, err);
}

/* ---- writing ---- */

/* A disk that takes less is left to the system, which writes behind while its caller goes on: bytes in a nanosecond, of
 * one thread; and the bytes after which that is judged. */
static const double QUICK = 0.25;
enum { JUDGED = 4 << 20 };

bool ashi_direct_is_slow(const ashi_direct_pace *pace)
{
    const int64_t bytes = atomic_load_explicit(&pace->bytes, memory_order_relaxed);
    const int64_t nanoseconds = atomic_load_explicit(&pace->nanoseconds, memory_order_relaxed);
    return bytes >= JUDGED && (double)bytes < QUICK * (double)nanoseconds;
}

static int64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock, of which POSIX.1-2008 demands it */
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A run that is written. */
typedef struct direct_writing {
    int direct, fd;
    const char *path, *data;
    int64_t at, end, unit; /* bytes of the file */
    char *between;         /* NULL: from where it lies */
    int64_t most;          /* bytes at once */
    ashi_direct_pace *pace;
} direct_writing;

static ashlar_status write_plainly(const direct_writing *w, int64_t from, int64_t to, ashlar_error *err)
{
    return to > from ? ashi_file_write(w->fd, w->path, w->data + (from - w->at), to - from, from, err) : ASHLAR_OK;
}

/* Write whole blocks, and tell how far that came: 0 bytes after any failure. */
static int64_t write_blocks(const direct_writing *w, const void *from, int64_t to, int64_t bytes)
{
    const int64_t began = nanoseconds();
    ssize_t put;
    do
        put = pwrite(w->direct, from, (size_t)bytes, to);
    while (put < 0 && errno == EINTR);
    atomic_fetch_add_explicit(&w->pace->nanoseconds, nanoseconds() - began, memory_order_relaxed);
    atomic_fetch_add_explicit(&w->pace->bytes, ashi_max(put, 0), memory_order_relaxed);
    return ashi_max(put, 0);
}

/* The whole blocks of the run, as long as the disk is quick; then the rest, and the parts of blocks at its ends, by
 * ordinary writes. */
static ashlar_status write_past(const direct_writing *w, ashlar_error *err)
{
    const int64_t lo = ashi_ceil_div(w->at, w->unit) * w->unit, hi = w->end - w->end % w->unit;
    int64_t done = lo;
    for (int64_t put = 1; done < hi && put > 0 && done % w->unit == 0 && !ashi_direct_is_slow(w->pace); done += put) {
        const int64_t bytes = ashi_min(hi - done, w->most);
        const char *from = w->data + (done - w->at);
        if (w->between)
            memcpy(w->between, from, (size_t)bytes);
        put = write_blocks(w, w->between ? w->between : from, done, bytes);
    }
    const ashlar_status status = write_plainly(w, w->at, lo, err);
    return status == ASHLAR_OK ? write_plainly(w, done, w->end, err) : status;
}

ashlar_status ashi_direct_write(const ashi_direct *direct, ashi_direct_pace *pace, int fd, const char *path,
                                const void *data, int64_t bytes, int64_t offset, void *between, int64_t room,
                                ashlar_error *err)
{
    const int64_t unit = ashi_direct_unit();
    const uint64_t shift = (uint64_t)(uintptr_t)data - (uint64_t)offset;
    const bool in_place = shift % MEMORY_UNIT == 0;
    const direct_writing w = {.direct = direct->fd, .fd = fd, .path = path, .data = data, .at = offset,
                              .end = offset + bytes, .unit = unit, .between = in_place ? NULL : between,
                              .most = in_place ? JUDGED : room - room % unit, .pace = pace};
    return direct->fd < 0 || bytes < ASHI_DIRECT_LEAST ? ashi_file_write(fd, path, data, bytes, offset, err)
                                                       : write_past(&w, err);
}
