/** Plans: choose how to multiply, say why, and do it any number of times. Needs MPI. */
#ifndef ASHLAR_PLAN_H
#define ASHLAR_PLAN_H

#include <ashlar/base.h>
#include <ashlar/context.h>
#include <ashlar/files.h>
#include <ashlar/layout.h>
#include <ashlar/machine.h>
#include <ashlar/move.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A product, planned: who computes what, what is sent when, and the memory for it. */
typedef struct ashlar_plan ashlar_plan;

/** What is to be done: C <- alpha op(A) op(B) + beta C, op(A) m x k, op(B) k x n, C m x n. Equal on all ranks. */
typedef struct ashlar_problem {
    size_t size;            /**< sizeof(ashlar_problem), or 0: see base.h */
    ashlar_type type;       /**< of all three matrices; ASHLAR_TYPE_H or ASHLAR_TYPE_B: of A and B, while C, alpha, beta
                                 and sums are float. Words are elements then too: of A and B they have 2 bytes in
                                 messages and in the caller's memory, of C 4; a word of workspace has 4. Products are
                                 exact in float, and sums are rounded as those of float. A plan holds 3 MiB beside its
                                 workspace for each thread that multiplies. A file of A or B is one of float16, for
                                 ASHLAR_TYPE_H alone; what is in files is not streamed. Seconds are predicted as if all
                                 words had 2 bytes, except those of devices, which are exact in this. */
    ashlar_op op_a;         /**< what op(A) means */
    ashlar_op op_b;         /**< what op(B) means */
    int64_t m;              /**< rows of op(A) and C; at least 0 */
    int64_t n;              /**< columns of op(B) and C; at least 0 */
    int64_t k;              /**< columns of op(A), rows of op(B); at least 0 */
    const ashlar_layout *a; /**< how A is laid out, as stored, before op. NULL here or below asks for the plan's own
                                 layout, in which nothing need be moved first: see
                                 ashlar_plan_layout. */
    const ashlar_layout *b; /**< how B is laid out, as stored, before op; or NULL */
    const ashlar_layout *c; /**< how C is laid out; or NULL */
    ashlar_file *a_file;    /**< NULL: A is in memory; else an opened file that A, as stored, is read from. It outlives
                                 the plan, as those below do; the layout of what is in a file is NULL. */
    ashlar_file *b_file;    /**< the same for B */
    ashlar_file *c_file;    /**< NULL: C is in memory; else a created file that C is written to */
    ashlar_file *c0_file;   /**< an opened file that C is read from, which only executions with beta other than 0 do;
                                 NULL: such executions fail if C is in a file. NULL if C is in memory */
} ashlar_problem;

/** What a plan is chosen for. */
typedef enum ashlar_objective {
    ASHLAR_LEAST_TIME = 0, /**< the least predicted seconds */
    ASHLAR_LEAST_WORDS = 1 /**< the fewest words received by the busiest rank; of matrices that are streamed from files,
                                the fewest words of files, to within 5 % */
} ashlar_objective;

/** How words travel between ranks. */
typedef enum ashlar_transport {
    ASHLAR_TWO_SIDED = 0, /**< MPI_Isend and MPI_Irecv */
    ASHLAR_ONE_SIDED = 1  /**< puts into a window that is allocated with the plan: in memory that the ranks share if
                               they are on one node. The receiver sends a credit when it has a place for a message, and
                               the sender a note when the message is there; figures do not count these. Open MPI 4
                               may crash if communicators without a common rank, of which each has several ranks on a
                               node and ranks on other nodes, make plans at once; mpirun --mca osc ^rdma avoids
                               that. */
} ashlar_transport;

/** How a block that several ranks need leaves its owner, and how partial sums come together. */
typedef enum ashlar_route {
    ASHLAR_ROUTE_DIRECT = 0, /**< the owner sends to each; each sends its part to the owner */
    ASHLAR_ROUTE_TREE = 1,   /**< along a binomial tree of the ranks that need it; one-sided transport goes direct */
    ASHLAR_ROUTE_AUTO = 2,   /**< direct, unless owners would send much more than others receive and a tree is
                                  predicted to take less time */
    ASHLAR_ROUTE_RECTANGULAR = 3 /**< for a torus (ashlar_machine.torus, or that of the context's communicator). If the
                                  owner of a block and the ranks that need it are a sub-torus, that is all ranks that
                                  agree in some of the coordinates, the block is cut into shares, each of which goes
                                  along a spanning tree of its own from neighbour to neighbour; all links of the
                                  sub-torus are used. Other blocks, and partial sums, go as by ASHLAR_ROUTE_TREE.
                                  Source: Watts and van de Geijn, Parallel Processing Letters 5, 1995; Solomonik,
                                  Bhatele and Demmel, SC 2011. */
} ashlar_route;

