/* Long runs of a file read past the memory that the system keeps of files: from the disk straight to the reader. */
#ifndef ASHI_DIRECT_H
#define ASHI_DIRECT_H

#include "base/error.h"

/* A file opened a second time, so that its reads go past the system's memory (O_DIRECT, open(2)). */
typedef struct ashi_direct {
    int fd;    /* -1: it is not open, or the system refuses */
    bool sees; /* this process may ask which pages of the file are in memory */
} ashi_direct;

/* A run that is shorter is not worth it. */
enum { ASHI_DIRECT_LEAST = 1 << 18 };

/* Open the file behind a descriptor again, with the same rights. Never an error: without /proc, or on a file system
 * that refuses, fd is -1. ashi_direct_close takes that too. */
ashi_direct ashi_direct_open(int fd);
void ashi_direct_close(ashi_direct *direct);

/* Memory for `between` below, which free() takes back; NULL if there is none. */
void *ashi_direct_buffer(int64_t bytes);

/* ashi_file_read of `fd`, past the system's memory if the run is long and its middle is not in there. What was written
 * and is not yet on the disk is read right: the system writes it first. The system takes whole blocks of the disk into
 * aligned memory only: a run goes straight to `data` if that lies as the run does in the file, else through `between`,
 * which has `room` bytes, at least two pages. Where the system refuses after all, the run is read as any other. On any
 * thread. Errors of ashi_file_read. */
ashlar_status ashi_direct_read(const ashi_direct *direct, int fd, const char *path, void *data, int64_t bytes,
                               int64_t offset, void *between, int64_t room, ashlar_error *err);

#endif
