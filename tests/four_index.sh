#!/bin/sh
# four_index.sh LAUNCH PROGRAM: a compiled program with its arrays in files, on ranks that do not divide the extents, in
# less memory than it would take, and killed.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
python3 -IS - << 'END' || exit 1
import random, struct
n, m = 6, 5
random.seed(1)
def save(name, shape, data):
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }" % ', '.join(map(str, shape))
    header += ' ' * (-(len(header) + 11) % 64) + '\n'
    open(name, 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode() +
                           struct.pack('<%dd' % len(data), *data))
c = [random.uniform(-1, 1) for _ in range(n * m)]
ao = [random.uniform(-1, 1) for _ in range(n**4)]
save('C.npy', (n, m), c)
save('ao.npy', (n,) * 4, ao)
for rest in n**3, n * n * m, n * m * m, m**3:  # the first index is summed, and its successor goes to the end
    ao = [sum(ao[p * rest + r] * c[p * m + i] for p in range(n)) for r in range(rest) for i in range(m)]
open('want', 'wb').write(struct.pack('<%dd' % len(ao), *ao))
END
all=$(printf 'C.npy\nao.npy\nmo.npy\nwant')
for run in "3" "1 memory=6000" "3 memory=6000" "3 resume"; do
    rm -f mo.npy
    set -- "$1" "$2" $run
    "$1" "$3" "$2" n=6 m=5 ${4:+"$4"} || exit 1
    python3 -IS - << 'END' || exit 1
import struct
data, want = open('mo.npy', 'rb').read(), struct.unpack('<625d', open('want', 'rb').read())
begin = 10 + struct.unpack('<H', data[8:10])[0]
got = struct.unpack('<625d', data[begin:])
assert b"'shape': (5, 5, 5, 5)" in data[:begin] and max(abs(a - b) for a, b in zip(got, want)) < 1e-13
END
    test "$(ls)" = "$all" || { echo "$run leaves files: $(ls)"; exit 1; }
done

# Ranks without a value of any index, and an index without values.
mkdir few
for m in 1 0; do
    python3 -IS -c "import struct
for name, shape in ('C', (2, $m)), ('ao', (2,) * 4):
    header = ('{\\'descr\\': \\'<f8\\', \\'fortran_order\\': False, \\'shape\\': %s, }' % (shape,)).ljust(117) + '\\n'
    data = [1.0] * (shape[0] * shape[1] if len(shape) == 2 else 16)
    open('few/' + name + '.npy', 'wb').write(b'\\x93NUMPY\\x01\\x00' + struct.pack('<H', len(header)) +
                                           header.encode() + struct.pack('<%dd' % len(data), *data))" || exit 1
    (cd few && "$1" 3 "$2" n=2 m=$m) || exit 1
    python3 -IS -c "data = open('few/mo.npy', 'rb').read()
import struct
assert data[10 + struct.unpack('<H', data[8:10])[0]:] == struct.pack('<%dd' % $m, *[16.0] * $m)" || exit 1
done
rm -rf few
"$1" 1 "$2" n=6 2> err && exit 1
grep -q 'm is missing: wanted the extents n=60 m=60' err || { cat err; exit 1; }
for word in m=x m=-1 q=3 memory=64mb memory=9999999999GB m resum; do
    "$1" 1 "$2" n=6 m=5 "$word" 2> err && exit 1
    grep -q ": $word: wanted the extents n=60 m=60" err || { echo "$word:"; cat err; exit 1; }
done
"$1" 2 "$2" n=5 m=5 2> err && exit 1 # shorter than what the files have: an error on both ranks, and no output
grep -q 'C.npy: dimension 1 has 6 values, wanted 5' err || { cat err; exit 1; }
# Files of another type or rank, and an output that cannot be written: said with the file's name, and nothing is written.
python3 -IS - << 'END' || exit 1
import struct
for name, shape, kind, size in ('f.npy', '(6, 5)', '<f4', 120), ('one.npy', '(30,)', '<f8', 240):
    header = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)).ljust(117) + '\n'
    open(name, 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode() + bytes(size))
END
rm -f mo.npy
for ranks in 1 3; do
    while read -r words says; do
        "$1" $ranks "$2" n=6 m=5 $words 2> err && exit 1
        grep -q ": $says" err || { echo "$ranks ranks, $words:"; cat err; exit 1; }
        test ! -e mo.npy || { echo "$words leaves an output"; exit 1; }
    done << 'END'
C=f.npy f.npy: has elements of type s, wanted d
C=one.npy one.npy: has 1 dimension, wanted 2
mo=none/mo.npy none/mo.npy: cannot create a file beside it
mo=mo.txt mo.txt: of no known format
END
done
# Arrays whose elements 64 bits can count and their sums perhaps not; a file that may not be so long, of what is between.
before=$(ls)
for ranks in 1 3; do
    "$1" $ranks "$2" n=100000 m=5 2> err && exit 1
    grep -q ': [A-Za-z0-9_]*: more than 2^50 elements$' err || { cat err; exit 1; }
done
if [ "$ASHLAR_MPI_FAMILY" = openmpi ]; then # on one rank: other files of MPI, and MPICH's own, are longer
    (ulimit -f 1 && "$2" n=6 m=5 memory=6kB 2> err) && exit 1
    grep -q ': ./ashlar[.].*: File too large$' err || { cat err; exit 1; }
fi
test "$(ls)" = "$before" || { echo "what fails leaves files: $(ls)"; exit 1; }
# Nothing has been computed then: no step is recorded.
"$1" 3 "$2" n=6 m=5 resume mo=none/mo.npy 2> err && exit 1
grep -q ': none/mo.npy: cannot create a file beside it' err || { cat err; exit 1; }
test ! -e ashlar.record || { echo "steps are done before the output is tried: $(ls)"; exit 1; }
rm f.npy one.npy

# A run that is killed after its first step goes on from there: what that step read is not read again.
python3 -IS - << 'END' || exit 1
import array, random, struct
random.seed(2)
for name, shape in ('C.npy', (32,) * 2), ('ao.npy', (32,) * 4):
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }" % ', '.join(map(str, shape))
    header += ' ' * (-(len(header) + 11) % 64) + '\n'
    data = array.array('d', (random.random() for _ in range(32**len(shape))))
    open(name, 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode() + data.tobytes())
END
rm -f mo.npy
"$2" n=32 m=32 resume || exit 1
mv mo.npy want
cp ao.npy good.npy
head -c 128 ao.npy > bad.npy && head -c 8388608 /dev/zero >> bad.npy
first=0
for try in 1 2 3 4 5 6 7 8; do
    cp -p good.npy ao.npy
    "$2" n=32 m=32 resume &
    run=$!
    while kill -0 $run && [ "$first" -lt 528 ]; do
        first=$(stat -c %s ashlar.record 2> none || echo 0)
    done 2> none
    { kill -9 $run && wait $run; } 2> none
    test -e ashlar.record && break
    first=0
done
test -e ashlar.record && test ! -e mo.npy || { echo "it was never killed in time: $(ls)"; exit 1; }
cp bad.npy ao.npy
"$2" n=32 m=32 resume 2> err && exit 1 # the input was changed since
grep -q 'ashlar.record: of another program, or of other extents or inputs: remove it to begin anew' err || { cat err; exit 1; }
touch -r good.npy ao.npy
"$2" n=32 m=32 resume || exit 1
cmp mo.npy want || exit 1
test "$(ls | grep -c '^ashlar')" -eq 0 || { echo "it leaves files: $(ls)"; exit 1; }
