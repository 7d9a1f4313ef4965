#!/bin/sh
# ashlar multiply of matrices that do not fit in the memory given: streamed from their files, in the words and the
# memory that were predicted. Integers, so that products are exact.
set -u
. "$ASHLAR_SOURCE/tests/command/support.inc"
product() { python3 "$ASHLAR_SOURCE/tests/command/product.py" "$@"; }
cd "$work" || exit 2

generate() { "$ASHLAR" generate --quiet "$@" || fail "generate $*"; }

# on RANKS BYTES ARGUMENT...: multiply in so many bytes a rank. Measured is predicted, and the limit is kept.
on()
{
    ranks=$1 limit=$2
    shift 2
    set -- "$ASHLAR" multiply "$@" --memory "$limit" --stats stats.json
    test "$ranks" -eq 1 || set -- "$ASHLAR_LAUNCH" "$ranks" "$@"
    expect 0 "$@"
    ran="$ranks ranks, $limit: $*"
    prints '^plan      sequential, .*: .*tiles of '
    prints '^cache     seconds are predicted as if every word of files were read from the disk each time$'
    awk '/^  (words|messages|disk)/ && $(NF) != $(NF - 1) { bad = 1 }
         /^  disk words/ { disk = $(NF) }
         END { exit bad || !disk }' out || fail "$ran: measured is not predicted: $(cat out)"
    python3 - "$limit" <<'END' || fail "$ran: the figures of --stats"
import json, sys
d = json.load(open("stats.json"))
plan, found = d["strategies"][0], d["measured"]
assert d["chosen"] == plan["name"] == "sequential", d["chosen"]
assert plan["disk_words"] == found["disk_words"] > 0 and plan["memory_words"] == found["memory_words"] > 0
assert found["words_total"] == plan["words_total"] and plan["seconds"] > 0 and found["seconds"] > 0
bytes = {"s": 4, "d": 8, "c": 8, "z": 16}[d["problem"]["type"]]
assert found["memory_words"] * bytes <= int(sys.argv[1]), found["memory_words"]
END
}

# Every type, in both orders, shapes that nothing divides, from almost no memory to almost enough.
for type in s d c z; do
    generate 23 31 -o a.$type.npy --type $type --kind integers --seed 1
    generate 31 19 -o b.$type.npy --type $type --kind integers --seed 2 --order F
    generate 23 19 -o c0.$type.npy --type $type --kind integers --seed 3
    generate 31 23 -o at.$type.npy --type $type --kind integers --seed 4 --order F
    generate 19 31 -o bt.$type.npy --type $type --kind integers --seed 5
done
for case in "1 24" "3 24" "1 800" "3 3333"; do
    # shellcheck disable=SC2086 # two words
    on $case a.d.npy b.d.npy -o c.npy
    product a.d.npy b.d.npy c.npy || fail "$ran"
done
for type in s c; do
    on 1 1600 a.$type.npy b.$type.npy -o c.npy
    product a.$type.npy b.$type.npy c.npy || fail "$ran"
done

# Ops and scalars, with the output in either order (it follows A's).
for case in "d 1 a N b N" "d 1 at T b N" "d 1 a N bt T" "z 3 at C bt C" "z 1 a N bt C" "z 1 at C b N"; do
    # shellcheck disable=SC2086 # six words
    set -- $case
    on $2 1999 $3.$1.npy $5.$1.npy -o c.npy --transa $4 --transb $6 --alpha -2 --beta 3 --add c0.$1.npy
    product $3.$1.npy $5.$1.npy c.npy $4 $6 -2 3 c0.$1.npy || fail "$ran"
done
on 1 999 at.z.npy bt.z.npy -o c.npy --transa C --transb C --alpha 2,-1 --beta 0,1 --add c0.z.npy
product at.z.npy bt.z.npy c.npy C C 2,-1 0,1 c0.z.npy || fail "$ran"
for beta in 0 1 5; do # without products, and where C0 is not read
    on 1 160 a.d.npy b.d.npy -o c.npy --alpha 0 --beta $beta --add c0.d.npy
    product a.d.npy b.d.npy c.npy N N 0 $beta c0.d.npy || fail "$ran"
