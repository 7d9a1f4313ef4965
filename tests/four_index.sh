#!/bin/sh
# four_index.sh LAUNCH PROGRAM: a compiled program with its arrays in files, on ranks that do not divide the extents.
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
for ranks in 1 3; do
    rm -f mo.npy
    "$1" $ranks "$2" n=6 m=5 || exit 1
    python3 -IS - << 'END' || exit 1
import struct
data, want = open('mo.npy', 'rb').read(), struct.unpack('<625d', open('want', 'rb').read())
begin = 10 + struct.unpack('<H', data[8:10])[0]
got = struct.unpack('<625d', data[begin:])
assert b"'shape': (5, 5, 5, 5)" in data[:begin] and max(abs(a - b) for a, b in zip(got, want)) < 1e-13
END
done
"$1" 1 "$2" n=6 2> err && exit 1
grep -q 'wanted the extents n=60 m=60' err || { cat err; exit 1; }
"$1" 2 "$2" n=7 m=5 2> err && exit 1 # longer than what the files have: an error on both ranks, and no output
grep -q 'range 4:7 of dimension 1' err || { cat err; exit 1; }
