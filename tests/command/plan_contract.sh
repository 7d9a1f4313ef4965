#!/bin/sh
# `ashlar plan-contract`: schedules worked out by hand, the paper's tables, and expressions with mistakes.
. "$ASHLAR_SOURCE/tests/command/support.inc"

# The paper's Table 9, inside/rotation: 2 x 2 x 2 tiles, 24e6 words of disk in 24 s, 32e6 of network in 1.28 s.
expect 0 "$ASHLAR" plan-contract "IK,JK->IJ" I=4000 J=4000 K=4000 --ranks 4 --memory 24MB --disk-bandwidth 8MB \
    --network-bandwidth 200MB --json
python3 -IS -c 'import json, sys
d = json.load(open(sys.argv[1]))
near = lambda x, y: abs(x - y) <= 1e-9 * y
assert d["problem"]["tile_words"] == 10**6 and d["problem"]["reduce_factor"] == 2, d["problem"]
assert len(d["schedules"]) == 48 and all(s["applicable"] for s in d["schedules"])
best = [s for s in d["schedules"] if s["method"] == "inside/rotation" and s["order"] == "CAB"][0]
assert best["grid"] == [2, 2] and set(best["tiles"].values()) == {1, 2}, best
assert best["disk_reads"] == 20e6 and best["disk_writes"] == 4e6 and best["disk_words"] == 24e6, best
assert best["disk_words_total"] == 96e6 and best["words_max"] == 32e6 and best["words_total"] == 128e6, best
t = d["tiling"] # a tile of half a matrix, 8e6 of 12e6 words: one other is read once, one twice, C read and written
assert t["disk_words_total"] == 16e6 + 2 * 16e6 + 2 * 16e6 and near(t["ratio"], 80 / 96), t
assert near(best["seconds"], 25.28) and d["chosen"]["method"] == "inside/rotation", best
assert near(d["chosen"]["seconds"], min(s["seconds"] for s in d["schedules"])), d["chosen"]
b = d["bounds"] # C is written too; three pairs of faces of a cube of a quarter of the products, less a quarter of all
assert b["disk_words_total"] == 64e6 and near(b["words_max"], 48e6 / 4 ** (2 / 3) - 12e6) and d["free"] is None, b
assert d["matching"]["k"] == {"indices": "K", "extent": 4000} and d["matching"]["in_place"] == [True] * 3' "$work/out" ||
    fail "$ran: $(head -c 400 "$work/out")"

# The same in words, one schedule of it, as text; real numbers of tiles.
expect 0 "$ASHLAR" plan-contract "IK,JK->IJ" I=4000 J=4000 K=4000 --ranks 4 --memory-words 3000000 \
    --disk-bandwidth 8MB --network-bandwidth 200MB --method inside/replication-a --order CAB --tiles real
prints '^\* inside/replication-a  CAB +2\.1541 +1\.8570 +7\.4278 +20\.0 M +4\.00 M +29\.7 M +24\.0 M +96\.2 M +25\.2 s$'
test "$(grep -c replication-a "$work/out")" -eq 2 || fail "$ran: not one schedule and why"

# A machine's file; a batch, a diagonal, and an index of A's own: 3 x (4 x 5 x 6) words are read to be 4 x 6.
cat > "$work/machine.json" << 'END'
{"schema": 1, "flops_per_second": 1e9, "latency": 1e-6, "bandwidth": 2e8, "copy_bandwidth": 1e9, "disk_bandwidth": 8e6}
END
expect 0 "$ASHLAR" plan-contract "ziisk,zkj->zij" z=2 i=4 s=5 k=6 j=7 --ranks 1 --memory 8kB --json \
    --machine "$work/machine.json"
python3 -IS -c 'import json, sys
d = json.load(open(sys.argv[1]))
m, p = d["matching"], d["problem"]
assert (p["m"], p["n"], p["k"], p["batch"]) == (4, 7, 6, 2) and p["disk_bandwidth"] == 8e6, p
assert m["alone_a"] == {"indices": "s", "extent": 5} and m["in_place"] == [False, True, True], m
assert d["prepare_words"] == 2 * 4 * 5 * 6 + 2 * 4 * 6, d["prepare_words"]
assert {(s["disk_words"], s["words_max"]) for s in d["schedules"]} == {(2 * (24 + 42 + 2 * 28), 0)}, "one rank"' \
    "$work/out" || fail "$ran: $(head -c 400 "$work/out")"

