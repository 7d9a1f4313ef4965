! The C functions that ashlar_low_rank wraps, as C has them: handles are pointers passed by value.
module ashlar_raw_low_rank
    use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t, c_ptr
    use ashlar_types, only: ashlar_error
    implicit none
    public

    interface
        function tiles_put_low_rank(tiles, row, col, rank, u, ldu, v, ldv, err) bind(c, &
            name="ashlar_tiles_put_low_rank") result(status)
            import :: ashlar_error, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: tiles
            integer(c_int64_t), value :: row
            integer(c_int64_t), value :: col
            integer(c_int64_t), value :: rank
            type(*), intent(in) :: u(*)
            integer(c_int64_t), value :: ldu
            type(*), intent(in) :: v(*)
            integer(c_int64_t), value :: ldv
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_compress(tiles, tolerance, relative, error, err) bind(c, name="ashlar_tiles_compress") &
            result(status)
            import :: ashlar_error, c_double, c_int, c_ptr
            type(c_ptr), value :: tiles
            real(c_double), value :: tolerance
            integer(c_int), value :: relative
            real(c_double), intent(inout), optional :: error
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_expand(tiles, err) bind(c, name="ashlar_tiles_expand") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(c_ptr), value :: tiles
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function
    end interface
end module

! Tiles of low rank: the functions of include/ashlar/tiles_low_rank.h. U and V are of the matrix's type: that is not
! checked. ashlar_stored_tile%u and %v are for c_f_pointer.
module ashlar_low_rank
    use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t
    use ashlar_raw_low_rank
    use ashlar_types, only: ashlar_error, ashlar_tiles
    implicit none
    private
    public :: ashlar_tiles_put_low_rank, ashlar_tiles_compress, ashlar_tiles_expand

contains

    ! row and col count from zero.
    function ashlar_tiles_put_low_rank(tiles, row, col, rank, u, ldu, v, ldv, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        integer(c_int64_t), intent(in) :: row
        integer(c_int64_t), intent(in) :: col
        integer(c_int64_t), intent(in) :: rank
        type(*), intent(in) :: u(*)
        integer(c_int64_t), intent(in) :: ldu
        type(*), intent(in) :: v(*)
        integer(c_int64_t), intent(in) :: ldv
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_put_low_rank(tiles%handle, row, col, rank, u, ldu, v, ldv, err)
    end function

    function ashlar_tiles_compress(tiles, tolerance, relative, error, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        real(c_double), intent(in) :: tolerance
        integer(c_int), intent(in) :: relative
        real(c_double), intent(inout), optional :: error
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_compress(tiles%handle, tolerance, relative, error, err)
    end function

    function ashlar_tiles_expand(tiles, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_expand(tiles%handle, err)
    end function
end module
