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

    ! sub(B) <- sub(A), redistributed
    interface
        subroutine ashlar_psgemr2d(m, n, a, ia, ja, desca, b, ib, jb, descb, ictxt) bind(c, name="ashlar_psgemr2d_")
            import :: c_float, c_int
            integer(c_int), intent(in) :: m, n, ia, ja, desca(*), ib, jb, descb(*), ictxt
            real(c_float), intent(in) :: a(*)
            real(c_float), intent(inout) :: b(*)
        end subroutine

        subroutine ashlar_pdgemr2d(m, n, a, ia, ja, desca, b, ib, jb, descb, ictxt) bind(c, name="ashlar_pdgemr2d_")
            import :: c_double, c_int
            integer(c_int), intent(in) :: m, n, ia, ja, desca(*), ib, jb, descb(*), ictxt
            real(c_double), intent(in) :: a(*)
            real(c_double), intent(inout) :: b(*)
        end subroutine

        subroutine ashlar_pcgemr2d(m, n, a, ia, ja, desca, b, ib, jb, descb, ictxt) bind(c, name="ashlar_pcgemr2d_")
            import :: c_float_complex, c_int
            integer(c_int), intent(in) :: m, n, ia, ja, desca(*), ib, jb, descb(*), ictxt
            complex(c_float_complex), intent(in) :: a(*)
            complex(c_float_complex), intent(inout) :: b(*)
        end subroutine

        subroutine ashlar_pzgemr2d(m, n, a, ia, ja, desca, b, ib, jb, descb, ictxt) bind(c, name="ashlar_pzgemr2d_")
            import :: c_double_complex, c_int
            integer(c_int), intent(in) :: m, n, ia, ja, desca(*), ib, jb, descb(*), ictxt
            complex(c_double_complex), intent(in) :: a(*)
            complex(c_double_complex), intent(inout) :: b(*)
        end subroutine

        subroutine ashlar_pigemr2d(m, n, a, ia, ja, desca, b, ib, jb, descb, ictxt) bind(c, name="ashlar_pigemr2d_")
            import :: c_int
            integer(c_int), intent(in) :: m, n, ia, ja, desca(*), ib, jb, descb(*), ictxt
            integer(c_int), intent(in) :: a(*)
            integer(c_int), intent(inout) :: b(*)
        end subroutine
    end interface

    ! sub(C) <- alpha transpose(sub(A)) + beta sub(C), conjugated by tranc
    interface
        subroutine ashlar_pstran(m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc) bind(c, name="ashlar_pstran_")
            import :: c_float, c_int
            integer(c_int), intent(in) :: m, n, ia, ja, desca(*), ic, jc, descc(*)
            real(c_float), intent(in) :: alpha, a(*), beta
            real(c_float), intent(inout) :: c(*)
        end subroutine

        subroutine ashlar_pdtran(m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc) bind(c, name="ashlar_pdtran_")
            import :: c_double, c_int
            integer(c_int), intent(in) :: m, n, ia, ja, desca(*), ic, jc, descc(*)
            real(c_double), intent(in) :: alpha, a(*), beta
            real(c_double), intent(inout) :: c(*)
        end subroutine

        subroutine ashlar_pctranu(m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc) bind(c, name="ashlar_pctranu_")
            import :: c_float_complex, c_int
            integer(c_int), intent(in) :: m, n, ia, ja, desca(*), ic, jc, descc(*)
            complex(c_float_complex), intent(in) :: alpha, a(*), beta
            complex(c_float_complex), intent(inout) :: c(*)
        end subroutine

        subroutine ashlar_pctranc(m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc) bind(c, name="ashlar_pctranc_")
            import :: c_float_complex, c_int
            integer(c_int), intent(in) :: m, n, ia, ja, desca(*), ic, jc, descc(*)
            complex(c_float_complex), intent(in) :: alpha, a(*), beta
            complex(c_float_complex), intent(inout) :: c(*)
        end subroutine

        subroutine ashlar_pztranu(m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc) bind(c, name="ashlar_pztranu_")
            import :: c_double_complex, c_int
            integer(c_int), intent(in) :: m, n, ia, ja, desca(*), ic, jc, descc(*)
            complex(c_double_complex), intent(in) :: alpha, a(*), beta
            complex(c_double_complex), intent(inout) :: c(*)
        end subroutine

        subroutine ashlar_pztranc(m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc) bind(c, name="ashlar_pztranc_")
            import :: c_double_complex, c_int
            integer(c_int), intent(in) :: m, n, ia, ja, desca(*), ic, jc, descc(*)
            complex(c_double_complex), intent(in) :: alpha, a(*), beta
            complex(c_double_complex), intent(inout) :: c(*)
        end subroutine
    end interface
end module
