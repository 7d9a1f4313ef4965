! A folder for the files of a test, the same on all ranks.
module folders
    use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_null_char, c_ptr
    use checks, only: check
    use mpi, only: MPI_Barrier, MPI_COMM_WORLD, MPI_Comm_rank, MPI_INTEGER
    implicit none
    private
    public :: made_folder, remove_folder

contains

    function made_folder() result(folder)
        character(:), allocatable :: folder
        character(kind=c_char) :: text(512)
        character(512) :: base, name
        integer :: code(512), i, length, rank, ierror

        interface
            function mkdtemp(template) bind(c, name="mkdtemp") result(made)
                import :: c_char, c_ptr
                character(kind=c_char), intent(inout) :: template(*)
                type(c_ptr) :: made
            end function

            subroutine MPI_Bcast(buffer, count, datatype, root, comm, ierror) ! MPICH's module has none
                integer, intent(inout) :: buffer(*)
                integer, intent(in) :: count, datatype, root, comm
                integer, intent(out) :: ierror
            end subroutine
        end interface

        call get_environment_variable("TMPDIR", base)
        if (base == "") base = "/tmp"
        name = trim(base) // "/ashlar-fortran-XXXXXX"
        length = len_trim(name)
        do i = 1, length
            text(i) = name(i:i)
        end do
        text(length + 1) = c_null_char
        call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
        if (rank == 0) call check(c_associated(mkdtemp(text)), "mkdtemp")
        do i = 1, length
            code(i) = iachar(text(i))
        end do
        call MPI_Bcast(code, length, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
        do i = 1, length
            name(i:i) = achar(code(i))
        end do
        folder = trim(name)
    end function

    subroutine remove_folder(folder)
        character(*), intent(in) :: folder
        integer :: rank, ierror

        call MPI_Barrier(MPI_COMM_WORLD, ierror)
        call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
        ! A command that ends with a null character: libgfortran's copy of others looks one byte beyond their end.
        if (rank == 0) call execute_command_line("rm -r '" // folder // "'" // c_null_char)
    end subroutine
end module
