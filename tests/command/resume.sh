#!/bin/sh
# ashlar multiply --resume: runs that are killed while they stream, again and again, end with the bits of one that was
# not; what cannot be gone on with is refused and stays, or the product is formed from its beginning.
set -u
. "$ASHLAR_SOURCE/tests/command/support.inc"
cd "$work" || exit 2
seed=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')
echo "seed $seed"

# A number from 0 to below $1.
random() { seed=$(((seed * 25173 + 13849) % 65536)) && echo $((seed % $1)); }

# Files of the output in the folder `made`, beside the output: its temporary file, record, sums.
left() { find made -name '.*.ashlar*' | grep -c .; }
record() { find made -name '.*-record'; }

# begin RANKS ARGUMENT...: in the background; each process leaves its number in the file `running`.
begin()
{
    ranks=$1
    shift
    rm -f running
    ran="$ranks ranks: $*"
    # shellcheck disable=SC2016 # for the inner shell
    set -- sh -c 'echo $$ >> running; exec "$@"' sh "$ASHLAR" multiply --quiet --threads 1 --checkpoint 0.001 "$@"
    test "$ranks" -eq 1 || set -- "$ASHLAR_LAUNCH" "$ranks" "$@"
    "$@" > begun.out 2> begun.err < /dev/null &
    begun=$!
}

# Wait until something is recorded as finished, or the run has ended, and a little longer.
until_recorded()
{
    waited=0
    while test -z "$(find made -name '.*-record' -size +4096c)" && kill -0 $begun 2> /dev/null && test $waited -lt 3000; do
        sleep 0.01
        waited=$((waited + 1))
    done
    sleep 0.0"$(random 10)"
}

# kill_all SIGNAL: every rank. What is left of the launcher ends by itself.
kill_all()
{
    while read -r process; do
        kill -"$1" "$process" 2> /dev/null
    done < running
    wait $begun 2> /dev/null || true
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
        test $kills -ge 3 || until_recorded && kill_all KILL
        wait $begun 2> /dev/null
        test -e "${output%:*}" || { kills=$((kills + 1)) && continue; }
        part=$(resumed)
        same_bits "$output"
        test "$(left)" -eq 0 || fail "$ran: left over: $(ls -A made)"
        test "$part" != 0.0 || kills=0
        rm -f made/*
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

reference()
{
    ranks=$1
    shift
    set -- "$ASHLAR" multiply --quiet --threads 1 "$@" -o whole.npy
    test "$ranks" -eq 1 || set -- "$ASHLAR_LAUNCH" "$ranks" "$@"
    expect 0 "$@"
    prints '^plan      sequential'
}

# A tile of C stays: tiles are finished.
prepare 700 700 700
for case in "1 made/C.npy" "3 made/C.h5:/deep/c"; do
    # shellcheck disable=SC2086 # two words
    set -- $case
    reference "$1" a.npy b.npy --memory 32KiB
    prints ' of C stay in memory'
    goes_on "$1" "$2" a.npy b.npy --memory 32KiB
done

# A tile of B stays, and sums of C come back for each block of k: they lie in two places by turns.
prepare 2000 30 2000
for case in "1 made/C.npy 128KiB" "3 made/C.h5:/c 64KiB"; do
    # shellcheck disable=SC2086 # three words
    set -- $case
    reference "$1" a.npy b.npy --add c0.npy --beta 0.3 --alpha 1.7 --memory "$3"
    prints ' of B stay in memory'
    goes_on "$1" "$2" a.npy b.npy --add c0.npy --beta 0.3 --alpha 1.7 --memory "$3"
done

finish
