/* All rows of a bench of scenarios, walked by several processes. */
#include "evaluation/scenario_rows.h"

#include "base/checked.h"
#include "base/error.h"
#include "cli/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* A walked row on its way from a process: no longer than PIPE_BUF, so that it is written whole. */
typedef struct report {
    int64_t index;
    ashlar_status status;
    ashi_scenario_row row;
    char text[ASHLAR_MESSAGE_MAX];
} report;

_Static_assert(sizeof(report) <= PIPE_BUF, "a report is written whole");

/* Add the rows of one scenario if rows->row is there; count them in any case. */
static void list_scenario(const ashi_scenario_wish *w, ashi_shape shape, ashi_scaling scaling,
                          ashi_scenario_rows *rows)
{
    int64_t paper[ASHI_SCENARIO_COUNTS];
    const int64_t *ranks = w->ranks ? w->ranks : paper;
    const int64_t count = w->ranks ? w->ranks_count : ashi_scenario_counts(paper);
    for (int64_t i = 0; i < count; i++) {
        if (!w->ranks && ranks[i] < ashi_scenario_least_ranks(shape, scaling))
            continue;
        for (int way = 0; ashi_scenario_way(way); way++) {
            if (w->ways && !(w->ways >> way & 1))
                continue;
            if (rows->row) {
                ashi_scenario_row *row = &rows->row[rows->count];
                *row = (ashi_scenario_row){.shape = shape, .scaling = scaling, .ranks = ranks[i], .way = way};
                ashi_scenario_size(shape, scaling, ranks[i], row->size);
                row->memory_words = ashi_scenario_memory(scaling, ranks[i], row->size, w->machine);
            }
            rows->count++;
        }
    }
}

static void list_rows(const ashi_scenario_wish *w, ashi_scenario_rows *rows)
{
    rows->count = 0;
    for (int shape = 0; shape < ASHI_SHAPES; shape++)
        for (int scaling = 0; scaling < ASHI_SCALINGS; scaling++)
            if ((w->shape < 0 || w->shape == shape) && (w->scaling < 0 || w->scaling == scaling))
                list_scenario(w, (ashi_shape)shape, (ashi_scaling)scaling, rows);
}

/* Row numbers on their way to the processes, and reports on their way back: ends to read from and to write to. */
typedef struct pipes {
    int tickets[2], reports[2];
} pipes;

static void close_end(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}

/* One process: walks the rows that it draws, until no more are written or one fails. */
static void work(const ashi_scenario_rows *rows, const pipes *p)
{
    report r = {0};
    close(p->tickets[1]);
    close(p->reports[0]);
    while (r.status == ASHLAR_OK && read(p->tickets[0], &r.index, sizeof r.index) == (ssize_t)sizeof r.index) {
        ashlar_error err = {0};
        r.row = rows->row[r.index];
        r.status = ashi_scenario_walk(&r.row, &err);
        memcpy(r.text, err.text, sizeof r.text);
        if (write(p->reports[1], &r, sizeof r) != (ssize_t)sizeof r)
            break;
    }
}

/* Let a process draw the next row, the last ones first: they have the most ranks. Once none is left the processes are
 * to end, so that a report that never comes, of one that was killed, is not waited for. */
static ashlar_status hand_out(pipes *p, int64_t *left, ashlar_error *err)
{
    if (*left == 0) {
        close_end(&p->tickets[1]);
        return ASHLAR_OK;
    }
    --*left;
    if (write(p->tickets[1], left, sizeof *left) != (ssize_t)sizeof *left)
        return ashi_fail(err, ASHLAR_ERR_IO, "a pipe cannot be written: %s", strerror(errno));
    return ASHLAR_OK;
}

static ashlar_status take_report(const pipes *p, ashi_scenario_rows *rows, ashlar_error *err)
{
    report r;
    ssize_t bytes;
    do
        bytes = read(p->reports[0], &r, sizeof r);
    while (bytes < 0 && errno == EINTR);
    if (bytes != (ssize_t)sizeof r)
        return ashi_fail(err, ASHLAR_ERR_IO, "the processes that walked rows died");
    rows->row[r.index] = r.row;
    return r.status == ASHLAR_OK ? ASHLAR_OK : ashi_fail(err, r.status, "%s", r.text);
}

