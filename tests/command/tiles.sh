#!/bin/sh
# ashlar tile, untile, show and generate --tiling: there and back on any number of ranks, one line for what is wrong.
. "$ASHLAR_SOURCE/tests/command/support.inc"
cd "$work" || exit 2

# npy FILE ROWS COLS: a matrix of doubles, row after row, from numbers on standard input.
cat > npy.py << 'END'
import struct, sys
name, rows, cols = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
values = [float(word) for word in sys.stdin.read().split()]
assert len(values) == rows * cols, len(values)
head = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }" % (rows, cols)
head += " " * (117 - len(head)) + "\n"
open(name, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() +
                       struct.pack("<%dd" % len(values), *values))
END
npy() { python3 npy.py "$@" || fail "npy $*"; }

# ranks N COMMAND...: on so many ranks; what the launcher adds to standard error is not counted.
ranks() {
    launch "$@" 2> lines
    status=$?
    grep '^ashlar' lines >&2
    return $status
}

# same WHAT A B: two files have the same bytes.
same() { cmp -s "$2" "$3" || fail "$1: $2 and $3 differ"; }

# There and back, in each format and type, with empty tiles; all numbers of ranks make the same bytes.
printf '10 0 20 7\n1 28 0\n' > cuts
for type in s d c z; do
    expect 0 "$ASHLAR" generate 37 29 -o a.h5:/$type -t $type --seed 5
    expect 0 "$ASHLAR" tile a.h5:/$type --cuts cuts -o t.h5:/A
    expect 0 ranks 3 "$ASHLAR" tile a.h5:/$type --cuts cuts -o t3.h5:/A
    same "3 ranks, $type" t.h5 t3.h5
    expect 0 ranks 2 "$ASHLAR" untile t.h5:/A -o a2.h5:/$type
    expect 0 "$ASHLAR" generate 37 29 -o a.npy -t $type --seed 5
    expect 0 "$ASHLAR" untile t.h5:/A -o b.npy
    same "there and back, $type" a.npy b.npy
done
expect 0 "$ASHLAR" generate 37 29 -o a.npy --seed 5 --order F
expect 0 "$ASHLAR" generate 37 29 -o a.mtx --seed 5
expect 0 "$ASHLAR" tile a.mtx --cuts cuts -o m.h5:/A
expect 0 ranks 5 "$ASHLAR" untile m.h5:/A -o b.mtx
same "Matrix Market" a.mtx b.mtx
expect 0 ranks 5 "$ASHLAR" untile m.h5:/A -o b.npy --order F
same "5 ranks, columns" a.npy b.npy
expect 0 "$ASHLAR" generate 0 29 -o none.npy
printf '\n29\n' > nothing
expect 0 ranks 2 "$ASHLAR" tile none.npy --cuts nothing -o none.h5:/A
expect 0 ranks 3 "$ASHLAR" untile none.h5:/A -o none2.npy
same "no rows" none.npy none2.npy

# Which tiles are left out: those of zeros, and those below the threshold, but none with a NaN. The norms are 5, 0.
# -0.0 is a zero. A tile of 1e-200 has a norm of 2e-200.
npy k.npy 4 4 << 'END'
3 4    0 -0.0
0 0    0 0
nan 0  1e-200 1e-200
0 0    1e-200 1e-200
END
printf '2 2\n2 2\n' > two
expect 0 "$ASHLAR" tile k.npy --cuts two -o k.h5:/A
expect 0 "$ASHLAR" show k.h5:/A
prints '^tiles     3 present of 4 \(75 %\), 3 stored$'
prints '^norms     2e-200 to 5$'
prints '^  from  1e\+00  1 tiles$'
prints '^  below 1e-19  1 tiles$'
prints '^  not finite  1 tiles$'
expect 0 "$ASHLAR" untile k.h5:/A -o k2.npy
echo '3 4 0 0 0 0 0 0 nan 0 1e-200 1e-200 0 0 1e-200 1e-200' | npy k3.npy 4 4
same "tiles of zeros" k2.npy k3.npy
expect 0 ranks 2 "$ASHLAR" tile k.npy --cuts two --threshold 5 -o k.h5:/A
expect 0 "$ASHLAR" show k.h5:/A
prints '^tiles     2 present of 4'
expect 0 "$ASHLAR" tile k.npy --cuts two --threshold 5.001 -o k.h5:/A
expect 0 "$ASHLAR" show k.h5:/A --json
prints '"tiles_stored": 1,'
prints '"not_finite": 1'