/** Options of a plan. Fill with ashlar_options_default first, then change what is to differ. Equal on all ranks. */
typedef struct ashlar_options {
    size_t size;                /**< sizeof(ashlar_options), or 0: see base.h */
    const char *strategy;       /**< NULL: choose among those that are compared: "cosma", "summa", "2.5d", "carma" and
                                     "uneven"; else the name of any (see ashlar_strategy_name). One that cannot serve
                                     the problem makes ashlar_plan_create fail with ASHLAR_ERR_UNSUPPORTED */
    ashlar_objective objective; /**< ASHLAR_LEAST_TIME */
    ashlar_transport transport; /**< ASHLAR_TWO_SIDED */
    ashlar_route route;         /**< ASHLAR_ROUTE_AUTO */
    int64_t memory_words;       /**< 0: the default promise; else the most words a rank may hold at once, its shares of
                                     A, B and C included, and of its device's what ashlar_context_set_device says */
    double idle;                /**< the most ranks that may idle, as a part of all: 0.03 */
    int window;                 /**< rounds in flight, 16 at most; 1 is bulk-synchronous; 0: as the strategy would have
                                     it, 2 for most */
    bool caller_workspace;      /**< false: the plan allocates its workspace when it is made; true: it allocates none
                                     and waits for ashlar_plan_use_workspace (two-sided transport and matrices in memory
                                     only) */
    bool trusted;               /**< false: executions check their arguments and all ranks agree on errors; true: the
                                     caller has seen to it, and ashlar_plan_use_workspace and executions neither check
                                     nor agree: they communicate only the data itself and are not timed
                                     (ashlar_plan_measured has 0 seconds). A wrong argument is then undefined
                                     behaviour. If a matrix is in a file this has no effect. */
    int64_t node_ranks;         /**< 0: ranks that share memory are on one node; else the ranks of a node: this many,
                                     one after the other; for strategies that work at two levels */
    int64_t grid[3];            /**< all 0: search; else pm, pn, pk to be used: of ranks, or of nodes by "cosma_tpmm"
                                     and "summa_tpmm" */
    const ashlar_machine *machine; /**< NULL: ashlar_machine_default; else figures to predict seconds from, which are
                                     copied when the plan is made */
    double checkpoint_seconds;  /**< if C is in a file and goes through memory in pieces: seconds between two records of
                                     what a rank has finished of C (see ashlar_file_resume). At least 0; 0: 10
                                     seconds, or 32 times what the last record took if that is longer, so that a run
                                     takes at most a few per cent more */
    int64_t local_disks;        /**< if matrices are streamed from files: 1: each rank has a disk of its own, with the
                                     input files under the same names, and reads for itself all that it needs; 0: the
                                     ranks share a disk and read each word once for all, unless the machine's figures
                                     say that the disk beats the network */
    const char *scratch;        /**< for contractions of tensors in files: the folder for scratch files. NULL: that of
                                     the environment variable ASHLAR_SCRATCH, else that of the result. Each rank's own;
                                     all ranks see its files */
} ashlar_options;

/** What ashlar_options_default calls: fill a structure of `size` bytes. */
ASHLAR_API void ashlar_options_default_sized(ashlar_options *out, size_t size);

/** The options described above. */
static inline ashlar_options ashlar_options_default(void)
{
    ashlar_options options;
    ashlar_options_default_sized(&options, sizeof options);
    return options;
}

