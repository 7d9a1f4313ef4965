#!/bin/sh
# The digests of bench/digests: equal run by run, and changed by what they are to show: digests.sh LAUNCH PROGRAM RANKS
set -u
launch=$1 program=$2 ranks=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail()
{
    echo "digests: $*" >&2
    failures=$((failures + 1))
}

# digests NAME LAST [CHANGE]
digests()
{
    name=$1 last=$2
    shift 2
    "$launch" "$ranks" "$program" 1 "$last" "$@" > "$work/$name" || fail "ended with status $?: $*"
}

# changed NAME COLUMN: how many problems' digests of this column are not those without a change.
changed()
{
    awk -v column="$2" '
        { for (i = 2; i <= NF && $i != "|"; i++) if (index($i, column "=") == 1) value = $i }
        NR == FNR { first[$1] = value; next }
        first[$1] != value { n++ }
        END { print n + 0 }' "$work/first" "$work/$1"
}

# some NAME COLUMN, none NAME COLUMN
some() { [ "$(changed "$1" "$2")" -ge 24 ] || fail "change of $1: $(changed "$1" "$2") of 48 problems have other $2"; }
none() { [ "$(changed "$1" "$2")" -eq 0 ] || fail "change of $1: $(changed "$1" "$2") of 48 problems have other $2"; }

digests first 96
digests again 96
cmp "$work/first" "$work/again" || fail "two runs differ"
[ "$(wc -l < "$work/first")" -eq 96 ] || fail "$(wc -l < "$work/first") lines for 96 problems"
# An element of A changes the result alone; the size changes all; the order of messages alone is shown by `order` alone.
digests element 48 element
some element bits; some element values
none element messages; none element order; none element plan
digests size 48 size
some size messages; some size order; some size bits; some size values
digests order 48 order
[ "$(changed order order)" -ge 8 ] || fail "the reverse order of messages changes $(changed order order) of 48"
none order messages; none order bits; none order values
# Each strategy for matrices in memory is asked for, and each is taken.
"${ASHLAR:?}" strategies | awk '$1 != "sequential" { print $1 }' > "$work/strategies"
while read -r strategy; do
    grep -q ", $strategy, " "$work/first" || fail "no problem asks for $strategy"
    grep -q " plan=$strategy," "$work/first" || fail "no problem is planned by $strategy"
done < "$work/strategies"
echo "digests: $failures failed"
[ $failures -eq 0 ]
