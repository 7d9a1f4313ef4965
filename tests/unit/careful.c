/* Reading with care: what is fetched ahead, and what is let go, if pages are kept and if they are lost. The system's
 * part is played by the test. */
#include "exec/file_box.h"
#include "test.h"

/* What the system does, and what was asked of it since it was looked at last. */
static bool keeps;
static int64_t fetched, let_go_of; /* the window of what was fetched, 0 for nothing; boxes that were let go */
static int64_t written_out, fetched_runs; /* boxes */
static bool goes_past, together; /* the system's memory, in the last move; many runs at a time */

static bool play_kept(int fd, const ashi_page_runs *runs)
{
    (void)fd, (void)runs;
    return keeps;
}

static void play_fetch(int fd, const ashi_page_runs *runs, int64_t window)
{
    (void)fd, (void)runs;
    fetched = window;
}

static void play_let_go(int fd, const ashi_page_runs *runs, bool written)
{
    (void)fd, (void)runs, (void)written;
    let_go_of++;
}

static void play_fetch_runs(int fd, const ashi_page_runs *runs)
{
    (void)fd, (void)runs;
    fetched_runs++;
}

static void play_write_out(int fd, const ashi_page_runs *runs)
{
    (void)fd, (void)runs;
    written_out++;
}

static ashlar_status play_move(const ashi_box_move *move, void *between, ashlar_error *err)
{
    (void)between, (void)err;
    goes_past = move->past;
    together = move->batch != NULL;
    return ASHLAR_OK;
}

static void play_pages(const ashi_box_move *m, ashi_box_pages_visit visit, void *context)
{
    const int64_t bytes = (int64_t)m->bytes;
    const ashi_page_runs runs = {.at = (m->lo[0] * m->file.stride[0] + m->lo[1]) * bytes, .bytes = m->extent[1] * bytes,
                                 .count = m->extent[0], .step = m->file.stride[0] * bytes};
    visit(context, m, &runs);
}

#define ashi_pages_are_kept play_kept
#define ashi_pages_fetch play_fetch
#define ashi_pages_let_go play_let_go
#define ashi_pages_write_out play_write_out
#define ashi_pages_fetch_runs play_fetch_runs
#define ashi_move_box play_move
#define ashi_box_pages play_pages
#include "exec/careful.c"

/* Rows of 10^6 doubles, of which a box has 10 rows and runs of 512 bytes. */
enum { ROWS = 10, RUN = 64, RUN_BYTES = 8 * RUN };

typedef struct reading {
    ashi_care care;
    ashi_box_move box;
} reading;

/* Read the next box of the lines, with pages kept or lost before. */
static void read_next(reading *r, bool kept)
{
    ashlar_error err;
    keeps = kept;
    fetched = let_go_of = 0;
    ashi_move_with_care(&r->care, &r->box, ASHI_FILE_A, 0, NULL, &err);
    r->box.lo[1] += RUN;
}

static void read_many(reading *r, int boxes)
{
    for (int i = 0; i < boxes; i++)
        read_next(r, true);
}

static void write_next(reading *r, bool knows)
{
    ashlar_error err;
    goes_past = false;
    let_go_of = written_out = 0;
    r->care.is_short = knows;
    r->box.write = true;
    ashi_move_with_care(&r->care, &r->box, ASHI_FILE_C, 0, NULL, &err);
    r->box.lo[1] += RUN;
}

/* Long runs leave no pages if memory is short and the disk is quick. */
static void written_boxes(ashi_test *t, reading *r)
{
    write_next(r, false);
    CHECK(t, !goes_past && let_go_of == 0, "written with ample memory: %" PRId64 " let go", let_go_of);
    write_next(r, true);
    CHECK(t, goes_past && let_go_of == 0, "written past memory: %" PRId64 " let go", let_go_of);
    r->care.pace.bytes = r->care.pace.nanoseconds = INT64_C(1) << 30;
    write_next(r, true);
    CHECK(t, goes_past && let_go_of == 0, "written to a quick disk: %" PRId64 " let go", let_go_of);
    r->care.pace.bytes /= 5;
    ashi_care_end(&r->care);
    const int64_t bytes = r->care.pace.bytes, nanoseconds = r->care.pace.nanoseconds;
    ashi_care_begin(&r->care, true, NULL);
    r->care.pace.bytes = bytes;
    r->care.pace.nanoseconds = nanoseconds;
    for (int i = 0; i < 2 * ASHI_CAREFUL_WRITES; i++) {
        ashlar_error err;
        write_next(r, true);
        CHECK(t, written_out == 0 && let_go_of == 0, "written to a slow disk: %" PRId64 " let go", let_go_of);
        r->box.write = false;
        ashi_move_with_care(&r->care, &r->box, ASHI_FILE_C0, 0, NULL, &err);
        CHECK(t, written_out == 0, "sums are read: %" PRId64 " written out", written_out);
        ashi_move_with_care(&r->care, &r->box, ASHI_FILE_A, 0, NULL, &err);
        CHECK(t, written_out == 1 && let_go_of == (i >= ASHI_CAREFUL_WRITES - 1),
              "write %d: %" PRId64 " written out, %" PRId64 " let go", i, written_out, let_go_of);
    }
    for (int i = 0; i < 2 * ASHI_CAREFUL_WRITES; i++) {
        write_next(r, true);
        const bool first = i < ASHI_CAREFUL_WRITES;
        CHECK(t, written_out == !first && let_go_of == (first && i > 0),
              "writes alone, %d: %" PRId64 " written out, %" PRId64 " let go", i, written_out, let_go_of);
    }
}