/** The figures of a plan or of a run: words are elements, received from other ranks. */
typedef struct ashlar_figures {
    int64_t words_max;    /**< words the busiest rank receives */
    double words_mean;    /**< mean over all ranks of the problem, idle ones included */
    int64_t words_total;  /**< over all ranks */
    int64_t messages_max; /**< messages of the busiest rank: the larger of those it sends and those it receives */
    int64_t memory_words; /**< most words a rank holds at once: shares of A, B, C and workspace, and what
                               ashlar_context_set_device says of its device's. Measured: of the latter what is held,
                               which may be less */
    int64_t disk_words;   /**< words read from and written to files, over all ranks; predicted as if beta were not 0 */
    double seconds;       /**< predicted or measured; without the next two */
    double read_seconds;  /**< of reading matrices from files before the product; 0 if they go through memory in pieces,
                               which is part of the seconds */
    double write_seconds; /**< of writing C to its file after the product; 0 likewise */
    double resumed;       /**< measured: the part of the product, 0 to 1, that an earlier run had finished (see
                               ashlar_file_resume); words and seconds are those of the rest. Predicted: 0 */
} ashlar_figures;

/** What was decided and why, of a plan. Strings are valid as long as the plan. */
typedef struct ashlar_explanation {
    const char *strategy;      /**< the chosen strategy's name; of matrices that go through memory slab by slab, that
                                    of the first slab, as is the grid */
    const char *reason;        /**< one sentence: why */
    int64_t grid[3];           /**< pm, pn, pk; all 0 if the boxes are not those of a grid */
    int64_t ranks_used;        /**< ranks that multiply */
    int64_t rounds;            /**< slabs of k, one after the other */
    double bound_words;        /**< least words any schedule's busiest rank must receive */
    const char *bound_case;    /**< which case of whose theorem */
    int64_t relayout_words;    /**< words of the busiest rank if the matrices were first moved into the plan's own
                                    layout and C back, for comparison */
    int64_t workspace_words;   /**< of this rank */
    const char *warning;       /**< NULL, or a sentence about threads and cores the user should see */
    double bound_disk_words;   /**< if what is in files goes through memory in pieces, least words all ranks must read
                                    and write; else 0 */
    const char *bound_disk_case; /**< by which bound; NULL if it does not */
} ashlar_explanation;

/**
 * Choose how to multiply and prepare it: checks, choice, exchange lists and memory.
 *
 * @param context  outlives the plan
 * @param problem, options  options may be NULL for the default; neither is kept
 * @param out      the plan, freed by ashlar_plan_free; NULL on failure
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (a negative size, layouts or files that do not fit the
 *         problem, layouts that own ranks that do not exist, a leading dimension too small, a structure's size that no
 *         version has or a member that this one lacks, ranks that disagree); ASHLAR_ERR_LIMIT (memory_words cannot be
 *         kept: ashlar_context_memory_words has what can); ASHLAR_ERR_UNSUPPORTED; ASHLAR_ERR_OVERFLOW;
 *         ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI
 *
 * Matrices in files are read whole, multiplied in memory and written, if memory_words suffices for that. If not, and if
 * A, B and C are all in files, they are streamed: the strategy is "sequential". A tile of A, of B or of C stays in the
 * memory of the ranks, and slabs of the other two go past it, so that three words a rank are enough. The plan then has
 * no layouts. If some are in files and the others in memory, what is in files goes through memory slab by slab: slabs
 * are cut along one of m, n and k that all of it has, so that each word of a file is moved once, and the product of
 * each is planned as one in memory. If memory_words has room for two slabs, the next is read, and the last one written,
 * while one is multiplied. ASHLAR_ERR_LIMIT says which limit would do for slabs of one row or column. Such a plan has
 * layouts for what is in memory; if they are its own they have a set of tiles for each slab.
 *
 * A plan has memory of its own for what is in files, which memory_words includes; beside it at most 32 MiB a
 * rank are held for reading and writing. For an HDF5 data set with filters whose chunks are larger than 5 MiB three of
 * them are taken off the limit.
 *
 * Collective over the context's communicator.
 * Source: Kwasniewski et al., SC 2019 (COSMA), sections 6.3 and 7.
 */
ASHLAR_API ashlar_status ashlar_plan_create(ashlar_context *context, const ashlar_problem *problem,
                                            const ashlar_options *options, ashlar_plan **out, ashlar_error *err);

/**
 * Free a plan and set the pointer to NULL. NULL does nothing. Collective; after MPI_Finalize local, and what belongs to
 * MPI is left to it.
 */
ASHLAR_API void ashlar_plan_free(ashlar_plan **plan);

/** What ashlar_plan_explain calls: `out` is a structure of `size` bytes. */
ASHLAR_API ashlar_status ashlar_plan_explain_sized(const ashlar_plan *plan, ashlar_explanation *out, size_t size,
                                                   ashlar_error *err);

