#!/bin/sh
# compiled_complex.sh LAUNCH PROGRAM: compiled_complex.ash, compiled for complex float, on one rank and several.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
python3 -IS - << 'END' || exit 1
import random, struct
n = 13
random.seed(1)
def save(name, matrix):
    header = "{'descr': '<c8', 'fortran_order': False, 'shape': (%d, %d), }" % (n, n)
    header += ' ' * (-(len(header) + 11) % 64) + '\n'
    open(name, 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode() +
                           struct.pack('<%df' % (2 * n * n),
                                       *(x for row in matrix for z in row for x in (z.real, z.imag))))
def number():
    return complex(random.randint(-9, 9), random.randint(-9, 9))  # integers: sums are exact
a, b, d, e = ([[number() for _ in range(n)] for _ in range(n)] for _ in range(4))
save('A.npy', a)
save('B.npy', b)
save('D.npy', d)
save('E.npy', e)
save('want.npy', [[sum(a[i][k] * b[k][j] + 2 * d[k][i] * e[k][j] for k in range(n)) for j in range(n)]
                  for i in range(n)])
END
for run in "1" "2" "3" "5" "3 memory=400" "3 memory=700" "3 resume"; do
    rm -f X.npy
    set -- "$1" "$2" $run
    "$1" "$3" "$2" n=13 ${4:+"$4"} || exit 1
    python3 -IS - "$run" << 'END' || exit 1
import struct, sys
def load(name):
    data = open(name, 'rb').read()
    return struct.unpack('<338f', data[10 + struct.unpack('<H', data[8:10])[0]:])
got, want = load('X.npy'), load('want.npy')
wrong = sum(a != b for a, b in zip(got, want))
assert wrong == 0, '%s: %d of %d numbers are wrong' % (sys.argv[1], wrong, len(want))
END
done
for ranks in 1 3; do
    rm -f X.npy
    "$1" $ranks "$2" n=13 d=X.npy 2> err && { echo "two results in one file"; exit 1; }
    grep -q ': X.npy: two results go to this place$' err || { cat err; exit 1; }
    test ! -e X.npy || { echo "two results in one file leave it"; exit 1; }
done
