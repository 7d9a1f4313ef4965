/* What a plan has beside its schedule in memory if matrices are in files. */
#ifndef ASHI_PLAN_FILED_H
#define ASHI_PLAN_FILED_H

#include "engine/nest.h"
#include "engine/tile_loops.h"
#include "exec/player.h"
#include "kernel/part.h"
#include "plan/files.h"
#include "plan/mixed.h"
#include "plan/on_device.h"
#include "search/tiling.h"

#include <ashlar/plan.h>

enum { ASHI_FILED_C0 = 3 /* beside ashlar_operand */ };

/* A matrix in a file, as a program reads and writes it. */
typedef struct ashi_stream_file {
    ashi_store *store;
    bool rows_are_minor; /* the first index of a panel counts the rows of the matrix as stored */
    ashi_file_source source;
} ashi_stream_file;

/* Matrices that are streamed: none of them is in memory as a whole. */
typedef struct ashi_streamed {
    bool on;
    ashi_nest nest;
    bool looped;           /* these loops are run, and of `nest` only the parts are read: */
    ashi_tile_loops loops;
    int64_t memory_words;  /* of the rank that needs most */
    char name[40];
    ashi_nest_figures total, most; /* of all ranks together, and of any */
    int64_t steps;
    ashi_program program;
    ashi_player *player;
    ashi_on_device on_device; /* what this rank's products take of its device */
    int64_t workspace_words; /* of this rank */
    void *workspace;
    size_t workspace_bytes;
    double seconds;    /* predicted */
    double page_bytes; /* of whole pages and chunks, read and written by all ranks, of matrices seen in arrays */
    double bound;      /* disk words of all ranks: no fewer can do, */
    const char *which; /* by this bound */
    char reason[400];
} ashi_streamed;

/* Threads that read and write plain files: a disk is quick only if several reads are under way. */
enum { ASHI_DISK_THREADS = 4 };

/* What the last execution moved between this rank and the files, and how long it took if the product itself was formed
 * in memory. Words are elements. */
typedef struct ashi_filed_tally {
    int64_t read, written;
    double read_seconds, write_seconds;
} ashi_filed_tally;

/* Products of a batch that are written to one file one after the other, by a plan that is executed for each. If there
 * are several plans, what is known is handed from the one that was executed last to the next. */
typedef struct ashi_series {
    int64_t index, count; /* the product of the next execution; count = 0: the plan has one product */
    int64_t longest;      /* items of the product that has most, if C goes through memory slab by slab; or 0 */
    int64_t (*memory)(const void *context); /* as in ashi_resume_request, of all products; or NULL */
    const void *context;  /* of `memory` */
    int64_t summed;       /* what it returned; -1: it was not called yet */
    bool begun;           /* what follows is known, from the first execution on: */
    int64_t from, items;  /* an earlier run has finished the products before `from`, and so many items of that one, */
    int64_t epoch;        /* in epochs of so many blocks; */
    double part;          /* this part of all */
    double began, took;   /* as in ashi_resume: of the last record */
    bool lost;
} ashi_series;

typedef struct ashi_filed {
    ashlar_file *file[4]; /* of A, B, C and C0; NULL: in the caller's memory. Not owned. */
    bool any;             /* one of A, B and C is in a file */
    void *part[3];        /* this rank's parts of what is in files, unless that goes through memory in pieces: */
    ashi_streamed streamed; /* all matrices, */
    ashi_mixed mixed;       /* or those that are not in the caller's memory */
    ashi_filed_tally tally;
    ashi_series series;
    const char *origin;     /* lines for the record: what else the bits of C depend on; NULL: nothing. Not owned */
    double resumed;         /* the part of the product that was finished before the last execution */
    double checkpoint_seconds; /* of the options, as is the next */
    bool local_disks;
    void (*progress)(void *user, int64_t done, int64_t all);
    void *user;
} ashi_filed;

/* Take the files of a problem. */
static inline ashi_filed ashi_filed_of(const ashlar_problem *p)
{
    return (ashi_filed){.file = {p->a_file, p->b_file, p->c_file, p->c0_file},
                        .any = p->a_file || p->b_file || p->c_file};
}