/** What was decided and why. Local. @return ASHLAR_OK; ASHLAR_ERR_ARG (NULL) */
static inline ashlar_status ashlar_plan_explain(const ashlar_plan *plan, ashlar_explanation *out, ashlar_error *err)
{
    return ashlar_plan_explain_sized(plan, out, sizeof *out, err);
}

/** What ashlar_plan_predicted calls: `out` is a structure of `size` bytes. */
ASHLAR_API ashlar_status ashlar_plan_predicted_sized(const ashlar_plan *plan, ashlar_figures *out, size_t size,
                                                     ashlar_error *err);

/**
 * What an execution will move, hold and take, over all ranks. Words, messages and memory are exact for executions whose
 * alpha is not 0; with alpha = 0 nothing is sent and the workspace is not used. The seconds are a prediction. Local.
 * @return ASHLAR_OK; ASHLAR_ERR_ARG (NULL)
 */
static inline ashlar_status ashlar_plan_predicted(const ashlar_plan *plan, ashlar_figures *out, ashlar_error *err)
{
    return ashlar_plan_predicted_sized(plan, out, sizeof *out, err);
}

/**
 * The layout in which the plan takes a matrix: the caller's own, or the plan's if that was NULL;
 * ashlar_layout_list_tiles lists its tiles. Local; valid as long as the plan; NULL for a wrong argument, and for a
 * matrix that goes through memory in pieces.
 */
ASHLAR_API const ashlar_layout *ashlar_plan_layout(const ashlar_plan *plan, ashlar_operand operand);

/**
 * Elements of workspace, of type ashlar_type_of_sums, that this rank's plan needs beside the matrices: allocated with
 * the plan, or with ashlar_options.caller_workspace to be given. If what is in files goes through memory in pieces, it
 * is all that the rank holds of that too. Local; 0 for NULL.
 */
ASHLAR_API int64_t ashlar_plan_workspace(const ashlar_plan *plan);

/**
 * Let the plan work in the caller's memory from now on, and free its own.
 *
 * @param workspace  ashlar_plan_workspace elements of type ashlar_type_of_sums, aligned for it; stays the caller's and
 *                   must stay valid until the plan is freed; it may be NULL if no element is needed
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL if elements are needed; a plan with
 *         ASHLAR_ONE_SIDED, whose workspace is the window; a plan with matrices in files)
 *
 * Collective; local with ashlar_options.trusted.
 */
ASHLAR_API ashlar_status ashlar_plan_use_workspace(ashlar_plan *plan, void *workspace, ashlar_error *err);

/**
 * Let this rank's part of a planned matrix have another leading dimension from now on. Nothing is planned anew: what
 * ranks send each other does not depend on it.
 *
 * @param operand  a matrix whose layout was given, and is block-cyclic
 * @param ld       in elements, as for ashlar_layout_block_cyclic
 * @return ASHLAR_OK; ASHLAR_ERR_ARG (also if the plan's transport is ASHLAR_ONE_SIDED, or what is in files goes through
 *         memory slab by slab); ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MEMORY. If it fails the plan is as before.
 *
 * Local: other ranks need not make the call. This rank's ashlar_plan_workspace may change, by what must be packed
 * before it is sent; if the workspace is the caller's, it is to be given again.
 */
ASHLAR_API ashlar_status ashlar_plan_set_ld(ashlar_plan *plan, ashlar_operand operand, int64_t ld, ashlar_error *err);

/**
 * Follow an execution: `progress` is called on this rank, by the thread that executes, after each step of
 * the schedule with the number of steps done and of all; it may not call Ashlar or MPI. If matrices are in files, words
 * read, multiplied and written are counted instead of steps. NULL ends it. Local.
 */
ASHLAR_API void ashlar_plan_on_progress(ashlar_plan *plan, void (*progress)(void *user, int64_t done, int64_t all),
                                        void *user);

