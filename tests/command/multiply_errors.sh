#!/bin/sh
# ashlar multiply, wrong input: one line from one rank, a status, no hang, the output that exists as it was.
set -u
. "$ASHLAR_SOURCE/tests/command/support.inc"
cd "$work" || exit 2

generate() { "$ASHLAR" generate "$@" || fail "generate $*"; }

# judge WHAT STATUS WANTED PATTERN: of a run whose streams are in out and err. What a launcher adds is not counted.
judge()
{
    [ "$2" -eq "$3" ] || fail "$1: status $2, wanted $3: $(cat err)"
    [ "$(grep -c '^ashlar' err)" -eq 1 ] || fail "$1: $(grep -c '^ashlar' err) lines: $(cat err)"
    grep '^ashlar multiply:' err | grep -q -e "$4" || fail "$1: the line has no '$4': $(cat err)"
    [ -s out ] && fail "$1: something on stdout: $(cat out)"
    cmp -s C.npy kept.npy || fail "$1: the output that was there has changed"
    ls -A | grep -q '^\.' && fail "$1: left over: $(ls -A | grep '^\.')"
}

# alone STATUS PATTERN ARGUMENT...: without a launcher all of stderr is ours.
alone()
{
    wanted=$1 pattern=$2
    shift 2
    "$ASHLAR" multiply "$@" > out 2> err
    judge "$*" $? "$wanted" "$pattern"
    [ "$(wc -l < err)" -eq 1 ] || fail "$*: $(wc -l < err) lines on stderr"
}

# refuse STATUS PATTERN ARGUMENT...: on one rank and on three.
refuse()
{
    alone "$@"
    wanted=$1 pattern=$2
    shift 2
    launch 3 "$ASHLAR" multiply "$@" > out 2> err
    judge "3 ranks: $*" $? "$wanted" "$pattern"
}

generate 20 30 -o A.npy
generate 30 10 -o B.npy
generate 31 10 -o B31.npy
generate 30 10 -o Bs.npy --type s
generate 20 10 -o C.npy --seed 7
generate 20 11 -o C11.npy
cp C.npy kept.npy
head -c 300 A.npy > short.npy
printf '\223NUMPY\001\000v\000{"descr": __import__("os").system("touch pwned"), "shape": (1e99,)}' > hostile.npy
printf '\223NUMPY\001\000\377\377' > claims.npy
printf '%%%%MatrixMarket matrix array real general\n99999999999 99999999999\n1\n' > huge.mtx
: > empty.npy

# Files.
refuse 3 'missing.npy' missing.npy B.npy -o C.npy
refuse 3 'short.npy' short.npy B.npy -o C.npy
alone 3 'hostile.npy' hostile.npy B.npy -o C.npy
alone 3 'claims.npy' A.npy claims.npy -o C.npy
alone 3 'empty.npy' A.npy empty.npy -o C.npy
refuse 3 'huge.mtx' A.npy huge.mtx -o C.npy
refuse 3 'nowhere' A.npy B.npy -o nowhere/C.npy
refuse 3 'nowhere' A.npy B.npy -o C.npy --stats nowhere/stats.json
alone 3 'nowhere' A.npy B.npy -o C.npy --machine nowhere.json
alone 2 'png' A.npy B.npy -o C.png
alone 2 'data set' A.npy B.npy -o C.h5
alone 3 'missing' missing.h5:/a B.npy -o C.npy
[ -e pwned ] && fail "a header was run"

# What does not fit together.
refuse 2 'inner dimensions differ: A is 20 x 30 with op N, B is 31 x 10 with op N' A.npy B31.npy -o C.npy
alone 2 'A is 20 x 30 with op T, B is 30 x 10 with op N' A.npy B.npy -o C.npy --transa T
alone 2 'B is 30 x 10 with op C' A.npy B.npy -o C.npy --transb C
refuse 2 'type d (double) and B of type s (float)' A.npy Bs.npy -o C.npy
alone 2 'C0 is 20 x 11, wanted the product.s 20 x 10' A.npy B.npy -o C.npy --add C11.npy
alone 2 'imaginary part' A.npy B.npy -o C.npy --alpha 1,1

# Scalars that the type does not hold.
"$ASHLAR" generate 20 30 -o Af.npy --type s
"$ASHLAR" generate 20 30 -o Ac.npy --type c && "$ASHLAR" generate 30 10 -o Bc.npy --type c
"$ASHLAR" generate 20 10 -o Cf.npy --type s && "$ASHLAR" generate 20 10 -o Cc.npy --type c
refuse 2 '--alpha is 1e39, which type float cannot hold: its largest value is 3.40282347e+38$' \
    Af.npy Bs.npy -o C.npy --alpha 1e39
alone 2 '--beta is -3.4028236e38, which type float cannot' Af.npy Bs.npy -o C.npy --add Cf.npy --beta -3.4028236e38
alone 2 '--alpha is 1e39,1, which type float complex cannot' Ac.npy Bc.npy -o C.npy --alpha 1e39,1
alone 2 '--beta is 1,1e39, which type float complex cannot' Ac.npy Bc.npy -o C.npy --add Cc.npy --beta 1,1e39
alone 2 '--alpha is 1e400, which type double cannot hold: its largest value is 1.7976931348623157e+308$' \
    A.npy B.npy -o C.npy --alpha 1e400
