/* Temporary files that are removed as a signal ends the process. */
#ifndef ASHI_STORE_ENDING_H
#define ASHI_STORE_ENDING_H

#include <stdbool.h>

/* From now on a signal that would end the process removes the files named below first; the process then ends as it
 * would have. Batch systems end jobs with such signals. A signal that is ignored or handled already stays so. */
void ashi_ending_catch(void);

/* Have the file removed. The text must stay until ashi_ending_forget; beyond eight files nothing is done. */
void ashi_ending_remember(const char *name);

/* The file is gone or has another name. False if a signal is being handled, which may still read the text: then it must
 * not be freed. */
bool ashi_ending_forget(const char *name);

#endif