/**
 * C <- alpha op(A) op(B) + beta C, as planned.
 *
 * @param alpha, beta  one element each of the type of C (ashlar_type_of_sums), equal on all ranks. beta = 0: C is not
 *                     read. alpha = 0 or k = 0: A and B are not read and nothing is sent.
 * @param a, b         this rank's parts, laid out as ashlar_plan_layout says; only read. NULL for what is in a file.
 * @param c            this rank's part; must not overlap a or b. NULL if C is in a file, and allowed if this rank owns
 *                     nothing.
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL although elements are owned, overlapping arrays, a
 *         workspace of the caller's that was not given, alpha or beta that differ between ranks, an array for what is
 *         in a file, beta other than 0 with c_file and without c0_file, a C of ashlar_file_resume
 *         that an earlier run made otherwise; C untouched); ASHLAR_ERR_LIMIT (operands are on a device, and their
 *         copies take more than the limit of the plan leaves; C untouched);
 *         ASHLAR_ERR_IO, ASHLAR_ERR_MEMORY (with files only; the file of C cannot be published);
 *         ASHLAR_ERR_MPI (C unspecified, the plan good only for freeing)
 *
 * Collective. With all matrices in memory it allocates nothing, or with operands on a device the memory for their
 * copies, which the context keeps. May be called any number of times; same input, same bits. If C is in a file, that
 * file is published by the caller.
 */
ASHLAR_API ashlar_status ashlar_plan_execute(ashlar_plan *plan, const void *alpha, const void *a, const void *b,
                                             const void *beta, void *c, ashlar_error *err);

/**
 * The same for tiles in memory of their own: one pointer for each tile of this rank, in the numbering of
 * ashlar_layout_tiles, to its first element. A block-cyclic layout has one tile, whose pointer is that of
 * ashlar_plan_execute: of a submatrix it is the whole matrix's array. The arrays are read during the call only. Tiles
 * of ashlar_layout_tiles are not compared: that C's overlap none of A and B is the caller's care.
 */
ASHLAR_API ashlar_status ashlar_plan_execute_tiles(ashlar_plan *plan, const void *alpha, const void *const *a,
                                                   const void *const *b, const void *beta, void *const *c,
                                                   ashlar_error *err);

/**
 * Record from now on what this plan's executions do and when, for ashlar_plan_trace_end. If that is done already, what
 * was recorded is forgotten and recording begins anew.
 *
 * @param events  for how many events each rank allocates memory, 56 bytes each; later ones are counted, but not kept.
 *                0: 131072. A message is an event, and so are each product, each copy and each wait.
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL, events below 0); ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI.
 *         If it fails nothing is recorded.
 *
 * Collective: the clocks of all ranks are compared with that of rank 0 by messages of one number. Recording adds less
 * than a microsecond to each event, and nothing while it is off.
 */
ASHLAR_API ashlar_status ashlar_plan_trace_begin(ashlar_plan *plan, int64_t events, ashlar_error *err);

/**
 * End recording, and write what was recorded since ashlar_plan_trace_begin to a file in the Chrome trace event format,
 * which Perfetto (ui.perfetto.dev) and `ashlar trace` read.
 *
 * One process of the file is one rank, and one thread is one lane of it. Times are microseconds of rank 0's clock since
 * recording began. An event has the step of the schedule, its words (of a product: its multiply-adds) and, if it is a
 * message, the other rank. What threads of a rank did at the same time is in several rows of a lane, "cores" and
 * "cores 2". Lane "cores": multiply, copy, pack, unpack, add, scale, poll (MPI is asked to go on), and
 * "wait for network" while the calling thread waits; the wait has the words and the rank of the message that ended it.
 * Lane "network": receive and send, from the call that begins the message to the moment at which the rank finds it
 * done; with ASHLAR_ONE_SIDED a send begins when the receiver has allowed it. Lane "disk": read and write of matrices
 * in files, during which the cores "wait for disk". Products on a device are in three more lanes, while the cores "wait
 * for device": "device in" and "device out" have copies to it and back, "device" its products. There an event ends when
 * the host has seen that, 50 us late or more, and begins when it was put into the device's queue, or when what it waits
 * for had ended.
 *
 * @param path  the file, written by rank 0; an existing file is replaced once the new one is complete. NULL, on all
 *              ranks: nothing is written.
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (a NULL plan, recording was not begun, or ranks disagree
 *         about whether path is NULL); ASHLAR_ERR_IO; ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI. Recording has ended whatever
 *         is returned.
 *
 * Collective.
 */
ASHLAR_API ashlar_status ashlar_plan_trace_end(ashlar_plan *plan, const char *path, ashlar_error *err);

