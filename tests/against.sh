#!/bin/sh
# The verdicts of bench/against.py on programs that print what this script says they take: against.sh PYTHON SOURCE
set -u
python=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# A launcher that starts no ranks, and a program that prints the next line of a file each time it is started.
for side in old new; do
    mkdir -p "$work/$side/build"
    printf '#!/bin/sh\nshift\nexec "$@"\n' > "$work/$side/build/launch"
    cat > "$work/$side/own" << 'END'
#!/bin/sh
here=$(dirname "$0")
[ "$1" != fails ] || { echo "unknown option $1" >&2; exit 1; }
seconds=$(head -n 1 "$here/seconds")
sed 1d "$here/seconds" > "$here/rest" && mv "$here/rest" "$here/seconds"
echo "{\"seconds\": {\"ashlar\": {\"median\": $seconds}, \"scalapack\": {\"median\": 9}}}"
END
    chmod +x "$work/$side/build/launch" "$work/$side/own"
done

# expect STATUS WORD NAME OLD NEW: of the seconds of five runs of each side.
expect()
{
    echo "$4" | tr ' ' '\n' > "$work/old/seconds"
    echo "$5" | tr ' ' '\n' > "$work/new/seconds"
    echo "own 1 1 own $3" > "$work/cases"
    "$python" "$source/bench/against.py" --old "$work/old" --new "$work/new" --pairs 5 "$work/cases" > "$work/out" 2>&1
    status=$?
    [ $status -eq "$1" ] && grep -q "$2" "$work/out" && return
    echo "against: $3: status $status, wanted $1 and '$2':" >&2
    cat "$work/out" >&2
    failures=$((failures + 1))
}

expect 0 ' same ' equal "1 1 1 1 1" "1 1 1 1 1"
expect 1 ' slower ' much-slower "1 1 1 1 1" "1.2 1.2 1.2 1.2 1.2"
expect 0 ' same ' two-percent "1 1 1 1 1" "1.019 1.019 1.019 1.019 1.019"
expect 1 ' slower ' three-percent "1 1 1 1 1" "1.03 1.03 1.03 1.03 1.03"
expect 0 ' same ' within-the-quartiles "1 1 1 1 1" "0.5 0.6 1.2 1.3 1.4"
expect 0 ' same ' ten-microseconds "5e-5 5e-5 5e-5 5e-5 5e-5" "6e-5 6e-5 6e-5 6e-5 6e-5"
expect 1 ' slower ' thirty-microseconds "5e-5 5e-5 5e-5 5e-5 5e-5" "8e-5 8e-5 8e-5 8e-5 8e-5"
expect 0 ' faster ' faster "1 1 1 1 1" "0.9 0.9 0.9 0.9 0.9"
# The background load that doubles a pair's times meets both of it.
expect 1 ' slower ' loaded "1 2 1 2 1" "1.1 2.2 1.1 2.2 1.1"
expect 0 'alike.*1.000' control "1 1 1 1 1" "1 1 1 1 1"
mv "$work/new/own" "$work/new/kept"
expect 1 '^failed: own' new-is-missing "1 1 1 1 1" "1 1 1 1 1"
mv "$work/new/kept" "$work/new/own"
expect 0 "^skipped: own.*older.*unknown option fails" fails "" ""
echo "against: $failures failed"
[ $failures -eq 0 ]