# A given distribution: on 2 x 2 ranks <j> instead of <k, j> leaves ranks with half of B's columns, but all of K. Each
# rank needs 8 x 8 words of B, has 16 x 4 of them, 8 x 4 of these are needed at most, and 8 x 8 are missing at most.
expect 0 "$ASHLAR" plan-contract "ik,kj->ij" i=16 j=16 k=16 --ranks 4 --memory 1MB --dist-b j --method inside/rotation     --order ABC --disk-bandwidth 8B --network-bandwidth 16B --json
python3 -IS -c 'import json, sys
d = json.load(open(sys.argv[1]))
s, r = d["schedules"][0], d["schedules"][0]["redistribution"]
assert len(d["schedules"]) == 1 and d["free"] == {"method": "inside/rotation", "order": "ABC", "seconds": 384}, d["free"]
assert r["indices"] == "ijk" and r["words_max"] == [0, 64, 0] and r["disk_words"] == 128, r
assert r["seconds"] == 64 / 2 + 128 and s["seconds"] == 64 * 4 + 256 / 2 + r["seconds"], s' "$work/out" ||
    fail "$ran: $(cat "$work/out")"
expect 0 "$ASHLAR" plan-contract "ik,kj->ij" i=16 j=16 k=16 --ranks 4 --memory 1MB --dist-b - --dist-a ik --dist-c ij
prints '^. inside/rotation .* ijk +0  2x2  ABC$'
prints '^with free distributions .* takes .*: the given ones cost '
expect 0 "$ASHLAR" plan-contract "zik,zkj->zij" z=3 i=16 j=16 k=16 --ranks 4 --memory 1MB
prints '^bounds      disk, all 3072 words or more \(A and B are read once, C is read and written\); network 58\.0 or more '
expect 0 "$ASHLAR" plan-contract "zik,zkj->zij" z=4 i=16 j=16 k=16 --ranks 4 --memory 1MB
prints '; network 0 or more for a rank if distributions are free \(each rank has some values of the batch\)$'
expect 2 "$ASHLAR" plan-contract "ik,kj->ij" i=16 j=16 k=16 --ranks 4 --memory 1MB --dist-b i
says "distribution 'i' of B: 'i' is no index that can be cut"
expect 2 "$ASHLAR" plan-contract "ik,kj->ij" i=16 j=16 k=16 --ranks 1048577 --memory 1MB --dist-c i
says 'for at most 1048576 ranks'

# Six ranks are no square; a method that cannot be says why; where none can, the answer is no.
expect 0 "$ASHLAR" plan-contract "ik,kj->ij" i=600 j=600 k=5 --ranks 6 --memory 1MB
prints '^  inside/accumulation +ABC +not applicable: K has 5 values, too few for 6 parts$'
prints '^. inside/rotation +CAB .* 2x3'
expect 1 "$ASHLAR" plan-contract "ik,kj->ij" i=6 j=6 k=5 --ranks 7 --memory 1MB --method inside/accumulation
prints '^none of these is applicable$'

expect 0 timeout 20 "$ASHLAR" plan-contract "ik,kj->ij" i=1e6 j=1e6 k=1e6 --ranks 2147483646 --memory 1GB
prints '^one large tile: words are counted for at most 1048576 ranks$'

# Three operands and more. The four quarters of a transformation, cheapest first; memory for the first intermediate, so
# that it needs no file, and the disk has only what is the caller's: each array once.
expect 0 "$ASHLAR" plan-contract "pqrs,pi,qj,rk,sl->ijkl" p=10 q=10 r=10 s=10 i=2 j=2 k=2 l=2 --ranks 2 \
    --memory-words 1000000 --json
python3 -IS -c 'import json, sys
d = json.load(open(sys.argv[1]))
assert d["exact"] and d["scratch"] == 0 and d["tile_by_tile"] is None, d
assert d["multiply_adds"] == d["multiply_adds_fewest"] == 20000 + 4000 + 800 + 160, d["multiply_adds"]
assert [s["held_words"] for s in d["steps"]] == [2000, 2400, 480, 80], d["steps"]
assert [s["result"] for s in d["steps"]] == ["memory"] * 3 + ["output"], d["steps"]
assert [s["operands"] for s in d["steps"]] == [[0, 1], [2, 5], [3, 6], [4, 7]], d["steps"]
assert d["held_words"] == 2400 and d["disk_words_total"] == 10000 + 4 * 20 + 16, d
s = d["steps"][1]
assert (s["m"], s["n"], s["k"], s["batch"]) == (2, 200, 10, 1) and s["words"] == 20 + 2000 + 400, s' "$work/out" ||
    fail "$ran: $(head -c 400 "$work/out")"