/* Two rows a process are under way, so that none waits for the next. */
static ashlar_status collect(const ashi_scenario_wish *w, int64_t processes, pipes *p, ashi_scenario_rows *rows,
                             ashlar_error *err)
{
    ashi_progress progress = ashi_progress_start("walking scenarios", rows->count, w->progress);
    ashlar_status status = ASHLAR_OK;
    int64_t left = rows->count;
    for (int64_t i = 0; i < 2 * processes && status == ASHLAR_OK; i++)
        status = hand_out(p, &left, err);
    for (int64_t got = 0; got < rows->count && status == ASHLAR_OK; got++) {
        status = take_report(p, rows, err);
        if (status == ASHLAR_OK)
            status = hand_out(p, &left, err);
        ashi_progress_add(&progress, 1);
    }
    ashi_progress_end(&progress);
    return status;
}

/* Start the processes, which inherit the rows to walk; *started is how many are to be waited for. */
static ashlar_status start(const ashi_scenario_rows *rows, int64_t processes, const pipes *p, pid_t *pid,
                           int64_t *started, ashlar_error *err)
{
    for (*started = 0; *started < processes; ++*started) {
        pid[*started] = fork();
        if (pid[*started] < 0)
            return ashi_fail(err, ASHLAR_ERR_IO, "no process can be started: %s", strerror(errno));
        if (pid[*started] == 0) {
            work(rows, p);
            _exit(0);
        }
    }
    return ASHLAR_OK;
}

static ashlar_status open_pipes(pipes *p, ashlar_error *err)
{
    if (pipe(p->tickets) != 0)
        return ashi_fail(err, ASHLAR_ERR_IO, "no pipe can be made: %s", strerror(errno));
    if (pipe(p->reports) == 0)
        return ASHLAR_OK;
    const ashlar_status status = ashi_fail(err, ASHLAR_ERR_IO, "no pipe can be made: %s", strerror(errno));
    close_end(&p->tickets[0]);
    close_end(&p->tickets[1]);
    return status;
}

static ashlar_status walk(const ashi_scenario_wish *w, ashi_scenario_rows *rows, ashlar_error *err)
{
    const int64_t processes = ashi_max(1, ashi_min(w->processes, rows->count));
    int64_t started = 0;
    pipes p;
    pid_t *pid = malloc((size_t)processes * sizeof *pid);
    if (!pid)
        return ashi_fail_memory(err, "bench", processes * (int64_t)sizeof *pid);
    ashlar_status status = open_pipes(&p, err);
    if (status != ASHLAR_OK) {
        free(pid);
        return status;
    }
    status = start(rows, processes, &p, pid, &started, err);
    close_end(&p.reports[1]);
    if (status == ASHLAR_OK)
        status = collect(w, processes, &p, rows, err);
    close_end(&p.tickets[1]); /* whoever waits for a row ends; after a failure the others at their next report */
    close_end(&p.tickets[0]);
    close_end(&p.reports[0]);
    for (int64_t i = 0; i < started; i++)
        while (waitpid(pid[i], NULL, 0) < 0 && errno == EINTR)
            continue;
    free(pid);
    return status;
}

ashlar_status ashi_scenario_rows_walk(const ashi_scenario_wish *w, ashi_scenario_rows *out, ashlar_error *err)
{
    *out = (ashi_scenario_rows){0};
    list_rows(w, out);
    out->row = calloc((size_t)ashi_max(out->count, 1), sizeof *out->row);
    if (!out->row)
        return ashi_fail_memory(err, "bench", out->count * (int64_t)sizeof *out->row);
    list_rows(w, out);
    const ashlar_status status = walk(w, out, err);
    if (status != ASHLAR_OK) {
        free(out->row);
        *out = (ashi_scenario_rows){0};
    }
    return status;
}
