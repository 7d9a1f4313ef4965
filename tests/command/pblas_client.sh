#!/bin/sh
# An electronic-structure program as Debian ships it, Quantum ESPRESSO's pw.x, finds the same energy and the same bands
# of a silicon crystal with the drop-in as without.
set -u
. "$ASHLAR_SOURCE/tests/command/support.inc"
. "$ASHLAR_SOURCE/tests/command/pblas.inc"
data=$ASHLAR_SOURCE/tests/pblas
cd "$work" || exit 2

test "$ASHLAR_MPI_FAMILY" = openmpi || { echo "Debian's pw.x is linked with Open MPI alone"; exit 77; }
command -v pw.x ld1.x > /dev/null || { echo "quantum-espresso is not installed"; exit 77; }

# The pseudopotential is made here too, by the package's own program for atoms.
expect 0 ld1.x -in "$data/silicon_atom.in"
test -s Si.UPF || { fail "ld1.x made no pseudopotential"; finish; }

cat > compare.py <<'END'
import re, sys

def read(path):
    text = open(path).read()
    bands = "".join(part.split("occupation numbers")[0] for part in text.split("bands (ev):")[1:])
    return (float(re.findall(r"^!\s+total energy\s+=\s+(\S+) Ry", text, re.M)[-1]),
            [float(value) for value in re.findall(r"-?\d+\.\d{4}", bands)], "JOB DONE" in text)

(energy, bands, done), (theirs, their_bands, _) = read(sys.argv[1]), read(sys.argv[2])
assert done and len(bands) == len(their_bands) >= 24, (done, len(bands), len(their_bands))
assert abs(energy - theirs) <= 1.5e-8, (energy, theirs)  # Ry; eight decimals are printed
assert max(abs(a - b) for a, b in zip(bands, their_bands)) <= 1.5e-4  # eV; four are
END

# crystal LINE...: the points of the Brillouin zone decide whether matrices are real. Eigenvectors of complex ones are
# found by way of real ones too.
crystal()
{
    { cat "$data/silicon_cell.in"; printf '%s\n' "$@"; } > pw.in
    expect 0 "$ASHLAR_LAUNCH" 4 pw.x -ndiag 4 -in pw.in
    cp out plain
    prints 'scalapack distributed-memory algorithm'
    preloaded 4 pw.x -ndiag 4 -in pw.in
    python3 compare.py out plain || fail "$ran: not what plain ScaLAPACK gives"
    served pdgemm 50
}

crystal 'K_POINTS gamma'
crystal 'K_POINTS automatic' '1 1 1 1 1 1'
finish_preloaded
