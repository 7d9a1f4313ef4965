! p?gemm of Ashlar's by the interfaces of the module ashlar, on a BLACS grid.
program gemm
    use blacs, only: grid, grid_close, grid_open
    use checks, only: checks_end
    use gemm_c, only: products_c => products
    use gemm_d, only: products_d => products
    use gemm_s, only: products_s => products
    use gemm_z, only: products_z => products
    implicit none
    type(grid) :: g

    g = grid_open()
    call products_s(g)
    call products_d(g)
    call products_c(g)
    call products_z(g)
    call grid_close(g)
    call checks_end("gemm")
end program
