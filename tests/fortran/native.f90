! Every procedure of the module ashlar over the library itself, called at least once and its answer checked; those of
! low rank and of tensors in files have programs of their own.
program native
    use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_float, c_int, c_int16_t, &
        c_int64_t, c_loc, c_null_char, c_null_ptr, c_ptr
    use ashlar
    use checks, only: check, checks_end
    use folders, only: made_folder, remove_folder
    use mpi, only: MPI_COMM_WORLD, MPI_Comm_rank, MPI_Comm_size, MPI_Finalize, MPI_Init
    use typed_c, only: typed_calls_c => typed_calls
    use typed_d, only: typed_calls_d => typed_calls
    use typed_s, only: typed_calls_s => typed_calls
    use typed_z, only: typed_calls_z => typed_calls
    implicit none
    type(ashlar_context) :: context
    integer :: rank, ranks, ierror

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    call names()
    call figures()
    call block_cyclic()
    call storage()
    call check(ashlar_context_create(MPI_COMM_WORLD, context) == ASHLAR_OK, "ashlar_context_create")
    call refusals()
    call files()
    call tile_matrices()
    call contractions()
    call wrong_contraction("ak,kb->ax", 6_c_int64_t, ASHLAR_ERR_ARG, "column 9: index 'x' of the output is in no")
    call wrong_contraction("ak,kb->aa", 6_c_int64_t, ASHLAR_ERR_ARG, "column 9: index 'a' is in the output twice")
    call wrong_contraction("ak,k*->a*", 6_c_int64_t, ASHLAR_ERR_ARG, "column 5: '*' is no index")
    call wrong_contraction("ak,kb->ab", 7_c_int64_t, ASHLAR_ERR_ARG, "column 4: dimension 1 of operand 2 is 7")
    call wrong_contraction("ax,kb->ab", 2_c_int64_t**62, ASHLAR_ERR_OVERFLOW, "the words of operand 2 do not fit")
    call typed_calls_s(context, MPI_COMM_WORLD, rank, ranks)
    call typed_calls_d(context, MPI_COMM_WORLD, rank, ranks)
    call typed_calls_c(context, MPI_COMM_WORLD, rank, ranks)
    call typed_calls_z(context, MPI_COMM_WORLD, rank, ranks)
    call narrow(ASHLAR_TYPE_H, 15872_c_int16_t)
    call narrow(ASHLAR_TYPE_B, 16320_c_int16_t)
    call ashlar_context_free(context)
    call check(.not. c_associated(context%handle), "ashlar_context_free")
    call kept()
    call MPI_Finalize(ierror)
    call checks_end("native")

