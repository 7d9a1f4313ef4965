#!/bin/sh
# ashlar plan and simulate of matrices of tiles: what is predicted is what a run counts, to the word; files and
# descriptions say the same; windows that memory allows; the ways to deal tiles out; warnings and mistakes.
. "$ASHLAR_SOURCE/tests/command/support.inc"
cd "$work" || exit 2

make() { "$ASHLAR" generate "$@" -q || fail "generate $*"; }
ranks() {
    launch "$@" 2> lines
    status=$?
    grep '^ashlar' lines >&2
    return $status
}

# Predicted words are measured ones, on grids of all kinds, with transposed factors.
make 90 70 -o A.h5:/A --tiling random:9:20 --density 0.4 --seed 1
make 70 60 -o B.h5:/B --tiling random:9:20 --density 0.4 --seed 2
for grid in 1x1 2x2 3x1 1x4; do
    expect 0 "$ASHLAR" plan A.h5:/A B.h5:/B --ranks 4 --grid $grid --json
    mv out plan.json
    expect 0 ranks 4 "$ASHLAR" multiply A.h5:/A B.h5:/B -o C.h5:/C --grid $grid --json
    python3 - << 'END' || fail "grid $grid: $(cat plan.json out)"
import json
p, m = json.load(open("plan.json")), json.load(open("out"))
turns = p["strategies"][0]
assert p["chosen"] == turns["name"] == "by turns" and turns["grid"][:2] == m["grid"]
for key in "words_max", "words_mean", "words_total":
    assert turns[key] == m["measured"][key], (key, turns[key], m["measured"][key])
near = lambda x, y: abs(x - y) <= 1e-12 * abs(y)
assert near(turns["imbalance"], m["measured"]["imbalance"])
assert p["flops"] == m["measured"]["flops"] and p["tiles"]["c"]["tiles"] == m["tiles"]["c"]["tiles"]
assert p["tiles"]["c"]["words"] == m["tiles"]["c"]["words"]
assert near(p["tiles"]["a"]["density"], m["tiles"]["a"]["density"])
assert p["window"]["equation_1"] == m["window"]["equation_1"]
assert all(near(p["window"]["equation_2"][x], m["window"]["equation_2"][x]) for x in "abc")
END
done
expect 0 "$ASHLAR" plan B.h5:/B A.h5:/A --transa T --transb T --ranks 4 --grid 2x2 --json
mv out plan.json
expect 0 ranks 4 "$ASHLAR" multiply B.h5:/B A.h5:/A --transa T --transb T -o C.h5:/C --grid 2x2 --json
python3 -c "
import json
p, m = json.load(open('plan.json'))['strategies'][0], json.load(open('out'))['measured']
assert p['words_total'] == m['words_total'] and p['words_max'] == m['words_max']" || fail "transposed: $(cat out)"

# Tiles of low rank count as they are stored, on one rank to six, also transposed: words and work are those of a run.
cat > low.py << 'END'
from npy import save
near = lambda i, j: 1 / (1 + abs(i - j))
save("a.npy", 90, 80, lambda i, j: 0 if 20 <= i < 60 and 30 <= j < 70 else near(i, j))
save("b.npy", 80, 70, lambda i, j: 0 if i < 40 or j > 50 else near(i, j))
END
PYTHONPATH="$ASHLAR_SOURCE/tests/command" PYTHONDONTWRITEBYTECODE=1 python3 low.py || fail "low.py"
printf '10 13 7 10 20 10 20\n10 20 10 30 10\n' > a.txt
printf '10 20 10 30 10\n35 1 14 20\n' > b.txt
for x in a b; do
    expect 0 "$ASHLAR" tile $x.npy --cuts $x.txt -o low.h5:/$x --tolerance 1e-2
