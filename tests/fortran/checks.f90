! A test program in Fortran: checks that count, and an exit status.
module checks
    use, intrinsic :: iso_fortran_env, only: error_unit
    implicit none
    private
    public :: check, checks_end

    integer :: checked = 0, failed = 0

contains

    ! Print what failed and go on.
    subroutine check(condition, what)
        logical, intent(in) :: condition
        character(*), intent(in) :: what

        checked = checked + 1
        if (condition) return
        failed = failed + 1
        write (error_unit, "(2a)") "failed: ", what
    end subroutine

    ! The last line of a program: says how much was checked; one that checked nothing fails.
    subroutine checks_end(name)
        character(*), intent(in) :: name

        print "(2a, i0, a, i0, a)", name, ": ", checked, " checks, ", failed, " failed"
        if (failed /= 0 .or. checked == 0) stop 1
    end subroutine
end module
