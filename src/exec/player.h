/* Runs a program: each task as soon as those before it have ended, on a network, a disk and the cores at once. */
#ifndef ASHI_PLAYER_H
#define ASHI_PLAYER_H

#include "exec/file_source.h"
#include "exec/onto_device.h"
#include "kernel/part.h"
#include "kernel/tile_run.h"
#include "exec/trace.h"
#include "kernel/workers.h"
#include "search/onto_sums.h"
#include "schedule/ready.h"
#include "schedule/ways.h"

#include <mpi.h>

/* KEEPS: passing a longer program costs little beside what it moves and multiplies. CUT: the least multiply-adds of a
 * cut of a product, 1 to 2 ms of one core. CUT_SHARED: the same if all ranks share memory, where the cores copy the
 * messages and hearing them early hides little. CUT_DEPTH: the least depth of a cut along k, about that of the slabs of
 * BLAS itself. CUT_COLUMNS: the least width of a cut by columns, since BLAS packs A again for each
 * (docs/PERFORMANCE.md, "How products are cut"). */
enum {
    ASHI_PLAYER_KEEPS = 1024,
    ASHI_PLAYER_CUT = 50000000,
    ASHI_PLAYER_CUT_SHARED = 200000000,
    ASHI_PLAYER_CUT_DEPTH = 256,
    ASHI_PLAYER_CUT_COLUMNS = 256
};

/* Threads of a rank at most. */
enum { ASHI_PLAYER_THREADS = ASHI_WORKERS_ROOM / 2 };

typedef struct ashi_player ashi_player;
struct ashi_onto_tiles;
struct ashi_onto_tiles_request; /* exec/onto_tiles.h */

typedef struct ashi_player_request {
    ashi_program *program;   /* outlives the player; a long one is emitted again in each run */
    int64_t rank, look_ahead; /* see ashi_passes_request */
    ashlar_type type;
    MPI_Comm comm;           /* nobody else sends messages over it while the program runs */
    int tag_most;            /* the largest tag, at least 32767, the same on all ranks */
    int64_t message_most;    /* elements of one MPI message, equal on all ranks: ASHI_MESSAGE_MOST, or less in tests */
    int64_t keeps;           /* tasks of the longest program that is kept ready: ASHI_PLAYER_KEEPS, or less in tests */
    int64_t cut, cut_depth, cut_columns; /* with several ranks products are cut, and the lanes are heard in between:
                                least multiply-adds, k and columns of a cut. All 0: ASHI_PLAYER_CUT and its kin */
    int threads;             /* for the tasks of the cores, the calling thread among them: small tasks are cut as for so
                                many, whether there are workers or not. 0 is 1; at most ASHI_PLAYER_THREADS */
    int blas_threads;        /* of the BLAS in a product that is not cut for them; 0: as many as the program has set */
    ashi_workers *workers;   /* NULL: the calling thread does all. They outlive the player; one player at a time has
                                them, for its run */
    ashi_way_sizes sizes;    /* all 0: ASHI_ONE_THREAD and its neighbours, or less in tests */
    int disk_threads;        /* that read and write plain files; 0: the calling thread does it */
    int64_t disk_piece;      /* least bytes for each of several of them that move one box of a plain file; 0: 256 KiB */
    bool memory_is_short;    /* the system's memory of files is too small for what is read to be there when it is read
                                again (careful.h) */
    bool one_sided;          /* messages are put into MPI's window, which is the workspace: see ashi_player_open */
    bool one_node;           /* all ranks of comm share memory */
    bool crowded;            /* there are more ranks than cores: who waits for messages leaves its core to others. Not
                                for short programs, whose waits end before a sleep would */
    bool no_workspace;       /* the caller will give it; not with one_sided */
    bool later;              /* a program of tiles: the player has neither its pool nor the buffers for multiplying
                                until ashi_player_provide, and knows before how large both are */
    const ashi_tile_run *tiles; /* of a program of tiles, one for each of its terms; else NULL */
    const struct ashi_onto_tiles_request *tiles_device; /* of a program of tiles, none of which has a rank: what makes
                                its products; NULL: the cores. Read while the player is made */
    ashi_onto *onto;         /* products of boxes are made by a device; then there is one thread. NULL: by the cores */
    const ashi_onto_sums *sums; /* of the program, that stay on the device; NULL: none. They outlive the player */
    ashi_trace *trace;       /* NULL: none; outlives the player */
    ashi_trace *const *others; /* NULL, or where the trace is found of runs that have none of their own */
    /* NULL, or for tests and measurements: seconds that the calling thread rests before it begins a message. */
    double (*rests)(void *context, int64_t rank, const ashi_task *task);
    void *rests_context;
    uint64_t disorder;       /* for tests: not 0 is a seed: ready tasks begin in random order, some late, and every send
                                is synchronous */
} ashi_player_request;

