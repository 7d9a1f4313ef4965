/* Traces: what is noted by any thread is in the file, once; clocks that differ are compared; the file is whole or as it
 * was. Each rank's clock is ahead of that of the rank before it by SKEW seconds. */
#include "mpi/ranks.h"
#include "plan/trace.h"

#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PROGRAM "trace"

enum { SKEW = 1000, THREADS = 4, EACH = 5000, MOST = 1 << 16 };

static int skewed_rank;

int __real_clock_gettime(clockid_t which, struct timespec *out);
int __wrap_clock_gettime(clockid_t which, struct timespec *out);

int __wrap_clock_gettime(clockid_t which, struct timespec *out)
{
    const int status = __real_clock_gettime(which, out);
    out->tv_sec += skewed_rank * SKEW;
    return status;
}

/* A trace, and the folder of its files. */
typedef struct scene {
    rig *r;
    ashlar_context *context;
    ashi_trace *trace;
    char folder[64], path[128];
} scene;

/* What a file holds. */
typedef struct contents {
    char *text;
    int64_t events, complete; /* lines of events; whether the last lines are there */
    long long ranks, said, dropped;
} contents;

static contents read_file(const char *path)
{
    contents c = {.ranks = -1, .said = -1, .dropped = -1};
    struct stat st;
    FILE *file = fopen(path, "r");
    if (!file)
        return c;
    const size_t bytes = fstat(fileno(file), &st) == 0 ? (size_t)st.st_size : 0;
    c.text = calloc(bytes + 1, 1);
    const size_t got = fread(c.text, 1, bytes, file);
    fclose(file);
    static const char tail[] = "\n{\"ph\":\"M\",\"name\":\"trace_end\",\"pid\":0,\"tid\":0,\"args\":{}}\n]}\n";
    c.complete = got == bytes && bytes > sizeof tail && strcmp(c.text + bytes - strlen(tail), tail) == 0;
    sscanf(c.text, "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"format\":\"ashlar trace\",\"schema\":1,"
           "\"ranks\":%lld,\"events\":%lld,\"dropped\":%lld},\"traceEvents\":[\n", &c.ranks, &c.said, &c.dropped);
    /* Line by line: where strings are checked strictly strstr would first look for the end of the text each time. */
    static const char event[] = "{\"ph\":\"X\",";
    const char *end = c.text + bytes;
    for (const char *at = c.text; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
        c.events += strncmp(at + 1, event, strlen(event)) == 0;
    return c;
}

static void write_and_read(scene *s, contents *out)
{
    ashlar_error err = {0};
    const ashlar_status status = ashi_trace_write(s->context, s->trace, s->path, &err);
    CHECK(&s->r->test, status == ASHLAR_OK, "%s", err.text);
    *out = (contents){0};
    if (s->r->rank == 0)
        *out = read_file(s->path);
}

static bool make(scene *s, int64_t most)
{
    ashlar_error err = {0};
    const ashlar_status status = ashi_trace_create(s->context->comm, s->context->rank, s->context->ranks, most,
                                                   &s->trace, &err);
    CHECK(&s->r->test, status == ASHLAR_OK, "%s", err.text);
    return status == ASHLAR_OK;
}

static void *note_many(void *trace)
{
    for (int i = 0; i < EACH; i++) {
        const double begin = ashi_trace_clock();
        ashi_trace_note(trace, ASHI_LANE_DISK, "read", begin, ashi_trace_clock(), i, 7, -1);
    }
    return NULL;
}

/* So many lines that a rank needs several messages for them. */
static void threads(scene *s)
{
    pthread_t thread[THREADS];
    contents c;
    if (!make(s, MOST))
        return;
    for (int i = 0; i < THREADS; i++)
        CHECK(&s->r->test, pthread_create(&thread[i], NULL, note_many, s->trace) == 0, "no thread");
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    write_and_read(s, &c);
    if (s->r->rank == 0) {
        const int64_t all = (int64_t)THREADS * EACH * s->r->ranks;
        CHECK(&s->r->test, c.complete && c.events == all && c.said == all && c.ranks == s->r->ranks && c.dropped == 0,
              "%" PRId64 " events, %lld said, of %" PRId64, c.events, c.said, all);
    }
    free(c.text);
    ashi_trace_free(&s->trace);
}

/* Two of three events that overlap are in rows of their own; the third has the first one's. */
static void rows(scene *s)
{
    static const char *const expected[] = {"\"tid\":1000,\"ts\":%*[0-9.],\"dur\":2000000.000",
                                           "\"tid\":1001,\"ts\":%*[0-9.],\"dur\":3000000.000",
                                           "\"tid\":1000,\"ts\":%*[0-9.],\"dur\":1000000.500"};
    contents c;
    if (!make(s, 3))
        return;
    ashi_trace_note(NULL, ASHI_LANE_CORES, "nothing", 0, 1, 0, 0, -1);
    const double now = ashi_trace_clock();
    ashi_trace_note(s->trace, ASHI_LANE_NETWORK, "receive", now + 3, now + 4.0000005, 2, 30, 1);
    ashi_trace_note(s->trace, ASHI_LANE_NETWORK, "receive", now + 1, now + 4, 1, 20, 1);
    ashi_trace_note(s->trace, ASHI_LANE_NETWORK, "receive", now, now + 2, 0, 10, 1);
    ashi_trace_note(s->trace, ASHI_LANE_CORES, "dropped", now, now + 2, 0, 10, 1);
    CHECK(&s->r->test, ashi_trace_events(s->trace) == 3 && ashi_trace_dropped(s->trace) == 1, "counts");
    write_and_read(s, &c);
    const char *at = c.text;
    for (int i = 0; i < 3 && s->r->rank == 0; i++) {
        char form[128], end = 0;
        at = at ? strstr(at + 1, "\"ph\":\"X\"") : NULL;
        const char *tid = at ? strstr(at, "\"tid\"") : NULL;
        snprintf(form, sizeof form, "%s%%c", expected[i]);
        CHECK(&s->r->test, tid && sscanf(tid, form, &end) == 1 && end == ',', "event %d: %.200s", i, at ? at : "");
    }
    if (s->r->rank == 0)
        CHECK(&s->r->test, c.said == (int64_t)3 * s->r->ranks && c.dropped == s->r->ranks, "%lld dropped", c.dropped);
    free(c.text);
    ashi_trace_clear(s->trace);
    CHECK(&s->r->test, ashi_trace_events(s->trace) == 0 && ashi_trace_dropped(s->trace) == 0, "not cleared");
    ashi_trace_free(&s->trace);
}

/* Events that all ranks note at about the same time are near each other in the file. */
static void clocks(scene *s)
{
    contents c;
    if (!make(s, 1))
        return;
    MPI_Barrier(MPI_COMM_WORLD);
    const double now = ashi_trace_clock();
    ashi_trace_note(s->trace, ASHI_LANE_CORES, "now", now, now, 0, 0, -1);
    write_and_read(s, &c);
    double least = 1e30, most = -1;
    for (const char *at = c.text; at && (at = strstr(at, "\"ts\":")) != NULL; at++) {
        const double ts = strtod(at + 5, NULL);
        least = ts < least ? ts : least;
        most = ts > most ? ts : most;
    }
    CHECK(&s->r->test, s->r->rank != 0 || (c.events == s->r->ranks && most - least < 1e6 * SKEW / 10),
          "from %g to %g microseconds", least, most);
    free(c.text);
    ashi_trace_free(&s->trace);
}

/* A place that cannot be written to: one error on all ranks; what was there before stays. */
static void failures(scene *s)
{
    ashlar_error err = {0};
    char nowhere[160];
    snprintf(nowhere, sizeof nowhere, "%s/none/trace.json", s->folder);
    if (!make(s, 1))
        return;
    ashlar_status status = ashi_trace_write(s->context, s->trace, nowhere, &err);
    CHECK(&s->r->test, status == ASHLAR_ERR_IO && ranks_agree(MPI_COMM_WORLD, (int)status, err.text), "%s", err.text);
    CHECK(&s->r->test, strstr(err.text, "trace.json") != NULL, "%s", err.text);
    status = ashi_trace_write(s->context, s->trace, s->folder, &err);
    CHECK(&s->r->test, status == ASHLAR_ERR_IO && ranks_agree(MPI_COMM_WORLD, (int)status, err.text), "%s", err.text);
    ashi_trace_free(&s->trace);
    ashi_trace_free(&s->trace); /* nothing left to free */
    status = ashi_trace_create(s->context->comm, s->context->rank, s->context->ranks,
                               s->r->rank == s->r->ranks - 1 ? INT64_MAX : 1, &s->trace, &err);
    const bool last = s->r->rank == s->r->ranks - 1;
    CHECK(&s->r->test, status == (last ? ASHLAR_ERR_MEMORY : ASHLAR_OK), "%s", err.text);
    CHECK(&s->r->test, (s->trace == NULL) == last, "a trace without memory");
    ashi_trace_free(&s->trace);
}

/* ---- the public calls ---- */

enum { SIZE = 24, LD = 2 * SIZE };

/* Products in the file, on rank 0. */
static int64_t products_in_file(const scene *s)
{
    int64_t found = 0;
    if (s->r->rank != 0)
        return 0;
    const contents c = read_file(s->path);
    for (const char *at = c.text; at && (at = strstr(at, "\"name\":\"multiply\"")) != NULL; at++)
        found++;
    CHECK(&s->r->test, c.complete && found > 0, "%" PRId64 " products", found);
    free(c.text);
    return found;
}

/* Wrong calls are wrong on all ranks, and no recording goes on after them. */
static void wrong_calls(const scene *s, ashlar_plan *plan)
{
    rig *r = s->r;
    ashlar_error err = {0};
    const bool last = r->rank == r->ranks - 1;
    CHECK(&r->test, ashlar_plan_trace_begin(NULL, 0, &err) == ASHLAR_ERR_ARG, "%s", err.text);
    CHECK(&r->test, ashlar_plan_trace_end(NULL, s->path, &err) == ASHLAR_ERR_ARG, "%s", err.text);
    ashlar_status status = ashlar_plan_trace_end(plan, s->path, &err);
    CHECK(&r->test, status == ASHLAR_ERR_ARG && ranks_agree(MPI_COMM_WORLD, (int)status, err.text), "%s", err.text);
    status = ashlar_plan_trace_begin(plan, last ? -1 : 0, &err);
    CHECK(&r->test, status == ASHLAR_ERR_ARG && ranks_agree(MPI_COMM_WORLD, (int)status, err.text), "%s", err.text);
    status = ashlar_plan_trace_begin(plan, last ? INT64_MAX : 0, &err);
    CHECK(&r->test, status == ASHLAR_ERR_MEMORY && ranks_agree(MPI_COMM_WORLD, (int)status, err.text), "%s", err.text);
    status = ashlar_plan_trace_end(plan, NULL, &err);
    CHECK(&r->test, status == ASHLAR_ERR_ARG, "%s", err.text);
    if (r->ranks == 1)
        return;
    CHECK(&r->test, ashlar_plan_trace_begin(plan, 0, &err) == ASHLAR_OK, "%s", err.text);
    status = ashlar_plan_trace_end(plan, last ? NULL : s->path, &err);
    CHECK(&r->test, status == ASHLAR_ERR_ARG && ranks_agree(MPI_COMM_WORLD, (int)status, err.text), "%s", err.text);
    CHECK(&r->test, ashlar_plan_trace_end(plan, s->path, &err) == ASHLAR_ERR_ARG, "recording goes on");
}

static void execute(const scene *s, ashlar_plan *plan, double *data)
{
    const double one = 1, zero = 0;
    ashlar_error err = {0};
    double *a = data, *b = a + LD * SIZE, *c = b + LD * SIZE;
    CHECK(&s->r->test, ashlar_plan_execute(plan, &one, a, b, &zero, c, &err) == ASHLAR_OK, "%s", err.text);
}

static void right_calls(const scene *s, ashlar_plan *plan, double *data)
{
    ashlar_error err = {0};
    CHECK(&s->r->test, ashlar_plan_trace_begin(plan, 0, &err) == ASHLAR_OK, "%s", err.text);
    execute(s, plan, data);
    CHECK(&s->r->test, ashlar_plan_trace_end(plan, s->path, &err) == ASHLAR_OK, "%s", err.text);
    const int64_t one = products_in_file(s);
    execute(s, plan, data); /* not recorded */
    CHECK(&s->r->test, ashlar_plan_trace_begin(plan, 0, &err) == ASHLAR_OK, "%s", err.text);
    execute(s, plan, data); /* forgotten */
    CHECK(&s->r->test, ashlar_plan_trace_begin(plan, 0, &err) == ASHLAR_OK, "%s", err.text);
    execute(s, plan, data);
    CHECK(&s->r->test, ashlar_plan_set_ld(plan, ASHLAR_A, LD, &err) == ASHLAR_OK, "%s", err.text);
    execute(s, plan, data);
    CHECK(&s->r->test, ashlar_plan_trace_end(plan, s->path, &err) == ASHLAR_OK, "%s", err.text);
    const int64_t two = products_in_file(s);
    CHECK(&s->r->test, two == 2 * one, "%" PRId64 " products in two executions, %" PRId64 " in one", two, one);
}

/* The same over the whole context; a plan that records for itself is left out. */
static void whole_context(const scene *s, ashlar_plan *plan, double *data)
{
    rig *r = s->r;
    ashlar_error err = {0};
    const bool last = r->rank == r->ranks - 1;
    ashlar_status status = ashlar_context_trace_end(s->context, 1, &err);
    CHECK(&r->test, status == ASHLAR_ERR_ARG && ranks_agree(MPI_COMM_WORLD, (int)status, err.text), "%s", err.text);
    status = ashlar_context_trace_begin(s->context, s->path, last ? -1 : 0, &err);
    CHECK(&r->test, status == ASHLAR_ERR_ARG && ranks_agree(MPI_COMM_WORLD, (int)status, err.text), "%s", err.text);
    status = ashlar_context_trace_begin(s->context, "/no/such/folder/trace.json", 0, &err);
    CHECK(&r->test, status == ASHLAR_ERR_IO && ranks_agree(MPI_COMM_WORLD, (int)status, err.text), "%s", err.text);
    unlink(s->path);
    for (int keep = 0; keep < 2; keep++) {
        CHECK(&r->test, ashlar_context_trace_begin(s->context, s->path, 0, &err) == ASHLAR_OK, "%s", err.text);
        CHECK(&r->test, ashlar_context_trace_begin(s->context, s->path, 0, &err) == ASHLAR_ERR_ARG, "begun twice");
        execute(s, plan, data);
        CHECK(&r->test, ashlar_plan_trace_begin(plan, 0, &err) == ASHLAR_OK, "%s", err.text);
        execute(s, plan, data);
        CHECK(&r->test, ashlar_plan_trace_end(plan, NULL, &err) == ASHLAR_OK, "%s", err.text);
        CHECK(&r->test, ashlar_context_trace_end(s->context, keep, &err) == ASHLAR_OK, "%s", err.text);
        CHECK(&r->test, r->rank > 0 || (access(s->path, R_OK) == 0) == (keep == 1), "keep = %d", keep);
        execute(s, plan, data); /* not recorded */
    }
    const int64_t context = products_in_file(s);
    CHECK(&r->test, ashlar_plan_trace_begin(plan, 0, &err) == ASHLAR_OK, "%s", err.text);
    execute(s, plan, data);
    CHECK(&r->test, ashlar_plan_trace_end(plan, s->path, &err) == ASHLAR_OK, "%s", err.text);
    const int64_t own = products_in_file(s);
    CHECK(&r->test, context == own, "%" PRId64 " products of the context, %" PRId64 " of the plan", context, own);
}

static void calls(scene *s)
{
    ashlar_error err = {0};
    ashlar_layout *layout = NULL;
    ashlar_plan *plan = NULL;
    ashlar_layout_block_cyclic(SIZE, SIZE, 4, 4, 1, s->r->ranks, 0, 0, NULL, ASHLAR_COL_MAJOR, 0, &layout, &err);
    const ashlar_problem problem = {.type = ASHLAR_TYPE_D, .m = SIZE, .n = SIZE, .k = SIZE, .a = layout, .b = layout,
                                    .c = layout};
    ashlar_options options = ashlar_options_default();
    options.strategy = "summa"; /* all ranks multiply */
    double *data = calloc(3 * LD * SIZE, sizeof *data);
    CHECK(&s->r->test, data && ashlar_plan_create(s->context, &problem, &options, &plan, &err) == ASHLAR_OK, "%s",
          err.text);
    if (data && plan) {
        wrong_calls(s, plan);
        right_calls(s, plan, data);
        whole_context(s, plan, data);
        CHECK(&s->r->test, ashlar_plan_trace_begin(plan, 10, &err) == ASHLAR_OK, "%s", err.text); /* freed with it */
    }
    ashlar_plan_free(&plan);
    ashlar_layout_free(&layout);
    free(data);
}

int main(int argc, char **argv)
{
    rig r;
    scene s = {.r = &r};
    ashlar_error err = {0};
    if (!ranks_begin(&r, &argc, &argv, 1))
        return 1;
    skewed_rank = r.rank;
    if (r.rank == 0) {
        snprintf(s.folder, sizeof s.folder, "%s", "/tmp/ashlar-trace-XXXXXX");
        CHECK(&r.test, mkdtemp(s.folder) != NULL, "no folder");
    }
    MPI_Bcast(s.folder, sizeof s.folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    snprintf(s.path, sizeof s.path, "%s/trace.json", s.folder);
    const ashlar_status status = ashlar_context_create(MPI_COMM_WORLD, &s.context, &err);
    CHECK(&r.test, status == ASHLAR_OK, "%s", err.text);
    if (status == ASHLAR_OK) {
        threads(&s);
        rows(&s);
        clocks(&s);
        failures(&s);
        calls(&s);
    }
    ashlar_context_free(&s.context);
    if (r.rank == 0) {
        unlink(s.path);
        CHECK(&r.test, rmdir(s.folder) == 0, "something is left in %s: %d", s.folder, errno);
    }
    return ranks_end(&r, PROGRAM);
}
