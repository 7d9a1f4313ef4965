! Matrices in files and the checking of products: the functions of include/ashlar/files.h, include/ashlar/tiles_file.h
! and include/ashlar/verify.h.
module ashlar_matrix_files
    use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr, c_sizeof
    use ashlar_raw
    use ashlar_strings, only: c_text
    use ashlar_types, only: ashlar_context, ashlar_layout, ashlar_plan, ashlar_tiles, ashlar_verification
    implicit none
    private
    public :: ashlar_file_open, ashlar_file_create, ashlar_file_describe, ashlar_file_read, ashlar_file_write
    public :: ashlar_file_resume, ashlar_file_publish, ashlar_file_close, ashlar_verify_begin, ashlar_verify_end, ashlar_verify_free
    public :: ashlar_tiles_save, ashlar_tiles_load

    interface
        subroutine ashlar_file_close(file) bind(c, name="ashlar_file_close")
            import :: ashlar_file
            type(ashlar_file), intent(inout) :: file
        end subroutine

        subroutine ashlar_verify_free(check) bind(c, name="ashlar_verify_free")
            import :: ashlar_verification
            type(ashlar_verification), intent(inout) :: check
        end subroutine
    end interface

contains

    ! place: trailing blanks are left out.
    function ashlar_file_open(context, place, out, err) result(status)
        type(ashlar_context), intent(in) :: context
        character(*), intent(in) :: place
        type(ashlar_file), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = file_open(context%handle, c_text(place), out, err)
    end function

    function ashlar_file_create(context, place, type, rows, cols, order, out, err) result(status)
        type(ashlar_context), intent(in) :: context
        character(*), intent(in) :: place
        integer(c_int), intent(in) :: type, order
        integer(c_int64_t), intent(in) :: rows, cols
        type(ashlar_file), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = file_create(context%handle, c_text(place), type, rows, cols, order, out, err)
    end function

    function ashlar_file_resume(context, place, type, rows, cols, order, out, err) result(status)
        type(ashlar_context), intent(in) :: context
        character(*), intent(in) :: place
        integer(c_int), intent(in) :: type, order
        integer(c_int64_t), intent(in) :: rows, cols
        type(ashlar_file), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = file_resume(context%handle, c_text(place), type, rows, cols, order, out, err)
    end function

    function ashlar_file_describe(file, out, err) result(status)
        type(ashlar_file), intent(in) :: file
        type(ashlar_file_info), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = file_describe(file%handle, out, c_sizeof(out), err)
    end function

    ! data is the c_loc of this rank's array, of the file's type.
    function ashlar_file_read(file, layout, data, err) result(status)
        type(ashlar_file), intent(in) :: file
        type(ashlar_layout), intent(in) :: layout
        type(c_ptr), intent(in) :: data
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = file_read(file%handle, layout%handle, data, err)
    end function

    function ashlar_file_write(file, layout, data, err) result(status)
        type(ashlar_file), intent(in) :: file
        type(ashlar_layout), intent(in) :: layout
        type(c_ptr), intent(in) :: data
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = file_write(file%handle, layout%handle, data, err)
    end function

    function ashlar_file_publish(file, err) result(status)
        type(ashlar_file), intent(in) :: file
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = file_publish(file%handle, err)
    end function

    function ashlar_tiles_save(tiles, place, err) result(status)
        type(ashlar_tiles), intent(in) :: tiles
        character(*), intent(in) :: place
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_save(tiles%handle, c_text(place), err)
    end function

    ! deal may be left out for C's NULL.
    function ashlar_tiles_load(context, place, deal, out, err) result(status)
        type(ashlar_context), intent(in) :: context
        character(*), intent(in) :: place
        type(ashlar_tiles_description), intent(in), optional :: deal
        type(ashlar_tiles), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_load(context%handle, c_text(place), deal, out%handle, err)
    end function

    ! beta and c are c_loc, or for what is in a file c_null_ptr.
    function ashlar_verify_begin(plan, beta, c, out, err) result(status)
        type(ashlar_plan), intent(in) :: plan
        type(c_ptr), intent(in) :: beta, c
        type(ashlar_verification), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = verify_begin(plan%handle, beta, c, out, err)
    end function

    function ashlar_verify_end(check, alpha, a, b, c, out, err) result(status)
        type(ashlar_verification), intent(in) :: check
        type(c_ptr), intent(in) :: alpha, a, b, c
        type(ashlar_verdict), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = verify_end(check%handle, alpha, a, b, c, out, c_sizeof(out), err)
    end function
end module
