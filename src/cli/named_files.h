/* The files that a command line names: what is written must not be another of them. */
#ifndef ASHI_NAMED_FILES_H
#define ASHI_NAMED_FILES_H

#include <ashlar/base.h>

typedef struct ashi_named_file {
    const char *option; /* as messages call it */
    const char *path;   /* NULL: not given */
    bool written;
    bool matrix;        /* the path may name a data set; a matrix may be written in place of one that was read */
} ashi_named_file;

/* Compares files, not names: symbolic and hard links, . and .. are seen through. A file that is not there yet is its
 * folder and its last name. ASHLAR_ERR_ARG with the two options. Local. */
ashlar_status ashi_named_files_differ(const ashi_named_file *files, int count, ashlar_error *err);

#endif