/* What one run works on. */
typedef struct ashi_player_work {
    const void *alpha, *beta;  /* one element each. alpha is not zero: a program of products reads A and B */
    ashi_part part[3];         /* of operands in the caller's arrays; C's is written to. Of tiles: where the rank's own
                                  begin, aligned to their elements */
    const ashi_term_work *terms; /* of a program of tiles: alpha, and A's and B's parts, for each of its terms; NULL:
                                  there is one, and alpha and part say it */
    const ashi_file_source *file[ASHI_FILES]; /* of operands in files, else NULL */
    void (*progress)(void *user, int64_t done, int64_t all); /* NULL, or called as steps end,
                                                                  unless a rank has failed */
    void *user;
} ashi_player_work;

/* What one run moved and held, on this rank. Words are elements. */
typedef struct ashi_player_tally {
    int64_t received, received_messages, sent_messages;
    int64_t received_bytes;
    int64_t letters;       /* credits and notes sent, of one-sided transport; no messages */
    int64_t read, written; /* of files */
    int64_t workspace;     /* words, up to the end of the panel that reaches furthest */
    int64_t buffers;       /* words of the buffers that products of tiles share */
    double seconds;
    bool drained;          /* another rank failed, and words that this one waited for did not come */
} ashi_player_tally;

/* Pass through the program once: the words of the pool are found, room for all that a run needs is made, and a short
 * program is kept ready. Local. ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW; errors of the program. */
ashlar_status ashi_player_create(const ashi_player_request *request, ashi_player **out, ashlar_error *err);

/* With one_sided, make the window; else do nothing. Collective, once every rank has its player; the status is this
 * rank's own. ASHLAR_ERR_MPI. */
ashlar_status ashi_player_open(ashi_player *player, ashlar_error *err);

/* Tags of messages: 0 to one less. With one_sided those above are for credits. */
static inline int64_t ashi_player_tags(const ashi_player_request *request)
{
    const int64_t tags = (int64_t)request->tag_most + 1;
    return request->one_sided ? tags / 2 : tags;
}

/* Words of the pool that a run uses. */
int64_t ashi_player_workspace(const ashi_player *player);

/* About what the player allocated, the pool among it: all that grows with the program. */
int64_t ashi_player_bytes(const ashi_player *player);

/* Of a program of tiles: tiles of A and B in products that are kept ready. */
int64_t ashi_player_ready_tiles(const ashi_player *player);

/* Of a program of tiles: words of the buffers that its products share, once they are made. */
int64_t ashi_player_buffers(const ashi_player *player);

/* Of a program of tiles: what makes its products if the request has a device, else NULL: it says the words that a run
 * will take, and those of the last run. From now on they are made by it, as at first, or by the cores. */
const struct ashi_onto_tiles *ashi_player_tiles_device(const ashi_player *player);
void ashi_player_use_tiles_device(ashi_player *player, bool used);

/* Make what a player whose request says `later` has not made. Local. ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW. */
ashlar_status ashi_player_provide(ashi_player *player, ashlar_error *err);

/* Work in the caller's memory from now on: as many words as ashi_player_workspace says. Not with one_sided. */
void ashi_player_use_workspace(ashi_player *player, void *workspace);

/* Whether there is the memory that a run needs. */
bool ashi_player_is_ready(const ashi_player *player);

/* Record from now on what runs do; NULL: no longer. The trace outlives that. */
void ashi_player_record(ashi_player *player, ashi_trace *trace);

/* Run the program of all ranks. Collective; the status is this rank's own, and the caller lets the ranks agree: if one
 * rank fails the others end too, without a result. What C holds then is not specified.
 * ASHLAR_OK, also on a rank that was sent nothing because another had failed; ASHLAR_ERR_IO; ASHLAR_ERR_MPI;
 * ASHLAR_ERR_MEMORY; ASHLAR_ERR_INTERNAL. */
ashlar_status ashi_player_run(ashi_player *player, const ashi_player_work *work, ashi_player_tally *tally,
                              ashlar_error *err);

/* Whether the device failed in the last run while it had sums, so that products of this rank are missing in C of some
 * ranks. Then all ranks have to run once more to make them, on the host: with the same memory and alpha. Collective;
 * status and tally as of a run. */
bool ashi_player_lost(const ashi_player *player);
ashlar_status ashi_player_mend(ashi_player *player, const ashi_player_work *work, ashi_player_tally *tally,
                               ashlar_error *err);

/* NULL does nothing. Local; collective with one_sided. */
void ashi_player_free(ashi_player **player);

#endif
