! Tensors in files and tensors of functions: their functions in Fortran, which the library calls, and what they saw.
module tensor_values
    use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_int, c_int64_t, c_ptr
    implicit none
    private
    public :: produce, consume

contains

    ! Element (i, j) is 10 i + j, counted from zero; the last index varies fastest. user counts elements.
    function produce(user, from, extent, elements) bind(c) result(failed)
        type(c_ptr), value :: user
        integer(c_int64_t), intent(in) :: from(2), extent(2)
        real(c_double), intent(out) :: elements(extent(2), extent(1))
        integer(c_int) :: failed
        integer(c_int64_t), pointer :: made
        integer(c_int64_t) :: i, j

        call c_f_pointer(user, made)
        made = made + extent(1) * extent(2)
        do i = 1, extent(1)
            do j = 1, extent(2)
                elements(j, i) = real(10 * (from(1) + i - 1) + from(2) + j - 1, c_double)
            end do
        end do
        failed = 0
    end function

    ! Takes element (i, j) of twice the transposed: 2 (10 j + i). user counts those that are right.
    function consume(user, from, extent, elements) bind(c) result(failed)
        type(c_ptr), value :: user
        integer(c_int64_t), intent(in) :: from(2), extent(2)
        real(c_double), intent(in) :: elements(extent(2), extent(1))
        integer(c_int) :: failed
        integer(c_int64_t), pointer :: right
        integer(c_int64_t) :: i, j

        call c_f_pointer(user, right)
        do i = 1, extent(1)
            do j = 1, extent(2)
                if (abs(elements(j, i) - 2 * (10 * (from(2) + j - 1) + from(1) + i - 1)) <= 0) right = right + 1
            end do
        end do
        failed = 0
    end function
end module

program tensor_files
    use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_funloc, c_funptr, c_int, c_int64_t, c_loc, &
        c_null_char, c_null_ptr
    use ashlar
    use checks, only: check, checks_end
    use folders, only: made_folder, remove_folder
    use mpi, only: MPI_COMM_WORLD, MPI_Comm_rank, MPI_Finalize, MPI_Init, MPI_INTEGER8, MPI_SUM
    use tensor_values, only: consume, produce
    implicit none
    integer(c_int64_t), target :: made = 0, right = 0
    integer(c_int64_t), target :: shape(2) = [6_c_int64_t, 9_c_int64_t], turned(2) = [9_c_int64_t, 6_c_int64_t]
    type(ashlar_context) :: context
    character(:), allocatable :: folder
    integer :: rank, ierror

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call check(ashlar_context_create(MPI_COMM_WORLD, context) == ASHLAR_OK, "ashlar_context_create")
    folder = made_folder()
    call filled_by_function()
    call read_by_function()
    call refused()
    call remove_folder(folder)
    call ashlar_context_free(context)
    call MPI_Finalize(ierror)
    call checks_end("tensor_files")

contains

    ! output <- factor * operand, with the indices turned round if `text` says so.
    subroutine copy(text, factor, operand, output)
        character(kind=c_char, len=*), intent(in), target :: text
        real(c_double), intent(in) :: factor
        type(ashlar_tensor), intent(in), target :: operand, output
        type(ashlar_contraction) :: what
        type(ashlar_error) :: err

        what = ashlar_contraction(type=ASHLAR_TYPE_D, expression=c_loc(text), operands=1, operand=c_loc(operand), &
            output=c_loc(output))
        call check(ashlar_contract(context, what, alpha=factor, operand=[c_null_ptr], beta=0.0_c_double, &
            output=c_null_ptr, err=err) == ASHLAR_OK, "ashlar_contract: " // ashlar_text(err))
    end subroutine

    subroutine filled_by_function()
        type(ashlar_tensor_file) :: source, file
        type(ashlar_error) :: err
        type(c_funptr) :: maker

        maker = c_funloc(produce) ! gfortran puts an address that is an argument where a PIE may have none
        call check(ashlar_tensor_from_function(context, ASHLAR_TYPE_D, 2, shape, maker, c_loc(made), source, err) &
            == ASHLAR_OK, "ashlar_tensor_from_function: " // ashlar_text(err))
        call check(ashlar_tensor_create(context, folder // "/t.h5:/T ", ASHLAR_TYPE_D, 2, shape, file, err) == &
            ASHLAR_OK, "ashlar_tensor_create: " // ashlar_text(err))
        call copy("ab->ab" // c_null_char, 1.0_c_double, ashlar_tensor(order=2, file=source), &
            ashlar_tensor(order=2, file=file))
        call check(ashlar_tensor_publish(file, err) == ASHLAR_OK, "ashlar_tensor_publish: " // ashlar_text(err))
        call ashlar_tensor_close(file)
        call ashlar_tensor_close(source)
        call check(.not. c_associated(source%handle), "ashlar_tensor_close")
    end subroutine

    ! Each element of the result is handed to one rank once.
    subroutine read_by_function()
        type(ashlar_tensor_file) :: file, sink
        type(ashlar_tensor_info) :: info
        type(ashlar_error) :: err
        integer(c_int64_t) :: both(2)
        integer(c_int) :: status
        type(c_funptr) :: taker

        interface
            subroutine MPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm, ierror) ! MPICH's module has none
                import :: c_int64_t
                integer(c_int64_t), intent(in) :: sendbuf(*)
                integer(c_int64_t), intent(out) :: recvbuf(*)
                integer, intent(in) :: count, datatype, op, comm
                integer, intent(out) :: ierror
            end subroutine
        end interface

        call check(ashlar_tensor_open(context, folder // "/t.h5:/T", file, err) == ASHLAR_OK, &
            "ashlar_tensor_open: " // ashlar_text(err))
        status = ashlar_tensor_describe(file, info)
        call check(status == ASHLAR_OK .and. info%type == ASHLAR_TYPE_D .and. &
            info%order == 2 .and. all(info%extent(:2) == shape), "ashlar_tensor_describe")
        taker = c_funloc(consume)
        call check(ashlar_tensor_to_function(context, ASHLAR_TYPE_D, 2, turned, taker, c_loc(right), sink, err) &
            == ASHLAR_OK, "ashlar_tensor_to_function: " // ashlar_text(err))
        call copy("ab->ba" // c_null_char, 2.0_c_double, ashlar_tensor(order=2, file=file), &
            ashlar_tensor(order=2, file=sink))
        call MPI_Allreduce([made, right], both, 2, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, ierror)
        call check(all(both == 54), "what functions made and took")
        call ashlar_tensor_close(sink)
        call ashlar_tensor_close(file)
    end subroutine

    subroutine refused()
        type(ashlar_tensor_file) :: file
        type(ashlar_error) :: err

        call check(ashlar_tensor_open(context, folder // "/t.h5:/U", file, err) == ASHLAR_ERR_IO, "no such data set")
        call check(ashlar_tensor_resume(context, folder // "/u.npy", ASHLAR_TYPE_D, 2, shape, file, err) == &
            ASHLAR_OK, "ashlar_tensor_resume, nothing being left: " // ashlar_text(err))
        call ashlar_tensor_close(file)
        call check(ashlar_tensor_open(context, folder // "/u.npy", file) == ASHLAR_ERR_IO, "what was not published")
    end subroutine
end program
