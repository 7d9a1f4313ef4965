/* The record of what is finished of an output: its text, and each rank's entries. */
#include "store/record.h"

#include "base/error.h"
#include "base/hash.h"
#include "store/array.h"
#include "store/file.h"
#include "store/leftover.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, ENTRY_TEXT = 192 };

static const char first_line[] = "ashlar record 1 %016" PRIx64 "\n";

enum { FIRST_LINE = 33 }; /* bytes, as printed */

static char *name_of(const char *temporary, const char *ending, ashlar_error *err)
{
    char *name = ashi_beside_name(temporary, ending);
    if (!name)
        ashi_fail_memory(err, "record", (int64_t)(strlen(temporary) + strlen(ending) + 1));
    return name;
}

static int open_retry(const char *path, int flags)
{
    int fd;
    do
        fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    while (fd < 0 && errno == EINTR);
    return fd;
}

static ashlar_status write_page(const char *path, const char page[PAGE], ashlar_error *err)
{
    const int fd = open_retry(path, O_WRONLY | O_CREAT | O_TRUNC);
    if (fd < 0)
        return ashi_fail_errno(err, path, "cannot be created", errno);
    ashlar_status status = ashi_file_write(fd, path, page, PAGE, 0, err);
    if (status == ASHLAR_OK)
        status = ashi_file_sync(fd, path, err);
    close(fd);
    return status;
}

ashlar_status ashi_record_create(const char *temporary, const char *text, ashlar_error *err)
{
    char page[PAGE] = {0};
    if (strlen(text) >= ASHI_RECORD_TEXT)
        return ashi_fail_file(err, ASHLAR_ERR_ARG, temporary, "a record of %zu bytes is too long", strlen(text));
    char *path = name_of(temporary, ASHI_BESIDE_RECORD, err), *made = name_of(temporary, ASHI_BESIDE_NEW_RECORD, err);
    ashlar_status status = path && made ? ASHLAR_OK : ASHLAR_ERR_MEMORY;
    snprintf(page, FIRST_LINE + 1, first_line, ashi_hash_text(text));
    memcpy(page + FIRST_LINE, text, strlen(text));
    if (status == ASHLAR_OK)
        status = write_page(made, page, err);
    if (status == ASHLAR_OK && rename(made, path) != 0)
        status = ashi_fail_errno(err, path, "cannot be replaced", errno);
    if (status != ASHLAR_OK && made)
        unlink(made);
    free(path);
    free(made);
    return status;
}

ashlar_status ashi_record_read(const char *temporary, char text[ASHI_RECORD_TEXT], ashlar_error *err)
{
    char page[PAGE + 1] = {0}, line[FIRST_LINE + 1];
    int64_t got = 0;
    char *path = name_of(temporary, ASHI_BESIDE_RECORD, err);
    text[0] = '\0';
    if (!path)
        return ASHLAR_ERR_MEMORY;
    const int fd = open_retry(path, O_RDONLY);
    ashlar_status status = fd < 0 ? ashi_fail_errno(err, path, "cannot open", errno) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        status = ashi_file_read_some(fd, path, page, PAGE, 0, &got, err);
    if (fd >= 0)
        close(fd);
    free(path);
    if (got <= FIRST_LINE || strlen(page) - FIRST_LINE >= ASHI_RECORD_TEXT)
        return status;
    snprintf(line, sizeof line, first_line, ashi_hash_text(page + FIRST_LINE));
    if (memcmp(page, line, FIRST_LINE) == 0)
        memcpy(text, page + FIRST_LINE, strlen(page + FIRST_LINE) + 1);
    return status;
}

/* ---- entries ---- */

static void print_entry(ashi_record_entry entry, int64_t turn, char out[ENTRY_TEXT])
{
    char text[ENTRY_TEXT - 32];
    memset(out, 0, ENTRY_TEXT);
    snprintf(text, sizeof text, "%" PRId64 " items, epoch %" PRId64 ", memory %" PRId64 ", turn %" PRId64, entry.items,
             entry.epoch, entry.memory, turn);
    snprintf(out, ENTRY_TEXT, "%s, sum %016" PRIx64 "\n", text, ashi_hash_text(text));
}

