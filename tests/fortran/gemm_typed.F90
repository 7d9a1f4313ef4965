! p?gemm of Ashlar's with interfaces, tried with each element type.
module gemm_s
#define PGEMM ashlar_psgemm
#define ELEMENT real(c_float)
#define TO(x) real(x, c_float)
#include "gemm.inc"
#undef PGEMM
#undef ELEMENT
#undef TO
end module

module gemm_d
#define PGEMM ashlar_pdgemm
#define ELEMENT real(c_double)
#define TO(x) real(x, c_double)
#include "gemm.inc"
#undef PGEMM
#undef ELEMENT
#undef TO
end module

module gemm_c
#define PGEMM ashlar_pcgemm
#define ELEMENT complex(c_float_complex)
#define TO(x) cmplx(x, kind=c_float_complex)
#include "gemm.inc"
#undef PGEMM
#undef ELEMENT
#undef TO
end module

module gemm_z
#define PGEMM ashlar_pzgemm
#define ELEMENT complex(c_double_complex)
#define TO(x) cmplx(x, kind=c_double_complex)
#include "gemm.inc"
#undef PGEMM
#undef ELEMENT
#undef TO
end module
