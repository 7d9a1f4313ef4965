/* What a matrix in a file is inside, and what plans do with it. */
#ifndef ASHI_PLAN_FILES_H
#define ASHI_PLAN_FILES_H

#include "plan/context.h"
#include "store/store.h"

#include <ashlar/files.h>

struct ashlar_file {
    ashlar_context *context; /* not owned */
    char *place;
    ashi_store_info info;
    bool created;     /* to be written */
    bool failed;      /* its writing failed on a rank: it must not be published */
    bool ended;       /* no more is written: all of it is on the disk */
    ashi_store *store; /* NULL on ranks that write nothing, or no longer */
    char *temporary;  /* of a created file: its name until it is published */
    bool resumes;     /* by ashlar_file_resume: what is finished is kept if this run ends */
    bool found;       /* an earlier run left something, of which nothing is used so far */
    bool complete;    /* a plan has written all of it: without its final name it is of no use */
    char *record;     /* on rank 0: the name of what a signal removes with it */
};

/* Words that this rank has moved between a file and memory so far; NULL: nobody asks. */
typedef struct ashi_file_watch {
    void (*moved)(void *context, int64_t words);
    void *context;
} ashi_file_watch;

/* Where the matrix of a layout begins in a file. */
typedef struct ashi_file_at {
    int64_t row, col;
} ashi_file_at;

static const ashi_file_at ashi_file_begin = {0, 0};

/* Words of this rank's part that are read or written one after the other, in a layout that fits the file from `at` on.
 * Local. */
ashlar_status ashi_file_read_part(ashlar_file *file, const ashlar_layout *layout, ashi_file_at at, void *data,
                                  const ashi_file_watch *watch, ashlar_error *err);
ashlar_status ashi_file_write_part(ashlar_file *file, const ashlar_layout *layout, ashi_file_at at, const void *data,
                                   const ashi_file_watch *watch, ashlar_error *err);

/* Have all that was written of a created file on the disk, after which nothing more is written. Collective. */
ashlar_status ashi_file_end(ashlar_file *file, ashlar_error *err);

/* Open for reading what was written and is not published. Ends the writing. Collective. */
ashlar_status ashi_file_read_back(ashlar_file *file, ashi_store **out, ashi_store_info *info, ashlar_error *err);

/* The bytes that unpacking a chunk of an opened file takes beside the matrices; 0 if that is part of what is always
 * held beside a memory limit. */
int64_t ashi_file_unpacking(const ashlar_file *file);

#endif
