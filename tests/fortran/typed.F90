! The calls that take matrices, tried with each element type.
module typed_s
#define ELEMENT real(c_float)
#define TO(x) real(x, c_float)
#define ELEMENT_TYPE ASHLAR_TYPE_S
#include "typed.inc"
#undef ELEMENT
#undef TO
#undef ELEMENT_TYPE
end module

module typed_d
#define ELEMENT real(c_double)
#define TO(x) real(x, c_double)
#define ELEMENT_TYPE ASHLAR_TYPE_D
#include "typed.inc"
#undef ELEMENT
#undef TO
#undef ELEMENT_TYPE
end module

module typed_c
#define ELEMENT complex(c_float_complex)
#define TO(x) cmplx(x, kind=c_float_complex)
#define ELEMENT_TYPE ASHLAR_TYPE_C
#include "typed.inc"
#undef ELEMENT
#undef TO
#undef ELEMENT_TYPE
end module

module typed_z
#define ELEMENT complex(c_double_complex)
#define TO(x) cmplx(x, kind=c_double_complex)
#define ELEMENT_TYPE ASHLAR_TYPE_Z
#include "typed.inc"
#undef ELEMENT
#undef TO
#undef ELEMENT_TYPE
end module
