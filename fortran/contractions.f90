! The C functions that ashlar_contractions wraps, as C has them: handles are pointers passed by value.
module ashlar_raw_contractions
    use, intrinsic :: iso_c_binding, only: c_funptr, c_int, c_int64_t, c_ptr, c_size_t
    use ashlar_types, only: ashlar_contraction, ashlar_contraction_explanation, ashlar_device_figures, ashlar_error, &
        ashlar_figures, ashlar_options, ashlar_tensor_box
    implicit none
    public

    interface
        function tensor_layout_blocks(order, extent, block, parts, ranks, stride, out, err) &
            bind(c, name="ashlar_tensor_layout_blocks") result(status)
            import :: ashlar_error, c_int, c_int64_t, c_ptr
            integer(c_int), value :: order
            integer(c_int64_t), intent(in) :: extent(*)
            integer(c_int64_t), intent(in), optional :: block(*)
            integer(c_int), intent(in), optional :: parts(*)
            integer(c_int), intent(in), optional :: ranks(*)
            integer(c_int64_t), intent(in), optional :: stride(*)
            type(c_ptr), intent(out) :: out
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        subroutine tensor_layout_free(layout) bind(c, name="ashlar_tensor_layout_free")
            import :: c_ptr
            type(c_ptr), intent(inout) :: layout
        end subroutine

        pure function tensor_layout_words(layout, rank) bind(c, name="ashlar_tensor_layout_words") result(words)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: layout
            integer(c_int), intent(in), value :: rank
            integer(c_int64_t) :: words
        end function

        pure function tensor_layout_room(layout, rank) bind(c, name="ashlar_tensor_layout_room") result(elements)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: layout
            integer(c_int), intent(in), value :: rank
            integer(c_int64_t) :: elements
        end function

        function tensor_layout_list_boxes(layout, rank, first, room, boxes, size, count, err) &
            bind(c, name="ashlar_tensor_layout_list_boxes_sized") result(status)
            import :: ashlar_error, ashlar_tensor_box, c_int, c_int64_t, c_ptr, c_size_t
            type(c_ptr), value :: layout
            integer(c_int), value :: rank
            integer(c_int64_t), value :: first, room
            type(ashlar_tensor_box), intent(inout), optional :: boxes(*)
            integer(c_size_t), value :: size
            integer(c_int64_t), intent(inout) :: count
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function contraction_plan_create(context, contraction, options, out, err) &
            bind(c, name="ashlar_contraction_plan_create") result(status)
            import :: ashlar_contraction, ashlar_error, ashlar_options, c_int, c_ptr
            type(c_ptr), value :: context
            type(ashlar_contraction), intent(in) :: contraction
            type(ashlar_options), intent(in), optional :: options
            type(c_ptr), intent(out) :: out
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        subroutine contraction_plan_free(plan) bind(c, name="ashlar_contraction_plan_free")
            import :: c_ptr
            type(c_ptr), intent(inout) :: plan
        end subroutine

        function contraction_explain(plan, out, size, err) bind(c, name="ashlar_contraction_explain_sized") &
            result(status)
            import :: ashlar_contraction_explanation, ashlar_error, c_int, c_ptr, c_size_t
            type(c_ptr), value :: plan
            type(ashlar_contraction_explanation), intent(inout) :: out
            integer(c_size_t), value :: size
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function contraction_predicted(plan, out, size, err) bind(c, name="ashlar_contraction_predicted_sized") &
            result(status)
            import :: ashlar_error, ashlar_figures, c_int, c_ptr, c_size_t
            type(c_ptr), value :: plan
            type(ashlar_figures), intent(inout) :: out
            integer(c_size_t), value :: size
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function contraction_measured(plan, out, size, err) bind(c, name="ashlar_contraction_measured_sized") &
            result(status)
            import :: ashlar_error, ashlar_figures, c_int, c_ptr, c_size_t
            type(c_ptr), value :: plan
            type(ashlar_figures), intent(inout) :: out
            integer(c_size_t), value :: size
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function contraction_device(plan, out, size, err) bind(c, name="ashlar_contraction_device_sized") result(status)
            import :: ashlar_device_figures, ashlar_error, c_int, c_ptr, c_size_t
            type(c_ptr), value :: plan
            type(ashlar_device_figures), intent(inout) :: out
            integer(c_size_t), value :: size
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        subroutine contraction_on_progress(plan, progress, user) bind(c, name="ashlar_contraction_on_progress")
            import :: c_funptr, c_ptr
            type(c_ptr), value :: plan, user
            type(c_funptr), value :: progress
        end subroutine

        function contraction_layout(plan, operand) bind(c, name="ashlar_contraction_layout") result(layout)
            import :: c_int, c_ptr
            type(c_ptr), value :: plan
            integer(c_int), value :: operand
            type(c_ptr) :: layout
        end function

        function contraction_execute(plan, alpha, operand, beta, output, err) &
            bind(c, name="ashlar_contraction_execute") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(c_ptr), value :: plan
            type(*), intent(in) :: alpha
            type(c_ptr), intent(in) :: operand(*)
            type(*), intent(in) :: beta
            type(c_ptr), value :: output
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function contract(context, contraction, options, alpha, operand, beta, output, err) &
            bind(c, name="ashlar_contract") result(status)
            import :: ashlar_contraction, ashlar_error, ashlar_options, c_int, c_ptr
            type(c_ptr), value :: context
            type(ashlar_contraction), intent(in) :: contraction
            type(ashlar_options), intent(in), optional :: options
            type(*), intent(in) :: alpha
            type(c_ptr), intent(in) :: operand(*)
            type(*), intent(in) :: beta
            type(c_ptr), value :: output
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function
    end interface
