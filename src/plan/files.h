/* What a matrix in a file is inside, and what plans do with it. */
#ifndef ASHI_PLAN_FILES_H
#define ASHI_PLAN_FILES_H

#include "plan/context.h"
#include "store/made.h"

#include <ashlar/files.h>

struct ashlar_file {
    ashlar_context *context; /* not owned */
    ashlar_file *whole;      /* the array that this is a view of, not owned; NULL: it is none */
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
    bool asked;       /* whether what is to be added was added before: */
    bool added;       /* an earlier run has added what this one was to add: nothing is published */
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
 * Local. `type` is that of the elements in memory: the file's, or ASHLAR_TYPE_H of a file of 16-bit numbers. */
ashlar_status ashi_file_read_part(ashlar_file *file, ashlar_type type, const ashlar_layout *layout, ashi_file_at at,
                                  void *data, const ashi_file_watch *watch, ashlar_error *err);
ashlar_status ashi_file_write_part(ashlar_file *file, const ashlar_layout *layout, ashi_file_at at, const void *data,
                                   const ashi_file_watch *watch, ashlar_error *err);

/* Have all that was written of a created file on the disk, after which nothing more is written. Collective. */
ashlar_status ashi_file_end(ashlar_file *file, ashlar_error *err);

/* What was written, open for reading. */
typedef struct ashi_back {
    ashi_store *store, *whole; /* whole: the array of a view */
    ashi_store_info info;
} ashi_back;

/* Open for reading what was written and is not published. Ends the writing. Whatever is returned, ashi_back_close
 * follows. Collective. */
ashlar_status ashi_file_read_back(ashlar_file *file, ashi_back *out, ashlar_error *err);
void ashi_back_close(ashi_back *back);

/* Open or create an array of any number of dimensions, as ashlar_file_open, ashlar_file_create and ashlar_file_resume
 * do a matrix; plans take views of it. `who` is the public call. Collective. */
ashlar_status ashi_tensor_file_open(ashlar_context *context, const char *who, const char *place, ashlar_file **out,
                                    ashlar_error *err);
ashlar_status ashi_tensor_file_create(ashlar_context *context, const char *who, const char *place,
                                      const ashi_store_info *info, bool resumes, ashlar_file **out, ashlar_error *err);

/* A created array, open for reading under the name that it has before it is published. Ends the writing. Closed by
 * ashlar_file_close, before or after the created one. Collective. */
ashlar_status ashi_tensor_file_reopen(ashlar_file *created, ashlar_file **out, ashlar_error *err);

/* An array that a function makes or takes. Local. */
ashlar_status ashi_tensor_file_make(ashlar_context *context, const ashi_store_info *info,
                                    const ashi_store_function *function, ashlar_file **out, ashlar_error *err);

/* A matrix seen in an array, which a plan can read or write as any matrix in a file; closed by ashlar_file_close,
 * before the array. Local. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_file_view(ashlar_file *whole, const ashi_unfolding *view, ashlar_file **out, ashlar_error *err);

/* A plan has written a view: what is known of it is known of the array. Local. */
void ashi_file_view_ends(ashlar_file *view);

/* The bytes that unpacking a chunk of an opened file takes beside the matrices; 0 if that is part of what is always
 * held beside a memory limit. */
int64_t ashi_file_unpacking(const ashlar_file *file);

#endif