# Tiles of low rank: of 1/(1 + |x - y|) on a line those off the diagonal, of random numbers none. The same on any number
# of ranks; each tile is within the tolerance; what has no such tiles is a file as before.
python3 - << 'END' | npy line.npy 120 120
print(" ".join(repr(1 / (1 + abs(i - j) / 8)) for i in range(120) for j in range(120)))
END
printf '30 0 50 40\n30 50 0 40\n' > parts
expect 0 "$ASHLAR" tile line.npy --cuts parts -o line.h5:/A --tolerance 1e-5
expect 0 ranks 3 "$ASHLAR" tile line.npy --cuts parts -o line3.h5:/A --tolerance 1e-5
same "compressed on 3 ranks" line.h5 line3.h5
expect 0 "$ASHLAR" show line.h5:/A --svg line.svg --grid 1x2
prints '^elements  14400 present \(100 %\), [5-9][0-9]{3} stored$'
prints '^low rank  6 tiles are stored as U V\^T, of rank [2-5] to [3-7]$'
test "$(grep -c ', rank [0-9]*</title>' line.svg)" = 6 || fail "ranks in the drawing"
test "$(grep -c 'text-anchor="middle".*>[2-7]</text>' line.svg)" = 6 || fail "ranks are not drawn"
expect 0 "$ASHLAR" show line.h5:/A --json
prints '"low_rank": \{'
expect 0 ranks 2 "$ASHLAR" untile line.h5:/A -o line2.npy
python3 - << 'END' || fail "the error of low rank"
import struct
x, y = (struct.unpack("<14400d", open(name, "rb").read()[128:]) for name in ("line.npy", "line2.npy"))
error = sum((a - b) ** 2 for a, b in zip(x, y)) ** .5
norm = sum(a * a for a in x) ** .5
assert 1e-9 * norm < error <= 1e-5 * norm, (error, norm)
END
expect 0 "$ASHLAR" generate 120 120 -o noise.npy
expect 0 "$ASHLAR" tile noise.npy --cuts parts -o noise.h5:/A --tolerance 1e-5
expect 0 "$ASHLAR" tile noise.npy --cuts parts -o noise2.h5:/A
same "no tile has a low rank" noise.h5 noise2.h5

# A matrix replaces one of its name, and a data set, but a data set does not replace a matrix.
expect 0 "$ASHLAR" tile a.npy --cuts cuts -o a.h5:/d
expect 0 "$ASHLAR" untile a.h5:/d -o d.npy --order F
same "in place of a data set" a.npy d.npy
cp a.h5 kept.h5
expect 3 "$ASHLAR" untile a.h5:/d -o a.h5:/d
says 'a.h5: /d exists and is not a data set'
expect 3 "$ASHLAR" untile a.h5:/d -o a.h5:/d/columns
says 'a.h5: /d/columns is in the matrix of tiles /d, wanted another name'
same "nothing lost" a.h5 kept.h5

