#!/bin/sh
# --torus: the links' loads that are known, drawings, machine files, and tori that do not fit.
. "$ASHLAR_SOURCE/tests/command/support.inc"

# value PYTHON-EXPRESSION WANTED: of the JSON document d on standard output.
value() {
    got=$(python3 -IS -c 'import json, sys
d = json.load(open(sys.argv[1]))
t = d["torus"]
print(eval(sys.argv[2]))' "$work/out" "$1" 2>&1)
    test "$got" = "$2" || fail "$ran: $1 is $got, wanted $2"
}

# On an 8 x 8 torus each rank of an 8 x 8 grid sends its share of A, 64 x 8 words, to the 7 others of its row, and as much
# of B along its column: 16 links' length there altogether, over 2 links of each rank in each dimension.
expect 0 "$ASHLAR" simulate 512 512 512 --ranks 64 --grid 8x8x1 --torus 8x8 --json
value 't["dims"], t["links"], t["links_used"], t["hops_max"]' '([8, 8], 256, 256, 4)'
value 't["link_words_max"], t["link_words_mean"], t["link_words_total"]' '(32768, 32768.0, 8388608)'
value 'sorted(t)' "['chain_hops_max', 'dims', 'hops_max', 'link_words_max', 'link_words_mean', 'link_words_total', 'links', \
'links_used', 'seconds']"
value 't["seconds"] > 0, t == d["strategies"][0]["torus"]' '(True, True)'

# plan says the same, and without a torus nothing.
expect 0 "$ASHLAR" plan 512 512 512 --ranks 64 --grid 8x8x1 --torus 8x8 --json
value 't["link_words_max"]' 32768
expect 0 "$ASHLAR" plan 512 512 512 --ranks 64 --json
value 't, d["strategies"][0]["torus"], d["counted"]' "(None, None, 'closed form')"
expect 0 "$ASHLAR" plan 0 5 5 --ranks 4 --torus 2x2 --json
value 't' None
expect 0 "$ASHLAR" simulate 512 512 512 --ranks 64 --grid 8x8x1 --torus 8x8 -q
prints '^torus    8x8: 256 of 256 links used, the longest route has 4$'
prints '^links    busiest 32768 words, mean 32768\.0, all 8388608$'
prints '^seconds  [0-9.]+ .?s predicted from the links: on this torus that counts$'
prints '^         [0-9.]+ .?s in the table, .* by which strategies are compared$'

# From a machine's file; what the line says comes first.
cat > "$work/torus.json" <<'END'
{"schema": 1, "flops_per_second": 1e9, "latency": 1e-6, "bandwidth": 1e9, "copy_bandwidth": 5e9, "disk_bandwidth": 5e8,
 "torus": [4, 2]}
END
expect 0 "$ASHLAR" simulate 60 60 60 --ranks 8 --machine "$work/torus.json" --json
value 't["dims"]' '[4, 2]'
expect 0 "$ASHLAR" simulate 60 60 60 --ranks 8 --machine "$work/torus.json" --torus 8 --json
value 't["dims"], t["links"]' '([8], 16)'
expect 2 "$ASHLAR" plan 60 60 60 --ranks 9 --machine "$work/torus.json"
says '4x2 has 8 nodes, but there are 9 ranks'
for torus in '[]' '[4, 0]' '[4, 2.5]' '"4x2"' '[1,1,1,1,1,1,1,1,1,1,1,1,8]'; do
    sed "s/\[4, 2\]/$torus/" "$work/torus.json" > "$work/wrong.json"
    expect 3 "$ASHLAR" plan 60 60 60 --ranks 8 --machine "$work/wrong.json"
    says '"torus"'
done

# Mistakes.
expect 2 "$ASHLAR" simulate 60 60 60 --ranks 9 --torus 4x2
says 'torus 4x2 has 8 nodes, but there are 9 ranks'
for torus in 4x 4xx2 0x8 x 4x2x- 1x1x1x1x1x1x1x1x1x1x1x1x8; do
    expect 2 "$ASHLAR" simulate 60 60 60 --ranks 8 --torus $torus
    says "\-\-torus is '$torus', wanted 1 to 12 lengths of at least 1"
done

# Rectangular multicasts on the grid's own rows and columns, of 1728 x 1728 matrices: with l^(d/2) ranks in a row, each
# link carries n^2 / (d l^(d/2)) words less the owners' own part of it, which is what the paper has SUMMA send. For 3^6 a
# piece of 4096 words has 6 shares, which differ by one.
rectangular() {
    expect 0 "$ASHLAR" simulate 1728 1728 1728 --ranks "$1" --grid "$2" --torus "$3" --route rectangular --json
    value 't["link_words_max"], t["links_used"] == t["links"], t["hops_max"]' "($4, True, 1)"
}
rectangular 64 8x8x1 8x8 163296
rectangular 256 16x16x1 4x4x4x4 43740
rectangular 729 27x27x1 3x3x3x3x3x3 17756
expect 0 "$ASHLAR" check-schedule 120 120 120 --ranks 64 --grid 8x8x1 --torus 8x8 --route rectangular
expect 0 "$ASHLAR" simulate 120 120 120 --ranks 64 --grid 8x8x1 --torus 4x4x4 --route tree --json
mv "$work/out" "$work/tree"
expect 0 "$ASHLAR" simulate 120 120 120 --ranks 64 --grid 8x8x1 --torus 4x4x4 --route rectangular --json
cmp -s "$work/tree" "$work/out" || fail "where rows are no sub-tori a rectangular route is not that of a tree"

# Tori that are no squares, or of an odd number of dimensions, are folded.
for torus in 4x8:32 2x3x4:24 3x5:15 2x2x2:8 3x3x3:27; do
    for strategy in cannon sd_cannon; do
        expect 0 "$ASHLAR" check-schedule 96 101 130 --ranks "${torus#*:}" --torus "${torus%:*}" --strategy "$strategy"
    done
done

# Every strategy's links: Cannon's blocks of 64 x 64 are shifted 7 times, over one link each way; SD-Cannon's halves over
# both, so that its busiest link carries half.
expect 0 "$ASHLAR" simulate 512 512 512 --ranks 64 --torus 8x8 --strategy all -q
prints '^  cannon  *28672  *14336\.0  *128  *7 '
prints '^  sd_cannon  *14336  *14336\.0  *256  *7 '

# A run moves what was counted.
(cd "$work" && for x in A B; do "$ASHLAR" generate 61 61 -o $x.npy || exit 1; done) > /dev/null ||
    fail "no matrices"
expect 0 "$ASHLAR_LAUNCH" 8 "$ASHLAR" multiply "$work/A.npy" "$work/B.npy" -o "$work/C.npy" --grid 4x2x1 --check \
    --machine "$work/torus.json" --route rectangular --json
python3 -IS -c 'import json, sys
d = json.load(open(sys.argv[1]))
s = d["strategies"][0]
for key in "words_max", "words_total", "messages_max":
    assert s[key] == d["measured"][key], (key, d)
assert d["measured"]["messages_max"] > 4, d' "$work/out" 2> "$work/differ" || fail "$(tail -n 1 "$work/differ")"

# Drawings: a line a link and two at each edge, of two and of three dimensions.
drawn() {
    expect 0 "$ASHLAR" simulate 60 70 80 --ranks "$2" --torus "$1" --svg "$work/links.svg" -q
    python3 -IS -c 'import sys, xml.dom.minidom
lines = xml.dom.minidom.parse(sys.argv[1]).getElementsByTagName("line")
assert len(lines) == int(sys.argv[2]), len(lines)' "$work/links.svg" "$3" || fail "$ran: not the lines wanted"
    ! grep -Eiq 'nan|inf' "$work/links.svg" || fail "$ran: a coordinate is no number"
}
drawn 8x8 64 517
drawn 3x1 3 17
drawn 3x4x5 60 605
expect 2 "$ASHLAR" simulate 60 60 60 --ranks 16 --torus 2x2x2x2 --svg "$work/no.svg"
says 'draws a torus of 2 or 3 dimensions, this one has 4'
expect 2 "$ASHLAR" simulate 60 60 60 --ranks 16 --svg "$work/no.svg"
says 'draws the links of a torus: --torus is wanted'
test ! -e "$work/no.svg" || fail "a drawing in spite of the mistake"
finish
