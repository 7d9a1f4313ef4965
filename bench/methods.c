/* The paper's ways of contracting what does not fit in memory, run on a disk and a network of given rates. */
#include "base/checked.h"
#include "exec/file_box.h"
#include "exec/mpi.h"
#include "exec/player.h"
#include "exec/trace.h"
#include "inner.h"
#include "model/rates.h"
#include "schedule/window.h"
#include "search/paper.h"
#include "store/spare.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "Usage: mpirun -n P methods I J K WORDS DISK NETWORK [METHOD]\n\n"
    "Run C(I, J) += A(I, K) B(J, K) by each method of `ashlar plan-contract` (or by METHOD, as inside/rotation), in\n"
    "the order of reads that is predicted to be the fastest, with WORDS words for a tile of each array. Each rank has\n"
    "a disk of DISK bytes per second and receives NETWORK bytes per second: calls wait until that time is over.\n"
    "Reads, messages and products take turns. A line for each method: words of disk and of network of all ranks,\n"
    "planned and measured; seconds, predicted, measured without arithmetic, and of arithmetic. The result is compared\n"
    "with a product by a vector. Files are in the folder of ASHLAR_SCRATCH, else in this one.\n";

enum { A, B, C, C0, OWN_A, OWN_B, OWN_C, FILES };
enum { BYTES = 8, EVENTS = 1 << 21 };

typedef struct slow_file {
    ashi_plain_file plain;
    double rate; /* bytes per second */
    double *late;
    void *between;
} slow_file;

typedef struct setting {
    ashi_paper_problem q;
    double disk, network; /* bytes per second */
    double late[2];       /* seconds that this rank's last wait for its disk, and for its network, took too long */
    int rank;
    slow_file file[FILES];
    ashi_file_source source[FILES];
} setting;

/* ---- the disk and the network ---- */

/* Wait until `seconds` from `begin` on are over. The system wakes a thread some time later: that is made up for by the
 * next wait, so that many short ones take no longer than one long one. */
static void wait_for(double seconds, double begin, double *late)
{
    const double end = begin + seconds - *late, left = end - ashi_trace_clock();
    if (left > 0) {
        const struct timespec t = {(time_t)left, (long)((left - floor(left)) * 1e9)};
        nanosleep(&t, NULL);
    }
    *late = ashi_trace_clock() - end;
}

static ashlar_status move_slowly(const slow_file *f, const ashi_panel *p, char *data, const int64_t *stride, bool write,
                                 ashlar_error *err)
{
    const double begin = ashi_trace_clock();
    ashi_box_move m = {.file = f->plain, .indices = 2, .bytes = BYTES, .number_bytes = BYTES, .data = data,
                       .write = write};
    for (int i = 0; i < 2; i++) {
        m.lo[i] = p->lo[i];
        m.extent[i] = p->hi[i] - p->lo[i];
        m.stride[i] = stride[i];
    }
    const ashlar_status status = ashi_move_box(&m, f->between, err);
    wait_for((double)(p->words * BYTES) / f->rate, begin, f->late);
    return status;
}

static ashlar_status read_slowly(void *file, const ashi_panel *p, void *data, const int64_t *stride, ashlar_error *err)
{
    return move_slowly(file, p, data, stride, false, err);
}

static ashlar_status write_slowly(void *file, const ashi_panel *p, const void *data, const int64_t *stride,
                                  ashlar_error *err)
{
    union { const void *given; char *taken; } d = {data};
    return move_slowly(file, p, d.taken, stride, true, err);
}

/* The wait for the network is here, so that none remains. */
static double rest(void *context, int64_t rank, const ashi_task *task)
{
    setting *s = context;
    (void)rank;
    if (task->kind == ASHI_DO_RECEIVE)
        wait_for((double)(task->words * BYTES) / s->network, ashi_trace_clock(), &s->late[1]);
    return 0;
}

/* ---- files ---- */

static int side(int x, int i)
{
    static const int sides[3][2] = {{0, 2}, {1, 2}, {0, 1}};
    return sides[x == C0 || x == OWN_C ? C : x % OWN_A][i];
}

/* Small whole numbers, so that all sums are exact. */
static double element(int x, int64_t i, int64_t j)
{
    const uint64_t h = ((uint64_t)i * 2654435761u + (uint64_t)j * 40503u + (uint64_t)x * 977u) * 0x9E3779B97F4A7C15u;
    return (double)(int64_t)(h >> 61) - 3;
}

static void fill(const setting *s, int x, int fd)
{
    const int64_t rows = s->q.extent[side(x, 0)], cols = s->q.extent[side(x, 1)];
    double *column = ashi_inner_doubles(rows);
    for (int64_t j = 0; j < cols; j++) {
        for (int64_t i = 0; i < rows; i++)
            column[i] = element(x, i, j);
        if (pwrite(fd, column, (size_t)rows * BYTES, (off_t)(j * rows * BYTES)) != (ssize_t)(rows * BYTES))
            ashi_inner_end("cannot write a file");
    }
    free(column);
}

