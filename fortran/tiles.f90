! The C functions that ashlar_tile_matrices wraps, as C has them: handles are pointers passed by value.
module ashlar_raw_tiles
    use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t, c_ptr, c_size_t
    use ashlar_types, only: ashlar_device_figures, ashlar_error, ashlar_stored_tile, ashlar_tiles_description, &
        ashlar_tiles_info, ashlar_tiles_options, ashlar_tiles_result
    implicit none
    public

    interface
        function tiles_create(context, description, out, err) bind(c, name="ashlar_tiles_create") result(status)
            import :: ashlar_error, ashlar_tiles_description, c_int, c_ptr
            type(c_ptr), value :: context
            type(ashlar_tiles_description), intent(in) :: description
            type(c_ptr), intent(out) :: out
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_inspect(tiles, out, size, err) bind(c, name="ashlar_tiles_inspect_sized") result(status)
            import :: ashlar_error, ashlar_tiles_info, c_int, c_ptr, c_size_t
            type(c_ptr), value :: tiles
            type(ashlar_tiles_info), intent(inout) :: out
            integer(c_size_t), value :: size
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_reserve(tiles, count, row, col, err) bind(c, name="ashlar_tiles_reserve") result(status)
            import :: ashlar_error, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: tiles
            integer(c_int64_t), value :: count
            integer(c_int64_t), intent(in) :: row(*)
            integer(c_int64_t), intent(in) :: col(*)
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_put(tiles, row, col, rows, cols, order, ld, data, err) bind(c, &
            name="ashlar_tiles_put") result(status)
            import :: ashlar_error, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: tiles
            integer(c_int64_t), value :: row
            integer(c_int64_t), value :: col
            integer(c_int64_t), value :: rows
            integer(c_int64_t), value :: cols
            integer(c_int), value :: order
            integer(c_int64_t), value :: ld
            type(*), intent(in) :: data(*)
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_accumulate(tiles, row, col, rows, cols, order, ld, data, err) bind(c, &
            name="ashlar_tiles_accumulate") result(status)
            import :: ashlar_error, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: tiles
            integer(c_int64_t), value :: row
            integer(c_int64_t), value :: col
            integer(c_int64_t), value :: rows
            integer(c_int64_t), value :: cols
            integer(c_int), value :: order
            integer(c_int64_t), value :: ld
            type(*), intent(in) :: data(*)
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_finish(tiles, err) bind(c, name="ashlar_tiles_finish") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(c_ptr), value :: tiles
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_get(tiles, row, col, out, size, err) bind(c, name="ashlar_tiles_get_sized") result(status)
            import :: ashlar_error, ashlar_stored_tile, c_int, c_int64_t, c_ptr, c_size_t
            type(c_ptr), value :: tiles
            integer(c_int64_t), value :: row
            integer(c_int64_t), value :: col
            type(ashlar_stored_tile), intent(inout) :: out
            integer(c_size_t), value :: size
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_local(tiles, number, out, size, err) bind(c, name="ashlar_tiles_local_sized") result(status)
            import :: ashlar_error, ashlar_stored_tile, c_int, c_int64_t, c_ptr, c_size_t
            type(c_ptr), value :: tiles
            integer(c_int64_t), value :: number
            type(ashlar_stored_tile), intent(inout) :: out
            integer(c_size_t), value :: size
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_fetch(tiles, count, row, col, data, present, err) bind(c, &
            name="ashlar_tiles_fetch") result(status)
            import :: ashlar_error, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: tiles
            integer(c_int64_t), value :: count
            integer(c_int64_t), intent(in) :: row(*)
            integer(c_int64_t), intent(in) :: col(*)
            type(*), intent(inout) :: data(*)
            integer(c_int), intent(inout), optional :: present(*)
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_norm(tiles, norm, err) bind(c, name="ashlar_tiles_norm") result(status)
            import :: ashlar_error, c_double, c_int, c_ptr
            type(c_ptr), value :: tiles
            real(c_double), intent(inout) :: norm
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_norms(tiles, norms, err) bind(c, name="ashlar_tiles_norms") result(status)
            import :: ashlar_error, c_double, c_int, c_ptr
            type(c_ptr), value :: tiles
            real(c_double), intent(inout) :: norms(*)
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_to_dense(tiles, layout, data, err) bind(c, name="ashlar_tiles_to_dense") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(c_ptr), value :: tiles
            type(c_ptr), value :: layout
            type(*), intent(inout) :: data(*)
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_from_dense(tiles, layout, data, threshold, err) bind(c, &
            name="ashlar_tiles_from_dense") result(status)
            import :: ashlar_error, c_double, c_int, c_ptr
            type(c_ptr), value :: tiles
            type(c_ptr), value :: layout
            type(*), intent(in) :: data(*)
            real(c_double), value :: threshold
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_move(op, from, to, err) bind(c, name="ashlar_tiles_move") result(status)
            import :: ashlar_error, c_int, c_ptr
            integer(c_int), value :: op
            type(c_ptr), value :: from
            type(c_ptr), value :: to
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_filter(tiles, threshold, err) bind(c, name="ashlar_tiles_filter") result(status)
            import :: ashlar_error, c_double, c_int, c_ptr
            type(c_ptr), value :: tiles
            real(c_double), value :: threshold
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_copy(tiles, out, err) bind(c, name="ashlar_tiles_copy") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(c_ptr), value :: tiles
            type(c_ptr), intent(out) :: out
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_clear(tiles, err) bind(c, name="ashlar_tiles_clear") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(c_ptr), value :: tiles
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_scale(alpha, tiles, err) bind(c, name="ashlar_tiles_scale") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(*), intent(in) :: alpha
            type(c_ptr), value :: tiles
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_add(alpha, a, beta, b, c, err) bind(c, name="ashlar_tiles_add") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(*), intent(in) :: alpha
            type(c_ptr), value :: a
            type(*), intent(in) :: beta
            type(c_ptr), value :: b
            type(c_ptr), value :: c
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_multiply(alpha, op_a, a, op_b, b, beta, c, options, result, result_size, err) bind(c, &
            name="ashlar_tiles_multiply_sized") result(status)
            import :: ashlar_error, ashlar_tiles_options, ashlar_tiles_result, c_int, c_ptr, c_size_t
            type(*), intent(in) :: alpha
            integer(c_int), value :: op_a
            type(c_ptr), value :: a
            integer(c_int), value :: op_b
            type(c_ptr), value :: b
            type(*), intent(in) :: beta
            type(c_ptr), value :: c
            type(ashlar_tiles_options), intent(in), optional :: options
            type(ashlar_tiles_result), intent(inout), optional :: result
            integer(c_size_t), value :: result_size
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_device(context, out, size, err) bind(c, name="ashlar_tiles_device_sized") result(status)
            import :: ashlar_device_figures, ashlar_error, c_int, c_ptr, c_size_t
            type(c_ptr), value :: context
            type(ashlar_device_figures), intent(inout) :: out
            integer(c_size_t), value :: size
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_multiply_elements(a, b, c, err) bind(c, name="ashlar_tiles_multiply_elements") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(c_ptr), value :: a
            type(c_ptr), value :: b
            type(c_ptr), value :: c
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_trace(tiles, value, err) bind(c, name="ashlar_tiles_trace") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(c_ptr), value :: tiles
            type(*), intent(inout) :: value
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_trace_product(op, a, b, value, err) bind(c, name="ashlar_tiles_trace_product") result(status)
            import :: ashlar_error, c_int, c_ptr
            integer(c_int), value :: op
            type(c_ptr), value :: a
            type(c_ptr), value :: b
            type(*), intent(inout) :: value
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_diagonal(tiles, diagonal, err) bind(c, name="ashlar_tiles_diagonal") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(c_ptr), value :: tiles
            type(*), intent(inout) :: diagonal(*)
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_set_diagonal(tiles, diagonal, err) bind(c, name="ashlar_tiles_set_diagonal") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(c_ptr), value :: tiles
            type(*), intent(in) :: diagonal(*)
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_add_diagonal(alpha, diagonal, tiles, err) bind(c, &
            name="ashlar_tiles_add_diagonal") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(*), intent(in) :: alpha
            type(*), intent(in), optional :: diagonal(*)
            type(c_ptr), value :: tiles
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_scale_by_diagonal(left, right, tiles, err) bind(c, &
            name="ashlar_tiles_scale_by_diagonal") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(*), intent(in), optional :: left(*)
            type(*), intent(in), optional :: right(*)
            type(c_ptr), value :: tiles
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_deal_by_work(op_a, a, op_b, b, c, row_map, col_map, left, err) bind(c, &
            name="ashlar_tiles_deal_by_work") result(status)
            import :: ashlar_error, ashlar_tiles_description, c_double, c_int, c_ptr
            integer(c_int), value :: op_a
            type(c_ptr), value :: a
            integer(c_int), value :: op_b
            type(c_ptr), value :: b
            type(ashlar_tiles_description), intent(in) :: c
            integer(c_int), intent(inout) :: row_map(*)
            integer(c_int), intent(inout) :: col_map(*)
            real(c_double), intent(inout), optional :: left
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_gershgorin(tiles, lowest, highest, err) bind(c, name="ashlar_tiles_gershgorin") result(status)
            import :: ashlar_error, c_double, c_int, c_ptr
            type(c_ptr), value :: tiles
            real(c_double), intent(inout) :: lowest
            real(c_double), intent(inout) :: highest
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_lanczos(tiles, steps, lowest, highest, inner, err) bind(c, &
            name="ashlar_tiles_lanczos") result(status)
            import :: ashlar_error, c_double, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: tiles
            integer(c_int64_t), value :: steps
            real(c_double), intent(inout) :: lowest
            real(c_double), intent(inout) :: highest
            real(c_double), intent(inout), optional :: inner(2)
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        subroutine tiles_free(tiles) bind(c, name="ashlar_tiles_free")
            import :: c_ptr
            type(c_ptr), intent(inout) :: tiles
        end subroutine

        function tiles_owner(tiles, row, col) bind(c, name="ashlar_tiles_owner") result(rank)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: tiles
            integer(c_int64_t), value :: row, col
            integer(c_int) :: rank
        end function
    end interface
