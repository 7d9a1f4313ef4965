#!/bin/sh
# ashlar multiply --resume: runs that are killed while they stream, again and again, end with the bits of one that was
# not; what cannot be gone on with is refused and stays, or the product is formed from its beginning.
set -u
. "$ASHLAR_SOURCE/tests/command/support.inc"
cd "$work" || exit 2
seed=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')
echo "seed $seed"

# $drawn is a number from 0 to below $1. The low bits of the seed come back soon.
draw() { seed=$(((seed * 25173 + 13849) % 65536)) && drawn=$((seed / 64 % $1)); }

# How many files there are beside the output, in the folder `made`: its temporary file, record, sums.
left() { find made -name '.*.ashlar*' | grep -c .; }

# begin RANKS ARGUMENT...: in the background; each process leaves its number in the file `running`.
begin()
{
    ranks=$1
    shift
    rm -f running
    recorded=$(records)
    ran="$ranks ranks: $*"
    # shellcheck disable=SC2016 # for the inner shell
    set -- sh -c 'echo $$ >> running; exec "$@"' sh "$ASHLAR" multiply --quiet --threads 1 --checkpoint 0.001 "$@"
    test "$ranks" -eq 1 || set -- "$ASHLAR_LAUNCH" "$ranks" "$@"
    "$@" > begun.out 2> begun.err < /dev/null &
    begun=$!
}

# What all ranks have recorded so far.
records() { cat made/.*-record 2> /dev/null | cksum; }

# Wait until the run records something that it has finished, or ends, and a little longer: other ranks may not be so far,
# and on a busy machine not for some time. $recorded: what was before.
until_recorded()
{
    waited=0
    while { test "$(records)" = "$recorded" || test -z "$(find made -name '.*-record' -size +4096c)"; } &&
          kill -0 $begun 2> /dev/null && test $waited -lt 1500; do
        sleep 0.02
        waited=$((waited + 1))
    done
    draw $((10 + 3 * tries))
    sleep "0.$(printf %02d $drawn)"
}

# kill_all SIGNAL: every rank. What is left of the launcher ends by itself.
kill_all()
{
    while read -r process; do
        kill -"$1" "$process" 2> /dev/null
    done < running
    wait $begun 2> /dev/null
    status=$?
}

# resumed: the part of the product that the run before found, from --stats.
resumed() { python3 -c 'import json; print(json.load(open("stats.json"))["measured"]["resumed"])'; }

# goes_on RANKS OUTPUT ARGUMENT...: kill runs until one comes to its end, which has begun after what others finished, and
# has the bits of whole.npy. One that ends too early is done again.
goes_on()
{
    ranks=$1 output=$2
    shift 2
    kills=0 tries=0 part=0.0
    while test "$part" = 0.0 && test $tries -lt 20; do
        tries=$((tries + 1))
        begin "$ranks" "$@" -o "$output" --resume --stats stats.json
        if test $kills -lt 2; then
            until_recorded
            kill_all KILL
        else
            wait $begun
            status=$?
        fi
        test -e "${output%:*}" || { kills=$((kills + 1)) && continue; }
        same_bits "$output"
        test $status -ne 0 || part=$(resumed) # else it was killed while it wrote its figures
        test $status -ne 0 || test "$(left)" -eq 0 || fail "$ran: left over: $(ls -A made)"
        test "$part" != 0.0 || kills=0
        rm -rf made && mkdir made
    done
    echo "$ran: $tries runs, the last one from $part on"
    test "$part" != 0.0 || fail "$ran: nothing was gone on with: $(cat begun.err)"
    grep -q '^resumed   [0-9.]* % of the product was finished before' begun.out || fail "$ran: $(cat begun.out)"
}

# The output, in any format, is whole.npy. $rows and $columns are its shape.
same_bits()
{
    "$ASHLAR" multiply "$rows"x0.npy 0x"$columns".npy -o bits.npy --quiet --add "$1" > out 2>&1 || fail "$1: $(cat out)"
    cmp -s bits.npy whole.npy || fail "$ran: other bits in $1"
}

