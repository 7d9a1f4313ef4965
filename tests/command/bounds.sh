#!/bin/sh
# `ashlar bounds`: figures worked out by hand, each with its source.
. "$ASHLAR_SOURCE/tests/command/support.inc"

# 2 * 1000^3 / sqrt(10000) + 1000^2; 3 * (10^9/64)^(2/3) - 3 * 10^6 / 64; a = 1000/4.
expect 0 "$ASHLAR" bounds 1000 1000 1000 --ranks 64 --memory-words 10000 --json
python3 -IS -c 'import json, sys
d = json.load(open(sys.argv[1]))
near = lambda x, y: abs(x - y) <= 1e-9 * y
assert near(d["sequential"]["theorem_1"], 2.1e7), d
assert near(d["memory_independent"]["words"], 140625), d
assert d["bound"]["words"] >= d["memory_independent"]["words"], d
assert near(d["theorem_2"]["words"], 2 * 1e9 / 64 / 100 + 1e4), d
a, b = d["sequential"]["tile"]
assert a * b + a + 1 <= 10000 and d["sequential"]["words"] >= 2.1e7, d
assert [r["name"] for r in d["table_3"]["rows"]] == ["2D", "2.5D", "recursive", "COSMA"], d' "$work/out" ||
    fail "$ran: $(cat "$work/out")"
expect 0 "$ASHLAR" bounds 1000 1000 1000 --ranks 64
prints 'memory-independent, p > d1 d2/d3\^2'
prints 'source: Al Daas, Ballard, Grigori, Kumar and Rouse, SPAA 2022'
prints 'source: Kwasniewski et al\., SC 2019 \(COSMA\)'
expect 0 "$ASHLAR" bounds 1000 1000 1000 --ranks 64 --memory 80kB
prints '^  Theorem 1 +21\.0 M words'
expect 0 "$ASHLAR" bounds 0 0 0 --ranks 1 --json
python3 -m json.tool < "$work/out" > "$work/none" || fail "$ran: no JSON"
expect 2 "$ASHLAR" bounds 10 10 10 --ranks 2 --layout own
says "unknown option '--layout'"
expect 2 "$ASHLAR" bounds 10 10 ten --ranks 2
says "K is 'ten'"
finish
