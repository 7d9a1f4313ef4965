/* Temporary files of earlier runs that were killed: recognised by their names, and by a lock that nobody holds. */
#ifndef ASHI_STORE_LEFTOVER_H
#define ASHI_STORE_LEFTOVER_H

#include <stddef.h>

/* Room for a temporary file's name beside the output's folder. */
#define ASHI_TEMPORARY_ROOM 256

/* The name of a temporary file for the output of that name, both without their folder: hidden, and different for each
 * process, time and attempt. */
void ashi_temporary_name(const char *output, unsigned attempt, char out[ASHI_TEMPORARY_ROOM]);

/* Remove the temporary files of this output that no process writes: `folder` (empty: the current one, else with its
 * last slash) and `output` are the parts of its name. What cannot be looked at or locked stays. */
void ashi_leftovers_remove(const char *folder, const char *output);

#endif
