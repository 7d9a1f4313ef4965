#!/bin/sh
# ashlar multiply of matrices of tiles on emulated devices: the same product, words as predicted, limits and failures.
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
finish
