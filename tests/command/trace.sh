#!/bin/sh
# `ashlar multiply --trace` and `ashlar trace`: what is recorded is what was moved and multiplied, word by word; the
# shares shown are those of the file; a file that is not as described is refused with its line.
. "$ASHLAR_SOURCE/tests/command/support.inc"

# file STATS: events agree with the figures of the run, messages with each other.
cat > "$work/proof.py" << 'END'
import collections, json, sys

document = json.load(open(sys.argv[1]))
stats = json.load(open(sys.argv[2]))
assert document["otherData"]["format"] == "ashlar trace" and document["otherData"]["dropped"] == 0
events = [e for e in document["traceEvents"] if e["ph"] == "X"]
assert len(events) == document["otherData"]["events"] > 0
words = collections.Counter()
for e in events:
    words[e["name"]] += e["args"]["words"]
problem, measured = stats["problem"], stats["measured"]
assert words["multiply"] == problem["m"] * problem["n"] * problem["k"], words
if stats.get("device"): # a device made all products: what it took is in its lanes
    lane = collections.Counter()
    for e in events:
        lane[e["cat"]] += e["args"]["words"]
    took = stats["device"]["measured"]
    assert lane["device in"] == took["words_in_total"] > 0 and lane["device out"] == took["words_out_total"] > 0, lane
    assert lane["device"] == words["multiply"] == words["wait for device"], (lane, words)
assert words["receive"] + words["put"] == measured["words_total"], (words, measured)
assert words["read"] + words["write"] == measured["disk_words"], (words, measured)

# Both ends of a message have its words and step; it is not received before it is sent, on clocks that are compared.
sent, received = collections.defaultdict(list), collections.defaultdict(list)
for e in events:
    a = e["args"]
    if e["name"] == "send":
        sent[e["pid"], a["peer"], a["step"], a["words"]].append(e["ts"])
    if e["name"] == "receive":
        received[a["peer"], e["pid"], a["step"], a["words"]].append(e["ts"] + e["dur"])
assert {k: len(v) for k, v in sent.items()} == {k: len(v) for k, v in received.items()}, "messages do not pair"
for key in sent:
    assert max(received[key]) >= min(sent[key]), key

