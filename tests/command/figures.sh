#!/bin/sh
# No text of a figure runs into another: those of docs/figures, and what the scripts draw that made them.
. "$ASHLAR_SOURCE/tests/command/support.inc"

apart() {
    expect 0 python3 -IS "$ASHLAR_SOURCE/tests/command/overlap.py" "$@"
    cat "$work/out"
}

apart "$ASHLAR_SOURCE"/docs/figures/*.svg

# Ways with few curves and with all that there are.
if command -v gnuplot > /dev/null; then
    cp "$ASHLAR_SOURCE/docs/PERFORMANCE.md" "$work/page.md"
    mkdir "$work/columns" "$work/drawn"
    expect 0 python3 "$ASHLAR_SOURCE/bench/table.py" "$ASHLAR_SOURCE/bench/results.jsonl" --into "$work/page.md" \
        --data "$work/columns"
    expect 0 gnuplot -e "data='$work/columns'; out='$work/drawn'" "$ASHLAR_SOURCE/bench/plot.gp"
    apart "$work"/drawn/*.svg
    expect 0 "$ASHLAR_SCENARIOS" --ranks 16 --shape square --scaling strong --out "$work/all" -q
    apart "$work"/all/*.svg
    ! grep -q 'baseline-shift\|dy=' "$work"/all/*.svg || fail "an underscore of a name is taken for a subscript"
    expect 0 "$ASHLAR_SCENARIOS" --strategy cosma,planner --ranks 16 --out "$work/few" -q
    apart "$work"/few/*.svg
fi
finish
