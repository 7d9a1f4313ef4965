#!/bin/sh
# ashlar does not write two things into one file, nor over what it reads, whatever names lead there; a product may take
# the place of a factor.
set -u
. "$ASHLAR_SOURCE/tests/command/support.inc"
cd "$work" || exit 2

printf '{"schema": 1, "flops_per_second": 1e9, "latency": 1e-6, "bandwidth": 1e9, "copy_bandwidth": 1e9,
"disk_bandwidth": 1e9}\n' > machine.json
mkdir folder
ln -s folder linked
for m in A B C0; do
    expect 0 "$ASHLAR" generate 5 5 -o $m.npy --kind integers --seed 1
    cp $m.npy kept.$m.npy
done
cp machine.json kept.json
expect 0 "$ASHLAR" generate 5 5 -o x.h5:/a --kind integers --seed 1
cp x.h5 kept.h5
ln -s A.npy soft.npy
ln B.npy hard.npy
ln -s machine.json soft.svg

# refuse OPTION OPTION COMMAND...: with status 2, naming both options, and nothing changed.
refuse()
{
    first=$1 second=$2
    shift 2
    expect 2 "$@"
    says "^ashlar [a-z]*: $first and $second name the same file: "
    for m in A B C0; do
        cmp -s $m.npy kept.$m.npy || fail "$ran: $m.npy has changed"
    done
    cmp -s x.h5 kept.h5 || fail "$ran: x.h5 has changed"
    cmp -s machine.json kept.json || fail "$ran: machine.json has changed"
    test -z "$(ls -A folder)$(ls -A | grep '^\.')" && test ! -e o.npy || fail "$ran: wrote something"
}

product="multiply A.npy B.npy --add C0.npy --machine machine.json"
refuse --stats -o "$ASHLAR" $product -o o.npy --stats o.npy
refuse --stats -o "$ASHLAR" $product -o o.npy --stats ./o.npy
refuse --stats -o "$ASHLAR" $product -o folder/o.npy --stats linked/o.npy
refuse --stats -o "$ASHLAR" $product -o folder/o.npy --stats "$work/folder/../linked/o.npy"
refuse --stats -o "$ASHLAR" $product -o x.h5:/c --stats x.h5
refuse --stats -o "$ASHLAR" $product -o folder/new.h5:/c --stats linked/new.h5
refuse --stats A "$ASHLAR" $product -o A.npy --stats soft.npy
refuse --stats A "$ASHLAR" $product -o o.npy --stats A.npy
refuse --stats A "$ASHLAR" $product -o o.npy --stats soft.npy
refuse --stats B "$ASHLAR" $product -o o.npy --stats hard.npy
refuse --stats --add "$ASHLAR" $product -o o.npy --stats folder/../C0.npy
refuse --stats --machine "$ASHLAR" $product -o o.npy --stats machine.json
refuse --stats A "$ASHLAR" multiply x.h5:/a B.npy -o o.npy --stats x.h5
refuse --svg --machine "$ASHLAR" plan 100 100 100 --ranks 4 --machine machine.json --svg soft.svg
refuse --svg --machine "$ASHLAR" simulate 100 100 100 --ranks 4 --torus 2x2 --machine machine.json --svg ./machine.json
mkdir words && ln -s words.csv words/words.md && : > words/words.csv
expect 2 "$ASHLAR_SCENARIOS" --shape square --scaling strong --ranks 4 --strategy summa --out words
says '^scenarios: words.md and words.csv name the same file: '
test ! -s words/words.csv || fail "$ran: words.csv has changed"
launch 3 "$ASHLAR" multiply A.npy B.npy -o o.npy --stats ./o.npy > out 2> err
test $? -eq 2 || fail "3 ranks: status"
grep -q 'multiply: --stats and -o name the same file' err || fail "3 ranks: $(cat err)"

# One name in two folders is two files; a product may replace what it is made of, also by a link, which stays one.
expect 0 "$ASHLAR" $product -o folder/o.npy --stats o.npy
expect 0 "$ASHLAR" multiply A.npy B.npy -o right.npy
expect 0 "$ASHLAR" multiply soft.npy B.npy -o A.npy --stats A.json
cmp -s A.npy right.npy && test -h soft.npy || fail "a product in place of a factor"
cp kept.A.npy A.npy
expect 0 "$ASHLAR" multiply A.npy B.npy -o soft.npy
cmp -s A.npy right.npy && test -h soft.npy || fail "a product in place of a factor, by a link"
cp kept.A.npy A.npy
expect 0 "$ASHLAR" multiply x.h5:/a B.npy --add x.h5:/a -o x.h5:/c --stats x.json
expect 0 "$ASHLAR" multiply A.npy B.npy --add C0.npy -o C0.npy
finish
