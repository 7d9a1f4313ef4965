#!/bin/sh
# ashlar with HDF5 files of others: packed chunks are read within the memory limit, other files are not touched.
set -u
. "$ASHLAR_SOURCE/tests/command/support.inc"
cd "$work" || exit 2

"$ASHLAR_HDF5_FILES" || fail "the files are not made"
expect 0 "$ASHLAR" generate 1500 10 -o b.npy --kind integers
expect 0 "$ASHLAR" multiply packed.h5:/plain b.npy -o right.npy

# The least limit: 8 bytes for each of 1500 (1500 + 2 * 10) words, and three times the chunk.
least=$((8 * 1500 * 1520 + 3 * 8 * 1500 * 1500))
says_limit=': 2280000 would do \(a word is 8 bytes\), and beside them 54000000 bytes to unpack a chunk of packed'
expect 0 "$ASHLAR" multiply packed.h5:/x b.npy -o c.npy --memory $least
cmp -s c.npy right.npy || fail "the product of a packed matrix"
for memory in 8 16MiB $((least - 1)); do
    expect 1 "$ASHLAR" multiply packed.h5:/x b.npy -o none.npy --memory "$memory"
    says "$says_limit"
done
expect 2 "$ASHLAR" multiply packed.h5:/x b.npy -o none.npy --strategy sequential
says 'packed.h5:/x: its packed chunks, of which one takes 54000000 bytes to unpack, are too large for .* streamed'
expect 0 launch 3 "$ASHLAR" multiply packed.h5:/x b.npy -o c.npy
cmp -s c.npy right.npy || fail "the product of a packed matrix on 3 ranks"
expect 0 "$ASHLAR" multiply packed.h5:/plain b.npy -o c.npy --memory 1MiB
prints '^plan      sequential'
[ -e none.npy ] && fail "an output of a run that was refused"

# An external link: neither read through nor written through.
cp other.h5 kept.h5
expect 3 "$ASHLAR" multiply mine.h5:/g/m b.npy -o none.npy
says 'mine.h5: data set /g/m is behind an external link to other.h5:/h; name that file itself'
expect 3 "$ASHLAR" multiply packed.h5:/plain b.npy -o mine.h5:/g/m
says 'mine.h5: data set /g/m is behind an external link to other.h5:/h; name that file itself'
expect 3 "$ASHLAR" generate 4 3 -o mine.h5:/g/new
says 'mine.h5: data set /g/new is behind an external link to other.h5:/h; name that file itself'
cmp -s other.h5 kept.h5 || fail "another file was written through an external link"
ls -A | grep -q '^\.' && fail "left over: $(ls -A | grep '^\.')"
finish
