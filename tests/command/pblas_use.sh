#!/bin/sh
# An unchanged program is served when it is linked with the drop-in, when that is preloaded, and when the program loads
# what calls ScaLAPACK with local scope; the log has a line for each shape, once; what is to go to ScaLAPACK does.
. "$ASHLAR_SOURCE/tests/command/support.inc"

test -n "${ASHLAR_PBLAS_USE:-}" || { echo "skipped: no ScaLAPACK for this MPI"; exit 77; }
linked() {
    run "$ASHLAR_PBLAS_USE/pblas_linked"
}

plain() {
    preloaded "$ASHLAR_PBLAS_USE/pblas_plain"
}

loading() {
    preloaded "$ASHLAR_PBLAS_USE/pblas_loading" "$ASHLAR_PBLAS_USE/libpblas_loaded.so"
}

# run PROGRAM... on 4 processes; what it says on stderr is in $work/log.
run() {
    "$ASHLAR_LAUNCH" 4 env ASHLAR_CHECK=0 "$@" > "$work/out" 2> "$work/log" || fail "$*: $(cat "$work/out" "$work/log")"
}

# The same with the drop-in preloaded, after what the launcher preloads.
preloaded() {
    run "$ASHLAR_SOURCE/tests/support/preload" "$ASHLAR_PBLAS" "$@"
}

# lines COUNT PATTERN: so many lines of the log match.
lines() {
    found=$(grep -c "$2" "$work/log")
    test "$found" -eq "$1" || fail "$found lines match '$2', wanted $1: $(cat "$work/log")"
}

export ASHLAR_LOG=1
both="pdgemm NT 40x40x40, blocks 3x3 3x3 3x3, grid 2x2: "
for how in linked plain loading; do
    $how
    lines 1 "^ashlar: 6 x ${both}cosma [0-9x]*, words [0-9]* busiest [0-9]* total, workspace [0-9]* bytes, [0-9.]* s$"
    lines 1 "^ashlar: 2 x pdgemm NT 10x10x10, .*: cosma "
    lines 2 "^ashlar: "
    ASHLAR_SMALLEST=1001 $how
    lines 1 "^ashlar: 2 x pdgemm NT 10x10x10, .*: to ScaLAPACK: smaller than ASHLAR_SMALLEST, "
    lines 1 "^ashlar: 6 x ${both}cosma "
    ASHLAR_MEMORY=10KiB $how
    lines 1 "^ashlar: 6 x ${both}to ScaLAPACK: .* would do, "
    ASHLAR_LOG=0 $how
    lines 0 "^ashlar: "
done

# On a device, an unchanged program finds the same; and one that is not there ends it with one line.
ASHLAR_DEVICE=emulated ASHLAR_DEVICE_MEMORY=1kB plain
lines 1 "^ashlar: 6 x ${both}.*, devices of 4 processes: words [1-9][0-9]* in [1-9][0-9]* out, [0-9.]* s$"
ASHLAR_DEVICE=auto plain
lines 1 "^ashlar: 6 x ${both}cosma [0-9x]*, words [0-9]* busiest [0-9]* total, workspace [0-9]* bytes, [0-9.]* s$"
ASHLAR_DEVICE=emulated:1 "$ASHLAR_LAUNCH" 4 "$ASHLAR_SOURCE/tests/support/preload" "$ASHLAR_PBLAS" \
    "$ASHLAR_PBLAS_USE/pblas_plain" > "$work/out" 2> "$work/log" && fail "a device that is not there"
lines 1 "^ashlar: ASHLAR_DEVICE=emulated:1: device: there is no device emulated:1, only 1 of this kind"

# Not preloaded, the plain program has nothing to do with Ashlar.
run "$ASHLAR_PBLAS_USE/pblas_plain"
lines 0 "ashlar"

# A value that cannot be read is complained about once, and the product is formed.
ASHLAR_TRANSPORT=pigeon plain
lines 1 "ASHLAR_TRANSPORT=pigeon: wanted two-sided or one-sided"
finish
