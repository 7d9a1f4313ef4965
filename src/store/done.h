/* What was added to an output in place: a file beside it from which a later run sees that it need not be added again.
 *
 * Before a new output takes its name, its note is written: what is added, the file that has the name so far, and the
 * one that will have it. Which of the two has it says whether the addition was done. So it is done from the moment of
 * the renaming on. Files are told apart by samples of the array's bytes, so that an old array that was put back is
 * added to, and one that was copied or touched is not; if the old array and the new one have the same samples, by
 * number, bytes and time of change. If it is neither, somebody has written the output since, and nobody can tell. */
#ifndef ASHI_STORE_DONE_H
#define ASHI_STORE_DONE_H

#include <ashlar/base.h>

#include <sys/stat.h>

typedef enum ashi_done { ASHI_NOT_DONE, ASHI_DONE, ASHI_DONE_UNCLEAR } ashi_done;

/* One state of an output. */
typedef struct ashi_done_state {
    char file[96];    /* number, bytes and time of change */
    uint64_t samples; /* of its array (samples.h) */
} ashi_done_state;

/* The state of a file that `st` says exists. */
ashi_done_state ashi_done_state_of(const struct stat *st, uint64_t samples);

/* The name of the note on one data set (NULL: the file has but one array) of an output, to be freed; NULL if memory is
 * short. */
char *ashi_done_name(const char *output, const char *data_set);

/* Write a note: the output is to change from `was` to `is` by adding what `text` says. It is on the disk afterwards, in
 * place of an earlier note. ASHLAR_ERR_IO; ASHLAR_ERR_MEMORY */
ashlar_status ashi_done_note(const char *name, const ashi_done_state *was, const ashi_done_state *is, const char *text,
                             ashlar_error *err);

/* Whether what `text` says was added to an output that is `now` so. ASHLAR_ERR_IO; ASHLAR_ERR_MEMORY */
ashlar_status ashi_done_look(const char *name, const ashi_done_state *now, const char *text, ashi_done *out,
                             ashlar_error *err);

#endif
