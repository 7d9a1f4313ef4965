! Products whose A and B are matrices of 16-bit numbers, as arrays of integers of 16 bits with the numbers' bits, since
! Fortran has no type for float16 and bfloat16.
module ashlar_narrow
    use, intrinsic :: iso_c_binding, only: c_associated, c_float, c_int, c_int16_t, c_loc
    use ashlar_raw, only: raw_execute => plan_execute, raw_multiply => multiply
    use ashlar_strings, only: fail
    use ashlar_types
    implicit none
    private
    public :: execute_narrow, multiply_narrow

contains

    pure function is_narrow(type)
        integer(c_int), intent(in) :: type
        logical :: is_narrow

        is_narrow = type == ASHLAR_TYPE_H .or. type == ASHLAR_TYPE_B
    end function

    function execute_narrow(plan, alpha, a, b, beta, c, err) result(status)
        type(ashlar_plan), intent(in) :: plan
        real(c_float), intent(in), target :: alpha, beta
        integer(c_int16_t), intent(in), dimension(..), contiguous, target :: a, b
        real(c_float), intent(inout), dimension(..), contiguous, target :: c
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        if (c_associated(plan%handle) .and. .not. is_narrow(plan%type)) then
            status = fail(ASHLAR_ERR_ARG, "ashlar_plan_execute: the arrays are not of the plan's type", err)
        else
            status = raw_execute(plan%handle, c_loc(alpha), c_loc(a), c_loc(b), c_loc(beta), c_loc(c), err)
        end if
    end function

    ! The bits do not say which of the two types they are of, so problem%type does.
    function multiply_narrow(comm, problem, options, alpha, a, b, beta, c, err) result(status)
        integer(c_int), intent(in) :: comm
        type(ashlar_problem), intent(in) :: problem
        type(ashlar_options), intent(in), optional :: options
        real(c_float), intent(in), target :: alpha, beta
        integer(c_int16_t), intent(in), dimension(..), contiguous, target :: a, b
        real(c_float), intent(inout), dimension(..), contiguous, target :: c
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        if (.not. is_narrow(problem%type)) then
            status = fail(ASHLAR_ERR_ARG, "ashlar_multiply: problem%type is neither ASHLAR_TYPE_H nor ASHLAR_TYPE_B", &
                err)
        else
            status = raw_multiply(comm, problem, options, c_loc(alpha), c_loc(a), c_loc(b), c_loc(beta), c_loc(c), err)
        end if
    end function
end module