done
on 1 160 a.d.npy b.d.npy -o c.npy --beta 0 --add c0.d.npy
product a.d.npy b.d.npy c.npy || fail "$ran"

# Nothing to multiply: C is written in pieces within the limit, or without one, and A and B are not read. Behind their
# headers these have no numbers.
for size in "23 0" "0 19" "0 31"; do
    # shellcheck disable=SC2086 # two words
    generate $size -o "$(echo $size | tr ' ' x).npy" --kind integers
done
for size in "23 31" "31 19" "31 0"; do
    # shellcheck disable=SC2086 # two words
    { echo '%%MatrixMarket matrix array real general'; echo $size; yes none | head -n 800; } > "$(echo $size | tr ' ' x).mtx"
done
for out in c.npy c.h5:/c c.mtx; do
    on 3 160 23x0.npy 0x19.npy -o $out --add c0.d.npy --beta 5 --strategy cosma
    expect 0 "$ASHLAR" multiply 23x0.npy 0x19.npy -o copy.npy --add $out
    product 23x0.npy 0x19.npy copy.npy N N 1 5 c0.d.npy || fail "$ran"
    on 3 4096 23x31.mtx 31x19.mtx -o $out --alpha 0
    expect 0 "$ASHLAR" multiply 23x0.npy 0x19.npy -o copy.npy --add $out
    product 23x0.npy 0x19.npy copy.npy || fail "$ran"
    expect 0 "$ASHLAR" multiply 0x31.npy 31x19.mtx -o $out --memory 8
    prints '^  disk words +0 +0$'
    expect 0 "$ASHLAR_LAUNCH" 3 "$ASHLAR" multiply 23x31.mtx 31x0.mtx -o $out --memory 8 --grid 1x1x1
    prints '^  words held at once +0 +0$'
done
expect 2 "$ASHLAR" multiply 23x0.npy 0x19.npy -o c.npy --strategy guessing
says "--strategy is 'guessing', wanted cosma"

# The other formats, read and written: all ranks write. Columns of text are parsed whole, so C may be cut by columns.
generate 23 31 -o a.h5:/m/a --kind integers --seed 1
generate 31 19 -o b.mtx --kind integers --seed 2
for case in "3 1600 c.h5:/deep/c" "3 200 c.mtx" "1 1600 c.mtx"; do
    # shellcheck disable=SC2086 # three words
    set -- $case
    on $1 $2 a.h5:/m/a b.mtx -o $3
    prints "^plan +sequential, grid ($1x1|1x$1)x1,"
    expect 0 "$ASHLAR" multiply a.d.npy b.d.npy -o copy.npy --alpha 0 --add $3
    product a.d.npy b.d.npy copy.npy || fail "$case"
done

# Ranks that have disks of their own read for themselves; others read each word once for all.
on 3 1600 a.d.npy b.d.npy -o c.npy --local-disks
prints '^plan .* streamed from the files, by each rank from its own disk: tiles of '
prints '^  words, total +0 +0$'
product a.d.npy b.d.npy c.npy || fail "$ran"
on 3 1600 a.d.npy b.d.npy -o c.npy
prints '^plan .* streamed from the files, each word of a slab by one rank for all: tiles of '

# Asked for by name, without need; and what cannot be done.
expect 0 "$ASHLAR" multiply a.d.npy b.d.npy -o c.npy --strategy sequential
prints 'streamed from the files'
product a.d.npy b.d.npy c.npy || fail "$ran"
cp c.npy before.npy
expect 1 "$ASHLAR" multiply a.d.npy b.d.npy -o c.npy --memory 16
says 'sequential: 2 words a rank are too few even .*: 3 would do \(a word is 8 bytes\)'
expect 1 "$ASHLAR" multiply a.d.npy b.d.npy -o c.npy --memory 800 --strategy cosma
says ': 100 words a rank are too few for .*: [0-9]+ would do \(a word is 8 bytes\)'
expect 1 "$ASHLAR" multiply a.d.npy b.d.npy -o c.npy --memory 800 --grid 1x1x1
says ': 100 words a rank are too few for .*: [0-9]+ would do \(a word is 8 bytes\)'
cmp -s c.npy before.npy || fail "an output was touched by a run that failed"

