! Text between C and Fortran: error texts, names of statuses and strategies, the version.
module ashlar_strings
    use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_int, c_null_char, c_ptr, c_size_t
    use ashlar_raw, only: status_name, status_text, strategy_name, strategy_summary, version
    use ashlar_types, only: ASHLAR_ERR_UNSUPPORTED, ASHLAR_MESSAGE_MAX, ASHLAR_OK, ashlar_error, ashlar_options
    implicit none
    private
    public :: ashlar_status_name, ashlar_status_text, ashlar_strategy_name, ashlar_strategy_summary, ashlar_version
    public :: ashlar_options_set_strategy, ashlar_text, c_text, fail

    ! The text of an ashlar_error, or a C string such as those of an ashlar_explanation; empty where there is none.
    interface ashlar_text
        procedure text_of_error, text_of_pointer
    end interface

    interface
        pure function strlen(text) bind(c, name="strlen") result(length)
            import :: c_ptr, c_size_t
            type(c_ptr), value :: text
            integer(c_size_t) :: length
        end function
    end interface

contains

    pure function text_of_error(err) result(text)
        type(ashlar_error), intent(in) :: err
        character(:), allocatable :: text
        integer :: i

        text = ""
        do i = 1, ASHLAR_MESSAGE_MAX
            if (err%text(i) == c_null_char) exit
            text = text // err%text(i)
        end do
    end function

    function text_of_pointer(string) result(text)
        type(c_ptr), intent(in) :: string
        character(:), allocatable :: text
        character(kind=c_char), pointer :: chars(:)
        integer :: i, length

        text = ""
        if (.not. c_associated(string)) return
        length = int(strlen(string))
        call c_f_pointer(string, chars, [length])
        do i = 1, length
            text = text // chars(i)
        end do
    end function

    function ashlar_version() result(text)
        character(:), allocatable :: text

        text = ashlar_text(version())
    end function

    function ashlar_status_name(status) result(text)
        integer(c_int), intent(in) :: status
        character(:), allocatable :: text

        text = ashlar_text(status_name(status))
    end function

    function ashlar_status_text(status) result(text)
        integer(c_int), intent(in) :: status
        character(:), allocatable :: text

        text = ashlar_text(status_text(status))
    end function

    ! Of strategy number i, counted from 0; empty beyond the last.
    function ashlar_strategy_name(i) result(text)
        integer(c_int), intent(in) :: i
        character(:), allocatable :: text

        text = ashlar_text(strategy_name(i))
    end function

    function ashlar_strategy_summary(i) result(text)
        integer(c_int), intent(in) :: i
        character(:), allocatable :: text

        text = ashlar_text(strategy_summary(i))
    end function

    ! Let options%strategy name a strategy: one of those of ashlar_strategy_name, trailing blanks left out.
    ! ASHLAR_OK; ASHLAR_ERR_UNSUPPORTED (there is none of that name; the options stay as they are). Local.
    function ashlar_options_set_strategy(options, name, err) result(status)
        type(ashlar_options), intent(inout) :: options
        character(*), intent(in) :: name
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status
        integer(c_int) :: i

        i = 0
        do while (c_associated(strategy_name(i)))
            if (ashlar_strategy_name(i) == trim(name)) then
                options%strategy = strategy_name(i)
                status = ASHLAR_OK
                return
            end if
            i = i + 1
        end do
        status = fail(ASHLAR_ERR_UNSUPPORTED, &
            "ashlar_options_set_strategy: there is no strategy """ // trim(name) // """", err)
    end function

    ! As C has it; trailing blanks are left out.
    pure function c_text(text) result(chars)
        character(*), intent(in) :: text
        character(kind=c_char) :: chars(len_trim(text) + 1)
        integer :: i

        do i = 1, len_trim(text)
            chars(i) = text(i:i)
        end do
        chars(len_trim(text) + 1) = c_null_char
    end function

    ! Leave a status and its text in err, if that is there, and return the status.
    function fail(status, text, err) result(same)
        integer(c_int), intent(in) :: status
        character(*), intent(in) :: text
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: same
        integer :: i

        same = status
        if (.not. present(err)) return
        err%status = status
        err%text = c_null_char
        do i = 1, min(len(text), ASHLAR_MESSAGE_MAX - 1)
            err%text(i) = text(i:i)
        end do
    end function
end module
