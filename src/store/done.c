/* What was added to an output in place: notes beside it. */
#include "store/done.h"

#include "base/hash.h"
#include "store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 160, NAME_KEPT = 180 }; /* NAME_KEPT: as of temporary files */

/* A file keeps its number, bytes and time of change if it is renamed; what replaces it has another number. */
ashi_done_state ashi_done_state_of(const struct stat *st, uint64_t samples)
{
    ashi_done_state s = {.samples = samples};
    snprintf(s.file, sizeof s.file, "file %" PRIu64 ", %" PRId64 " bytes, changed %" PRId64 ".%09ld",
             (uint64_t)st->st_ino, (int64_t)st->st_size, (int64_t)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
    return s;
}

/* The line of a state, without its end. */
static void write_state(const char *name, const ashi_done_state *state, char out[LINE])
{
    snprintf(out, LINE, "%s samples %016" PRIx64 ", %s", name, state->samples, state->file);
}

char *ashi_done_name(const char *output, const char *data_set)
{
    const char *const slash = strrchr(output, '/'), *const file = slash ? slash + 1 : output;
    const size_t room = strlen(output) + 64;
    char *const name = malloc(room);
    if (name)
        snprintf(name, room, "%.*s.%.*s.%016" PRIx64 ".ashlar-done", (int)(file - output), output, NAME_KEPT, file,
                 ashi_hash_text(data_set ? data_set : ""));
    return name;
}

/* "ashlar done 2 SUM\n", which is of all that follows: lines for the two states, and the text. */
static char *make_note(const ashi_done_state *was, const ashi_done_state *is, const char *text)
{
    char before[LINE], after[LINE];
    const size_t room = 3 * LINE + strlen(text);
    char *const all = malloc(room), *const rest = malloc(room);
    write_state("was", was, before);
    write_state("is", is, after);
    if (all && rest) {
        snprintf(rest, room, "%s\n%s\n%s", before, after, text);
        snprintf(all, room, "ashlar done 2 %016" PRIx64 "\n%s", ashi_hash_text(rest), rest);
    }
    free(rest);
    if (!rest) {
        free(all);
        return NULL;
    }
    return all;
}

static ashlar_status write_whole(const char *path, const char *text, ashlar_error *err)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (fd < 0)
        return ashi_fail_errno(err, path, "cannot be created", errno);
    ashlar_status status = ashi_file_write(fd, path, text, (int64_t)strlen(text), 0, err);
    if (status == ASHLAR_OK)
        status = ashi_file_sync(fd, path, err);
    close(fd);
    return status;
}

ashlar_status ashi_done_note(const char *name, const ashi_done_state *was, const ashi_done_state *is, const char *text,
                             ashlar_error *err)
{
    const size_t room = strlen(name) + 8;
    char *const note = make_note(was, is, text), *const made = malloc(room);
    ashlar_status status = note && made ? ASHLAR_OK : ashi_fail_memory(err, "note", (int64_t)(room + strlen(text)));
    if (made)
        snprintf(made, room, "%s-new", name);
    if (status == ASHLAR_OK)
        status = write_whole(made, note, err);
    if (status == ASHLAR_OK && rename(made, name) != 0)
        status = ashi_fail_errno(err, name, "cannot be replaced", errno);
    if (status != ASHLAR_OK && made)
        unlink(made);
    free(note);
    free(made);
    return status;
}

/* All of a note, to be freed; NULL with ASHLAR_OK: there is none. */
static ashlar_status read_whole(const char *name, char **out, ashlar_error *err)
{
    struct stat st;
    int fd = -1;
    int64_t bytes = 0;
    *out = NULL;
    if (stat(name, &st) != 0 && errno == ENOENT)
        return ASHLAR_OK;
    ashlar_status status = ashi_file_open(name, &fd, &bytes, err);
    if (status != ASHLAR_OK)
        return status;
    char *const text = calloc((size_t)bytes + 1, 1);
    status = text ? ashi_file_read(fd, name, text, bytes, 0, err) : ashi_fail_memory(err, "note", bytes + 1);
    close(fd);
    if (status == ASHLAR_OK)
        *out = text;
    else
        free(text);
    return status;
}

/* Cut a line that begins with `first` off the front of *text; NULL if it does not. */
static const char *take_line(char **text, const char *first)
{
    char *const line = *text, *const end = strchr(line, '\n');
    if (strncmp(line, first, strlen(first)) != 0 || !end)
        return NULL;
    *end = '\0';
    *text = end + 1;
    return line + strlen(first);
}

static bool take_state(char **text, const char *first, ashi_done_state *out)
{
    char *end = NULL;
    const char *const line = take_line(text, first);
    *out = (ashi_done_state){0};
    if (!line)
        return false;
    out->samples = strtoull(line, &end, 16);
    snprintf(out->file, sizeof out->file, "%s", strncmp(end, ", ", 2) == 0 ? end + 2 : "");
    return out->file[0] != '\0';
}

static ashi_done compare(const ashi_done_state *was, const ashi_done_state *is, const ashi_done_state *now)
{
    const bool by_samples = was->samples != is->samples;
    if (by_samples ? now->samples == was->samples : strcmp(now->file, was->file) == 0)
        return ASHI_NOT_DONE;
    return (by_samples ? now->samples == is->samples : strcmp(now->file, is->file) == 0) ? ASHI_DONE
                                                                                          : ASHI_DONE_UNCLEAR;
}

ashlar_status ashi_done_look(const char *name, const ashi_done_state *now, const char *text, ashi_done *out,
                             ashlar_error *err)
{
    ashi_done_state was, is;
    char sum[24], *note = NULL;
    *out = ASHI_NOT_DONE;
    const ashlar_status status = read_whole(name, &note, err);
    if (!note)
        return status;
    char *rest = note;
    const char *const head = take_line(&rest, "ashlar done 2 ");
    snprintf(sum, sizeof sum, "%016" PRIx64, ashi_hash_text(rest));
    const bool whole = head && strcmp(head, sum) == 0; /* else nothing is known, as if there were none */
    if (whole && take_state(&rest, "was samples ", &was) && take_state(&rest, "is samples ", &is) &&
        strcmp(rest, text) == 0)
        *out = compare(&was, &is, now);
    free(note);
    return ASHLAR_OK;
}
