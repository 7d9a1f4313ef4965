/* An output file that appears whole or not at all: written beside its final name, renamed when complete.
 *
 * The temporary file is locked while it is written. A signal that ends the process removes it (ending.h); what a killed
 * process leaves, the next run with the same output finds unlocked and removes, or goes on with. Runs at the same
 * time do not remove each other's, on as many hosts as the file system's locks reach: all hosts with NFS unless it is
 * mounted with `nolock` or `local_lock`, one host with those and with Lustre's `localflock`. Where there are no locks
 * nothing is removed. */
#ifndef ASHI_STORE_OUTPUT_H
#define ASHI_STORE_OUTPUT_H

#include "store/done.h"
#include "store/samples.h"

typedef struct ashi_output {
    char *path;      /* the final name; symbolic links are followed, so that a link stays one */
    char *temporary; /* in the same folder; NULL where there is none, or no longer one */
    int fd;          /* of the temporary file, for reading and writing; -1 once it is closed */
    bool replaces;   /* a file of the final name existed */
    char *adds;      /* what it has more than the file that it replaces; NULL: that is not asked */
    ashi_done_state was;    /* the file that it replaces, if `adds` */
    ashi_file_part array;   /* of this file, likewise */
    char *done;      /* the name of the note on that (done.h); NULL: there is none to be made or removed */
    bool keeps;      /* the temporary file is left where it is if it is not published, for ashi_output_resume */
} ashi_output;

/* Make an empty temporary file beside `path`, after removing those that killed runs left for it. It has the permissions
 * of the file it will replace; those of a new file follow the umask. ASHLAR_ERR_IO: the folder cannot be written to, or
 * what is there is no regular file or may not be written. On failure nothing is left behind, and ashi_output_discard
 * may still be called. */
ashlar_status ashi_output_create(const char *path, ashi_output *out, ashlar_error *err);

/* The same, but what a killed run left is taken over if it has a record of what is finished (record.h): *found. Then
 * the file is kept, as it was, until it is published or ashi_output_forget is called. */
ashlar_status ashi_output_resume(const char *path, ashi_output *out, bool *found, ashlar_error *err);

/* From now on the temporary file, and what lies beside it, stays if the process ends or the output is discarded; or it
 * no longer does. */
void ashi_output_keep(ashi_output *out);
void ashi_output_forget(ashi_output *out);

/* Publishing it ends an addition to a data set of what is there (NULL: to all of it): that is noted beside it (done.h).
 * The array is `old` in the file that is there and `new` in this one, unless ashi_output_publish_as makes another. With
 * `text` NULL there is no addition, and an earlier note goes once the output is there. ASHLAR_ERR_IO;
 * ASHLAR_ERR_MEMORY */
ashlar_status ashi_output_adds(ashi_output *out, const char *data_set, const char *text, const ashi_file_part *old,
                               const ashi_file_part *new, ashlar_error *err);

/* Fill the temporary file with what the existing file holds. Only where out->replaces. */
ashlar_status ashi_output_copy_existing(ashi_output *out, ashlar_error *err);

/* Sync, close and rename, and remove what lies beside the temporary file. After a failure that one is still there, for
 * ashi_output_discard. */
ashlar_status ashi_output_publish(ashi_output *out, ashlar_error *err);

/* Publish what `write` puts into an empty file beside the temporary one, and remove that one with what lies beside it:
 * until the output has its final name they are as they were. */
ashlar_status ashi_output_publish_as(ashi_output *out, ashlar_status (*write)(void *context, int fd, ashlar_error *err),
                                     void *context, ashlar_error *err);

/* Delete the temporary file, if there still is one that is not kept, with what lies beside it, and free what is held.
 * Takes a zeroed output too. */
void ashi_output_discard(ashi_output *out);

#endif