/* Files that all ranks share are opened by all of them through rank 0's descriptor. */
static int open_file(const setting *s, int x, bool shared)
{
    ashlar_error err = {0};
    char path[64];
    int fd = -1;
    long own[2] = {getpid(), 0};
    const int64_t bytes = s->q.extent[side(x, 0)] * s->q.extent[side(x, 1)] * BYTES;
    if ((!shared || s->rank == 0) && ashi_spare_open("here", bytes, &fd, &err) != ASHLAR_OK)
        ashi_inner_end(err.text);
    if (!shared)
        return fd;
    if (s->rank == 0 && x != C)
        fill(s, x, fd);
    own[1] = fd;
    MPI_Bcast(own, 2, MPI_LONG, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "/proc/%ld/fd/%ld", own[0], own[1]);
    if (s->rank > 0)
        fd = open(path, O_RDWR);
    if (fd < 0)
        ashi_inner_end("cannot open a file of rank 0");
    return fd;
}

static void open_files(setting *s)
{
    for (int x = 0; x < FILES; x++) {
        slow_file *f = &s->file[x];
        f->plain = (ashi_plain_file){.fd = open_file(s, x, x < OWN_A), .path = "a file",
                                     .stride = {1, s->q.extent[side(x, 0)]}};
        f->rate = s->disk;
        f->late = &s->late[0];
        f->between = ashi_direct_buffer(ASHI_BOX_MOVE_BYTES);
        s->source[x] = (ashi_file_source){.file = f, .read = read_slowly, .write = write_slowly, .plain = {.fd = -1}};
        if (!f->between)
            ashi_inner_end("there is too little memory");
    }
}

/* ---- one run ---- */

/* Seconds that a rank's products and sums took. */
static double arithmetic(ashi_trace *trace)
{
    static const ashi_operation_kind kinds[] = {ASHI_DO_MULTIPLY, ASHI_DO_ADD, ASHI_DO_SCALE};
    char *lines = NULL, name[80];
    int64_t bytes = 0;
    double sum = 0;
    ashlar_error err;
    if (ashi_trace_dropped(trace) > 0 || ashi_trace_lines(trace, 0, &lines, &bytes, &err) != ASHLAR_OK ||
        (lines = realloc(lines, (size_t)bytes + 1)) == NULL)
        ashi_inner_end("there is no room for the trace");
    lines[bytes] = '\0';
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        snprintf(name, sizeof name, "\"name\":\"%s\"", ashi_task_name(kinds[k]));
        for (const char *at = strstr(lines, name); at; at = strstr(at + 1, name))
            sum += strtod(strstr(at, "\"dur\":") + 6, NULL) * 1e-6;
    }
    free(lines);
    return sum;
}

typedef struct outcome {
    double disk, network, seconds, arithmetic;
    int64_t memory;
} outcome;

