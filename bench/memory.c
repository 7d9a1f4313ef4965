/* Measures how much memory each rank holds while one library, ASHI_MEMORY_WAY, forms one product. */
#include "case.h"
#include "die.h"
#include "process.h"
#include "report.h"

/* One program a library, so that neither holds what the other one's code and buffers take. */
#define ASHLAR_WAY 1
#define SCALAPACK_WAY 2

static ashi_way open_way(const ashi_matrices *x)
{
#if ASHI_MEMORY_WAY == ASHLAR_WAY
    return ashi_way_planned("ashlar", x, &x->what.options, MPI_COMM_WORLD);
#else
    return ashi_way_scalapack("scalapack", x, MPI_COMM_WORLD);
#endif
}

static void add_library(json_t *report, const ashi_way *way)
{
    ashi_report_set(report, "library", json_string(way->name));
#if ASHI_MEMORY_WAY == ASHLAR_WAY
    ashi_report_set(report, "plan", ashi_report_plan(ashi_way_plan(way)));
#endif
}

static void verify(json_t *report, const ashi_matrices *x)
{
    const double mine = ashi_matrices_error(x, 4);
    double worst = 0;
    MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (!(worst <= 1))
        ashi_die("the product is %g times the bound from the right one", worst);
    ashi_report_set(report, "error_of_bound", json_real(worst));
}

enum { STARTED, FILLED, MULTIPLIED, MOMENTS };

typedef struct moments {
    long now[MOMENTS], peak[MOMENTS];
} moments;

/* Once all ranks have come so far. */
static void note(moments *all, int moment)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const ashi_resident resident = ashi_resident_read();
    all->now[moment] = resident.now;
    all->peak[moment] = resident.peak;
}

int main(int argc, char **argv)
{
    static const char *const when[MOMENTS] = {"started", "filled", "multiplied"};
    int rank = 0, ranks = 0;
    moments all;
    ashi_matrices x;
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const ashi_case what = ashi_case_parse(argc, argv, "Measure a rank's memory during one product.", rank, ranks);
    note(&all, STARTED);
    ashi_matrices_open(&what, rank, &x);
    note(&all, FILLED);
    ashi_way way = open_way(&x);
    way.run(&way, &x, x.c.data);
    note(&all, MULTIPLIED);
    /* Only now what the report itself needs. */
    json_t *report = ashi_report_begin("memory", &x, ranks);
    add_library(report, &way);
    verify(report, &x);
    ashi_report_set(report, "matrices_words", json_integer((json_int_t)(ashlar_layout_words(x.a.layout, 0) +
                    ashlar_layout_words(x.b.layout, 0) + ashlar_layout_words(x.c.layout, 0))));
    ashi_report_set(report, "resident", ashi_report_resident(when, MOMENTS, all.now, all.peak, MPI_COMM_WORLD));
    ashi_report_end(report, rank);
    way.close(&way);
    ashi_matrices_close(&x);
    MPI_Finalize();
    return 0;
}
