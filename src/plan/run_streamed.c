/* Executing plans that stream: from where an earlier run ended, in one program or epoch after epoch. */
#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "kernel/kernels.h"
#include "plan/looped.h"
#include "plan/resume.h"

#include <inttypes.h>
#include <stdio.h>

/* Where a program has sums that are not complete. */
typedef enum place_of_sums { IN_C0, IN_C, BESIDE_C } place_of_sums;

/* An execution in progress. */
typedef struct streaming {
    ashlar_plan *plan;
    const void *alpha, *beta;
    ashi_nest nest;        /* of all items */
    ashi_resume resume;
    ashi_nest_turns turns; /* of this rank, and of the first, which has the most items */
    ashi_nest_turns most;
    int64_t from, to;      /* the items of the program that runs */
} streaming;

/* ---- one program ---- */

/* Steps of a program have ended. What they have written is finished if no sum is half made after it. */
static void stepped(void *context, int64_t done, int64_t all)
{
    streaming *s = context;
    const ashi_filed *f = &s->plan->filed;
    const int64_t written = s->from + done - 2 * s->nest.ahead, items = ashi_min(written, s->turns.all);
    (void)all;
    if (f->progress)
        f->progress(f->user, s->from + done, s->most.all + 2 * s->nest.ahead);
    if (s->resume.epoch == 0 && s->turns.sums > 0 && items > s->from)
        ashi_resume_offer(&s->resume, items - items % s->turns.sums);
}

/* The file beside C's, whose elements lie as C's. */
static void look_beside(const streaming *s, const ashi_stream_file *c, ashi_stream_file *out)
{
    *out = *c;
    out->source.plain.fd = s->resume.sums;
    out->source.plain.offset = 0;
    out->source.plain.swapped = false;
    out->source.plain.direct = NULL;
}

static ashlar_status play(streaming *s, ashi_player *player, place_of_sums reads, place_of_sums writes,
                          ashlar_error *err)
{
    static const ashi_file_role role[4] = {ASHI_FILE_A, ASHI_FILE_B, ASHI_FILE_C, ASHI_FILE_C0};
    ashi_filed *f = &s->plan->filed;
    ashi_player_tally *t = &s->plan->tally;
    ashi_stream_file file[5] = {{0}};
    ashi_player_work work = {.alpha = s->alpha, .beta = s->beta, .progress = stepped, .user = s};
    ashi_player_tally tally = {0};
    for (int x = 0; x < 4; x++) {
        file[x] = ashi_streamed_file(s->plan, x);
        file[x].source.file = &file[x];
        if (file[x].store && (x < 3 || s->nest.adds))
            work.file[role[x]] = &file[x].source;
    }
    look_beside(s, &file[ASHLAR_C], &file[4]);
    if (reads != IN_C0)
        work.file[ASHI_FILE_C0] = &file[reads == IN_C ? (int)ASHLAR_C : 4].source;
    if (writes == BESIDE_C)
        work.file[ASHI_FILE_C] = &file[4].source;
    ashi_player_record(player, s->plan->trace);
    const ashlar_status status = ashi_player_run(player, &work, &tally, err);
    t->received += tally.received;
    t->received_messages += tally.received_messages;
    t->sent_messages += tally.sent_messages;
    t->workspace = ashi_max(t->workspace, tally.workspace);
    f->tally.read += tally.read;
    f->tally.written += tally.written;
    return status;
}

/* Play another program than the planned one, in its memory. All ranks begin to play or none. */
static ashlar_status play_other(streaming *s, const ashi_nest *nest, place_of_sums reads, place_of_sums writes,
                                ashlar_error *err)
{
    const ashi_streamed *t = &s->plan->filed.streamed;
    ashi_program program = {0};
    ashi_player *player = NULL;
    ashi_on_device on_device;
    ashlar_status status = ashi_streamed_player(s->plan, nest, &program, &player, &on_device, err);
    if (status == ASHLAR_OK && ashi_player_workspace(player) > t->workspace_words)
        status = ashi_fail(err, ASHLAR_ERR_INTERNAL, "stream: %" PRId64 " words are needed, %" PRId64 " are there",
                           ashi_player_workspace(player), t->workspace_words);
    status = ashi_agree_named(s->plan->context, status, err);
    if (status == ASHLAR_OK) {
        ashi_player_use_workspace(player, t->workspace);
        status = play(s, player, reads, writes, err);
    }
    ashi_player_free(&player);
    ashi_program_free(&program);
    return status;
}

/* Items from .. to - 1 of the nest. */
static ashlar_status play_items(streaming *s, int64_t from, int64_t to, place_of_sums reads, place_of_sums writes,
                                ashlar_error *err)
{
    ashi_nest part = s->nest;
    part.from = s->from = from;
    part.to = s->to = to;
    return play_other(s, &part, reads, writes, err);
}

/* ---- epochs ---- */

/* The sums of the last epoch go to C's file, those before by turns. */
static place_of_sums place_of(int64_t epochs, int64_t epoch)
{
    return (epochs - 1 - epoch) % 2 == 0 ? IN_C : BESIDE_C;
}

