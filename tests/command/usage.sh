#!/bin/sh
# The command line itself: help, version, mistyped commands and options.
. "$ASHLAR_SOURCE/tests/command/support.inc"

expect 0 "$ASHLAR" --help
prints '^Usage: ashlar COMMAND'
expect 0 "$ASHLAR" -h
for version in --version -V version; do
    expect 0 "$ASHLAR" $version
    prints '^ashlar [0-9]+\.[0-9]+\.[0-9]+$'
done
expect 0 "$ASHLAR" help
prints '^Usage: ashlar COMMAND'
expect 2 "$ASHLAR" help pln
says "unknown command 'pln'; did you mean plan"
expect 2 "$ASHLAR" help plan simulate
says "one argument too many: 'simulate'"
expect 2 "$ASHLAR" help --all
says "unknown option '--all'"
expect 2 "$ASHLAR"
says 'no command'
expect 2 "$ASHLAR" strategis
says "unknown command 'strategis'; did you mean strategies"
expect 2 "$ASHLAR" xyzzy
says "unknown command 'xyzzy'; 'ashlar --help'"
expect 2 "$ASHLAR" strategies --hepl
says "unknown option '--hepl'; did you mean --help"
expect 2 "$ASHLAR" strategies more
says "one argument too many: 'more'"
expect 0 "$ASHLAR" strategies
prints '^cosma '

# Every subcommand explains itself, and so does help, without MPI.
for command in $("$ASHLAR" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'); do
    expect 0 "$ASHLAR" "$command" --help
    prints "^Usage: ashlar $command"
    test ! -s "$work/err" || fail "$ran: something on standard error"
    cp "$work/out" "$work/asked"
    expect 0 "$ASHLAR" help "$command"
    cmp -s "$work/asked" "$work/out" || fail "$ran: not what --help prints"
done

# values COMMAND PATTERN: --help shows them, in whatever lines.
values() {
    expect 0 "$ASHLAR" help "$1"
    tr -s ' \n' ' ' < "$work/out" > "$work/joined"
    grep -q -- "$2" "$work/joined" || fail "$ran: no '$2'"
}
for command in plan simulate check-schedule multiply; do
    values $command '--transa=N|T|C '
    values $command '--route=direct|tree|auto|rectangular '
    values $command '--objective=time|words '
    values $command '--idle=PART .*; 0 to 1 '
    values $command '--window=W .*; 1 to 16 '
    values $command '--node-ranks=G .*; 1 to 2147483647 '
    values $command '--memory=SIZE .*; a number of bytes, or with a unit: kB, .*, GiB '
    values $command '--strategy=NAME .*: cosma, summa, 2.5d, .*, sequential'
done
for command in plan simulate check-schedule bounds; do
    values $command '--ranks=P how many ranks there are; 1 to 2147483647 '
    values $command '--memory-words=W .*; at least 1 '
    values $command '--type=s|d|c|z '
done
values multiply '--transport=two-sided|one-sided '
values multiply '--threads=N .*; 1 to 2147483647 '
values calibrate '--threads=N .*; 1 to 2147483647 '
values calibrate '--seconds=S .*; 0.01 to 3600 '
values generate '--seed=N .*; 0 to 9223372036854775807 '
values generate '--order=C|F '

# One option has one range, one message and one exit status, in whatever command it is.
"$ASHLAR" generate 8 8 -o "$work/a.npy"
for command in plan simulate check-schedule multiply; do
    set -- 8 8 8 --ranks 1
    test $command = multiply && set -- "$work/a.npy" "$work/a.npy" -o "$work/c.npy"
    refused() { # PATTERN OPTION...
        pattern=$1
        shift
        expect 2 "$ASHLAR" $command "$@"
        says "^ashlar $command: $pattern\$"
    }
    refused "--idle is '1.1', wanted a number, 0 to 1" "$@" --idle 1.1
    refused "--idle is '-0.1', wanted a number, 0 to 1" "$@" --idle -0.1
    refused "--window is '0', wanted a whole number, 1 to 16" "$@" --window 0
    refused "--window is '17', wanted a whole number, 1 to 16" "$@" --window 17
    refused "--node-ranks is '0', wanted a whole number, 1 to 2147483647" "$@" --node-ranks 0
    refused "--grid is '2x2', wanted PMxPNxPK, three numbers of at least 1" "$@" --grid 2x2
    refused "--grid is ' 1x1x1', wanted PMxPNxPK, three numbers of at least 1" "$@" --grid ' 1x1x1'
    refused '--grid=2x1x1 needs more than 1 rank' "$@" --grid 2x1x1
    refused "--strategy is 'cosmo'; did you mean cosma\?" "$@" --strategy cosmo
    refused "--strategy is 'q', wanted cosma\|summa\|.*" "$@" --strategy q
    refused '--memory is less than one word of 8 bytes' "$@" --memory 7
    refused "--route is 'ring', wanted direct\|tree\|auto\|rectangular" "$@" --route ring
    expect 3 "$ASHLAR" $command "$@" --machine "$work/none.json"
    says 'none.json'
    expect 0 "$ASHLAR" $command "$@" --idle 1 --window 16 --node-ranks 2147483647 --grid 1x1x1
done

# A name that would take two lines takes one.
expect 3 "$ASHLAR" plan 8 8 8 --ranks 1 --machine "$work/two
lines.json"
says 'two\?lines.json'

# Output that cannot be written is no success.
if test -w /dev/full; then
    "$ASHLAR" strategies > /dev/full 2> "$work/err"
    test $? -eq 3 || fail "a full device: status not 3"
fi
finish
