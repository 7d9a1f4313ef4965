! Planned movements: the functions of include/ashlar/move.h but those that take matrices, which are in typed.F90.
module ashlar_movers
    use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr, c_sizeof
    use ashlar_raw
    use ashlar_types, only: ashlar_layout, ashlar_mover
    implicit none
    private
    public :: ashlar_mover_options_default, ashlar_mover_create, ashlar_mover_free, ashlar_mover_explain
    public :: ashlar_mover_workspace, ashlar_mover_use_workspace, ashlar_mover_set_ld

contains

    function ashlar_mover_options_default() result(options)
        type(ashlar_mover_options) :: options

        call mover_options_default(options, c_sizeof(options))
    end function

    function ashlar_mover_create(context, type, op, from, to, options, out, err) result(status)
        type(ashlar_context), intent(in) :: context
        integer(c_int), intent(in) :: type, op
        type(ashlar_layout), intent(in) :: from, to
        type(ashlar_mover_options), intent(in), optional :: options
        type(ashlar_mover), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        out%type = type
        status = mover_create(context%handle, type, op, from%handle, to%handle, options, out%handle, err)
    end function

    subroutine ashlar_mover_free(mover)
        type(ashlar_mover), intent(inout) :: mover

        call mover_free(mover%handle)
    end subroutine

    function ashlar_mover_explain(mover, out, err) result(status)
        type(ashlar_mover), intent(in) :: mover
        type(ashlar_movement), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = mover_explain(mover%handle, out, c_sizeof(out), err)
    end function

    pure function ashlar_mover_workspace(mover) result(words)
        type(ashlar_mover), intent(in) :: mover
        integer(c_int64_t) :: words

        words = mover_workspace(mover%handle)
    end function

    ! workspace is the c_loc of an array that stays while the mover executes.
    function ashlar_mover_use_workspace(mover, workspace, err) result(status)
        type(ashlar_mover), intent(in) :: mover
        type(c_ptr), intent(in) :: workspace
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = mover_use_workspace(mover%handle, workspace, err)
    end function

    ! from_ld or to_ld may be left out: that leading dimension stays as it is.
    function ashlar_mover_set_ld(mover, from_ld, to_ld, err) result(status)
        type(ashlar_mover), intent(in) :: mover
        integer(c_int64_t), intent(in), optional :: from_ld, to_ld
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status
        integer(c_int64_t) :: ld(2)

        ld = -1
        if (present(from_ld)) ld(1) = from_ld
        if (present(to_ld)) ld(2) = to_ld
        status = mover_set_ld(mover%handle, ld(1), ld(2), err)
    end function
end module