# Generated: the same on any number of ranks, the values of the dense matrix, and the side between two factors alike.
expect 0 "$ASHLAR" generate 300 200 -o g.h5:/A --tiling random:20:30 --seed 1
expect 0 ranks 3 "$ASHLAR" generate 300 200 -o g3.h5:/A --tiling random:20:30 --seed 1
same "generated on 3 ranks" g.h5 g3.h5
expect 0 ranks 4 "$ASHLAR" untile g.h5:/A -o g.npy
expect 0 "$ASHLAR" generate 300 200 -o h.npy --seed 1
same "generated values" g.npy h.npy
expect 0 "$ASHLAR" generate 200 300 -o g2.h5:/B --tiling random:20:30 --seed 2
expect 0 "$ASHLAR" show g.h5:/A --cuts a.cuts
prints '^rows      300 in 15 tiles of [0-9]* to [0-9]*, mean 20$'
expect 0 "$ASHLAR" show g2.h5:/B --cuts b.cuts
test "$(sed -n 2p a.cuts)" = "$(sed -n 1p b.cuts)" || fail "the side between two factors is cut differently"
test "$(sed -n 1p a.cuts)" != "$(sed -n 2p b.cuts)" || fail "the other sides are cut alike"
expect 0 "$ASHLAR" tile h.npy --cuts a.cuts -o g4.h5:/A
same "tiled as it was generated" g.h5 g4.h5
expect 0 "$ASHLAR" generate 300 200 -o g5.h5:/A --tiling file:a.cuts --seed 1
same "generated from the cuts" g.h5 g5.h5
expect 0 "$ASHLAR" generate 100 61 -o even.h5:/A --tiling even:20
expect 0 "$ASHLAR" show even.h5:/A --cuts even.cuts
printf '20 20 20 20 20\n16 15 15 15\n' | cmp -s - even.cuts || fail "even tiles: $(cat even.cuts)"
for density in 0 0.2 1; do
    expect 0 ranks 2 "$ASHLAR" generate 2000 1500 -o d.h5:/A --tiling random:25 --density $density --type s
    expect 0 "$ASHLAR" show d.h5:/A --json
    python3 - "$density" out << 'END' || fail "density $density: $(cat out)"
import json, sys
wanted, found = float(sys.argv[1]), json.load(open(sys.argv[2]))
sure = wanted in (0, 1)
assert found["rows"]["tiles"] == 80 and found["columns"]["tiles"] == 60 and found["type"] == "s"
assert abs(found["tiles_stored"] / 4800 - wanted) <= (0 if sure else 0.03), found["tiles_stored"]
assert found["tiles_stored"] == sum(d["tiles"] for d in found["norms"]["decades"])
END
done

# Values that fall off: each tile's norm is that of the matrix without decay times the factor.
expect 0 "$ASHLAR" generate 60 60 -o flat.h5:/A --tiling random:6 --seed 3
expect 0 ranks 2 "$ASHLAR" generate 60 60 -o fall.h5:/A --tiling random:6 --seed 3 --decay 2.5
expect 0 "$ASHLAR" show flat.h5:/A --cuts flat.cuts
expect 0 "$ASHLAR" show fall.h5:/A --cuts fall.cuts
same "decay changes no cuts" flat.cuts fall.cuts
expect 0 "$ASHLAR" untile flat.h5:/A -o flat.npy
expect 0 "$ASHLAR" untile fall.h5:/A -o fall.npy
python3 - << 'END' || fail "decay"
import math, struct
def doubles(name):
    data = open(name, "rb").read()
    n, = struct.unpack("<H", data[8:10])
    return struct.unpack("<3600d", data[10 + n:])
