! The C functions that ashlar_tile_plans wraps, as C has them: handles are pointers passed by value.
module ashlar_raw_tile_plans
    use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr, c_size_t
    use ashlar_types, only: ashlar_error, ashlar_tiles_options, ashlar_tiles_plan_info, ashlar_tiles_result, &
        ashlar_tiles_term
    implicit none
    public

    interface
        function tiles_multiply_sum(terms, term, beta, c, options, result, result_size, err) bind(c, &
            name="ashlar_tiles_multiply_sum_sized") result(status)
            import :: ashlar_error, ashlar_tiles_options, ashlar_tiles_result, ashlar_tiles_term, c_int, c_int64_t, &
                c_ptr, c_size_t
            integer(c_int64_t), value :: terms
            type(ashlar_tiles_term), intent(in) :: term(*)
            type(*), intent(in) :: beta
            type(c_ptr), value :: c
            type(ashlar_tiles_options), intent(in), optional :: options
            type(ashlar_tiles_result), intent(inout), optional :: result
            integer(c_size_t), value :: result_size
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_plan_create(terms, term, c, options, out, err) bind(c, name="ashlar_tiles_plan_create") &
            result(status)
            import :: ashlar_error, ashlar_tiles_options, ashlar_tiles_term, c_int, c_int64_t, c_ptr
            integer(c_int64_t), value :: terms
            type(ashlar_tiles_term), intent(in) :: term(*)
            type(c_ptr), value :: c
            type(ashlar_tiles_options), intent(in), optional :: options
            type(c_ptr), intent(out) :: out
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_plan_execute(plan, term, beta, c, result, result_size, err) bind(c, &
            name="ashlar_tiles_plan_execute_sized") result(status)
            import :: ashlar_error, ashlar_tiles_result, ashlar_tiles_term, c_int, c_ptr, c_size_t
            type(c_ptr), value :: plan
            type(ashlar_tiles_term), intent(in) :: term(*)
            type(*), intent(in) :: beta
            type(c_ptr), value :: c
            type(ashlar_tiles_result), intent(inout), optional :: result
            integer(c_size_t), value :: result_size
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_plan_inspect(plan, info, size, err) bind(c, name="ashlar_tiles_plan_inspect_sized") &
            result(status)
            import :: ashlar_error, ashlar_tiles_plan_info, c_int, c_ptr, c_size_t
            type(c_ptr), value :: plan
            type(ashlar_tiles_plan_info), intent(inout) :: info
            integer(c_size_t), value :: size
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        subroutine tiles_plan_free(plan) bind(c, name="ashlar_tiles_plan_free")
            import :: c_ptr
            type(c_ptr), intent(inout) :: plan
        end subroutine
    end interface
end module

! Sums of products of matrices of tiles, and plans of them: the functions of include/ashlar/tiles_plan.h. beta and what
! alpha points to are of the matrices' type: that is not checked.
module ashlar_tile_plans
    use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_size_t, c_sizeof
    use ashlar_raw_tile_plans
    use ashlar_types, only: ashlar_error, ashlar_tiles, ashlar_tiles_options, ashlar_tiles_plan, &
        ashlar_tiles_plan_info, ashlar_tiles_result, ashlar_tiles_term
    implicit none
    private
    public :: ashlar_tiles_multiply_sum, ashlar_tiles_plan_create, ashlar_tiles_plan_execute
    public :: ashlar_tiles_plan_inspect, ashlar_tiles_plan_free

contains

    function ashlar_tiles_multiply_sum(terms, term, beta, c, options, result, err) result(status)
        integer(c_int64_t), intent(in) :: terms
        type(ashlar_tiles_term), intent(in) :: term(*)
        type(*), intent(in) :: beta
        type(ashlar_tiles), intent(in) :: c
        type(ashlar_tiles_options), intent(in), optional :: options
        type(ashlar_tiles_result), intent(inout), optional :: result
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status
        integer(c_size_t) :: bytes

        bytes = 0
        if (present(result)) bytes = c_sizeof(result)
        status = tiles_multiply_sum(terms, term, beta, c%handle, options, result, bytes, err)
    end function

    function ashlar_tiles_plan_create(terms, term, c, options, out, err) result(status)
        integer(c_int64_t), intent(in) :: terms
        type(ashlar_tiles_term), intent(in) :: term(*)
        type(ashlar_tiles), intent(in) :: c
        type(ashlar_tiles_options), intent(in), optional :: options
        type(ashlar_tiles_plan), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_plan_create(terms, term, c%handle, options, out%handle, err)
    end function

    function ashlar_tiles_plan_execute(plan, term, beta, c, result, err) result(status)
        type(ashlar_tiles_plan), intent(in) :: plan
        type(ashlar_tiles_term), intent(in) :: term(*)
        type(*), intent(in) :: beta
        type(ashlar_tiles), intent(in) :: c
        type(ashlar_tiles_result), intent(inout), optional :: result
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status
        integer(c_size_t) :: bytes

        bytes = 0
        if (present(result)) bytes = c_sizeof(result)
        status = tiles_plan_execute(plan%handle, term, beta, c%handle, result, bytes, err)
    end function

    function ashlar_tiles_plan_inspect(plan, info, err) result(status)
        type(ashlar_tiles_plan), intent(in) :: plan
        type(ashlar_tiles_plan_info), intent(inout) :: info
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tiles_plan_inspect(plan%handle, info, c_sizeof(info), err)
    end function

    subroutine ashlar_tiles_plan_free(plan)
        type(ashlar_tiles_plan), intent(inout) :: plan

        call tiles_plan_free(plan%handle)
    end subroutine
end module
