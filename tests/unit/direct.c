/* Long runs are read and written past the system's memory: the same words as by ordinary reads and writes, and by these
 * where the system refuses. What is in memory is read from there. */
#define _GNU_SOURCE /* O_DIRECT */
#include "exec/file_box.h"
#include "store/file.h"
#include "test.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* An ordinary read or write of the library tells here that it was asked. */
static int64_t asked; /* bytes */

static ashlar_status ask(int fd, const char *path, void *data, int64_t bytes, int64_t offset, ashlar_error *err);
static ashlar_status ask_write(int fd, const char *path, const void *data, int64_t bytes, int64_t offset,
                               ashlar_error *err);

/* The clock goes on by this much whenever it is looked at. */
static long tick; /* nanoseconds */

static int play_clock(clockid_t clock, struct timespec *now)
{
    static int64_t at;
    (void)clock;
    at += tick;
    *now = (struct timespec){.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000};
    return 0;
}

#define clock_gettime play_clock
#define ashi_file_read ask
#define ashi_file_write ask_write
#define ashi_direct_open own_open
#define ashi_direct_close own_close
#define ashi_direct_buffer own_buffer
#define ashi_direct_read own_read
#define ashi_direct_write own_write
#define ashi_direct_is_slow own_is_slow
#define ashi_direct_unit own_unit
#define ashi_direct_has_page own_has_page
#include "store/direct.c"
#undef ashi_file_read
#undef ashi_file_write

#include "exec/file_box.c"

static ashlar_status ask(int fd, const char *path, void *data, int64_t bytes, int64_t offset, ashlar_error *err)
{
    asked += bytes;
    return ashi_file_read(fd, path, data, bytes, offset, err);
}

static ashlar_status ask_write(int fd, const char *path, const void *data, int64_t bytes, int64_t offset,
                               ashlar_error *err)
{
    asked += bytes;
    return ashi_file_write(fd, path, data, bytes, offset, err);
}

/* ROOM: of `between`, so that runs take several turns. */
enum { FILE_BYTES = 3 << 20, ROOM = 5 << 16 };

/* A file without a name, what it has, and memory to read to. */
typedef struct bed {
    ashi_test test;
    int fd;
    ashi_direct direct;
    bool refuses; /* the folder is in memory, for instance */
    char *words, *read, *again, *between;
} bed;

static bool make(bed *b)
{
    char path[] = "direct-XXXXXX";
    uint64_t state = 1;
    *b = (bed){.fd = mkstemp(path), .words = malloc(FILE_BYTES + 1), .read = ashi_direct_buffer(FILE_BYTES),
               .again = malloc(FILE_BYTES), .between = ashi_direct_buffer(ASHI_BOX_MOVE_BYTES)};
    CHECK(&b->test, b->fd >= 0 && b->words && b->read && b->again && b->between, "a file cannot be made here");
    if (b->test.failures > 0)
        return false;
    unlink(path);
    for (int64_t i = 0; i < FILE_BYTES; i++)
        b->words[i] = (char)ashi_random_in(&state, 0, 255);
    b->direct = ashi_direct_open(b->fd);
    b->refuses = b->direct.fd < 0 || ftruncate(b->fd, FILE_BYTES) != 0 ||
                 pwrite(b->direct.fd, b->between, (size_t)own_unit(), 0) != own_unit();
    return true;
}

static bool write_words(bed *b)
{
    const bool wrote = pwrite(b->fd, b->words, FILE_BYTES, 0) == FILE_BYTES;
    CHECK(&b->test, wrote, "the file cannot be written");
    return wrote;
}

static void let_go(const bed *b)
{
    fsync(b->fd);
    posix_fadvise(b->fd, 0, 0, POSIX_FADV_DONTNEED);
}

