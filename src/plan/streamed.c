/* Plans that stream matrices which do not fit in the ranks' memory from their files. */
#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "engine/nest_items.h"
#include "engine/nest_play.h"
#include "exec/mpi.h"
#include "exec/player.h"
#include "kernel/large.h"
#include "model/bounds.h"
#include "model/rates.h"
#include "plan/node_memory.h"
#include "plan/plan.h"
#include "strategy/strategy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* How often the lanes are heard at least in a step of long products; and a cut of one has at most some 20 ms. */
enum { HEARD_IN_STEP = 4 };
static const int64_t streamed_cut = 500000000;

/* Tasks of all ranks that are played to predict seconds, in about 0.05 s. */
enum { PLAYED_MOST = 25000 };

/* A piece of C if nothing is multiplied: larger ones are not written faster. */
static const int64_t piece_bytes = 16 << 20;

/* ---- files as a program sees them ---- */

/* Whether the rows of the matrix as stored are counted by the first index of the operand's panels: m of A and of C,
 * n of B. */
static bool rows_are_minor(const ashlar_problem *p, int x)
{
    if (x >= ASHLAR_C)
        return true;
    return (x == ASHLAR_A) == ((x == ASHLAR_A ? p->op_a : p->op_b) == ASHLAR_OP_N);
}

bool ashi_streamed_minor(const ashlar_plan *plan, int x)
{
    const ashlar_file *file = plan->filed.file[x];
    return !file || rows_are_minor(&plan->problem, x) == (file->info.order == ASHLAR_COL_MAJOR);
}

static ashlar_status read_panel(void *context, const ashi_panel *panel, void *data, const int64_t *stride,
                                ashlar_error *err)
{
    const ashi_stream_file *f = context;
    const int r = f->rows_are_minor ? 0 : 1, c = 1 - r;
    return ashi_store_read(f->store, panel->lo[r], panel->hi[r] - panel->lo[r], panel->lo[c],
                           panel->hi[c] - panel->lo[c], data, stride[r], stride[c], err);
}

static ashlar_status write_panel(void *context, const ashi_panel *panel, const void *data, const int64_t *stride,
                                 ashlar_error *err)
{
    const ashi_stream_file *f = context;
    return ashi_store_write(f->store, panel->lo[0], panel->hi[0] - panel->lo[0], panel->lo[1],
                            panel->hi[1] - panel->lo[1], data, stride[0], stride[1], err);
}

/* Whether the innermost loop goes along the file's contiguous index. */
static bool goes_on(const ashlar_plan *plan, int x)
{
    const int side = ashi_streamed_minor(plan, x) ? 0 : 1;
    return ashi_dims_of[ashi_min(x, ASHLAR_C)][side] == ashi_nest_loops(&plan->filed.streamed.nest)[2];
}

/* Where the elements of a plain file are, for panels. */
static ashi_plain_file plain_of(const ashlar_plan *plan, int x)
{
    const ashlar_file *file = plan->filed.file[x];
    const ashi_store_plain plain = ashi_store_plain_of(file->store);
    const int64_t across = file->info.order == ASHLAR_COL_MAJOR ? file->info.rows : file->info.cols;
    const bool minor = ashi_streamed_minor(plan, x), turned = !rows_are_minor(&plan->problem, x);
    ashi_plain_file out = {.fd = plain.fd, .path = file->place, .offset = plain.start,
                           .stride = {minor ? 1 : across, minor ? across : 1}, .swapped = plain.swapped,
                           .goes_on = goes_on(plan, x), .direct = plain.direct, .view = plain.view, .turned = turned};
    int64_t first, side[2];
    if (plain.view && ashi_unfolding_is_plain(plain.view, &first, side)) {
        out.offset += first * (int64_t)ashlar_type_bytes(file->info.type);
        out.stride[turned] = side[0];
        out.stride[!turned] = side[1];
        out.view = NULL;
    }
    out.goes_on = out.goes_on && !plain.view;
    return out;
}

ashi_stream_file ashi_streamed_file(const ashlar_plan *plan, int x)
{
    const ashlar_file *file = plan->filed.file[x];
    const ashlar_problem *p = &plan->problem;
    ashi_stream_file out = {0};
    if (!file || !file->store)
        return out;
    ashi_store_expect_parts(file->store);
    out = (ashi_stream_file){.store = file->store, .rows_are_minor = rows_are_minor(p, x)};
    out.source = (ashi_file_source){
        .read = read_panel, .write = x == ASHLAR_C ? write_panel : NULL, .plain = plain_of(plan, x),
        .conjugate = ashi_type_of(p->type)->complex && ((x == ASHLAR_A && p->op_a == ASHLAR_OP_C) ||
                                                        (x == ASHLAR_B && p->op_b == ASHLAR_OP_C))};
    return out;
}

