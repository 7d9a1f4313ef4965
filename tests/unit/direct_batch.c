/* Short runs read past the system's memory many at a time: the same words as by ordinary reads, and by these where the
 * system refuses. */
#define _GNU_SOURCE /* O_DIRECT */
#include "store/direct_batch.h"
#include "base/checked.h"
#include "store/file.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* An ordinary read of the library tells here that it was asked. */
static int64_t asked; /* bytes */

static ashlar_status ask(int fd, const char *path, void *data, int64_t bytes, int64_t offset, ashlar_error *err)
{
    asked += bytes;
    return ashi_file_read(fd, path, data, bytes, offset, err);
}

/* A call of the system that fails so often. */
static struct {
    long number;
    int times, code;
} refused;

static bool refuses_now(long number)
{
    if (refused.times == 0 || refused.number != number)
        return false;
    refused.times--;
    errno = refused.code;
    return true;
}

#define syscall(number, ...) (refuses_now(number) ? -1L : syscall(number, __VA_ARGS__))
#define ashi_file_read ask
#define ashi_direct_batch_create own_create
#define ashi_direct_batch_free own_free
#define ashi_direct_batch_takes own_takes
#define ashi_direct_batch_read own_read
#define ashi_direct_batch_end own_end
#include "store/direct_batch.c"
#undef ashi_file_read

enum { FILE_BYTES = 3 << 20, RUNS_MOST = 90, RUN_MOST = 30000 };

/* A file without a name, what it has, and memory to read to. */
typedef struct bed {
    ashi_test test;
    int fd;
    ashi_direct direct;
    bool serves; /* runs are read past the system's memory here */
    char *words, *read;
    ashi_direct_batch *batch;
} bed;

static void let_go(const bed *b)
{
    fsync(b->fd);
    posix_fadvise(b->fd, 0, 0, POSIX_FADV_DONTNEED);
}

static bool make(bed *b)
{
    char path[] = "batch-XXXXXX";
    uint64_t state = 1;
    ashlar_error err;
    *b = (bed){.fd = mkstemp(path), .words = malloc(FILE_BYTES), .read = malloc(FILE_BYTES), .batch = own_create()};
    CHECK(&b->test, b->fd >= 0 && b->words && b->read && b->batch, "a file cannot be made here");
    if (b->test.failures > 0)
        return false;
    unlink(path);
    for (int64_t i = 0; i < FILE_BYTES; i++)
        b->words[i] = (char)ashi_random_in(&state, 0, 255);
    CHECK(&b->test, pwrite(b->fd, b->words, FILE_BYTES, 0) == FILE_BYTES, "the file cannot be written");
    b->direct = ashi_direct_open(b->fd);
    let_go(b);
    own_read(b->batch, &b->direct, b->fd, "the file", b->read, ASHI_BATCH_LEAST, 0, &err);
    own_end(b->batch, &err);
    b->serves = b->direct.fd >= 0 && asked == 0;
    return b->test.failures == 0;
}

