! Those C functions that the module's procedures wrap, as C has them: handles are pointers passed by value.
module ashlar_raw
    use, intrinsic :: iso_c_binding, only: c_char, c_funptr, c_int, c_int64_t, c_ptr, c_size_t
    use ashlar_types, only: ashlar_context, ashlar_device_figures, ashlar_error, ashlar_explanation, ashlar_figures, &
        ashlar_file, ashlar_file_info, ashlar_machine, ashlar_movement, ashlar_mover_options, ashlar_options, ashlar_problem, &
        ashlar_tile, ashlar_tiles_description, ashlar_verdict, ashlar_verification
    implicit none
    public

    interface
        function status_name(status) bind(c, name="ashlar_status_name") result(text)
            import :: c_int, c_ptr
            integer(c_int), value :: status
            type(c_ptr) :: text
        end function

        function status_text(status) bind(c, name="ashlar_status_text") result(text)
            import :: c_int, c_ptr
            integer(c_int), value :: status
            type(c_ptr) :: text
        end function

        function version() bind(c, name="ashlar_version") result(text)
            import :: c_ptr
            type(c_ptr) :: text
        end function

        function strategy_name(i) bind(c, name="ashlar_strategy_name") result(text)
            import :: c_int, c_ptr
            integer(c_int), value :: i
            type(c_ptr) :: text
        end function

        function strategy_summary(i) bind(c, name="ashlar_strategy_summary") result(text)
            import :: c_int, c_ptr
            integer(c_int), value :: i
            type(c_ptr) :: text
        end function

        function layout_block_cyclic(rows, cols, mb, nb, grid_rows, grid_cols, row_source, col_source, ranks, order, &
            ld, out, err) bind(c, name="ashlar_layout_block_cyclic") result(status)
            import :: ashlar_error, c_int, c_int64_t, c_ptr
            integer(c_int64_t), value :: rows, cols, mb, nb
            integer(c_int), value :: grid_rows, grid_cols, row_source, col_source
            integer(c_int), intent(in), optional :: ranks(*)
            integer(c_int), value :: order
            integer(c_int64_t), value :: ld
            type(c_ptr), intent(out) :: out
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function layout_first_block(layout, rows, cols, err) bind(c, name="ashlar_layout_first_block") result(status)
            import :: ashlar_error, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: layout
            integer(c_int64_t), value :: rows, cols
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function layout_submatrix(of, row, col, rows, cols, out, err) bind(c, name="ashlar_layout_submatrix") &
            result(status)
            import :: ashlar_error, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: of
            integer(c_int64_t), value :: row, col, rows, cols
            type(c_ptr), intent(out) :: out
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function layout_set_storage(layout, rank, offset, ld, err) bind(c, name="ashlar_layout_set_storage") &
            result(status)
            import :: ashlar_error, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: layout
            integer(c_int), value :: rank
            integer(c_int64_t), intent(in), optional :: offset(*)
            integer(c_int64_t), intent(in) :: ld(*)
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function layout_list_tiles(layout, rank, room, tiles, size, count, err) &
            bind(c, name="ashlar_layout_list_tiles_sized") result(status)
            import :: ashlar_error, ashlar_tile, c_int, c_int64_t, c_ptr, c_size_t
            type(c_ptr), value :: layout
            integer(c_int), value :: rank
            integer(c_int64_t), value :: room
            type(ashlar_tile), intent(inout), optional :: tiles(*)
            integer(c_size_t), value :: size
            integer(c_int64_t), intent(inout) :: count
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        pure function layout_rows(layout) bind(c, name="ashlar_layout_rows") result(count)
            import :: c_int64_t, c_ptr
            type(c_ptr), value :: layout
            integer(c_int64_t) :: count
        end function

        pure function layout_cols(layout) bind(c, name="ashlar_layout_cols") result(count)
            import :: c_int64_t, c_ptr
            type(c_ptr), value :: layout
            integer(c_int64_t) :: count
        end function

        pure function layout_tile_count(layout, rank) bind(c, name="ashlar_layout_tile_count") result(count)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: layout
            integer(c_int), value :: rank
            integer(c_int64_t) :: count
        end function

        pure function layout_words(layout, rank) bind(c, name="ashlar_layout_words") result(count)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: layout
            integer(c_int), value :: rank
            integer(c_int64_t) :: count
        end function

        pure function layout_extent(layout, rank) bind(c, name="ashlar_layout_extent") result(count)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: layout
            integer(c_int), value :: rank
            integer(c_int64_t) :: count
        end function

        pure function layout_owner(layout, row, col) bind(c, name="ashlar_layout_owner") result(rank)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: layout
            integer(c_int64_t), value :: row, col
            integer(c_int) :: rank
        end function

        pure function layout_offset(layout, row, col) bind(c, name="ashlar_layout_offset") result(offset)
            import :: c_int64_t, c_ptr
            type(c_ptr), value :: layout
            integer(c_int64_t), value :: row, col
            integer(c_int64_t) :: offset
        end function

        subroutine machine_default(out, size) bind(c, name="ashlar_machine_default_sized")
            import :: ashlar_machine, c_size_t
            type(ashlar_machine), intent(out) :: out
            integer(c_size_t), value :: size
        end subroutine

        subroutine options_default(out, size) bind(c, name="ashlar_options_default_sized")
            import :: ashlar_options, c_size_t
            type(ashlar_options), intent(out) :: out
            integer(c_size_t), value :: size
        end subroutine

        subroutine mover_options_default(out, size) bind(c, name="ashlar_mover_options_default_sized")
            import :: ashlar_mover_options, c_size_t
            type(ashlar_mover_options), intent(out) :: out
            integer(c_size_t), value :: size
        end subroutine

        function plan_create(context, problem, options, out, err) bind(c, name="ashlar_plan_create") result(status)
            import :: ashlar_error, ashlar_options, ashlar_problem, c_int, c_ptr
            type(c_ptr), value :: context
            type(ashlar_problem), intent(in) :: problem
            type(ashlar_options), intent(in), optional :: options
            type(c_ptr), intent(out) :: out
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        subroutine plan_free(plan) bind(c, name="ashlar_plan_free")
            import :: c_ptr
            type(c_ptr), intent(inout) :: plan
        end subroutine

        function plan_explain(plan, out, size, err) bind(c, name="ashlar_plan_explain_sized") result(status)
            import :: ashlar_error, ashlar_explanation, c_int, c_ptr, c_size_t
            type(c_ptr), value :: plan
            type(ashlar_explanation), intent(inout) :: out
            integer(c_size_t), value :: size
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function plan_device(plan, out, size, err) bind(c, name="ashlar_plan_device_sized") result(status)
            import :: ashlar_device_figures, ashlar_error, c_int, c_ptr, c_size_t
            type(c_ptr), value :: plan
            type(ashlar_device_figures), intent(inout) :: out
            integer(c_size_t), value :: size
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function context_memory_words(context) bind(c, name="ashlar_context_memory_words") result(words)
            import :: c_int64_t, c_ptr
            type(c_ptr), value :: context
            integer(c_int64_t) :: words
        end function

        function context_set_device(context, device, memory, err) bind(c, name="ashlar_context_set_device") &
            result(status)
            import :: ashlar_error, c_char, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: context
            character(kind=c_char), intent(in) :: device(*)
            integer(c_int64_t), value :: memory
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function context_set_threads(context, threads, err) bind(c, name="ashlar_context_set_threads") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(c_ptr), value :: context
            integer(c_int), value :: threads
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        subroutine context_on_free(context, call, user) bind(c, name="ashlar_context_on_free")
            import :: c_funptr, c_ptr
            type(c_ptr), value :: context, user
            type(c_funptr), value :: call
        end subroutine

        function context_trace_begin(context, path, events, err) bind(c, name="ashlar_context_trace_begin") &
            result(status)
            import :: ashlar_error, c_char, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: context
            character(kind=c_char), intent(in) :: path(*)
            integer(c_int64_t), value :: events
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function context_trace_end(context, keep, err) bind(c, name="ashlar_context_trace_end") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(c_ptr), value :: context
            integer(c_int), value :: keep
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        pure function plan_layout(plan, operand) bind(c, name="ashlar_plan_layout") result(layout)
            import :: c_int, c_ptr
            type(c_ptr), value :: plan
            integer(c_int), value :: operand
            type(c_ptr) :: layout
        end function

        pure function plan_workspace(plan) bind(c, name="ashlar_plan_workspace") result(words)
            import :: c_int64_t, c_ptr
            type(c_ptr), value :: plan
            integer(c_int64_t) :: words
        end function

        function plan_use_workspace(plan, workspace, err) bind(c, name="ashlar_plan_use_workspace") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(c_ptr), value :: plan, workspace
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function plan_set_ld(plan, operand, ld, err) bind(c, name="ashlar_plan_set_ld") result(status)
            import :: ashlar_error, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: plan
            integer(c_int), value :: operand
            integer(c_int64_t), value :: ld
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        subroutine plan_on_progress(plan, progress, user) bind(c, name="ashlar_plan_on_progress")
            import :: c_funptr, c_ptr
            type(c_ptr), value :: plan, user
            type(c_funptr), value :: progress
        end subroutine

        function plan_trace_begin(plan, events, err) bind(c, name="ashlar_plan_trace_begin") result(status)
            import :: ashlar_error, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: plan
            integer(c_int64_t), value :: events
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function plan_trace_end(plan, path, err) bind(c, name="ashlar_plan_trace_end") result(status)
            import :: ashlar_error, c_char, c_int, c_ptr
            type(c_ptr), value :: plan
            character(kind=c_char), intent(in), optional :: path(*)
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function plan_execute(plan, alpha, a, b, beta, c, err) bind(c, name="ashlar_plan_execute") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(c_ptr), value :: plan, alpha, a, b, beta, c
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function plan_execute_tiles(plan, alpha, a, b, beta, c, err) bind(c, name="ashlar_plan_execute_tiles") &
            result(status)
            import :: ashlar_error, c_int, c_ptr
            type(c_ptr), value :: plan, alpha, beta
            type(c_ptr), intent(in) :: a(*), b(*), c(*)
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function file_open(context, place, out, err) bind(c, name="ashlar_file_open") result(status)
            import :: ashlar_error, ashlar_file, c_char, c_int, c_ptr
            type(c_ptr), value :: context
            character(kind=c_char), intent(in) :: place(*)
            type(ashlar_file), intent(inout) :: out
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_save(tiles, place, err) bind(c, name="ashlar_tiles_save") result(status)
            import :: ashlar_error, c_char, c_int, c_ptr
            type(c_ptr), value :: tiles
            character(kind=c_char), intent(in) :: place(*)
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function tiles_load(context, place, deal, out, err) bind(c, name="ashlar_tiles_load") result(status)
            import :: ashlar_error, ashlar_tiles_description, c_char, c_int, c_ptr
            type(c_ptr), value :: context
            character(kind=c_char), intent(in) :: place(*)
            type(ashlar_tiles_description), intent(in), optional :: deal
            type(c_ptr), intent(out) :: out
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function file_create(context, place, type, rows, cols, order, out, err) bind(c, name="ashlar_file_create") &
            result(status)
            import :: ashlar_error, ashlar_file, c_char, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: context
            character(kind=c_char), intent(in) :: place(*)
            integer(c_int), value :: type, order
            integer(c_int64_t), value :: rows, cols
            type(ashlar_file), intent(inout) :: out
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function file_resume(context, place, type, rows, cols, order, out, err) bind(c, name="ashlar_file_resume") &
            result(status)
            import :: ashlar_error, ashlar_file, c_char, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: context
            character(kind=c_char), intent(in) :: place(*)
            integer(c_int), value :: type, order
            integer(c_int64_t), value :: rows, cols
            type(ashlar_file), intent(inout) :: out
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function file_describe(file, out, size, err) bind(c, name="ashlar_file_describe_sized") result(status)
            import :: ashlar_error, ashlar_file_info, c_int, c_ptr, c_size_t
            type(c_ptr), value :: file
            type(ashlar_file_info), intent(inout) :: out
            integer(c_size_t), value :: size
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function file_read(file, layout, data, err) bind(c, name="ashlar_file_read") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(c_ptr), value :: file, layout, data
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function file_write(file, layout, data, err) bind(c, name="ashlar_file_write") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(c_ptr), value :: file, layout, data
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function file_publish(file, err) bind(c, name="ashlar_file_publish") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(c_ptr), value :: file
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function verify_begin(plan, beta, c, out, err) bind(c, name="ashlar_verify_begin") result(status)
            import :: ashlar_error, ashlar_verification, c_int, c_ptr
            type(c_ptr), value :: plan, beta, c
            type(ashlar_verification), intent(inout) :: out
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function verify_end(check, alpha, a, b, c, out, size, err) bind(c, name="ashlar_verify_end_sized") &
            result(status)
            import :: ashlar_error, ashlar_verdict, c_int, c_ptr, c_size_t
            type(c_ptr), value :: check, alpha, a, b, c
            type(ashlar_verdict), intent(inout) :: out
            integer(c_size_t), value :: size
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function plan_predicted(plan, out, size, err) bind(c, name="ashlar_plan_predicted_sized") result(status)
            import :: ashlar_error, ashlar_figures, c_int, c_ptr, c_size_t
            type(c_ptr), value :: plan
            type(ashlar_figures), intent(inout) :: out
            integer(c_size_t), value :: size
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function plan_measured(plan, out, size, err) bind(c, name="ashlar_plan_measured_sized") result(status)
            import :: ashlar_error, ashlar_figures, c_int, c_ptr, c_size_t
            type(c_ptr), value :: plan
            type(ashlar_figures), intent(inout) :: out
            integer(c_size_t), value :: size
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function move(context, type, op, alpha, from, source, beta, to, target, memory_words, words, err) &
            bind(c, name="ashlar_move") result(status)
            import :: ashlar_error, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: context, alpha, from, source, beta, to, target
            integer(c_int), value :: type, op
            integer(c_int64_t), value :: memory_words
            integer(c_int64_t), intent(inout), optional :: words
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function mover_create(context, type, op, from, to, options, out, err) bind(c, name="ashlar_mover_create") &
            result(status)
            import :: ashlar_error, ashlar_mover_options, c_int, c_ptr
            type(c_ptr), value :: context, from, to
            integer(c_int), value :: type, op
            type(ashlar_mover_options), intent(in), optional :: options
            type(c_ptr), intent(out) :: out
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        subroutine mover_free(mover) bind(c, name="ashlar_mover_free")
            import :: c_ptr
            type(c_ptr), intent(inout) :: mover
        end subroutine

        function mover_explain(mover, out, size, err) bind(c, name="ashlar_mover_explain_sized") result(status)
            import :: ashlar_error, ashlar_movement, c_int, c_ptr, c_size_t
            type(c_ptr), value :: mover
            type(ashlar_movement), intent(inout) :: out
            integer(c_size_t), value :: size
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        pure function mover_workspace(mover) bind(c, name="ashlar_mover_workspace") result(words)
            import :: c_int64_t, c_ptr
            type(c_ptr), value :: mover
            integer(c_int64_t) :: words
        end function

        function mover_use_workspace(mover, workspace, err) bind(c, name="ashlar_mover_use_workspace") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(c_ptr), value :: mover, workspace
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function mover_set_ld(mover, from_ld, to_ld, err) bind(c, name="ashlar_mover_set_ld") result(status)
            import :: ashlar_error, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: mover
            integer(c_int64_t), value :: from_ld, to_ld
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function mover_execute_tiles(mover, alpha, source, beta, target, err) &
            bind(c, name="ashlar_mover_execute_tiles") result(status)
            import :: ashlar_error, c_int, c_ptr
            type(c_ptr), value :: mover, alpha, beta
            type(c_ptr), intent(in) :: source(*), target(*)
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function mover_execute(mover, alpha, source, beta, target, err) bind(c, name="ashlar_mover_execute") &
            result(status)
            import :: ashlar_error, c_int, c_ptr
            type(c_ptr), value :: mover, alpha, source, beta, target
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function
    end interface

    ! communicator.c
    interface
        function context_create(comm, out, err) bind(c, name="ashi_fortran_context_create") result(status)
            import :: ashlar_context, ashlar_error, c_int
            integer(c_int), value :: comm
            type(ashlar_context), intent(inout) :: out
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function context_keep(comm, out, err) bind(c, name="ashi_fortran_context_keep") result(status)
            import :: ashlar_context, ashlar_error, c_int
            integer(c_int), value :: comm
            type(ashlar_context), intent(inout) :: out
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function

        function multiply(comm, problem, options, alpha, a, b, beta, c, err) bind(c, name="ashi_fortran_multiply") &
            result(status)
            import :: ashlar_error, ashlar_options, ashlar_problem, c_int, c_ptr
            integer(c_int), value :: comm
            type(ashlar_problem), intent(in) :: problem
            type(ashlar_options), intent(in), optional :: options
            type(c_ptr), value :: alpha, a, b, beta, c
            type(ashlar_error), intent(inout), optional :: err
            integer(c_int) :: status
        end function
    end interface
end module
