/* Executing one of the paper's 48 schedules, with files of each rank's own. */
#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "plan/looped.h"
#include "plan/resume.h"
#include "store/spare.h"

#include <unistd.h>

/* Of A, B and C: what a rank has received, and its own C. */
typedef struct spares {
    int fd[3];
    ashi_file_source source[3];
} spares;

/* Whether the loops write a file of the rank's own of a matrix. */
static bool has_spare(const ashlar_plan *plan, const ashi_tile_loops *l, int x)
{
    if (l->ranks == 1)
        return false;
    if (x == ASHLAR_C)
        return l->method == ASHI_TOGETHER_ACCUMULATE && plan->context->rank > 0;
    const ashi_together whole = x == ASHLAR_A ? ASHI_TOGETHER_REPLICATE_A : ASHI_TOGETHER_REPLICATE_B;
    return !l->inside && !l->resident[x] && (l->method == whole || l->method == ASHI_TOGETHER_ROTATE);
}

static ashlar_status open_spares(const ashlar_plan *plan, const ashi_tile_loops *l, spares *s, ashlar_error *err)
{
    static const int side[3][2] = {{0, 2}, {1, 2}, {0, 1}};
    ashlar_status status = ASHLAR_OK;
    *s = (spares){.fd = {-1, -1, -1}};
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++) {
        const int64_t rows = l->size[side[x][0]], cols = l->size[side[x][1]];
        int64_t bytes = 0;
        if (!has_spare(plan, l, x))
            continue;
        if (!ashi_mul(rows, cols, &bytes) || !ashi_mul(bytes, (int64_t)ashlar_type_bytes(plan->problem.type), &bytes))
            return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "a scratch file has more than 2^63 bytes");
        const ashlar_file *c = plan->filed.file[ASHLAR_C];
        status = ashi_spare_open(c->temporary ? c->temporary : c->place, bytes, &s->fd[x], err);
        s->source[x].plain = (ashi_plain_file){.fd = s->fd[x], .path = "a scratch file", .stride = {1, rows}};
    }
    return status;
}

static void close_spares(spares *s)
{
    for (int x = 0; x < 3; x++)
        if (s->fd[x] >= 0)
            close(s->fd[x]);
}

static ashlar_status play(ashlar_plan *plan, ashi_player *player, const ashi_tile_loops *l, spares *s,
                          ashi_player_work *work, ashlar_error *err)
{
    static const ashi_file_role role[4] = {ASHI_FILE_A, ASHI_FILE_B, ASHI_FILE_C, ASHI_FILE_C0};
    static const ashi_file_role spare[3] = {ASHI_FILE_OWN_A, ASHI_FILE_OWN_B, ASHI_FILE_C};
    ashi_filed *f = &plan->filed;
    ashi_stream_file file[4] = {{0}};
    for (int x = 0; x < 4; x++) {
        file[x] = ashi_streamed_file(plan, x);
        file[x].source.file = &file[x];
        if (file[x].store && (x < 3 || l->adds))
            work->file[role[x]] = &file[x].source;
    }
    for (int x = 0; x < 3; x++)
        if (s->fd[x] >= 0)
            work->file[spare[x]] = &s->source[x];
    ashi_player_record(player, plan->trace);
    const ashlar_status status = ashi_player_run(player, work, &plan->tally, err);
    f->tally.read += plan->tally.read;
    f->tally.written += plan->tally.written;
    return status;
}

/* The planned program, or the one without C0. */
static ashlar_status play_loops(ashlar_plan *plan, const ashi_tile_loops *l, spares *s, ashi_player_work *work,
                                ashlar_error *err)
{
    ashi_streamed *t = &plan->filed.streamed;
    ashi_program program = {0};
    ashi_player *player = NULL;
    ashi_on_device on_device;
    if (l->adds == t->loops.adds)
        return play(plan, t->player, l, s, work, err);
    ashlar_status status = ashi_looped_player(plan, l, &program, &player, &on_device, err);
    if (status == ASHLAR_OK && ashi_player_workspace(player) > t->workspace_words)
        status = ashi_fail(err, ASHLAR_ERR_INTERNAL, "a product without C0 needs more memory than one with it");
    status = ashi_agree_named(plan->context, status, err);
    if (status == ASHLAR_OK) {
        ashi_player_use_workspace(player, t->workspace);
        status = play(plan, player, l, s, work, err);
    }
    ashi_player_free(&player);
    ashi_program_free(&program);
    return status;
}

ashlar_status ashi_looped_run(ashlar_plan *plan, const void *alpha, const void *beta, bool adds, ashlar_error *err)
{
    ashi_tile_loops l = plan->filed.streamed.loops;
    ashi_player_work work = {.alpha = alpha, .beta = beta, .progress = plan->filed.progress, .user = plan->filed.user};
    spares s;
    l.adds = adds;
    plan->tally = (ashi_player_tally){0};
    plan->filed.tally = (ashi_filed_tally){0};
    plan->filed.resumed = 0;
    ashlar_status status = ashi_resume_none(plan->filed.file[ASHLAR_C], err);
    if (status != ASHLAR_OK)
        return status;
    status = ashi_agree_named(plan->context, open_spares(plan, &l, &s, err), err);
    if (status == ASHLAR_OK)
        status = play_loops(plan, &l, &s, &work, err);
    close_spares(&s);
    return status;
}
