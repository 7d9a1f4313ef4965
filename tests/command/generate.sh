#!/bin/sh
# ashlar generate: the same values in every format and shape, whole files or none, one line for a mistake.
set -u
. "$ASHLAR_SOURCE/tests/command/support.inc"
cd "$work" || exit 2

generate() { "$ASHLAR" generate "$@" || fail "generate $*"; }

# refuse STATUS ARGUMENT...: that exit status and one line on stderr.
refuse()
{
    wanted=$1
    shift
    "$ASHLAR" generate "$@" > out 2> err
    status=$?
    [ $status -eq "$wanted" ] || fail "generate $*: status $status, wanted $wanted"
    [ "$(wc -l < err)" -eq 1 ] || fail "generate $*: $(wc -l < err) lines on stderr: $(cat err)"
    [ -s out ] && fail "generate $*: something on stdout"
}

# The same values by rows, by columns, as text, and on a second run; other ones for another seed.
generate 37 29 -o a.npy --seed 5
generate 37 29 -o again.npy --seed=5 --type d --kind uniform
generate 37 29 -o f.npy --seed 5 --order F
generate 37 29 -o t.mtx --seed 5
generate 37 29 -o other.npy --seed 6
generate 90 29 -o longer.npy --seed 5
cmp -s a.npy again.npy || fail "two runs differ"
cmp -s a.npy other.npy && fail "two seeds give one matrix"
cmp -s a.npy f.npy && fail "both orders give the same bytes"
python3 - << 'END' || fail "values"
import struct
def npy(name):
    data = open(name, "rb").read()
    n, = struct.unpack("<H", data[8:10])
    return data[10:10 + n].decode(), data[10 + n:]
def doubles(name):
    return struct.unpack("<%dd" % (len(npy(name)[1]) // 8), npy(name)[1])
a, f, longer = doubles("a.npy"), doubles("f.npy"), doubles("longer.npy")
assert all(a[i * 29 + j] == f[j * 37 + i] for i in range(37) for j in range(29)), "order"
assert longer[:len(a)] == a, "a value depends on the shape"
text = [l for l in open("t.mtx") if not l.startswith("%")][1:]
assert [float(l) for l in text] == list(f), "Matrix Market"
assert all(-1 <= x < 1 for x in a) and len(set(a)) == len(a) and abs(sum(a) / len(a)) < 0.1, "range"
END

# Every type and shape, empty ones too; integers are small integers.
for type in s d c z; do
    generate 5 7 -o $type.npy --type $type --kind integers
    generate 0 7 -o empty.npy --type $type
    generate 7 0 -o data.h5:/$type --type $type
    generate 3 1 -o data.h5:/full/$type --type $type
done
python3 - << 'END' || fail "integers"
import struct
for name, code, count in (("s", "f", 35), ("d", "d", 35), ("c", "f", 70), ("z", "d", 70)):
    data = open(name + ".npy", "rb").read()
    n, = struct.unpack("<H", data[8:10])
    values = struct.unpack("<%d%s" % (count, code), data[10 + n:])
    assert all(v == int(v) and -4 <= v <= 4 for v in values) and len(set(values)) == 9, name
END

# A matrix of more than one piece.
generate 3 700001 -o wide.npy --type s
generate 700001 3 -o tall.npy --type s --order F
[ "$(wc -c < wide.npy)" -eq $((3 * 700001 * 4 + 128)) ] || fail "the bytes of wide.npy"
[ "$(wc -c < tall.npy)" -eq $((3 * 700001 * 4 + 128)) ] || fail "the bytes of tall.npy"

# Mistakes. What exists stays as it was, and nothing is left beside it.
refuse 2
refuse 2 3
refuse 2 3 4
refuse 2 3 4 5 -o x.npy
refuse 2 -o x.npy -- -3 4
refuse 2 3 4 -o x.npy --type q
refuse 2 3 4 -o x.npy --tpye d
refuse 2 3 4 -o x.npy --seed -1
refuse 2 3 4 -o x.png
refuse 2 3 4 -o x.h5
refuse 3 3 4 -o nowhere/x.npy
refuse 2 4000000000 4000000000 -o x.npy
cp a.npy kept.npy
refuse 3 1000000000 100000000 -o a.npy
cmp -s a.npy kept.npy || fail "a failure changed the file that was there"
[ -e x.npy ] && fail "a refused file exists"
ls -A | grep -q '^\.' && fail "left over: $(ls -A | grep '^\.')"

"$ASHLAR" generate --help > out 2> err || fail "--help"
[ -s out ] && [ ! -s err ] || fail "--help writes to stdout alone"
finish
