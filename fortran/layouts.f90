! Layouts and the machine's figures: the functions of include/ashlar/layout.h, base.h and machine.h that give no text.
module ashlar_layouts
    use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_size_t, c_sizeof
    use ashlar_raw
    use ashlar_types, only: ashlar_error, ashlar_layout, ashlar_machine, ashlar_tile
    implicit none
    private
    public :: ashlar_layout_block_cyclic, ashlar_layout_first_block, ashlar_layout_submatrix, ashlar_layout_tiles
    public :: ashlar_layout_set_storage, ashlar_layout_free, ashlar_layout_rows, ashlar_layout_cols
    public :: ashlar_layout_tile_count, ashlar_layout_words, ashlar_layout_extent, ashlar_layout_owner
    public :: ashlar_layout_offset, ashlar_layout_list_tiles, ashlar_machine_default, ashlar_type_bytes
    public :: ashlar_type_of_sums
    public :: ashlar_interrupt

    interface
        ! owner is in C's order: tile (r, c) at r * tile_cols + c + 1, counted as Fortran does.
        function ashlar_layout_tiles(tile_rows, tile_cols, row_cuts, col_cuts, owner, order, out, err) &
            bind(c, name="ashlar_layout_tiles") result(status)
            import :: ashlar_error, ashlar_layout, c_int, c_int64_t
            integer(c_int64_t), value :: tile_rows, tile_cols
            integer(c_int64_t), intent(in) :: row_cuts(*), col_cuts(*)
            integer(c_int), intent(in) :: owner(*)
            integer(c_int), value :: order
            type(ashlar_layout), intent(inout) :: out
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        subroutine ashlar_layout_free(layout) bind(c, name="ashlar_layout_free")
            import :: ashlar_layout
            type(ashlar_layout), intent(inout) :: layout
        end subroutine

        subroutine ashlar_interrupt(on) bind(c, name="ashlar_interrupt")
            import :: c_int
            integer(c_int), value :: on
        end subroutine

        pure function ashlar_type_bytes(type) bind(c, name="ashlar_type_bytes") result(bytes)
            import :: c_int, c_size_t
            integer(c_int), value :: type
            integer(c_size_t) :: bytes
        end function

        pure function ashlar_type_of_sums(type) bind(c, name="ashlar_type_of_sums") result(sums)
            import :: c_int
            integer(c_int), value :: type
            integer(c_int) :: sums
        end function
    end interface

contains

    function ashlar_machine_default() result(machine)
        type(ashlar_machine) :: machine

        call machine_default(machine, c_sizeof(machine))
    end function

    ! ranks may be left out for C's NULL, ld for the least that is possible.
    function ashlar_layout_block_cyclic(rows, cols, mb, nb, grid_rows, grid_cols, row_source, col_source, ranks, &
        order, ld, out, err) result(status)
        integer(c_int64_t), intent(in) :: rows, cols, mb, nb
        integer(c_int), intent(in) :: grid_rows, grid_cols, row_source, col_source
        integer(c_int), intent(in), optional :: ranks(*)
        integer(c_int), intent(in) :: order
        integer(c_int64_t), intent(in), optional :: ld
        type(ashlar_layout), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status
        integer(c_int64_t) :: least_or_ld

        least_or_ld = 0
        if (present(ld)) least_or_ld = ld
        status = layout_block_cyclic(rows, cols, mb, nb, grid_rows, grid_cols, row_source, col_source, ranks, order, &
            least_or_ld, out%handle, err)
    end function

    function ashlar_layout_first_block(layout, rows, cols, err) result(status)
        type(ashlar_layout), intent(in) :: layout
        integer(c_int64_t), intent(in) :: rows, cols
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = layout_first_block(layout%handle, rows, cols, err)
    end function

    function ashlar_layout_submatrix(of, row, col, rows, cols, out, err) result(status)
        type(ashlar_layout), intent(in) :: of
        integer(c_int64_t), intent(in) :: row, col, rows, cols
        type(ashlar_layout), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = layout_submatrix(of%handle, row, col, rows, cols, out%handle, err)
    end function

    ! offset may be left out for C's NULL.
    function ashlar_layout_set_storage(layout, rank, offset, ld, err) result(status)
        type(ashlar_layout), intent(in) :: layout
        integer(c_int), intent(in) :: rank
        integer(c_int64_t), intent(in), optional :: offset(*)
        integer(c_int64_t), intent(in) :: ld(*)
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = layout_set_storage(layout%handle, rank, offset, ld, err)
    end function

    pure function ashlar_layout_rows(layout) result(rows)
        type(ashlar_layout), intent(in) :: layout
        integer(c_int64_t) :: rows

        rows = layout_rows(layout%handle)
    end function

    pure function ashlar_layout_cols(layout) result(cols)
        type(ashlar_layout), intent(in) :: layout
        integer(c_int64_t) :: cols

        cols = layout_cols(layout%handle)
    end function

    pure function ashlar_layout_tile_count(layout, rank) result(count)
        type(ashlar_layout), intent(in) :: layout
        integer(c_int), intent(in) :: rank
        integer(c_int64_t) :: count

        count = layout_tile_count(layout%handle, rank)
    end function

    pure function ashlar_layout_words(layout, rank) result(words)
        type(ashlar_layout), intent(in) :: layout
        integer(c_int), intent(in) :: rank
        integer(c_int64_t) :: words

        words = layout_words(layout%handle, rank)
    end function

    pure function ashlar_layout_extent(layout, rank) result(elements)
        type(ashlar_layout), intent(in) :: layout
        integer(c_int), intent(in) :: rank
        integer(c_int64_t) :: elements

        elements = layout_extent(layout%handle, rank)
    end function

    ! row and col count from zero.
    pure function ashlar_layout_owner(layout, row, col) result(rank)
        type(ashlar_layout), intent(in) :: layout
        integer(c_int64_t), intent(in) :: row, col
        integer(c_int) :: rank

        rank = layout_owner(layout%handle, row, col)
    end function

    ! row, col and the offset count from zero.
    pure function ashlar_layout_offset(layout, row, col) result(offset)
        type(ashlar_layout), intent(in) :: layout
        integer(c_int64_t), intent(in) :: row, col
        integer(c_int64_t) :: offset

        offset = layout_offset(layout%handle, row, col)
    end function

    ! tiles may be left out for C's NULL, with room = 0. Rows, columns and offsets count from zero.
    function ashlar_layout_list_tiles(layout, rank, room, tiles, count, err) result(status)
        type(ashlar_layout), intent(in) :: layout
        integer(c_int), intent(in) :: rank
        integer(c_int64_t), intent(in) :: room
        type(ashlar_tile), intent(inout), optional :: tiles(*)
        integer(c_int64_t), intent(inout) :: count
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status
        type(ashlar_tile) :: one

        status = layout_list_tiles(layout%handle, rank, room, tiles, c_sizeof(one), count, err)
    end function
end module