# Matrices whose products are not exact, and the product of an undisturbed run: it has its record, too.
prepare()
{
    rows=$1 columns=$2 k=$3
    rm -rf made && mkdir made
    for empty in "$rows 0" "0 $columns"; do
        # shellcheck disable=SC2086 # two words
        expect 0 "$ASHLAR" generate $empty -o "$(echo $empty | tr ' ' x).npy" --quiet
    done
    expect 0 "$ASHLAR" generate "$rows" "$k" -o a.npy --quiet --seed "$seed"
    expect 0 "$ASHLAR" generate "$k" "$columns" -o b.npy --quiet --seed 2
    expect 0 "$ASHLAR" generate "$rows" "$columns" -o c0.npy --quiet --seed 3
}

# reference RANKS ARGUMENT...: written in $format, because the tiles depend on the order of elements in the output.
format=npy
reference()
{
    ranks=$1
    shift
    set -- "$ASHLAR" multiply --quiet --threads 1 "$@" -o whole.$format
    test "$ranks" -eq 1 || set -- "$ASHLAR_LAUNCH" "$ranks" "$@"
    expect 0 "$@"
    prints '^plan      sequential'
    test $format = npy && return
    cp out planned
    expect 0 "$ASHLAR" multiply "$rows"x0.npy 0x"$columns".npy -o whole.npy --quiet --add whole.$format
    mv planned out
}

# A tile of C stays: tiles are finished.
prepare 400 400 400
for case in "1 made/C.npy" "3 made/C.h5:/deep/c" "2 made/C.mtx"; do
    # shellcheck disable=SC2086 # two words
    set -- $case
    case $2 in *.mtx) format=mtx ;; esac
    reference "$1" a.npy b.npy --memory 24KiB
    prints ' of C stay in memory'
    goes_on "$1" "$2" a.npy b.npy --memory 24KiB
done
format=npy

# A tile of B stays, and sums of C come back for each block of k: they lie in two places by turns.
prepare 2000 30 2000
for case in "1 made/C.npy 128KiB" "3 made/C.h5:/c 64KiB"; do
    # shellcheck disable=SC2086 # three words
    set -- $case
    reference "$1" a.npy b.npy --add c0.npy --beta 0.3 --alpha 1.7 --memory "$3"
    prints ' of B stay in memory'
    goes_on "$1" "$2" a.npy b.npy --add c0.npy --beta 0.3 --alpha 1.7 --memory "$3"
done

