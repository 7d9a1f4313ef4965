/* COSMA's own interface, which is C++, for programs in C. */
#include "cosma_own.h"

#include <cosma/multiply.hpp>

#include <algorithm>

namespace {

/* The strategy that COSMA chooses by itself, without a limit of memory, and its matrices. */
struct own {
    MPI_Comm comm;
    cosma::Strategy strategy;
    cosma::CosmaMatrix<double> a, b, c;

    own(const int size[3], MPI_Comm over, int rank, int ranks)
        : comm(over), strategy(size[0], size[1], size[2], static_cast<size_t>(ranks)), a('A', strategy, rank),
          b('B', strategy, rank), c('C', strategy, rank)
    {
    }

    cosma::CosmaMatrix<double> &matrix(int which)
    {
        return which == 0 ? a : which == 1 ? b : c;
    }
};

/* Call visit(row, column, place) for every `step`-th element of this rank, in the order of memory: block after block,
 * each by columns. */
template <typename Visit> void each_element(cosma::CosmaMatrix<double> &matrix, int64_t step, Visit visit)
{
    int64_t place = 0;
    for (const auto &block : matrix.initial_layout()) {
        for (int64_t col = block.cols.first(); col <= block.cols.last(); col++)
            for (int64_t row = block.rows.first(); row <= block.rows.last(); row++, place++)
                if (place % step == 0)
                    visit(row, col, matrix.matrix_pointer()[place]);
    }
}

} // namespace

void *ashi_cosma_open(const int size[3], MPI_Comm comm, ashi_cosma_element element, const void *context)
{
    int rank = 0, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    own *made = new own(size, comm, rank, ranks);
    for (int which = 0; which < 3; which++) {
        auto &matrix = made->matrix(which);
        matrix.allocate();
        each_element(matrix, 1, [&](int64_t row, int64_t col, double &value) {
            value = element(context, which, row, col);
        });
    }
    return made;
}

void ashi_cosma_run(void *handle)
{
    own *made = static_cast<own *>(handle);
    cosma::multiply(made->a, made->b, made->c, made->strategy, made->comm, 1.0, 0.0);
}

double ashi_cosma_error(void *handle, int64_t samples, ashi_cosma_judge judge, const void *context)
{
    auto &c = static_cast<own *>(handle)->c;
    const int64_t all = static_cast<int64_t>(c.matrix_size()), step = std::max<int64_t>(1, all / samples);
    double worst = 0;
    each_element(c, step, [&](int64_t row, int64_t col, double value) {
        worst = std::max(worst, judge(context, row, col, value));
    });
    return worst;
}

void ashi_cosma_close(void *handle)
{
    delete static_cast<own *>(handle);
}
