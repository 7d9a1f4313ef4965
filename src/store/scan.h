/* Words and numbers of a text file, read in order through a small buffer. */
#ifndef ASHI_STORE_SCAN_H
#define ASHI_STORE_SCAN_H

#include <ashlar/base.h>

/* The longest word; a double needs 24 characters, and some programs print many more than it needs. */
#define ASHI_WORD_MAX 1023
#define ASHI_SCAN_BUFFER 65536

typedef struct ashi_scan {
    int fd;
    const char *path;    /* for messages; not owned */
    int64_t offset;      /* of the buffer's first byte in the file */
    int64_t at, have;    /* in the buffer */
    char word[ASHI_WORD_MAX + 1];
    char buffer[ASHI_SCAN_BUFFER];
} ashi_scan;

/* Go on from this byte of the file. */
void ashi_scan_seek(ashi_scan *scan, int64_t offset);

/* The byte of the file that comes next. */
int64_t ashi_scan_tell(const ashi_scan *scan);

/* The next character, or -1 at the end of the file. */
ashlar_status ashi_scan_char(ashi_scan *scan, int *c, ashlar_error *err);

/* The rest of the line, at most `room` - 1 characters, closed by a zero; a longer line is ASHLAR_ERR_IO. The line's end
 * is taken, and not part of it. *end tells that there is neither a character nor a line's end before the file's. */
ashlar_status ashi_scan_line(ashi_scan *scan, char *out, int64_t room, bool *end, ashlar_error *err);

/* Pass to the next line. */
ashlar_status ashi_scan_skip_line(ashi_scan *scan, ashlar_error *err);

/* The next word, split by blanks and ends of lines, into scan->word; empty at the end of the file. What follows a % up
 * to the end of its line is a comment. */
ashlar_status ashi_scan_word(ashi_scan *scan, ashlar_error *err);

/* The word as a decimal number, an infinity or a NaN; the C library's other forms are refused, and so are numbers
 * beyond a double's range. The thread's locale must have a point for a decimal point. */
bool ashi_word_to_double(const char *word, double *out);

/* The word as a whole number of decimal digits, at least 0. */
bool ashi_word_to_size(const char *word, int64_t *out);

#endif