# A product is checked before it has its name: read back from any format, with all ops, scalars and types, over
# dimensions longer than what is looked at together, and where rounding errs.
checked()
{
    on "$@" --check
    prints '^check     passed: 8 random vectors'
    python3 -c 'import json; assert json.load(open("stats.json"))["check"]["passed"]' || fail "$ran: --stats"
}
for case in "d 1 a N b N" "s 3 at T b N" "c 3 a N bt C" "z 1 at C bt T"; do
    # shellcheck disable=SC2086 # six words
    set -- $case
    checked $2 1999 $3.$1.npy $5.$1.npy -o c.npy --transa $4 --transb $6 --alpha -2 --beta 3 --add c0.$1.npy
    product $3.$1.npy $5.$1.npy c.npy $4 $6 -2 3 c0.$1.npy || fail "$ran"
done
checked 3 160 a.d.npy b.d.npy -o c.npy --alpha 0 --beta 5 --add c0.d.npy
checked 1 160 a.d.npy b.d.npy -o c.npy --beta 0 --add c0.d.npy
checked 3 999 at.z.npy bt.z.npy -o c.npy --transa C --transb C --alpha 2,-1 --beta 0,1 --add c0.z.npy
checked 3 1600 a.h5:/m/a b.mtx -o a.h5:/m/c
checked 3 1600 a.d.npy b.mtx -o c.mtx --add a.h5:/m/c
checked 1 800 a.s.npy b.s.npy -o c.mtx
generate 20000 6 -o tall.npy --seed 6
generate 6 20000 -o wide.npy --seed 7 --order F
generate 6 6 -o small.npy --seed 8
checked 3 65536 tall.npy small.npy -o long.npy --add tall.npy
checked 3 65536 small.npy wide.npy -o long.npy --beta -1 --add wide.npy
checked 3 65536 wide.npy tall.npy -o short.npy --alpha 3

# What does not pass is not written. (A product gone wrong is for tests/mpi/freivalds.c: the command makes none.)
python3 - <<'END'
data = bytearray(open("a.d.npy", "rb").read())
data[-8:] = bytes(6) + b"\xf0\x7f"
open("infinite.npy", "wb").write(data)
END
cp c.npy before.npy
for case in "1 c.npy" "3 c.npy" "3 none.npy" "3 none.mtx" "1 none.h5:/x"; do
    # shellcheck disable=SC2086 # two words
    set -- $case
    expect 1 "$ASHLAR_LAUNCH" $1 "$ASHLAR" multiply infinite.npy b.d.npy -o $2 --memory 800 --check
    grep -q 'the check failed: row 22 of C, .*; nothing was written' err || fail "$ran: $(cat err)"
done
cmp -s c.npy before.npy || fail "an output was replaced by what did not pass"
test -z "$(find . -name '*none.*')" || fail "an output was left of what did not pass: $(echo ./*none.*)"

# The memory of the process, not only what it counts: matrices of 54 MB in 2 MiB.
generate 1500 1500 -o big.npy --seed 1
cat > peak.py <<'END'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
END
small=$(python3 peak.py "$ASHLAR" multiply a.d.npy b.d.npy -o c.npy --memory 800)
large=$(python3 peak.py "$ASHLAR" multiply big.npy big.npy -o c.npy --memory 2MiB)
test $((large - small)) -lt 20480 || fail "in 2 MiB: a peak of $large KiB, where a tiny product has $small"
large=$(python3 peak.py "$ASHLAR" multiply big.npy big.npy -o c.npy --memory 2MiB --check)
test $((large - small)) -lt 34816 || fail "checked in 2 MiB: a peak of $large KiB, where a tiny product has $small"
finish