/* Read any runs, one behind the other in memory. Returns their bytes. */
static int64_t read_runs(bed *b, const ashi_direct *direct, uint64_t seed)
{
    uint64_t state = seed;
    ashlar_error err = {0};
    const int64_t runs = ashi_random_in(&state, 1, RUNS_MOST);
    int64_t at[RUNS_MOST], bytes[RUNS_MOST], all = 0;
    ashlar_status status = ASHLAR_OK;
    memset(b->read, 0, FILE_BYTES);
    asked = 0;
    for (int64_t i = 0; i < runs && status == ASHLAR_OK; i++, all += bytes[i - 1]) {
        bytes[i] = ashi_random_in(&state, ASHI_BATCH_LEAST, RUN_MOST);
        at[i] = ashi_random_in(&state, 0, FILE_BYTES - bytes[i]);
        status = own_read(b->batch, direct, b->fd, "the file", b->read + all, bytes[i], at[i], &err);
    }
    status = status == ASHLAR_OK ? own_end(b->batch, &err) : status;
    CHECK(&b->test, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    for (int64_t i = 0, place = 0; i < runs && status == ASHLAR_OK; place += bytes[i++])
        CHECK(&b->test, memcmp(b->read + place, b->words + at[i], (size_t)bytes[i]) == 0,
              "seed %" PRIu64 ": run %" PRId64 " of %" PRId64 " bytes at %" PRId64 " has other words", seed, i,
              bytes[i], at[i]);
    return all;
}

/* What is in memory is read from there; the rest by no ordinary read, if the system has the calls. */
static void pages_decide(bed *b, uint64_t seed)
{
    let_go(b);
    read_runs(b, &b->direct, seed);
    CHECK(&b->test, !b->serves || asked == 0, "seed %" PRIu64 ": %" PRId64 " bytes by ordinary reads", seed, asked);
    CHECK(&b->test, pread(b->fd, b->read, FILE_BYTES, 0) == FILE_BYTES, "the file cannot be read");
    const int64_t bytes = read_runs(b, &b->direct, seed);
    CHECK(&b->test, !b->direct.sees || asked == bytes, "seed %" PRIu64 ": %" PRId64 " of %" PRId64 " bytes from memory",
          seed, asked, bytes);
    let_go(b);
}

/* Without a second opening, or with one that cannot be read, all is read as ever. */
static void files_refuse(bed *b)
{
    const ashi_direct none = {.fd = -1};
    ashi_direct folder = {.fd = open("/", O_RDONLY | O_CLOEXEC)};
    int64_t bytes = read_runs(b, &none, 1);
    CHECK(&b->test, asked == bytes, "no second opening: %" PRId64 " of %" PRId64 " bytes", asked, bytes);
    let_go(b);
    bytes = read_runs(b, &folder, 2);
    CHECK(&b->test, asked == bytes, "a folder: %" PRId64 " of %" PRId64 " bytes", asked, bytes);
    ashi_direct_close(&folder);
}

#ifdef SYS_io_submit

/* A call that fails as often as told; what is read by ordinary reads then, and from then on. */
static void call_fails(bed *b, long number, int times, int code, bool now, bool later)
{
    ashi_direct_batch *const before = b->batch;
    b->batch = own_create();
    refused.number = number;
    refused.times = times;
    refused.code = code;
    let_go(b);
    for (int turn = 0; turn < 2 && b->batch && b->serves; turn++) {
        read_runs(b, &b->direct, 3);
        CHECK(&b->test, (asked > 0) == (turn == 0 ? now : later), "call %ld fails, turn %d: %" PRId64
              " bytes by ordinary reads", number, turn, asked);
        CHECK(&b->test, refused.times == 0, "call %ld did not fail", number);
        let_go(b);
    }
    refused.times = 0;
    own_free(b->batch);
    b->batch = before;
}

static void calls_fail(bed *b)
{
    call_fails(b, SYS_io_setup, 1, EAGAIN, true, true);
    call_fails(b, SYS_io_submit, 1, EAGAIN, true, false);
    call_fails(b, SYS_io_getevents, 1, EINTR, false, false);
    call_fails(b, SYS_io_getevents, 1, EINVAL, true, true);
}

#else

static void calls_fail(bed *b)
{
    (void)b;
}

#endif

/* A run that the file does not have: those behind it are not read, and the batch serves again. */
static void the_file_ends(bed *b)
{
    static const char wanted[] = "the file: ends at byte 3145728, wanted bytes up to 3145729";
    const int64_t bytes = ASHI_BATCH_LEAST;
    ashlar_error err = {0};
    const ashlar_status one = own_read(b->batch, &b->direct, b->fd, "the file", b->read, bytes,
                                       FILE_BYTES + 1 - bytes, &err);
    const ashlar_status end = one == ASHLAR_OK ? own_end(b->batch, &err) : one;
    CHECK(&b->test, end == ASHLAR_ERR_IO && strcmp(err.text, wanted) == 0, "behind the end: '%s'", err.text);
    CHECK(&b->test, own_read(b->batch, &b->direct, b->fd, "the file", b->read, bytes, FILE_BYTES - bytes, &err) ==
                        ASHLAR_OK && own_end(b->batch, &err) == ASHLAR_OK &&
                        memcmp(b->read, b->words + FILE_BYTES - bytes, (size_t)bytes) == 0,
          "the last bytes: %s", err.text);
}

int main(int argc, char **argv)
{
    bed b;
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 20);
    if (make(&b)) {
        for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
            pages_decide(&b, seed);
        files_refuse(&b);
        calls_fail(&b);
        the_file_ends(&b);
        CHECK(&b.test, !own_takes(ASHI_BATCH_LEAST - 1) && own_takes(ASHI_BATCH_LEAST) &&
                           own_takes(ASHI_DIRECT_LEAST - 1) && !own_takes(ASHI_DIRECT_LEAST),
              "runs of another length are taken");
    }
    ashi_direct_close(&b.direct);
    own_free(b.batch);
    free(b.words);
    free(b.read);
    return ashi_test_end(&b.test, "direct_batch");
}
