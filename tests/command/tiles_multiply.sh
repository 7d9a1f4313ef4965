#!/bin/sh
# ashlar multiply of matrices of tiles: the product of the dense matrices, exact, on any number of ranks; what it
# prints; thresholds and their bound; tiles kept; dense matrices among the operands; one line for what is wrong.
. "$ASHLAR_SOURCE/tests/command/support.inc"
cd "$work" || exit 2

# ranks N COMMAND...: on so many ranks; what the launcher adds to standard error is not counted.
ranks() {
    launch "$@" 2> lines
    status=$?
    grep '^ashlar' lines >&2
    return $status
}
make() { "$ASHLAR" generate "$@" -q || fail "generate $*"; }

cat > doubles.py << 'END'
import struct
def doubles(name):
    data = open(name, "rb").read()
    n, = struct.unpack("<H", data[8:10])
    return struct.unpack("<%dd" % ((len(data) - 10 - n) // 8), data[10 + n:])
END

# equal WHAT TILES DENSE: a matrix of tiles has the elements of a dense one.
equal() {
    expect 0 "$ASHLAR" untile "$2" -o equal.npy
    python3 -c "from doubles import doubles; assert doubles('equal.npy') == doubles('$3')" || fail "$1: $2 is not $3"
}

# Integers, so that sums are exact: every number of ranks and every window gives the dense product.
make 90 70 -o A.h5:/A --tiling random:9:20 --density 0.4 --kind integers --seed 1
make 70 60 -o B.h5:/B --tiling random:9:20 --density 0.4 --kind integers --seed 2
make 90 60 -o C0.npy --kind integers --seed 3
for x in A B; do expect 0 "$ASHLAR" untile $x.h5:/$x -o $x.npy; done
expect 0 "$ASHLAR" multiply A.npy B.npy -o D.npy -q
expect 0 "$ASHLAR" multiply A.npy B.npy -o E.npy --alpha -2 --beta 3 --add C0.npy -q
for n in 1 3 4; do
    expect 0 ranks $n "$ASHLAR" multiply A.h5:/A B.h5:/B -o C.h5:/C$n --check --window $n
    prints "^window    $n of [0-9]* iterations in flight, as asked for; eq. \(1\) of the paper gives"
    prints '^check     passed: 8 random vectors'
    equal "$n ranks" C.h5:/C$n D.npy
done
equal "still there" C.h5:/C1 D.npy
expect 0 ranks 4 "$ASHLAR" multiply B.h5:/B A.h5:/A -o T.h5:/T --transa T --transb C --grid 2x2 --check
prints '^problem   d TC   m 60  n 90  k 70 '
prints ' on a grid of 2x2, tiles dealt out by turns: the busiest rank has 1\.[0-9]* of the mean work$'
expect 0 "$ASHLAR" multiply B.npy A.npy -o T.npy --transa T --transb T -q
equal "transposed" T.h5:/T T.npy

# A dense matrix is cut as the others are; the product is a matrix of tiles, which may replace what it was made of.
expect 0 ranks 3 "$ASHLAR" multiply A.npy B.h5:/B -o M.h5:/M --check
equal "dense A" M.h5:/M D.npy
expect 0 ranks 2 "$ASHLAR" multiply A.h5:/A B.npy -o M.h5:/M --check
equal "dense B" M.h5:/M D.npy
expect 0 ranks 2 "$ASHLAR" multiply A.h5:/A B.h5:/B -o M.h5:/M --alpha -2 --beta 3 --add C0.npy --check
equal "dense C0" M.h5:/M E.npy
expect 0 ranks 3 "$ASHLAR" multiply A.h5:/A B.h5:/B -o C.h5:/C1 --alpha 0 --add C.h5:/C3 --beta 2
expect 0 "$ASHLAR" multiply A.npy B.npy -o D2.npy --alpha 2 -q
equal "alpha 0" C.h5:/C1 D2.npy

# The figures: what is printed is what is in the document, and words are those that tiles have.
expect 0 ranks 4 "$ASHLAR" multiply A.h5:/A B.h5:/B -o C.h5:/C --grid 2x2 --json --stats stats.json
cmp -s out stats.json || fail "--stats is not --json"
python3 - << 'END' || fail "figures: $(cat out)"
import json
d = json.load(open("out"))
m, w, t = d["measured"], d["window"], d["tiles"]
assert d["chosen"] == "tiles" and d["grid"] == [2, 2] and d["problem"]["memory_words"] is None
assert (d["problem"]["m"], d["problem"]["n"], d["problem"]["k"]) == (90, 60, 70)
assert w["equation_1"] == 2 and w["equation_2"] == {"a": 45 * 70 / 8, "b": 30 * 70 / 8, "c": 45 * 30}, w
assert m["words_max"] * 4 >= m["words_total"] == m["words_mean"] * 4
# Each tile is sent to at most one other process: those of A along its row, those of B along its column.
assert 0 < m["words_total"] <= t["a"]["words"] + t["b"]["words"]
assert m["flops"] > 0 and m["left_out"] == m["dropped"] == 0 and m["products"] > 0
assert d["check"] is None and m["disk_words"] == 0
END

# --memory: what cannot be kept is refused with the least that would do, which does, and is kept; the product is the same.
expect 1 ranks 4 "$ASHLAR" multiply A.h5:/A B.h5:/B -o L.h5:/C --memory 100
says '^ashlar multiply: .*: a rank may hold 12 words, but its tiles of A, B and C and one iteration take [0-9]*: '
words=$(sed -n 's/.*: \([0-9]*\) would do (a word is 8 bytes: .*/\1/p' err)
says "\(a word is 8 bytes: --memory is 100 bytes, wanted at least $((8 * words))\)\$"
expect 1 ranks 4 "$ASHLAR" multiply A.h5:/A B.h5:/B -o L.h5:/C --memory $((8 * words - 1))
says "a rank may hold $((words - 1)) words, .*: $words would do \(a word is 8 bytes: --memory is $((8 * words - 1)) bytes, wanted at least $((8 * words))\)\$"
expect 0 ranks 4 "$ASHLAR" multiply A.h5:/A B.h5:/B -o L.h5:/C --memory $((8 * words)) --json --trace t.json
python3 - $words << 'END' || fail "--memory: $(cat out)"
import json, sys
d = json.load(open("out"))
words = int(sys.argv[1])
assert d["problem"]["memory_words"] == words and d["measured"]["memory_words"] <= words, d
assert d["window"]["in_flight"] == 1, d["window"]
trace = json.load(open("t.json"))
assert trace["otherData"]["format"] == "ashlar trace"
assert {e["pid"] for e in trace["traceEvents"]} == {0, 1, 2, 3}
END
equal "--memory" L.h5:/C D.npy
expect 0 ranks 4 "$ASHLAR" multiply A.h5:/A B.h5:/B -o L.h5:/C --memory 1MiB
prints '^window    8 of 8 iterations in flight, that fit; eq'
expect 0 "$ASHLAR" trace t.json

# --deal work: the busiest rank has less above the mean than by turns, and the product is the same.
for how in turns work; do
    expect 0 ranks 4 "$ASHLAR" multiply B.h5:/B A.h5:/A -o W.h5:/W --transa T --transb T --grid 2x2 --deal $how --json
    mv out $how.json
    equal "--deal $how" W.h5:/W T.npy
done
python3 - << 'END' || fail "--deal: $(cat work.json)"
import json
t, w = json.load(open("turns.json")), json.load(open("work.json"))
assert (t["dealt"], w["dealt"]) == ("by turns", "by work")
assert t["measured"]["flops"] == w["measured"]["flops"]
assert w["measured"]["imbalance"] < t["measured"]["imbalance"] and w["measured"]["imbalance"] < 1.1, w["measured"]
END

# A threshold leaves out products and drops tiles; the error is within the bound, and the check allows for it.
make 200 200 -o P.h5:/A --tiling random:10:9 --decay 0.7 --seed 4
expect 0 "$ASHLAR" untile P.h5:/A -o P.npy
expect 0 "$ASHLAR" show P.h5:/A --cuts p.cuts
sed -n '2p' p.cuts > q.cuts && sed -n '1p' p.cuts >> q.cuts
make 200 200 -o Q.h5:/B --tiling file:q.cuts --decay 0.7 --seed 5
expect 0 "$ASHLAR" untile Q.h5:/B -o Q.npy
expect 0 "$ASHLAR" multiply P.npy Q.npy -o PQ.npy -q
expect 0 ranks 3 "$ASHLAR" multiply P.h5:/A Q.h5:/B -o S.h5:/S --threshold 1e-3 --check
prints '^check     passed: .* of what rounding and what was left out may do$'
expect 0 "$ASHLAR" untile S.h5:/S -o S.npy
expect 0 ranks 2 "$ASHLAR" multiply P.h5:/A Q.h5:/B -o S2.h5:/S --threshold 1e-3 --json
python3 - << 'END' || fail "threshold: $(cat out)"
import json, math
from doubles import doubles
m = json.load(open("out"))["measured"]
error = math.sqrt(sum((x - y) ** 2 for x, y in zip(doubles("S.npy"), doubles("PQ.npy"))))
assert m["left_out"] > 0 and m["dropped"] > 0, m
assert m["error_bound"] / 1000 < error <= m["error_bound"], (error, m["error_bound"])
END

# Tiles of low rank, of which the product has some: the error is within the bound, and the check allows for it. --check
# without a tolerance takes factors of low rank, too.
python3 - << 'END'
import struct
head = "{'descr': '<f8', 'fortran_order': False, 'shape': (120, 120), }"
head += " " * (117 - len(head)) + "\n"
values = [1 / (1 + abs(i - j) / 8) for i in range(120) for j in range(120)]
open("line.npy", "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() +
                             struct.pack("<14400d", *values))
END
printf '30 50 40\n30 50 40\n' > line.cuts
expect 0 "$ASHLAR" tile line.npy --cuts line.cuts -o line.h5:/A --tolerance 1e-6
expect 0 ranks 3 "$ASHLAR" multiply line.h5:/A line.h5:/A -o V.h5:/V --check
prints '^A         120 x 120 in 3 x 3 tiles, 9 stored, 100 % full, 6 as U V\^T$'
expect 0 ranks 2 "$ASHLAR" multiply line.h5:/A line.h5:/A -o W.h5:/W --tolerance 1e-6 --check --json
mv out low.json
expect 0 "$ASHLAR" show W.h5:/W
prints '^low rank  6 tiles are stored as U V\^T'
for x in V W; do expect 0 "$ASHLAR" untile $x.h5:/$x -o $x.npy; done
python3 - << 'END' || fail "--tolerance: $(cat low.json)"
import json, math
from doubles import doubles
d = json.load(open("low.json"))
error = math.sqrt(sum((x - y) ** 2 for x, y in zip(doubles("V.npy"), doubles("W.npy"))))
assert d["tiles"]["c"]["low_rank_tiles"] == 6 and d["check"]["passed"], d
bound = d["measured"]["error_bound"]
assert bound / 1000 < error <= bound, (error, bound)
END

# --retain: C keeps its tiles. What it has no tile for is not formed.
expect 0 "$ASHLAR" show A.h5:/A --cuts a.cuts
expect 0 "$ASHLAR" show B.h5:/B --cuts b.cuts
{ sed -n 1p a.cuts; sed -n 2p b.cuts; } > k.cuts
make 90 60 -o K.h5:/C --tiling file:k.cuts --density 0.3 --kind integers --seed 6
expect 0 ranks 3 "$ASHLAR" multiply A.h5:/A B.h5:/B -o R.h5:/C --retain --add K.h5:/C --beta 0
expect 0 "$ASHLAR" show R.h5:/C --json
mv out kept.json
expect 0 "$ASHLAR" show K.h5:/C --json
python3 -c "
import json
r, k = json.load(open('kept.json')), json.load(open('out'))
assert r['tiles_stored'] == k['tiles_stored'] and r['words_stored'] == k['words_stored']" || fail "--retain"
expect 0 "$ASHLAR" untile R.h5:/C -o R.npy
python3 -c "
from doubles import doubles
assert all(x in (0, y) for x, y in zip(doubles('R.npy'), doubles('D.npy')))" || fail "--retain: elements"

# The lines of README.md.
sed -n 's/^    \(ashlar generate 3000 2000 -o T\.h5.*\)/\1/p; /^    ashlar generate 3000 2000 -o B/,/^$/s/^    //p' \
    "$ASHLAR_SOURCE/README.md" > lines.sh
test "$(wc -l < lines.sh)" -eq 5 || fail "README.md: $(cat lines.sh)"
sed 's/ashlar \([a-z]\)/"$ASHLAR" \1/g; s/^mpirun -n/launch/' lines.sh > run.inc
readme() ( set -e; . ./run.inc )
expect 0 readme
prints '^  by work '
prints '^tiles     [0-9]* present of'

# What is wrong is said in one line by one rank, and the output that is there stays as it was.
cp C.h5 kept.h5
wrong() { # STATUS PATTERN ARGUMENT...
    wanted=$1 pattern=$2
    shift 2
    expect "$wanted" ranks 2 "$ASHLAR" multiply "$@"
    says "^ashlar multiply: $pattern"
    cmp -s C.h5 kept.h5 || fail "$*: the output has changed"
    if ls -A | grep -q '^\.'; then fail "$*: left over: $(ls -A | grep '^\.')"; fi
}
wrong 2 'inner dimensions differ: A is 90 x 70 with op N, B is 90 x 70 with op N' A.h5:/A A.h5:/A -o C.h5:/C
make 70 60 -o B2.h5:/B --tiling random:9 --seed 7
wrong 2 "A's columns and B's rows are cut differently, first in tile 0: " A.h5:/A B2.h5:/B -o C.h5:/C
make 70 60 -o Bs.h5:/B --tiling random:9:20 --seed 2 --type s
wrong 2 'A is of type d \(double\) and B of type s \(float\)' A.h5:/A Bs.h5:/B -o C.h5:/C
wrong 2 'C.npy: matrices of tiles are kept in HDF5' A.h5:/A B.h5:/B -o C.npy
wrong 3 'nowhere/C.h5: ' A.h5:/A B.h5:/B -o nowhere/C.h5:/C
wrong 2 "--grid is '2x1x2', wanted PMxPN, two numbers" A.h5:/A B.h5:/B -o C.h5:/C --grid 2x1x2
wrong 2 '--grid=3x1 needs more than 2 ranks' A.h5:/A B.h5:/B -o C.h5:/C --grid 3x1
wrong 2 '--strategy is for products of dense matrices; here' A.h5:/A B.h5:/B -o C.h5:/C --strategy summa
wrong 2 '--retain wants --add FILE' A.h5:/A B.h5:/B -o C.h5:/C --retain
wrong 2 '--check compares with the whole product' A.h5:/A B.h5:/B -o C.h5:/C --retain --add C.h5:/C --check
wrong 2 '--deal is for matrices of tiles' A.npy B.npy -o C.npy --deal work
wrong 2 '--threshold is for matrices of tiles' A.npy B.npy -o C.npy --threshold 1
wrong 2 '--tolerance is for matrices of tiles' A.npy B.npy -o C.npy --tolerance 1e-3
wrong 2 '--tolerance and --memory: how large C becomes' A.h5:/A B.h5:/B -o C.h5:/C --tolerance 1e-3 --memory 1MiB
wrong 2 "--tolerance is '2', wanted a number, 0 to 1" A.h5:/A B.h5:/B -o C.h5:/C --tolerance 2
wrong 2 "--threshold is '-1', wanted a number, 0 to 1e300" A.h5:/A B.h5:/B -o C.h5:/C --threshold -1
head -c 3000 A.h5 > short.h5
wrong 3 'short.h5' short.h5:/A B.h5:/B -o C.h5:/C
wrong 3 'A.h5' A.h5:/nothing B.h5:/B -o C.h5:/C
finish
