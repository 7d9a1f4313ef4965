/* Pages of files are let go when nothing needs them any more, and not before. */
#define _GNU_SOURCE /* mincore */
#include "base/checked.h"
#include "model/rates.h"
#include "store/pages.h"
#include "test.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES_MOST = 4096 };

/* A matrix in a file, its lines cut into tiles, the positions of a line into slabs; and a system's memory that loses
 * nothing by itself. */
typedef struct model {
    int64_t page, word, origin, lines, length;
    bool kept[PAGES_MOST];
    int fetched[PAGES_MOST]; /* times */
} model;

static ashi_page_runs box_of(const model *m, int64_t line, int64_t lines, int64_t lo, int64_t hi)
{
    return (ashi_page_runs){.origin = m->origin, .at = m->origin + (line * m->length + lo) * m->word,
                            .bytes = (hi - lo) * m->word, .count = lines, .step = m->length * m->word};
}

static void fetch(model *m, const ashi_page_runs *r)
{
    for (int64_t i = 0; i < r->count; i++) {
        const int64_t lo = r->at + i * r->step, hi = lo + r->bytes;
        for (int64_t p = lo / m->page; p <= (hi - 1) / m->page; p++) {
            m->fetched[p] += !m->kept[p];
            m->kept[p] = true;
        }
    }
}

static void drop(void *context, int64_t from, int64_t to)
{
    model *m = context;
    for (int64_t p = from / m->page; p < to / m->page; p++)
        m->kept[p] = false;
}

static int64_t pages_of(const model *m, const ashi_page_runs *r)
{
    model *own = calloc(1, sizeof *own);
    int64_t count = 0;
    if (!own)
        abort();
    *own = *m;
    memset(own->fetched, 0, sizeof own->fetched);
    memset(own->kept, 0, sizeof own->kept);
    fetch(own, r);
    for (int64_t p = 0; p < PAGES_MOST; p++)
        count += own->kept[p];
    free(own);
    return count;
}

static int64_t kept_of(const model *m)
{
    int64_t count = 0;
    for (int64_t p = 0; p < PAGES_MOST; p++)
        count += m->kept[p];
    return count;
}

/* Slab after slab of each tile, the one before let go after each. A page is fetched once, and at most one more time for
 * each border between tiles of lines in it; what is kept is the last two slabs, and the page of each line that the next
 * slab or the line before needs. */
static void slabs_are_read(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    model *m = calloc(1, sizeof *m);
    if (!m)
        abort();
    m->page = 16 << ashi_random_in(&state, 0, 3);
    m->word = 4 << ashi_random_in(&state, 0, 2);
    m->origin = ashi_random_in(&state, 0, 3 * m->page);
    m->lines = ashi_random_in(&state, 1, 40);
    m->length = ashi_random_in(&state, 1, 40);
    const int64_t tile = ashi_random_in(&state, 1, m->lines), slab = ashi_random_in(&state, 1, m->length);
    int borders[PAGES_MOST] = {0};
    for (int64_t line = 0; line < m->lines; line += tile) {
        const int64_t lines = line + tile < m->lines ? tile : m->lines - line;
        ashi_page_runs before = {.count = 0};
        borders[(m->origin + line * m->length * m->word) / m->page] += line > 0;
        for (int64_t lo = 0; lo < m->length; lo += slab) {
            const int64_t hi = lo + slab < m->length ? lo + slab : m->length;
            const ashi_page_runs now = box_of(m, line, lines, lo, hi);
            fetch(m, &now);
            if (before.count > 0)
                ashi_pages_passed(&before, false, m->page, drop, m);
            const int64_t most = pages_of(m, &now) + 2 * (lines + 1) + 2 * (line / tile);
            CHECK(t, kept_of(m) <= most, "seed %" PRIu64 ": %" PRId64 " pages are kept, %" PRId64 " would do", seed,
                  kept_of(m), most);
            before = now;
        }
        ashi_pages_passed(&before, false, m->page, drop, m);
    }
    for (int64_t p = 0; p < PAGES_MOST; p++)
        CHECK(t, m->fetched[p] <= 1 + borders[p], "seed %" PRIu64 ": page %" PRId64 " is fetched %d times", seed, p,
              m->fetched[p]);
    free(m);
}

typedef struct fetched {
    char *times; /* of each byte */
    int64_t line_lo, line_hi, outside; /* the line of the runs that are visited, and bytes visited beyond it */
    int64_t visits;
} fetched;

static void fetch_ahead(void *context, int64_t from, int64_t to)
{
    fetched *f = context;
    f->visits++;
    f->outside += (from < f->line_lo) + (to > f->line_hi);
    for (int64_t at = from; at < to; at++)
        f->times[at]++;
}

/* The parts ahead are fetched, line by line: no byte twice, none of another line, each slab's before it is read, and in
 * as few parts as a line has windows. */