# A run that was not to be resumed, and one that a signal ends: with --resume what is finished stays, else nothing does.
prepare 400 400 400
reference 1 a.npy b.npy --memory 24KiB
memory=24KiB
until_stopped()
{
    signal=$1
    shift
    tries=0
    while test $tries -lt 20; do
        tries=$((tries + 1))
        rm -f made/* && begin 1 a.npy b.npy --memory "$memory" -o made/C.npy "$@"
        until_recorded
        kill_all "$signal"
        test -e made/C.npy || return
    done
    fail "$ran: it ended $tries times before it could be stopped"
}
until_stopped TERM
test "$(left)" -eq 0 || fail "$ran, SIGTERM: left over: $(ls -A made)"
until_stopped TERM --resume
test "$(left)" -eq 2 || fail "$ran, SIGTERM: left are $(ls -A made)"
until_stopped KILL
test "$(left)" -eq 2 || fail "$ran, SIGKILL: left are $(ls -A made)"

# What was left is gone on with by the same product only; it stays until then.
again() { expect "$1" "$ASHLAR" multiply --quiet --threads 1 --memory "$2" "$3" b.npy -o "$4" --resume "$5" "$6"; }
differs()
{
    says "$1"
    test "$(left)" -eq 2 || fail "$ran: what was left has gone: $(ls -A made)"
    test ! -e made/C.npy || fail "$ran: there is an output"
}
again 2 24KiB a.npy made/C.npy --alpha 2
differs 'C.npy: the run to be resumed had "alpha 0x1p\+0", this one has "alpha 0x1p\+1"$'
again 2 16KiB a.npy made/C.npy --alpha 1
differs 'C.npy: the run to be resumed had "C stays, boxes of [0-9x ]+", this one has "C stays, boxes of [0-9x ]+"$'
again 2 1GiB a.npy made/C.npy --alpha 1
differs 'had "matrices are streamed", this one has "the product is formed in memory"$'
again 2 24KiB a.npy made/C.npy --transb T
differs 'had "d NN, 400 x 400 x 400", this one has "d NT, 400 x 400 x 400"$'
expect 2 "$ASHLAR" multiply --quiet --threads 2 --memory 24KiB a.npy b.npy -o made/C.npy --resume
differs 'had "1 threads of the BLAS", this one has "2 threads of the BLAS"$'
expect 2 "$ASHLAR" multiply --quiet --threads 1 --memory 24KiB 400x0.npy 0x400.npy --add c0.npy -o made/C.npy --resume
differs 'had "d NN, 400 x 400 x 400", this one has "d NN, 400 x 400 x 0"$'
expect 2 "$ASHLAR_LAUNCH" 2 "$ASHLAR" multiply --quiet --threads 1 --memory 24KiB a.npy b.npy -o made/C.npy --resume
grep -q 'had "1 ranks", this one has "2 ranks"$' err || fail "$ran: $(cat err)"
cp -p a.npy kept.npy
touch a.npy
again 2 24KiB a.npy made/C.npy --alpha 1
differs 'had "A: 1280128 bytes, changed [0-9.]+, in rows", this one has "A: 1280128 bytes, changed [0-9.]+, in rows"$'
cp -p kept.npy a.npy
expect 2 "$ASHLAR" multiply --quiet 400x0.npy 0x30.npy -o made/C.npy --resume
differs 'was created for another matrix$'

again 0 24KiB a.npy made/C.npy --alpha 1
prints '^resumed   [0-9.]+ % of the product was finished before'
same_bits made/C.npy
test "$(left)" -eq 0 || fail "$ran: left over: $(ls -A made)"

# A record that is damaged is none; and one of which half an entry is there has the one before.
spoil()
{
    python3 - "$1" <<'END'
import glob, sys
name, = glob.glob("made/.*-record")
data = bytearray(open(name, "rb").read())
for at in (int(x) for x in sys.argv[1].split(",")):
    if at < len(data):
        data[at] ^= 1
open(name, "wb").write(data)
END
}
until_stopped KILL --resume
spoil 50
again 0 24KiB a.npy made/C.npy --stats stats.json
prints '^resumed   nothing was finished before: the product was formed from its beginning$'
test "$(resumed)" = 0.0 || fail "$ran: a damaged record was used"
same_bits made/C.npy
until_stopped KILL --resume
spoil 4096,8192
again 0 24KiB a.npy made/C.npy --stats stats.json
test "$(resumed)" = 0.0 || fail "$ran: damaged entries were used"
same_bits made/C.npy
again 0 24KiB a.npy made/C.npy --stats stats.json # nothing was left
prints '^resumed   nothing was finished before: the product was formed from its beginning$'
until_stopped KILL --resume
expect 0 "$ASHLAR" multiply --quiet --memory 24KiB a.npy b.npy -o made/C.npy
test "$(left)" -eq 0 || fail "$ran: what was left stays although it is not resumed: $(ls -A made)"

# Sums that came from the file beside the output: without it they are formed again.
prepare 2000 30 2000
reference 1 a.npy b.npy --memory 128KiB
memory=128KiB
until_stopped KILL --resume
test "$(left)" -eq 3 || fail "$ran: left are $(ls -A made)"
rm made/.*-sums
again 0 128KiB a.npy made/C.npy --alpha 1
same_bits made/C.npy

# A run that fails leaves what is finished, too: here it may not write so far into a file as the last rows are. (MPI
# itself writes files of some MB.)
prepare 1700 1700 300
reference 1 a.npy b.npy --memory 1MiB
memory=1MiB
until_stopped KILL --resume
(
    ulimit -f 40000 # of 512 bytes
    again 3 1MiB a.npy made/C.npy --alpha 1
    grep -q 'C.npy: cannot write: File too large$' err || fail "$ran: $(cat err)"
    finish
) || failures=$((failures + 1))
test "$(left)" -eq 2 || fail "$ran: what was left has gone: $(ls -A made)"
again 0 1MiB a.npy made/C.npy --alpha 1
prints '^resumed   [0-9.]+ % of the product was finished before'
same_bits made/C.npy

# A sum that is added in place is added once, however often the run is started.
prepare 170 170 300
cp c0.npy made/C.npy
expect 0 "$ASHLAR" multiply --quiet a.npy b.npy --add c0.npy -o whole.npy
for _ in 1 2 3; do
    expect 0 "$ASHLAR" multiply --quiet a.npy b.npy --add made/C.npy -o made/C.npy --resume --check
    cmp -s whole.npy made/C.npy || fail "$ran: added again"
done
prints '^resumed   nothing was to be done: an earlier run has added this$'
finish
