! p?gemr2d and p?tran of Ashlar's by the interfaces of the module ashlar, on a BLACS grid.
program moves
    use blacs, only: grid, grid_close, grid_open
    use checks, only: checks_end
    use gemr2d_c, only: redistribution_c => redistribution
    use gemr2d_d, only: redistribution_d => redistribution
    use gemr2d_i, only: redistribution_i => redistribution
    use gemr2d_s, only: redistribution_s => redistribution
    use gemr2d_z, only: redistribution_z => redistribution
    use tran_pctranc, only: pctranc => transposition
    use tran_pctranu, only: pctranu => transposition
    use tran_pdtran, only: pdtran => transposition
    use tran_pstran, only: pstran => transposition
    use tran_pztranc, only: pztranc => transposition
    use tran_pztranu, only: pztranu => transposition
    implicit none
    type(grid) :: g

    g = grid_open()
    call redistribution_s(g)
    call pstran(g)
    call redistribution_d(g)
    call pdtran(g)
    call redistribution_c(g)
    call pctranu(g)
    call pctranc(g)
    call redistribution_z(g)
    call pztranu(g)
    call pztranc(g)
    call redistribution_i(g)
    call grid_close(g)
    call checks_end("moves")
end program
