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
# No two results go to one place, whatever names lead there: nothing is written. Two data sets of a file are two places.
mkdir folder
ln -s folder linked
cp A.npy folder/old.npy
ln -s folder/old.npy soft.npy
rm -f X.npy
touch err
before=$(ls -A . folder)
while read -r x d; do
    for ranks in 1 3; do
        "$1" $ranks "$2" n=13 X="$x" d="$d" < /dev/null 2> err && { echo "two results in one file: $x $d"; exit 1; }
        grep -qF ": $d: two results go to this place" err || { cat err; exit 1; }
        test "$(ls -A . folder)" = "$before" || { echo "two results in one file: $(ls -A . folder)"; exit 1; }
    done
done << 'END'
X.npy X.npy
./X.npy X.npy
folder/../X.npy .//X.npy
folder/X.npy linked/X.npy
folder/old.npy soft.npy
linked/old.npy folder/./old.npy
new.h5:/x new.h5:/x
new.h5:/g/x ./new.h5:/g//x/
linked/new.hdf5:/x folder/new.hdf5:/./x
END
"$1" 2 "$2" n=13 X=folder/two.h5:/X d=linked/two.h5:/d || exit 1
ln -s folder/two.h5 soft.h5
for file in linked/two.h5 soft.h5; do
    "$1" 1 "$2" n=13 X=folder/two.h5:/X d=$file:/.//X 2> err && { echo "two results in one data set: $file"; exit 1; }
    grep -q ": $file:/.//X: two results go to this place" err || { cat err; exit 1; }
done
"$1" 1 "$2" n=13 X=folder/two.h5:/X d=soft.h5:/e || exit 1
