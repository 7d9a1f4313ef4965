#!/bin/sh
# `ashlar simulate`: walking every rank finds what plan's closed forms say.
. "$ASHLAR_SOURCE/tests/command/support.inc"

# Words to the word; messages and memory at most what was said.
same() {
    expect 0 "$ASHLAR" plan "$@" --json
    mv "$work/out" "$work/plan"
    expect 0 "$ASHLAR" simulate "$@" --json
    test ! -s "$work/err" || fail "$ran: something on standard error, which is no terminal"
    python3 -IS -c 'import json, sys
plan, walked = (json.load(open(path))["strategies"][0] for path in sys.argv[1:])
for key in "name", "grid", "ranks_used", "rounds", "window", "words_max", "words_mean", "words_total", "disk_words":
    assert plan[key] == walked[key], (key, plan, walked)
for key in "messages_max", "memory_words":
    assert plan[key] >= walked[key], (key, plan, walked)' "$work/plan" "$work/out" 2> "$work/differ" ||
        fail "plan and simulate differ: $*: $(tail -n 1 "$work/differ")"
}

same 4096 4096 4096 --ranks 9217
same 100 90 80 --ranks 13 --memory-words 3000
same 544 544 3648 --ranks 4 --type z --transa T
same 17 1 1000 --ranks 12 --objective words
same 64 64 64 --ranks 65 --window 1 --memory-words 600
same 3 3 3 --ranks 100
same 1000 1000 1000 --ranks 64 --grid 4x4x4
for strategy in summa 2.5d carma uneven cannon sd_cannon tpmm; do
    same 300 200 1000 --ranks 16 --strategy $strategy
    same 300 200 1000 --ranks 16 --strategy $strategy --memory-words 65000
done
for ranks in 3 13 50; do
    same 300 200 1000 --ranks $ranks --strategy carma
done

# 576 ranks share each face of C and each contributes to the 575 others in every round of sums: 54 million messages. A
# face of A or of B is shared by two. What arrives in all is what the members beyond the first of each face lack of it.
expect 0 "$ASHLAR" simulate 17408 17408 3735552 --ranks 2304 --grid 2x2x576 --json
python3 -IS -c 'import json, sys
m, n, k, pm, pn, pk = 17408, 17408, 3735552, 2, 2, 576
one = json.load(open(sys.argv[1]))["strategies"][0]
assert one["words_total"] == (pn - 1) * m * k + (pm - 1) * k * n + (pk - 1) * m * n, one
assert round(one["words_mean"] * pm * pn * pk) == one["words_total"], one
sums = one["messages_max"] - 2 * one["rounds"]
assert sums % (pk - 1) == 0 and sums // (pk - 1) > 10, one' "$work/out" 2> "$work/differ" ||
    fail "$ran: $(tail -n 1 "$work/differ")"

expect 0 "$ASHLAR" simulate 100 90 80 --ranks 13 --quiet
prints '^words    busiest rank [0-9]+, mean '
prints '^memory   fullest rank [0-9]+ words$'
expect 0 "$ASHLAR" simulate 100 90 80 --ranks 13 --layout block-cyclic:8x8:3x4 -q
prints '^from the layouts given'

# An empty product is answered as plan answers it, and nothing is played.
for sizes in '0 90 80' '0 0 0' '20 90 0'; do
    same $sizes --ranks 13
    expect 0 "$ASHLAR" simulate $sizes --ranks 13
    prints '^bound +0 words a rank: empty product$'
done
expect 0 "$ASHLAR" simulate 0 90 80 --ranks 4 --trace "$work/nothing.json"
expect 0 "$ASHLAR" trace "$work/nothing.json"
expect 0 "$ASHLAR" simulate 0 90 80 --ranks 4 --torus 2x2 --svg "$work/nothing.svg"
expect 2 "$ASHLAR" simulate -1 90 80 --ranks 13
says "M is '-1', wanted a whole number of at least 0"
expect 1 "$ASHLAR" simulate 100 90 80 --ranks 13 --memory-words 300
says ': 1956 would do'

