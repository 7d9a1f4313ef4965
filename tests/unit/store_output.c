/* store: what is left of an output whose process is ended, by its own handler or by the next run. */
#include "store/ending.h"
#include "store/leftover.h"
#include "store/output.h"
#include "store/record.h"
#include "store_check.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

/* What a child does before it is ended. */
typedef struct child {
    const char *path;
    int number;    /* the signal that it sends itself; 0: it leaves without a word */
    bool ignored;  /* it ignored that signal before */
    bool publish;
    bool by_child; /* a child of its own gets the signal */
} child;

static int end_grandchild(int number)
{
    int ended = 0;
    const pid_t pid = fork();
    if (pid == 0) {
        raise(number);
        _exit(9);
    }
    return pid > 0 && waitpid(pid, &ended, 0) == pid && WIFSIGNALED(ended) && WTERMSIG(ended) == number ? 0 : 8;
}

static void live(const child *c)
{
    ashi_output out;
    if (c->ignored)
        signal(c->number, SIG_IGN);
    ashi_ending_catch();
    if (ashi_output_create(c->path, &out, NULL) != ASHLAR_OK || write(out.fd, "x", 1) != 1)
        _exit(7);
    if (c->publish && ashi_output_publish(&out, NULL) != ASHLAR_OK)
        _exit(6);
    if (c->by_child)
        _exit(end_grandchild(c->number));
    if (c->number)
        raise(c->number);
    _exit(0);
}

/* How it ended: the signal, or 100 and the status. */
static int run(const child *c)
{
    int ended = 0;
    const pid_t pid = fork();
    if (pid == 0)
        live(c);
    if (pid < 0 || waitpid(pid, &ended, 0) != pid)
        return -1;
    return WIFSIGNALED(ended) ? WTERMSIG(ended) : 100 + WEXITSTATUS(ended);
}

static void signals_remove_the_file(ashi_test *t, const folder *f, const char *path)
{
    static const int numbers[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE, SIGALRM,
                                  SIGUSR1, SIGUSR2, SIGXCPU, SIGVTALRM, SIGPROF};
    for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
        child c = {.path = path, .number = numbers[n]};
        CHECK(t, run(&c) == numbers[n], "ends by signal %d", numbers[n]);
        CHECK(t, folder_files(f, false) == 0, "a file is left by signal %d", numbers[n]);
        c.publish = true;
        CHECK(t, run(&c) == numbers[n] && folder_files(f, false) == 1 && access(path, F_OK) == 0,
              "what is published stays, signal %d", numbers[n]);
        unlink(path);
    }
    const child nohup = {.path = path, .number = SIGHUP, .ignored = true};
    CHECK(t, run(&nohup) == 100, "an ignored signal stays ignored");
    CHECK(t, folder_files(f, true) == 1, "and removes nothing");
    const child forked = {.path = path, .number = SIGTERM, .by_child = true};
    CHECK(t, run(&forked) == 100, "a forked process ends");
    CHECK(t, folder_files(f, true) == 1, "and removes nothing of its parent");
}

/* Without a word, and by a signal that nobody can catch. */
static void the_next_run_removes_leftovers(ashi_test *t, const folder *f, const char *path)
{
    static const int numbers[] = {0, SIGKILL, SIGKILL};
    ashi_output out, second;
    for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
        const child c = {.path = path, .number = numbers[n]};
        run(&c);
        CHECK(t, folder_files(f, false) == 1, "%d files, wanted the last one's", folder_files(f, false));
    }
    CHECK(t, ashi_output_create(path, &out, NULL) == ASHLAR_OK && folder_files(f, false) == 1, "a leftover stays");
    CHECK(t, ashi_output_create(path, &second, NULL) == ASHLAR_OK && folder_files(f, false) == 2 &&
                 access(out.temporary, F_OK) == 0, "the file of a run in progress is removed");
    const child other = {.path = path, .number = SIGKILL};
    CHECK(t, run(&other) == SIGKILL && folder_files(f, false) == 3, "another process removed it");
    CHECK(t, ashi_output_publish(&out, NULL) == ASHLAR_OK, "publish");
    ashi_output_discard(&out);
    ashi_output_discard(&second);
    CHECK(t, folder_files(f, true) == 2, "the output and the leftover");
}

