#!/bin/sh
# Files of matrices of tiles that are wrong or cut short, for every command that reads them and on 1, 3 and 4 ranks: one
# line that names the file, status 3, no rank that waits for ever, and an output that is there stays as it was.
. "$ASHLAR_SOURCE/tests/command/support.inc"
cd "$work" || exit 2

ranks() {
    launch "$@" 2> lines
    status=$?
    grep -q 'HDF5-DIAG' lines && echo 'HDF5 says something' >&2
    grep '^ashlar' lines >&2
    return $status
}

# All tiles of A are there, and of L, of which 8 are of rank 1. Each list of numbers lies in one piece in the file.
cat > make.py << 'END'
from npy import save
save("a.npy", 26, 24, lambda i, j: i + j % 5 + 1)
save("l.npy", 26, 24, lambda i, j: (i % 7 + 1) * (j % 5 + 1))
save("b.npy", 24, 11, lambda i, j: i - j)
END
PYTHONPATH="$ASHLAR_SOURCE/tests/command" PYTHONDONTWRITEBYTECODE=1 python3 make.py || fail "make.py"
printf '5 11 2 8\n3 9 12\n' > a.txt
printf '3 9 12\n4 7\n' > b.txt
expect 0 "$ASHLAR" tile a.npy --cuts a.txt -o A.h5:/A
expect 0 "$ASHLAR" tile l.npy --cuts a.txt -o L.h5:/A --tolerance 1e-9
expect 0 "$ASHLAR" tile b.npy --cuts b.txt -o B.h5:/B
expect 0 "$ASHLAR" multiply A.h5:/A B.h5:/B -o C.h5:/C
expect 0 "$ASHLAR" untile A.h5:/A -o c.npy
expect 0 "$ASHLAR" show L.h5:/A --svg c.svg
prints 'low rank  8 tiles are stored as U V\^T, of rank 1 to 1$'
cp A.h5 W.h5

# In every list some numbers are others: change.py SOURCE LIST POSITION VALUE.
cat > change.py << 'END'
import struct, sys
rows, cols = [5, 11, 2, 8], [3, 9, 12]
sizes = [r * c for r in rows for c in cols]
lists = {"rows": rows, "cols": cols, "starts": [3 * r for r in range(5)], "columns": [0, 1, 2] * 4,
         "offsets": [sum(sizes[:t]) for t in range(13)], "ranks": [-1] + [1] * 5 + [-1] * 3 + [1] * 3}
source, name, at, value = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
data, old = open(source, "rb").read(), lists[name]
old = struct.pack("<%dq" % len(old), *old)
assert data.count(old) == 1, (name, data.count(old))
new = list(lists[name])
new[at] = value
open("W.h5", "wb").write(data.replace(old, struct.pack("<%dq" % len(new), *new)))
END

# What a command on N ranks says and leaves.
refuses() { # RANKS PATTERN COMMAND...
    n=$1 pattern=$2
    shift 2
    if test "$n" -eq 0; then expect 3 timeout 60 "$@"; else expect 3 ranks "$n" timeout 60 "$@"; fi
    says "$pattern"
}

# Files are read on 1, 3 and 4 ranks by turns.
turn=3
wrong() { # PATTERN, of W.h5:/A
    cat C.h5 c.npy c.svg > before
    ls -A > names
    case $turn in 1) turn=3 ;; 3) turn=4 ;; *) turn=1 ;; esac
    refuses $turn "^ashlar multiply: .*$1" "$ASHLAR" multiply W.h5:/A B.h5:/B -o C.h5:/C
    refuses $turn "^ashlar untile: .*$1" "$ASHLAR" untile W.h5:/A -o c.npy
    refuses 4 "^ashlar multiply: .*$1" "$ASHLAR" multiply B.h5:/B W.h5:/A --transa T --transb T -o C.h5:/C
    refuses 3 "^ashlar show: .*$1" "$ASHLAR" show W.h5:/A --svg c.svg
    refuses 0 "^ashlar plan: .*$1" "$ASHLAR" plan W.h5:/A B.h5:/B --ranks 4
    refuses 0 "^ashlar plan: .*$1" "$ASHLAR" plan B.h5:/B W.h5:/A --transa T --transb T --ranks 3
    refuses 0 "^ashlar simulate: .*$1" "$ASHLAR" simulate W.h5:/A B.h5:/B --ranks 4
    cat C.h5 c.npy c.svg > after
    cmp -s before after || fail "$1: an output is not as it was"
    ls -A | grep -v '^after$' > left
    grep -v '^after$' names | cmp -s - left || fail "$1: $(diff names left)"
}

touch before after left names lines out err
changed() { # SOURCE LIST POSITION VALUE PATTERN
    python3 change.py "$1" "$2" "$3" "$4" || fail "change $2"
    wrong "$5"
}
changed A.h5 rows 1 -11 'W.h5: .*the rows: tile 1 has the size -11'
changed A.h5 rows 3 9223372036854775807 'W.h5: .*the rows are more than 2\^63 - 1'
changed A.h5 cols 0 4 'W.h5: .*tile \(0, 1\) begins at element 15, wanted 20'
changed A.h5 starts 2 1000 'W.h5: .*row_starts'
changed A.h5 columns 4 0 'W.h5: .*columns 0 and 0 of row 1 do not ascend'
changed A.h5 columns 11 3 'W.h5: .*tile 11 is in column 3, of 3 columns'
changed A.h5 offsets 5 7 'W.h5: .*begins at element 7, wanted '
changed L.h5 ranks 4 4611686018427387904 'W.h5: .*tile \(1, 1\) has rank 4611686018427387904, wanted '
changed L.h5 ranks 2 -2 'W.h5: .*tile \(0, 2\) has rank -2, wanted -1'
changed L.h5 ranks 11 0 'W.h5: .*offsets'

# Cut short: the lists, or the elements.
bytes=$(wc -c < A.h5)
for keep in 0 100 $((bytes / 2)) $((bytes - 1)); do
    head -c "$keep" A.h5 > W.h5
    wrong W.h5
done
finish