done
low() { # RANKS ARGUMENT...
    ranks=$1
    shift
    expect 0 "$ASHLAR" simulate "$@" --ranks "$ranks" --json
    mv out simulated.json
    expect 0 "$ASHLAR" plan "$@" --ranks "$ranks" --json
    mv out plan.json
    expect 0 ranks "$ranks" "$ASHLAR" multiply "$@" -o low.h5:/c --json
    python3 - << 'END' || fail "low rank on $ranks ranks: $(cat plan.json out)"
import json
p, s, m = json.load(open("plan.json")), json.load(open("simulated.json")), json.load(open("out"))
turns = p["strategies"][0]
assert turns == s["strategies"][0]
for key in "words_max", "words_total":
    assert turns[key] == m["measured"][key], (key, turns[key], m["measured"][key])
assert turns["words_total"] == m["measured"]["words_predicted"] and p["ways"]["stays"] == m["stays"] == "C"
assert abs(turns["imbalance"] - m["measured"]["imbalance"]) <= 1e-12 * turns["imbalance"]
for x in "ab":
    for key in "low_rank_tiles", "words":
        assert p["tiles"][x][key] == m["tiles"][x][key] > 0, (x, key)
END
}
for n in 1 2 3 4 5 6; do
    low $n low.h5:/a low.h5:/b
    low $n low.h5:/b low.h5:/a --transa T --transb T
done
expect 0 "$ASHLAR" plan low.h5:/a low.h5:/b --ranks 4
prints '^A .*; 22 of low rank, 2266 words in all$'
prints '^stays    C, in 1 layer of k: some tiles are of low rank'

# Which matrix stays: what is planned is what a run chooses, and the words that are counted are those that come, if A
# stays, B stays, or nothing is better than C in one layer.
way() { # STAYS M N K GRID ARGUMENT...
    stays=$1 m=$2 n=$3 k=$4 grid=$5
    shift 5
    make "$m" "$k" -o WA.h5:/A --tiling even:10 --density 0.8 --seed 1
    make "$k" "$n" -o WB.h5:/B --tiling even:10 --density 0.8 --seed 2
    expect 0 "$ASHLAR" plan WA.h5:/A WB.h5:/B --ranks 4 --grid "$grid"
    prints "^stays    $stays, in [1-4] layers? of k: "
    expect 0 "$ASHLAR" plan WA.h5:/A WB.h5:/B --ranks 4 --grid "$grid" --json
    mv out plan.json
    expect 0 ranks 4 "$ASHLAR" multiply WA.h5:/A WB.h5:/B -o W.h5:/W --grid "$grid" --check --json "$@"
    python3 - "$stays" << 'END' || fail "way $stays: $(cat plan.json out)"
import json, sys
w, m = json.load(open("plan.json"))["ways"], json.load(open("out"))
chosen, = (x for x in w["weighed"] if x["chosen"])
assert w["stays"] == m["stays"] == chosen["stays"] == sys.argv[1], (w, m["stays"])
assert w["layers"] == m["layers"] == chosen["layers"]
assert chosen["words_total"] == m["measured"]["words_total"] == m["measured"]["words_predicted"] > 0
assert abs(chosen["imbalance"] - m["measured"]["imbalance"]) <= 1e-12 * chosen["imbalance"]
END
}
way A 300 30 300 2x2
way B 30 300 300 2x2
way C 90 70 60 2x2
way A 300 30 300 2x2 --threshold 1e-3

# With a limit as well: it is kept, and A stays if there is room for sums and the buffers for multiplying.
limit() { # STAYS WORDS
    expect 0 "$ASHLAR" plan WA.h5:/A WB.h5:/B --ranks 4 --grid 2x2 --memory-words "$2"
    prints "^stays    $1, in "
    expect 0 ranks 4 "$ASHLAR" multiply WA.h5:/A WB.h5:/B -o W.h5:/W --grid 2x2 --check --memory $((8 * $2)) --json
    python3 -c "
import json
m = json.load(open('out'))
assert m['stays'] == '$1' and m['measured']['memory_words'] <= $2, m" || fail "A limit of $2 words: $(cat out)"
}
limit A 1000000
expect 0 ranks 4 "$ASHLAR" multiply WA.h5:/A WB.h5:/B -o W.h5:/W --grid 2x2
prints '^plan      SUMMA over tiles, A stays, k in 2 layers, partial sums of C are added to C on a grid of 2x2, tiles'

