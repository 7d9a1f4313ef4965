// A product from C++ in one call: C <- A B with every matrix on rank 0.
#include <ashlar/ashlar.h>
#include <cstdint>
#include <cstdio>
#include <vector>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const std::int64_t n = 8, cuts[] = {0, n};
    const int owner[] = {0};
    ashlar_error err = {};
    ashlar_layout *whole = nullptr;
    ashlar_status status = ashlar_layout_tiles(1, 1, cuts, cuts, owner, ASHLAR_COL_MAJOR, &whole, &err);
    if (status == ASHLAR_OK) {
        ashlar_problem problem = {};
        problem.type = ASHLAR_TYPE_D;
        problem.m = problem.n = problem.k = n;
        problem.a = problem.b = problem.c = whole;
        const std::size_t count = static_cast<std::size_t>(ashlar_layout_extent(whole, rank));
        std::vector<double> a(count, 1), b(count, 2), c(count, 0);
        const double one = 1, zero = 0;
        status = ashlar_multiply(MPI_COMM_WORLD, &problem, nullptr, &one, a.data(), b.data(), &zero, c.data(), &err);
        for (double x : c)
            if (status == ASHLAR_OK && x != 2.0 * static_cast<double>(n))
                status = ASHLAR_ERR_INTERNAL;
    }
    if (status != ASHLAR_OK)
        std::fprintf(stderr, "rank %d: %s: %s\n", rank, ashlar_status_name(status), err.text);
    ashlar_layout_free(&whole);
    MPI_Finalize();
    return status == ASHLAR_OK ? 0 : 1;
}