end module

! Matrices of tiles: the functions of include/ashlar/tiles.h. Arrays and numbers of a matrix may be of any type, and
! must be of the matrix's: that is not checked.
module ashlar_tile_matrices
    use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t, c_size_t, c_sizeof
    use ashlar_raw_tiles
    use ashlar_types, only: ashlar_context, ashlar_device_figures, ashlar_error, ashlar_layout, ashlar_stored_tile, &
        ashlar_tiles, ashlar_tiles_description, ashlar_tiles_info, ashlar_tiles_options, ashlar_tiles_result
    implicit none
    private
    public :: ashlar_tiles_create, ashlar_tiles_inspect, ashlar_tiles_reserve, ashlar_tiles_put
    public :: ashlar_tiles_accumulate, ashlar_tiles_finish, ashlar_tiles_get, ashlar_tiles_local
    public :: ashlar_tiles_fetch, ashlar_tiles_norm, ashlar_tiles_norms, ashlar_tiles_to_dense
    public :: ashlar_tiles_from_dense, ashlar_tiles_move, ashlar_tiles_filter, ashlar_tiles_copy
    public :: ashlar_tiles_clear, ashlar_tiles_scale, ashlar_tiles_add, ashlar_tiles_multiply_elements
    public :: ashlar_tiles_multiply, ashlar_tiles_device, ashlar_tiles_deal_by_work
    public :: ashlar_tiles_trace, ashlar_tiles_trace_product, ashlar_tiles_diagonal, ashlar_tiles_set_diagonal
    public :: ashlar_tiles_add_diagonal, ashlar_tiles_scale_by_diagonal, ashlar_tiles_gershgorin, ashlar_tiles_lanczos
    public :: ashlar_tiles_free, ashlar_tiles_owner

