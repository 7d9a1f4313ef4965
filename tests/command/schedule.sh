#!/bin/sh
# `ashlar schedule`: what all ranks print forms every product once, and their messages pair.
. "$ASHLAR_SOURCE/tests/command/support.inc"

cat > "$work/proof.py" << 'END'
import json, sys

ranks = [json.load(open(name)) for name in sys.argv[1:]]
size = [ranks[0]["problem"][d] for d in "mnk"]
formed, sent, received = {}, {}, {}
indices = {"A": "mk", "B": "nk", "C": "mn"}


def lies_in(panel, product):
    return all(panel["lo"][i] <= product[d][0] and product[d][1] <= panel["hi"][i]
               for i, d in enumerate(indices[panel["operand"]]))


for rank, document in enumerate(ranks):
    assert document["schema"] == 1 and document["rank"] == rank
    panels, gone = {}, set()
    for step in document["steps"]:
        for panel in step["panels"]:
            panels[panel["id"]] = panel
        for o in step["operations"]:
            assert o["step"] == step["step"], o
            for read in o["reads"]:
                assert read["panel"] in panels and read["panel"] not in gone, o
                if read["last"]:
                    gone.add(read["panel"])
            for m in o["messages"]:
                pair = (rank, m["peer"]) if m["send"] else (m["peer"], rank)
                (sent if m["send"] else received).setdefault(pair, []).append((m["words"], o["step"]))
            if o["product"]:
                used = [panels[read["panel"]] for read in o["reads"]] + [panels[o["makes"]]]
                assert all(lies_in(panel, o["product"]) for panel in used), o
                box = [o["product"][d] for d in "mnk"]
                for i in range(*box[0]):
                    for j in range(*box[1]):
                        for l in range(*box[2]):
                            assert (i, j, l) not in formed, (i, j, l)
                            formed[i, j, l] = rank
assert len(formed) == size[0] * size[1] * size[2], len(formed)
assert sent == received, "messages do not pair"
assert sent or len(ranks) == 1
END

# What is printed of tasks can be read without the program: no two that may run together touch the same word of the pool
# unless both read it, or make different parts of one panel.
cat > "$work/tasks.py" << 'END'
import json, sys

ranks = [json.load(open(name)) for name in sys.argv[1:]]
sent, received = {}, {}


def words(panel):
    if panel["ld"] is None:
        return set(range(panel["at"], panel["at"] + panel["words"] * panel["copies"]))
    side = [panel["hi"][i] - panel["lo"][i] for i in panel["order"]]
    return {panel["at"] + x + y * panel["ld"] for x in range(side[0]) for y in range(side[1])}


def parts_of_one(a, b, panels):
    if a["makes"] is None or b["makes"] is None:
        return False
    x, y = panels[a["makes"]], panels[b["makes"]]
    if x["id"] != y["id"]:
        return x["within"] is not None and x["within"] == y["within"]
    m, n = a["message"], b["message"]
    return bool(m and n) and (m["offset"] + m["words"] <= n["offset"] or n["offset"] + n["words"] <= m["offset"])


checked = 0
for rank, document in enumerate(ranks):
    panels, tasks, reaches = {}, [], []
    for step in document["steps"]:
        panels.update((panel["id"], panel) for panel in step["panels"])
        tasks += step["tasks"]
    pool = {i: words(panel) for i, panel in panels.items() if panel["at"] is not None}
    assert document["pool_words"] == max([max(w) + 1 for w in pool.values() if w], default=0)
    for number, t in enumerate(tasks):
        assert t["number"] == number
        reaches.append({number}.union(*(reaches[b] for b in t["before"])))
        m = t["message"]
        if m:
            pair = (rank, m["peer"]) if m["send"] else (m["peer"], rank)
            several = (sent if m["send"] else received).setdefault(pair, [])
            assert m["tag"] == len(several)
            several.append((m["words"], t["step"]))
        reads = set().union(*(pool.get(r["panel"], set()) for r in t["reads"]))
        writes = pool.get(t["makes"], set())
        for other in tasks[:number]:
            if other["step"] < t["step"] - document["look_ahead"] or other["number"] in reaches[number]:
                continue
            theirs = set().union(*(pool.get(r["panel"], set()) for r in other["reads"]))
            made = pool.get(other["makes"], set())
            if not parts_of_one(t, other, panels):
                assert not writes & made, (rank, other, t)
            assert not writes & theirs and not reads & made, (rank, other, t)
            checked += 1
assert sent == received, "messages do not pair"
assert checked or len(ranks) == 1
END

proved() {
    ranks=$1
    shift
    files=
    tasks=
    for rank in $(seq 0 $((ranks - 1))); do
        expect 0 "$ASHLAR" schedule "$@" --ranks "$ranks" --rank "$rank" --json
        cp "$work/out" "$work/rank$rank.json"
        expect 0 "$ASHLAR" schedule "$@" --ranks "$ranks" --rank "$rank" --json --tasks
        cp "$work/out" "$work/tasks$rank.json"
        files="$files rank$rank.json"
        tasks="$tasks tasks$rank.json"
    done
    # shellcheck disable=SC2086 # a list of files
    (cd "$work" && python3 -IS proof.py $files) || fail "schedule $*: the ranks' operations do not form the product"
    # shellcheck disable=SC2086 # a list of files
    (cd "$work" && python3 -IS tasks.py $tasks) || fail "schedule $*: the ranks' tasks are in each other's way"
}
proved 1 5 6 7
proved 6 20 18 25
proved 8 12 14 40 --layout block-cyclic:3x2:2x4 --transb T
proved 9 20 18 25 --strategy cannon
proved 8 16 20 24 --strategy summa --memory-words 400

expect 0 "$ASHLAR" schedule 20 18 25 --ranks 6 --rank 5
prints '^step 0$'
prints '^  MULTIPLY \['
expect 0 "$ASHLAR" schedule 20 18 25 --ranks 6 --rank 5 --tasks
prints '^  task [0-9]*: SEND, reads [0-9]*.*, words \[0, [0-9]*) to [0-9], tag 0'
prints 'words, pool.* at [0-9]'
prints ', after [0-9]'
prints '^look-ahead [0-9]*, pool [0-9]* words$'
expect 2 "$ASHLAR" schedule 20 18 25 --ranks 6
says '--rank=R is wanted'
expect 2 "$ASHLAR" schedule 20 18 25 --ranks 6 --rank 6
says 'must be below the number of ranks'
finish
