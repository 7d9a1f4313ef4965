! Redistributions and transpositions of Ashlar's, tried with each element type.
#define ELEMENT real(c_float)
#define TO(x) real(x, c_float)

module gemr2d_s
#define PGEMR2D ashlar_psgemr2d
#include "gemr2d.inc"
#undef PGEMR2D
end module

module tran_pstran
#define PTRAN ashlar_pstran
#define OTHER
#include "tran.inc"
#undef PTRAN
#undef OTHER
end module

#undef ELEMENT
#undef TO

#define ELEMENT real(c_double)
#define TO(x) real(x, c_double)

module gemr2d_d
#define PGEMR2D ashlar_pdgemr2d
#include "gemr2d.inc"
#undef PGEMR2D
end module

module tran_pdtran
#define PTRAN ashlar_pdtran
#define OTHER
#include "tran.inc"
#undef PTRAN
#undef OTHER
end module

#undef ELEMENT
#undef TO

#define ELEMENT complex(c_float_complex)
#define TO(x) cmplx(x, 1 - (x), c_float_complex)

module gemr2d_c
#define PGEMR2D ashlar_pcgemr2d
#include "gemr2d.inc"
#undef PGEMR2D
end module

module tran_pctranu
#define PTRAN ashlar_pctranu
#define OTHER
#include "tran.inc"
#undef PTRAN
#undef OTHER
end module

module tran_pctranc
#define PTRAN ashlar_pctranc
#define OTHER conjg
#include "tran.inc"
#undef PTRAN
#undef OTHER
end module

#undef ELEMENT
#undef TO

#define ELEMENT complex(c_double_complex)
#define TO(x) cmplx(x, 1 - (x), c_double_complex)

module gemr2d_z
#define PGEMR2D ashlar_pzgemr2d
#include "gemr2d.inc"
#undef PGEMR2D
end module

module tran_pztranu
#define PTRAN ashlar_pztranu
#define OTHER
#include "tran.inc"
#undef PTRAN
#undef OTHER
end module

module tran_pztranc
#define PTRAN ashlar_pztranc
#define OTHER conjg
#include "tran.inc"
#undef PTRAN
#undef OTHER
end module

#undef ELEMENT
#undef TO

#define ELEMENT integer(c_int)
#define TO(x) int(x, c_int)

module gemr2d_i
#define PGEMR2D ashlar_pigemr2d
#include "gemr2d.inc"
#undef PGEMR2D
end module

#undef ELEMENT
#undef TO
