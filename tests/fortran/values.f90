! Matrices of small whole numbers, so that products of them are exact in every element type.
module values
    use, intrinsic :: iso_c_binding, only: c_int64_t
    implicit none
    private
    public :: a_value, b_value, c_value, product_value, m, n, k

    integer(c_int64_t), parameter :: m = 12, n = 10, k = 8

    abstract interface
        ! Element (row, col) of a matrix, counted from zero.
        pure function value_at(row, col) result(x)
            import :: c_int64_t
            integer(c_int64_t), intent(in) :: row, col
            integer(c_int64_t) :: x
        end function
    end interface
    public :: value_at

contains

    pure function a_value(row, col) result(x)
        integer(c_int64_t), intent(in) :: row, col
        integer(c_int64_t) :: x

        x = row - 2 * col + 1
    end function

    pure function b_value(row, col) result(x)
        integer(c_int64_t), intent(in) :: row, col
        integer(c_int64_t) :: x

        x = row + 3 * col - 4
    end function

    pure function c_value(row, col) result(x)
        integer(c_int64_t), intent(in) :: row, col
        integer(c_int64_t) :: x

        x = row * col - 5
    end function

    ! 2 A B - C
    pure function product_value(row, col) result(x)
        integer(c_int64_t), intent(in) :: row, col
        integer(c_int64_t) :: x, l

        x = -c_value(row, col)
        do l = 0, k - 1
            x = x + 2 * a_value(row, l) * b_value(l, col)
        end do
    end function
end module
