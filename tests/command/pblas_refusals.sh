#!/bin/sh
# What the drop-in refuses, it refuses with the true reason: a wrong limit in the environment, a call that neither it nor
# ScaLAPACK can serve, a wrong descriptor.
. "$ASHLAR_SOURCE/tests/command/support.inc"

test -n "${ASHLAR_PBLAS_USE:-}" || { echo "skipped: no ScaLAPACK for this MPI"; exit 77; }

# refused PROGRAM... on 4 processes: it fails; what it says on stderr is in $work/log. On a busy machine MPICH's launcher
# may end before it has passed on what a process said last: then it is asked again, twice at most.
refused() {
    for time in 1 2 3; do
        "$ASHLAR_LAUNCH" 4 env ASHLAR_CHECK=0 "$@" > "$work/out" 2> "$work/log" && fail "$* is done"
        ! grep -q '^ashlar: ' "$work/log" || return
    done
}

# Each process that was in time, at least one, says just this of Ashlar.
says_only() {
    grep '^ashlar: ' "$work/log" | sort -u > "$work/said"
    grep -Eqx "$1" "$work/said" && test "$(wc -l < "$work/said")" -eq 1 ||
        fail "wanted '$1': $(cat "$work/out" "$work/log")"
}

# A wrong limit ends the program in the first call; process (0, 0) alone says why.
for limit in ASHLAR_MEMORY=1GX ASHLAR_CACHE=1.5; do
    refused env $limit "$ASHLAR_PBLAS_USE/pblas_linked"
    case $limit in
    ASHLAR_MEMORY*) wanted='bytes, with a unit such as kB, MB, GB \(powers of 1000\) or KiB, MiB, GiB \(of 1024\)' ;;
    *) wanted='1 to 65536' ;;
    esac
    says_only "ashlar: $limit: wanted $wanted"
    test "$(grep -c '^ashlar: ' "$work/log")" -eq 1 || fail "said more than once: $(cat "$work/log")"
done
"$ASHLAR_LAUNCH" 4 env ASHLAR_MEMORY=12MB "$ASHLAR_PBLAS_USE/pblas_linked" > "$work/out" 2> "$work/log" ||
    fail "12MB: $(cat "$work/log")"

# Matrices in different contexts: a size limit does not send them to ScaLAPACK, and a memory limit says what it is.
ASHLAR_LOG=1 ASHLAR_SMALLEST=1e12 "$ASHLAR_LAUNCH" 4 "$ASHLAR_PBLAS_USE/pblas_apart" > "$work/out" 2> "$work/log" ||
    fail "different contexts, all small: $(cat "$work/out" "$work/log")"
grep -q '^ashlar: 1 x pdgemm NN 40x40x40, .*, words ' "$work/log" || fail "not served: $(cat "$work/log")"
refused env ASHLAR_MEMORY=1000 "$ASHLAR_PBLAS_USE/pblas_apart"
says_only "ashlar: PDGEMM: ASHLAR_MEMORY is 1000 bytes, (too little for this call: [0-9]+ would do|less than .*);\
 ScaLAPACK does not multiply matrices in different contexts"

# report LIBRARY WRONG...: what the program prints of a wrong call, with the library preloaded.
report() {
    "$ASHLAR_LAUNCH" 1 "$ASHLAR_SOURCE/tests/support/preload" "$1" "$ASHLAR_PBLAS_USE/pblas_wrong" $2 $3 $4 \
        > "$work/out" 2> "$work/err" && fail "$2 $3 $4 is done"
    grep -A 1 '^PBLAS ERROR' "$work/err"
}

# A wrong descriptor is explained, then reported, in ScaLAPACK's words.
for wrong in 'gemm 5 0' 'gemm 0 7' 'tran 8 2'; do
    report '' $wrong > "$work/theirs"
    report "$ASHLAR_PBLAS" $wrong > "$work/ours"
    grep -q 'DESCA\|descriptor type' "$work/theirs" || fail "ScaLAPACK does not explain $wrong: $(cat "$work/theirs")"
    cmp -s "$work/theirs" "$work/ours" || fail "$wrong: $(cat "$work/ours"), ScaLAPACK: $(cat "$work/theirs")"
done
finish
