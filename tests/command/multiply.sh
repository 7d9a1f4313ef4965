#!/bin/sh
# ashlar multiply, right input: types, ops, scalars, formats, ranks, transports; integers, so that products are exact.
set -u
. "$ASHLAR_SOURCE/tests/command/support.inc"
product() { python3 "$ASHLAR_SOURCE/tests/command/product.py" "$@"; }
cd "$work" || exit 2

generate() { "$ASHLAR" generate --kind integers "$@" || fail "generate $*"; }

# on RANKS ARGUMENT...: multiply with the check, which must pass. What was measured is what was predicted.
on()
{
    ranks=$1
    shift
    launch "$ranks" "$ASHLAR" multiply "$@" --check > out 2> err || fail "$ranks ranks: $*: $(cat err)"
    grep -q '^check     passed' out || fail "$ranks ranks: $*: no check passed"
    case "$*" in *--alpha\ 0*) return ;; esac # nothing is sent, whatever the plan
    awk '/^  (words,|messages)/ && $(NF) != $(NF - 1) { bad = 1 } END { exit bad }' out ||
        fail "$ranks ranks: $*: measured is not predicted: $(cat out)"
}

# Every type, and shapes that nothing divides, at many rank counts.
for type in s d c z; do
    generate 23 31 -o a.$type.npy --type $type --seed 1
    generate 31 19 -o b.$type.npy --type $type --seed 2 --order F
    generate 23 19 -o c0.$type.npy --type $type --seed 3
    generate 31 23 -o at.$type.npy --type $type --seed 4 --order F
    generate 19 31 -o bt.$type.npy --type $type --seed 5
done
# As a user starts it: without the settings that shorten the start of MPI in tests.
env -u OMPI_MCA_pml -u OMPI_MCA_ess_singleton_isolated \
    "$ASHLAR" multiply a.d.npy b.d.npy -o alone.npy --quiet > out 2> err || fail "without a launcher: $(cat err)"
[ -s err ] && fail "stderr without a launcher: $(cat err)"
product a.d.npy b.d.npy alone.npy || fail "without a launcher"
for ranks in 2 3 4 6 7; do
    on $ranks a.d.npy b.d.npy -o c.npy
    cmp -s c.npy alone.npy || fail "$ranks ranks: not what one rank makes of integers"
done

# Ops, scalars and types.
on 3 at.z.npy bt.z.npy -o c.npy --transa C --transb T --alpha 2,-1 --beta 0,3 --add c0.z.npy
product at.z.npy bt.z.npy c.npy C T 2,-1 0,3 c0.z.npy || fail "z CT"
on 4 at.c.npy bt.c.npy -o c.npy --transa T --transb C --alpha -1.5 --add c0.c.npy
product at.c.npy bt.c.npy c.npy T C -1.5 1 c0.c.npy || fail "c TC"
on 2 a.s.npy bt.s.npy -o c.npy --transb C --alpha=2
product a.s.npy bt.s.npy c.npy N C 2 || fail "s NC"
on 6 at.d.npy b.d.npy -o c.npy --transa T --beta 0.5 --add c0.d.npy
product at.d.npy b.d.npy c.npy T N 1 0.5 c0.d.npy || fail "d TN"
on 2 a.d.npy b.d.npy -o c.npy --alpha 0 --beta -2 --add c0.d.npy
product a.d.npy b.d.npy c.npy N N 0 -2 c0.d.npy || fail "alpha 0"

# The largest scalar that a type holds is no mistake, nor is a part that is lost beside another.
generate 1 1 -o zero.npy --type c --kind uniform
on 1 a.s.npy b.s.npy -o c.npy --alpha 0 --add c0.s.npy --beta 0
on 1 zero.npy zero.npy -o c.npy --alpha=-3.4028235e38,0 --beta 1,1e-60 --add zero.npy
on 1 a.s.npy b.s.npy -o c.npy --alpha 1e-45

# Ways of working: each gives the same.
on 4 a.d.npy b.d.npy -o c.npy --transport one-sided && cmp -s c.npy alone.npy || fail "one-sided"
on 6 a.d.npy b.d.npy -o c.npy --route tree && cmp -s c.npy alone.npy || fail "tree"
on 7 a.d.npy b.d.npy -o c.npy --objective words --idle 0.5 --window 1 && cmp -s c.npy alone.npy || fail "words"
on 4 a.d.npy b.d.npy -o c.npy --grid 2x1x2 --strategy cosma --threads 1 && cmp -s c.npy alone.npy || fail "grid"
grep -q 'grid 2x1x2' out || fail "--grid is not used"

