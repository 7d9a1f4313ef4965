/* Whole reads and writes of files, and failures that name the file. */
#ifndef ASHI_STORE_FILE_H
#define ASHI_STORE_FILE_H

#include "base/error.h"

/* Fail with "PATH: reason". A long path is shortened from its front, so that the reason always fits. */
ashlar_status ashi_fail_file(ashlar_error *err, ashlar_status status, const char *path, const char *format, ...)
    ASHI_PRINTF(4, 5);

/* ASHLAR_ERR_IO with "PATH: what: the system's text for code"; code is an errno. */
ashlar_status ashi_fail_errno(ashlar_error *err, const char *path, const char *what, int code);

/* Open a regular file for reading and tell its bytes. Never waits, as opening a pipe would. */
ashlar_status ashi_file_open(const char *path, int *fd, int64_t *bytes, ashlar_error *err);

/* All of `bytes` bytes at `offset`, or an error; an end of file before them is ASHLAR_ERR_IO. */
ashlar_status ashi_file_read(int fd, const char *path, void *data, int64_t bytes, int64_t offset, ashlar_error *err);
ashlar_status ashi_file_write(int fd, const char *path, const void *data, int64_t bytes, int64_t offset,
                              ashlar_error *err);

/* At most `room` bytes at `offset`; *got is what there was, 0 at the end of the file. */
ashlar_status ashi_file_read_some(int fd, const char *path, void *data, int64_t room, int64_t offset, int64_t *got,
                                  ashlar_error *err);

/* Make the file's data safe on the disk. */
ashlar_status ashi_file_sync(int fd, const char *path, ashlar_error *err);

/* The same, without what is only known about the file, such as when it changed. */
ashlar_status ashi_file_sync_data(int fd, const char *path, ashlar_error *err);

#endif
