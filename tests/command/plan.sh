#!/bin/sh
# `ashlar plan`: figures that are known, JSON as documented, and mistakes told in one line with the right status.
. "$ASHLAR_SOURCE/tests/command/support.inc"

# value PYTHON-EXPRESSION WANTED: of the JSON document d on standard output.
value() {
    got=$(python3 -IS -c 'import json, sys
d = json.load(open(sys.argv[1]), parse_constant=lambda c: sys.exit("not JSON: " + c))
print(eval(sys.argv[2]))' "$work/out" "$1" 2>&1)
    test "$got" = "$2" || fail "$ran: $1 is $got, wanted $2"
}

planned() {
    expect 0 "$ASHLAR" plan "$@" --json
    test ! -s "$work/err" || fail "$ran: something on standard error"
}

# The exact words of a 4 x 4 x 4 grid: each rank has 1024^2 words of each face to get, less a quarter.
planned 4096 4096 4096 --ranks 65 --objective words
value 'd["schema"], d["chosen"], d["strategies"][0]["words_max"]' "(1, 'cosma', 2359296)"
value 'd["strategies"][0]["grid"], d["strategies"][0]["ranks_used"]' '([4, 4, 4], 64)'
value 'd["strategies"][0]["words_total"], round(d["strategies"][0]["words_mean"] * 65)' '(150994944, 150994944)'
value 'sorted(d["problem"].keys())' \
    "['idle', 'k', 'm', 'memory_words', 'n', 'objective', 'ranks', 'transa', 'transb', 'type', 'window']"
value 'sorted(d["bound"].keys())' "['case', 'source', 'words']"
value '[k for k in "name applicable reason grid ranks_used rounds words_max words_mean words_total messages_max \
memory_words disk_words seconds".split() if k not in d["strategies"][0]]' '[]'
value 'd["problem"]["memory_words"]' None

# With little memory the largest matrix stays, whichever it is.
for turn in "32768 32768 4096 C" "32768 4096 32768 A" "4096 32768 32768 B"; do
    # shellcheck disable=SC2086
    set -- $turn
    expect 0 "$ASHLAR" plan "$1" "$2" "$3" --ranks 64 --memory-words 23000000 --json
    prints '"stays": "'"$4"'"'
    prints '"words_max": 29360128'
    test "$4" = C && continue
    expect 0 "$ASHLAR" plan "$1" "$2" "$3" --ranks 64 --memory-words 23000000 --layout block-cyclic:64x64:8x8
    prints '^words    busiest rank 31457280,'
    prints "^why [^;]*; $4 stays, and sums of C are moved in each round; [0-9.]+ times the bound; the memory"
done

# Landmarks: within half a percent of the bound, at a prime number of ranks as well.
for ranks in 9217 9221; do
    planned 65536 65536 65536 --ranks "$ranks" --objective words
    value 'round(d["strategies"][0]["words_max"] / 1e6, 1)' 28.0
    value 'd["strategies"][0]["words_max"] < 1.005 * d["bound"]["words"]' True
done
planned 17408 17408 3735552 --ranks 4096 --objective words
value 'round(d["strategies"][0]["words_max"] / 1e6, 1)' 97.1
planned 131072 131072 512 --ranks 2048 --objective words
value 'round(d["strategies"][0]["words_max"] / 1e6, 2)' 2.92

# Where ranks are many too, boxes that are no grid are compared, without walking ranks' schedules.
for objective in time words; do
    planned 19999 19999 19999 --ranks 1031 --objective $objective
    value 'd["chosen"], d["counted"]' "('uneven', 'closed form')"
    value '[round(s["words_max"] / d["bound"]["words"], 3) for s in d["strategies"] if s["name"] == d["chosen"]]' '[1.004]'
done

# A memory limit is kept, and more memory buys fewer words.
last=1000000000
for factor in 15 20 30; do
    limit=$((factor * 3 * 16384 * 16384 / 64 / 10))
    planned 16384 16384 16384 --ranks 64 --objective words --memory-words $limit
    value "d['strategies'][0]['memory_words'] <= $limit, d['strategies'][0]['words_max'] < $last" '(True, True)'
    last=$(python3 -IS -c 'import json, sys
print(json.load(open(sys.argv[1]))["strategies"][0]["words_max"] + 1)' "$work/out")
done
test "$last" -le 37748737 || fail "16384^3 on 64 ranks with three times the share: $last words"

# Bytes and words say the same; a word of type s has 4 bytes.
planned 1000 1000 1000 --ranks 8 --memory 2MiB --type s
value 'd["problem"]["memory_words"], d["problem"]["type"]' "(524288, 's')"

# A given grid; an empty product; one rank.
planned 100 100 100 --ranks 12 --grid 3x2x1
value 'd["strategies"][0]["grid"], d["strategies"][0]["ranks_used"]' '([3, 2, 1], 6)'
planned 0 5 5 --ranks 3
value 'd["strategies"][0]["words_max"], d["bound"]["words"]' '(0, 0.0)'
planned 300 200 100 --ranks=1
value 'd["strategies"][0]["words_max"], d["bound"]["words"]' '(0, 0.0)'

# The caller's layouts: words of both ways. What is already where it is needed costs nothing.
planned 600 600 600 --ranks 6 --layout block-cyclic:50x50:2x3
value 'd["relayout_words"] > d["strategies"][0]["words_max"] > 0, d["counted"]' "(True, 'every rank walked')"
planned 600 600 600 --ranks 6 --layout own
value 'd["relayout_words"], d["counted"]' "(None, 'closed form')"
planned 500 300 200 --ranks 4 --transa T --transb C --type z --layout-a block-cyclic:10x20:4x1
value 'd["problem"]["transa"], d["problem"]["transb"], d["relayout_words"] > 0' "('T', 'C', True)"

# A machine's figures decide the seconds: half the flops a second, at one rank, takes twice as long.
cat > "$work/slow.json" <<'END'
{"schema": 1, "flops_per_second": 1e9, "latency": 1e-6, "bandwidth": 1e9, "copy_bandwidth": 5e9, "disk_bandwidth": 5e8}
END
planned 1000 1000 1000 --ranks 1 --machine "$work/slow.json"
value 'd["strategies"][0]["seconds"]' 2.0

# In shared memory, where words are copies, a tight limit makes no rounds of a few rows: they would go through B 273
# times. On a network they save words.
cat > "$work/shared.json" <<'END'
{"schema": 1, "flops_per_second": 4e10, "latency": 2e-6, "bandwidth": 2.5e9, "copy_bandwidth": 5e9,
 "disk_bandwidth": 5e8}
END
tight="1000 1000 1000 --ranks 2 --transa T --transb T --layout block-cyclic:64x64:1x2 --memory-words 2058000"
# shellcheck disable=SC2086
planned $tight --machine "$work/shared.json"
value 'd["strategies"][0]["rounds"]' 11
# shellcheck disable=SC2086
planned $tight
value 'd["strategies"][0]["rounds"]' 273

# Every strategy, with its paper's closed form, or the reason why it does not apply; all of one grid where all divides.
planned 4096 4096 4096 --ranks 64 --strategy all
value '[s["name"] for s in d["strategies"]][:4], d["chosen"]' "(['cosma', 'summa', '2.5d', 'carma'], 'cosma')"
value '[s["words_max"] for s in d["strategies"][:4]]' '[2359296, 3670016, 2359296, 2359296]'
value '[s["formula"]["words"] == s["words_max"] for s in d["strategies"][:4]]' '[True, True, True, True]'
value '[sorted(s["formula"]) for s in d["strategies"][:1]]' "[['source', 'text', 'words']]"
value 'all(s["applicable"] or (len(s["reason"]) > 20 and s["formula"] is None) for s in d["strategies"])' True
planned 4096 4096 4096 --ranks 17 --idle 0.1 --strategy all --memory-words 4400000
value '[(s["applicable"], s["ranks_used"]) for s in d["strategies"][1:4]]' '[(True, 16), (True, 16), (False, None)]'
value 'all(s["memory_words"] <= 4400000 for s in d["strategies"] if s["applicable"])' True
planned 131072 131072 512 --ranks 2048 --strategy cosma
value 'd["strategies"][0]["formula"]["words"], d["strategies"][0]["formula"]["text"][:4]' "(None, 'none')"
planned 600 600 600 --ranks 7 --layout block-cyclic:50x50:2x3 --strategy all
value '[s["name"] for s in d["strategies"] if s["applicable"]], d["counted"]' \
    "(['cosma', 'summa', '2.5d', 'carma', 'uneven', 'cannon', 'sd_cannon', 'tpmm'], 'every rank walked')"
planned 600 600 600 --ranks 8 --node-ranks 4 --strategy all
value 'sorted(s["name"] for s in d["strategies"] if not s["applicable"])' "['sequential']"
planned 500 500 500 --ranks 7 --strategy 2.5d --objective words
value 'd["strategies"][0]["grid"], d["strategies"][0]["ranks_used"]' '([2, 2, 1], 4)'
expect 0 "$ASHLAR" plan 500 500 500 --ranks 7 --strategy 2.5d
prints '^why      .*3 of 7 ranks idle'
expect 0 "$ASHLAR" plan 4096 4096 4096 --ranks 65 --strategy all
prints '^  summa +1x8x8 +64 '
prints '^  carma +- +65 '
prints '^  2\.5d       k\(m \+ n\)/sqrt\(pc\) \+ mnc/p - share$'

# CARMA halves any number of ranks: counted where it is asked for, and no closed form.
planned 2000 2000 2000 --ranks 7 --strategy carma
value 'd["strategies"][0]["grid"], d["strategies"][0]["ranks_used"], d["strategies"][0]["formula"]' '(None, 7, None)'
value '1 < d["strategies"][0]["words_max"] / d["bound"]["words"] < 1.25' True
expect 0 "$ASHLAR" plan 2000 2000 2000 --ranks 7
prints '^why      boxes of equal volume for all ranks: fewer words than any grid, where at most 0 of 7 ranks may idle; 1\.'
prints '^  carma +rejected: carma on 7 ranks, no power of two, is not compared here: uneven serves better$'

# A row has the name of its strategy, and the reason does not say it again.
expect 0 "$ASHLAR" plan 100 100 100 --ranks 8 --memory-words 5000
prints '^  2\.5d +rejected: 5000 words a rank are too few for m, n, k = 100, 100, 100 on 8 ranks: 5075 would do$'
expect 0 "$ASHLAR" plan 100 100 100 --ranks 8 --memory-words 5000 --json
prints '"reason": "5000 words a rank are too few for '
planned 4096 4096 4096 --ranks 7 --objective words
value 'd["chosen"], d["strategies"][-2]["name"], d["strategies"][-2]["words_max"]' "('carma', 'carma', 7985250)"
value 'd["strategies"][-1]["name"], d["strategies"][-1]["words_max"]' "('uneven', 7990126)"
# Cannon's torus on a square number of ranks has a process on each, as the paper has it; where a longer matrix makes
# another better, or the number is no square, it is folded, and said to be.
for objective in time words; do
    for size in '16384 16384 16384' '1001 999 1003'; do
        planned $size --ranks 4 --strategy cannon --objective $objective
        value 'd["strategies"][0]["grid"], d["strategies"][0]["ranks_used"]' '([2, 2, 1], 4)'
        value '"folded" in d["why"]' False
    done
done
planned 4096 1024 256 --ranks 4 --strategy cannon
value 'd["strategies"][0]["grid"], "a torus of 4 x 4 processes is folded onto 4 ranks" in d["why"]' '([4, 4, 1], True)'
expect 0 "$ASHLAR" plan 4096 4096 4096 --ranks 6 --strategy cannon
prints '^chosen   cannon, grid 6x6x1 of processes, folded: 6 ranks used, 6 rounds$'

# Matrices in files: two ranks of 256 MiB that see the same files read them as one with 512 MiB would; with disks of
# their own, or if the network is slower than those, each reads for itself. A stays if it fits.
in_files='d["strategies"][0]["disk_words"], d["strategies"][0]["words_total"]'
planned 12000 12000 12000 --ranks 2 --memory 256MiB --files
value "$in_files" '(720000000, 432000000)'
value 'd["strategies"][0]["memory_words"] <= d["problem"]["memory_words"]' True
value 'd["bound"]["words"], d["bound"]["case"]' "(432000000.0, 'every word of A, B and C once')"
value 'max(d["strategies"][0]["lanes"].values()) < d["strategies"][0]["seconds"] < \
    sum(d["strategies"][0]["lanes"].values())' True
planned 12000 12000 12000 --ranks 2 --memory 256MiB --files --local-disks
value "$in_files" '(864000000, 0)'
printf '{"schema": 1, "flops_per_second": 1e13, "latency": 1e-6, "bandwidth": 1e7, "copy_bandwidth": 1e11,
         "disk_bandwidth": 1e9}' > "$work/thin.json"
planned 12000 12000 12000 --ranks 2 --memory 256MiB --files --objective words --machine "$work/thin.json"
value "$in_files" '(864000000, 0)'
planned 2000 1000000 2000 --ranks 4 --memory 16MiB --files --strategy sequential
value "$in_files" '(4004000000, 6000000000)'
value '"of A stay" in d["why"]' True
expect 0 "$ASHLAR" plan 12000 12000 12000 --ranks 2 --memory 256MiB --files
# Slabs of an odd thickness are read in parts that differ by a row.
prints '^files    720000000 words in all, 360432000 on the busiest rank$'
prints '^why      tiles of .* of C stay in each rank.s memory, .*; the ranks read each word of a slab once'
prints '^cache    seconds are predicted as if every word of files were read from the disk each time$'
# One rank, one tile, one slab, nothing beside anything else: A and B are read in 1 s, which takes the core 6 copies of
# 1600 bytes, 1200 s; they are multiplied in 1 s, and C is written in 1 s.
cat > "$work/lanes.json" << 'END'
{"schema": 1, "flops_per_second": 2e3, "latency": 1, "bandwidth": 8, "copy_bandwidth": 8, "disk_bandwidth": 1200,
 "disk_read_bandwidth": 1600, "disk_write_bandwidth": 800}
END
planned 10 10 10 --ranks 1 --files --machine "$work/lanes.json"
value 'round(d["strategies"][0]["seconds"], 9), round(d["play"]["disk"], 9), d["play"]["cores"], d["play"]["tasks"]' \
    '(1202.0, 2.0, 1200.0, 4)'

expect 1 "$ASHLAR" plan 10 10 10 --ranks 2 --memory-words 2 --files
says 'sequential: 2 words a rank are too few even if the matrices are streamed from files: 3 would do'
expect 0 "$ASHLAR" plan 10 0 10 --ranks 2 --files
prints '^files    0 words in all, 0 on the busiest rank$'
prints '^why      there is nothing to multiply: C is written in pieces of 0 x 0'
for wrong in '--files --strategy cosma' '--files --grid 1x1x2' '--files --layout block-cyclic:5x5:1x2' \
    '--files --svg=cut.svg' --local-disks; do
    # shellcheck disable=SC2086 # several words
    expect 2 "$ASHLAR" plan 10 10 10 --ranks 2 $wrong
    says '(with|for) --files'
done

# Without room for the matrices themselves nothing is walked that would take long.
expect 1 "$ASHLAR" plan 17408 17408 3735552 --ranks 7 --memory-words 1000 --strategy uneven
says "1000 words are too few for a rank's share of the matrices, 18622859557"
expect 1 "$ASHLAR" plan 100 100 100 --ranks 7 --memory-words 1000 --strategy uneven
says '1000 words a rank are too few for these layouts: 4479 would do'
expect 2 "$ASHLAR" plan 2 2 1 --ranks 5 --strategy carma
says 'carma: boxes of 2 x 2 x 1 cannot be halved for 5 ranks'
expect 2 "$ASHLAR" plan 100 100 100 --ranks 6 --strategy carma --grid 1x2x3
says 'carma boxes are no grid, but one is asked for'

expect 2 "$ASHLAR" plan 100 100 100 --ranks 8 --strategy summa --grid 2x2x2
says 'summa has grids of which a side is 1; the one wanted, 2 x 2 x 2, is none'
expect 2 "$ASHLAR" plan 100 100 100 --ranks 8 --strategy 2.5d --grid 2x1x2
says '2\.5d has grids q x q x c with c <= q'
expect 1 "$ASHLAR" plan 100 90 80 --ranks 16 --memory-words 300 --strategy 2.5d
says '2\.5d: 300 words a rank are too few .*: [0-9]+ would do'

# For people.
expect 0 "$ASHLAR" plan 17408 17408 3735552 --ranks 12288
prints '^bound    50\.6 M words a rank: memory-independent'
prints '^chosen   cosma, grid 4x4x767: 12272 ranks used, 10 rounds'
prints '^why      the least predicted time of all grids that leave at most 368 of 12288 ranks idle; 1\.00'
expect 0 "$ASHLAR" plan 600 600 600 --ranks 6 --layout block-cyclic:50x50:2x3
prints '^from the layouts given .* straight from the owners$'

# A forced strategy is not said to be the best of what was not compared.
for strategy in cosma summa cannon tpmm; do
    expect 0 "$ASHLAR" plan 1000 1000 1000 --ranks 63 --strategy $strategy
    prints "^why      only $strategy was asked for: the least predicted time of its grids that leave at most 1 of 63 "
done
for strategy in carma uneven; do
    expect 0 "$ASHLAR" plan 1000 1000 1000 --ranks 63 --strategy $strategy
    prints "^why      only $strategy was asked for: the least predicted time of what $strategy can do; "
done
expect 0 "$ASHLAR" plan 1000 1000 1000 --ranks 63 --strategy 2.5d
prints '^why      only 2\.5d was asked for: .* of what 2\.5d can do; 15 of 63 ranks idle; '
expect 0 "$ASHLAR" plan 600 600 600 --ranks 6 --layout block-cyclic:50x50:2x3 --strategy summa
prints '^why      only summa was asked for: boxes '
expect 0 "$ASHLAR" plan 1000 1000 1000 --ranks 64 --strategy all
prints '^why      the least predicted time of all grids'
expect 0 "$ASHLAR" plan 10 10 10 --ranks 1
prints '^why      there is one rank only$'

# A drawing is one whole SVG document, or nothing.
xml() {
    python3 -IS -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1" || fail "$ran: no XML"
}
expect 0 "$ASHLAR" plan 17408 17408 3735552 --ranks 4096 --svg "$work/cut.svg"
xml "$work/cut.svg"
grep -q 'op(A): [0-9]* x [0-9]* = ' "$work/cut.svg" || fail "cut.svg: no words of A"
for shape in '0 0 0' '1 1000000000 1' '300 300 300' '300 300 300 --strategy uneven' '300 300 300 --strategy carma'; do
    expect 0 "$ASHLAR" plan $shape --ranks 7 --svg "$work/shape.svg"
    xml "$work/shape.svg"
    ! grep -Eiq 'nan|inf' "$work/shape.svg" || fail "$ran: a coordinate is no number"
done
grep -q '>carma: 7 boxes on 7 ranks<' "$work/shape.svg" || fail "shape.svg: not carma's boxes"
# The three faces of the whole that are seen, those of the boxes on them, 3 and twice 4, and those of the marked box.
drawn=$(grep -c '<polygon' "$work/shape.svg")
test "$drawn" -eq 17 || fail "shape.svg: $drawn faces"
expect 3 "$ASHLAR" plan 10 10 10 --ranks 2 --svg "$work/none/cut.svg"
says 'none/cut\.svg'
expect 3 "$ASHLAR" plan 10 10 10 --ranks 2 --svg "$work"
says 'not a regular file'

# Mistakes.
expect 2 "$ASHLAR" plan 10 10
says 'usage: ashlar plan M N K --ranks=P'
expect 2 "$ASHLAR" plan 10 10 10
says '--ranks=P is wanted'
expect 2 "$ASHLAR" plan 10 10 10 --ranks 0
says "--ranks is '0', wanted a whole number, 1 to 2147483647"
expect 2 "$ASHLAR" plan 10 10 10 --ranks 1e10
says "--ranks is '1e10', wanted a whole number, 1 to 2147483647"
expect 2 "$ASHLAR" plan 10 -3 10 --ranks 2
says "N is '-3', wanted a whole number of at least 0"
expect 2 "$ASHLAR" plan 10 10 1.5 --ranks 2
says "K is '1\.5'"
expect 2 "$ASHLAR" plan 10 10 0x10 --ranks 2
says "K is '0x10'"
expect 2 "$ASHLAR" plan 10 10 99999999999999999999 --ranks 2
says "K is '9+'"
expect 2 "$ASHLAR" plan 9e18 9e18 9e18 --ranks 2
says 'more words than 64 bits can count'
expect 2 "$ASHLAR" plan 10 10 10 --rank 2
says "unknown option '--rank'; did you mean --ranks"
expect 2 "$ASHLAR" plan 10 10 10 --ranks
says '--ranks wants a whole number'
expect 2 "$ASHLAR" plan 10 10 10 --ranks 2 --json=yes
says '--json takes none'
expect 2 "$ASHLAR" plan 10 10 10 --ranks 2 --type q
says "--type is 'q', wanted s.d.c.z"
expect 2 "$ASHLAR" plan 10 10 10 --ranks 2 --memory 5parsecs
says "--memory is '5parsecs', wanted a number of bytes such as 64MiB"
expect 2 "$ASHLAR" plan 10 10 10 --ranks 2 --memory 9223373TB
says "--memory is '9223373TB', wanted a number of bytes such as 64MiB, below 2\^63"
expect 2 "$ASHLAR" plan 10 10 10 --ranks 2 --memory 1MiB --memory-words 5
says 'wanted one of them'
expect 2 "$ASHLAR" plan 10 10 10 --ranks 2 --memory 7
says 'less than one word of 8 bytes'
expect 2 "$ASHLAR" plan 10 10 10 --ranks 2 --idle 1.5
says "--idle is '1\.5', wanted a number, 0 to 1"
expect 2 "$ASHLAR" plan 10 10 10 --ranks 2 --idle nan
says "--idle is 'nan', wanted a number"
expect 2 "$ASHLAR" plan 10 10 10 --ranks 2 --window 99
says "--window is '99', wanted a whole number, 1 to 16"
expect 2 "$ASHLAR" plan 10 10 10 --ranks 2 --grid 2x2
says "--grid is '2x2'"
expect 2 "$ASHLAR" plan 10 10 10 --ranks 2 --grid 2x2x2
says '--grid=2x2x2 needs more than 2 ranks'
expect 2 "$ASHLAR" plan 10 10 10 --ranks 20 --grid 11x1x1
says 'cuts M = 10 into 11 parts'
expect 2 "$ASHLAR" plan 10 10 10 --ranks 2 --strategy cosmo
says "--strategy is 'cosmo'; did you mean cosma"
for layout in block-cyclic:4x4 block-cyclic:4x4:2x block-cyclic:0x4:1x2 bc block-cyclic:4x4:1x2x1; do
    expect 2 "$ASHLAR" plan 10 10 10 --ranks 2 --layout $layout
    says "layout '$layout', wanted own or block-cyclic"
done
expect 2 "$ASHLAR" plan 10 10 10 --ranks 2 --layout block-cyclic:4x4:2x2
says 'needs more than --ranks=2'
expect 2 "$ASHLAR" plan 0 10 10 --ranks 2 --layout block-cyclic:4x4:1x2
says 'M is 0, wanted at least 1 with layouts'
expect 1 "$ASHLAR" plan 100 90 80 --ranks 13 --memory-words 300
says '^ashlar plan: cosma: [0-9]+ words a rank are too few for m, n, k = 100, 90, 80 on 13 ranks: 1956 would do$'
expect 0 "$ASHLAR" plan 100 90 80 --ranks 13 --memory-words 1956
expect 1 "$ASHLAR" plan 100 90 80 --ranks 13 --memory-words 1955
says '^ashlar plan: cosma: [0-9]+ words a rank are too few for m, n, k = 100, 90, 80 on 13 ranks: 1956 would do$'

# Machine files: each figure is wanted, once, above 0, and nothing else.
expect 3 "$ASHLAR" plan 10 10 10 --ranks 2 --machine "$work/none.json"
says 'none\.json'
machine() {
    printf '%s' "$1" > "$work/machine.json"
    expect 3 "$ASHLAR" plan 10 10 10 --ranks 2 --machine "$work/machine.json"
    says "machine\.json: $2"
}
machine '' 'is not JSON'
machine '[1' 'is not JSON'
machine '[]' 'is no JSON object'
machine '{"schema": 2}' '"schema" is missing or not 1'
machine '{"schema": 1, "flops_per_second": 1e9}' '"latency" is missing'
machine '{"schema": 1, "flops_per_second": -1}' '"flops_per_second" is not a number above 0'
machine '{"schema": 1, "flops_per_second": "fast"}' '"flops_per_second" is not a number above 0'
machine "$(sed 's/"latency"/"forms": {"NN": 1, "NT": 1, "TN": 1}, "latency"/' "$work/slow.json")" \
    '"forms" is not an object of NN, NT, TN and TT, numbers above 0'
machine "$(sed 's/"latency"/"task_seconds": -1, "latency"/' "$work/slow.json")" \
    '"task_seconds" is not a number of at least 0'
machine "$(sed 's/"latency"/"message_work": 1.5, "latency"/' "$work/slow.json")" '"message_work" is above 1'
machine "$(sed 's/"latency"/"x": 1, "latency"/' "$work/slow.json")" '"x" is no figure of a machine'
machine "$(sed 's/"latency"/"bandwidth": 1, "latency"/' "$work/slow.json")" 'is not JSON, or names a figure twice'
finish