# An index of one operand alone is summed first. An MTTKRP on disk, tile by tile, and its bound.
expect 0 "$ASHLAR" plan-contract "is,js,k,kl->l" i=10 s=4 j=6 k=3 l=9 --ranks 1 --memory 1MB
prints '^  1 is->s +a sum +40 +44 +4 memory +40 '
prints '^98 multiply-adds, 127 words, 9 of intermediates in memory at most, 103 words of disk, '
expect 0 "$ASHLAR" plan-contract "ijk,jr,kr->ir" i=2000 j=2000 k=2000 r=2000 --ranks 4 --memory 4MiB
prints '^  1 jr,kr->rjk .* in tiles +- +- '
prints '^steps 1 and 2 are one MTTKRP: tile by tile, without the array between them, 11\.7 G words of disk; one after .* 32\.0 G$'
prints '^  bound: a rank moves 1\.85 G words or more \(3 I J K R / \(P S\^\(2/3\)\), Ziogas et al\., Deinsum, SC 2022\)$'
expect 0 "$ASHLAR" plan-contract "ijk,jb,kc->ibc" i=1000 j=1000 k=1000 b=30 c=30 --ranks 1 --memory 16MiB --json
python3 -IS -c 'import json, sys
d = json.load(open(sys.argv[1]))
t = d["tile_by_tile"]
assert t["kind"] == "TTMc" and t["chosen"] and t["bound"] is None and t["steps"] == [0, 1], t
assert d["steps"][0]["result"] == "tiles" and d["held_words"] == 0, d
assert t["disk_words_total"] < t["disk_words_pairs"] and t["memory_words"] <= 1 << 21, t
assert t["multiply_adds"] <= 1.1 * d["multiply_adds"] and t["disk_words_total"] == d["disk_words_total"], t' \
    "$work/out" || fail "$ran: $(head -c 400 "$work/out")"

# More ranks than words of pairs are counted for: two steps are done tile by tile all the same.
expect 0 "$ASHLAR" plan-contract "ij,jk,kl->il" i=20 j=20 k=20 l=20 --ranks 2147483647 --memory 1MB --json
python3 -IS -c 'import json, sys
t = json.load(open(sys.argv[1]))["tile_by_tile"]
assert t["chosen"] and t["disk_words_pairs"] is None and t["disk_words_total"] == 1600, t' "$work/out" ||
    fail "$ran: $(head -c 400 "$work/out")"

# The paper's tables.
for table in 'table9 3 of 6' 'table10 15 of 30' 'table11 24 of 24'; do
    set -- $table
    expect 0 "$ASHLAR" plan-contract --paper "$1"
    prints "^$2 of $4 are met to the last printed digit\$"
done
prints '^inside/replication-a +P = 16, 200 MB/s +CAB +1330921 +1330921\.240 s'
expect 0 "$ASHLAR" plan-contract --paper table9 --json
python3 -IS -c 'import json, sys
cells = json.load(open(sys.argv[1]))["cells"]
assert [c["met"] for c in cells] == [c["note"] == "" for c in cells] and len(cells) == 6, cells' "$work/out" ||
    fail "$ran: notes"

