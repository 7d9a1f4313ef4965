#!/bin/sh
# The library on tori that SimGrid simulates: every element of the products, the words of ranks and the bytes of links.
bench="$ASHLAR_SOURCE/bench/torus"
cases="3x2:45,60,70 3x3:45,60,70 4x2:64,40,52 4x4:64,40,52 5x5:61 3x3x3x3:54 2x3x4:48,36,60"
ways=cannon,sd_cannon,cosma,cosma/rectangular@square
for transport in two-sided one-sided; do
    # shellcheck disable=SC2086 # many words
    "$bench" --ashlar "$ASHLAR" --check --ways "$ways" --transport $transport $cases || exit
done
