! C <- A B over all ranks, each matrix laid out as the plan likes best.
program multiply
    use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t
    use, intrinsic :: iso_fortran_env, only: error_unit
    use ashlar
    use mpi, only: MPI_COMM_WORLD, MPI_Comm_rank, MPI_Finalize, MPI_Init
    implicit none
    type(ashlar_problem), parameter :: problem = ashlar_problem(type=ASHLAR_TYPE_D, m=300, n=200, k=1000)
    real(c_double), parameter :: one = 1, zero = 0
    type(ashlar_context) :: context
    type(ashlar_plan) :: plan
    type(ashlar_error) :: err
    real(c_double), allocatable :: a(:), b(:), c(:)
    integer :: rank, ierror
    integer(c_int) :: status

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    status = ashlar_context_create(MPI_COMM_WORLD, context, err)
    if (status == ASHLAR_OK) status = ashlar_plan_create(context, problem, out=plan, err=err)
    if (status == ASHLAR_OK) then
        allocate (a(part(ASHLAR_A)), source=1.0_c_double)
        allocate (b(part(ASHLAR_B)), source=2.0_c_double)
        allocate (c(part(ASHLAR_C)))
        status = ashlar_plan_execute(plan, one, a, b, zero, c, err) ! as often as you like
        if (status == ASHLAR_OK .and. size(c) > 0) print "(a, i0, a, f0.1)", "rank ", rank, &
            ": its first element of C is ", c(1) ! 1000 products of 1 and 2
        deallocate (a, b, c)
    end if
    if (status /= ASHLAR_OK .and. rank == 0) write (error_unit, "(3a)") ashlar_status_name(status), ": ", &
        ashlar_text(err)
    call ashlar_plan_free(plan)
    call ashlar_context_free(context)
    call MPI_Finalize(ierror)
    if (status /= ASHLAR_OK) stop 1

contains

    ! How many elements of a matrix this rank holds.
    function part(operand) result(count)
        integer(c_int), intent(in) :: operand
        integer(c_int64_t) :: count

        count = ashlar_layout_extent(ashlar_plan_layout(plan, operand), rank)
    end function
end program