# points COLUMN PATTERN: three lines, the second the expression, the third a caret below the column.
points() {
    test "$(wc -l < "$work/err")" -eq 3 || fail "$ran: not three lines: $(cat "$work/err")"
    test ! -s "$work/out" || fail "$ran: something on standard output"
    sed -n 1p "$work/err" | grep -Eq -- "^ashlar plan-contract: column $1: $2\$" || fail "$ran: $(cat "$work/err")"
    test "$(sed -n 3p "$work/err")" = "$(printf '    %*s^' "$(($1 - 1))" '')" || fail "$ran: $(cat "$work/err")"
}
refuse() { expect 2 "$ASHLAR" plan-contract "$@" --ranks 4 --memory 1MB; }
refuse "ij,jk->iq" i=3 j=3 k=3
points 9 "index 'q' of the output is in no operand"
refuse " ij, jk -> i i" i=3 j=3 k=3
points 14 "index 'i' is in the output twice"
refuse "ij,...k->ik" i=3 j=3 k=3
points 4 "'\.\.\.' is not supported, name every index"
refuse "ij,jk" i=3 j=3 k=3
points 6 "wanted '->' and the indices of the output"
refuse "ij,jk->ik" i=3 j=3
points 5 "index 'k' has no extent"
refuse "ij,jk->ik" i=4e9 j=4e9 k=3
points 1 "the words of operand 1 do not fit in 64 bits"
refuse "ij,kl->ijkl" i=1e5 j=1e5 k=1e5 l=1e5
points 8 'the words of the output do not fit in 64 bits'
refuse "ij,jk->ik" i=3e9 j=3 k=3e9
points 5 "with index 'k' the products of elements do not fit in 64 bits" # 9e18 words of C do
refuse "ij,jk->ik" i=9223372036854775807 j=1 k=2
points 8 'the words of the output do not fit in 64 bits'
refuse "ij,jk,kl->il" i=1 j=9e18 k=1 l=1 # both steps together have too many
points 1 'the products of elements do not fit in 64 bits'
# marks WORD COLUMN PATTERN: the second line is that word, of an index and its extent.
marks() {
    test "$(wc -l < "$work/err")" -eq 3 && test ! -s "$work/out" || fail "$ran: $(cat "$work/out" "$work/err")"
    sed -n 1p "$work/err" | grep -Eq -- "^ashlar plan-contract: $3\$" || fail "$ran: $(cat "$work/err")"
    test "$(sed -n 2,3p "$work/err")" = "$(printf '    %s\n    %*s^' "$1" "$(($2 - 1))" '')" ||
        fail "$ran: $(cat "$work/err")"
}
refuse "ij,jk->ik" i=3 j=3 k=3 i=4
marks i=4 3 "index 'i' has extent 3 and 4"
refuse "ij,jk->ik" i=3 j=3 k=3 q=4
marks q=4 1 "index 'q' is not in the expression"
for extent in 0 -1 1e400 -1e400 1e19 9223372036854775808 1.5 inf nan 0x10 '' many; do
    refuse "ij,jk->ik" i=3 j=3 "k=$extent"
    marks "k=$extent" 3 "index 'k' has extent '$extent', wanted a whole number from 1 to 2\^63 - 1"
done
refuse "ij,jk->ik" i=3 j=3 k=2147483647 ij=4
marks ij=4 1 "'ij=4', wanted an index and its extent, such as i=800"
for size in 1e400 9223372036854775808 9e9TB -1 inf; do
    expect 2 "$ASHLAR" plan-contract "ij,jk->ik" i=3 j=3 k=3 --ranks 4 --memory "$size"
    says "--memory is '$size', wanted a number of bytes such as 64MiB, below 2\^63\$"
    expect 2 "$ASHLAR" plan-contract "ij,jk->ik" i=3 j=3 k=3 --ranks 4 --memory 1MB --disk-bandwidth "$size"
    says "--disk-bandwidth is '$size', wanted a number of bytes such as 64MiB, below 2\^63\$"
done
for factor in 1e400 -1 1e10 nan; do
    expect 2 "$ASHLAR" plan-contract "ij,jk->ik" i=3 j=3 k=3 --ranks 4 --memory 1MB --reduce-factor "$factor"
    says "--reduce-factor is '$factor', wanted a number, 0 to 1e9\$"
done
refuse "ij->ji" i=3 j=3
says '1 operand, wanted 2 or more'
refuse "ij,jk,kl->il" i=3 j=3 k=3 l=3 --order ABC
says '--order is about a pair, and there are 3 operands'
refuse "ij,jk,kl->iq" i=3 j=3 k=3 l=3
points 12 "index 'q' of the output is in no operand"
refuse "ij,jk,kl->il" i=3e9 j=3 k=3 l=3e9
points 8 "with index 'l' the products of elements do not fit in 64 bits"
refuse
says 'EXPRESSION is missing'
expect 2 "$ASHLAR" plan-contract "ij,jk->ik" i=3 j=3 k=3 --memory 1MB
says '--ranks=P is wanted'
expect 2 "$ASHLAR" plan-contract "ij,jk->ik" i=3 j=3 k=3 --ranks 2
says '--memory=SIZE or --memory-words=W is wanted'
expect 1 "$ASHLAR" plan-contract "ij,jk->ik" i=3 j=3 k=3 --ranks 2 --memory 23
says '--memory holds fewer than 3 words'
expect 2 "$ASHLAR" plan-contract "ij,jk->ik" i=3 --paper table9
says 'no expression is wanted'
expect 2 "$ASHLAR" plan-contract --paper table8
says "--paper is 'table8'"
expect 3 "$ASHLAR" plan-contract "ij,jk->ik" i=3 j=3 k=3 --ranks 2 --memory 1MB --machine "$work/none.json"
says 'none.json'
finish
