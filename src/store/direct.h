/* Long runs of a file read and written past the memory that the system keeps of files: straight between the disk and
 * the caller. */
#ifndef ASHI_DIRECT_H
#define ASHI_DIRECT_H

#include "base/error.h"

#include <stdatomic.h>

/* A file opened a second time, so that reads and writes go past the system's memory (O_DIRECT, open(2)). */
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

/* What places in a file that are read or written past the system's memory are multiples of: bytes. */
int64_t ashi_direct_unit(void);

/* Whether the system has this byte of the file in its memory; false if this process may not ask. */
bool ashi_direct_has_page(const ashi_direct *direct, int fd, int64_t at);

/* Memory for `between` below, which free() takes back; NULL if there is none. */
void *ashi_direct_buffer(int64_t bytes);

/* ashi_file_read of `fd`, past the system's memory if the run is long and its middle is not in there. What was written
 * and is not yet on the disk is read right: the system writes it first. The system takes whole blocks of the disk into
 * aligned memory only: a run goes straight to `data` if that lies as the run does in the file, else through `between`,
 * which has `room` bytes, at least two pages. Where the system refuses after all, the run is read as any other. On any
 * thread. Errors of ashi_file_read. */
ashlar_status ashi_direct_read(const ashi_direct *direct, int fd, const char *path, void *data, int64_t bytes,
                               int64_t offset, void *between, int64_t room, ashlar_error *err);

/* How quickly the disk takes what threads write past the system's memory. Zeros at first. */
typedef struct ashi_direct_pace {
    _Atomic int64_t bytes, nanoseconds; /* of each thread, added up */
} ashi_direct_pace;

/* Whether that is slower than memory would take it. The system, which writes behind, had better do it then. */
bool ashi_direct_is_slow(const ashi_direct_pace *pace);

/* ashi_file_write to `fd`, past the system's memory if the run is long, until the pace, to which the run is added, is
 * slow. Whole blocks of the disk go there; what the run has of a block at each of its ends goes through the system's
 * memory, where it meets what others write of that block. A block that is refused, and all behind it, is written as any
 * other. Like other writes it needs a sync to be on the disk for sure. `between`, `room`, threads: as above. Errors of
 * ashi_file_write. */
ashlar_status ashi_direct_write(const ashi_direct *direct, ashi_direct_pace *pace, int fd, const char *path,
                                const void *data, int64_t bytes, int64_t offset, void *between, int64_t room,
                                ashlar_error *err);

#endif
