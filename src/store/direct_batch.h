/* Runs of a file that are too short to be read past the system's memory one by one: many are read at once. */
#ifndef ASHI_DIRECT_BATCH_H
#define ASHI_DIRECT_BATCH_H

#include "store/direct.h"

/* Runs of less are not worth it: they are read with whole pages around them. */
enum { ASHI_BATCH_LEAST = 1 << 13 };

/* Runs that wait to be read. One thread uses it at a time. */
typedef struct ashi_direct_batch ashi_direct_batch;

/* NULL if there is no memory. What it takes beside some hundred bytes is made when it is used first. */
ashi_direct_batch *ashi_direct_batch_create(void);

/* What waits is not read. NULL does nothing. */
void ashi_direct_batch_free(ashi_direct_batch *batch);

/* Whether a run of this length is read so: from ASHI_BATCH_LEAST bytes on, below ASHI_DIRECT_LEAST. */
bool ashi_direct_batch_takes(int64_t bytes);

/* Read a run that it takes as ashi_direct_read does, to `data` at once or when the batch ends. All blocks of the disk
 * that the run touches are read. What is in memory is read from there, if it is the first run's. Without Linux's calls
 * for that, and where they are refused, the run is read as any other. Errors of ashi_file_read, also of runs before. */
ashlar_status ashi_direct_batch_read(ashi_direct_batch *batch, const ashi_direct *direct, int fd, const char *path,
                                     void *data, int64_t bytes, int64_t offset, ashlar_error *err);

/* Read all runs that wait. Files, paths and data have to be there until then. Errors of ashi_file_read: then the other
 * runs are not read. */
ashlar_status ashi_direct_batch_end(ashi_direct_batch *batch, ashlar_error *err);

#endif