contains

    ! The pointers of a description are c_loc of arrays; they need to be valid during the call only, `user` longer.
    function ashlar_tiles_create(context, description, out, err) result(status)
        type(ashlar_context), intent(in) :: context
        type(ashlar_tiles_description), intent(in) :: description
        type(ashlar_tiles), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_create(context%handle, description, out%handle, err)
    end function

    function ashlar_tiles_inspect(tiles, out, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        type(ashlar_tiles_info), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_inspect(tiles%handle, out, c_sizeof(out), err)
    end function

    function ashlar_tiles_reserve(tiles, count, row, col, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        integer(c_int64_t), intent(in) :: count
        integer(c_int64_t), intent(in) :: row(*)
        integer(c_int64_t), intent(in) :: col(*)
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_reserve(tiles%handle, count, row, col, err)
    end function

    function ashlar_tiles_put(tiles, row, col, rows, cols, order, ld, data, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        integer(c_int64_t), intent(in) :: row
        integer(c_int64_t), intent(in) :: col
        integer(c_int64_t), intent(in) :: rows
        integer(c_int64_t), intent(in) :: cols
        integer(c_int), intent(in) :: order
        integer(c_int64_t), intent(in) :: ld
        type(*), intent(in) :: data(*)
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_put(tiles%handle, row, col, rows, cols, order, ld, data, err)
    end function

    function ashlar_tiles_accumulate(tiles, row, col, rows, cols, order, ld, data, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        integer(c_int64_t), intent(in) :: row
        integer(c_int64_t), intent(in) :: col
        integer(c_int64_t), intent(in) :: rows
        integer(c_int64_t), intent(in) :: cols
        integer(c_int), intent(in) :: order
        integer(c_int64_t), intent(in) :: ld
        type(*), intent(in) :: data(*)
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_accumulate(tiles%handle, row, col, rows, cols, order, ld, data, err)
    end function

    function ashlar_tiles_finish(tiles, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_finish(tiles%handle, err)
    end function

    ! The elements are at out%data, for c_f_pointer.
    function ashlar_tiles_get(tiles, row, col, out, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        integer(c_int64_t), intent(in) :: row
        integer(c_int64_t), intent(in) :: col
        type(ashlar_stored_tile), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_get(tiles%handle, row, col, out, c_sizeof(out), err)
    end function

    ! number counts from zero.
    function ashlar_tiles_local(tiles, number, out, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        integer(c_int64_t), intent(in) :: number
        type(ashlar_stored_tile), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_local(tiles%handle, number, out, c_sizeof(out), err)
    end function

    function ashlar_tiles_fetch(tiles, count, row, col, data, present, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        integer(c_int64_t), intent(in) :: count
        integer(c_int64_t), intent(in) :: row(*)
        integer(c_int64_t), intent(in) :: col(*)
        type(*), intent(inout) :: data(*)
        integer(c_int), intent(inout), optional :: present(*)
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_fetch(tiles%handle, count, row, col, data, present, err)
    end function

    function ashlar_tiles_norm(tiles, norm, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        real(c_double), intent(inout) :: norm
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_norm(tiles%handle, norm, err)
    end function

    function ashlar_tiles_norms(tiles, norms, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        real(c_double), intent(inout) :: norms(*)
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_norms(tiles%handle, norms, err)
    end function

    function ashlar_tiles_to_dense(tiles, layout, data, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        type(ashlar_layout), intent(in) :: layout
        type(*), intent(inout) :: data(*)
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_to_dense(tiles%handle, layout%handle, data, err)
    end function

    function ashlar_tiles_from_dense(tiles, layout, data, threshold, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        type(ashlar_layout), intent(in) :: layout
        type(*), intent(in) :: data(*)
        real(c_double), intent(in) :: threshold
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_from_dense(tiles%handle, layout%handle, data, threshold, err)
    end function

    function ashlar_tiles_move(op, from, to, err) result(status)
        integer(c_int), intent(in) :: op
        type(ashlar_tiles), intent(in) :: from
        type(ashlar_tiles), intent(in) :: to
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_move(op, from%handle, to%handle, err)
    end function

    function ashlar_tiles_filter(tiles, threshold, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        real(c_double), intent(in) :: threshold
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_filter(tiles%handle, threshold, err)
    end function

    function ashlar_tiles_copy(tiles, out, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        type(ashlar_tiles), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_copy(tiles%handle, out%handle, err)
    end function

    function ashlar_tiles_clear(tiles, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_clear(tiles%handle, err)
    end function

    function ashlar_tiles_scale(alpha, tiles, err) result(status)
        type(*), intent(in) :: alpha
        type(ashlar_tiles), intent(in) :: tiles
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_scale(alpha, tiles%handle, err)
    end function

    function ashlar_tiles_add(alpha, a, beta, b, c, err) result(status)
        type(*), intent(in) :: alpha
        type(ashlar_tiles), intent(in) :: a
        type(*), intent(in) :: beta
        type(ashlar_tiles), intent(in) :: b
        type(ashlar_tiles), intent(in) :: c
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_add(alpha, a%handle, beta, b%handle, c%handle, err)
    end function

    function ashlar_tiles_multiply(alpha, op_a, a, op_b, b, beta, c, options, result, err) result(status)
        type(*), intent(in) :: alpha
        integer(c_int), intent(in) :: op_a
        type(ashlar_tiles), intent(in) :: a
        integer(c_int), intent(in) :: op_b
        type(ashlar_tiles), intent(in) :: b
        type(*), intent(in) :: beta
        type(ashlar_tiles), intent(in) :: c
        type(ashlar_tiles_options), intent(in), optional :: options
        type(ashlar_tiles_result), intent(inout), optional :: result
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status
        integer(c_size_t) :: bytes

        bytes = 0
        if (present(result)) bytes = c_sizeof(result)
        status = tiles_multiply(alpha, op_a, a%handle, op_b, b%handle, beta, c%handle, options, result, bytes, err)
    end function

    function ashlar_tiles_device(context, out, err) result(status)
        type(ashlar_context), intent(in) :: context
        type(ashlar_device_figures), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_device(context%handle, out, c_sizeof(out), err)
    end function

    function ashlar_tiles_multiply_elements(a, b, c, err) result(status)
        type(ashlar_tiles), intent(in) :: a
        type(ashlar_tiles), intent(in) :: b
        type(ashlar_tiles), intent(in) :: c
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_multiply_elements(a%handle, b%handle, c%handle, err)
    end function

    function ashlar_tiles_trace(tiles, value, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        type(*), intent(inout) :: value
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_trace(tiles%handle, value, err)
    end function

    function ashlar_tiles_trace_product(op, a, b, value, err) result(status)
        integer(c_int), intent(in) :: op
        type(ashlar_tiles), intent(in) :: a
        type(ashlar_tiles), intent(in) :: b
        type(*), intent(inout) :: value
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_trace_product(op, a%handle, b%handle, value, err)
    end function

    function ashlar_tiles_diagonal(tiles, diagonal, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        type(*), intent(inout) :: diagonal(*)
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_diagonal(tiles%handle, diagonal, err)
    end function

    function ashlar_tiles_set_diagonal(tiles, diagonal, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        type(*), intent(in) :: diagonal(*)
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_set_diagonal(tiles%handle, diagonal, err)
    end function

    ! diagonal, and left and right below, may be left out for C's NULL: what follows is then given by its name.
    function ashlar_tiles_add_diagonal(alpha, diagonal, tiles, err) result(status)
        type(*), intent(in) :: alpha
        type(*), intent(in), optional :: diagonal(*)
        type(ashlar_tiles), intent(in) :: tiles
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_add_diagonal(alpha, diagonal, tiles%handle, err)
    end function

    function ashlar_tiles_scale_by_diagonal(left, right, tiles, err) result(status)
        type(*), intent(in), optional :: left(*)
        type(*), intent(in), optional :: right(*)
        type(ashlar_tiles), intent(in) :: tiles
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_scale_by_diagonal(left, right, tiles%handle, err)
    end function

    ! The maps say process rows and columns counted from zero, as those of a description.
    function ashlar_tiles_deal_by_work(op_a, a, op_b, b, c, row_map, col_map, left, err) result(status)
        integer(c_int), intent(in) :: op_a
        type(ashlar_tiles), intent(in) :: a
        integer(c_int), intent(in) :: op_b
        type(ashlar_tiles), intent(in) :: b
        type(ashlar_tiles_description), intent(in) :: c
        integer(c_int), intent(inout) :: row_map(*)
        integer(c_int), intent(inout) :: col_map(*)
        real(c_double), intent(inout), optional :: left
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_deal_by_work(op_a, a%handle, op_b, b%handle, c, row_map, col_map, left, err)
    end function

    function ashlar_tiles_gershgorin(tiles, lowest, highest, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        real(c_double), intent(inout) :: lowest
        real(c_double), intent(inout) :: highest
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_gershgorin(tiles%handle, lowest, highest, err)
    end function

    function ashlar_tiles_lanczos(tiles, steps, lowest, highest, inner, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        integer(c_int64_t), intent(in) :: steps
        real(c_double), intent(inout) :: lowest
        real(c_double), intent(inout) :: highest
        real(c_double), intent(inout), optional :: inner(2)
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_lanczos(tiles%handle, steps, lowest, highest, inner, err)
    end function

    subroutine ashlar_tiles_free(tiles)
        type(ashlar_tiles), intent(inout) :: tiles

        call tiles_free(tiles%handle)
    end subroutine

    ! row and col count from zero.
    function ashlar_tiles_owner(tiles, row, col) result(rank)
        type(ashlar_tiles), intent(in) :: tiles
        integer(c_int64_t), intent(in) :: row, col
        integer(c_int) :: rank

        rank = tiles_owner(tiles%handle, row, col)
    end function
end module