/* ---- planning ---- */

/* Created files have no chunks to be unpacked. Pages are chunks: they take no time of their own if it is known what the
 * disk takes for them, else about that of chunks, so that few of them are cut. */
static ashi_tiling_chunks chunks_of(const ashlar_plan *plan, const ashlar_machine *machine, int x)
{
    const ashlar_file *file = plan->filed.file[x];
    const bool opened = file && file->store && !file->created;
    const ashi_store_chunks packed = opened ? ashi_store_packed(file->store) : (ashi_store_chunks){0};
    const ashi_store_chunks all = opened && packed.rows == 0 ? ashi_store_pages(file->store) : packed;
    const bool minor = rows_are_minor(&plan->problem, x);
    const double pages = machine && ashi_disk_is_given(machine) ? 0 : 1.0 / ASHI_UNPACKED_WORDS;
    return (ashi_tiling_chunks){{minor ? all.rows : all.cols, minor ? all.cols : all.rows},
                                packed.rows > 0 || all.rows == 0 ? ashi_filed_word_seconds(file) : pages,
                                all.word_bytes};
}

/* Whether a function takes C, which cannot give sums back. */
static bool is_taken(const ashlar_plan *plan)
{
    const ashlar_file *c = plan->filed.file[ASHLAR_C];
    return c && c->store && ashi_store_is_made(c->store);
}

/* What there is to be tiled, within `memory_words` words a rank. */
static ashi_tiling_request request_of(const ashlar_plan *plan, int64_t memory_words, const ashlar_machine *machine)
{
    const ashlar_problem *p = &plan->problem;
    const ashi_type *type = ashi_type_of(p->type);
    ashi_tiling_request request = {
        .size = {p->m, p->n, p->k}, .ranks = plan->context->ranks, .threads = ashi_context_threads(plan->context),
        .memory_words = memory_words,
        .bytes = (int64_t)type->bytes, .flops = type->flops, .adds = plan->filed.file[ASHI_FILED_C0] != NULL,
        .apart = plan->filed.local_disks, .stays = is_taken(plan), .machine = machine};
    for (int x = 0; x < 3; x++) {
        request.minor[x] = request.file_minor[x] = ashi_streamed_minor(plan, x);
        request.chunks[x] = chunks_of(plan, machine, x == ASHLAR_C ? ASHI_FILED_C0 : x);
        ashi_streamed_see(plan->filed.file[x], rows_are_minor(p, x), (ashlar_operand)x, &request);
    }
    return request;
}

ashi_nest ashi_streamed_lines(const ashlar_plan *plan, int64_t memory_words, bool adds)
{
    ashi_tiling_request request = request_of(plan, memory_words, NULL);
    request.adds = adds;
    request.size[2] = 0;
    request.memory_words = ashi_max(1, ashi_min(memory_words, piece_bytes / request.bytes));
    return ashi_tiling_lines(&request, plan->filed.file[ASHLAR_C]->info.order == ASHLAR_ROW_MAJOR);
}

/* Played against lanes, if that takes little time; the same on all ranks. */
static ashlar_status predict(const ashlar_plan *plan, const ashi_tiling_request *request, double *seconds,
                             ashlar_error *err)
{
    const ashi_nest *nest = &plan->filed.streamed.nest;
    ashi_joint_request how = {.machine = request->machine, .bytes = request->bytes, .flops = request->flops,
                                    .torus = ashi_context_torus(plan->context, request->machine),
                                    .threads = ashi_context_threads(plan->context),
                                    .ranks_per_core = plan->context->ranks_per_core,
                                    .rates_are_shared = ashi_is_measured(request->machine),
                                    .disk_share = ashi_joint_disk_share(plan->context->ranks_per_core),
                                    .local_disks = request->apart, .disk_threads = ASHI_DISK_THREADS,
                                    .tasks = PLAYED_MOST};
    for (int x = 0; x < 3; x++) {
        how.word_seconds[x] = ashi_filed_word_seconds(plan->filed.file[x]) *
                              ashi_tiling_unpacked(request, nest, (ashlar_operand)x);
        how.disk_threads = how.word_seconds[x] > 0 ? 1 : how.disk_threads; /* one call at a time */
    }
    ashi_joint_play play;
    const ashlar_status status = ashi_nest_play(nest, &how, &play, err);
    *seconds = play.played ? play.seconds : ashi_tiling_predict(request, nest).all;
    return status;
}

