/* Temporary files of earlier runs that were killed: recognised by their names, and by a lock that nobody holds. */
#ifndef ASHI_STORE_LEFTOVER_H
#define ASHI_STORE_LEFTOVER_H

#include <stddef.h>

/* Room for a temporary file's name beside the output's folder. */
#define ASHI_TEMPORARY_ROOM 256

/* The name of a temporary file for the output of that name, both without their folder: hidden, and different for each
 * process, time and attempt. */
void ashi_temporary_name(const char *output, unsigned attempt, char out[ASHI_TEMPORARY_ROOM]);

/* Files beside a temporary one, of which they have the name and one of these endings: the record of what is finished of
 * it (record.h), that record as it is made, sums that another file than the output's has, and the output as text. */
#define ASHI_BESIDE_RECORD "-record"
#define ASHI_BESIDE_NEW_RECORD "-record-new"
#define ASHI_BESIDE_SUMS "-sums"
#define ASHI_BESIDE_TEXT "-text"

/* The name of such a file, to be freed; NULL if memory is short. */
char *ashi_beside_name(const char *temporary, const char *with);

/* Remove what lies beside a temporary file. */
void ashi_beside_remove(const char *temporary);

/* Remove the temporary files of this output that no process writes, and what lies beside them: `folder` (empty: the
 * current one, else with its last slash) and `output` are the parts of its name. What cannot be looked at or locked
 * stays. */
void ashi_leftovers_remove(const char *folder, const char *output);

/* Take over the temporary file that has a record and that no process writes; if there are several, the one whose record
 * changed last. It is locked. Its name with the folder is to be freed; NULL, and -1, if there is none. */
char *ashi_leftovers_take(const char *folder, const char *output, int *fd);

#endif
