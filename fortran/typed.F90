! The calls that take matrices, for each element type and arrays of any rank, under common names.
#define ELEMENT real(c_float)
#define ELEMENT_TYPE ASHLAR_TYPE_S
module ashlar_typed_s
#include "typed.inc"
end module
#undef ELEMENT
#undef ELEMENT_TYPE

#define ELEMENT real(c_double)
#define ELEMENT_TYPE ASHLAR_TYPE_D
module ashlar_typed_d
#include "typed.inc"
end module
#undef ELEMENT
#undef ELEMENT_TYPE

#define ELEMENT complex(c_float_complex)
#define ELEMENT_TYPE ASHLAR_TYPE_C
module ashlar_typed_c
#include "typed.inc"
end module
#undef ELEMENT
#undef ELEMENT_TYPE

#define ELEMENT complex(c_double_complex)
#define ELEMENT_TYPE ASHLAR_TYPE_Z
module ashlar_typed_z
#include "typed.inc"
end module
#undef ELEMENT
#undef ELEMENT_TYPE

module ashlar_typed
    use ashlar_narrow, only: execute_narrow, multiply_narrow
    use ashlar_typed_s, only: execute_s => execute_arrays, tiles_s => execute_pointers, move_s => move_matrix, &
        mover_s => execute_mover, mover_tiles_s => execute_mover_pointers, multiply_s => multiply_once
    use ashlar_typed_d, only: execute_d => execute_arrays, tiles_d => execute_pointers, move_d => move_matrix, &
        mover_d => execute_mover, mover_tiles_d => execute_mover_pointers, multiply_d => multiply_once
    use ashlar_typed_c, only: execute_c => execute_arrays, tiles_c => execute_pointers, move_c => move_matrix, &
        mover_c => execute_mover, mover_tiles_c => execute_mover_pointers, multiply_c => multiply_once
    use ashlar_typed_z, only: execute_z => execute_arrays, tiles_z => execute_pointers, move_z => move_matrix, &
        mover_z => execute_mover, mover_tiles_z => execute_mover_pointers, multiply_z => multiply_once
    implicit none
    private
    public :: ashlar_plan_execute, ashlar_plan_execute_tiles, ashlar_multiply, ashlar_move, ashlar_mover_execute
    public :: ashlar_mover_execute_tiles

    ! alpha, a, b, beta and c are of one type and kind: another than the plan's is ASHLAR_ERR_ARG, found without asking
    ! the other ranks. The arrays may differ in rank; one that is not contiguous is copied, and C copied back. Of a plan
    ! of ASHLAR_TYPE_H or ASHLAR_TYPE_B a and b are integer(c_int16_t), with the bits of the numbers, and the others
    ! real(c_float).
    interface ashlar_plan_execute
        procedure execute_s, execute_d, execute_c, execute_z, execute_narrow
    end interface

    ! a, b and c are arrays of c_loc, one a tile.
    interface ashlar_plan_execute_tiles
        procedure tiles_s, tiles_d, tiles_c, tiles_z
    end interface

    ! The type is that of the arrays: problem%type is not read, unless a and b are integer(c_int16_t): then it is
    ! ASHLAR_TYPE_H or ASHLAR_TYPE_B.
    interface ashlar_multiply
        procedure multiply_s, multiply_d, multiply_c, multiply_z, multiply_narrow
    end interface

    ! The type is that of the arrays, and no argument. memory_words and words may be left out.
    interface ashlar_move
        procedure move_s, move_d, move_c, move_z
    end interface

    ! As of ashlar_plan_execute: another type than the mover's is ASHLAR_ERR_ARG.
    interface ashlar_mover_execute
        procedure mover_s, mover_d, mover_c, mover_z
    end interface

    ! source and target are arrays of c_loc, one for each tile.
    interface ashlar_mover_execute_tiles
        procedure mover_tiles_s, mover_tiles_d, mover_tiles_c, mover_tiles_z
    end interface
end module