static ashlar_status choose(ashlar_plan *plan, const ashlar_options *o, int64_t memory_words, ashlar_error *err)
{
    ashi_streamed *t = &plan->filed.streamed;
    ashi_tiling_request request = request_of(plan, memory_words, o->machine);
    ashlar_status status = ASHLAR_OK;
    request.fewest_words = o->objective == ASHLAR_LEAST_WORDS;
    if (o->grid[0] > 0 && !plan->empty)
        return ashi_fail(err, ASHLAR_ERR_ARG, "--grid is not for the strategy \"sequential\", which finds its own");
    if (plan->empty)
        t->nest = ashi_streamed_lines(plan, memory_words, request.adds);
    else
        status = ashi_tiling_choose(&request, &t->nest, err);
    if (status == ASHLAR_ERR_LIMIT)
        ashi_refuse(plan->context, ashi_tiling_least(&request));
    if (status == ASHLAR_OK)
        status = ashi_nest_total(&t->nest, &t->total, &t->most, err);
    if (status == ASHLAR_OK)
        status = ashi_nest_steps(&t->nest, &t->steps, err);
    if (status == ASHLAR_OK)
        status = predict(plan, &request, &t->seconds, err);
    return status;
}

/* Who reads. */
static const char *readers(const ashlar_plan *plan)
{
    const ashi_nest *n = &plan->filed.streamed.nest;
    if (n->team[0] * n->team[1] > 1)
        return ", each word of a slab by one rank for all";
    if (n->parts[0] * n->parts[1] > 1)
        return plan->filed.local_disks ? ", by each rank from its own disk" : ", by each rank for itself";
    return "";
}

/* What chunks cost, if there are any: how many of their words are read. */
static void explain_chunks(const ashlar_plan *plan, const ashi_tiling_request *q, const ashi_nest *n, char *out,
                           size_t room)
{
    double words = 0, unpacked = 0;
    for (int x = 0; x < 2; x++) {
        const double read = x == ASHLAR_A ? (double)n->size[0] * (double)n->size[2] * (double)n->cut[1]
                                          : (double)n->size[1] * (double)n->size[2] * (double)n->cut[0];
        const bool packed = ashi_filed_word_seconds(plan->filed.file[x]) > 0;
        words += packed ? read : 0;
        unpacked += packed ? read * ashi_tiling_unpacked(q, n, (ashlar_operand)x) : 0;
    }
    out[0] = '\0';
    if (words > 0)
        snprintf(out, room, "; %.1f words of chunks or text are read for each that is wanted", unpacked / words);
}

static void explain(ashlar_plan *plan, const ashi_tiling_request *request, int64_t memory_words)
{
    ashi_streamed *t = &plan->filed.streamed;
    const ashi_nest *n = &t->nest;
    int64_t s[3];
    ashi_nest_shape(n, s);
    if (plan->empty) {
        snprintf(t->reason, sizeof t->reason,
                 "there is nothing to multiply: C is written in tiles of %" PRId64 " x %" PRId64, s[0], s[1]);
        t->which = "every word of C, and of C0 if it is added";
        t->bound = (double)t->total.disk;
        return;
    }
    static const char *const others[3] = {"B and C", "A and C", "A and B"};
    const int rows = n->stays == ASHLAR_B ? 2 : 0, cols = n->stays == ASHLAR_A ? 2 : 1, rest = 3 - rows - cols;
    char chunks[80];
    explain_chunks(plan, request, n, chunks, sizeof chunks);
    snprintf(t->reason, sizeof t->reason,
             "matrices are streamed from the files%s: tiles of %" PRId64 " x %" PRId64
             " of %c stay in memory, slabs %" PRId64 " thick of %s are read past them%s",
             readers(plan), s[rows], s[cols], "ABC"[n->stays], s[rest], others[n->stays], chunks);
    const ashi_stream_file file[3] = {ashi_streamed_file(plan, ASHLAR_A), ashi_streamed_file(plan, ASHLAR_B),
                                      ashi_streamed_file(plan, ASHLAR_C)};
    t->page_bytes = ashi_streamed_say_pages(file, request, n, sizeof t->reason, t->reason);
    const ashi_bound bound = ashi_bound_files(n->size[0], n->size[1], n->size[2],
                                              ashi_mul_most(memory_words, n->ranks));
    t->bound = bound.words;
    t->which = bound.which;
}

/* Slabs are long under way beside a product in memory, and each cut of a product costs. */
static int64_t cut_of(const ashi_nest *nest)
{
    int64_t s[3];
    ashi_nest_shape(nest, s);
    const int64_t part = ashi_mul_most(ashi_mul_most(s[0], s[1]), s[2]) / HEARD_IN_STEP;
    return ashi_max(ASHI_PLAYER_CUT, ashi_min(part, streamed_cut));
}

