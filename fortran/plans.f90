! Contexts and plans: the functions of include/ashlar/plan.h but those that take matrices, which are in typed.F90.
module ashlar_plans
    use, intrinsic :: iso_c_binding, only: c_associated, c_funloc, c_funptr, c_int, c_int64_t, c_null_char, c_null_funptr, &
        c_null_ptr, c_ptr, c_sizeof
    use ashlar_raw
    use ashlar_types, only: ashlar_layout, ashlar_plan, ashlar_progress
    implicit none
    private
    public :: ashlar_context_create, ashlar_context_keep, ashlar_context_free, ashlar_context_memory_words
    public :: ashlar_context_on_free, ashlar_context_set_threads, ashlar_context_trace_begin, ashlar_context_trace_end
    public :: ashlar_context_set_device, ashlar_plan_device
    public :: ashlar_options_default
    public :: ashlar_plan_create, ashlar_plan_free, ashlar_plan_explain, ashlar_plan_layout, ashlar_plan_workspace
    public :: ashlar_plan_use_workspace, ashlar_plan_set_ld, ashlar_plan_on_progress, ashlar_plan_predicted
    public :: ashlar_plan_measured, ashlar_plan_trace_begin, ashlar_plan_trace_end

    interface
        subroutine ashlar_context_free(context) bind(c, name="ashlar_context_free")
            import :: ashlar_context
            type(ashlar_context), intent(inout) :: context
        end subroutine
    end interface