static ashlar_status read_run(bed *b, const ashi_direct *direct, int64_t shift, int64_t at, int64_t bytes,
                              ashlar_error *err)
{
    memset(b->read, 0, FILE_BYTES);
    asked = 0;
    return ashi_direct_read(direct, b->fd, "the file", b->read + shift, bytes, at, b->between, ROOM, err);
}

/* Any run, at any place of memory, or at one that lies as in the file; just written, kept and let go. */
static void any_run_is_read(bed *b, uint64_t seed)
{
    uint64_t state = seed;
    ashlar_error err = {0};
    const int64_t at = ashi_random_in(&state, 0, FILE_BYTES - 1), most = FILE_BYTES - at;
    const int64_t bytes = ashi_random_in(&state, 1, most), kind = ashi_random_in(&state, 0, 2);
    const int64_t shift = ashi_random_in(&state, 0, 1) ? at % 512 : ashi_random_in(&state, 0, at);
    if (kind == 1)
        write_words(b);
    if (kind == 2)
        let_go(b);
    const ashlar_status status = read_run(b, &b->direct, shift, at, bytes, &err);
    CHECK(&b->test, status == ASHLAR_OK && memcmp(b->read + shift, b->words + at, (size_t)bytes) == 0,
          "seed %" PRIu64 ": %" PRId64 " bytes from %" PRId64 " on are not those of the file: %s", seed, bytes, at,
          err.text);
    CHECK(&b->test, shift == 0 || b->read[shift - 1] == 0, "seed %" PRIu64 ": the byte before is written", seed);
    CHECK(&b->test, shift + bytes == FILE_BYTES || b->read[shift + bytes] == 0,
          "seed %" PRIu64 ": the byte behind is written", seed);
}

/* What is in memory is read from there, short runs are ordinary, and only the parts of blocks at the ends of others.
 * In a folder that is in memory, or that refuses, all is. */
static void pages_decide(bed *b)
{
    const int64_t unit = own_unit(), at = 10 * unit + 512, bytes = FILE_BYTES - 20 * unit;
    if (b->direct.fd < 0)
        return;
    write_words(b);
    read_run(b, &b->direct, 512, at, bytes, NULL);
    CHECK(&b->test, asked == bytes, "pages are in memory: %" PRId64 " bytes are read from there", asked);
    let_go(b);
    if (own_has_page(&b->direct, b->fd, at + bytes / 2))
        return;
    read_run(b, &b->direct, 512, at, ASHI_DIRECT_LEAST - 1, NULL);
    CHECK(&b->test, asked == ASHI_DIRECT_LEAST - 1, "a short run: %" PRId64 " bytes by ordinary reads", asked);
    let_go(b);
    read_run(b, &b->direct, 512, at, bytes, NULL);
    CHECK(&b->test, asked == unit, "in place: %" PRId64 " bytes by ordinary reads", asked);
    let_go(b);
    read_run(b, &b->direct, 513, at, bytes, NULL);
    CHECK(&b->test, asked == 0, "in turns: %" PRId64 " bytes by ordinary reads", asked);
    CHECK(&b->test, !own_has_page(&b->direct, b->fd, at + bytes / 2), "what was read is in memory now");
}

/* A system that refuses at the second opening, or at the first read; and a file that ends. */
static void refusals(bed *b)
{
    const ashi_direct none = {.fd = -1}, closed = ashi_direct_open(-1);
    ashi_direct refuses = {.fd = open("/", O_RDONLY | O_CLOEXEC)};
    const int64_t bytes = FILE_BYTES - 1000;
    CHECK(&b->test, closed.fd == -1, "no file is opened again");
    for (int64_t shift = 1000; shift < 1002; shift++) {
        ashlar_error err = {0};
        let_go(b);
        CHECK(&b->test, read_run(b, &none, shift - 1000, 1000, bytes, &err) == ASHLAR_OK && asked == bytes &&
                            memcmp(b->read + shift - 1000, b->words + 1000, (size_t)bytes) == 0,
              "without a second opening: %s", err.text);
        CHECK(&b->test, read_run(b, &refuses, shift - 1000, 1000, bytes, &err) == ASHLAR_OK && asked == bytes &&
                            memcmp(b->read + shift - 1000, b->words + 1000, (size_t)bytes) == 0,
              "a read that is refused: %s", err.text);
        let_go(b);
        CHECK(&b->test, read_run(b, &b->direct, shift - 1000, 1000, bytes + 1, &err) == ASHLAR_ERR_IO &&
                            strcmp(err.text, "the file: ends at byte 3145728, wanted bytes up to 3145729") == 0,
              "behind the end: '%s'", err.text);
    }
    ashi_direct_close(&refuses);
}

