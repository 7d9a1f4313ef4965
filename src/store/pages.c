/* Pages of files that the system keeps in memory: found from the runs that are moved, and advice on them. */
#define _GNU_SOURCE /* preadv2, sync_file_range */
#include "store/pages.h"

#include "base/checked.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

enum { LOOKED_AT = 8 };

static int64_t down(int64_t at, int64_t page)
{
    return at - at % page;
}

static int64_t up(int64_t at, int64_t page)
{
    return down(at + page - 1, page);
}

static bool is_edge(const ashi_page_runs *r, int64_t at)
{
    return (at - r->origin) % r->step == 0;
}

/* Lines that are moved whole are one run. */
static ashi_page_runs joined(const ashi_page_runs *r)
{
    ashi_page_runs out = *r;
    if (r->bytes == r->step) {
        out.bytes *= r->count;
        out.count = 1;
    }
    return out;
}

void ashi_pages_passed(const ashi_page_runs *runs, bool written, int64_t page, ashi_pages_visit visit, void *context)
{
    const ashi_page_runs r = joined(runs);
    int64_t from = 0, to = 0; /* not visited yet */
    for (int64_t i = 0; i < r.count; i++) {
        const int64_t lo = r.at + i * r.step, hi = lo + r.bytes;
        const int64_t line = lo - (lo - r.origin) % r.step;
        const bool shared = lo == line || down(lo, page) < line; /* with the line before */
        const int64_t first = written || shared ? up(lo, page) : down(lo, page);
        const int64_t end = !written && is_edge(&r, hi) ? up(hi, page) : down(hi, page);
        if (first >= end)
            continue;
        if (first > to) {
            if (from < to)
                visit(context, from, to);
            from = first;
        }
        to = end;
    }
    if (from < to)
        visit(context, from, to);
}

void ashi_pages_ahead(const ashi_page_runs *runs, int64_t window, ashi_pages_visit visit, void *context)
{
    if (runs->bytes >= window)
        return;
    for (int64_t i = 0; i < runs->count; i++) {
        const int64_t lo = runs->at + i * runs->step, done = (lo - runs->origin) % runs->step, line = lo - done;
        const int64_t from = line + up(done, window);
        const int64_t to = line + ashi_min(up(done + runs->bytes, window), runs->step);
        if (from < to)
            visit(context, from, to);
    }
}

static int64_t page_bytes(void)
{
    const long page = sysconf(_SC_PAGESIZE);
    return page > 0 ? page : 4096;
}

/* Whether this byte can be read without waiting; true if the system does not tell. */
static bool is_kept(int fd, int64_t at)
{
#ifdef RWF_NOWAIT
    char byte;
    const struct iovec one = {&byte, 1};
    return preadv2(fd, &one, 1, at, RWF_NOWAIT) >= 0 || errno != EAGAIN;
#else
    (void)fd;
    (void)at;
    return true;
#endif
}

bool ashi_pages_are_kept(int fd, const ashi_page_runs *runs)
{
    const ashi_page_runs r = joined(runs);
    const int64_t looks = ashi_min(LOOKED_AT, r.count), page = page_bytes();
    for (int64_t i = 0; i < looks; i++) {
        const int64_t end = r.at + i * r.count / looks * r.step + r.bytes;
        if (end % page != 0 && !is_edge(&r, end) && !is_kept(fd, end - 1))
            return false;
    }
    return true;
}

static void advise(void *context, int64_t from, int64_t to)
{
    posix_fadvise(*(const int *)context, from, to - from, POSIX_FADV_DONTNEED);
}

static void fetch(void *context, int64_t from, int64_t to)
{
    posix_fadvise(*(const int *)context, from, to - from, POSIX_FADV_WILLNEED);
}

void ashi_pages_fetch(int fd, const ashi_page_runs *runs, int64_t window)
{
    ashi_pages_ahead(runs, window, fetch, &fd);
}

void ashi_pages_fetch_runs(int fd, const ashi_page_runs *runs)
{
    const ashi_page_runs r = joined(runs);
    for (int64_t i = 0; i < r.count && r.count > 1; i++)
        fetch(&fd, r.at + i * r.step, r.at + i * r.step + r.bytes);
}

void ashi_pages_write_out(int fd, const ashi_page_runs *runs)
{
#ifdef SYNC_FILE_RANGE_WRITE
    const int64_t bytes = (runs->count - 1) * runs->step + runs->bytes;
    if (sync_file_range(fd, runs->at, bytes, SYNC_FILE_RANGE_WRITE) == 0)
        return;
#endif
    ashi_pages_let_go(fd, runs, true); /* which does so too */
}

void ashi_pages_let_go(int fd, const ashi_page_runs *runs, bool written)
{
    ashi_pages_passed(runs, written, page_bytes(), advise, &fd);
}
