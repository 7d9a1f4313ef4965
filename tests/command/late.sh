#!/bin/sh
# Products of tiles on a network with latency that SimGrid simulates, with ranks that are late by turns: the player takes
# what joint play predicts.
"$ASHLAR_SOURCE/bench/late" --program "$(dirname "$ASHLAR")/bench/smpi/late" --grids 3 4 --inner 24
