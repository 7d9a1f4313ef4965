#!/bin/sh
# `ashlar check-schedule`: the proof, and the numbers it saw.
. "$ASHLAR_SOURCE/tests/command/support.inc"

expect 0 "$ASHLAR" check-schedule 100 90 80 --ranks 13 --memory-words 3000
prints '^  products +720000  each formed exactly once'
prints 'within the limit$'
expect 0 "$ASHLAR" check-schedule 31 29 37 --ranks 12 --layout block-cyclic:3x5:2x4 --transa C --transb T --json
python3 -IS -c 'import json, sys
d = json.load(open(sys.argv[1]))
assert d["proved"]["products"] == 31 * 29 * 37 and d["chosen"] == "cosma", d' "$work/out" ||
    fail "$ran: $(cat "$work/out")"
expect 0 "$ASHLAR" check-schedule 40 40 40 --ranks 27 --grid 3x3x3
prints '^schedule cosma, grid 3x3x3: 27 ranks used'
expect 0 "$ASHLAR" check-schedule 100 90 80 --ranks 13 --strategy uneven
prints '^schedule uneven, grid -: 13 ranks used'
expect 1 "$ASHLAR" check-schedule 100 90 80 --ranks 13 --memory-words 300
says ': 1956 would do'
expect 2 "$ASHLAR" check-schedule 100 90 80
says '--ranks=P is wanted'
finish
