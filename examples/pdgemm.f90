! C <- A B by ScaLAPACK's pdgemm: an ordinary program of ScaLAPACK's, of which Ashlar takes over the product.
!
! The program names nothing of Ashlar's. Linked with -lashlar_pblas before ScaLAPACK, or linked with ScaLAPACK alone and
! started with libashlar_pblas.so in LD_PRELOAD, its pdgemm is Ashlar's; ASHLAR_LOG=1 shows it.
program multiply
    use, intrinsic :: iso_fortran_env, only: real64
    implicit none
    integer, parameter :: n = 500, block = 32 ! every matrix is n x n, in square blocks
    real(real64), parameter :: one = 1, zero = 0
    integer, external :: numroc
    external :: blacs_pinfo, blacs_get, blacs_gridinit, blacs_gridinfo, blacs_gridexit, blacs_exit, descinit, igsum2d, &
        pdgemm
    integer :: rank, ranks, context, rows, cols, row, col, local_rows, local_cols, info, desc(9), wrong(1)
    real(real64), allocatable :: a(:, :), b(:, :), c(:, :)

    ! As square a grid as uses all ranks.
    call blacs_pinfo(rank, ranks)
    rows = int(sqrt(real(ranks)))
    do while (mod(ranks, rows) /= 0)
        rows = rows - 1
    end do
    cols = ranks / rows
    call blacs_get(-1, 0, context)
    call blacs_gridinit(context, "Row-major", rows, cols)
    call blacs_gridinfo(context, rows, cols, row, col)

    ! A(i, l) = i + l, B(l, j) = 1 for l = j, 2 for l = j + 1, counted in a circle: C(i, j) = A(i, j) + 2 A(i, j + 1).
    local_rows = numroc(n, block, row, 0, rows)
    local_cols = numroc(n, block, col, 0, cols)
    call descinit(desc, n, n, block, block, 0, 0, context, max(1, local_rows), info)
    allocate (a(local_rows, local_cols), b(local_rows, local_cols), c(local_rows, local_cols))
    call fill()
    call pdgemm("N", "N", n, n, n, one, a, 1, 1, desc, b, 1, 1, desc, zero, c, 1, 1, desc)
    wrong(1) = count_wrong()
    if (info /= 0) wrong(1) = wrong(1) + 1
    deallocate (a, b, c)
    call igsum2d(context, "All", " ", 1, 1, wrong, 1, -1, -1)
    if (rank == 0) print "(i0, a)", wrong(1), " elements of C are wrong"
    call blacs_gridexit(context)
    call blacs_exit(0)
    if (wrong(1) /= 0) stop 1

contains

    ! The index in the whole matrix of a local row or column, of the process at `place` of `places`.
    pure integer function whole(local, place, places)
        integer, intent(in) :: local, place, places

        whole = ((local - 1) / block * places + place) * block + mod(local - 1, block) + 1
    end function

    subroutine fill()
        integer :: i, j, l

        do j = 1, local_cols
            do i = 1, local_rows
                l = whole(i, row, rows)
                a(i, j) = l + whole(j, col, cols)
                b(i, j) = 0
                if (l == whole(j, col, cols)) b(i, j) = 1
                if (l == mod(whole(j, col, cols), n) + 1) b(i, j) = 2
            end do
        end do
    end subroutine

    integer function count_wrong()
        integer :: i, j, wanted

        count_wrong = 0
        do j = 1, local_cols
            do i = 1, local_rows
                wanted = 3 * whole(i, row, rows) + whole(j, col, cols) + 2 * (mod(whole(j, col, cols), n) + 1)
                if (nint(c(i, j)) /= wanted) count_wrong = count_wrong + 1
            end do
        end do
    end function
end program
