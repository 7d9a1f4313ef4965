#!/bin/sh
# ashlar multiply and plan of matrices of tiles on emulated devices: the same product, words as predicted and planned,
# limits and failures.
set -u
. "$ASHLAR_SOURCE/tests/command/support.inc"
cd "$work" || exit 2
"$ASHLAR" generate 60 50 -o t.h5:/a --tiling even:7 --density 0.6 --kind integers -q --seed 1 || fail generate
"$ASHLAR" generate 50 70 -o t.h5:/b --tiling even:7 --density 0.6 --kind integers -q --seed 2 || fail generate
"$ASHLAR" generate 60 70 -o t.h5:/c0 --tiling even:7 --density 0.3 --kind integers -q --seed 3 || fail generate
"$ASHLAR" multiply t.h5:/a t.h5:/b --add t.h5:/c0 -o alone.h5:/c --quiet > out 2> err || fail "alone: $(cat err)"
"$ASHLAR" untile alone.h5:/c -o alone.npy > out 2> err || fail "alone: $(cat err)"

# on RANKS ARGUMENT...: multiply; the product is that of the host, of integers.
on()
{
    ranks=$1
    shift
    launch "$ranks" "$ASHLAR" multiply t.h5:/a t.h5:/b --add t.h5:/c0 -o c.h5:/c --quiet --check --stats s.json "$@" \
        > out 2> err || fail "$ranks ranks: $*: $(cat err)"
    "$ASHLAR" untile c.h5:/c -o c.npy > /dev/null 2> err || fail "$ranks ranks: $*: $(cat err)"
    cmp -s c.npy alone.npy || fail "$ranks ranks: $*: not what the host makes of integers"
}

# stats CONDITION: of d, what the last run said of the device.
stats()
{
    python3 -c 'import json, sys; d = json.load(open("s.json"))["device"]; p = d["predicted"]; m = d["measured"]
same = all(p[k] == m[k] for k in p if k in m)
assert eval(sys.argv[1]), d' "$1" 2> err || fail "$1: $(tail -1 err)"
}

for ranks in 1 3; do
    on $ranks --device emulated:in=1e9,out=1e9,flops=1e10
    stats 'same and d["words_out"] > 0 and d["words_in"] > d["words_out"] and d["ranks"] == '$ranks
    stats 'm["host_products"] == 0 and not d["failure"] and p["seconds"] > 0 and p["host_seconds"] > 0'
    on $ranks --device emulated --device-memory 1960
    stats 'same and 0 < m["memory_words"] <= 245 and d["words_in"] > 0'
done
grep -q '^products  on the devices of 3 of 3 ranks: predicted are .* on devices and .* on the host alone$' out ||
    fail "which way: $(cat out)"
test "$(grep -c '^  words in, busiest rank \|^  words out, total ' out)" -eq 2 || fail "no words: $(cat out)"

# A tile of C and twice one of A and of B are 245 words.
expect 1 "$ASHLAR" multiply t.h5:/a t.h5:/b -o no.h5:/c --device emulated --device-memory 1959 --memory 1MiB
says 'device: 1952 bytes of its memory are too few for a tile of C and twice one of A and of B: 1960 would do$'
test ! -e no.h5 || fail "a refused product was written"

for failure in fail-copy=2 fail-product=2 lost=25; do
    on 3 --device "emulated:memory=1MiB,$failure"
    grep -q '^note      a device failed, and the host did [1-9][0-9]* multiply-adds: device: emulated: ' out ||
        fail "a device that fails: $(cat out)"
done