/* Read the next box of other lines, of a file. */
static void read_of(reading *r, ashi_file_role role)
{
    ashlar_error err;
    let_go_of = fetched_runs = 0;
    ashi_move_with_care(&r->care, &r->box, role, 0, NULL, &err);
    r->box.lo[0] += ROWS;
}

/* Runs of A that need a request each are read together if memory is short and the next box needs none of their pages.
 * Sums are fetched at once, and their pages stay: they are written there. */
static void other_lines(ashi_test *t)
{
    ashi_direct_batch *batch = ashi_direct_batch_create();
    reading r = {.box = {.file.stride = {1000000, 1}, .indices = 2, .extent = {ROWS, ASHI_BATCH_LEAST / 8}, .bytes = 8,
                         .batch = batch}};
    CHECK(t, batch && ashi_care_begin(&r.care, false, NULL) == ASHLAR_OK, "no care");
    read_of(&r, ASHI_FILE_A);
    CHECK(t, !together, "read together with ample memory");
    r.care.is_short = true;
    for (int i = 0; i < 2; i++) {
        read_of(&r, ASHI_FILE_A);
        CHECK(t, together && goes_past && fetched_runs == 0 && let_go_of == (i == 0),
              "box %d: %" PRId64 " let go", i, let_go_of);
        read_of(&r, ASHI_FILE_C);
        CHECK(t, !together && fetched_runs == 1 && let_go_of == 0, "sums, box %d: %" PRId64 " fetched, %" PRId64
              " let go", i, fetched_runs, let_go_of);
        read_of(&r, ASHI_FILE_C0);
        CHECK(t, !together && fetched_runs == 1 && let_go_of == i, "sums to begin with, box %d: %" PRId64
              " fetched, %" PRId64 " let go", i, fetched_runs, let_go_of);
    }
    r.box.file.goes_on = true;
    read_of(&r, ASHI_FILE_B);
    CHECK(t, !together, "read together though the next box goes on there");
    r.box.extent[1]--;
    read_of(&r, ASHI_FILE_C);
    CHECK(t, fetched_runs == 0, "short runs are fetched one by one");
    ashi_care_end(&r.care);
    ashi_direct_batch_free(batch);
}

int main(void)
{
    ashi_test t = {0};
    reading r = {.box = {.file.stride = {1000000, 1}, .indices = 2, .extent = {ROWS, RUN}, .bytes = 8}};
    const int64_t window = ASHI_DISK_WINDOW;
    CHECK(&t, ashi_care_begin(&r.care, false, NULL) == ASHLAR_OK, "no care");
    read_next(&r, true);
    CHECK(&t, fetched == 0 && let_go_of == 0, "a first box: window %" PRId64, fetched);
    read_next(&r, true);
    CHECK(&t, fetched == window && let_go_of == 0 && !goes_past, "a second: window %" PRId64, fetched);
    read_next(&r, false);
    CHECK(&t, fetched == window && let_go_of == 1 && goes_past,
          "pages are lost: window %" PRId64 ", %" PRId64 " let go", fetched, let_go_of);
    read_next(&r, false);
    CHECK(&t, fetched == window && let_go_of == 1, "those fetched before are lost: window %" PRId64, fetched);
    read_many(&r, ASHI_DISK_WINDOW / RUN_BYTES + 2);
    CHECK(&t, fetched == window && let_go_of == 1, "all are fetched again: window %" PRId64, fetched);
    r.box.lo[0] += ROWS;
    read_next(&r, false);
    CHECK(&t, fetched == 0, "other lines: window %" PRId64, fetched);
    read_next(&r, true);
    CHECK(&t, fetched == window, "pages that the next box did not need were lost: window %" PRId64, fetched);
    read_next(&r, false);
    CHECK(&t, fetched == window / 2 && let_go_of == 1, "they are lost again: window %" PRId64, fetched);
    read_next(&r, false);
    CHECK(&t, fetched == window / 2, "those of the larger windows are lost: window %" PRId64, fetched);
    ashi_care_end(&r.care);
    r.box.file.goes_on = true;
    CHECK(&t, ashi_care_begin(&r.care, true, NULL) == ASHLAR_OK, "no care");
    read_next(&r, true);
    CHECK(&t, fetched == window && let_go_of == 0 && goes_past, "known before: window %" PRId64, fetched);
    read_next(&r, true);
    CHECK(&t, let_go_of == 1, "short runs, known before: %" PRId64 " let go", let_go_of);
    r.box.extent[1] = ASHI_DIRECT_LEAST / 8;
    read_next(&r, true);
    read_next(&r, true);
    CHECK(&t, goes_past && let_go_of == 0, "long runs: %" PRId64 " let go", let_go_of);
    written_boxes(&t, &r);
    other_lines(&t);
    ashi_care_end(&r.care);
    return ashi_test_end(&t, "careful");
}