/* Any run is written from any place of memory, over what is kept, let go or just written, and no byte beside it. */
static void any_run_is_written(bed *b, uint64_t seed)
{
    uint64_t state = seed;
    ashi_direct_pace pace = {0};
    ashlar_error err = {0};
    const int64_t at = ashi_random_in(&state, 0, FILE_BYTES - 1), most = FILE_BYTES - at;
    const int64_t bytes = ashi_random_in(&state, 1, most), kind = ashi_random_in(&state, 0, 2);
    const int64_t shift = ashi_random_in(&state, 0, 1) ? at % 512 : ashi_random_in(&state, 0, at);
    if (kind == 1)
        write_words(b);
    if (kind == 2)
        let_go(b);
    for (int64_t i = 0; i < bytes; i++)
        b->words[at + i] = (char)ashi_random_in(&state, 0, 255);
    memcpy(b->read + shift, b->words + at, (size_t)bytes);
    asked = 0;
    const ashlar_status status =
        ashi_direct_write(&b->direct, &pace, b->fd, "the file", b->read + shift, bytes, at, b->between, ROOM, &err);
    const bool back = pread(b->fd, b->read, FILE_BYTES, 0) == FILE_BYTES;
    CHECK(&b->test, status == ASHLAR_OK && back && memcmp(b->read, b->words, FILE_BYTES) == 0,
          "seed %" PRIu64 ": the file has other words after %" PRId64 " bytes at %" PRId64 ": %s", seed, bytes, at,
          err.text);
    if (b->refuses || bytes < ASHI_DIRECT_LEAST)
        return;
    CHECK(&b->test, asked < 2 * own_unit(), "seed %" PRIu64 ": %" PRId64 " bytes by ordinary writes", seed, asked);
}

/* A system that refuses at the second opening, or at the first block; and a disk that fails for all. */
static void refused_writes(bed *b)
{
    const ashi_direct none = {.fd = -1};
    ashi_direct refuses = {.fd = open("/", O_RDONLY | O_CLOEXEC)};
    const ashi_direct *of[2] = {&none, &refuses};
    const int64_t bytes = FILE_BYTES - 1000;
    ashi_direct_pace pace = {0};
    for (int64_t i = 0; i < 4; i++) {
        ashlar_error err = {0};
        memset(b->words + 1000, (int)i + 1, (size_t)bytes);
        asked = 0;
        const ashlar_status status = ashi_direct_write(of[i / 2], &pace, b->fd, "the file", b->words + 1000 + i % 2,
                                                       bytes - 1, 1000, b->between, ROOM, &err);
        const bool back = pread(b->fd, b->read, FILE_BYTES, 0) == FILE_BYTES;
        CHECK(&b->test, status == ASHLAR_OK && asked == bytes - 1 && back &&
                            memcmp(b->read, b->words, FILE_BYTES - 1) == 0,
              "refusal %" PRId64 ": %" PRId64 " bytes by ordinary writes: %s", i, asked, err.text);
        CHECK(&b->test, ashi_direct_write(of[i / 2], &pace, refuses.fd, "the folder", b->words, bytes, i % 2,
                                          b->between, ROOM, &err) == ASHLAR_ERR_IO &&
                            strcmp(err.text, "the folder: cannot write: Bad file descriptor") == 0,
              "a write that fails: '%s'", err.text);
    }
    ashi_direct_close(&refuses);
}