/* Whether A, B (if anything is multiplied) and C are all in files. */
static inline bool ashi_filed_all(const ashi_filed *f, const ashlar_problem *p)
{
    const bool multiplies = p->m > 0 && p->n > 0 && p->k > 0;
    return f->file[ASHLAR_C] && (!multiplies || (f->file[ASHLAR_A] && f->file[ASHLAR_B]));
}

/* Whether what is in files goes through memory in pieces, so that no rank has its part of it. */
bool ashi_filed_passes(const ashi_filed *filed);

/* Whether functions make or take what is in files: they are called on the calling thread. */
bool ashi_filed_calls(const ashi_filed *filed);

/* Local: the files fit the problem and are open for what is wanted of them. */
ashlar_status ashi_filed_check(const ashlar_context *context, const ashlar_problem *problem,
                               const ashlar_options *options, ashlar_error *err);

/* Choose whether the product is formed in memory or the matrices are streamed, and prepare that. Collective. */
ashlar_status ashi_filed_make(ashlar_plan *plan, const ashlar_options *options, ashlar_error *err);

/* Execute such a plan; part[x] is the caller's of what is in memory. Collective, the same on all ranks. */
ashlar_status ashi_filed_run(ashlar_plan *plan, const void *alpha, const ashi_part part[3], const void *beta,
                             ashlar_error *err);

/* Disk words of all ranks, and seconds of reading and of writing if the product is formed in memory. */
int64_t ashi_filed_disk_words(const ashlar_plan *plan);
void ashi_filed_seconds(const ashlar_plan *plan, double *reading, double *writing);

/* Seconds for which a core parses or unpacks a word that is read from a file; 0 if the file is plain or is made. */
double ashi_filed_word_seconds(const ashlar_file *file);

void ashi_filed_free(ashi_filed *filed);

/* ---- streamed.c ---- */

/* Plan to stream within `memory_words` words on each rank, 0 for no limit; all matrices are in files. ASHLAR_ERR_LIMIT
 * with the least words that would do. Allocates this rank's workspace. Collective, the same on all ranks. */
ashlar_status ashi_streamed_make(ashlar_plan *plan, const ashlar_options *options, int64_t memory_words,
                                 ashlar_error *err);

/* What a program reads and writes instead of matrix x; 3 is C0. Nothing if that is in no file. */
ashi_stream_file ashi_streamed_file(const ashlar_plan *plan, int x);

/* Whether the first index of the panels of matrix x runs along its file. */
bool ashi_streamed_minor(const ashlar_plan *plan, int x);

/* Note in the request how the indices of matrix x lie in its file if it is seen in an array that lies there element by
 * element. The minor side of the operand's panels are the rows of the matrix, or not. */
void ashi_streamed_see(const ashlar_file *file, bool rows_are_minor, ashlar_operand x, ashi_tiling_request *request);

/* Add to a text of `room` bytes what whole pages and chunks of A's, B's and C's files a tiling moves, if matrices are
 * seen in arrays. Returns how many bytes these are. */
double ashi_streamed_say_pages(const ashi_stream_file file[3], const ashi_tiling_request *request,
                               const ashi_nest *nest, size_t room, char *text);

/* A player of a choice's program, which is to work in the memory of the plan; the program is freed after it.
 * *on_device: what its products take of the device. Local. */
ashlar_status ashi_streamed_player(const ashlar_plan *plan, const ashi_nest *nest, ashi_program *program,
                                   ashi_player **player, ashi_on_device *on_device, ashlar_error *err);

/* The memory of the player. Local. */
ashlar_status ashi_streamed_allocate(const ashlar_plan *plan, ashi_streamed *streamed, ashlar_error *err);

/* C alone, in pieces that are fast to write and no larger than the limit. */
ashi_nest ashi_streamed_lines(const ashlar_plan *plan, int64_t memory_words, bool adds);

void ashi_streamed_free(ashi_streamed *streamed);

/* ---- run_streamed.c ---- */

/* Collective; the status is this rank's own. */
ashlar_status ashi_streamed_run(ashlar_plan *plan, const void *alpha, const void *beta, ashlar_error *err);

#endif
