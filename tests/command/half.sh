#!/bin/sh
# ashlar with files of 16-bit numbers: results are those of numpy, which computes with the same numbers as floats.
set -u
. "$ASHLAR_SOURCE/tests/command/support.inc"
cd "$work" || exit 2
/usr/bin/python3 -c 'import h5py, numpy' 2> note || { echo "skipped: $(tail -1 note)"; exit 77; }

# Small integers, so that sums are exact; B has subnormal numbers, as multiples of the smallest.
/usr/bin/python3 - << 'EOF' || fail "the files are not made"
import h5py
import numpy as np

random = np.random.default_rng(3)
a = random.integers(-4, 5, (60, 70)).astype("f2")
b = (random.integers(-4, 5, (70, 50)) * 2.0 ** -24).astype("f2")
t, u = (random.integers(-4, 5, shape).astype("f2") for shape in ((9, 12, 11), (12, 7, 11)))
np.save("a.npy", a)
np.save("at.npy", np.asfortranarray(a))
np.save("abig.npy", a.astype(">f2"))
np.save("t.npy", np.asfortranarray(t))
np.save("c.npy", a.astype("f4") @ b.astype("f4"))
np.save("d.npy", np.einsum("aib,icb->ca", t.astype("f4"), u.astype("f4")))
np.save("v.npy", np.einsum("aib,icb->ca", t[1:6].astype("f4"), u.astype("f4")))
np.save("a4.npy", a.astype("f4"))
with h5py.File("x.h5", "w") as file:
    file["b"] = b
    file["big"] = b.astype(">f2")
    file.create_dataset("chunked", data=b, chunks=(16, 9))
    file.create_dataset("packed", data=b.astype(">f2"), chunks=(16, 9), compression="gzip", shuffle=True)
    file.create_dataset("u", data=u, chunks=(5, 3, 4))
    file["t"] = t
EOF

same() {
    /usr/bin/python3 - "$1" "$2" << 'EOF' || fail "$ran: $1 is not $2"
import sys
import numpy as np
found, wanted = (np.load(name) for name in sys.argv[1:])
sys.exit(found.dtype != np.dtype("f4") or not np.array_equal(found, wanted))
EOF
}

for ranks in 1 3; do
    for memory in "" "--memory=8KiB"; do
        for pair in a.npy=b at.npy=big abig.npy=chunked at.npy=packed; do
            test "$pair$memory" = "at.npy=packed--memory=8KiB" && continue # an unpacked chunk needs more
            expect 0 launch $ranks "$ASHLAR" multiply "${pair%=*}" x.h5:/"${pair#*=}" -o out.npy --check $memory
            same out.npy c.npy
            case $memory in
            "") prints '^problem   h NN' ;; # as they are
            *) prints '^problem   s NN' ;;  # as floats, in pieces
            esac
        done
        expect 0 launch $ranks "$ASHLAR" contract 'aib,icb->ca' t.npy x.h5:/u -o out.npy $memory
        same out.npy d.npy
        expect 0 launch $ranks "$ASHLAR" contract 'aib,icb->ca' 'x.h5:/t[1:6,:,:]' x.h5:/u -o out.npy $memory
        same out.npy v.npy
    done
done

# On a device, with its own floats for sums; if it fails, the host goes on.
for device in emulated emulated:fail-copy=7; do
    expect 0 launch 3 "$ASHLAR" multiply a.npy x.h5:/big -o out.npy --check --device $device --device-memory 4kB
    same out.npy c.npy
    prints '^problem   h NN'
    prints '^products  on the devices of 3 of 3 ranks'
done

# Generated matrices and tensors: values that float16 has, the same in each format, and products of them.
generate() { "$ASHLAR" generate "$@" || fail "generate $*"; }
generate 60 70 -o r.npy --type h --seed 7
generate 60 70 -o f.npy --type h --seed 7 --order F
generate 60 70 -o g.h5:/r --type h --seed 7
generate 60 70 -o i.npy --type h --kind integers
generate 70 50 -o g.h5:/i --type h --kind integers --seed 1
generate --shape 9x12x11 -o g.h5:/t --type h
generate 0 7 -o empty.npy --type h
generate 3 700001 -o wide.npy --type h
/usr/bin/python3 - << 'EOF' || fail "the generated files"
import h5py
import numpy as np

r, f, i, wide, empty = (np.load(name) for name in ("r.npy", "f.npy", "i.npy", "wide.npy", "empty.npy"))
file = h5py.File("g.h5", "r")
assert all(x.dtype == np.dtype("<f2") for x in (r, f, i, wide, empty, file["r"], file["i"], file["t"])), "types"
assert np.array_equal(r, f) and f.flags.f_contiguous and np.array_equal(r, file["r"]), "one matrix"
assert set(np.unique(wide.astype("f8") * 2 ** 10)) == set(range(-1024, 1024)), "uniform"
assert np.unique(i).tolist() == list(range(-4, 5)) and file["t"].shape == (9, 12, 11)
np.save("e.npy", i.astype("f4") @ file["i"][...].astype("f4"))
EOF
expect 0 launch 3 "$ASHLAR" multiply i.npy g.h5:/i -o out.npy --check
same out.npy e.npy
prints '^problem   h NN'
expect 2 "$ASHLAR" generate 3 4 -o none.npy --type b
says "type is 'b', wanted s|d|c|z|h"
expect 2 "$ASHLAR" generate 3 4 -o none.mtx --type h
says 'Matrix Market files have no numbers of type h'
expect 2 "$ASHLAR" generate 3 4 -o none.h5:/x --type h --tiling even:2
says 'type=h .float16. is not for --tiling'
for x in none.npy none.mtx none.h5; do
    [ -e $x ] && fail "a file that was refused exists: $x"
done

printf '30 30\n35 35\n' > cuts.txt
for a in a a4; do
    expect 0 "$ASHLAR" tile $a.npy --cuts cuts.txt -o $a.h5:/x
    expect 0 "$ASHLAR" show $a.h5:/x
    cp out $a.txt
    expect 0 "$ASHLAR" untile $a.h5:/x -o out.npy
    same out.npy a4.npy
done
cmp -s a.h5 a4.h5 || fail "tiles of 16-bit numbers are not those of the floats"
head -c 8000 a.npy > short.npy
expect 3 "$ASHLAR" multiply short.npy x.h5:/b -o none.npy
says 'short.npy: truncated: 60 x 70 elements need 8400 bytes'
[ -e none.npy ] && fail "an output of a run that was refused"
finish
