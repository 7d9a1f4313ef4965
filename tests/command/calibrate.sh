#!/bin/sh
# ashlar calibrate: figures above zero in a file that plan and multiply read, on one rank and several; mistakes.
set -u
. "$ASHLAR_SOURCE/tests/command/support.inc"
cd "$work" || exit 2

# refuse STATUS ARGUMENT...: that exit status, one line on stderr, the file that was there as it was.
refuse()
{
    wanted=$1
    shift
    "$ASHLAR" calibrate "$@" > out 2> err
    status=$?
    [ $status -eq "$wanted" ] || fail "calibrate $*: status $status, wanted $wanted"
    [ "$(wc -l < err)" -eq 1 ] || fail "calibrate $*: $(wc -l < err) lines on stderr: $(cat err)"
    cmp -s kept.json machine.json || fail "calibrate $*: the file has changed"
}

for ranks in 1 3; do
    launch $ranks "$ASHLAR" calibrate -o machine.json --seconds 0.05 > out 2> err || fail "$ranks: $(cat err)"
    python3 - << 'END' || fail "$ranks ranks: $(cat machine.json)"
import json
found = json.load(open("machine.json"))
assert found["schema"] == 1
for key in "flops_per_second", "latency", "bandwidth", "copy_bandwidth", "disk_bandwidth", \
        "disk_read_bandwidth", "disk_write_bandwidth", "task_seconds":
    assert found[key] > 0, key
assert 0 <= found.get("message_work", 0) <= 1 and found.get("product_bandwidth", 0) >= 0
assert found["task_seconds"] < 1e-3
assert sorted(found["forms"]) == ["NN", "NT", "TN", "TT"] and min(found["forms"].values()) > 1e6
assert found["latency"] < 1 and found["flops_per_second"] > 1e6
END
    grep -q '^  disk' out || fail "$ranks ranks: no table"
    grep -q '^  form TT, long k .*Flop/s' out || fail "$ranks ranks: no forms in the table"
    case $ranks in 1) grep -q 'one rank has no network' out || fail "one rank does not say so" ;; esac
done
"$ASHLAR" generate 30 40 -o A.npy && "$ASHLAR" generate 40 20 -o B.npy
launch 2 "$ASHLAR" multiply A.npy B.npy -o C.npy --machine machine.json > out 2> err || fail "$(cat err)"
grep -q '^machine   machine.json' out || fail "multiply does not use the file"

cp machine.json kept.json
refuse 2
refuse 2 -o machine.json --seconds 0
refuse 2 -o machine.json --seconds soon
refuse 2 -o machine.json more
refuse 2 -o machine.json --dsik .
refuse 3 -o nowhere/machine.json
refuse 3 -o machine.json --disk nowhere --seconds 0.1
ls -A | grep -q '^\.' && fail "left over: $(ls -A | grep '^\.')"
finish