end module

! Contractions of tensors and their layouts: the functions of include/ashlar/contract.h and tensor_layout.h. alpha, beta
! and what operand and output point to are of the contraction's type: that is not checked.
module ashlar_contractions
    use, intrinsic :: iso_c_binding, only: c_funloc, c_int, c_int64_t, c_null_funptr, c_null_ptr, &
        c_ptr, c_sizeof
    use ashlar_raw_contractions
    use ashlar_types
    implicit none
    private
    public :: ashlar_tensor_layout_blocks, ashlar_tensor_layout_free, ashlar_tensor_layout_words
    public :: ashlar_tensor_layout_room, ashlar_tensor_layout_list_boxes
    public :: ashlar_contraction_plan_create, ashlar_contraction_plan_free, ashlar_contraction_explain
    public :: ashlar_contraction_predicted, ashlar_contraction_measured, ashlar_contraction_layout
    public :: ashlar_contraction_device
    public :: ashlar_contraction_execute, ashlar_contract, ashlar_contraction_on_progress

contains

    ! Extents and strides are in the order of the expression, whose last index is the fastest of an array in C order:
    ! that of a Fortran array is its first. block, parts, ranks and stride may be left out for C's NULL.
    function ashlar_tensor_layout_blocks(order, extent, block, parts, ranks, stride, out, err) result(status)
        integer(c_int), intent(in) :: order
        integer(c_int64_t), intent(in) :: extent(*)
        integer(c_int64_t), intent(in), optional :: block(*)
        integer(c_int), intent(in), optional :: parts(*)
        integer(c_int), intent(in), optional :: ranks(*)
        integer(c_int64_t), intent(in), optional :: stride(*)
        type(ashlar_tensor_layout), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = tensor_layout_blocks(order, extent, block, parts, ranks, stride, out%handle, err)
    end function

    subroutine ashlar_tensor_layout_free(layout)
        type(ashlar_tensor_layout), intent(inout) :: layout

        call tensor_layout_free(layout%handle)
    end subroutine

    pure function ashlar_tensor_layout_words(layout, rank) result(words)
        type(ashlar_tensor_layout), intent(in) :: layout
        integer(c_int), intent(in) :: rank
        integer(c_int64_t) :: words

        words = tensor_layout_words(layout%handle, rank)
    end function

    pure function ashlar_tensor_layout_room(layout, rank) result(elements)
        type(ashlar_tensor_layout), intent(in) :: layout
        integer(c_int), intent(in) :: rank
        integer(c_int64_t) :: elements

        elements = tensor_layout_room(layout%handle, rank)
    end function

    ! boxes may be left out for C's NULL, with room = 0. Boxes, their first values and offsets count from zero.
    function ashlar_tensor_layout_list_boxes(layout, rank, first, room, boxes, count, err) result(status)
        type(ashlar_tensor_layout), intent(in) :: layout
        integer(c_int), intent(in) :: rank
        integer(c_int64_t), intent(in) :: first, room
        type(ashlar_tensor_box), intent(inout), optional :: boxes(*)
        integer(c_int64_t), intent(inout) :: count
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status
        type(ashlar_tensor_box) :: one

        status = tensor_layout_list_boxes(layout%handle, rank, first, room, boxes, c_sizeof(one), count, err)
    end function

    function ashlar_contraction_plan_create(context, contraction, options, out, err) result(status)
        type(ashlar_context), intent(in) :: context
        type(ashlar_contraction), intent(in) :: contraction
        type(ashlar_options), intent(in), optional :: options
        type(ashlar_contraction_plan), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = contraction_plan_create(context%handle, contraction, options, out%handle, err)
    end function

    subroutine ashlar_contraction_plan_free(plan)
        type(ashlar_contraction_plan), intent(inout) :: plan

        call contraction_plan_free(plan%handle)
    end subroutine

    ! Without `progress`, nobody is told any more.
    subroutine ashlar_contraction_on_progress(plan, progress, user)
        type(ashlar_contraction_plan), intent(in) :: plan
        procedure(ashlar_progress), optional :: progress
        type(c_ptr), intent(in), optional :: user
        type(c_ptr) :: whose

        whose = c_null_ptr
        if (present(user)) whose = user
        if (present(progress)) then
            call contraction_on_progress(plan%handle, c_funloc(progress), whose)
        else
            call contraction_on_progress(plan%handle, c_null_funptr, whose)
        end if
    end subroutine

    function ashlar_contraction_explain(plan, out, err) result(status)
        type(ashlar_contraction_plan), intent(in) :: plan
        type(ashlar_contraction_explanation), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = contraction_explain(plan%handle, out, c_sizeof(out), err)
    end function

    function ashlar_contraction_predicted(plan, out, err) result(status)
        type(ashlar_contraction_plan), intent(in) :: plan
        type(ashlar_figures), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = contraction_predicted(plan%handle, out, c_sizeof(out), err)
    end function

    function ashlar_contraction_measured(plan, out, err) result(status)
        type(ashlar_contraction_plan), intent(in) :: plan
        type(ashlar_figures), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = contraction_measured(plan%handle, out, c_sizeof(out), err)
    end function

    function ashlar_contraction_device(plan, out, err) result(status)
        type(ashlar_contraction_plan), intent(in) :: plan
        type(ashlar_device_figures), intent(inout) :: out
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = contraction_device(plan%handle, out, c_sizeof(out), err)
    end function

    ! Operands count from zero. The layout is the plan's: it is not freed.
    function ashlar_contraction_layout(plan, operand) result(layout)
        type(ashlar_contraction_plan), intent(in) :: plan
        integer(c_int), intent(in) :: operand
        type(ashlar_tensor_layout) :: layout

        layout%handle = contraction_layout(plan%handle, operand)
    end function

    ! operand has the c_loc of each operand's array, output is that of the result.
    function ashlar_contraction_execute(plan, alpha, operand, beta, output, err) result(status)
        type(ashlar_contraction_plan), intent(in) :: plan
        type(*), intent(in) :: alpha
        type(c_ptr), intent(in) :: operand(*)
        type(*), intent(in) :: beta
        type(c_ptr), intent(in) :: output
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = contraction_execute(plan%handle, alpha, operand, beta, output, err)
    end function

    function ashlar_contract(context, contraction, options, alpha, operand, beta, output, err) result(status)
        type(ashlar_context), intent(in) :: context
        type(ashlar_contraction), intent(in) :: contraction
        type(ashlar_options), intent(in), optional :: options
        type(*), intent(in) :: alpha
        type(c_ptr), intent(in) :: operand(*)
        type(*), intent(in) :: beta
        type(c_ptr), intent(in) :: output
        type(ashlar_error), intent(inout), optional :: err
        integer(c_int) :: status

        status = contract(context%handle, contraction, options, alpha, operand, beta, output, err)
    end function
end module
