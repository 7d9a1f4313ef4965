#!/bin/sh
# The example of coupled cluster finds the occupied orbitals in whatever order a file has its orbitals:
# ccsd_orders.sh LAUNCH CCSD WATER.
set -u
launch=$1 ccsd=$2 water=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
fail() { echo "$*"; cat out err; exit 1; }

# run RANKS WORD...
run() {
    ranks=$1
    shift
    "$launch" "$ranks" "$ccsd" "$@" > out 2> err
}

# ---- water: seven orbitals, of which the file has five occupied ones first ----

# Permuted: SEED WATER -> the new numbers of the occupied orbitals, and the file "permuted".
cat > permute.py << 'END'
import random, sys
random.seed(int(sys.argv[1]))
place = list(range(1, 8))
random.shuffle(place)
place = [0] + place
with open(sys.argv[2]) as whole, open("permuted", "w") as out:
    head, lines = whole.read().split("&END\n")
    out.write(head + "&END\n")
    for value, *index in map(str.split, lines.splitlines()):
        out.write("%s %s\n" % (value, " ".join(str(place[int(p)]) for p in index)))
print(",".join(map(str, sorted(place[1:6]))))
END

# 1-3, 5 as 1,2,3,5
spread() {
    sed -n 's/^reference: orbitals \(.*\) are occupied$/\1/p' out | tr -d ' ' |
        awk -F, '{ for (i = 1; i <= NF; i++) { split($i, a, "-"); for (p = a[1]; p <= (a[2] ? a[2] : a[1]); p++)
                   printf "%s%d", (n++ ? "," : ""), p } }'
}

# Energies within 1e-9 of those of the file as it is.
energies() { sed -n 's/^\(SCF energy\|CCSD energy\|CCSD(T) energy\)  *//p' out | tr '\n' ' '; }
near() { awk -v a="$1" -v b="$2" 'BEGIN { n = split(a, x, " "); split(b, y, " "); if (n != 3) exit 1
         for (i = 1; i <= n; i++) if (!(x[i] - y[i] < 1e-9 && y[i] - x[i] < 1e-9)) exit 1 }'; }

run 1 "$water" || fail "water"
grep -q "^reference: orbitals 1-5 are occupied$" out || fail "water: the reference"
wanted=$(energies)
for seed in 1 2 3 4 5 6 7 8; do
    occupied=$(python3 -IS permute.py $seed "$water") || exit 2
    run $((seed % 2 + 1)) permuted || fail "seed $seed"
    [ "$(spread)" = "$occupied" ] || fail "seed $seed: wanted $occupied to be occupied, not $(spread)"
    near "$wanted" "$(energies)" || fail "seed $seed: wanted $wanted, not $(energies)"
done
run 1 permuted 1e-10 18000 "$occupied" || fail "with a limit, named"
near "$wanted" "$(energies)" || fail "with a limit, named: wanted $wanted, not $(energies)"

# ---- two electrons in two orbitals of which no integral couples either to the other ----

# file NAME H11 H22 J11 J22 J12 COUPLING [E1 E2]: an exchange integral of 0.1.
file() {
    {
        printf ' &FCI NORB=2,NELEC=2,MS2=0,\n &END\n'
        printf '%s %d %d %d %d\n' "$4" 1 1 1 1 "$5" 2 2 2 2 "$6" 1 1 2 2 0.1 1 2 1 2 \
            "$2" 1 1 0 0 "$3" 2 2 0 0 "$7" 1 2 0 0
        [ $# -lt 9 ] || printf '%s %d 0 0 0\n' "$8" 1 "$9" 2
        echo 0.5 0 0 0 0
    } > "$1"
}

# occupies NAME LIST SCF [WORD...]
occupies() {
    name=$1 list=$2 scf=$3
    shift 3
    run 1 "$name" "$@" || fail "$name"
    grep -q "^reference: orbitals $list are occupied$" out || fail "$name: wanted $list to be occupied"
    grep -q "^SCF energy  *$scf" out || fail "$name: wanted an energy of $scf"
}

# Orbital 2 is the lower one. Energies of the file that are those of a pair in orbital 1 say that it is meant.
file lower -0.5 -1.25 0.7 0.7 0.6 0
occupies lower 2 -1.300000
file excited -0.5 -1.25 0.7 0.7 0.6 0 0.2 -0.15
occupies excited 1 0.200000
grep -q "^note: an occupied orbital has a higher energy than a virtual one$" out || fail "excited: no note"
occupies excited 2 -1.300000 1e-10 0 2

# A pair in either orbital has the lower energy: the first is taken, unless the file lists the energies
# of the other.
file either -1 -1.1 0.5 0.5 0.6 0
occupies either 1 -1.000000
file second -1 -1.1 0.5 0.5 0.6 0 0.1 -0.6
occupies second 2 -1.200000

# A pair in either orbital is the higher one, and the orbitals are coupled.
file neither -1 -1 2 2 0.5 0.1
run 1 neither && fail "neither: it was told which orbital is occupied"
grep -q "^ccsd: neither: which orbitals are occupied cannot be told: name them (OCCUPIED, as in 1-3,5)$" err ||
    fail "neither: the message"
[ "$(grep -c "^ccsd:" err)" -eq 1 ] || fail "neither: one message"

# Lists that are none.
for list in "" 0 3 1,2 1-2 1, 1,1 2-1 x 1x 1--1; do
    run 1 lower 1e-10 0 "$list" && fail "the list '$list' was taken"
    grep -q "^ccsd: lower: '$list' does not list 1 different orbitals of 1 to 2, as in 1-3,5$" err ||
        fail "list '$list'"
done
exit 0