/* What is written goes to the disk itself until that was slow for 4 MiB: 0.25 bytes a nanosecond are not slow. */
static void slow_disks_are_left_alone(bed *b)
{
    static const int64_t ordinary[4] = {0, 2, 3, 3}; /* MiB */
    if (b->refuses)
        return;
    for (int slow = 0; slow < 2; slow++) {
        ashi_direct_pace pace = {0};
        tick = (4 << 20) + slow;
        for (int i = 0; i < 4; i++) {
            ashlar_error err = {0};
            asked = 0;
            const ashlar_status status = ashi_direct_write(&b->direct, &pace, b->fd, "the file", b->words + 1,
                                                           FILE_BYTES, 0, b->between, 1 << 20, &err);
            CHECK(&b->test, status == ASHLAR_OK && asked == slow * ordinary[i] << 20, "write %d, %s: %" PRId64
                  " bytes by ordinary writes %s", i, slow ? "slow" : "quick", asked, err.text);
            CHECK(&b->test, ashi_direct_is_slow(&pace) == (slow && i > 0), "write %d: found to be %s", i,
                  slow ? "quick" : "slow");
        }
    }
    tick = 0;
}

/* A box of two lines, each a long run, past the system's memory or not. */
static void boxes_are_moved(bed *b)
{
    enum { LINE = 150001, RUN = 140001, LEAD = 7 };
    const ptrdiff_t line = 8 * LINE;
    ashi_direct_pace pace = {0};
    ashlar_error err = {0};
    ashi_box_move m = {.file = {.fd = b->fd, .path = "the file", .offset = LEAD, .stride = {LINE, 1},
                                .direct = &b->direct},
                       .indices = 2, .lo = {0, 3}, .extent = {2, RUN}, .stride = {RUN, 1}, .bytes = 8,
                       .number_bytes = 8, .data = b->read, .pace = &pace};
    for (int past = 0; past < 2; past++) {
        m.past = past;
        let_go(b);
        memset(b->read, 0, FILE_BYTES);
        const ashlar_status status = ashi_move_box(&m, b->between, &err);
        for (ptrdiff_t i = 0; i < 2; i++)
            CHECK(&b->test, status == ASHLAR_OK && memcmp(b->read + i * 8 * RUN, b->words + LEAD + i * line + 24,
                                                          (size_t)8 * RUN) == 0,
                  "line %td, %s: %s", i, past ? "past memory" : "through memory", err.text);
    }
    for (int past = 0; past < 2; past++) {
        m.write = true;
        m.past = past;
        for (ptrdiff_t i = 0; i < 2 * 8 * RUN; i++)
            b->read[i] = (char)(b->read[i] + 1);
        for (ptrdiff_t i = 0; i < 2; i++)
            memcpy(b->words + LEAD + i * line + 24, b->read + i * 8 * RUN, (size_t)8 * RUN);
        const ashlar_status status = ashi_move_box(&m, b->between, &err);
        const bool back = pread(b->fd, b->again, FILE_BYTES, 0) == FILE_BYTES;
        CHECK(&b->test, status == ASHLAR_OK && back && memcmp(b->again, b->words, FILE_BYTES) == 0,
              "written %s: %s", past ? "past memory" : "through memory", err.text);
    }
}

int main(int argc, char **argv)
{
    bed b;
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 60);
    if (make(&b) && write_words(&b)) {
        for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
            any_run_is_read(&b, seed);
            any_run_is_written(&b, seed);
        }
        write_words(&b);
        pages_decide(&b);
        refusals(&b);
        refused_writes(&b);
        slow_disks_are_left_alone(&b);
        write_words(&b);
        boxes_are_moved(&b);
    }
    ashi_direct_close(&b.direct);
    free(b.words);
    free(b.read);
    free(b.again);
    free(b.between);
    return ashi_test_end(&b.test, "direct");
}
