/* store: sums that are added in place by runs that are killed, and to outputs that are put back, copied and touched. */
#include "store/samples.h"
#include "store_check.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

static struct {
    int made, at; /* the process is killed at this call of rename; 0: at none */
    bool after;   /* when it is done */
} renames;

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to)
{
    const bool now = ++renames.made == renames.at;
    if (now && !renames.after)
        raise(SIGKILL);
    const int rc = __real_rename(from, to);
    if (now)
        raise(SIGKILL);
    return rc;
}

static const char *const names[] = {"C.npy", "C.h5:/deep/x", "C.mtx"};

static const ashi_store_info number = {.type = ASHLAR_TYPE_D, .rows = 1, .cols = 1};

static double read_number(const char *place)
{
    ashi_store *store = NULL;
    ashi_store_info info;
    double value = -1;
    if (ashi_store_open(place, &store, &info, NULL) == ASHLAR_OK)
        ashi_store_read(store, 0, 1, 0, 1, &value, 1, 1, NULL);
    ashi_store_close(&store, NULL);
    return value;
}

/* As a run does that sets it, and cannot be gone on with. */
static bool set_number(const char *place, double value)
{
    ashi_store *store = NULL;
    const bool good = ashi_store_create_shared(place, &number, &store, NULL) == ASHLAR_OK &&
                      ashi_store_write(store, 0, 1, 0, 1, &value, 1, 1, NULL) == ASHLAR_OK &&
                      ashi_store_publish(store, NULL) == ASHLAR_OK;
    ashi_store_close(&store, NULL);
    return good;
}

/* As a run does that adds one and may be gone on with. */
static ashlar_status add_one(const char *place, const char *text, bool *added, ashlar_error *err)
{
    ashi_store *store = NULL;
    const double sum = read_number(place) + 1;
    ashlar_status status = ashi_store_resume(place, &number, &store, &(bool){false}, err);
    if (status == ASHLAR_OK)
        status = ashi_store_adds(store, text, added, err);
    if (status == ASHLAR_OK && !*added)
        status = ashi_store_write(store, 0, 1, 0, 1, &sum, 1, 1, err);
    if (status == ASHLAR_OK && !*added)
        status = ashi_store_publish(store, err);
    ashi_store_close(&store, NULL);
    return status;
}

/* A run that is killed before or after renaming something for the nth time. *all: there was no nth time. */
static void run_and_kill(ashi_test *t, const char *place, int at, bool after, bool *all)
{
    bool added = false;
    int ended = 0;
    const pid_t pid = fork();
    if (pid == 0) {
        renames.made = 0;
        renames.at = at;
        renames.after = after;
        _exit(add_one(place, "one", &added, NULL) == ASHLAR_OK ? 0 : 1);
    }
    CHECK(t, pid > 0 && waitpid(pid, &ended, 0) == pid, "fork");
    *all = WIFEXITED(ended);
    CHECK(t, !*all || WEXITSTATUS(ended) == 0, "%s cannot be added to", place);
}

/* Such a run is gone on with, twice. */
static void add_and_kill(ashi_test *t, const char *place, int at, bool after, bool *all)
{
    bool added = false;
    ashlar_error err = {0};
    CHECK(t, set_number(place, 5) && read_number(place) == 5, "%s", place);
    run_and_kill(t, place, at, after, all);
    const bool was = read_number(place) == 6;
    for (int again = 0; again < 2; again++) {
        const ashlar_status status = add_one(place, "one", &added, &err);
        CHECK(t, status == ASHLAR_OK && added == (was || again > 0), "%s, rename %d: %s", place, at, err.text);
        CHECK(t, read_number(place) == 6, "%s, rename %d: added %g times", place, at, read_number(place) - 5);
    }
}

/* All bytes of a file; *bytes of them. */
static char *bytes_of(const char *path, size_t *bytes)
{
    FILE *const file = fopen(path, "rb");
    char *const data = malloc(1 << 20);
    if (!file || !data)
        exit(1);
    *bytes = fread(data, 1, 1 << 20, file);
    fclose(file);
    return data;
}

