#!/bin/sh
# ScaLAPACK's own test programs, unchanged, with the drop-in preloaded, on problems of ours in tests/pblas.
set -u
. "$ASHLAR_SOURCE/tests/command/support.inc"
. "$ASHLAR_SOURCE/tests/command/pblas.inc"
data=$ASHLAR_SOURCE/tests/pblas
cd "$work" || exit 2

testers=$(echo /usr/lib/*/scalapack/"$ASHLAR_MPI_FAMILY"-tests)
test -x "$testers/PBLAS/dpb3tst" ||
    { echo "ScaLAPACK's test programs are not installed for $ASHLAR_MPI_FAMILY"; exit 77; }

# Debian's MPICH crawls with more ranks than cores, so it is tried less. The last grid has all ranks: where some wait in
# MPI_Finalize while others compute, Open MPI 4.1 stalls now and then, with ScaLAPACK alone too.
case $ASHLAR_MPI_FAMILY in
openmpi) ranks=6 types='s d c z' all='1x1 1x2 2x2 4x1 3x2 2x3' large='2x2 3x2 2x3' ;;
*) ranks=4 types='d z' all='2x2 4x1' large='2x2' ;;
esac

# One list of tests serves the four programs, which differ in how numbers are written and which routines they know.
# write_input GRIDS TYPE NAME ALPHA BETA [ALPHA BETA OF COMPLEX TYPES]
write_input()
{
    case $2 in
    s | d) routines='SYMM SYRK SYR2K TRMM TRSM GEADD TRADD' alpha=$4 beta=$5 ;;
    *) routines='SYMM HEMM SYRK HERK SYR2K HER2K TRMM TRSM GEADD TRADD' alpha="($6)" beta="($7)" ;;
    esac
    rows=$(echo "$1" | sed 's/x[0-9]*//g') columns=$(echo "$1" | sed 's/[0-9]*x//g')
    input=P$(echo "$2" | tr sdcz SDCZ)BLAS3TST.dat
    sed "s/@GRIDS@/$grids/; s/@P@/$rows/; s/@Q@/$columns/; s/@ALPHA@/$alpha/; s/@BETA@/$beta/; /@ROUTINES@/d" \
        "$data/$3.dat" > "$input"
    printf '%-8sT\n' "${input%BLAS*}GEMM" >> "$input"
    for routine in $routines; do
        printf '%-8sF\n' "${input%BLAS*}$routine" >> "$input"
    done
}

# level3 TESTS SERVED GRIDS TYPE NAME ...: on each grid so many tests pass, and so many calls are served.
level3()
{
    grids=$(echo "$3" | wc -w)
    tests=$((grids * $1)) least=$((grids * $2)) gemm=P$(echo "$4" | tr sdcz SDCZ)GEMM
    shift 2
    write_input "$@"
    preloaded "$ranks" "$testers/PBLAS/${2}pb3tst"
    ran="$3: $ran"
    prints "\| +$gemm +$tests +$tests +0 +0\$"
    prints 'End of Tests'
    ! grep -E 'FAILED  *(\*|changed)|ERROR' out || fail "$ran: errors"
    served "p$2gemm" "$least"
}

for type in $types; do
    level3 20 18 "$all" $type shapes 2 3 2,-4 3,-2
    prints 'Error-exit tests completed'
    level3 16 16 "$large" $type sources -1 0 0,-1 0,0
    level3 13 13 "$all" $type replicated 0.5 1 1,3 1,0
done

# linear PROGRAM ROUTINE TESTS FILE: one of the programs that test what is built on the PBLAS.
linear()
{
    cp "$data/$4" .
    preloaded 4 "$testers/$1"
    prints "^ +$3 tests completed and passed residual checks"
    prints '^ +0 tests completed and failed residual checks'
    prints '^ +0 tests skipped'
    served "$2" 1
}

linear xdlu pdgemm 18 LU.dat
linear xzinv pzgemm 18 INV.dat
finish_preloaded
