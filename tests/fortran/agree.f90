! The public structures lie in memory as C's do: sizes and places of members, from both languages.
program agree
    use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_intptr_t, c_loc, c_ptr, c_sizeof
    use ashlar
    use checks, only: check, checks_end
    implicit none

    interface
        pure function ashi_structure(s, i) bind(c) result(place)
            import :: c_int, c_int64_t
            integer(c_int), value :: s, i
            integer(c_int64_t) :: place
        end function
    end interface

    type(ashlar_error), target :: e
    type(ashlar_problem), target :: p
    type(ashlar_machine), target :: m
    type(ashlar_options), target :: o
    type(ashlar_figures), target :: f
    type(ashlar_explanation), target :: x
    type(ashlar_mover_options), target :: w
    type(ashlar_movement), target :: v
    type(ashlar_tile), target :: t
    type(ashlar_file_info), target :: i
    type(ashlar_verdict), target :: d
    type(ashlar_tiles_description), target :: g
    type(ashlar_tiles_info), target :: h
    type(ashlar_tiles_options), target :: q
    type(ashlar_tiles_result), target :: r
    type(ashlar_stored_tile), target :: k
    type(ashlar_tensor_box), target :: b
    type(ashlar_tensor), target :: n
    type(ashlar_contraction), target :: c
    type(ashlar_contraction_explanation), target :: y
    type(ashlar_tensor_info), target :: z
    type(ashlar_device_figures), target :: u

    call same(0, "ashlar_error", c_sizeof(e), c_loc(e), [c_loc(e%status), c_loc(e%text)])
    call same(1, "ashlar_problem", c_sizeof(p), c_loc(p), [c_loc(p%size), c_loc(p%type), c_loc(p%op_a), &
        c_loc(p%op_b), c_loc(p%m), c_loc(p%n), c_loc(p%k), c_loc(p%a), c_loc(p%b), c_loc(p%c), &
        c_loc(p%a_file), c_loc(p%b_file), c_loc(p%c_file), c_loc(p%c0_file)])
    call same(2, "ashlar_machine", c_sizeof(m), c_loc(m), [c_loc(m%size), c_loc(m%flops_per_second), c_loc(m%latency), &
        c_loc(m%bandwidth), c_loc(m%copy_bandwidth), c_loc(m%disk_bandwidth), &
        c_loc(m%torus_dims), c_loc(m%torus), c_loc(m%forms), &
        c_loc(m%disk_read_bandwidth), c_loc(m%disk_write_bandwidth), c_loc(m%task_seconds), c_loc(m%message_work), &
        c_loc(m%product_bandwidth), c_loc(m%device_in_bandwidth), c_loc(m%device_out_bandwidth), &
        c_loc(m%device_delay), c_loc(m%device_flops), c_loc(m%device_memory)])
    call same(3, "ashlar_options", c_sizeof(o), c_loc(o), [c_loc(o%size), c_loc(o%strategy), c_loc(o%objective), &
        c_loc(o%transport), c_loc(o%route), c_loc(o%memory_words), c_loc(o%idle), c_loc(o%window), &
        c_loc(o%caller_workspace), c_loc(o%trusted), c_loc(o%node_ranks), c_loc(o%grid), c_loc(o%machine), &
        c_loc(o%checkpoint_seconds), c_loc(o%local_disks), c_loc(o%scratch)])
    call same(4, "ashlar_figures", c_sizeof(f), c_loc(f), [c_loc(f%words_max), c_loc(f%words_mean), &
        c_loc(f%words_total), c_loc(f%messages_max), c_loc(f%memory_words), c_loc(f%disk_words), c_loc(f%seconds), &
        c_loc(f%read_seconds), c_loc(f%write_seconds), c_loc(f%resumed)])
    call same(5, "ashlar_explanation", c_sizeof(x), c_loc(x), [c_loc(x%strategy), c_loc(x%reason), c_loc(x%grid), &
        c_loc(x%ranks_used), c_loc(x%rounds), c_loc(x%bound_words), c_loc(x%bound_case), &
        c_loc(x%relayout_words), c_loc(x%workspace_words), c_loc(x%warning), &
        c_loc(x%bound_disk_words), c_loc(x%bound_disk_case)])
    call same(6, "ashlar_mover_options", c_sizeof(w), c_loc(w), [c_loc(w%size), c_loc(w%caller_workspace), &
        c_loc(w%trusted), c_loc(w%memory_words)])
    call same(7, "ashlar_movement", c_sizeof(v), c_loc(v), [c_loc(v%words), c_loc(v%words_max), c_loc(v%words_total), &
        c_loc(v%messages), c_loc(v%messages_max), c_loc(v%rounds), c_loc(v%workspace_words)])
    call same(8, "ashlar_tile", c_sizeof(t), c_loc(t), [c_loc(t%row), c_loc(t%col), c_loc(t%rows), c_loc(t%cols), &
        c_loc(t%order), c_loc(t%ld), c_loc(t%offset)])
    call same(9, "ashlar_file_info", c_sizeof(i), c_loc(i), [c_loc(i%type), c_loc(i%order), c_loc(i%rows), c_loc(i%cols)])
    call same(10, "ashlar_verdict", c_sizeof(d), c_loc(d), [c_loc(d%passed), c_loc(d%vectors), c_loc(d%worst), &
        c_loc(d%row)])
    call same(11, "ashlar_tiles_description", c_sizeof(g), c_loc(g), [c_loc(g%size), c_loc(g%type), &
        c_loc(g%symmetry), c_loc(g%tile_rows), c_loc(g%tile_cols), c_loc(g%row_sizes), c_loc(g%col_sizes), &
        c_loc(g%grid_rows), c_loc(g%grid_cols), c_loc(g%grid_ranks), c_loc(g%row_map), c_loc(g%col_map), &
        c_loc(g%owner), c_loc(g%user)])
    call same(12, "ashlar_tiles_info", c_sizeof(h), c_loc(h), [c_loc(h%type), c_loc(h%symmetry), c_loc(h%rows), &
        c_loc(h%cols), c_loc(h%tile_rows), c_loc(h%tile_cols), c_loc(h%row_cuts), c_loc(h%col_cuts), &
        c_loc(h%grid_rows), c_loc(h%grid_cols), c_loc(h%local_tiles), c_loc(h%local_words), c_loc(h%tiles), &
        c_loc(h%words), c_loc(h%density)])
    call same(13, "ashlar_stored_tile", c_sizeof(k), c_loc(k), [c_loc(k%row), c_loc(k%col), c_loc(k%rows), &
        c_loc(k%cols), c_loc(k%ld), c_loc(k%owner), c_loc(k%number), c_loc(k%data)])
    call same(14, "ashlar_tiles_options", c_sizeof(q), c_loc(q), [c_loc(q%size), c_loc(q%retain), c_loc(q%window), &
        c_loc(q%keep_small_products), c_loc(q%keep_small_tiles), c_loc(q%bound), c_loc(q%threshold), &
        c_loc(q%ranges), c_loc(q%budget), c_loc(q%trace), c_loc(q%stays), c_loc(q%layers), &
        c_loc(q%tolerance), c_loc(q%relative), c_loc(q%memory_words), c_loc(q%progress), c_loc(q%progress_user), &
        c_loc(q%machine)])
    call same(15, "ashlar_tiles_result", c_sizeof(r), c_loc(r), [c_loc(r%products), c_loc(r%left_out), &
        c_loc(r%dropped), c_loc(r%flops), c_loc(r%words), c_loc(r%messages), c_loc(r%workspace_words), &
        c_loc(r%iterations), c_loc(r%window), c_loc(r%error_bound), c_loc(r%seconds), c_loc(r%planned), &
        c_loc(r%planning_steps), c_loc(r%planning_seconds), c_loc(r%predicted_words), c_loc(r%stays), &
        c_loc(r%layers), c_loc(r%imbalance), c_loc(r%memory_words)])
    call same(16, "ashlar_tensor_box", c_sizeof(b), c_loc(b), [c_loc(b%order), c_loc(b%from), c_loc(b%extent), &
        c_loc(b%stride), c_loc(b%offset)])
    call same(17, "ashlar_tensor", c_sizeof(n), c_loc(n), [c_loc(n%size), c_loc(n%order), c_loc(n%extent), &
        c_loc(n%layout), c_loc(n%file), c_loc(n%conjugate)])
    call same(18, "ashlar_contraction", c_sizeof(c), c_loc(c), [c_loc(c%size), c_loc(c%type), c_loc(c%expression), &
        c_loc(c%operands), c_loc(c%operand), c_loc(c%output), c_loc(c%output0)])
    call same(19, "ashlar_contraction_explanation", c_sizeof(y), c_loc(y), [c_loc(y%text), c_loc(y%steps), &
        c_loc(y%multiply_adds), c_loc(y%workspace_words), c_loc(y%bound_words), c_loc(y%bound_case)])
    call same(20, "ashlar_tensor_info", c_sizeof(z), c_loc(z), [c_loc(z%type), c_loc(z%order), c_loc(z%extent)])
    call same(21, "ashlar_device_figures", c_sizeof(u), c_loc(u), [c_loc(u%name), c_loc(u%rule), c_loc(u%warning), &
        c_loc(u%failure), c_loc(u%ranks), c_loc(u%words_in_max), c_loc(u%words_in_total), c_loc(u%words_out_max), &
        c_loc(u%words_out_total), c_loc(u%memory_words), c_loc(u%seconds), c_loc(u%host_seconds), &
        c_loc(u%measured_in_max), c_loc(u%measured_in_total), c_loc(u%measured_out_max), &
        c_loc(u%measured_out_total), c_loc(u%measured_memory_words), c_loc(u%measured_host_products), &
        c_loc(u%staged_words), c_loc(u%measured_staged_words)])
    call check(n%size == c_sizeof(n), "ashlar_tensor: the size it begins with")
    call check(c%size == c_sizeof(c), "ashlar_contraction: the size it begins with")
    call check(p%size == c_sizeof(p), "ashlar_problem: the size it begins with")
    call check(m%size == c_sizeof(m), "ashlar_machine: the size it begins with")
    call check(o%size == c_sizeof(o), "ashlar_options: the size it begins with")
    call check(w%size == c_sizeof(w), "ashlar_mover_options: the size it begins with")
    call check(g%size == c_sizeof(g), "ashlar_tiles_description: the size it begins with")
    call check(q%size == c_sizeof(q), "ashlar_tiles_options: the size it begins with")
    call checks_end("agree")

contains

    subroutine same(s, name, bytes, start, members)
        integer, intent(in) :: s
        character(*), intent(in) :: name
        integer(kind(c_sizeof(e))), intent(in) :: bytes
        type(c_ptr), intent(in) :: start, members(:)
        integer :: i
        character(80) :: what

        call check(bytes == ashi_structure(s, 0), name // ": its size")
        do i = 1, size(members)
            write (what, "(2a, i0)") name, ": the place of member ", i
            call check(place(members(i)) - place(start) == ashi_structure(s, i), trim(what))
        end do
        call check(ashi_structure(s, size(members) + 1) == 0, name // ": C has more members")
    end subroutine

    pure function place(pointer) result(bytes)
        type(c_ptr), intent(in) :: pointer
        integer(c_intptr_t) :: bytes

        bytes = transfer(pointer, bytes)
    end function
end program
