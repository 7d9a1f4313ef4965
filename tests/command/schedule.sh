#!/bin/sh
# `ashlar schedule`: what all ranks print forms every product once, and their messages pair.
. "$ASHLAR_SOURCE/tests/command/support.inc"

cat > "$work/proof.py" << 'END'
import json, sys

ranks = [json.load(open(name)) for name in sys.argv[1:]]
size = [ranks[0]["problem"][d] for d in "mnk"]
formed, sent, received = {}, {}, {}
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

proved() {
    ranks=$1
    shift
    files=
    for rank in $(seq 0 $((ranks - 1))); do
        expect 0 "$ASHLAR" schedule "$@" --ranks "$ranks" --rank "$rank" --json
        cp "$work/out" "$work/rank$rank.json"
        files="$files $work/rank$rank.json"
    done
    # shellcheck disable=SC2086 # a list of files
    python3 -IS "$work/proof.py" $files || fail "schedule $*: the ranks' operations do not form the product"
}
proved 1 5 6 7
proved 6 20 18 25
proved 8 12 14 40 --layout block-cyclic:3x2:2x4 --transb T
proved 9 20 18 25 --strategy cannon
proved 8 16 20 24 --strategy summa --memory-words 400

expect 0 "$ASHLAR" schedule 20 18 25 --ranks 6 --rank 5
prints '^step 0$'
prints '^  MULTIPLY \['
expect 2 "$ASHLAR" schedule 20 18 25 --ranks 6
says '--rank=R is wanted'
expect 2 "$ASHLAR" schedule 20 18 25 --ranks 6 --rank 6
says 'must be below the number of ranks'
finish