rows, cols = ([int(word) for word in line.split()] for line in open("flat.cuts"))
tile = lambda sizes: [t for t, size in enumerate(sizes) for _ in range(size)]
r, c = tile(rows), tile(cols)
flat, fall = doubles("flat.npy"), doubles("fall.npy")
for i in range(60):
    for j in range(60):
        factor = math.exp(-2.5 * abs(c[j] - r[i] * len(cols) // len(rows)))
        if factor < 2 ** -52:
            factor = 0
        assert math.isclose(fall[60 * i + j], flat[60 * i + j] * factor, rel_tol=1e-13), (i, j)
END

# The drawing: a rectangle for each tile, or cells if there are many.
expect 0 ranks 2 "$ASHLAR" show g.h5:/A --svg g.svg --grid 2x3
prints '^grid      2 x 3: the busiest process stores [0-9]* elements, imbalance 1\.[0-9]*$'
test "$(wc -l < out)" -lt 20 || fail "more than one rank printed"
test "$(grep -c '<title>' g.svg)" -eq 150 || fail "$(grep -c '<title>' g.svg) tiles are drawn, wanted 150"
python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' g.svg || fail "g.svg is no XML"
expect 0 "$ASHLAR" generate 200 200 -o many.h5:/A --tiling random:1 --type s
expect 0 "$ASHLAR" show many.h5:/A --svg many.svg
test "$(grep -c '<rect' many.svg)" -eq 25607 || fail "$(grep -c '<rect' many.svg) rectangles, wanted 160 x 160 and 7"

# What is wrong is said in one line, on any number of ranks, and nothing is lost or left.
cp t.h5 whole.h5
wrong_cuts() { # TEXT PATTERN
    printf '%b' "$1" > wrong
    expect 2 ranks 2 "$ASHLAR" tile a.npy --cuts wrong -o t.h5:/A
    says "$2"
}
wrong_cuts '37\n28\n' 'tiles of 28 columns in sum, but a.npy has 29'
wrong_cuts '38\n29\n' 'tiles of 38 rows in sum, but a.npy has 37'
wrong_cuts '30 7\n1 2x 3\n' "wrong: line 2, number 2: '2x', wanted the size of a tile"
wrong_cuts '30 -7\n29\n' "wrong: line 1, number 2: '-7', wanted the size of a tile"
wrong_cuts '37\n' 'wrong: has no second line, wanted two lines'
wrong_cuts '37\n29\n4\n' 'wrong: has more than two lines'
wrong_cuts '37\n29\000\n' 'wrong: is no text'
wrong_cuts '9e18 9e18\n29\n' 'the rows are more than 2\^63 - 1'
expect 3 ranks 2 "$ASHLAR" tile a.npy --cuts nowhere -o t.h5:/A
says 'nowhere: cannot open'
expect 3 ranks 2 "$ASHLAR" tile nowhere.npy --cuts cuts -o t.h5:/A
says 'nowhere.npy: cannot open'
expect 2 "$ASHLAR" tile a.npy --cuts cuts -o t.npy
says 'matrices of tiles are kept in HDF5, wanted FILE.h5:/GROUP'
expect 2 "$ASHLAR" tile a.npy -o t.h5:/A
says 'no sizes of tiles, wanted --cuts FILE'
expect 2 ranks 2 "$ASHLAR" tile a.npy --cuts cuts
says 'no output named, wanted -o FILE.h5:/GROUP'
expect 2 "$ASHLAR" tile a.npy --cuts t.h5 -o t.h5:/A
says '--cuts and -o name the same file'
expect 3 ranks 2 "$ASHLAR" tile a.npy --cuts cuts -o nowhere/t.h5:/A
says 'nowhere/t.h5: '
expect 3 ranks 2 "$ASHLAR" untile a.h5:/s -o x.npy
says 'a.h5: /s is no group with a matrix of tiles'
expect 3 "$ASHLAR" show t.h5:/B
says 't.h5: has no /B'
expect 2 ranks 2 "$ASHLAR" show t.h5:/A --grid 2x0
says "--grid '2x0', wanted ROWSxCOLS"
expect 2 "$ASHLAR" show t.h5:/A --svg t.h5
says '--svg and A name the same file'
for tiling in random random: random:0 random:5:0.5 random:5:2e6 random:x file: cuts; do
    expect 2 "$ASHLAR" generate 37 29 -o t.h5:/A --tiling $tiling
    says "--tiling '$tiling', wanted random:MEAN, random:MEAN:SPREAD"
done
expect 2 ranks 2 "$ASHLAR" generate 37 30 -o t.h5:/A --tiling file:cuts
says 'cuts has tiles of 29 columns in sum, wanted 30'
expect 2 "$ASHLAR" generate 37 29 -o t.h5:/A --density 0.5
says '--density wants --tiling'
expect 2 "$ASHLAR" generate 37 29 -o t.h5:/A --tiling random:5 --decay 1 --kind integers
says '--decay makes fractions of integers'
same "nothing lost" t.h5 whole.h5
head -c 3000 t.h5 > short.h5
for command in "untile short.h5:/A -o x.npy" "show short.h5:/A"; do
    expect 3 ranks 2 "$ASHLAR" $command
    says 'short.h5'
done
test ! -e x.npy || fail "an output that was refused is there"
test -z "$(ls -A | grep '^\.')" || fail "left over: $(ls -A | grep '^\.')"
finish