# Words between nodes, of 512 x 512 matrices on 8 nodes: at two levels a node receives what one of eight ranks would have
# to, half of three faces of 256 x 256; in a 4 x 4 x 4 grid its eight cells are in one layer, and each receives 5/4 faces
# of 128 x 128 from outside.
crossing() {
    got=$(python3 -IS -c 'import json, sys
d = json.load(open(sys.argv[1]))
nodes = {s["name"]: s["nodes"] for s in d["strategies"]}
print(eval(sys.argv[2]))' "$work/out" "$1" 2>&1)
    test "$got" = "$2" || fail "$ran: $1 is $got, wanted $2"
}
expect 0 "$ASHLAR" simulate 512 512 512 --ranks 64 --node-ranks 8 --strategy all --json
crossing '[nodes[s][key] for s in ("cosma_tpmm", "cosma") for key in ("words_max", "sent_max", "rank_words_max")]' \
    '[98304, 98304, 12288, 163840, 163840, 20480]'
crossing 'nodes["cosma_tpmm"]["words_total"], nodes["cosma"]["words_total"], nodes["sequential"]' \
    '(786432, 1310720, None)'
crossing 'd["nodes"] == nodes[d["chosen"]], d["nodes"]["nodes"], d["nodes"]["ranks"]' '(True, 8, 8)'
crossing 'all(sorted(n) == ["nodes", "rank_words_max", "ranks", "sent_max", "words_max", "words_total"] for n in \
nodes.values() if n)' True
mv "$work/out" "$work/simulated"
expect 0 "$ASHLAR" plan 512 512 512 --ranks 64 --node-ranks 8 --strategy all --json
python3 -IS -c 'import json, sys
a, b = ([s["nodes"] for s in json.load(open(path))["strategies"]] for path in sys.argv[1:])
assert a == b' "$work/simulated" "$work/out" 2> "$work/differ" || fail "$ran: other words between nodes"
expect 0 "$ASHLAR" plan 512 512 512 --ranks 64 --node-ranks 8 --json
crossing 'd["nodes"], d["counted"]' "(None, 'closed form')"
expect 0 "$ASHLAR" simulate 512 512 512 --ranks 64 --json
crossing 'd["nodes"], nodes["cosma"]' '(None, None)'
expect 0 "$ASHLAR" simulate 512 512 512 --ranks 64 --node-ranks 9 --grid 4x4x4 -q
prints '^nodes    8 of at most 9 ranks$'
prints '^between  busiest node [0-9]+ words in, [0-9]+ out, all [0-9]+; busiest rank [0-9]+ in$'

# All ranks played against lanes: no less than the bare product or the words of the busiest rank take, a timeline in
# which the words are those that were counted, and which `ashlar trace` reads; the same twice.
cat > "$work/machine.json" << 'END'
{"schema": 1, "flops_per_second": 2e9, "latency": 1e-5, "bandwidth": 8e7, "copy_bandwidth": 8e9, "disk_bandwidth": 8e8,
 "task_seconds": 1e-6, "message_work": 0.5, "product_bandwidth": 1e10}
END
for try in 1 2; do
    expect 0 "$ASHLAR" simulate 300 200 400 --ranks 6 --machine "$work/machine.json" --trace "$work/$try.json" --json
    mv "$work/out" "$work/$try.out"
done
cmp -s "$work/1.json" "$work/2.json" && cmp -s "$work/1.out" "$work/2.out" || fail "two plays differ"
expect 0 "$ASHLAR" trace "$work/1.json" --json
python3 -IS -c 'import json, sys
told, trace, shown = (json.load(open(path)) for path in sys.argv[1:])
play, chosen = told["play"], told["strategies"][0]
events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
end = max(e["ts"] + e["dur"] for e in events) * 1e-6
assert abs(end - play["seconds"]) < 1e-6, (end, play)
assert play["seconds"] > max(300 * 200 * 400 / 6 / 1e9, chosen["words_max"] / 1e7), (play, chosen)
assert 0 < play["cores"] <= play["seconds"] and 0 < play["network"] <= play["seconds"] and play["disk"] == 0, play
words = lambda name: sum(e["args"]["words"] for e in events if e["name"] == name)
assert words("receive") == words("send") == chosen["words_total"], chosen
assert words("multiply") == 300 * 200 * 400
tasks = [e for e in events if not e["name"].startswith("wait")]
assert len(tasks) == play["tasks"] and shown["ranks"] == 6 and shown["dropped"] == 0
assert abs(max(lane["cores"] for lane in shown["lanes"]) - play["cores"]) < 1e-6, (play, shown)' \
    "$work/1.out" "$work/1.json" "$work/out" 2> "$work/differ" || fail "the play: $(tail -n 1 "$work/differ")"
expect 0 "$ASHLAR" simulate 300 200 400 --ranks 6 -q
prints '^played   [0-9.]+ .s with what overlaps and what waits \([0-9]+ tasks\); busy are, at most: cores [0-9]+ %, network'
expect 0 "$ASHLAR" simulate 17408 17408 3735552 --ranks 2304 --grid 2x2x576 -q
prints '^played   not: the schedule has more than 10000000 tasks$'
expect 2 "$ASHLAR" simulate 17408 17408 3735552 --ranks 2304 --grid 2x2x576 -q --trace "$work/none.json"
says '^ashlar simulate: --trace: the schedule was not played against lanes, since it has more than 10000000 tasks$'
test ! -e "$work/none.json" || fail "a trace of what was not played"
expect 2 "$ASHLAR" simulate 64 64 64 --ranks 8 --trace "$work/same.svg" --svg "$work/same.svg"
finish
