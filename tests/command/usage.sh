#!/bin/sh
# The command line itself: help, version, mistyped commands and options.
. "$ASHLAR_SOURCE/tests/command/support.inc"

expect 0 "$ASHLAR" --help
prints '^Usage: ashlar COMMAND'
expect 0 "$ASHLAR" -h
expect 0 "$ASHLAR" --version
prints '^ashlar [0-9]+\.[0-9]+\.[0-9]+$'
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

# Every subcommand explains itself.
for command in $("$ASHLAR" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'); do
    expect 0 "$ASHLAR" "$command" --help
    prints "^Usage: ashlar $command"
    test ! -s "$work/err" || fail "$ran: something on standard error"
done

# Output that cannot be written is no success.
if test -w /dev/full; then
    "$ASHLAR" strategies > /dev/full 2> "$work/err"
    test $? -eq 3 || fail "a full device: status not 3"
fi
finish
