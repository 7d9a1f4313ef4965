#!/bin/sh
# ashlar multiply: the JSON of --json and --stats has the keys that scripts rely on, and right numbers; threads.
set -u
. "$ASHLAR_SOURCE/tests/command/support.inc"
cd "$work" || exit 2

"$ASHLAR" generate 60 50 -o A.npy --type c
"$ASHLAR" generate 50 40 -o B.npy --type c --seed 1
launch 4 "$ASHLAR" multiply A.npy B.npy -o C.npy --json --stats stats.json --check --memory 1MB > out 2> err ||
    fail "$(cat err)"
[ -s err ] && fail "stderr: $(cat err)"
cmp -s out stats.json || fail "--json and --stats differ"
python3 - << 'END' || fail "$(cat stats.json)"
import json
s = json.load(open("stats.json"))
assert s["schema"] == 1
assert s["problem"] == {"m": 60, "n": 40, "k": 50, "type": "c", "ranks": 4, "memory_words": 125000}, "problem"
assert s["bound"]["words"] > 0 and s["bound"]["case"] and s["bound"]["source"], "bound"
chosen, = [x for x in s["strategies"] if x["name"] == s["chosen"]]
assert chosen["applicable"] is True and chosen["reason"] and len(chosen["grid"]) == 3
assert chosen["grid"][0] * chosen["grid"][1] * chosen["grid"][2] == chosen["ranks_used"] == 4 and chosen["rounds"] >= 1
found = s["measured"]
for key in "words_max", "words_mean", "words_total", "messages_max", "disk_words":
    assert found[key] == chosen[key], key
assert chosen["words_max"] >= s["bound"]["words"]
assert found["memory_words"] == chosen["memory_words"] <= 125000
assert found["seconds"] > 0 and chosen["seconds"] > 0
assert abs(found["gflops"] * found["seconds"] - 8 * 60 * 40 * 50 / 1e9) < 1e-9, "gflops"
assert s["check"]["passed"] is True and 0 <= s["check"]["residual_over_bound"] <= 1
assert set(s["seconds"]) == {"planning", "reading", "checking", "writing"}
END

# Threads: the cores shared out where nobody said otherwise, what was said otherwise, and a word where it hurts.
unset OMP_NUM_THREADS OPENBLAS_NUM_THREADS GOTO_NUM_THREADS BLIS_NUM_THREADS
threads() { sed -n 's/.*"a_rank": \([0-9]*\).*/\1/p' out; }
cores() { sed -n 's/.*"cores": \([0-9]*\).*/\1/p' out; }
run() { "$ASHLAR" multiply A.npy B.npy -o C.npy --json "$@" > out 2> err || fail "$*: $(cat err)"; }
run
grep -q '"memory_words": null' out || fail "no limit is not null: $(cat out)"
[ "$(threads)" -eq 0 ] && { echo "the BLAS does not say how many threads it has"; finish; exit 0; }
if [ "$(threads)" -gt 1 ] || [ "$(cores)" -eq 1 ]; then
    [ "$(threads)" -le "$(cores)" ] || fail "$(threads) threads on $(cores) cores"
    grep -q '"note": ""' out || fail "a note where nothing is wrong: $(cat out)"
    run --threads $(($(cores) + 1))
    grep -q 'take turns' out || fail "too many threads are not told: $(cat out)"
fi
run --threads 1
[ "$(cores)" -eq 1 ] || grep -q 'idle' out || fail "idle cores are not told: $(cat out)"
OPENBLAS_NUM_THREADS=1 run
[ "$(threads)" -eq 1 ] || fail "OPENBLAS_NUM_THREADS is not kept"
finish
