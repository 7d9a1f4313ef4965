! Interfaces of ScaLAPACK's routines as libashlar_pblas has them, under names that start with ashlar_.
!
! Arguments and their order are ScaLAPACK's; include/ashlar/pblas.h documents them. Arrays are of assumed size: a whole
! array and its first element are both good.
module ashlar_dropin
    use, intrinsic :: iso_c_binding, only: c_char, c_double, c_double_complex, c_float, c_float_complex, c_int
    implicit none
    public
    private :: c_char, c_double, c_double_complex, c_float, c_float_complex, c_int

    ! sub(C) <- alpha op(sub(A)) op(sub(B)) + beta sub(C)
    interface
        subroutine ashlar_psgemm(transa, transb, m, n, k, alpha, a, ia, ja, desca, b, ib, jb, descb, beta, c, ic, jc, &
            descc) bind(c, name="ashlar_psgemm_")
            import :: c_char, c_float, c_int
            character(kind=c_char), intent(in) :: transa, transb
            integer(c_int), intent(in) :: m, n, k, ia, ja, desca(*), ib, jb, descb(*), ic, jc, descc(*)
            real(c_float), intent(in) :: alpha, a(*), b(*), beta
            real(c_float), intent(inout) :: c(*)
        end subroutine

        subroutine ashlar_pdgemm(transa, transb, m, n, k, alpha, a, ia, ja, desca, b, ib, jb, descb, beta, c, ic, jc, &
            descc) bind(c, name="ashlar_pdgemm_")
            import :: c_char, c_double, c_int
            character(kind=c_char), intent(in) :: transa, transb
            integer(c_int), intent(in) :: m, n, k, ia, ja, desca(*), ib, jb, descb(*), ic, jc, descc(*)
            real(c_double), intent(in) :: alpha, a(*), b(*), beta
            real(c_double), intent(inout) :: c(*)
        end subroutine

        subroutine ashlar_pcgemm(transa, transb, m, n, k, alpha, a, ia, ja, desca, b, ib, jb, descb, beta, c, ic, jc, &
            descc) bind(c, name="ashlar_pcgemm_")
            import :: c_char, c_float_complex, c_int
            character(kind=c_char), intent(in) :: transa, transb
            integer(c_int), intent(in) :: m, n, k, ia, ja, desca(*), ib, jb, descb(*), ic, jc, descc(*)
            complex(c_float_complex), intent(in) :: alpha, a(*), b(*), beta
            complex(c_float_complex), intent(inout) :: c(*)
        end subroutine

        subroutine ashlar_pzgemm(transa, transb, m, n, k, alpha, a, ia, ja, desca, b, ib, jb, descb, beta, c, ic, jc, &
            descc) bind(c, name="ashlar_pzgemm_")
            import :: c_char, c_double_complex, c_int
            character(kind=c_char), intent(in) :: transa, transb
            integer(c_int), intent(in) :: m, n, k, ia, ja, desca(*), ib, jb, descb(*), ic, jc, descc(*)
            complex(c_double_complex), intent(in) :: alpha, a(*), b(*), beta
            complex(c_double_complex), intent(inout) :: c(*)
        end subroutine
    end interface
end module