/* As a program does that knows nothing of notes: `data`, or what is there, over the file or as another of its name. */
static void rewrite(const char *place, const char *data, size_t bytes, bool another)
{
    char *const path = ashi_store_path(place), name[PATH_BYTES];
    char *const there = bytes_of(path, data ? &(size_t){0} : &bytes);
    snprintf(name, sizeof name, "%s-copy", path);
    write_bytes(another ? name : path, data ? data : there, bytes);
    if (another && rename(name, path) != 0)
        exit(1);
    free(there);
    free(path);
}

static bool touch(const char *place)
{
    char *const path = ashi_store_path(place);
    const struct timespec times[2] = {{1, 0}, {1, 0}};
    const bool good = utimensat(AT_FDCWD, path, times, 0) == 0;
    free(path);
    return good;
}

/* Another number of its own, by a program that knows nothing of notes. */
static void write_number(const char *place, double value)
{
    char *const path = ashi_store_path(place), *const ending = strstr(place, ".");
    char other[PATH_BYTES];
    snprintf(other, sizeof other, "%.*s-other%s", (int)(ending - place), place, ending);
    char *const made = ashi_store_path(other);
    if (!set_number(other, value) || rename(made, path) != 0)
        exit(1);
    free(made);
    free(path);
}

static void a_sum_is_added_once(ashi_test *t, const folder *f)
{
    for (int i = 0; i < 3; i++) {
        char place[PATH_BYTES];
        bool all = false, added = true;
        int at = 1;
        ashlar_error err = {0};
        folder_name(f, names[i], place);
        for (; !all && at < 9; at++) {
            add_and_kill(t, place, at, false, &all);
            if (!all)
                add_and_kill(t, place, at, true, &all);
        }
        CHECK(t, at == 4, "%d files are renamed", at - 2); /* the note and the output */
        CHECK(t, folder_files(f, false) == 2, "%d files beside %s", folder_files(f, false), place);
        CHECK(t, add_one(place, "another", &added, &err) == ASHLAR_OK && !added && read_number(place) == 7,
              "something else is added: %s", err.text);
        CHECK(t, touch(place) && add_one(place, "another", &added, &err) == ASHLAR_OK && added, "touched: %s",
              err.text);
        write_number(place, 3);
        CHECK(t, add_one(place, "another", &added, &err) == ASHLAR_ERR_ARG && strstr(err.text, "was written since") &&
              strstr(err.text, ".ashlar-done to add it once more") && read_number(place) == 3,
              "nobody can tell: %s", err.text);
        CHECK(t, set_number(place, 1) && folder_files(f, false) == 1, "a note stays");
        CHECK(t, add_one(place, "another", &added, &err) == ASHLAR_OK && !added && read_number(place) == 2,
              "%s", err.text);
        folder_clear(f, "");
    }
}

/* Runs that end or are killed, and what others do to the file meanwhile, in random order: a run that ends leaves the
 * old number and one, and adds if it finds the old number, however it came there. */
static void random_histories(ashi_test *t, const folder *f, const char *name, uint64_t seed)
{
    uint64_t state = seed;
    char place[PATH_BYTES];
    size_t bytes = 0;
    folder_name(f, name, place);
    CHECK(t, set_number(place, 5), "%s", place);
    char *const path = ashi_store_path(place), *const old = bytes_of(path, &bytes);
    for (int event = 0; event < 60; event++) {
        const double before = read_number(place);
        const int what = (int)ashi_random_in(&state, 0, 5);
        bool added = false, all = false;
        ashlar_error err = {0};
        if (what == 0)
            rewrite(place, old, bytes, ashi_random_in(&state, 0, 1) != 0);
        else if (what == 1)
            rewrite(place, NULL, 0, ashi_random_in(&state, 0, 1) != 0);
        else if (what == 2)
            touch(place);
        else if (what < 5)
            run_and_kill(t, place, (int)ashi_random_in(&state, 1, 2), ashi_random_in(&state, 0, 1) != 0, &all);
        else
            CHECK(t, add_one(place, "one", &added, &err) == ASHLAR_OK && added == (before > 5), "seed %" PRIu64
                  ", event %d: %s", seed, event, err.text);
        const double now = read_number(place);
        const bool kept = now == before && what > 0 && what < 5, sum = now == 6 && what > 2;
        CHECK(t, kept || sum || (what == 0 && now == 5), "%s, seed %" PRIu64 ", event %d, a %d: %g was %g", place,
              seed, event, what, now, before);
    }
    free(old);
    free(path);
    folder_clear(f, "");
}

