/* What was done for each shape of call, said once at the end of the run. */
#ifndef ASHI_LOG_H
#define ASHI_LOG_H

#include <stdint.h>

/* Calls that were alike. Numbers, not addresses, name them; -1 is for calls that are not listed. */
typedef int64_t ashi_log_line;

/* Threads may call these at once. */

/* The line with just this text, a new one if there is none yet. The last call of many that can be made is the one in
 * MPI_Finalize that prints; up to 4096 lines are kept, and how many more calls there were. */
ashi_log_line ashi_log_open(const char *text);

/* One more call, which took so long. */
void ashi_log_count(ashi_log_line line, double seconds);

#endif
