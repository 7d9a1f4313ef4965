/* The record of what is finished of an output: a file beside the temporary one, from which a later run goes on.
 *
 * It begins with lines of text that say what is being made and how: a run that is to go on must have the same. Then
 * each rank has a place for two entries, which it writes by turns: one that is half written as the process ends leaves
 * the other. Each entry has a check sum, and so has the text. A rank writes an entry after what it says is on the disk,
 * and asks nobody. Places are a page apart, so that hosts which share the file by pages do not write each other's. */
#ifndef ASHI_STORE_RECORD_H
#define ASHI_STORE_RECORD_H

#include <ashlar/base.h>

#include <stdbool.h>

enum { ASHI_RECORD_TEXT = 4000 }; /* room for the text, its last byte included */

/* What a rank has finished. */
typedef struct ashi_record_entry {
    int64_t items, epoch; /* as in plan/resume.h */
    int64_t memory;       /* a number for what of the rank's memory it was made from, at least 0 */
} ashi_record_entry;

/* One rank's place in a record. */
typedef struct ashi_record {
    int fd; /* -1: not open */
    char *path;
    int64_t place, turn;
} ashi_record;

/* What is not open; ashi_record_close takes it. */
#define ASHI_NO_RECORD ((ashi_record){.fd = -1})

/* Make the record beside a temporary file, without entries: it is there whole, on the disk, or not at all. What there
 * was of that name is replaced. ASHLAR_ERR_IO; ASHLAR_ERR_MEMORY; ASHLAR_ERR_ARG: the text is too long. */
ashlar_status ashi_record_create(const char *temporary, const char *text, ashlar_error *err);

/* The text of the record beside a temporary file; empty if that is damaged. ASHLAR_ERR_IO; ASHLAR_ERR_MEMORY */
ashlar_status ashi_record_read(const char *temporary, char text[ASHI_RECORD_TEXT], ashlar_error *err);

/* Open a rank's place in the record beside a temporary file, and find its last entry: zeros if it has none. If there is
 * no record, fd is -1. ASHLAR_ERR_IO; ASHLAR_ERR_MEMORY */
ashlar_status ashi_record_open(const char *temporary, int64_t rank, ashi_record *out, ashi_record_entry *last,
                               ashlar_error *err);

/* Write the rank's next entry. It is on the disk afterwards. ASHLAR_ERR_IO */
ashlar_status ashi_record_note(ashi_record *record, ashi_record_entry entry, ashlar_error *err);

/* Open the other file of sums beside a temporary file, of so many bytes; `creates`: make it, unless it is there. The
 * disk has promised the bytes. ASHLAR_ERR_IO; ASHLAR_ERR_MEMORY */
ashlar_status ashi_record_open_sums(const char *temporary, int64_t bytes, bool creates, int *fd, ashlar_error *err);

/* Whether it is there, and of so many bytes. */
bool ashi_record_has_sums(const char *temporary, int64_t bytes);

void ashi_record_close(ashi_record *record);

#endif