# planned RANKS A B ARGUMENT...: what plan says without MPI is what a run predicts and counts, with a device for each
# rank.
export ASHLAR_EMULATED_DEVICES=4
planned()
{
    ranks=$1 a=$2 b=$3
    shift 3
    "$ASHLAR" plan "$a" "$b" --ranks "$ranks" --json "$@" > plan.json 2> err || fail "plan $*: $(cat err)"
    launch "$ranks" "$ASHLAR" multiply "$a" "$b" -o c.h5:/c --quiet --stats s.json "$@" > out 2> err ||
        fail "$ranks ranks: $*: $(cat err)"
    python3 - << 'END' 2> err || fail "plan of $a $b, $ranks ranks, $*: $(tail -1 err)"
import json
plan, run = json.load(open("plan.json"))["device"], json.load(open("s.json"))["device"]
p, m = run["predicted"], run["measured"]
for key in "words_in_max", "words_in_total", "words_out_max", "words_out_total", "memory_words":
    assert plan[key] == p[key] == m[key], (key, plan[key], p[key], m[key])
assert plan["used"] and plan["words_in_total"] > 0
for key in "seconds", "host_seconds":
    assert abs(plan[key] - p[key]) <= 1e-9 * p[key], (key, plan[key], p[key])
END
}
"$ASHLAR" generate 70 60 -o t.h5:/bt --tiling random:9:20 --density 0.4 -q --seed 4 || fail generate
rates=emulated:in=1e9,out=2e9,flops=1e10,delay=1e-6
planned 1 t.h5:/a t.h5:/b --device $rates
planned 1 t.h5:/a t.h5:/b --device $rates --device-memory 1960
for grid in 1x3 3x1 2x2; do
    planned 4 t.h5:/a t.h5:/b --grid $grid --device $rates --device-memory 2kB
    planned 4 t.h5:/a t.h5:/b --grid $grid --device $rates --device-memory 7kB
done
planned 3 t.h5:/b t.h5:/a --transa T --transb T --device $rates --device-memory 3kB
planned 2 t.h5:/bt t.h5:/bt --transb T --device $rates --device-memory 25kB

unset ASHLAR_EMULATED_DEVICES

# What is described is planned as the files of it.
expect 0 "$ASHLAR" plan t.h5:/a t.h5:/b --ranks 3 --device $rates --device-memory 2kB
grep -A 5 '^device  ' out > files
grep -q '^device   emulated:.*, by the device itself: products on the device$' files || fail "no device: $(cat out)"
grep -q '^words    in [1-9][0-9]* on the busiest rank, [1-9][0-9]* in all; out ' files || fail "no words: $(cat out)"
expect 0 "$ASHLAR" plan 60 70 50 --ranks 3 --tiling even:7 --density 0.6 --seed 1 --device $rates --device-memory 2kB
grep -A 5 '^device  ' out > described
cmp -s files described || fail "described: $(diff files described)"
expect 1 "$ASHLAR" plan t.h5:/a t.h5:/b --ranks 2 --device emulated --device-memory 1959
says 'device: 1952 bytes of its memory are too few for a tile of C and twice one of A and of B: 1960 would do$'
expect 2 "$ASHLAR" plan t.h5:/a t.h5:/b --ranks 2 --device-memory 2kB
says 'device-memory wants --device$'

# The host is as fast as a device whose rates are not known.
on 1 --device none
stats 'd["ranks"] == 0 and d["rank_0"] is None and d["words_in"] == 0'
ASHLAR_DEVICE=emulated on 1 --device auto
stats 'd["ranks"] == 0 and d["words_in"] == 0 and p["words_in_total"] > 0 and p["seconds"] >= p["host_seconds"]'

# Tiles of low rank are the host's.
"$ASHLAR" multiply t.h5:/a t.h5:/b -o low.h5:/l --tolerance 0.5 -q > out 2> err || fail "low rank: $(cat err)"
launch 2 "$ASHLAR" multiply low.h5:/l t.h5:/b -o d.h5:/d --device emulated --quiet --stats s.json --transb T \
    > out 2> err || fail "low rank: $(cat err)"
stats 'd["ranks"] == 0 and d["words_in"] == 0 and d["rank_0"] == "emulated:0"'
expect 0 "$ASHLAR" plan low.h5:/l t.h5:/b --transb T --ranks 2 --device emulated
prints "products with tiles of low rank are the host's\$"
finish
