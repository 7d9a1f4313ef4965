#!/bin/sh
# ashlar calibrate: figures above zero in a file that plan and multiply read, on one rank and several; mistakes.
set -u
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
failed=0

# A leak checker takes a second a rank to look through what MPI leaves: it looks where there is no launcher.
launch() { ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" "$ASHLAR_LAUNCH" "$@"; }

say() { echo "failed: $*" >&2; failed=1; }

# refuse STATUS ARGUMENT...: that exit status, one line on stderr, the file that was there as it was.
refuse()
{
    wanted=$1
    shift
    "$ASHLAR" calibrate "$@" > out 2> err
    status=$?
    [ $status -eq "$wanted" ] || say "calibrate $*: status $status, wanted $wanted"
    [ "$(wc -l < err)" -eq 1 ] || say "calibrate $*: $(wc -l < err) lines on stderr: $(cat err)"
    cmp -s kept.json machine.json || say "calibrate $*: the file has changed"
}

for ranks in 1 3 4; do
    launch $ranks "$ASHLAR" calibrate -o machine.json --seconds 0.2 > out 2> err || say "$ranks: $(cat err)"
    python3 - << 'END' || say "$ranks ranks: $(cat machine.json)"
import json
found = json.load(open("machine.json"))
assert found["schema"] == 1
for key in "flops_per_second", "latency", "bandwidth", "copy_bandwidth", "disk_bandwidth":
    assert found[key] > 0, key
assert found["latency"] < 1 and found["flops_per_second"] > 1e6
END
    grep -q '^  disk' out || say "$ranks ranks: no table"
    case $ranks in 1) grep -q 'one rank has no network' out || say "one rank does not say so" ;; esac
done
"$ASHLAR" generate 30 40 -o A.npy && "$ASHLAR" generate 40 20 -o B.npy
launch 2 "$ASHLAR" multiply A.npy B.npy -o C.npy --machine machine.json > out 2> err || say "$(cat err)"
grep -q '^machine   machine.json' out || say "multiply does not use the file"

cp machine.json kept.json
refuse 2
refuse 2 -o machine.json --seconds 0
refuse 2 -o machine.json --seconds soon
refuse 2 -o machine.json more
refuse 2 -o machine.json --dsik .
refuse 3 -o nowhere/machine.json
refuse 3 -o machine.json --disk nowhere --seconds 0.1
ls -A | grep -q '^\.' && say "left over: $(ls -A | grep '^\.')"
exit $failed