/* A file with a record, left by a process that was killed; `sums`: with such a file beside it. */
static void leave(const char *path, const char *text, bool sums)
{
    const pid_t pid = fork();
    int ended;
    if (pid == 0) {
        ashi_output out;
        ashi_record record;
        ashi_record_entry last;
        bool found;
        char *name;
        if (ashi_output_resume(path, &out, &found, NULL) != ASHLAR_OK || found ||
            ashi_record_create(out.temporary, text, NULL) != ASHLAR_OK ||
            ashi_record_open(out.temporary, 3, &record, &last, NULL) != ASHLAR_OK || last.items != 0)
            _exit(7);
        for (int64_t i = 1; i <= 5; i++)
            if (ashi_record_note(&record, (ashi_record_entry){7 * i, i, INT64_MAX - i}, NULL) != ASHLAR_OK)
                _exit(6);
        name = ashi_beside_name(out.temporary, ASHI_BESIDE_SUMS);
        if (sums && name)
            write_bytes(name, "x", 1);
        raise(SIGKILL);
    }
    if (pid < 0 || waitpid(pid, &ended, 0) != pid || !WIFSIGNALED(ended))
        exit(1);
}

/* The last entry of a rank in the record beside a file. */
static ashi_record_entry last_of(ashi_test *t, const char *temporary, int64_t rank)
{
    ashi_record record;
    ashi_record_entry last = {-1, -1, -1};
    CHECK(t, ashi_record_open(temporary, rank, &record, &last, NULL) == ASHLAR_OK && record.fd >= 0, "no record");
    ashi_record_close(&record);
    return last;
}

/* Change a byte of the record. */
static void spoil(const char *temporary, long at)
{
    char *name = ashi_beside_name(temporary, ASHI_BESIDE_RECORD);
    FILE *file = name ? fopen(name, "r+b") : NULL;
    if (!file || fseek(file, at, SEEK_SET) != 0 || fputc('#', file) == EOF || fclose(file) != 0)
        exit(1);
    free(name);
}

/* What a killed process left with a record is taken over, entries and all; half an entry leaves the one before. */
static void records_are_taken_over(ashi_test *t, const folder *f, const char *path)
{
    ashi_output out;
    ashi_record_entry last;
    bool found = false;
    char text[ASHI_RECORD_TEXT];
    leave(path, "this\nthat\n", true);
    CHECK(t, folder_files(f, false) == 3, "%d files, wanted three", folder_files(f, false));
    CHECK(t, ashi_output_resume(path, &out, &found, NULL) == ASHLAR_OK && found && out.keeps, "nothing is taken over");
    CHECK(t, ashi_record_read(out.temporary, text, NULL) == ASHLAR_OK && strcmp(text, "this\nthat\n") == 0, "the text");
    last = last_of(t, out.temporary, 3);
    CHECK(t, last.items == 35 && last.epoch == 5 && last.memory == INT64_MAX - 5,
          "the last entry has %d items", (int)last.items);
    CHECK(t, last_of(t, out.temporary, 2).items == 0, "another rank has an entry");
    spoil(out.temporary, 4096 * 8 + 1); /* the fifth entry is in the second place */
    last = last_of(t, out.temporary, 3);
    CHECK(t, last.items == 28 && last.epoch == 4 && last.memory == INT64_MAX - 4,
          "after half an entry: %d items", (int)last.items);
    spoil(out.temporary, 4096 * 7 + 1);
    CHECK(t, last_of(t, out.temporary, 3).items == 0, "after two half entries");
    spoil(out.temporary, 40);
    CHECK(t, ashi_record_read(out.temporary, text, NULL) == ASHLAR_OK && text[0] == '\0', "a damaged text is read");
    ashi_output second;
    CHECK(t, ashi_output_create(path, &second, NULL) == ASHLAR_OK && folder_files(f, false) == 4,
          "what is in use is removed");
    ashi_output_discard(&second);
    ashi_output_discard(&out); /* it is kept */
    CHECK(t, folder_files(f, false) == 3, "%d files, wanted what is kept", folder_files(f, false));
    CHECK(t, ashi_output_resume(path, &out, &found, NULL) == ASHLAR_OK && found, "kept, and not found again");
    CHECK(t, ashi_output_publish(&out, NULL) == ASHLAR_OK && folder_files(f, true) == 1, "what is beside stays");
    ashi_output_discard(&out);
}

