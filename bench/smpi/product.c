/* One product on a torus that SimGrid simulates: what it takes there, as a line of JSON; bench/torus starts it.
 *
 *   product folded|checked STRATEGY M N K L1xL2x... two-sided|one-sided direct|tree|auto|rectangular PMxPNxPK WINDOW
 *           FLOPS LATENCY BANDWIDTH
 *
 * A grid of 0x0x0 is searched.
 *
 * `folded` matrices are one piece of memory on all ranks and are not looked at; `checked` ones are filled, and every
 * element of C is compared. Every rank begins at the same simulated moment, and nothing but the product is sent until a
 * simulated second after it has ended, so that `seconds` and the bytes of links are the product's. */
#include "links.h"

#include <ashlar/ashlar.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ARGUMENTS = 14, ROUTES = 4, APART = 1 };

static const double FREE = 1e18;

typedef struct run {
    bool folded;
    ashlar_problem problem;
    ashlar_options options;
    ashlar_machine machine;
    int dims, length[ASHLAR_TORUS_MOST];
    MPI_Comm comm;
    int rank;
    ashlar_context *context;
    ashlar_plan *plan;
    double *part[3];
    double seconds;
    ashi_link_bytes bytes;
} run;

/* Which of the words `text` is, from 0; -1 if it is none. */
static int which(const char *text, const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    return -1;
}

static bool read_number(const char *text, int64_t *out)
{
    char *end = NULL;
    errno = 0;
    *out = strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && *out >= 1 && *out <= INT32_MAX;
}

static bool read_figure(const char *text, double *out)
{
    char *end = NULL;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out > 0 && isfinite(*out);
}

static bool read_torus(const char *text, run *r)
{
    for (const char *at = text; r->dims < ASHLAR_TORUS_MOST; at++) {
        char *end = NULL;
        const long length = strtol(at, &end, 10);
        if (end == at || length < 1 || length > INT32_MAX)
            return false;
        r->length[r->dims++] = (int)length;
        if (*end == '\0')
            return true;
        if (*end != 'x')
            return false;
        at = end;
    }
    return false;
}

static bool read_grid(const char *text, int64_t grid[3])
{
    char rest = 0;
    return sscanf(text, "%" SCNd64 "x%" SCNd64 "x%" SCNd64 "%c", &grid[0], &grid[1], &grid[2], &rest) == 3;
}

static bool read_arguments(char **argv, run *r)
{
    static const char *const kinds[] = {"checked", "folded"}, *const transports[] = {"two-sided", "one-sided"};
    static const char *const routes[ROUTES] = {[ASHLAR_ROUTE_DIRECT] = "direct", [ASHLAR_ROUTE_TREE] = "tree",
                                               [ASHLAR_ROUTE_AUTO] = "auto",
                                               [ASHLAR_ROUTE_RECTANGULAR] = "rectangular"};
    const int kind = which(argv[1], kinds, 2), transport = which(argv[7], transports, 2);
    const int route = which(argv[8], routes, ROUTES);
    int64_t window = 0;
    r->options = ashlar_options_default();
    ashlar_machine *machine = &r->machine;
    *machine = ashlar_machine_default();
    r->options.machine = machine;
    if (kind < 0 || transport < 0 || route < 0 || !read_number(argv[3], &r->problem.m) ||
        !read_number(argv[4], &r->problem.n) ||
        !read_number(argv[5], &r->problem.k) || !read_torus(argv[6], r) || !read_grid(argv[9], r->options.grid) ||
        !read_number(argv[10], &window) || !read_figure(argv[11], &machine->flops_per_second) ||
        !read_figure(argv[12], &machine->latency) || !read_figure(argv[13], &machine->bandwidth))
        return false;
    machine->copy_bandwidth = FREE; /* SMPI takes no time for them */
    r->folded = kind == 1;
    r->problem.type = ASHLAR_TYPE_D;
    r->options.strategy = argv[2];
    r->options.transport = (ashlar_transport)transport;
    r->options.route = (ashlar_route)route;
    r->options.window = (int)window;
    r->options.trusted = true;
    r->options.caller_workspace = r->folded && r->options.transport == ASHLAR_TWO_SIDED;
    return true;
}

/* A communicator that tells of the torus, whose nodes SimGrid numbers as MPI does. */
static bool make_torus(run *r)
{
    int periods[ASHLAR_TORUS_MOST], ranks = 0, nodes = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int d = 0; d < r->dims; d++) {
        periods[d] = 1;
        nodes = nodes <= ranks / r->length[d] ? nodes * r->length[d] : ranks + 1;
    }
    return nodes == ranks &&
           MPI_Cart_create(MPI_COMM_WORLD, r->dims, r->length, periods, 0, &r->comm) == MPI_SUCCESS;
}

/* ---- data ---- */

/* All ranks' parts of one matrix are one piece of memory where they are folded. */
static double *memory_of(bool folded, int64_t count)
{
    const size_t bytes = (size_t)(count > 0 ? count : 1) * sizeof(double);
    return folded ? SMPI_SHARED_MALLOC(bytes) : malloc(bytes);
}

static double a_element(int64_t i, int64_t l)
{
    return (double)(i % 7 - l % 5);
}

static double b_element(int64_t l, int64_t j)
{
    return (double)(l % 3 - j % 11);
}

/* The sum over l of a(i,l) b(l,j), a whole number that a double holds. */
static double c_element(int64_t k, int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t l = 0; l < k; l++)
        sum += a_element(i, l) * b_element(l, j);
    return sum;
}