/* Whether more goes between this node and the files for one tile than the system can have of files beside the ranks'
 * memory. What the next tile reads again is not there any more then. False if nobody knows the system's memory. */
static bool memory_is_short(const ashlar_plan *plan, const ashi_nest *nest)
{
    const ashlar_context *c = plan->context;
    const ashi_nest_turns turns = ashi_nest_turns_of(nest, 0);
    const double bytes = (double)ashlar_type_bytes(plan->problem.type);
    const double tiles = (double)ashi_max(turns.all, 1) / (double)ashi_max(turns.tile, 1);
    const double moved = (double)plan->filed.streamed.total.disk * bytes / tiles / c->ranks * c->node_ranks;
    const double held = (double)ashi_nest_memory(nest) * bytes * c->node_ranks, all = (double)ashi_node_memory();
    return all > 0 && moved > all - held;
}

ashlar_status ashi_streamed_player(const ashlar_plan *plan, const ashi_nest *nest, ashi_program *program,
                                   ashi_player **player, ashi_on_device *on_device, ashlar_error *err)
{
    const ashlar_context *c = plan->context;
    const ashi_on_device_request device = {c, plan->problem.type, program, &plan->machine, plan->c_is_new, false};
    ashi_onto_sums none;
    ashi_onto *onto = NULL;
    ashlar_status status = ashi_nest_program(nest, program, err);
    if (status == ASHLAR_OK)
        status = ashi_on_device_settle(&device, on_device, &onto, &none, err);
    const ashi_player_request request = {.program = program, .rank = c->rank, .type = plan->problem.type,
                                         .comm = c->comm, .tag_most = c->tag_most, .message_most = ASHI_MESSAGE_MOST,
                                         .keeps = ASHI_PLAYER_KEEPS,
                                         .disk_threads = ashi_filed_calls(&plan->filed) ? 0 : ASHI_DISK_THREADS,
                                         .memory_is_short = memory_is_short(plan, nest),
                                         .onto = onto, .threads = onto ? 1 : ashi_context_threads(c),
                                         .workers = onto ? NULL : c->workers,
                                         .blas_threads = ashi_context_blas_threads(c), .others = &c->trace,
                                         .cut = cut_of(nest), .cut_depth = ASHI_PLAYER_CUT_DEPTH,
                                         .cut_columns = ASHI_PLAYER_CUT_COLUMNS, .no_workspace = true};
    return status == ASHLAR_OK ? ashi_player_create(&request, player, err) : status;
}

ashlar_status ashi_streamed_allocate(const ashlar_plan *plan, ashi_streamed *t, ashlar_error *err)
{
    int64_t bytes = 0;
    t->workspace_words = ashi_player_workspace(t->player);
    if (!ashi_mul(t->workspace_words, (int64_t)ashlar_type_bytes(plan->problem.type), &bytes))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "ashlar_plan_create: %" PRId64 " words do not fit in memory",
                         t->workspace_words);
    t->workspace_bytes = (size_t)bytes;
    t->workspace = ashi_large_make(t->workspace_bytes);
    if (!t->workspace)
        return ashi_fail_memory(err, "ashlar_plan_create", bytes);
    ashi_player_use_workspace(t->player, t->workspace);
    return ASHLAR_OK;
}

static ashlar_status prepare(const ashlar_plan *plan, ashi_streamed *t, ashlar_error *err)
{
    const ashlar_status status = ashi_streamed_player(plan, &t->nest, &t->program, &t->player, &t->on_device, err);
    return status == ASHLAR_OK ? ashi_streamed_allocate(plan, t, err) : status;
}

ashlar_status ashi_streamed_make(ashlar_plan *plan, const ashlar_options *o, int64_t memory_words, ashlar_error *err)
{
    const int64_t limit = memory_words > 0 ? memory_words : INT64_MAX;
    ashlar_status status = ashi_agree(plan->context, choose(plan, o, limit, err), err);
    if (status != ASHLAR_OK)
        return status;
    const ashi_tiling_request request = request_of(plan, limit, o->machine);
    plan->filed.streamed.on = true;
    explain(plan, &request, limit);
    return ashi_agree_named(plan->context, prepare(plan, &plan->filed.streamed, err), err);
}

void ashi_streamed_free(ashi_streamed *t)
{
    ashi_player_free(&t->player);
    ashi_program_free(&t->program);
    ashi_large_free(t->workspace, t->workspace_bytes);
    *t = (ashi_streamed){0};
}
