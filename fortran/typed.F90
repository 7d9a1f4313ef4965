! The calls that take matrices, for each element type and arrays of one dimension or two, under common names.
#define ELEMENT real(c_float)
#define ELEMENT_TYPE ASHLAR_TYPE_S

module ashlar_typed_s1
#define SHAPE *
#include "typed.inc"
#undef SHAPE
end module

module ashlar_typed_s2
#define SHAPE 1, *
#include "typed.inc"
#undef SHAPE
end module

#undef ELEMENT
#undef ELEMENT_TYPE

#define ELEMENT real(c_double)
#define ELEMENT_TYPE ASHLAR_TYPE_D

module ashlar_typed_d1
#define SHAPE *
#include "typed.inc"
#undef SHAPE
end module

module ashlar_typed_d2
#define SHAPE 1, *
#include "typed.inc"
#undef SHAPE
end module

#undef ELEMENT
#undef ELEMENT_TYPE

#define ELEMENT complex(c_float_complex)
#define ELEMENT_TYPE ASHLAR_TYPE_C

module ashlar_typed_c1
#define SHAPE *
#include "typed.inc"
#undef SHAPE
end module

module ashlar_typed_c2
#define SHAPE 1, *
#include "typed.inc"
#undef SHAPE
end module

#undef ELEMENT
#undef ELEMENT_TYPE

#define ELEMENT complex(c_double_complex)
#define ELEMENT_TYPE ASHLAR_TYPE_Z

module ashlar_typed_z1
#define SHAPE *
#include "typed.inc"
#undef SHAPE
end module

module ashlar_typed_z2
#define SHAPE 1, *
#include "typed.inc"
#undef SHAPE
end module

#undef ELEMENT
#undef ELEMENT_TYPE

module ashlar_typed
    use ashlar_typed_s1, only: execute_s1 => execute_arrays, tiles_s => execute_pointers, &
        move_s1 => move_matrix, mover_s1 => execute_mover, multiply_s1 => multiply_once
    use ashlar_typed_s2, only: execute_s2 => execute_arrays, move_s2 => move_matrix, mover_s2 => execute_mover, &
        multiply_s2 => multiply_once
    use ashlar_typed_d1, only: execute_d1 => execute_arrays, tiles_d => execute_pointers, &
        move_d1 => move_matrix, mover_d1 => execute_mover, multiply_d1 => multiply_once
    use ashlar_typed_d2, only: execute_d2 => execute_arrays, move_d2 => move_matrix, mover_d2 => execute_mover, &
        multiply_d2 => multiply_once
    use ashlar_typed_c1, only: execute_c1 => execute_arrays, tiles_c => execute_pointers, &
        move_c1 => move_matrix, mover_c1 => execute_mover, multiply_c1 => multiply_once
    use ashlar_typed_c2, only: execute_c2 => execute_arrays, move_c2 => move_matrix, mover_c2 => execute_mover, &
        multiply_c2 => multiply_once
    use ashlar_typed_z1, only: execute_z1 => execute_arrays, tiles_z => execute_pointers, &
        move_z1 => move_matrix, mover_z1 => execute_mover, multiply_z1 => multiply_once
    use ashlar_typed_z2, only: execute_z2 => execute_arrays, move_z2 => move_matrix, mover_z2 => execute_mover, &
        multiply_z2 => multiply_once
    implicit none
    private
    public :: ashlar_plan_execute, ashlar_plan_execute_tiles, ashlar_multiply, ashlar_move, ashlar_mover_execute

    ! alpha, a, b, beta and c are of one type and kind: another than the plan's is ASHLAR_ERR_ARG, found without asking
    ! the other ranks. All arrays have one dimension, or all two; a section that is not contiguous is copied.
    interface ashlar_plan_execute
        procedure execute_s1, execute_d1, execute_c1, execute_z1, execute_s2, execute_d2, execute_c2, execute_z2
    end interface

    ! a, b and c are arrays of c_loc, one a tile.
    interface ashlar_plan_execute_tiles
        procedure tiles_s, tiles_d, tiles_c, tiles_z
    end interface

    ! The type is that of the arrays: problem%type is not read.
    interface ashlar_multiply
        procedure multiply_s1, multiply_d1, multiply_c1, multiply_z1, multiply_s2, multiply_d2, multiply_c2, multiply_z2
    end interface

    ! The type is that of the arrays, and no argument. memory_words and words may be left out.
    interface ashlar_move
        procedure move_s1, move_d1, move_c1, move_z1, move_s2, move_d2, move_c2, move_z2
    end interface

    ! As of ashlar_plan_execute: another type than the mover's is ASHLAR_ERR_ARG.
    interface ashlar_mover_execute
        procedure mover_s1, mover_d1, mover_c1, mover_z1, mover_s2, mover_d2, mover_c2, mover_z2
    end interface
end module