# Every strategy, in every type, with ranks that idle in some; and why one does not serve.
for strategy in summa 2.5d carma uneven cannon sd_cannon tpmm; do
    types="c"
    test $strategy = summa && types="s d c z"
    for type in $types; do
        on 4 a.$type.npy b.$type.npy -o c.npy --strategy $strategy --stats stats.json
        product a.$type.npy b.$type.npy c.npy || fail "$strategy, $type"
        grep -q "\"chosen\": \"$strategy\"" stats.json || fail "$strategy was not chosen"
    done
done
for strategy in summa carma uneven cannon sd_cannon tpmm 2.5d; do
    on 7 a.d.npy b.d.npy -o c.npy --strategy $strategy && cmp -s c.npy alone.npy || fail "$strategy on 7 ranks"
done
grep -q '^plan .*; 3 of 7 ranks idle' out || fail "2.5d does not say that ranks idle: $(cat out)"
launch 6 "$ASHLAR" multiply a.d.npy b.d.npy -o c.npy --strategy carma --grid 1x2x3 > out 2> err
[ $? -eq 2 ] || fail "carma with a grid is served"
grep -q '^ashlar multiply: carma boxes are no grid, but one is asked for$' err || fail "carma with a grid: $(cat err)"

# A memory limit: the least that the error names is met, and kept.
launch 4 "$ASHLAR" multiply a.d.npy b.d.npy -o c.npy --memory 2kB --strategy cosma > out 2> err && fail "2 kB"
[ "$(grep -c '^ashlar multiply:' err)" -eq 1 ] || fail "2 kB: $(cat err)"
least=$(sed -n 's/.*: \([0-9]*\) would do.*/\1/p' err)
[ -n "$least" ] || fail "the least memory is not named: $(cat err)"
on 4 a.d.npy b.d.npy -o c.npy --memory $((${least:-1000} * 8)) && cmp -s c.npy alone.npy || fail "least memory"
awk -v least="${least:-0}" '/words held at once/ && $(NF) > least { bad = 1 } END { exit bad }' out ||
    fail "more than $least words: $(cat out)"

# Formats mixed. Rank 0 writes Matrix Market; it and HDF5 are read back through --add.
generate 23 31 -o data.h5:/in/a --seed 1
generate 31 19 -o b.mtx --seed 2
on 3 data.h5:/in/a b.mtx -o data.h5:/out
on 4 data.h5:/in/a b.d.npy -o c.mtx
on 2 data.h5:/in/a b.mtx -o back.npy --alpha 0 --add data.h5:/out && cmp -s back.npy alone.npy || fail "HDF5"
on 3 data.h5:/in/a b.mtx -o back.npy --alpha 0 --add c.mtx && cmp -s back.npy alone.npy || fail "Matrix Market"

# The output may be an input; more than one band of it; a column longer than a band. One run is checked; that the others
# have the same output says more than a check of each, which takes several seconds at this size.
unchecked()
{
    launch "$@" > out 2> err || fail "$*: $(cat err)"
}
generate 31 31 -o e.npy --seed 8
on 2 e.npy e.npy -o e.npy
generate 1100003 2 -o long.npy --type d
generate 2 2 -o two.npy --type d
unchecked 2 "$ASHLAR" multiply long.npy two.npy -o long.mtx --quiet
unchecked 2 "$ASHLAR" multiply long.npy two.npy -o long.h5:/x --quiet
on 3 long.npy two.npy -o one.npy
unchecked 2 "$ASHLAR" multiply long.npy two.npy -o back.npy --alpha 0 --add long.h5:/x --quiet
cmp -s back.npy one.npy || fail "bands of rows"
unchecked 2 "$ASHLAR" multiply long.npy two.npy -o back.npy --alpha 0 --add long.mtx --quiet
cmp -s back.npy one.npy || fail "bands of columns"

# Nothing to multiply.
generate 0 5 -o none.npy
generate 5 4 -o five.npy
generate 5 0 -o thin.npy
generate 5 4 -o start.npy --seed 9
generate 0 4 -o flat.npy
on 2 none.npy five.npy -o c.npy && product none.npy five.npy c.npy || fail "no rows"
generate 4 0 -o bare.npy
on 2 five.npy bare.npy -o c.npy && product five.npy bare.npy c.npy || fail "no columns"
on 3 thin.npy flat.npy -o c.npy --add start.npy && cmp -s c.npy start.npy || fail "no inner dimension"
on 2 thin.npy flat.npy -o c.h5:/c && on 1 thin.npy none.npy -o c.mtx || fail "no inner dimension, other formats"
ls -A | grep -q '^\.' && fail "left over: $(ls -A | grep '^\.')"
finish