contains

    ! A is all 1.5, whose bits are given, B all -2, which both types have as these bits, C was 4.
    subroutine narrow(type, bits)
        integer(c_int), intent(in) :: type
        integer(c_int16_t), intent(in) :: bits
        integer(c_int16_t), parameter :: minus_two = -16384
        integer(c_int64_t), parameter :: m = 9, n = 11, k = 13
        real(c_float), parameter :: alpha = 2, beta = -0.5
        type(ashlar_plan) :: plan, other
        type(ashlar_problem) :: problem
        type(ashlar_layout) :: layout
        type(ashlar_error) :: err
        integer(c_int16_t), allocatable, target :: a(:), b(:, :)
        real(c_float), allocatable, target :: c(:), whole(:, :)
        integer(c_int) :: status

        problem = ashlar_problem(type=type, m=m, n=n, k=k)
        call check(ashlar_plan_create(context, problem, out=plan, err=err) == ASHLAR_OK, "narrow: " // ashlar_text(err))
        layout = ashlar_plan_layout(plan, ASHLAR_A)
        allocate (a(ashlar_layout_extent(layout, rank)), source=bits)
        layout = ashlar_plan_layout(plan, ASHLAR_B)
        allocate (b(1, ashlar_layout_extent(layout, rank)), source=minus_two)
        layout = ashlar_plan_layout(plan, ASHLAR_C)
        allocate (c(ashlar_layout_extent(layout, rank)), source=4.0_c_float)
        status = ashlar_plan_execute(plan, alpha, a, b, beta, c, err)
        call check(status == ASHLAR_OK .and. all(nint(c) == -80), "a narrow product: " // ashlar_text(err))
        c = 4
        status = ashlar_plan_execute_tiles(plan, alpha, [place(a)], [c_loc(b)], beta, [c_loc(c)], err)
        call check(status == ASHLAR_OK .and. all(nint(c) == -80), "its tiles: " // ashlar_text(err))
        status = ashlar_plan_execute(plan, alpha, c, c, beta, c, err)
        call check(status == ASHLAR_ERR_ARG, "floats for a narrow plan")
        other = plan
        other%type = ASHLAR_TYPE_S
        status = ashlar_plan_execute(other, alpha, a, b, beta, c, err)
        call check(status == ASHLAR_ERR_ARG, "narrow arrays for a plan of floats")
        call ashlar_plan_free(plan)
        deallocate (a, b)
        allocate (whole(m, n), source=4.0_c_float)
        allocate (a(m * k), source=bits)
        allocate (b(k, n), source=minus_two)
        problem%type = ASHLAR_TYPE_S
        status = ashlar_multiply(MPI_COMM_WORLD, problem, alpha=alpha, a=a, b=b, beta=beta, c=whole, err=err)
        call check(status == ASHLAR_ERR_ARG, "ashlar_multiply of another type")
        problem%type = type
        call check(ashlar_layout_block_cyclic(m, k, m, k, 1, 1, 0, 0, order=ASHLAR_COL_MAJOR, out=problem%a) == &
            ASHLAR_OK, "A on one rank")
        call check(ashlar_layout_block_cyclic(k, n, k, n, 1, 1, 0, 0, order=ASHLAR_COL_MAJOR, out=problem%b) == &
            ASHLAR_OK, "B on one rank")
        call check(ashlar_layout_block_cyclic(m, n, m, n, 1, 1, 0, 0, order=ASHLAR_COL_MAJOR, out=problem%c) == &
            ASHLAR_OK, "C on one rank")
        status = ashlar_multiply(MPI_COMM_WORLD, problem, alpha=alpha, a=a, b=b, beta=beta, c=whole, err=err)
        call check(status == ASHLAR_OK .and. all(nint(whole) == merge(-80, 4, rank == 0)), "ashlar_multiply: " // &
            ashlar_text(err))
        call ashlar_layout_free(problem%a)
        call ashlar_layout_free(problem%b)
        call ashlar_layout_free(problem%c)
    end subroutine

    function place(x)
        integer(c_int16_t), intent(in), target :: x(:)
        type(c_ptr) :: place

        place = c_loc(x)
    end function

    ! C(b, a), as Fortran has it, is the sum over k of A(k, a) B(b, k): A is all 2, B all 3, C was 1. A is dealt out over
    ! all ranks, C's layout is the plan's own, and once all is on rank 0.
    subroutine contractions()
        integer(c_int64_t), target :: of_a(2) = [4_c_int64_t, 6_c_int64_t], of_b(2) = [6_c_int64_t, 5_c_int64_t]
        character(kind=c_char, len=10), target :: text = "ak,kb->ab" // c_null_char
        type(ashlar_tensor), target :: operand(2), output
        type(ashlar_tensor_layout) :: layout(3), own
        type(ashlar_tensor_box) :: box(1)
        type(ashlar_contraction) :: what
        type(ashlar_contraction_plan) :: plan
        type(ashlar_contraction_explanation) :: why
        type(ashlar_figures) :: predicted, measured
        type(ashlar_error) :: err
        real(c_double), target :: a(6, 4), b(5, 6), c(64)
        integer(c_int64_t) :: count, words

        a = 2
        b = 3
        c = 1
        what = ashlar_contraction(type=ASHLAR_TYPE_D, expression=c_loc(text), operands=2, operand=c_loc(operand), &
            output=c_loc(output))
        call check(ashlar_tensor_layout_blocks(2, of_a, [1_c_int64_t, 6_c_int64_t], [ranks, 1], out=layout(1)) == &
            ASHLAR_OK, "ashlar_tensor_layout_blocks")
        call check(ashlar_tensor_layout_blocks(2, of_b, out=layout(2), err=err) == ASHLAR_OK, "all on rank 0")
        words = merge(30_c_int64_t, 0_c_int64_t, rank == 0)
        call check(ashlar_tensor_layout_words(layout(2), rank) == words .and. &
            ashlar_tensor_layout_room(layout(2), rank) == words, "words and room of a layout")
        call check(ashlar_tensor_layout_list_boxes(layout(2), 0, 0_c_int64_t, 1_c_int64_t, box, count) == ASHLAR_OK &
            .and. count == 1 .and. box(1)%extent(1) == 6 .and. box(1)%stride(1) == 5, "ashlar_tensor_layout_list_boxes")
        operand(1) = ashlar_tensor(order=2, extent=c_loc(of_a), layout=layout(1))
        operand(2) = ashlar_tensor(order=2, extent=c_loc(of_b), layout=layout(2))
        output = ashlar_tensor(order=2)
        call check(ashlar_contraction_plan_create(context, what, out=plan, err=err) == ASHLAR_OK, "ashlar_contraction_plan_create")
        own = ashlar_contraction_layout(plan, 2)
        words = ashlar_tensor_layout_words(own, rank)
        call check(ashlar_contraction_execute(plan, 1.0_c_double, [c_loc(a), c_loc(b)], 1.0_c_double, c_loc(c)) == &
            ASHLAR_OK, "ashlar_contraction_execute")
        call check(all(abs(c(1:words) - 37) <= 0), "what a contraction made")
        call check(ashlar_contraction_predicted(plan, predicted) == ASHLAR_OK, "ashlar_contraction_predicted")
        call check(ashlar_contraction_measured(plan, measured) == ASHLAR_OK, "ashlar_contraction_measured")
        call check(predicted%words_total == measured%words_total, "words of a contraction")
        call check(ashlar_contraction_explain(plan, why) == ASHLAR_OK, "ashlar_contraction_explain")
        call check(index(ashlar_text(why%text), "1. ak,kb->ab: ") == 1, "why a contraction")
        call ashlar_contraction_plan_free(plan)
        call check(ashlar_tensor_layout_blocks(2, [4_c_int64_t, 5_c_int64_t], out=layout(3)) == ASHLAR_OK, "of C")
        output = ashlar_tensor(order=2, layout=layout(3))
        call check(ashlar_contract(context, what, alpha=1.0_c_double, operand=[c_loc(a), c_loc(b)], &
            beta=0.0_c_double, output=c_loc(c)) == ASHLAR_OK, "ashlar_contract")
        call check(all(abs(c(1:ashlar_tensor_layout_words(layout(3), rank)) - 36) <= 0), "what ashlar_contract made")
        call ashlar_tensor_layout_free(layout(1))
        call ashlar_tensor_layout_free(layout(2))
        call ashlar_tensor_layout_free(layout(3))
        call check(.not. c_associated(layout(3)%handle), "ashlar_tensor_layout_free")
    end subroutine

    ! A(4, 6) and B(k, 5) by an expression that cannot be: one error, which says where, and no plan.
    subroutine wrong_contraction(expression, k, status, says)
        character(*), intent(in) :: expression, says
        integer(c_int64_t), intent(in) :: k
        integer(c_int), intent(in) :: status
        integer(c_int64_t), target :: of_a(2), of_b(2)
        character(kind=c_char, len=10), target :: text
        type(ashlar_tensor), target :: operand(2), output
        type(ashlar_contraction) :: what
        type(ashlar_contraction_plan) :: plan
        type(ashlar_error) :: err

        of_a = [4_c_int64_t, 6_c_int64_t]
        of_b = [k, 5_c_int64_t]
        text = expression // c_null_char
        operand(1) = ashlar_tensor(order=2, extent=c_loc(of_a))
        operand(2) = ashlar_tensor(order=2, extent=c_loc(of_b))
        output = ashlar_tensor(order=2)
        what = ashlar_contraction(type=ASHLAR_TYPE_D, expression=c_loc(text), operands=2, operand=c_loc(operand), &
            output=c_loc(output))
        call check(ashlar_contraction_plan_create(context, what, out=plan, err=err) == status, expression)
        call check(index(ashlar_text(err), says) > 0, ashlar_text(err))
        call check(.not. c_associated(plan%handle), "no plan")
    end subroutine

    ! Tile (i, j) of 2 x 2 is all 10 i + j, put by one rank and added to by all; (1, 0) stays absent.
    subroutine tile_matrices()
        type(ashlar_tiles_description) :: description
        type(ashlar_tiles) :: tiles
        type(ashlar_tiles_info) :: info
        type(ashlar_stored_tile) :: stored
        type(ashlar_layout) :: layout
        integer(c_int64_t), target :: sizes(2)
        integer(c_int64_t) :: row, col, i, words
        integer(c_int) :: present(2)
        real(c_double), pointer :: elements(:, :)
        real(c_double) :: x(3, 3), dense(25), norm, norms(4)

        sizes = [2_c_int64_t, 3_c_int64_t]
        description = ashlar_tiles_description(type=ASHLAR_TYPE_D, tile_rows=2, tile_cols=2, row_sizes=c_loc(sizes))
        call check(ashlar_tiles_create(context, description, tiles) == ASHLAR_OK, "ashlar_tiles_create")
        do row = 0, 1
            do col = row, 1
                x = real(10 * row + col, c_double)
                if (rank == mod(int(row + col), ranks)) call check(ashlar_tiles_put(tiles, row, col, sizes(row + 1), &
                    sizes(col + 1), ASHLAR_ROW_MAJOR, 3_c_int64_t, x) == ASHLAR_OK, "ashlar_tiles_put")
                x = 1
                call check(ashlar_tiles_accumulate(tiles, row, col, sizes(row + 1), sizes(col + 1), ASHLAR_COL_MAJOR, &
                    3_c_int64_t, x) == ASHLAR_OK, "ashlar_tiles_accumulate")
            end do
        end do
        call check(ashlar_tiles_reserve(tiles, 1_c_int64_t, [0_c_int64_t], [0_c_int64_t]) == ASHLAR_OK, &
            "ashlar_tiles_reserve")
        call check(ashlar_tiles_finish(tiles) == ASHLAR_OK, "ashlar_tiles_finish")
        call check(ashlar_tiles_inspect(tiles, info) == ASHLAR_OK, "ashlar_tiles_inspect")
        call check(info%tiles == 3 .and. info%words == 19 .and. info%rows == 5, "ashlar_tiles_inspect: counts")
        call check(ashlar_tiles_get(tiles, 0_c_int64_t, 1_c_int64_t, stored) == ASHLAR_OK, "ashlar_tiles_get")
        call check((stored%number >= 0) .eqv. (ashlar_tiles_owner(tiles, 0_c_int64_t, 1_c_int64_t) == rank), &
            "ashlar_tiles_owner")
        words = 0
        do i = 0, info%local_tiles - 1
            call check(ashlar_tiles_local(tiles, i, stored) == ASHLAR_OK, "ashlar_tiles_local")
            call c_f_pointer(stored%data, elements, [stored%rows, stored%cols])
            call check(all(abs(elements - real(10 * stored%row + stored%col + ranks, c_double)) <= 0), &
                "a tile's elements")
            words = words + stored%rows * stored%cols
        end do
        call check(words == info%local_words, "ashlar_tiles_local: all tiles")
        dense = -1
        call check(ashlar_tiles_fetch(tiles, 2_c_int64_t, [0_c_int64_t, 1_c_int64_t], [1_c_int64_t, 0_c_int64_t], &
            dense, present) == ASHLAR_OK, "ashlar_tiles_fetch")
        call check(all(present == [1, 0]) .and. all(abs(dense(:6) - (1 + ranks)) <= 0) .and. &
            all(abs(dense(7:12)) <= 0) .and. dense(13) < 0, "ashlar_tiles_fetch: elements")
        call check(ashlar_tiles_norm(tiles, norm) == ASHLAR_OK, "ashlar_tiles_norm")
        call check(ashlar_tiles_norms(tiles, norms) == ASHLAR_OK, "ashlar_tiles_norms")
        call check(abs(norm - sqrt(4.0_c_double * ranks**2 + 6 * (1 + ranks)**2 + 9 * (11 + ranks)**2)) < 1e-10, &
            "ashlar_tiles_norm: its value")
        call check(ashlar_layout_block_cyclic(5_c_int64_t, 5_c_int64_t, 5_c_int64_t, 5_c_int64_t, 1, 1, 0, 0, &
            order=ASHLAR_COL_MAJOR, out=layout) == ASHLAR_OK, "ashlar_layout_block_cyclic")
        call check(ashlar_tiles_to_dense(tiles, layout, dense) == ASHLAR_OK, "ashlar_tiles_to_dense")
        if (rank == 0) call check(abs(dense(1) - ranks) <= 0 .and. abs(dense(3)) <= 0 .and. &
            abs(dense(11) - (1 + ranks)) <= 0 .and. abs(dense(25) - (11 + ranks)) <= 0, &
            "ashlar_tiles_to_dense: elements")
        call tile_algebra(tiles, layout)
        call ashlar_layout_free(layout)
        call dealt_by_work(tiles, description)
        call saved(tiles, norm)
        call ashlar_tiles_free(tiles)
        call check(.not. c_associated(tiles%handle), "ashlar_tiles_free")
    end subroutine

    ! A product whose C is dealt out so has the imbalance that was said.
    subroutine dealt_by_work(tiles, description)
        type(ashlar_tiles), intent(in) :: tiles
        type(ashlar_tiles_description), intent(in) :: description
        type(ashlar_tiles_description) :: dealt
        type(ashlar_tiles) :: product
        type(ashlar_tiles_result) :: done
        integer(c_int), target :: row_map(2), col_map(2)
        real(c_double) :: left

        row_map = -1
        col_map = -1
        left = -1
        call check(ashlar_tiles_deal_by_work(ASHLAR_OP_N, tiles, ASHLAR_OP_N, tiles, description, row_map, col_map, &
            left) == ASHLAR_OK, "ashlar_tiles_deal_by_work")
        dealt = description
        dealt%row_map = c_loc(row_map)
        dealt%col_map = c_loc(col_map)
        call check(ashlar_tiles_create(context, dealt, product) == ASHLAR_OK, "tiles that are dealt out by work")
        call check(ashlar_tiles_multiply(1.0_c_double, ASHLAR_OP_N, tiles, ASHLAR_OP_N, tiles, 0.0_c_double, product, &
            result=done) == ASHLAR_OK, "their product")
        call check(left >= 1 .and. abs(done%imbalance - left) < 1e-12, "ashlar_tiles_deal_by_work: what is left")
        call ashlar_tiles_free(product)
    end subroutine

    ! Saved and loaded, all on the last rank or as the library chooses, the matrix has the same norm.
    subroutine saved(tiles, norm)
        type(ashlar_tiles), intent(in) :: tiles
        real(c_double), intent(in) :: norm
        type(ashlar_tiles) :: loaded
        type(ashlar_tiles_description) :: deal
        type(ashlar_tiles_info) :: info
        type(ashlar_error) :: err
        integer(c_int), target :: last(1)
        real(c_double) :: again
        character(:), allocatable :: folder

        folder = made_folder()
        last = ranks - 1
        deal = ashlar_tiles_description(type=ASHLAR_TYPE_D, tile_rows=2, tile_cols=2, grid_rows=1, grid_cols=1, &
            grid_ranks=c_loc(last))
        call check(ashlar_tiles_save(tiles, folder // "/t.h5:/A ", err) == ASHLAR_OK, &
            "ashlar_tiles_save: " // ashlar_text(err))
        call check(ashlar_tiles_load(context, folder // "/t.h5:/A", deal, loaded, err) == ASHLAR_OK, &
            "ashlar_tiles_load: " // ashlar_text(err))
        call check(ashlar_tiles_inspect(loaded, info) == ASHLAR_OK .and. info%words == 19 .and. &
            info%local_words == merge(19, 0, rank == ranks - 1), "ashlar_tiles_load: who has what")
        call check(ashlar_tiles_norm(loaded, again) == ASHLAR_OK .and. abs(again - norm) < 1e-10, &
            "ashlar_tiles_load: the norm")
        call ashlar_tiles_free(loaded)
        call check(ashlar_tiles_load(context, folder // "/t.h5:/A", out=loaded) == ASHLAR_OK, "ashlar_tiles_load")
        call ashlar_tiles_free(loaded)
        call check(ashlar_tiles_load(context, folder // "/t.h5:/B", out=loaded, err=err) == ASHLAR_ERR_IO, &
            "ashlar_tiles_load of nothing")
        call remove_folder(folder)
    end subroutine

    ! Each call once, on matrices of 5 x 5 whose elements are 1 on the diagonal, or everywhere.
    subroutine tile_algebra(tiles, layout)
        type(ashlar_tiles), intent(in) :: tiles
        type(ashlar_layout), intent(in) :: layout
        type(ashlar_tiles) :: unit, other, product
        type(ashlar_tiles_result) :: done
        type(ashlar_tiles_info) :: info
        type(ashlar_tiles_term) :: term(2)
        type(ashlar_tiles_plan) :: plan
        type(ashlar_tiles_plan_info) :: planned
        real(c_double), target :: two
        real(c_double) :: ones(25), value, diagonal(5)
        integer(c_int64_t), target :: nothing(6)
        integer(c_int) :: status

        ones = 1
        diagonal = 0
        nothing = 0
        call check(ashlar_tiles_copy(tiles, unit) == ASHLAR_OK, "ashlar_tiles_copy")
        call check(ashlar_tiles_clear(unit) == ASHLAR_OK, "ashlar_tiles_clear")
        call check(ashlar_tiles_add_diagonal(1.0_c_double, tiles=unit) == ASHLAR_OK, "ashlar_tiles_add_diagonal")
        call check(ashlar_tiles_copy(unit, other) == ASHLAR_OK, "ashlar_tiles_copy of a unit matrix")
        call check(ashlar_tiles_from_dense(other, layout, ones, 0.0_c_double) == ASHLAR_OK, "ashlar_tiles_from_dense")
        call check(ashlar_tiles_copy(unit, product) == ASHLAR_OK, "ashlar_tiles_copy for a product")
        call check(ashlar_tiles_multiply(2.0_c_double, ASHLAR_OP_N, other, ASHLAR_OP_T, unit, 1.0_c_double, product, &
            ashlar_tiles_options(bound=1), done) == ASHLAR_OK, "ashlar_tiles_multiply")
        call check(done%error_bound < 1e-12 .and. done%left_out == 0, "ashlar_tiles_multiply: its bound")
        status = ashlar_tiles_trace(product, value)
        call check(status == ASHLAR_OK .and. abs(value - 15) <= 0, "ashlar_tiles_multiply: the trace")
        call check(ashlar_tiles_multiply(2.0_c_double, ASHLAR_OP_N, other, ASHLAR_OP_T, unit, 1.0_c_double, product, &
            ashlar_tiles_options(ranges=c_loc(nothing)), done) == ASHLAR_OK, "ashlar_tiles_multiply of a range")
        call check(done%products == 0, "ashlar_tiles_multiply of a range of no tiles")
        two = 2
        term%alpha = c_loc(two)
        term%a = other
        term%b = unit
        call check(ashlar_tiles_multiply_sum(2_c_int64_t, term, 1.0_c_double, product, result=done) == ASHLAR_OK, &
            "ashlar_tiles_multiply_sum")
        status = ashlar_tiles_trace(product, value)
        call check(status == ASHLAR_OK .and. abs(value - 35) <= 0, "ashlar_tiles_multiply_sum: the trace")
        call check(ashlar_tiles_plan_create(2_c_int64_t, term, product, out=plan) == ASHLAR_OK, &
            "ashlar_tiles_plan_create")
        call check(ashlar_tiles_plan_execute(plan, term, 0.0_c_double, product, done) == ASHLAR_OK .and. &
            done%planned == ASHLAR_PLANNED_REUSED, "ashlar_tiles_plan_execute")
        call check(ashlar_tiles_plan_inspect(plan, planned) == ASHLAR_OK .and. planned%terms == 2 .and. &
            planned%planned(3) == 1, "ashlar_tiles_plan_inspect")
        call ashlar_tiles_plan_free(plan)
        status = ashlar_tiles_trace(product, value)
        call check(status == ASHLAR_OK .and. abs(value - 20) <= 0, "ashlar_tiles_plan_execute: the trace")
        call ashlar_tiles_free(product)
        status = ashlar_tiles_trace_product(ASHLAR_OP_N, other, unit, value)
        call check(status == ASHLAR_OK .and. abs(value - 5) <= 0, "ashlar_tiles_trace_product")
        call check(ashlar_tiles_add(2.0_c_double, other, 3.0_c_double, unit, other) == ASHLAR_OK, "ashlar_tiles_add")
        status = ashlar_tiles_trace(other, value)
        call check(status == ASHLAR_OK .and. abs(value - 25) <= 0, "ashlar_tiles_trace")
        call check(ashlar_tiles_scale(2.0_c_double, other) == ASHLAR_OK, "ashlar_tiles_scale")
        call check(ashlar_tiles_multiply_elements(other, unit, other) == ASHLAR_OK, "ashlar_tiles_multiply_elements")
        status = ashlar_tiles_diagonal(other, diagonal)
        call check(status == ASHLAR_OK .and. all(abs(diagonal - 10) <= 0), "ashlar_tiles_diagonal")
        call check(ashlar_tiles_set_diagonal(other, ones) == ASHLAR_OK, "ashlar_tiles_set_diagonal")
        call check(ashlar_tiles_scale_by_diagonal(diagonal, tiles=other) == ASHLAR_OK, "ashlar_tiles_scale_by_diagonal")
        call check(ashlar_tiles_move(ASHLAR_OP_T, other, unit) == ASHLAR_OK, "ashlar_tiles_move")
        status = ashlar_tiles_trace(unit, value)
        call check(status == ASHLAR_OK .and. abs(value - 50) <= 0, "the trace of what moved")
        status = ashlar_tiles_gershgorin(unit, value, diagonal(1))
        call check(status == ASHLAR_OK .and. value < 10 .and. diagonal(1) > 10 .and. diagonal(1) - value < 1e-10, &
            "ashlar_tiles_gershgorin")
        status = ashlar_tiles_lanczos(unit, 3_c_int64_t, value, diagonal(1), diagonal(2:3))
        call check(status == ASHLAR_OK .and. value < 10 .and. diagonal(1) > 10 .and. diagonal(1) - value < 1e-10 .and. &
            maxval(abs(diagonal(2:3) - 10)) < 1e-12, "ashlar_tiles_lanczos")
        call check(ashlar_tiles_filter(unit, 15.0_c_double) == ASHLAR_OK, "ashlar_tiles_filter")
        status = ashlar_tiles_inspect(unit, info)
        call check(status == ASHLAR_OK .and. info%tiles == 1, "ashlar_tiles_filter: tiles")
        call ashlar_tiles_free(other)
        call ashlar_tiles_free(unit)
    end subroutine

    subroutine kept()
        type(ashlar_context) :: first, second

        call check(ashlar_context_keep(MPI_COMM_WORLD, first) == ASHLAR_OK, "ashlar_context_keep")
        call check(ashlar_context_keep(MPI_COMM_WORLD, second) == ASHLAR_OK, "ashlar_context_keep again")
        call check(c_associated(first%handle, second%handle), "another context is kept")
        call ashlar_context_free(first)
        call check(.not. c_associated(first%handle), "ashlar_context_free of a kept one")
    end subroutine

    subroutine names()
        integer(c_int) :: i
        logical :: cosma
        character(:), allocatable :: text

        text = ashlar_version()
        call check(scan(text, "0123456789") == 1 .and. index(text, ".") > 1, "ashlar_version")
        call check(ashlar_status_name(ASHLAR_ERR_LIMIT) == "ASHLAR_ERR_LIMIT", "ashlar_status_name")
        call check(ashlar_status_text(ASHLAR_OK) == "done", "ashlar_status_text")
        cosma = .false.
        do i = 0, 99
            text = ashlar_strategy_name(i)
            if (text == "cosma") cosma = .true.
            call check((text == "") .eqv. (ashlar_strategy_summary(i) == ""), "ashlar_strategy_summary")
        end do
        call check(cosma, "ashlar_strategy_name")
        call check(ashlar_strategy_name(99_c_int) == "", "the name beyond the last")
        call check(ashlar_text(c_null_ptr) == "", "the text of NULL")
    end subroutine

    subroutine figures()
        type(ashlar_machine) :: machine
        type(ashlar_options) :: options

        call check(ashlar_type_bytes(ASHLAR_TYPE_S) == 4 .and. ashlar_type_bytes(ASHLAR_TYPE_Z) == 16, &
            "ashlar_type_bytes")
        call check(ashlar_type_bytes(6_c_int) == 0, "the bytes of no type")
        call check(ashlar_type_bytes(ASHLAR_TYPE_H) == 2 .and. ashlar_type_of_sums(ASHLAR_TYPE_H) == ASHLAR_TYPE_S, &
            "float16")
        call check(ashlar_type_bytes(ASHLAR_TYPE_B) == 2 .and. ashlar_type_of_sums(ASHLAR_TYPE_B) == ASHLAR_TYPE_S &
            .and. ashlar_type_of_sums(ASHLAR_TYPE_Z) == ASHLAR_TYPE_Z, "bfloat16")
        machine = ashlar_machine_default()
        call check(nint(machine%flops_per_second / 1e9_c_double) == 40, "ashlar_machine_default")
        call check(nint(machine%disk_bandwidth / 1e6_c_double) == 500, "its last figure")
        options = ashlar_options_default()
        call check(options%route == ASHLAR_ROUTE_AUTO .and. options%window == 0, "ashlar_options_default")
        call check(.not. (c_associated(options%strategy) .or. options%trusted), "its strategy")
        call check(.not. c_associated(options%machine), "its machine")
    end subroutine

    ! 7 x 5 in blocks of 2 x 3 over a column of processes, in the reverse order of their ranks.
    subroutine block_cyclic()
        type(ashlar_layout) :: layout, inner
        type(ashlar_error) :: err
        integer(c_int64_t) :: words
        integer :: i

        call check(ashlar_layout_block_cyclic(7_c_int64_t, 5_c_int64_t, 0_c_int64_t, 3_c_int64_t, ranks, 1_c_int, &
            0_c_int, 0_c_int, order=ASHLAR_COL_MAJOR, ld=0_c_int64_t, out=layout, err=err) == ASHLAR_ERR_ARG, &
            "a block of no rows")
        call check(err%status == ASHLAR_ERR_ARG .and. index(ashlar_text(err), "ashlar_layout_block_cyclic") > 0, &
            "the text of an error: " // ashlar_text(err))
        call check(ashlar_layout_block_cyclic(7_c_int64_t, 5_c_int64_t, 2_c_int64_t, 3_c_int64_t, ranks, 1_c_int, &
            0_c_int, 0_c_int, [(i, i = ranks - 1, 0, -1)], ASHLAR_COL_MAJOR, 0_c_int64_t, layout) == ASHLAR_OK, &
            "ashlar_layout_block_cyclic")
        call check(ashlar_layout_rows(layout) == 7, "ashlar_layout_rows")
        call check(ashlar_layout_cols(layout) == 5, "ashlar_layout_cols")
        call check(ashlar_layout_owner(layout, 2_c_int64_t, 4_c_int64_t) == max(ranks - 2, 0), "ashlar_layout_owner")
        call check(ashlar_layout_owner(layout, 7_c_int64_t, 0_c_int64_t) == -1, "the owner of no element")
        words = 0
        do i = 0, ranks - 1
            words = words + ashlar_layout_words(layout, i)
        end do
        call check(words == 35, "ashlar_layout_words")
        call check(ashlar_layout_first_block(layout, 1_c_int64_t, 3_c_int64_t) == ASHLAR_OK, &
            "ashlar_layout_first_block")
        call check(ashlar_layout_owner(layout, 1_c_int64_t, 4_c_int64_t) == max(ranks - 2, 0), "its second block")
        call check(ashlar_layout_submatrix(layout, 1_c_int64_t, 2_c_int64_t, 4_c_int64_t, 3_c_int64_t, inner) == &
            ASHLAR_OK, "ashlar_layout_submatrix")
        call check(ashlar_layout_rows(inner) == 4 .and. ashlar_layout_cols(inner) == 3, "its shape")
        call check(ashlar_layout_offset(inner, 3_c_int64_t, 2_c_int64_t) == &
            ashlar_layout_offset(layout, 4_c_int64_t, 4_c_int64_t), "ashlar_layout_offset")
        call ashlar_layout_free(inner)
        call ashlar_layout_free(layout)
        call check(.not. c_associated(layout%handle), "ashlar_layout_free")
    end subroutine

    ! Two tiles one below the other, both of rank 0, somewhere in a larger array.
    subroutine storage()
        type(ashlar_layout) :: layout
        type(ashlar_tile) :: tiles(2)
        integer(c_int64_t) :: count

        call check(ashlar_layout_tiles(2_c_int64_t, 1_c_int64_t, [0_c_int64_t, 3_c_int64_t, 4_c_int64_t], &
            [0_c_int64_t, 2_c_int64_t], [0_c_int, 0_c_int], ASHLAR_ROW_MAJOR, layout) == ASHLAR_OK, &
            "ashlar_layout_tiles")
        call check(ashlar_layout_tile_count(layout, 0_c_int) == 2, "ashlar_layout_tile_count")
        call check(ashlar_layout_set_storage(layout, 0_c_int, [100_c_int64_t, 10_c_int64_t], &
            [5_c_int64_t, 2_c_int64_t]) == ASHLAR_OK, "ashlar_layout_set_storage")
        call check(ashlar_layout_offset(layout, 2_c_int64_t, 1_c_int64_t) == 111, "ashlar_layout_offset")
        call check(ashlar_layout_extent(layout, 0_c_int) == 112, "ashlar_layout_extent")
        count = -1
        call check(ashlar_layout_list_tiles(layout, 0_c_int, 0_c_int64_t, count=count) == ASHLAR_OK .and. count == 2, &
            "how many tiles ashlar_layout_list_tiles has")
        call check(ashlar_layout_list_tiles(layout, 0_c_int, 2_c_int64_t, tiles, count) == ASHLAR_OK, &
            "ashlar_layout_list_tiles")
        call check(all(tiles%row == [0, 3]) .and. all(tiles%rows == [3, 1]) .and. all(tiles%col == 0) .and. &
            all(tiles%cols == 2), "where the tiles are in the matrix")
        call check(all(tiles%offset == [100, 10]) .and. all(tiles%ld == [5, 2]) .and. &
            all(tiles%order == ASHLAR_ROW_MAJOR), "how the tiles lie in memory")
        call ashlar_layout_free(layout)
    end subroutine

    ! Errors, which are the same on every rank.
    subroutine refusals()
        type(ashlar_plan) :: plan
        type(ashlar_options) :: options
        type(ashlar_machine), target :: machine
        type(ashlar_error) :: err

        call check(ashlar_plan_create(context, ashlar_problem(type=ASHLAR_TYPE_D, m=-1, n=1, k=1), out=plan, err=err) &
            == ASHLAR_ERR_ARG, "a negative size")
        call check(index(ashlar_text(err), "m = -1") > 0, "the text of that error: " // ashlar_text(err))
        call check(.not. c_associated(plan%handle), "the plan of an error")
        options = ashlar_options_default()
        machine = ashlar_machine_default()
        machine%latency = 0
        options%machine = c_loc(machine)
        call check(ashlar_plan_create(context, ashlar_problem(type=ASHLAR_TYPE_D, m=1, n=1, k=1), options, plan, err) &
            == ASHLAR_ERR_ARG, "a machine without latency")
        call check(index(ashlar_text(err), "machine's figures") > 0, "the text of that error: " // ashlar_text(err))
        call check(ashlar_options_set_strategy(options, "magic", err) == ASHLAR_ERR_UNSUPPORTED, "no such strategy")
        call check(index(ashlar_text(err), """magic""") > 0, "the text of that error: " // ashlar_text(err))
        call check(.not. c_associated(options%strategy), "the options of an error")
        options = ashlar_options_default()
        options%memory_words = 1
        call check(ashlar_plan_create(context, ashlar_problem(type=ASHLAR_TYPE_D, m=9, n=9, k=9), options, plan, err) &
            == ASHLAR_ERR_LIMIT, "one word of memory")
        options%memory_words = ashlar_context_memory_words(context)
        call check(options%memory_words > 1, "ashlar_context_memory_words")
        call check(ashlar_plan_create(context, ashlar_problem(type=ASHLAR_TYPE_D, m=9, n=9, k=9), options, plan, err) &
            == ASHLAR_OK, "the memory that would do: " // ashlar_text(err))
        call check(ashlar_context_memory_words(context) == 0, "ashlar_context_memory_words of a plan that was made")
        call ashlar_plan_free(plan)
    end subroutine

    ! 4 x 4 matrices of ones in files: C = A A, checked, and read back.
    subroutine files()
        integer(c_int64_t), parameter :: side = 4
        type(ashlar_layout) :: layout
        type(ashlar_file) :: a, c
        type(ashlar_file_info) :: info
        type(ashlar_plan) :: plan
        type(ashlar_problem) :: problem
        type(ashlar_figures) :: figure
        type(ashlar_explanation) :: why
        type(ashlar_device_figures) :: device
        type(ashlar_verification) :: verification
        type(ashlar_verdict) :: verdict
        type(ashlar_error) :: err
        real(c_double), target :: one, zero
        real(c_double), allocatable, target :: data(:)
        real(c_double) :: nothing(0)
        character(:), allocatable :: folder

        folder = made_folder()
        one = 1
        zero = 0
        call check(ashlar_file_open(context, folder // "/none.npy", a, err) == ASHLAR_ERR_IO, "a file that is missing")
        call check(index(ashlar_text(err), "none.npy") > 0, "the text of that error: " // ashlar_text(err))
        call check(ashlar_layout_block_cyclic(side, side, 1_c_int64_t, side, ranks, 1_c_int, 0_c_int, 0_c_int, &
            order=ASHLAR_COL_MAJOR, ld=0_c_int64_t, out=layout) == ASHLAR_OK, "a layout")
        allocate (data(max(1_c_int64_t, ashlar_layout_extent(layout, rank))), source=1.0_c_double)
        call check(ashlar_file_create(context, folder // "/a.npy ", ASHLAR_TYPE_D, side, side, ASHLAR_ROW_MAJOR, a, &
            err) == ASHLAR_OK, "ashlar_file_create: " // ashlar_text(err))
        call check(ashlar_file_write(a, layout, c_loc(data), err) == ASHLAR_OK, "ashlar_file_write")
        call check(ashlar_file_publish(a, err) == ASHLAR_OK, "ashlar_file_publish: " // ashlar_text(err))
        call ashlar_file_close(a)
        call check(.not. c_associated(a%handle), "ashlar_file_close")
        call check(ashlar_file_open(context, folder // "/a.npy", a, err) == ASHLAR_OK, "ashlar_file_open")
        call check(ashlar_file_describe(a, info) == ASHLAR_OK .and. info%type == ASHLAR_TYPE_D .and. &
            info%rows == side .and. info%cols == side .and. info%order == ASHLAR_ROW_MAJOR, "ashlar_file_describe")
        call check(ashlar_file_resume(context, folder // "/c.npy", ASHLAR_TYPE_D, side, side, ASHLAR_ROW_MAJOR, c) &
            == ASHLAR_OK, "another file")
        problem = ashlar_problem(type=ASHLAR_TYPE_D, m=side, n=side, k=side, a_file=a, b_file=a, c_file=c)
        call check(ashlar_plan_create(context, problem, out=plan, err=err) == ASHLAR_OK, &
            "a plan of files: " // ashlar_text(err))
        call check(ashlar_plan_explain(plan, why) == ASHLAR_OK .and. .not. c_associated(why%bound_disk_case), &
            "nothing is streamed")
        call check(ashlar_verify_begin(plan, c_loc(zero), c_null_ptr, verification) == ASHLAR_OK, "ashlar_verify_begin")
        call check(ashlar_plan_execute(plan, one, nothing, nothing, zero, nothing, err) == ASHLAR_OK, &
            "an execution: " // ashlar_text(err))
        call check(ashlar_plan_measured(plan, figure) == ASHLAR_OK .and. figure%disk_words == 3 * side * side, &
            "its disk words")
        call check(.not. figure%resumed > 0, "nothing is resumed")
        call check(ashlar_plan_device(plan, device) == ASHLAR_OK .and. device%ranks == 0 .and. &
            .not. c_associated(device%name), "ashlar_plan_device")
        call check(ashlar_verify_end(verification, c_loc(one), c_null_ptr, c_null_ptr, c_null_ptr, verdict) &
            == ASHLAR_OK .and. verdict%passed .and. verdict%vectors == 8, "ashlar_verify_end")
        call ashlar_verify_free(verification)
        call check(.not. c_associated(verification%handle), "ashlar_verify_free")
        call ashlar_plan_free(plan)
        call check(ashlar_file_publish(c, err) == ASHLAR_OK, "C is published: " // ashlar_text(err))
        call ashlar_file_close(a)
        call ashlar_file_close(c)
        call check(ashlar_file_open(context, folder // "/c.npy", c, err) == ASHLAR_OK, "C is opened")
        call check(ashlar_file_read(c, layout, c_loc(data), err) == ASHLAR_OK, "ashlar_file_read")
        call check(all(nint(data) == side) .or. ashlar_layout_words(layout, rank) == 0, "C in its file")
        call ashlar_file_close(c)
        call ashlar_layout_free(layout)
        call remove_folder(folder)
    end subroutine
end program