# Sums that are twice as large as A and B, and few on each rank: k lies in layers without a limit, and with one that has
# room for them.
layers() { # LAYERS ARGUMENT...
    layers=$1
    shift
    expect 0 "$ASHLAR" plan 640 640 640 --tiling even:10 --ranks 144 --json "$@"
    python3 - "$layers" << 'END' || fail "$layers layers: $(cat out)"
import json, sys
w = json.load(open("out"))["ways"]
counted, = (x for x in w["weighed"] if "sums_words" in x and x["layers"] == 4)
assert counted["sums_words"] == 4 * 640 * 640 and 11378 <= counted["sums_words_max"] <= 14400, w
assert w["layers"] == int(sys.argv[1]), w
END
}
layers 4
layers 4 --memory-words 40000
layers 1 --memory-words 20000

# What is described is what generate makes.
expect 0 "$ASHLAR" plan A.h5:/A B.h5:/B --ranks 6 --json
mv out file.json
expect 0 "$ASHLAR" plan 90 60 70 --tiling random:9:20 --density 0.4 --seed 1 --ranks 6 --json
cmp -s out file.json || fail "described is not read"
expect 0 "$ASHLAR" simulate 90 60 70 --tiling even:10 --ranks 6 --json
python3 -c "
import json
d = json.load(open('out'))
assert d['tiles']['words_ratio'] == d['tiles']['work_ratio'] == 1 and d['tiles']['c']['tiles'] == 54
assert d['flops'] == 2 * 90 * 60 * 70 and d['play']['tasks'] > 0 and d['play']['seconds'] > 0" || fail "even tiles"

# Equation (1) and the errata's examples of it, through grids; k has K tiles.
equation() { # ROWSxCOLS K RANKS WANTED
    expect 0 "$ASHLAR" plan 400 400 $(($2 * 10)) --tiling even:10 --ranks "$3" --grid "$1" --json
    prints "\"equation_1\": $4,"
}
equation 1x8 10 8 2
equation 4x4 3 16 3
equation 3x5 4 15 3
equation 8x16 128 128 8
equation 1x4 1 4 1

# Equation (2) for 32768, tiles of 256, on 4 x 4: it is exact if tiles are even and all there.
expect 0 "$ASHLAR" plan 32768 32768 32768 --tiling even:256 --ranks 16 --window 1 --json
python3 - << 'END' || fail "equation (2): $(cat out)"
import json
d = json.load(open("out"))
w, turns = d["window"], d["strategies"][0]
assert w["equation_2"] == {"a": 2097152, "b": 2097152, "c": 67108864} and w["equation_1"] == 4, w
# Of each row a quarter is the rank's own: in some iterations A's tiles are there, in some B's, in some neither.
assert w["words"] == 2 * 2097152 and turns["words_max"] == 2 * 128 * 2097152 * 3 // 4, (w, turns)
assert turns["imbalance"] == 1 and turns["share_ratio"] == 1
END

