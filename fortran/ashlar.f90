! The module users use: Ashlar's own calls, and ScaLAPACK's routines under names that start with ashlar_.
!
! Names, arguments and their order are those of C, and the headers in include/ashlar document them; where Fortran
! differs, a comment in this folder and ashlar_fortran(3) say how.
module ashlar
    use ashlar_contractions
    use ashlar_dropin
    use ashlar_layouts
    use ashlar_matrix_files
    use ashlar_movers
    use ashlar_plans
    use ashlar_low_rank
    use ashlar_strings, only: ashlar_options_set_strategy, ashlar_status_name, ashlar_status_text, &
        ashlar_strategy_name, ashlar_strategy_summary, ashlar_text, ashlar_version
    use ashlar_tile_matrices
    use ashlar_tile_plans
    use ashlar_typed
    use ashlar_types
    implicit none
    public
end module