/* Without a wish to resume, records go with what they are of; so do those of files that are gone. */
static void records_are_removed(ashi_test *t, const folder *f, const char *path)
{
    ashi_output out;
    bool found = true;
    char name[PATH_BYTES];
    leave(path, "text", true);
    CHECK(t, ashi_output_create(path, &out, NULL) == ASHLAR_OK && folder_files(f, false) == 1, "a leftover stays");
    ashi_output_keep(&out);
    ashi_output_forget(&out);
    ashi_output_discard(&out);
    CHECK(t, folder_files(f, false) == 0, "a file that is no longer kept stays");
    folder_name(f, ".C.npy.12-34.ashlar" ASHI_BESIDE_RECORD, name);
    write_bytes(name, "x", 1);
    CHECK(t, ashi_output_resume(path, &out, &found, NULL) == ASHLAR_OK && !found && folder_files(f, false) == 1,
          "a record without its file");
    ashi_output_discard(&out);
    CHECK(t, folder_files(f, true) == 0, "files");
    const child ended = {.path = path, .number = SIGKILL}; /* it left a file without a record */
    run(&ended);
    CHECK(t, ashi_output_resume(path, &out, &found, NULL) == ASHLAR_OK && !found && folder_files(f, false) == 1,
          "a file without a record");
    ashi_output_discard(&out);
}

/* Other names, other outputs, and what is no file. */
static void nothing_else_is_removed(ashi_test *t, const folder *f, const char *path)
{
    static const char *const names[] = {".C.npy.12-34.ashlar-records", ".D.npy.12-34.ashlar-sums",
                                        ".C.npy.notes.ashlar", ".C.npy.12-34", ".C.npy.ashlar", ".C.npyx.12-34.ashlar",
                                        ".D.npy.12-34.ashlar", "C.npy.12-34.ashlar", ".C.npy..ashlar.12-34"};
    enum { NAMES = sizeof names / sizeof names[0] };
    char name[PATH_BYTES], linked[PATH_BYTES];
    ashi_output out;
    for (int n = 0; n < NAMES; n++) {
        folder_name(f, names[n], name);
        write_bytes(name, "x", 1);
    }
    folder_name(f, ".C.npy.aa-bb.ashlar", linked);
    CHECK(t, symlink(name, linked) == 0, "symlink");
    folder_name(f, ".C.npy.cc-dd.ashlar", name);
    CHECK(t, mkdir(name, 0700) == 0, "mkdir");
    CHECK(t, ashi_output_create(path, &out, NULL) == ASHLAR_OK, "create");
    CHECK(t, folder_files(f, false) == NAMES + 3, "%d files", folder_files(f, false));
    ashi_output_discard(&out);
    CHECK(t, rmdir(name) == 0, "rmdir");
    folder_name(f, ".C.npy.ee-ff.ashlar", name);
    write_bytes(name, "x", 1);
    CHECK(t, ashi_output_create(path, &out, NULL) == ASHLAR_OK && access(name, F_OK) != 0, "a leftover stays");
    ashi_output_discard(&out);
    CHECK(t, folder_files(f, true) == NAMES + 1, "files");
}

int main(void)
{
    ashi_test t = {0};
    char path[PATH_BYTES];
    const folder f = folder_make();
    folder_name(&f, "C.npy", path);
    signals_remove_the_file(&t, &f, path);
    the_next_run_removes_leftovers(&t, &f, path);
    records_are_taken_over(&t, &f, path);
    records_are_removed(&t, &f, path);
    nothing_else_is_removed(&t, &f, path);
    folder_clear(&f, "");
    folder_remove(&f);
    return ashi_test_end(&t, "store_output");
}