static void fill(const run *r, ashlar_operand x, double (*element)(int64_t, int64_t))
{
    const ashlar_layout *layout = ashlar_plan_layout(r->plan, x);
    for (int64_t i = 0; i < ashlar_layout_rows(layout); i++)
        for (int64_t j = 0; j < ashlar_layout_cols(layout); j++)
            if (ashlar_layout_owner(layout, i, j) == r->rank)
                r->part[x][ashlar_layout_offset(layout, i, j)] = element(i, j);
}

static int64_t count_wrong(const run *r)
{
    const ashlar_layout *layout = ashlar_plan_layout(r->plan, ASHLAR_C);
    int64_t wrong = 0;
    for (int64_t i = 0; i < r->problem.m; i++)
        for (int64_t j = 0; j < r->problem.n; j++)
            if (ashlar_layout_owner(layout, i, j) == r->rank) {
                const double got = r->part[ASHLAR_C][ashlar_layout_offset(layout, i, j)];
                wrong += got == c_element(r->problem.k, i, j) ? 0 : 1; /* NaN is wrong */
            }
    return wrong;
}

static ashlar_status make_data(run *r, ashlar_error *err)
{
    for (int x = 0; x < 3; x++) {
        const ashlar_layout *layout = ashlar_plan_layout(r->plan, (ashlar_operand)x);
        r->part[x] = memory_of(r->folded, ashlar_layout_extent(layout, r->rank));
        if (!r->part[x])
            return ASHLAR_ERR_MEMORY;
    }
    if (!r->folded) {
        fill(r, ASHLAR_A, a_element);
        fill(r, ASHLAR_B, b_element);
    }
    if (!r->options.caller_workspace)
        return ASHLAR_OK;
    void *workspace = memory_of(true, ashlar_plan_workspace(r->plan));
    return workspace ? ashlar_plan_use_workspace(r->plan, workspace, err) : ASHLAR_ERR_MEMORY;
}

/* ---- the run ---- */

static void wait_until(double moment)
{
    const double left = moment - MPI_Wtime();
    const struct timespec time = {(time_t)left, (long)((left - floor(left)) * 1e9)};
    if (left > 0)
        nanosleep(&time, NULL);
}

static double latest(double mine, MPI_Comm comm)
{
    double most = 0;
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
    return most;
}

static ashlar_status execute(run *r, ashlar_error *err)
{
    const double one = 1, zero = 0;
    const double began = latest(MPI_Wtime(), r->comm) + APART;
    wait_until(began);
    const ashlar_status status =
        ashlar_plan_execute(r->plan, &one, r->part[ASHLAR_A], r->part[ASHLAR_B], &zero, r->part[ASHLAR_C], err);
    const double ended = MPI_Wtime();
    wait_until(ended + APART);
    r->seconds = latest(ended, r->comm) - began;
    r->bytes = ashi_links_read();
    return status;
}

static ashlar_status report(const run *r, ashlar_error *err)
{
    ashlar_explanation why = {0};
    ashlar_figures measured = {0};
    int64_t wrong = r->folded ? 0 : count_wrong(r);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, r->comm);
    ashlar_status status = ashlar_plan_explain(r->plan, &why, err);
    if (status == ASHLAR_OK)
        status = ashlar_plan_measured(r->plan, &measured, err);
    if (status != ASHLAR_OK || r->rank != 0)
        return status;
    printf("{\"strategy\": \"%s\", \"grid\": [%" PRId64 ", %" PRId64 ", %" PRId64 "], \"ranks_used\": %" PRId64
           ", \"rounds\": %" PRId64 ", \"words_max\": %" PRId64 ", \"words_total\": %" PRId64
           ", \"messages_max\": %" PRId64 ", \"seconds\": %.9f, \"links\": %" PRId64 ", \"links_used\": %" PRId64
           ", \"link_bytes_max\": %" PRId64 ", \"link_bytes_total\": %" PRId64 ", \"checked\": %s, \"wrong\": %" PRId64
           "}\n",
           why.strategy, why.grid[0], why.grid[1], why.grid[2], why.ranks_used, why.rounds, measured.words_max,
           measured.words_total, measured.messages_max, r->seconds, r->bytes.links, r->bytes.used, r->bytes.most,
           r->bytes.total, r->folded ? "false" : "true", wrong);
    return ASHLAR_OK;
}

int main(int argc, char **argv)
{
    run r = {.comm = MPI_COMM_NULL};
    ashlar_error err = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
    ashi_links_join(r.rank);
    if (argc != ARGUMENTS || !read_arguments(argv, &r) || !make_torus(&r)) {
        if (r.rank == 0)
            fprintf(stderr, "product: wanted folded|checked STRATEGY M N K L1xL2x... two-sided|one-sided "
                            "direct|tree|auto|rectangular PMxPNxPK WINDOW FLOPS LATENCY BANDWIDTH, and a rank for each "
                            "node of the torus\n");
        MPI_Finalize();
        return 2;
    }
    ashlar_status status = ashlar_context_create(r.comm, &r.context, &err);
    if (status == ASHLAR_OK)
        status = ashlar_plan_create(r.context, &r.problem, &r.options, &r.plan, &err);
    if (status == ASHLAR_OK)
        status = make_data(&r, &err);
    if (status == ASHLAR_OK)
        status = execute(&r, &err);
    if (status == ASHLAR_OK)
        status = report(&r, &err);
    if (status != ASHLAR_OK)
        fprintf(stderr, "product: rank %d: %s\n", r.rank, err.text[0] ? err.text : ashlar_status_text(status));
    fflush(stdout);
    if (status != ASHLAR_OK)
        MPI_Abort(MPI_COMM_WORLD, 1); /* the others may be waiting in the product */
    ashlar_plan_free(&r.plan);
    ashlar_context_free(&r.context);
    MPI_Finalize();
    return 0;
}