static void slabs_are_fetched_ahead(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    const int64_t word = 4 << ashi_random_in(&state, 0, 2), origin = ashi_random_in(&state, 0, 3 * 4096);
    const int64_t length = ashi_random_in(&state, 1, 30000), slab = ashi_random_in(&state, 1, length);
    const int64_t lines = ashi_random_in(&state, 1, 4), step = length * word, window = ASHI_DISK_WINDOW;
    const model m = {.word = word, .origin = origin, .lines = lines, .length = length};
    fetched f = {.times = calloc(1, (size_t)(origin + lines * step))};
    if (!f.times)
        abort();
    int64_t twice = 0, late = 0;
    for (int64_t lo = 0; lo < length; lo += slab) {
        const int64_t hi = lo + slab < length ? lo + slab : length;
        for (int64_t line = 0; line < lines; line++) {
            const ashi_page_runs now = box_of(&m, line, 1, lo, hi);
            f.line_lo = origin + line * step;
            f.line_hi = f.line_lo + step;
            ashi_pages_ahead(&now, ASHI_DISK_WINDOW, fetch_ahead, &f);
            for (int64_t at = now.at; at < now.at + now.bytes; at++)
                late += slab * word < window && f.times[at] == 0;
        }
    }
    for (int64_t at = 0; at < origin + lines * step; at++)
        twice += f.times[at] > 1;
    CHECK(t, twice == 0 && late == 0 && f.outside == 0,
          "seed %" PRIu64 ": %" PRId64 " bytes are fetched twice, %" PRId64 " late, %" PRId64 " parts leave their line",
          seed, twice, late, f.outside);
    CHECK(t, f.visits <= lines * ashi_ceil_div(step, window) && (slab * word < window || f.visits <= lines),
          "seed %" PRIu64 ": %" PRId64 " parts of %" PRId64 " lines of %" PRId64 " bytes", seed, f.visits, lines, step);
    free(f.times);
}

/* Of what is written exactly the pages that are written whole are let go. */
static void boxes_are_written(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    model *m = calloc(1, sizeof *m);
    char *written = calloc(PAGES_MOST, 128);
    if (!m || !written)
        abort();
    m->page = 16 << ashi_random_in(&state, 0, 3);
    m->word = 8;
    m->origin = ashi_random_in(&state, 0, 3 * m->page);
    m->length = ashi_random_in(&state, 1, 60);
    const int64_t lo = ashi_random_in(&state, 0, m->length - 1), hi = ashi_random_in(&state, lo + 1, m->length);
    const ashi_page_runs r = box_of(m, ashi_random_in(&state, 0, 9), ashi_random_in(&state, 1, 30), lo, hi);
    for (int64_t i = 0; i < r.count; i++)
        memset(written + r.at + i * r.step, 1, (size_t)r.bytes);
    memset(m->kept, 1, sizeof m->kept);
    ashi_pages_passed(&r, true, m->page, drop, m);
    for (int64_t p = 0; p < PAGES_MOST; p++) {
        const bool whole = !memchr(written + p * m->page, 0, (size_t)m->page);
        CHECK(t, m->kept[p] == !whole, "seed %" PRIu64 ": page %" PRId64 ", written %s, is %s", seed, p,
              whole ? "whole" : "in part", m->kept[p] ? "kept" : "let go");
    }
    free(written);
    free(m);
}

/* Whether the system has page `number` of a file in memory, by another way. */
static bool in_memory(int fd, int64_t page, int64_t number)
{
    unsigned char has = 0;
    void *at = mmap(NULL, (size_t)page, PROT_READ, MAP_SHARED, fd, number * page);
    const bool told = at != MAP_FAILED && mincore(at, (size_t)page, &has) == 0;
    if (at != MAP_FAILED)
        munmap(at, (size_t)page);
    return told && has & 1;
}

/* A real file of two lines of eight pages and a half. Its folder may be in memory: then nothing can be let go. */
static void a_file_is_let_go(ashi_test *t)
{
    char path[] = "pages-XXXXXX";
    const int64_t page = sysconf(_SC_PAGESIZE), line = 8 * page + page / 2;
    const ashi_page_runs runs = {.origin = 0, .at = page / 4, .bytes = 4 * page, .count = 2, .step = line};
    char *data = calloc(2, (size_t)line);
    const int fd = mkstemp(path);
    CHECK(t, data && fd >= 0, "a file cannot be made here");
    if (!data || fd < 0)
        return;
    unlink(path);
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
    const bool wrote = pwrite(fd, data, (size_t)(2 * line), 0) == 2 * line && fsync(fd) == 0;
    CHECK(t, wrote, "the file cannot be written");
    CHECK(t, ashi_pages_are_kept(fd, &runs), "what was just written is not in memory");
    ashi_pages_let_go(fd, &runs, false);
    if (wrote && !in_memory(fd, page, 1)) {
        CHECK(t, !in_memory(fd, page, 0) && !in_memory(fd, page, 3), "pages that served are kept");
        CHECK(t, in_memory(fd, page, 4) && in_memory(fd, page, 12), "pages that are needed again are let go");
        CHECK(t, ashi_pages_are_kept(fd, &runs), "pages in which runs end are kept, and said to be lost");
        posix_fadvise(fd, 12 * page, page, POSIX_FADV_DONTNEED);
        CHECK(t, in_memory(fd, page, 12) || !ashi_pages_are_kept(fd, &runs), "a lost page is not seen");
    }
    close(fd);
    free(data);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 400);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        slabs_are_read(&t, seed);
        boxes_are_written(&t, seed);
        slabs_are_fetched_ahead(&t, seed);
    }
    a_file_is_let_go(&t);
    return ashi_test_end(&t, "pages");
}
