#!/bin/sh
# The lanes of devices in traces of products of tiles and of contractions: their words and multiply-adds are those that
# the devices counted, and nothing overlaps within a lane.
. "$ASHLAR_SOURCE/tests/command/support.inc"
cd "$work" || exit 2

cat > lanes.py << 'END'
import collections, json, sys

stats = json.load(open("s.json"))
events = [e for e in json.load(open("t.json"))["traceEvents"] if e["ph"] == "X"]
lane, end, name = collections.Counter(), {}, collections.Counter()
for e in sorted(events, key=lambda e: e["ts"]):
    name[e["name"]] += e["args"]["words"]
    if not e["cat"].startswith("device"):
        continue
    lane[e["cat"]] += e["args"]["words"]
    assert e["ts"] >= end.get((e["pid"], e["cat"]), e["ts"]) - 1e-3, e # microseconds
    end[e["pid"], e["cat"]] = e["ts"] + e["dur"]
    assert e["name"] == {"device in": "copy in", "device out": "copy out", "device": "multiply"}[e["cat"]], e
took = stats["device"]["measured"]
assert took["host_products"] == 0
assert lane["device in"] == took["words_in_total"] > 0, (lane, took)
assert lane["device out"] == took["words_out_total"] > 0, (lane, took)
assert lane["device"] == int(sys.argv[1]) if len(sys.argv) > 1 else lane["device"] > 0, lane
assert lane["device"] == name["multiply"] and name["wait for device"] > 0, (lane, name)
END

lanes() { python3 -IS lanes.py "$@" 2> err || fail "lanes: $*: $(tail -1 err)"; }

"$ASHLAR" generate 60 50 -o t.h5:/a --tiling even:7 --density 0.6 -q --seed 1 || fail generate
"$ASHLAR" generate 50 70 -o t.h5:/b --tiling even:7 --density 0.6 -q --seed 2 || fail generate

# tiles RANKS ARGUMENT...
tiles()
{
    ranks=$1
    shift
    launch "$ranks" "$ASHLAR" multiply t.h5:/a t.h5:/b -o c.h5:/c --quiet --stats s.json --trace t.json "$@" \
        > out 2> err || fail "$ranks ranks: $*: $(cat err)"
    lanes "$(python3 -c 'import json; print(round(json.load(open("s.json"))["measured"]["flops"] / 2))')"
}
tiles 1 --device emulated
tiles 1 --device emulated --device-memory 1960
tiles 3 --device emulated:in=1e8,out=1e8,flops=1e9 --device-memory 4kB
expect 0 "$ASHLAR" trace t.json
prints '^ +rank +cores +waiting +network +disk +device in +device +device out +hidden$'

# contraction RANKS MULTIPLY-ADDS EXPRESSION A B ARGUMENT...
contraction()
{
    ranks=$1 products=$2
    shift 2
    launch "$ranks" "$ASHLAR" contract "$@" -o C.npy --quiet --stats s.json --trace t.json > out 2> err ||
        fail "$ranks ranks: $*: $(cat err)"
    lanes "$products"
}
generate() { "$ASHLAR" generate --kind integers -q "$@" || fail "generate $*"; }
generate --shape 30x24 -o A.npy --seed 3
generate --shape 24x20 -o B.npy --seed 4
generate --shape 20x29 -o R.npy --seed 7
contraction 1 14400 "ik,kj->ij" A.npy B.npy --device emulated --device-memory 2kB
contraction 2 14400 "ik,kj->ji" A.npy B.npy --device emulated --device-memory 2kB

# A batch whose matrices the device permutes, all of each in its memory and in boxes; three operands.
generate --shape 8x6x9 -o P.npy --seed 5
generate --shape 9x6x7 -o Q.npy --seed 6
contraction 1 3024 "izk,kzj->zji" P.npy Q.npy --device emulated
contraction 1 3024 "izk,kzj->jzi" P.npy Q.npy --device emulated --device-memory 800
contraction 2 3024 "izk,kzj->jzi" P.npy Q.npy --device emulated --device-memory 800 --memory 40kB
contraction 1 31800 "ik,kj,jl->il" A.npy B.npy R.npy --device emulated --device-memory 2kB
finish
