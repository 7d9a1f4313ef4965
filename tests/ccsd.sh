#!/bin/sh
# The example of coupled cluster on two electrons in two orbitals, for which it is exact: ccsd.sh LAUNCH CCSD ASHLAR.
# An FCIDUMP with Fortran's exponents, the same in HDF5, and what is wrong or cannot be had is said.
set -u
launch=$1 ccsd=$2 ashlar=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
fail() { echo "$*"; cat out err; exit 1; }

# The determinants of two electrons in one orbital or the other differ by 2 d and are coupled by k = (12|12).
cat > make.py << 'END'
import math, struct
h, j11, j22, j12, k, core = (-1.25, -0.475), 0.675, 0.7, 0.665, 0.18125, 0.7
two = {(1, 1, 1, 1): j11, (2, 2, 2, 2): j22, (2, 2, 1, 1): j12, (2, 1, 2, 1): k}
def fcidump(name, coupling, exponent):
    with open(name, "w") as f:
        f.write(" &FCI NORB=2,NELEC=2,MS2=0,\n &END\n")
        lines = [(x, *i) for i, x in two.items()]
        lines += [(h[0], 1, 1, 0, 0), (h[1], 2, 2, 0, 0), (coupling, 2, 1, 0, 0), (core, 0, 0, 0, 0)]
        for x, *i in lines:
            f.write(("%.15e %d %d %d %d\n" % (x, *i)).replace("e", exponent))
def npy(name, shape, values):
    head = str({"descr": "<f8", "fortran_order": False, "shape": shape}).encode()
    head += b" " * (117 - len(head)) + b"\n"
    with open(name, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack("<%dd" % len(values), *values))
fcidump("two.fcidump", 0, "D")
fcidump("coupled.fcidump", 0.01, "e")
npy("one.npy", (2, 2), (h[0], 0, 0, h[1]))
npy("electrons.npy", (), (2,))
npy("core.npy", (), (core,))
pair = {(0, 0): j11, (3, 3): j22, (0, 3): j12, (3, 0): j12, (1, 1): k, (1, 2): k, (2, 1): k, (2, 2): k}
npy("two.npy", (2,) * 4, [pair.get((pq, rs), 0) for pq in range(4) for rs in range(4)])
reference = 2 * h[0] + j11
d = (2 * h[1] + j22 - reference) / 2
print(("%.12f" % (core + reference + d - math.hypot(d, k)))[:-4])
END
energy=$(python3 -IS make.py) || exit 2

# run WORD...: on one rank.
run() {
    "$launch" 1 "$ccsd" "$@" > out 2> err
}

run two.fcidump || fail "two.fcidump"
grep -q "CCSD energy *$energy" out || fail "two.fcidump: wanted $energy"
grep -q "(T) correction *-*0[.]0*$" out || fail "two.fcidump: triples of two electrons"

for set in electrons core one two; do
    case $set in one) expression="pq->pq" ;; two) expression="pqrs->pqrs" ;; *) expression="->" ;; esac
    "$ashlar" contract -q "$expression" $set.npy -o "all.h5:/deep/$set" > out 2> err || fail "$set"
done
run all.h5:/deep || fail "all.h5"
grep -q "CCSD energy *$energy" out || fail "all.h5: wanted $energy"

run coupled.fcidump || fail "coupled.fcidump"
grep -q "^(T) is not computed: the orbitals are not canonical; .* 1[.]0e-02 off its diagonal" out || fail "coupled.fcidump"

run two.fcidump 1e-10 64MiB && fail "a memory that is no number was taken"
grep -q "usage" err || fail "usage"
exit 0