static outcome run(setting *s, const ashi_paper_schedule *plan)
{
    const double one = 1;
    const bool own = plan->method == ASHI_PAPER_ACCUMULATION && s->rank > 0;
    const ashi_tile_loops loops = ashi_paper_loops_to_run(&s->q, plan);
    ashi_program program;
    ashi_player *player = NULL;
    ashi_trace *trace = NULL;
    ashi_player_tally t;
    ashlar_error err = {0};
    if (ashi_tile_loops_program(&loops, &program, &err) != ASHLAR_OK ||
        ashi_trace_create(MPI_COMM_WORLD, s->rank, (int)s->q.ranks, EVENTS, &trace, &err) != ASHLAR_OK)
        ashi_inner_end(err.text);
    const ashi_player_request request = {.program = &program, .rank = s->rank, .type = ASHLAR_TYPE_D,
                                         .comm = MPI_COMM_WORLD, .tag_most = 32767, .message_most = ASHI_MESSAGE_MOST,
                                         .disk_threads = 1, .rests = rest, .rests_context = s, .trace = trace};
    if (ashi_player_create(&request, &player, &err) != ASHLAR_OK)
        ashi_inner_end(err.text);
    const ashi_player_work work = {
        .alpha = &one, .beta = &one,
        .file = {&s->source[A], &s->source[B], &s->source[C0], &s->source[own ? OWN_C : C], &s->source[OWN_A],
                 &s->source[OWN_B]}};
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = ashi_trace_clock();
    if (ashi_player_run(player, &work, &t, &err) != ASHLAR_OK)
        ashi_inner_end(err.text);
    MPI_Barrier(MPI_COMM_WORLD);
    double mine[] = {(double)(t.read + t.written), (double)t.received, arithmetic(trace)}, all[3];
    const double seconds = ashi_trace_clock() - begin;
    outcome out = {.memory = ashi_player_workspace(player)};
    MPI_Allreduce(mine, all, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    out.disk = all[0];
    out.network = all[1];
    out.seconds = seconds;
    out.arithmetic = all[2] / (double)s->q.ranks;
    ashi_player_free(&player);
    ashi_trace_free(&trace);
    ashi_program_free(&program);
    return out;
}

/* Whether C x = C0 x + A (B x), on rank 0, for x of small whole numbers: exactly. */
static bool is_right(const setting *s)
{
    const int64_t *n = s->q.extent;
    double *x = ashi_inner_doubles(n[1]), *y = ashi_inner_doubles(n[2]), *z = ashi_inner_doubles(n[0]);
    double *column = ashi_inner_doubles(n[0]);
    bool right = true;
    for (int64_t j = 0; j < n[1]; j++)
        x[j] = (double)(j * 7 % 5 - 2);
    for (int64_t l = 0; l < n[2]; l++) {
        y[l] = 0;
        for (int64_t j = 0; j < n[1]; j++)
            y[l] += element(B, j, l) * x[j];
    }
    for (int64_t i = 0; i < n[0]; i++) {
        z[i] = 0;
        for (int64_t l = 0; l < n[2]; l++)
            z[i] += element(A, i, l) * y[l];
        for (int64_t j = 0; j < n[1]; j++)
            z[i] += element(C0, i, j) * x[j];
    }
    for (int64_t j = 0; j < n[1] && right; j++) {
        right = pread(s->file[C].plain.fd, column, (size_t)n[0] * BYTES, (off_t)(j * n[0] * BYTES)) ==
                (ssize_t)(n[0] * BYTES);
        for (int64_t i = 0; i < n[0]; i++)
            z[i] -= column[i] * x[j];
    }
    for (int64_t i = 0; i < n[0] && right; i++)
        right = z[i] == 0;
    free(x);
    free(y);
    free(z);
    free(column);
    return right;
}

static void report(const setting *s, const ashi_paper_schedule *p, const outcome *o)
{
    if (s->rank > 0)
        return;
    const bool same = o->disk == nearbyint(p->total_disk) && o->network == nearbyint(p->total_network);
    const double busy = o->seconds - o->arithmetic;
    printf("%-24s %s %12.0f %12.0f %12.0f %12.0f %-5s %9.3f %9.3f %6.3f %9.3f %10" PRId64 " %s\n",
           ashi_paper_name(p->inside, p->method), ashi_paper_order_name(p->order), p->total_disk, o->disk,
           p->total_network, o->network, same ? "equal" : "OTHER", p->seconds, busy, busy / p->seconds, o->arithmetic,
           o->memory, is_right(s) ? "right" : "WRONG");
    fflush(stdout);
}

/* The fastest of each method's orders. */
static void run_all(setting *s, const char *method)
{
    ashi_paper_schedule plan[ASHI_PAPER_SCHEDULES];
    ashi_paper_plan(&s->q, plan);
    if (s->rank == 0)
        printf("# method order disk-planned disk network-planned network words predicted measured ratio arithmetic "
               "memory result\n");
    for (int m = 0; m < ASHI_PAPER_SCHEDULES; m += ASHI_PAPER_ORDERS) {
        const ashi_paper_schedule *best = &plan[m];
        for (int i = 1; i < ASHI_PAPER_ORDERS; i++)
            if (plan[m + i].applicable && (!best->applicable || plan[m + i].seconds < best->seconds))
                best = &plan[m + i];
        if (!best->applicable || (method && strcmp(method, ashi_paper_name(best->inside, best->method)) != 0))
            continue;
        const outcome o = run(s, best);
        report(s, best, &o);
    }
}

static double rate(const char *text)
{
    const double value = strtod(text, NULL);
    if (!(value > 0 && isfinite(value)))
        ashi_inner_end("a rate is a number above 0");
    return value;
}

int main(int argc, char **argv)
{
    setting s = {.rank = 0};
    int ranks = 1;
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return 1;
    if (argc != 7 && argc != 8) {
        fputs(help, stdout);
        MPI_Finalize();
        return !(argc == 2 && strcmp(argv[1], "--help") == 0);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    s.disk = rate(argv[5]);
    s.network = rate(argv[6]);
    s.q = (ashi_paper_problem){.batch = 1, .ranks = ranks, .tile_words = ashi_inner_number(argv[4], INT64_MAX),
                               .disk = s.disk / BYTES, .network = s.network / BYTES, .runs = true};
    for (int d = 0; d < 3; d++)
        s.q.extent[d] = ashi_inner_number(argv[1 + d], INT32_MAX);
    open_files(&s);
    run_all(&s, argc == 8 ? argv[7] : NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
