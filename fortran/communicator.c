/* The calls that take a communicator, for Fortran, whose communicators are integers. */
#include <ashlar/ashlar.h>

/* Called by the module only, under names that are not exported; raw.f90 has their interfaces. */
ashlar_status ashi_fortran_context_create(MPI_Fint comm, ashlar_context **out, ashlar_error *err);
ashlar_status ashi_fortran_context_keep(MPI_Fint comm, ashlar_context **out, ashlar_error *err);
ashlar_status ashi_fortran_multiply(MPI_Fint comm, const ashlar_problem *problem, const ashlar_options *options,
                                    const void *alpha, const void *a, const void *b, const void *beta, void *c,
                                    ashlar_error *err);

ashlar_status ashi_fortran_context_create(MPI_Fint comm, ashlar_context **out, ashlar_error *err)
{
    return ashlar_context_create(MPI_Comm_f2c(comm), out, err);
}

ashlar_status ashi_fortran_context_keep(MPI_Fint comm, ashlar_context **out, ashlar_error *err)
{
    return ashlar_context_keep(MPI_Comm_f2c(comm), out, err);
}

ashlar_status ashi_fortran_multiply(MPI_Fint comm, const ashlar_problem *problem, const ashlar_options *options,
                                    const void *alpha, const void *a, const void *b, const void *beta, void *c,
                                    ashlar_error *err)
{
    return ashlar_multiply(MPI_Comm_f2c(comm), problem, options, alpha, a, b, beta, c, err);
}