/* False: there is no entry, or half of one. */
static bool read_entry(const char found[ENTRY_TEXT], ashi_record_entry *entry, int64_t *turn)
{
    char wanted[ENTRY_TEXT];
    if (sscanf(found, "%" SCNd64 " items, epoch %" SCNd64 ", memory %" SCNd64 ", turn %" SCNd64, &entry->items,
               &entry->epoch, &entry->memory, turn) != 4)
        return false;
    print_entry(*entry, *turn, wanted);
    return memcmp(found, wanted, ENTRY_TEXT) == 0 && entry->items >= 0 && entry->epoch >= 0 && *turn > 0;
}

static ashlar_status find_last(ashi_record *record, ashi_record_entry *last, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < 2 && status == ASHLAR_OK; i++) {
        char text[ENTRY_TEXT + 1] = {0};
        ashi_record_entry entry;
        int64_t got = 0, turn = 0;
        status = ashi_file_read_some(record->fd, record->path, text, ENTRY_TEXT, record->place + i * PAGE, &got, err);
        if (status != ASHLAR_OK || !read_entry(text, &entry, &turn) || turn <= record->turn)
            continue;
        *last = entry;
        record->turn = turn;
    }
    return status;
}

ashlar_status ashi_record_open(const char *temporary, int64_t rank, ashi_record *out, ashi_record_entry *last,
                               ashlar_error *err)
{
    *out = ASHI_NO_RECORD;
    *last = (ashi_record_entry){0, 0, 0};
    out->path = name_of(temporary, ASHI_BESIDE_RECORD, err);
    if (!out->path)
        return ASHLAR_ERR_MEMORY;
    out->place = (1 + 2 * rank) * PAGE;
    out->fd = open_retry(out->path, O_RDWR);
    ashlar_status status = ASHLAR_OK;
    if (out->fd < 0 && errno != ENOENT)
        status = ashi_fail_errno(err, out->path, "cannot open", errno);
    else if (out->fd >= 0)
        status = find_last(out, last, err);
    if (status != ASHLAR_OK || out->fd < 0)
        ashi_record_close(out);
    return status;
}

ashlar_status ashi_record_note(ashi_record *record, ashi_record_entry entry, ashlar_error *err)
{
    char text[ENTRY_TEXT];
    const int64_t turn = record->turn + 1;
    print_entry(entry, turn, text);
    ashlar_status status =
        ashi_file_write(record->fd, record->path, text, ENTRY_TEXT, record->place + turn % 2 * PAGE, err);
    if (status == ASHLAR_OK)
        status = ashi_file_sync_data(record->fd, record->path, err);
    record->turn = status == ASHLAR_OK ? turn : record->turn;
    return status;
}

bool ashi_record_has_sums(const char *temporary, int64_t bytes)
{
    struct stat st;
    char *name = ashi_beside_name(temporary, ASHI_BESIDE_SUMS);
    const bool there = name && stat(name, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == bytes;
    free(name);
    return there;
}

ashlar_status ashi_record_open_sums(const char *temporary, int64_t bytes, bool creates, int *fd, ashlar_error *err)
{
    char *name = name_of(temporary, ASHI_BESIDE_SUMS, err);
    if (!name)
        return ASHLAR_ERR_MEMORY;
    *fd = open_retry(name, O_RDWR | (creates ? O_CREAT : 0));
    ashlar_status status = *fd < 0 ? ashi_fail_errno(err, name, "cannot open", errno) : ASHLAR_OK;
    if (status == ASHLAR_OK && creates)
        status = ashi_file_array_reserve(&(ashi_file_array){.fd = *fd}, name, bytes, err);
    if (status != ASHLAR_OK && *fd >= 0) {
        close(*fd);
        *fd = -1;
    }
    free(name);
    return status;
}

void ashi_record_close(ashi_record *record)
{
    if (record->fd >= 0)
        close(record->fd);
    free(record->path);
    *record = ASHI_NO_RECORD;
}
