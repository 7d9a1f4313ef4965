! A BLACS grid and matrices spread over it, for tests of ScaLAPACK's routines.
module blacs
    use, intrinsic :: iso_c_binding, only: c_int64_t
    implicit none
    private
    public :: grid, grid_open, grid_close, describe, global_row, global_col

    type :: grid
        integer :: context, rows, cols, row, col
    end type

    interface
        subroutine blacs_pinfo(rank, ranks)
            integer, intent(out) :: rank, ranks
        end subroutine

        subroutine blacs_get(context, what, value)
            integer, intent(in) :: context, what
            integer, intent(out) :: value
        end subroutine

        subroutine blacs_gridinit(context, order, rows, cols)
            integer, intent(inout) :: context
            character, intent(in) :: order
            integer, intent(in) :: rows, cols
        end subroutine

        subroutine blacs_gridinfo(context, rows, cols, row, col)
            integer, intent(in) :: context
            integer, intent(out) :: rows, cols, row, col
        end subroutine

        subroutine blacs_gridexit(context)
            integer, intent(in) :: context
        end subroutine

        subroutine blacs_exit(go_on)
            integer, intent(in) :: go_on
        end subroutine

        function numroc(n, block, place, source, places) result(count)
            integer, intent(in) :: n, block, place, source, places
            integer :: count
        end function

        subroutine descinit(desc, m, n, mb, nb, row_source, col_source, context, ld, info)
            integer, intent(out) :: desc(9)
            integer, intent(in) :: m, n, mb, nb, row_source, col_source, context, ld
            integer, intent(out) :: info
        end subroutine
    end interface

contains

    ! Two rows of processes where their number is even.
    function grid_open() result(g)
        type(grid) :: g
        integer :: rank, ranks

        call blacs_pinfo(rank, ranks)
        call blacs_get(-1, 0, g%context)
        g%rows = merge(2, 1, mod(ranks, 2) == 0)
        call blacs_gridinit(g%context, "R", g%rows, ranks / g%rows)
        call blacs_gridinfo(g%context, g%rows, g%cols, g%row, g%col)
    end function

    subroutine grid_close(g)
        type(grid), intent(in) :: g

        call blacs_gridexit(g%context)
        call blacs_exit(0)
    end subroutine

    ! The descriptor of an m x n matrix, and how many rows and columns of it are here.
    subroutine describe(g, m, n, mb, nb, desc, rows, cols)
        type(grid), intent(in) :: g
        integer, intent(in) :: m, n, mb, nb
        integer, intent(out) :: desc(9), rows, cols
        integer :: info

        rows = numroc(m, mb, g%row, 0, g%rows)
        cols = numroc(n, nb, g%col, 0, g%cols)
        call descinit(desc, m, n, mb, nb, 0, 0, g%context, max(1, rows), info)
        if (info /= 0) error stop "descinit refuses its arguments"
    end subroutine

    ! Where the matrix has a local row or column, counted from zero.
    pure function global_row(g, desc, local) result(row)
        type(grid), intent(in) :: g
        integer, intent(in) :: desc(9), local
        integer(c_int64_t) :: row

        row = ((local - 1) / desc(5) * g%rows + g%row) * desc(5) + mod(local - 1, desc(5))
    end function

    pure function global_col(g, desc, local) result(col)
        type(grid), intent(in) :: g
        integer, intent(in) :: desc(9), local
        integer(c_int64_t) :: col

        col = ((local - 1) / desc(6) * g%cols + g%col) * desc(6) + mod(local - 1, desc(6))
    end function
end module