alone 2 '--alpha is 1e-60, which type float rounds to 0: its least value above 0 is 1.4e-45' \
    Af.npy Bs.npy -o C.npy --alpha 1e-60
alone 2 '--alpha is 0,1e-60, which type float complex rounds to 0' Ac.npy Bc.npy -o C.npy --alpha 0,1e-60
alone 2 '--alpha is 1e-400, which type double rounds to 0' A.npy B.npy -o C.npy --alpha 1e-400
alone 2 "--alpha is '0x10', wanted a number" A.npy B.npy -o C.npy --alpha 0x10

# What cannot be planned.
refuse 1 'would do' A.npy B.npy -o C.npy --memory 100 --strategy cosma
alone 2 'memory is less than one word$' A.npy B.npy -o C.npy --memory 0
alone 2 'memory is less than one word of 8 bytes' A.npy B.npy -o C.npy --memory 7
alone 1 ': 3 would do' A.npy B.npy -o C.npy --memory 16
alone 2 'strategy' A.npy B.npy -o C.npy --strategy wish
"$ASHLAR" generate 1 2 -o a1.npy && "$ASHLAR" generate 2 1 -o b1.npy
launch 3 "$ASHLAR" multiply a1.npy b1.npy -o C.npy > out 2> err
judge "3 ranks, 2 products" $? 2 '3 ranks for 2 products'

# The command line.
refuse 2 "device: 'opencl' is none of the kinds that there are: emulated, cuda" A.npy B.npy -o C.npy --device opencl
ASHLAR_PLUGINS=$PWD/none && export ASHLAR_PLUGINS
refuse 3 "device: cuda: there is no plug-in libashlar_cuda.so in $PWD/none" A.npy B.npy -o C.npy --device cuda
unset ASHLAR_PLUGINS
alone 2 "device: emulated: 'size' is no option" A.npy B.npy -o C.npy --device emulated:size=1
alone 2 'device-memory wants --device$' A.npy B.npy -o C.npy --device-memory 1kB
alone 2 'device-memory is less than one word$' A.npy B.npy -o C.npy --device emulated --device-memory 0
refuse 3 'device: there is no device emulated:1, only 1 of this kind, counted from 0$' A.npy B.npy -o C.npy \
    --device emulated:1
launch 3 "$ASHLAR" multiply A.npy B.npy -o C.npy --device 'emulated emulated:4' > out 2> err
judge "one rank has no device" $? 3 'rank 1: device: there is no device emulated:4, only 1 of this kind'
alone 1 'device: 2 words of device memory are too few: 3 would do' A.npy B.npy -o C.npy --device emulated \
    --device-memory 23
alone 3 'device: emulated: 100 bytes are wanted, 99 of 99 are free' A.npy B.npy -o C.npy --device emulated:memory=99 \
    --device-memory 100
refuse 2 'did you mean --output' A.npy B.npy --ouptut C.npy
alone 2 'usage' A.npy -o C.npy
alone 2 'one argument too many' A.npy B.npy B.npy -o C.npy
alone 2 'wanted -o FILE' A.npy B.npy
alone 2 'transa' A.npy B.npy -o C.npy --transa X
alone 2 'alpha' A.npy B.npy -o C.npy --alpha one
alone 2 'alpha' A.npy B.npy -o C.npy --alpha 1,2,3
alone 2 'add FILE' A.npy B.npy -o C.npy --beta 2
alone 2 'grid' A.npy B.npy -o C.npy --grid 2x2
alone 2 'grid' A.npy B.npy -o C.npy --grid 2x2x99999999999999999999
alone 2 'idle' A.npy B.npy -o C.npy --idle 1.5
alone 2 'window' A.npy B.npy -o C.npy --window 0
alone 2 'same file' A.npy B.npy -o C.npy --stats C.npy

# A product that cannot be checked, after all the work.
python3 - << 'END'
data = bytearray(open("A.npy", "rb").read())
data[-8:] = b"\0\0\0\0\0\0\xf8\x7f"
open("nan.npy", "wb").write(data)
END
refuse 1 'row 19 of C' nan.npy B.npy -o C.npy --check --stats stats.json
[ -e stats.json ] && fail "figures of a run that failed"

# No room for the file: a limit on its size is met as a full disk is.
# (It must leave room for what MPI keeps in files.)
generate 1700 2 -o tall.npy
generate 2 1700 -o flat.npy
ulimit -f 40000
refuse 3 'D.npy' tall.npy flat.npy -o D.npy
refuse 3 'D.h5: cannot be made long enough: File too large' tall.npy flat.npy -o D.h5:/x
alone 3 'D.mtx' tall.npy flat.npy -o D.mtx
ls D.* > /dev/null 2>&1 && fail "there is an output for which there is no room"
finish