/* Of two sums in one file each is added once, though the other's addition makes it another file. */
static void two_sums_in_a_file(ashi_test *t, const folder *f)
{
    char place[2][PATH_BYTES];
    ashlar_error err = {0};
    for (int x = 0; x < 2; x++)
        folder_name(f, x == 0 ? "C.h5:/one" : "C.h5:/two", place[x]);
    CHECK(t, set_number(place[0], 1) && set_number(place[1], 2), "two data sets");
    for (int i = 0; i < 6; i++) {
        bool added = false;
        CHECK(t, add_one(place[i % 2], "more", &added, &err) == ASHLAR_OK && added == (i > 1), "%s", err.text);
    }
    CHECK(t, read_number(place[0]) == 2 && read_number(place[1]) == 3, "%g and %g", read_number(place[0]),
          read_number(place[1]));
    folder_clear(f, "");
}

/* Equal contents have equal samples wherever they lie; of a short part each byte counts, of a long one all of its
 * regions do. */
static void samples_tell_contents(ashi_test *t, const folder *f, uint64_t seed)
{
    uint64_t state = seed, sum[3];
    const int64_t bytes = ashi_random_in(&state, 0, 1) ? ashi_random_in(&state, 1, 20000)
                                                       : ashi_random_in(&state, (1 << 20) + 1, 1 << 22),
                  from = ashi_random_in(&state, 0, 5000), at = ashi_random_in(&state, 0, bytes - 1);
    char one[PATH_BYTES], two[PATH_BYTES], *const data = calloc((size_t)(from + bytes), 1);
    if (!data)
        exit(1);
    for (int64_t i = 0; i < from + bytes; i++)
        data[i] = (char)ashi_random(&state);
    folder_name(f, "one", one);
    folder_name(f, "two", two);
    write_bytes(one, data, (size_t)(from + bytes));
    write_bytes(two, data + from, (size_t)bytes);
    const ashi_file_part part = {from, bytes}, rest = {from, -1}, all = {0, bytes}, more = {1, bytes};
    CHECK(t, ashi_samples_of(one, part, &sum[0], NULL) == ASHLAR_OK &&
              ashi_samples_of(one, rest, &sum[1], NULL) == ASHLAR_OK &&
              ashi_samples_of(two, all, &sum[2], NULL) == ASHLAR_OK && sum[0] == sum[1] && sum[1] == sum[2],
          "seed %" PRIu64, seed);
    for (int64_t i = bytes > 1 << 20 ? at / 2 : at; i <= at; i++)
        data[from + i]++;
    write_bytes(two, data + from, (size_t)bytes);
    CHECK(t, ashi_samples_of(two, all, &sum[2], NULL) == ASHLAR_OK && (sum[2] != sum[0] || (bytes > 1 << 20 &&
              at < 64 << 10)), "seed %" PRIu64 ": bytes to %" PRId64 " of %" PRId64, seed, at, bytes);
    CHECK(t, ashi_samples_of(two, more, &sum[2], NULL) == ASHLAR_ERR_IO || bytes > 1 << 20, "seed %" PRIu64, seed);
    free(data);
    folder_clear(f, "");
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 12);
    const folder f = folder_make();
    a_sum_is_added_once(&t, &f);
    two_sums_in_a_file(&t, &f);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        random_histories(&t, &f, names[seed % 3], seed);
        samples_tell_contents(&t, &f, seed);
    }
    folder_remove(&f);
    return ashi_test_end(&t, "store_done");
}
