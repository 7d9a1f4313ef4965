#!/bin/sh
# The tables of docs/TASK_SUMMA.md are what bench/task_summa prints: Table 1, which follows from cuts alone, and Figure 6,
# which is played. Figure 8 takes longer.
. "$ASHLAR_SOURCE/tests/command/support.inc"

for table in table_1 figure_6; do
    expect 0 "$ASHLAR_SOURCE/bench/task_summa" --ashlar "$ASHLAR" --table $table
    sed '/^$/d' "$work/out" > "$work/found"
    sed -n "/^<!-- table: $table -->/,/^<!-- end/p" "$ASHLAR_SOURCE/docs/TASK_SUMMA.md" > "$work/table"
    sed '1d;$d' "$work/table" > "$work/page"
    test -s "$work/page" || fail "docs/TASK_SUMMA.md has no $table"
    diff "$work/page" "$work/found" > "$work/diff" || fail "$table: the page (<) and the command (>): $(cat "$work/diff")"
done
finish