# One process per rank, one lane per thread, and nothing overlaps in a row of a lane.
rows = collections.defaultdict(list)
for e in events:
    assert ["cores", "network", "disk", "device in", "device", "device out"][e["tid"] // 1000] == e["cat"], e
    rows[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"]))
names = {(e["pid"], e["tid"]) for e in document["traceEvents"] if e["name"] == "thread_name"}
assert set(rows) <= names, "a thread without a name"
for row in rows.values():
    row.sort()
    assert all(a[1] <= b[0] + 0.0011 for a, b in zip(row, row[1:])), "events overlap in a row"
assert {p for p, t in rows} == set(range(problem["ranks"])), "a rank without events"
END

# TRACE JSON: the seconds of `ashlar trace --json`, found another way: between all moments at which anything changes.
cat > "$work/shares.py" << 'END'
import json, sys

document, shown = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
events = [e for e in document["traceEvents"] if e["ph"] == "X"]
begin, end = min(e["ts"] for e in events), max(e["ts"] + e["dur"] for e in events)
assert abs(shown["seconds"] - 1e-6 * (end - begin)) < 1e-9 and shown["events"] == len(events)
for row in shown["lanes"]:
    found = dict.fromkeys(("cores", "waiting", "network", "disk", "device in", "device", "device out", "moving",
                           "hidden"), 0.0)
    own = [(e["ts"], e["ts"] + e["dur"], "waiting" if e["name"].startswith("wait") else e["cat"])
           for e in events if e["pid"] == row["rank"]]
    moments = sorted({t for o in own for t in o[:2]})
    for a, b in zip(moments, moments[1:]):
        on = {o[2] for o in own if o[0] <= a and b <= o[1]}
        on |= {"moving"} if on & {"network", "disk", "device in", "device out"} else set()
        on |= {"hidden"} if "moving" in on and on & {"cores", "device"} else set()
        for what in on:
            found[what] += 1e-6 * (b - a)
    for what in found:
        assert abs(found[what] - row[what]) < 1e-8, (row, found)
waits = [e for e in events if e["name"].startswith("wait")]
longest = shown["longest_wait"]
assert (longest is None) == (not waits)
assert not waits or abs(longest["seconds"] - 1e-6 * max(e["dur"] for e in waits)) < 1e-9, longest
END

# SVG TRACE: an XML document whose bars of a rank's waits, put together, are as long as the waits.
cat > "$work/drawing.py" << 'END'
import json, re, sys, xml.etree.ElementTree as tree

drawing, document = tree.parse(sys.argv[1]).getroot(), json.load(open(sys.argv[2]))
space = "{http://www.w3.org/2000/svg}"
texts = ["".join(t.itertext()) for t in drawing.iter(space + "text")]
for rank in range(document["otherData"]["ranks"]):
    assert "rank %d" % rank in texts, texts
bars = [b for b in drawing.iter(space + "rect") if b.find(space + "title") is not None]
events = [e for e in document["traceEvents"] if e["ph"] == "X"]
begin, end = min(e["ts"] for e in events), max(e["ts"] + e["dur"] for e in events)
drawn = sum(int(m.group(1)) if (m := re.match(r"(\d+) events", b.find(space + "title").text)) else 1 for b in bars)
assert drawn == len(events), (drawn, len(events))
width = float(next(b.get("width") for b in drawing.iter(space + "rect") if b.get("fill") == "#f2f2f2"))
left = float(next(b.get("x") for b in drawing.iter(space + "rect") if b.get("fill") == "#f2f2f2"))
for e in events:
    x = left + width * (e["ts"] - begin) / (end - begin)
    assert any(float(b.get("x")) - 0.02 <= x <= float(b.get("x")) + float(b.get("width")) + 0.3 for b in bars), e
END

expect 0 "$ASHLAR" generate 90 80 -o "$work/A.npy" --type d --seed 1
expect 0 "$ASHLAR" generate 80 70 -o "$work/B.npy" --type d --seed 2

recorded() {
    ranks=$1
    shift
    expect 0 launch "$ranks" "$ASHLAR" multiply "$work/A.npy" "$work/B.npy" -o "$work/C.npy" --check --quiet \
        --trace "$work/trace.json" --stats "$work/stats.json" "$@"
    python3 -IS "$work/proof.py" "$work/trace.json" "$work/stats.json" || fail "$ranks ranks, $*: the trace is wrong"
    expect 0 "$ASHLAR" trace "$work/trace.json" --svg "$work/trace.svg" --json
    python3 -IS "$work/shares.py" "$work/trace.json" "$work/out" || fail "$ranks ranks, $*: the shares are wrong"
    python3 -IS "$work/drawing.py" "$work/trace.svg" "$work/trace.json" || fail "$ranks ranks, $*: the drawing is wrong"
}
recorded 1
recorded 4 --strategy summa
recorded 6 --route tree
recorded 4 --transport one-sided
recorded 2 --memory 20kB
recorded 2 --strategy sequential --add "$work/C.npy"
recorded 2 --memory 40kB --device emulated --device-memory 8kB
recorded 3 --device emulated:in=1e8,out=1e8,flops=1e9 --device-memory 4kB
expect 0 "$ASHLAR" trace "$work/trace.json"
prints '^ +rank +cores +waiting +network +disk +device in +device +device out +hidden$'
recorded 2 --memory 20kB

expect 0 "$ASHLAR" trace "$work/trace.json"
prints '^trace     2 ranks, [0-9]+ events, '
prints '^longest   rank [01]: wait for (disk|network), '
prints '^ +1 .*%'

# Nothing is written if the place cannot be, before any work; the product is as it was.
cp "$work/C.npy" "$work/before.npy"
expect 3 launch 2 "$ASHLAR" multiply "$work/A.npy" "$work/A.npy" --transb T -o "$work/C.npy" --trace "$work/none/t.json"
grep -q 'none/t.json: ' "$work/err" || fail "nothing is said of the trace's place: $(cat "$work/err")"
cmp -s "$work/C.npy" "$work/before.npy" || fail "C has changed"
expect 2 "$ASHLAR" multiply "$work/A.npy" "$work/B.npy" -o "$work/C.npy" --trace "$work/A.npy"
grep -q -- '--trace' "$work/err" || fail "nothing is said of --trace: $(cat "$work/err")"
expect 2 "$ASHLAR" trace "$work/trace.json" --svg "$work/./trace.json"
says '--svg'
expect 3 "$ASHLAR" trace "$work/none.json"
says 'none.json: No such file'
expect 3 "$ASHLAR" trace "$work"
says 'not a regular file'

# altered LINE SED-COMMAND: line LINE is refused after it.
altered() {
    sed "$2" "$work/trace.json" > "$work/other.json"
    cmp -s "$work/trace.json" "$work/other.json" && fail "$2 changes nothing"
    expect 2 "$ASHLAR" trace "$work/other.json" --svg "$work/none.svg"
    says "other.json: line $1: "
    test ! -e "$work/none.svg" || fail "$2: drawn all the same"
}
all=$(wc -l < "$work/trace.json")
event=$(grep -n '"ph":"X"' "$work/trace.json" | head -n 1 | cut -d: -f1)
altered 1 '1s/ashlar trace/other/'
altered 1 '1s/"schema":1/"schema":2/'
altered 1 '1s/"ranks":2/"ranks":0/'
altered 1 '1s/"dropped":0/"dropped":0,"more":1/'
altered 1 '1s/"dropped":0/"dropped":0,"dropped":0/'
altered "$event" "${event}s/,\$//"
altered "$event" "${event}s/\"ph\":\"X\"/\"ph\":\"B\"/"
altered "$event" "${event}s/\"pid\":[01]/\"pid\":2/"
altered "$event" "${event}s/\"pid\":[01]/\"pid\":\"0\"/"
altered "$event" "${event}s/\"ts\":/\"ts\":-1/"
altered "$event" "${event}s/\"ts\":[0-9.]*/\"ts\":1e300/"
altered "$event" "${event}s/\"peer\":-1/\"peer\":2/"
altered "$event" "${event}s/\"words\":/\"words\":-1/"
altered "$event" "${event}s/\"step\":[0-9]*,//"
altered "$event" "${event}s/\"cat\":\"cores\"/\"cat\":\"disk\"/"
altered "$event" "${event}s/\"args\":/\"more\":1,\"args\":/"
altered "$event" "${event}s/{/[/"
altered "$event" "${event}s/.*//"
altered $((all - 2)) "$((all - 1))d; ${event}d"
altered $((all - 1)) "${event}d"
altered "$all" "\$a ]}"
altered $((all - 3)) "$((all - 3))s/.*/]}/"
head -n $((all - 2)) "$work/trace.json" > "$work/other.json"
expect 2 "$ASHLAR" trace "$work/other.json"
says "line $((all - 1)): the file ends here, and is not whole"
head -c -1 "$work/trace.json" > "$work/other.json"
expect 2 "$ASHLAR" trace "$work/other.json"
says "line $all: the file ends here, and is not whole"
: > "$work/other.json"
expect 2 "$ASHLAR" trace "$work/other.json"
says 'line 1: the file ends here'
finish
