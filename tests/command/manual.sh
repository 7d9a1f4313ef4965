#!/bin/sh
# Every command has a man page whose options are those of its --help, neither more nor less.
. "$ASHLAR_SOURCE/tests/command/support.inc"

# Long options of a page: the items of its lists that begin with one.
of_page() {
    sed -n '/^\.Sh OPTIONS/,/^\.Sh [^O]/p' "$1" | grep '^\.It Fl' | grep -o 'Fl Fl [a-z-]*' | sed 's/Fl Fl //' | sort
}

of_help() {
    sed -n 's/^  \(-[a-zA-Z], \)\{0,1\}--\([a-z-]*\).*/\2/p' | sort
}

compared=0
for command in $("$ASHLAR" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'); do
    case $command in help | version) # which have no options, and are in ashlar(1)
        grep -q "^\.It Cm $command" "$ASHLAR_SOURCE/man/ashlar.1" || fail "ashlar(1) does not name $command"
        continue ;;
    esac
    page=$ASHLAR_SOURCE/man/ashlar-$command.1
    test -f "$page" || { fail "no man page for $command"; continue; }
    "$ASHLAR" "$command" --help | of_help > "$work/help"
    of_page "$page" > "$work/page"
    diff "$work/help" "$work/page" > "$work/diff" || fail "$command: --help (<) and man page (>): $(cat "$work/diff")"
    grep -q "^\.It Xr ashlar-$command 1" "$ASHLAR_SOURCE/man/ashlar.1" || fail "ashlar(1) does not name $command"
    compared=$((compared + 1))
done
test "$compared" -gt 4 || fail "only $compared commands were compared"
"$ASHLAR" --help | of_help > "$work/help"
of_page "$ASHLAR_SOURCE/man/ashlar.1" > "$work/page"
diff "$work/help" "$work/page" || fail "ashlar: --help (<) and man page (>)"
finish