contains

    function ashlar_options_default() result(options)
        type(ashlar_options) :: options

        call options_default(options, c_sizeof(options))
    end function

    ! comm is an integer, as in the module mpi; of a communicator of mpi_f08 it is comm%MPI_VAL.
    function ashlar_context_create(comm, out, err) result(status)
        integer(c_int), intent(in) :: comm
        type(ashlar_context), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = context_create(comm, out, err)
    end function

    function ashlar_context_keep(comm, out, err) result(status)
        integer(c_int), intent(in) :: comm
        type(ashlar_context), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = context_keep(comm, out, err)
    end function

    function ashlar_context_memory_words(context) result(words)
        type(ashlar_context), intent(in) :: context
        integer(c_int64_t) :: words

        words = context_memory_words(context%handle)
    end function

    ! Blanks at the end of `device` are no part of the name.
    function ashlar_context_set_device(context, device, memory, err) result(status)
        type(ashlar_context), intent(in) :: context
        character(*), intent(in) :: device
        integer(c_int64_t), intent(in) :: memory
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = context_set_device(context%handle, trim(device)//c_null_char, memory, err)
    end function

    function ashlar_context_set_threads(context, threads, err) result(status)
        type(ashlar_context), intent(in) :: context
        integer(c_int), intent(in) :: threads
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = context_set_threads(context%handle, threads, err)
    end function

    ! call is c_funloc of a subroutine with bind(c) that takes a type(c_ptr), value; or c_null_funptr.
    subroutine ashlar_context_on_free(context, call, user)
        type(ashlar_context), intent(in) :: context
        type(c_funptr), intent(in) :: call
        type(c_ptr), intent(in), optional :: user
        type(c_ptr) :: whose

        whose = c_null_ptr
        if (present(user)) whose = user
        call context_on_free(context%handle, call, whose)
    end subroutine

    ! Blanks at the end of `path` are no part of the name. Without `events` memory is for the usual number of them.
    function ashlar_context_trace_begin(context, path, events, err) result(status)
        type(ashlar_context), intent(in) :: context
        character(*), intent(in) :: path
        integer(c_int64_t), intent(in), optional :: events
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status
        integer(c_int64_t) :: usual_or_events

        usual_or_events = 0
        if (present(events)) usual_or_events = events
        status = context_trace_begin(context%handle, trim(path)//c_null_char, usual_or_events, err)
    end function

    ! keep: 0: no file is written.
    function ashlar_context_trace_end(context, keep, err) result(status)
        type(ashlar_context), intent(in) :: context
        integer(c_int), intent(in) :: keep
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = context_trace_end(context%handle, keep, err)
    end function

    function ashlar_plan_create(context, problem, options, out, err) result(status)
        type(ashlar_context), intent(in) :: context
        type(ashlar_problem), intent(in) :: problem
        type(ashlar_options), intent(in), optional :: options
        type(ashlar_plan), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        out%type = problem%type
        out%in_file = [c_associated(problem%a_file%handle), c_associated(problem%b_file%handle), &
            c_associated(problem%c_file%handle)]
        status = plan_create(context%handle, problem, options, out%handle, err)
    end function

    subroutine ashlar_plan_free(plan)
        type(ashlar_plan), intent(inout) :: plan

        call plan_free(plan%handle)
    end subroutine

    function ashlar_plan_explain(plan, out, err) result(status)
        type(ashlar_plan), intent(in) :: plan
        type(ashlar_explanation), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = plan_explain(plan%handle, out, c_sizeof(out), err)
    end function

    function ashlar_plan_device(plan, out, err) result(status)
        type(ashlar_plan), intent(in) :: plan
        type(ashlar_device_figures), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = plan_device(plan%handle, out, c_sizeof(out), err)
    end function

    ! The layout is the plan's: it is not to be freed.
    pure function ashlar_plan_layout(plan, operand) result(layout)
        type(ashlar_plan), intent(in) :: plan
        integer(c_int), intent(in) :: operand
        type(ashlar_layout) :: layout

        layout%handle = plan_layout(plan%handle, operand)
    end function

    pure function ashlar_plan_workspace(plan) result(words)
        type(ashlar_plan), intent(in) :: plan
        integer(c_int64_t) :: words

        words = plan_workspace(plan%handle)
    end function

    ! workspace is the c_loc of an array that outlives the plan.
    function ashlar_plan_use_workspace(plan, workspace, err) result(status)
        type(ashlar_plan), intent(in) :: plan
        type(c_ptr), intent(in) :: workspace
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = plan_use_workspace(plan%handle, workspace, err)
    end function

    ! ld may be left out for the least that is possible.
    function ashlar_plan_set_ld(plan, operand, ld, err) result(status)
        type(ashlar_plan), intent(in) :: plan
        integer(c_int), intent(in) :: operand
        integer(c_int64_t), intent(in), optional :: ld
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status
        integer(c_int64_t) :: least_or_ld

        least_or_ld = 0
        if (present(ld)) least_or_ld = ld
        status = plan_set_ld(plan%handle, operand, least_or_ld, err)
    end function

    ! Without `progress`, nobody is told any more.
    subroutine ashlar_plan_on_progress(plan, progress, user)
        type(ashlar_plan), intent(in) :: plan
        procedure(ashlar_progress), optional :: progress
        type(c_ptr), intent(in), optional :: user
        type(c_ptr) :: whose

        whose = c_null_ptr
        if (present(user)) whose = user
        if (present(progress)) then
            call plan_on_progress(plan%handle, c_funloc(progress), whose)
        else
            call plan_on_progress(plan%handle, c_null_funptr, whose)
        end if
    end subroutine

    ! Without `events` memory is allocated for the usual number of them.
    function ashlar_plan_trace_begin(plan, events, err) result(status)
        type(ashlar_plan), intent(in) :: plan
        integer(c_int64_t), intent(in), optional :: events
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status
        integer(c_int64_t) :: usual_or_events

        usual_or_events = 0
        if (present(events)) usual_or_events = events
        status = plan_trace_begin(plan%handle, usual_or_events, err)
    end function

    ! Without `path` nothing is written. Blanks at its end are no part of the name.
    function ashlar_plan_trace_end(plan, path, err) result(status)
        type(ashlar_plan), intent(in) :: plan
        character(*), intent(in), optional :: path
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        if (present(path)) then
            status = plan_trace_end(plan%handle, trim(path)//c_null_char, err)
        else
            status = plan_trace_end(plan%handle, err=err)
        end if
    end function

    function ashlar_plan_predicted(plan, out, err) result(status)
        type(ashlar_plan), intent(in) :: plan
        type(ashlar_figures), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = plan_predicted(plan%handle, out, c_sizeof(out), err)
    end function

    function ashlar_plan_measured(plan, out, err) result(status)
        type(ashlar_plan), intent(in) :: plan
        type(ashlar_figures), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = plan_measured(plan%handle, out, c_sizeof(out), err)
    end function
end module
