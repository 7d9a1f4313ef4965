#!/bin/sh
# The example of coupled cluster on FCIDUMPs as several programs write them: OH with an unpaired electron, and the same
# integrals over orbitals of each spin, counted together or in sections; headers and numbers in other shapes; and what
# is refused. The reference energies of OH are those of Psi4 1.3.2: ccsd_open.sh LAUNCH CCSD WATER OH.
set -u
launch=$1 ccsd=$2 water=$3 oh=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
fail() { echo "$*"; cat out err; exit 1; }

# Rewritten: FILE NAME KIND. KIND: together, sections, fortran, dollar, spaced, again.
cat > rewrite.py << 'END'
import re, sys
source, name, kind = sys.argv[1:]
head, body = re.split(r"&END\n", open(source).read())
number = lambda what: int(re.search(what + r" *= *(-?\d+)", head).group(1))
lines = [(x.split()[0], *map(int, x.split()[1:])) for x in body.splitlines()]
n, electrons, spin = number("NORB"), number("NELEC"), number("MS2")
two = [x for x in lines if x[3]]
one = [x for x in lines if x[2] and not x[3]]
core = [x for x in lines if not x[1]]
row = lambda x: "%s %d %d %d %d\n" % tuple(x)
with open(name, "w", newline="") as f:
    if kind == "together":
        f.write("&FCI\nNORB=%d,\nNELEC=%d,\nMS2=%d,\nUHF=.TRUE.,\n&END\n" % (2 * n, electrons, spin))
        put = lambda p, s: 2 * p - 1 + s if p else 0
        for x, p, q, r, s in two:
            for a in range(2):
                for b in range(2):
                    f.write(row((x, put(p, a), put(q, a), put(r, b), put(s, b))))
        for x, p, q, r, s in one:
            for a in range(2):
                f.write(row((x, put(p, a), put(q, a), 0, 0)))
        f.write(row(core[0]))
    elif kind == "sections":
        f.write(" &FCI NORB=%d,NELEC=%d,MS2=%d,\n  ORBSYM=%s\n  ISYM=1,IUHF=1\n /\n" %
                (n, electrons, spin, "1," * n))
        for section in (two, two, two + [(x[0], x[3], x[4], x[1], x[2]) for x in two if x[1:3] != x[3:5]], one, one):
            f.write("".join(map(row, section)) + row(("0.0", 0, 0, 0, 0)))
        f.write(row(core[0]))
    else:
        if kind == "fortran":
            f.write(" &fci norb=%d,nelec=%d,\r\n  orbsym=%s\r\n  isym=1\r\n /\r\n" % (n, electrons, "1," * n))
        elif kind == "dollar":
            f.write(" $FCI NORB = %d, NELEC = %d, MS2 = 0, ORBSYM = %s ISYM = 1 $END\n" % (n, electrons, "1, " * n))
        elif kind == "spaced":
            f.write("&FCI\n  NORB = %d\n  NELEC = %d\n  MS2 = 0\n  UHF = .false.\n  ORBSYM = %s\n/\n" %
                    (n, electrons, "1 " * n))
        else:
            f.write(" &FCI NORB=%d,NELEC=%d,MS2=0,UHF=F,ORBSYM=%s,ISYM=1,NPROP=1 1 1,\n &END\n" %
                    (n, electrons, "1," * n))
        for x in (reversed(lines) if kind == "again" else lines):
            value, index = x[0], x[1:]
            if kind == "fortran":
                value = value.upper().replace("E", "D")
            f.write("  " + row((value, *index)).replace("\n", "\r\n" if kind == "fortran" else "\n"))
            if kind == "again" and index[2]:  # all images
                f.write(row((value, *index[2:], *index[:2])) if index[3] else "")
END

run() { "$launch" "$1" "$ccsd" "$2" > out 2> err || fail "$2"; }
near() { # NAME WANTED
    awk -v name="$1" -v wanted="$2" '
         index($0, name) == 1 { found = 1; d = $NF - wanted; bad = !(d < 1e-9 && d > -1e-9) }
         END { exit !found || bad }' out || fail "wanted $1 $2"
}

run 1 "$oh"
near "SCF energy" -74.361561957980
near "CCSD correlation" -0.025622384254
grep -q "^(T) is not computed" out || fail "triples of orbitals that are not canonical"
for kind in together sections; do
    python3 -IS rewrite.py "$oh" $kind $kind || exit 2
    run 2 $kind
    near "SCF energy" -74.361561957980
    near "CCSD correlation" -0.025622384254
done

run 1 "$water"
energy=$(sed -n 's/^CCSD(T) energy *//p' out)
for kind in together sections fortran dollar spaced again; do
    python3 -IS rewrite.py "$water" $kind $kind || exit 2
    run 1 $kind
    near "CCSD(T) energy" "$energy"
done

# refuse PATTERN SED: water with another header
refuse() {
    sed "$2" "$water" > refused
    "$launch" 1 "$ccsd" refused > out 2> err && fail "$2: not refused"
    grep -q "$1" err || fail "$2"
}
refuse "line 1: wanted MS2 and the number of electrons" 's/MS2=0/MS2=1/'
refuse "line 1: wanted MS2 and the number of electrons" 's/MS2=0/MS2=12/'
refuse "line 1: wanted at least 2 electrons" 's/NELEC=10/NELEC=11/'
refuse "line 1: wanted as many orbitals" 's/MS2=0/MS2=0,UHF=.TRUE./'
exit 0
