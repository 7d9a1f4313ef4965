/* What was added to an output in place: a file beside it from which a later run sees that it need not be added again.
 *
 * Before a new output takes its name, its note is written: what is added, the file that has the name so far, and the
 * one that will have it. Which of the two has it says whether the addition was done. So it is done from the moment of
 * the renaming on. If it is neither, somebody has written the output since, and nobody can tell. */
#ifndef ASHI_STORE_DONE_H
#define ASHI_STORE_DONE_H

#include <ashlar/base.h>

#include <sys/stat.h>

typedef enum ashi_done { ASHI_NOT_DONE, ASHI_DONE, ASHI_DONE_UNCLEAR } ashi_done;

/* The name of the note on one data set (NULL: the file has but one array) of an output, to be freed; NULL if memory is
 * short. */
char *ashi_done_name(const char *output, const char *data_set);

/* Write a note: what the file `is`, which has no name yet, has more than the output that there is. It is on the disk
 * afterwards, in place of an earlier note. ASHLAR_ERR_IO; ASHLAR_ERR_MEMORY */
ashlar_status ashi_done_note(const char *name, const char *output, const struct stat *is, const char *text,
                             ashlar_error *err);

/* Whether what `text` says was added. ASHLAR_ERR_IO; ASHLAR_ERR_MEMORY */
ashlar_status ashi_done_look(const char *name, const char *output, const char *text, ashi_done *out,
                             ashlar_error *err);

#endif