/** What ashlar_plan_measured calls: `out` is a structure of `size` bytes. */
ASHLAR_API ashlar_status ashlar_plan_measured_sized(ashlar_plan *plan, ashlar_figures *out, size_t size,
                                                    ashlar_error *err);

/**
 * What the last execution moved, held and took, over all ranks: the measured figures, beside those of
 * ashlar_plan_predicted. Collective. @return ASHLAR_OK; ASHLAR_ERR_ARG (NULL); ASHLAR_ERR_MPI
 */
static inline ashlar_status ashlar_plan_measured(ashlar_plan *plan, ashlar_figures *out, ashlar_error *err)
{
    return ashlar_plan_measured_sized(plan, out, sizeof *out, err);
}

/**
 * What a plan takes of the ranks' devices (ashlar_context_set_device), and what its last execution took. Words are
 * elements; maxima are of the busiest rank. Predicted are words of the ranks that multiply on a device; if none does,
 * since the host is predicted to be as fast, of those that could. Strings are valid as long as the plan.
 */
typedef struct ashlar_device_figures {
    const char *name;       /**< of this rank's device, such as "cuda:1"; NULL: it has none */
    const char *rule;       /**< why it has this one, or none; NULL if it was never asked for one */
    const char *warning;    /**< NULL, or a sentence: ranks share a device while another one is not used */
    const char *failure;    /**< NULL, or why a device failed in an execution so far: the host has finished its work */
    int64_t ranks;          /**< that multiply on a device */
    int64_t words_in_max;   /**< predicted: words copied to the busiest rank's device, */
    int64_t words_in_total; /**< to all devices, */
    int64_t words_out_max;  /**< from the busiest rank's device, */
    int64_t words_out_total; /**< and from all */
    int64_t memory_words;   /**< predicted: the most words of its device that a rank holds */
    double seconds;         /**< predicted: of the slowest rank's products on its device, with their copies, */
    double host_seconds;    /**< and of the slowest of the same ranks' products if the host alone made them */
    int64_t measured_in_max;        /**< words that the last execution copied to the busiest rank's device, */
    int64_t measured_in_total;      /**< to all devices, */
    int64_t measured_out_max;       /**< from the busiest rank's device, */
    int64_t measured_out_total;     /**< and from all */
    int64_t measured_memory_words;  /**< the most words of its device that a rank held since it has it */
    int64_t measured_host_products; /**< multiply-adds that the host did because a device failed */
    int64_t staged_words;           /**< the most words of the host that a rank needs for copies of operands which are
                                         on its device, in ashlar_plan_execute */
    int64_t measured_staged_words;  /**< that the last execution needed, of the rank that needed most */
} ashlar_device_figures;

/** What ashlar_plan_device calls: `out` is a structure of `size` bytes. */
ASHLAR_API ashlar_status ashlar_plan_device_sized(ashlar_plan *plan, ashlar_device_figures *out, size_t size,
                                                  ashlar_error *err);

/**
 * What a plan and its last execution take of devices, over all ranks. Words and memory are exact for executions whose
 * alpha and beta are not 0; if C is in a file and is read from none, for beta = 0. The seconds are a prediction, from
 * what a device states of itself, else from the machine's figures. All is 0 without a device.
 * @return ASHLAR_OK; ASHLAR_ERR_ARG (NULL); ASHLAR_ERR_MPI
 *
 * Collective.
 */
static inline ashlar_status ashlar_plan_device(ashlar_plan *plan, ashlar_device_figures *out, ashlar_error *err)
{
    return ashlar_plan_device_sized(plan, out, sizeof *out, err);
}

/**
 * A product in one call: context, plan, execution, and all is freed. If ashlar_context_keep has kept a context on comm,
 * that one is used and stays. Parameters and errors are those of ashlar_context_create, ashlar_plan_create and
 * ashlar_plan_execute. Collective over comm.
 */
ASHLAR_API ashlar_status ashlar_multiply(MPI_Comm comm, const ashlar_problem *problem, const ashlar_options *options,
                                         const void *alpha, const void *a, const void *b, const void *beta, void *c,
                                         ashlar_error *err);

/** The name of strategy number i, counted from 0; NULL beyond the last. Local. */
ASHLAR_API const char *ashlar_strategy_name(int i);

/** One line about strategy number i; NULL beyond the last. Local. */
ASHLAR_API const char *ashlar_strategy_summary(int i);

#ifdef __cplusplus
}
#endif
#endif
