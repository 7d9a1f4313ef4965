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

# One list of tests serves the four programs, which differ in how numbers are written and which routines they know.
# write_input TYPE NAME ALPHA BETA [ALPHA BETA OF COMPLEX TYPES]
write_input()
{
    case $1 in
    s | d) routines='SYMM SYRK SYR2K TRMM TRSM GEADD TRADD' alpha=$3 beta=$4 ;;
    *) routines='SYMM HEMM SYRK HERK SYR2K HER2K TRMM TRSM GEADD TRADD' alpha="($5)" beta="($6)" ;;
    esac
    input=P$(echo "$1" | tr sdcz SDCZ)BLAS3TST.dat
    sed "s/@ALPHA@/$alpha/; s/@BETA@/$beta/; /@ROUTINES@/d" "$data/$2.dat" > "$input"
    printf '%-8sT\n' "${input%BLAS*}GEMM" >> "$input"
    for routine in $routines; do
        printf '%-8sF\n' "${input%BLAS*}$routine" >> "$input"
    done
}

# level3 TESTS SERVED TYPE NAME ...: so many tests are to be passed, and so many calls to do something.
level3()
{
    tests=$1 least=$2 gemm=P$(echo "$3" | tr sdcz SDCZ)GEMM
    shift 2
    write_input "$@"
    preloaded 6 "$testers/PBLAS/${1}pb3tst"
    ran="$2: $ran"
    prints "\| +$gemm +$tests +$tests +0 +0\$"
    prints 'End of Tests'
    ! grep -E 'FAILED  *(\*|changed)|ERROR' out || fail "$ran: errors"
    served "p$1gemm" "$least"
}

for type in s d c z; do
    level3 160 144 $type shapes 2 3 2,-4 3,-2
    prints 'Error-exit tests completed'
    level3 48 48 $type sources -1 0 0,-1 0,0
    level3 104 104 $type replicated 0.5 1 1,3 1,0
done

# linear PROGRAM ROUTINE TESTS FILE: one of the programs that test what is built on the PBLAS.
linear()
{
    cp "$data/$4" .
    preloaded 6 "$testers/$1"
    prints "^ +$3 tests completed and passed residual checks"
    prints '^ +0 tests completed and failed residual checks'
    prints '^ +0 tests skipped'
    served "$2" 1
}

linear xdlu pdgemm 24 LU.dat
linear xzinv pzgemm 24 INV.dat
finish_preloaded