static ashlar_status play_epochs(streaming *s, ashlar_error *err)
{
    const ashi_nest_turns *t = &s->most;
    const int64_t length = s->resume.epoch * t->tile, epochs = ashi_ceil_div(t->sums, length);
    ashlar_status status = ASHLAR_OK;
    for (int64_t at = s->resume.from, next; at < t->all && status == ASHLAR_OK; at = next) {
        const int64_t first = at - at % t->sums, epoch = (at - first) / length;
        const place_of_sums writes = place_of(epochs, epoch);
        next = first + ashi_min((epoch + 1) * length, t->sums);
        status = play_items(s, at, next, epoch > 0 ? place_of(epochs, epoch - 1) : IN_C0, writes, err);
        const int fd = writes == BESIDE_C ? s->resume.sums
                                          : ashi_store_plain_of(s->plan->filed.file[ASHLAR_C]->store).fd;
        status = ashi_resume_epoch_ends(&s->resume, status, next, fd, err);
    }
    return status;
}

/* ---- all of it ---- */

/* What is planned, unless alpha or beta are 0. */
static ashi_nest nest_of(const ashlar_plan *plan, bool multiplies, bool adds)
{
    const ashi_streamed *t = &plan->filed.streamed;
    ashi_nest nest = t->nest;
    if (!multiplies && !plan->empty) /* A and B are not read */
        nest = ashi_streamed_lines(plan, ashi_max(t->workspace_words, 1), adds);
    nest.adds = adds;
    return nest;
}

static int64_t epoch_of(const ashlar_plan *plan, const ashi_nest *nest)
{
    const ashi_streamed *t = &plan->filed.streamed;
    int64_t shape[3];
    ashi_nest_shape(nest, shape);
    const double line = nest->stays == ASHLAR_A ? (double)shape[0] * (double)nest->size[1]
                                                : (double)shape[1] * (double)nest->size[0];
    return ashi_resume_epoch(nest, t->seconds, line / plan->disk_words_per_second, plan->filed.checkpoint_seconds);
}

static ashlar_status run(streaming *s, bool planned, ashlar_error *err)
{
    const ashi_streamed *t = &s->plan->filed.streamed;
    const int64_t from = s->resume.from;
    if (s->resume.epoch > 0)
        return play_epochs(s, err);
    if (from > 0 && from >= s->most.all)
        return ASHLAR_OK;
    if (from > 0 || !planned)
        return play_items(s, from, 0, IN_C0, IN_C, err);
    return play(s, t->player, IN_C0, IN_C, err);
}

/* What of the choice the bits of C depend on. */
static void describe(const ashi_nest *n, char how[ASHI_RESUME_HOW])
{
    int64_t shape[3];
    ashi_nest_shape(n, shape);
    snprintf(how, ASHI_RESUME_HOW,
             "%c stays, boxes of %" PRId64 " x %" PRId64 " x %" PRId64 "%s\n"
             "%" PRId64 " x %" PRId64 " teams of %" PRId64 " x %" PRId64 ", blocks %" PRId64 " x %" PRId64 " x %" PRId64
             ", units %" PRId64 " x %" PRId64 " x %" PRId64 ", ahead %d, strips %" PRId64 ", panels %d%d%d\n",
             "ABC"[n->stays], shape[0], shape[1], shape[2], n->adds ? ", C0 is added" : "", n->parts[0], n->parts[1],
             n->team[0], n->team[1], n->cut[0], n->cut[1], n->cut[2], ashi_nest_unit(n, 0), ashi_nest_unit(n, 1),
             ashi_nest_unit(n, 2), n->ahead, n->strips, n->minor[0], n->minor[1], n->minor[2]);
}

ashlar_status ashi_streamed_run(ashlar_plan *plan, const void *alpha, const void *beta, ashlar_error *err)
{
    ashi_streamed *t = &plan->filed.streamed;
    const ashi_kernels *kernels = ashi_kernels_of(plan->problem.type);
    const bool adds = plan->filed.file[ASHI_FILED_C0] && !kernels->is_zero(beta);
    const bool multiplies = !plan->empty && !kernels->is_zero(alpha);
    if (t->looped && multiplies)
        return ashi_looped_run(plan, alpha, beta, adds, err);
    streaming s = {.plan = plan, .alpha = alpha, .beta = beta, .nest = nest_of(plan, multiplies, adds)};
    s.turns = ashi_nest_turns_of(&s.nest, plan->context->rank);
    s.most = ashi_nest_turns_of(&s.nest, 0);
    plan->tally = (ashi_player_tally){0};
    plan->filed.tally = (ashi_filed_tally){0};
    plan->filed.resumed = 0;
    ashi_resume_request q = {.alpha = alpha, .beta = beta, .multiplies = s.nest.size[2] > 0, .adds = adds,
                             .own = s.turns, .most = s.most, .epoch = epoch_of(plan, &s.nest),
                             .kind = "matrices are streamed"};
    describe(&s.nest, q.how);
    ashlar_status status = ashi_resume_begin(plan, &q, &s.resume, err);
    if (status == ASHLAR_OK) {
        plan->filed.resumed = s.most.all > 0 ? (double)s.resume.from / (double)s.most.all : 0;
        status = run(&s, multiplies == !plan->empty && adds == t->nest.adds, err);
    }
    const ashlar_status synced = ashi_resume_end(&s.resume, status == ASHLAR_OK ? err : NULL);
    return status == ASHLAR_OK ? synced : status;
}
