! Tiles of low rank from Fortran: every procedure called and its answer checked.
program low_rank
    use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_int, c_int64_t, c_loc
    use ashlar
    use checks, only: check, checks_end
    use mpi, only: MPI_COMM_WORLD, MPI_Comm_rank, MPI_Finalize, MPI_Init
    implicit none
    integer(c_int64_t), target :: sizes(2) = [6_c_int64_t, 4_c_int64_t]
    type(ashlar_context) :: context
    type(ashlar_tiles_description) :: description
    type(ashlar_tiles) :: tiles
    integer :: rank, ierror

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call check(ashlar_context_create(MPI_COMM_WORLD, context) == ASHLAR_OK, "ashlar_context_create")
    description = ashlar_tiles_description(type=ASHLAR_TYPE_D, tile_rows=2, tile_cols=2, row_sizes=c_loc(sizes))
    call check(ashlar_tiles_create(context, description, tiles) == ASHLAR_OK, "ashlar_tiles_create")
    call put()
    call read_as(2_c_int64_t, "ashlar_tiles_put_low_rank")
    call compress()
    call read_as(1_c_int64_t, "ashlar_tiles_compress")
    call check(ashlar_tiles_expand(tiles) == ASHLAR_OK, "ashlar_tiles_expand")
    call read_as(-1_c_int64_t, "ashlar_tiles_expand")
    call ashlar_tiles_free(tiles)
    call ashlar_context_free(context)
    call MPI_Finalize(ierror)
    call checks_end("low_rank")

contains

    ! Tile (0, 1) is U V^T with two columns alike in each: element (i, j) is 2 i j, of rank 1.
    subroutine put()
        real(c_double) :: u(6, 2), v(4, 2)
        type(ashlar_error) :: err
        integer :: i

        u = spread([(real(i, c_double), i=1, 6)], 2, 2)
        v = spread([(real(i, c_double), i=1, 4)], 2, 2)
        if (rank == 0) call check(ashlar_tiles_put_low_rank(tiles, 0_c_int64_t, 1_c_int64_t, 2_c_int64_t, u, &
            6_c_int64_t, v, 4_c_int64_t, err) == ASHLAR_OK, "ashlar_tiles_put_low_rank: " // ashlar_text(err))
        call check(ashlar_tiles_finish(tiles, err) == ASHLAR_OK, "ashlar_tiles_finish: " // ashlar_text(err))
        if (rank == 0) call check(ashlar_tiles_put_low_rank(tiles, 0_c_int64_t, 1_c_int64_t, 2_c_int64_t, u, &
            5_c_int64_t, v, 4_c_int64_t) == ASHLAR_ERR_ARG, "too small a leading dimension of U")
    end subroutine

    subroutine compress()
        real(c_double) :: lost

        lost = -1
        call check(ashlar_tiles_compress(tiles, 1e-10_c_double, 1, lost) == ASHLAR_OK, "ashlar_tiles_compress")
        call check(lost >= 0 .and. lost < 1e-9, "ashlar_tiles_compress: its error")
    end subroutine

    ! Its owner has tile (0, 1) in this rank, or as a dense tile if that is -1, and its elements are what they were.
    subroutine read_as(of_rank, what)
        integer(c_int64_t), intent(in) :: of_rank
        character(*), intent(in) :: what
        type(ashlar_stored_tile) :: stored
        real(c_double), pointer :: elements(:, :), u(:, :), v(:, :)
        real(c_double) :: got(6, 4)
        integer :: i, j

        call check(ashlar_tiles_get(tiles, 0_c_int64_t, 1_c_int64_t, stored) == ASHLAR_OK, what // ": get")
        if (stored%number < 0) return
        call check(stored%rank == of_rank, what // ": the rank of the tile")
        if (of_rank < 0) then
            call c_f_pointer(stored%data, elements, [stored%ld, stored%cols])
            got = elements
        else
            call c_f_pointer(stored%u, u, [stored%rows, stored%rank])
            call c_f_pointer(stored%v, v, [stored%cols, stored%rank])
            got = matmul(u, transpose(v))
        end if
        call check(all(abs(got - reshape([((2.0_c_double * i * j, i=1, 6), j=1, 4)], [6, 4])) < 1e-9), &
            what // ": elements")
    end subroutine
end program