# A limit gives the largest window whose words fit: exactly as many as a plan of that window says, and one word less
# gives a smaller one, or none: then the message says what would do.
make 300 300 -o P.h5:/A --tiling random:12:6 --density 0.3 --seed 3
make 300 300 -o Q.h5:/B --tiling random:12:6 --density 0.3 --seed 4
peak() { python3 -c "import json; print(json.load(open('out'))['strategies'][0]['memory_words'])"; }
window() { python3 -c "import json; print(json.load(open('out'))['window']['in_flight'])"; }
expect 0 "$ASHLAR" plan P.h5:/A Q.h5:/B --ranks 6 --window 5 --json
five=$(peak)
expect 0 "$ASHLAR" plan P.h5:/A Q.h5:/B --ranks 6 --memory-words "$five" --json
test "$(window)" -ge 5 && test "$(peak)" -le "$five" || fail "window $(window) in $five words"
expect 0 "$ASHLAR" plan P.h5:/A Q.h5:/B --ranks 6 --memory-words $((five - 1)) --json
test "$(window)" -lt 5 && test "$(peak)" -lt "$five" || fail "window $(window) in $((five - 1)) words"
expect 0 "$ASHLAR" plan P.h5:/A Q.h5:/B --ranks 6 --window 1 --json
one=$(peak)
expect 0 "$ASHLAR" plan P.h5:/A Q.h5:/B --ranks 6 --memory-words "$one"
prints '^window   1 of [0-9]* iterations in flight, the most that fit; eq. \(1\) gives 2$'
expect 1 "$ASHLAR" plan P.h5:/A Q.h5:/B --ranks 6 --memory-words $((one - 1))
says "a rank may hold $((one - 1)) words, but its tiles of A, B and C and one iteration take $one: $one would do"
expect 1 "$ASHLAR" plan P.h5:/A Q.h5:/B --ranks 6 --memory-words "$one" --window 5
says "with a window of 5 it holds $five at once"

# Dealt out by work the busiest has little more than the mean; the paper's warning.
expect 0 "$ASHLAR" plan P.h5:/A Q.h5:/B --ranks 4 --json
python3 -c "
import json
d = json.load(open('out'))
s = {x['name']: x for x in d['strategies']}
assert s['by work']['imbalance'] < 1.05 < s['by turns']['imbalance'] and s['at random']['imbalance'] > 1, s
assert not d['tiles']['too_few']" || fail "dealt out by work: $(cat out)"
expect 0 "$ASHLAR" simulate P.h5:/A Q.h5:/B --ranks 200
prints '^played   [0-9.]* [mu]?s by turns with what overlaps'
prints '^warning  [0-4]\.[0-9]* tiles of C a rank are fewer than 5'

# Many ranks, counted and not played.
expect 0 "$ASHLAR" simulate 60000 60000 60000 --tiling random:100:9 --density 0.02 --ranks 10000
prints '^played   not: there are too many tiles or tasks'

# Mistakes.
wrong() { # STATUS PATTERN ARGUMENT...
    wanted=$1 pattern=$2
    shift 2
    expect "$wanted" "$ASHLAR" plan "$@"
    says "^ashlar plan: $pattern"
}
wrong 2 'usage: ashlar plan M N K --ranks=P .*, or A B, matrices of tiles' 8 8 --ranks 2
wrong 2 '--ranks=P is wanted' A.h5:/A B.h5:/B
wrong 2 'inner dimensions differ: op\(A\) has 70 columns, op\(B\) 90 rows' A.h5:/A A.h5:/A --ranks 2
wrong 2 "op\(A\)'s columns and op\(B\)'s rows are cut differently, first in tile 0" P.h5:/A P.h5:/A --ranks 2
wrong 2 '--strategy is for dense matrices' A.h5:/A B.h5:/B --ranks 2 --strategy summa
wrong 2 "--grid is '2x2x2', wanted PMxPN" A.h5:/A B.h5:/B --ranks 8 --grid 2x2x2
wrong 2 'a grid of 3x3 needs more than 8 ranks' A.h5:/A B.h5:/B --ranks 8 --grid 3x3
wrong 2 '--density wants --tiling' 8 8 8 --ranks 2 --density 0.5
wrong 2 '--tiling describes matrices that are in no file' A.h5:/A B.h5:/B --ranks 2 --tiling even:8
wrong 2 "--tiling 'odd:8', wanted random:MEAN" 8 8 8 --ranks 2 --tiling odd:8
wrong 2 '--tiling file:x: a plan takes random: and even:' 8 8 8 --ranks 2 --tiling file:x
wrong 2 '--transa and --transb are for files' 8 8 8 --ranks 2 --tiling even:2 --transa T
wrong 3 'nothing.h5' nothing.h5:/A B.h5:/B --ranks 2
head -c 3000 A.h5 > short.h5
wrong 3 'short.h5' short.h5:/A B.h5:/B --ranks 2
finish
