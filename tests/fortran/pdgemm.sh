#!/bin/sh
# examples/pdgemm.f90 without Ashlar, linked with it before ScaLAPACK, and started with it preloaded:
# pdgemm.sh SCALAPACK_PROGRAM LINKED_PROGRAM LIBASHLAR_PBLAS. They check their results; Ashlar's log tells who made
# them.
set -eu
plain=$1 linked=$2 library=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ASHLAR_LOG=1

# served WHO NAME COMMAND...: the program succeeds on four ranks, and its product was made by Ashlar, or was not.
served()
{
    who=$1 name=$2
    shift 2
    echo "$name"
    "$ASHLAR_LAUNCH" 4 "$@" > "$work/output" 2>&1 || { cat "$work/output"; exit 1; }
    cat "$work/output"
    grep -qx '0 elements of C are wrong' "$work/output"
    if grep -q 'ashlar.*pdgemm' "$work/output"; then by=ashlar; else by=scalapack; fi
    [ $by = "$who" ] || { echo "the product was made by $by"; exit 1; }
}

served scalapack "without Ashlar" "$plain"
served ashlar "linked before ScaLAPACK" "$linked"
# In each rank, beside what the launcher preloads there.
served ashlar "preloaded" "$(dirname "$0")/../support/preload" "$library" "$plain"
