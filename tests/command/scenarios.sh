#!/bin/sh
# bench/evaluation: its words are those of `ashlar simulate`, and its special cases those of the formulas.
. "$ASHLAR_SOURCE/tests/command/support.inc"

# More than 64 ranks are walked in one round, fewer in all of them.
expect 0 "$ASHLAR_SCENARIOS" --strategy=cosma --ranks=7,100 --json
mv "$work/out" "$work/rows"
python3 -IS - "$work/rows" "$ASHLAR" > "$work/differ" 2>&1 <<'EOF' || fail "rows: $(tail -n 3 "$work/differ")"
import json, subprocess, sys
document, ashlar = json.load(open(sys.argv[1])), sys.argv[2]
assert document["schema"] == 1
rows = document["rows"]
assert len(rows) == 4 * 3 * 2, len(rows)


# The sizes of the paper, as its authors published them: sides of square and largeK products on N nodes of 36 cores.
def sides(shape, nodes):
    if shape == "square":
        return (int(0.4 * int((nodes * 1.25e9 / 3) ** 0.5)),) * 2
    side = int(136 * (nodes * 1.25e9 / (3 * 228 * 136)) ** (1 / 3))
    return int(0.4 * side), int(0.4 * int(228 / 136**2 * side**2))


assert sides("largeK", 512 ** (2 / 3)) == (5173, 824736) and sides("square", 512 ** (2 / 3))[0] == 65319
served = 0
for row in rows:
    p = row["problem"]
    if row["shape"] in ("square", "largeK") and row["scaling"] != "strong":
        wanted = sides(row["shape"], ((p["ranks"] + 35) // 36) ** (1 if row["scaling"] == "limited" else 2 / 3))
        assert [p["m"], p["n"], p["k"]] == [wanted[0], wanted[0], wanted[1]], (row, wanted)
    walked = subprocess.run([ashlar, "simulate", str(p["m"]), str(p["n"]), str(p["k"]), f"--ranks={p['ranks']}",
                             f"--memory-words={p['memory_words']}", "--objective=words", "--json"],
                            capture_output=True, text=True)
    assert row["applicable"] == (walked.returncode == 0), (row, walked.stderr)
    if not row["applicable"]:
        assert walked.returncode == 1 and row["reason"].split(",")[0] in walked.stderr, (row, walked.stderr)
        continue
    served += 1
    one = json.loads(walked.stdout)
    figures = one["strategies"][0]
    assert abs(one["bound"]["words"] - row["bound_words"]) <= 1e-9 * row["bound_words"]
    for key in "grid", "ranks_used", "rounds", "words_max", "words_mean", "words_total":
        assert row[key] == figures[key], (key, row, figures)
    assert row["messages_walked_max"] <= figures["messages_max"], (row, figures)
    assert row["memory_walked_words"] <= p["memory_words"], row
    if p["ranks"] <= 64:
        assert row["messages_walked_max"] == figures["messages_max"], (row, figures)
        assert row["memory_walked_words"] == figures["memory_words"], (row, figures)
assert served > 12, served

marks = {(mark["case"], mark["name"]): mark for mark in document["landmarks"]}
n, p = 4096, 64
assert marks["Table 3, square", "2D"]["counted"] == 2 * n * n * (8 - 1) // p
assert marks["Table 3, square", "COSMA"]["counted"] == 2 * n * n * (8 - 1) // p  # in the least memory
assert marks["Table 3, square", "recursive"]["counted"] == 3 * n * n * (4 - 1) // p
p = 1024
assert marks["Table 3, tall", "2D"]["counted"] == p * 32 // 2 - p // 2
assert marks["Table 3, tall", "recursive"]["counted"] == 3 * p // 4 - 1  # the paper leaves out the share of C, a word
for (case, name), mark in marks.items():  # but that one's memory holds no schedule
    assert mark["counted"] <= mark["touched"] or (case, name) == ("Table 3, square", "COSMA"), mark
one, two = marks["Figure 5", "1x5x13"], marks["Figure 5", "4x4x4"]
assert two["counted"] == 3 * (n // 4) ** 2 * 3 // 4
assert round(100 * (1 - two["touched"] / one["touched"])) == 36
assert round(100 * (1 - two["counted"] / one["counted"])) == 43
EOF

# In no row has a strategy fewer words than what the planner chooses with leave to, if as many ranks work, but for a
# thousandth: halves of halves (carma) are not compared if memory is limited and the number of ranks is no power of two.
expect 0 "$ASHLAR_SCENARIOS" --ranks=7,12 --json
mv "$work/out" "$work/rows"
python3 -IS - "$work/rows" > "$work/worse" 2>&1 <<'EOF' || fail "the planner: $(tail -n 3 "$work/worse")"
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
product = lambda row: (row["shape"], row["scaling"], row["problem"]["ranks"])
planned = {product(row): row for row in rows if row["name"] == "planner" and row["applicable"]}
served = [row for row in rows if row["applicable"]]
assert len(planned) >= 16 and len(served) > 4 * len(planned), (len(planned), len(served))
for row in served:
    plan = planned[product(row)]
    assert 1.001 * row["words_max"] >= plan["words_max"] or row["ranks_used"] < plan["ranks_used"], (row, plan)
for row in planned.values():
    same = [other for other in served if product(other) == product(row) and other["name"] == row["strategy"]]
    assert [other["words_max"] for other in same] == [row["words_max"]], (row, same)
EOF

# Of a walk that would be long a sample tells: all ranks of tpMM receive all of B but their share.
expect 0 "$ASHLAR_SCENARIOS" --strategy=tpmm --ranks=8192 --shape=square --scaling=strong --json
python3 -IS - "$work/out" > "$work/sample" 2>&1 <<'EOF' || fail "the sample: $(tail -n 1 "$work/sample")"
import json, sys
row, = json.load(open(sys.argv[1]))["rows"]
assert 4 <= row["ranks_walked"] <= 64, row
assert row["words_max"] == row["words_mean"] == 16384 ** 2 * 8191 // 8192, row
assert row["words_total"] == 8192 * row["words_max"], row
EOF
expect 0 "$ASHLAR_SCENARIOS" --strategy=tpmm --ranks=8192 --shape=square --scaling=strong
grep -q '^\* tpmm, square strong: a sample of the ranks on 1 of 1 counts$' "$work/out" || fail "the table has no sample"

# Ratios to COSMA beside the paper's, over the counts that both serve: carma does not serve 64 with limited memory.
expect 0 "$ASHLAR_SCENARIOS" --strategy=cosma,summa,carma --ranks=16,64 --shape=square --json
mv "$work/out" "$work/rows"
expect 0 "$ASHLAR_SCENARIOS" --strategy=cosma,summa,carma --ranks=16,64 --shape=square
python3 -IS - "$work/rows" "$work/out" > "$work/ratios" 2>&1 <<'EOF' || fail "ratios: $(tail -n 1 "$work/ratios")"
import json, re, sys
rows = [row for row in json.load(open(sys.argv[1]))["rows"] if row["applicable"]]
text = open(sys.argv[2]).read().split("Words over COSMA's")[1].split("Words of the busiest")[0]
mean = {(row["scaling"], row["problem"]["ranks"], row["name"]): row["words_total"] / row["ranks_used"] for row in rows}
assert ("limited", 64, "carma") not in mean
published = {"strong": (203, 195, 107), "limited": (816, 799, 424), "extra": (303, 291, 151)}
assert "| shape | scaling | summa | paper: ScaLAPACK | carma | paper: CARMA |" in text, text
for scaling, paper in published.items():
    told = re.search(rf"^\| square \| {scaling} \|(.*)\|$", text, re.M)[1].split("|")
    both = {way: [p for p in (16, 64) if (scaling, p, way) in mean] for way in ("summa", "carma")}
    wanted = [sum(mean[scaling, p, way] for p in both[way]) / sum(mean[scaling, p, "cosma"] for p in both[way])
              for way in ("summa", "carma")]
    assert [float(x) for x in told] == [round(wanted[0], 2), round(paper[0] / paper[2], 2), round(wanted[1], 2),
                                        round(paper[1] / paper[2], 2)], (told, wanted)
EOF

# Files, and any number of processes tells the same.
expect 0 "$ASHLAR_SCENARIOS" --ranks=7,12 --shape=largeK --strategy=cosma --out="$work/files" --jobs=1
mv "$work/out" "$work/one"
prints_to() { grep -Eq "$1" "$work/one" || fail "nothing like '$1' in the table"; }
prints_to '^\| largeK \| limited \| [0-9.]+ .*\| 368 \| 541 \| 128 \| 88 \|$'
prints_to '^Figure 5: 4x4x4 saves 35\.9 %'
expect 0 "$ASHLAR_SCENARIOS" --ranks=7,12 --shape=largeK --strategy=cosma --jobs=3
diff "$work/one" "$work/out" > "$work/diff" || fail "--jobs changes the table: $(head -n 3 "$work/diff")"
diff "$work/one" "$work/files/words.md" > /dev/null || fail "words.md is not the table"
awk -F, 'NR > 1 && $9 == "cosma" && $16 == $3 { n++ } END { exit n != 4 }' "$work/files/words.csv" ||
    fail "words.csv has not four rows of cosma's: $(cut -c 1-120 "$work/files/words.csv")"
for file in words.dat words.gp; do
    test -s "$work/files/$file" || fail "no $file"
done
if command -v gnuplot > /dev/null; then
    grep -q '<svg' "$work/files/words-largeK.svg" || fail "no figure"
fi
mkdir "$work/empty"
PATH=$work/empty expect 0 "$ASHLAR_SCENARIOS" --strategy=summa --ranks=7 --shape=flat --scaling=extra \
    --out="$work/undrawn" -q
grep -q 'there is no gnuplot' "$work/err" || fail "does not say that there is no gnuplot"
test -s "$work/undrawn/words.gp" || fail "no script without gnuplot"

expect 2 "$ASHLAR_SCENARIOS" all
says "^scenarios: one argument too many: 'all'"
expect 2 "$ASHLAR_SCENARIOS" --rank=4
says "^scenarios: unknown option '--rank=4'; did you mean --ranks"
expect 0 "$ASHLAR_SCENARIOS" --help
prints '^Usage: scenarios \[OPTION\.\.\.\]$'
prints '; 1 to 4096$'
expect 2 "$ASHLAR_SCENARIOS" --strategy=cosmo
says "no strategy 'cosmo'; did you mean cosma"
expect 2 "$ASHLAR_SCENARIOS" --strategy=cosma,
says "no strategy ''"
expect 0 "$ASHLAR_SCENARIOS" --strategy=planner,summa --ranks=6 --shape=flat -q
prints '^\| shape \| scaling \| summa \| planner \|'
for list in , 0 8,4 8,8 8,x 8,; do
    expect 2 "$ASHLAR_SCENARIOS" --ranks="$list"
    says "wanted ascending counts"
done
expect 3 "$ASHLAR_SCENARIOS" --strategy=cosma --ranks=4 --shape=square --out="$work/none/such"
says 'the folder cannot be made'
finish
