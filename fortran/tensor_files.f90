! Tensors in files: the functions of include/ashlar/tensor_file.h.
module ashlar_tensor_files
    use, intrinsic :: iso_c_binding, only: c_char, c_funptr, c_int, c_int64_t, c_ptr, c_size_t, c_sizeof
    use ashlar_strings, only: c_text
    use ashlar_types, only: ashlar_context, ashlar_error, ashlar_tensor_file, ashlar_tensor_info
    implicit none
    private
    public :: ashlar_tensor_open, ashlar_tensor_create, ashlar_tensor_resume, ashlar_tensor_describe
    public :: ashlar_tensor_from_function, ashlar_tensor_to_function, ashlar_tensor_publish, ashlar_tensor_close

    interface
        function tensor_open(context, place, out, err) bind(c, name="ashlar_tensor_open") result(status)
            import :: ashlar_error, ashlar_tensor_file, c_char, c_int, c_ptr
            type(c_ptr), value :: context
            character(kind=c_char), intent(in) :: place(*)
            type(ashlar_tensor_file), intent(inout) :: out
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tensor_create(context, place, type, order, extent, out, err) bind(c, name="ashlar_tensor_create") &
            result(status)
            import :: ashlar_error, ashlar_tensor_file, c_char, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: context
            character(kind=c_char), intent(in) :: place(*)
            integer(c_int), value :: type, order
            integer(c_int64_t), intent(in) :: extent(*)
            type(ashlar_tensor_file), intent(inout) :: out
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tensor_resume(context, place, type, order, extent, out, err) bind(c, name="ashlar_tensor_resume") &
            result(status)
            import :: ashlar_error, ashlar_tensor_file, c_char, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: context
            character(kind=c_char), intent(in) :: place(*)
            integer(c_int), value :: type, order
            integer(c_int64_t), intent(in) :: extent(*)
            type(ashlar_tensor_file), intent(inout) :: out
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tensor_from_function(context, type, order, extent, produce, user, out, err) &
            bind(c, name="ashlar_tensor_from_function") result(status)
            import :: ashlar_error, ashlar_tensor_file, c_funptr, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: context, user
            integer(c_int), value :: type, order
            integer(c_int64_t), intent(in) :: extent(*)
            type(c_funptr), value :: produce
            type(ashlar_tensor_file), intent(inout) :: out
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tensor_to_function(context, type, order, extent, consume, user, out, err) &
            bind(c, name="ashlar_tensor_to_function") result(status)
            import :: ashlar_error, ashlar_tensor_file, c_funptr, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: context, user
            integer(c_int), value :: type, order
            integer(c_int64_t), intent(in) :: extent(*)
            type(c_funptr), value :: consume
            type(ashlar_tensor_file), intent(inout) :: out
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tensor_describe(file, out, size, err) bind(c, name="ashlar_tensor_describe_sized") result(status)
            import :: ashlar_error, ashlar_tensor_info, c_int, c_ptr, c_size_t
            type(c_ptr), value :: file
            type(ashlar_tensor_info), intent(inout) :: out
            integer(c_size_t), value :: size
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tensor_publish(file, err) bind(c, name="ashlar_tensor_publish") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(c_ptr), value :: file
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        subroutine ashlar_tensor_close(file) bind(c, name="ashlar_tensor_close")
            import :: ashlar_tensor_file
            type(ashlar_tensor_file), intent(inout) :: file
        end subroutine
    end interface

contains

    ! place: trailing blanks are left out. Dimensions are in the order of C: the last varies fastest.
    function ashlar_tensor_open(context, place, out, err) result(status)
        type(ashlar_context), intent(in) :: context
        character(*), intent(in) :: place
        type(ashlar_tensor_file), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tensor_open(context%handle, c_text(place), out, err)
    end function

    function ashlar_tensor_create(context, place, type, order, extent, out, err) result(status)
        type(ashlar_context), intent(in) :: context
        character(*), intent(in) :: place
        integer(c_int), intent(in) :: type, order
        integer(c_int64_t), intent(in) :: extent(*)
        type(ashlar_tensor_file), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tensor_create(context%handle, c_text(place), type, order, extent, out, err)
    end function

    function ashlar_tensor_resume(context, place, type, order, extent, out, err) result(status)
        type(ashlar_context), intent(in) :: context
        character(*), intent(in) :: place
        integer(c_int), intent(in) :: type, order
        integer(c_int64_t), intent(in) :: extent(*)
        type(ashlar_tensor_file), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tensor_resume(context%handle, c_text(place), type, order, extent, out, err)
    end function

    ! produce: the c_funloc of a bind(c) function of (user, from, extent, elements), all passed as C does.
    function ashlar_tensor_from_function(context, type, order, extent, produce, user, out, err) result(status)
        type(ashlar_context), intent(in) :: context
        integer(c_int), intent(in) :: type, order
        integer(c_int64_t), intent(in) :: extent(*)
        type(c_funptr), intent(in) :: produce
        type(c_ptr), intent(in) :: user
        type(ashlar_tensor_file), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tensor_from_function(context%handle, type, order, extent, produce, user, out, err)
    end function

    function ashlar_tensor_to_function(context, type, order, extent, consume, user, out, err) result(status)
        type(ashlar_context), intent(in) :: context
        integer(c_int), intent(in) :: type, order
        integer(c_int64_t), intent(in) :: extent(*)
        type(c_funptr), intent(in) :: consume
        type(c_ptr), intent(in) :: user
        type(ashlar_tensor_file), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tensor_to_function(context%handle, type, order, extent, consume, user, out, err)
    end function

    function ashlar_tensor_describe(file, out, err) result(status)
        type(ashlar_tensor_file), intent(in) :: file
        type(ashlar_tensor_info), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tensor_describe(file%handle, out, c_sizeof(out), err)
    end function

    function ashlar_tensor_publish(file, err) result(status)
        type(ashlar_tensor_file), intent(in) :: file
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tensor_publish(file%handle, err)
    end function
end module
