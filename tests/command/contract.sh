#!/bin/sh
# `ashlar contract`: results against loops, formats and ranges, sums added in place, a killed run gone on with, figures,
# and mistakes that are pointed at.
set -u
. "$ASHLAR_SOURCE/tests/command/support.inc"
cd "$work" || exit 2

contract() {
    ran="contract $*"
    "$ASHLAR" contract "$@" > out 2> err || fail "$ran: $(cat err)"
}

# contracts RANKS ARGUMENT...: on so many ranks.
contracts() {
    ranks=$1
    shift
    ran="$ranks ranks: contract $*"
    launch "$ranks" "$ASHLAR" contract "$@" > out 2> err || fail "$ran: $(cat err)"
}

# is_sum EXPRESSION FILE... RESULT [ALPHA BETA C0]: exactly, with integers, by loops over all values of all indices.
cat > sum.py << 'END'
import ast, itertools, struct, sys
def read(name):
    data = open(name, "rb").read()
    n, = struct.unpack("<H", data[8:10])
    head = ast.literal_eval(data[10:10 + n].decode())
    assert head["descr"] == "<f8" and not head["fortran_order"], head
    shape, words = head["shape"], 1
    for extent in shape:
        words *= extent
    return shape, struct.unpack("<%dd" % words, data[10 + n:])
def at(tensor, position):
    place = 0
    for extent, i in zip(tensor[0], position):
        place = place * extent + i
    return tensor[1][place]
expression, arguments = sys.argv[1], sys.argv[2:]
inputs, output = expression.split("->")
lists = inputs.split(",")
operands, result = [read(f) for f in arguments[:len(lists)]], read(arguments[len(lists)])
alpha, beta = (float(x) for x in (arguments[len(lists) + 1:len(lists) + 3] or (1, 0)))
old = read(arguments[-1]) if beta else None
extent = {i: n for l, t in zip(lists, operands) for i, n in zip(l, t[0])}
assert result[0] == tuple(extent[i] for i in output), result[0]
sums = {}
for values in itertools.product(*(range(extent[i]) for i in extent)):
    value = dict(zip(extent, values))
    product = alpha
    for l, t in zip(lists, operands):
        product *= at(t, [value[i] for i in l])
    key = tuple(value[i] for i in output)
    sums[key] = sums.get(key, 0) + product
for key, found in sums.items():
    assert at(result, key) == found + (beta * at(old, key) if beta else 0), (key, at(result, key), found)
END
is_sum() { python3 -IS sum.py "$@" 2> err || fail "$ran: $(tail -n 1 err)"; }

generate() { "$ASHLAR" generate --kind integers -q "$@" || fail "generate $*"; }
generate --shape 4x5x3x6 -o A.npy --seed 1
generate --shape 7x2x3x6 -o B.npy --seed 2
generate --shape 6x3x5x4 -o P.npy --seed 3
generate --shape 6x2x3x7 -o Q.h5:/deep/Q --seed 4

# In memory and streamed, on one rank and on several, orders that fuse and orders that do not, HDF5.
contract "abmn,cdmn->abcd" A.npy B.npy -o C.npy --check
is_sum "abmn,cdmn->abcd" A.npy B.npy C.npy
contract "abmn,cdmn->dacb" A.npy B.npy -o C.npy --memory 640B
is_sum "abmn,cdmn->dacb" A.npy B.npy C.npy
grep -q 'streamed from the files' out || fail "$ran: not streamed: $(cat out)"
contract "ndmc->cdmn" Q.h5:/deep/Q -o Q.npy
contracts 3 "nmba,ndmc->adbc" P.npy Q.h5:/deep/Q -o made.h5:/x/C --memory 640B --check --stats stats.json
contract "adbc->adbc" made.h5:/x/C -o C.npy
is_sum "nmba,cdmn->adbc" P.npy Q.npy C.npy

# A batch, an index of one operand alone, a diagonal, a scalar; one operand.
contracts 2 "abmn,cdmn->nabm" A.npy B.npy -o C.npy --memory 400B --check
is_sum "abmn,cdmn->nabm" A.npy B.npy C.npy
generate --shape 3x4x3 -o D.npy --seed 5
contract "iji,kj->k" D.npy "A.npy[:,0:4,1,2]" -o C.npy
contract "kj->kj" "A.npy[:,0:4,1,2]" -o K.npy
is_sum "iji,kj->k" D.npy K.npy C.npy
contract "abmn,abmn->" A.npy A.npy -o C.npy --check
is_sum "abmn,abmn->" A.npy A.npy C.npy

# A batch whose values fit into memory is dealt out over ranks in slabs: every word of the files is moved once.
for ranks in 1 2 3; do
    contracts $ranks "abmn,cdmn->nabmcd" A.npy B.npy -o C.npy --memory 12kB --stats stats4.json
    is_sum "abmn,cdmn->nabmcd" A.npy B.npy C.npy
    grep -q ' 18 products in .* slabs of at most [1-9][0-9]* values of index ' out || fail "$ran: $(cat out)"
    python3 -IS -c 'import json
d = json.load(open("stats4.json"))
p, m = d["predicted"], d["measured"]
assert d["plan"]["products"] == 18 and p["disk_words"] == m["disk_words"] == (20 + 14 + 280) * 18, m
assert m["words_total"] == 0 and m["memory_words"] == p["memory_words"] <= 1500, m' || fail "$ran: $(cat stats4.json)"
done

# Operands in chunks, and a result whose rows and columns have other orders of indices: what is written whole in pages is
# not read back, since chunks are read whole in any order.
for x in V W; do "$ASHLAR_HDF5_FILES" $x.h5 32x32x24x24 8x8x8x8 || fail "hdf5_files $x.h5"; done
contract "manb,cmdn->dbca" V.h5:/x W.h5:/x -o pages.npy --memory 1MiB
grep -q ' ba\* x dc\* x mn\*, .* in whole pages 29 MB are read and 5 MB written$' out || fail "$ran: $(cat out)"
contract "manb,cmdn->dbca" V.h5:/x W.h5:/x -o held.npy
cmp pages.npy held.npy || fail "$ran: not what is formed in memory"
rm -f V.h5 W.h5 pages.npy held.npy

# Ranges: the parts are those of the whole.
contract "an,cn->ac" "A.npy[1:3, 4, :2, 5]" "B.npy[:,1,1:,0]" -o C.npy
contract "an->an" "A.npy[1:3,4,:2,5]" -o left.npy
contract "cn->cn" "B.npy[:,1,1:,0]" -o right.npy
is_sum "an,cn->ac" left.npy right.npy C.npy

# One of the 48 schedules: a batch and what is between the steps of several operands go through files, too.
contracts 2 "abmn,cdmn->nabmcd" A.npy B.npy -o C.npy --method inside/replication-a/CAB --memory 1kB --check --trace t.json
is_sum "abmn,cdmn->nabmcd" A.npy B.npy C.npy
grep -q '18 products .*: asked for' out || fail "$ran: $(cat out)"
contract "abmn,cdmn,abmn->cd" A.npy B.npy A.npy -o C.npy --method outside/accumulation/BCA --resume
is_sum "abmn,cdmn,abmn->cd" A.npy B.npy A.npy C.npy
grep -q ' words to the scratch file ' out || fail "$ran: $(cat out)"

# Three operands and more: what is between the products is in scratch files, which are gone afterwards, the limit is
# kept, and every rank count has the same bits.
generate --shape 12x10x8 -o T.h5:/T --seed 8
generate --shape 10x3 -o U.npy --seed 9
generate --shape 8x3 -o V.npy --seed 10
contract "ijk->ijk" T.h5:/T -o T.npy
mkdir scratch steps
for ranks in 1 2 4; do
    contracts $ranks "ijk,jr,kr->ir" T.h5:/T U.npy V.npy -o steps/Y.npy --memory 1600B --check --scratch scratch \
        --stats stats3.json
    is_sum "ijk,jr,kr->ir" T.npy U.npy V.npy steps/Y.npy
    grep -q ' words to the scratch file scratch/Y.npy-step01.npy$' out ||
        { test $ranks -eq 4 && grep -q ' 240 words stay in memory$' out; } || fail "$ran: $(cat out)"
    test "$(ls -A scratch steps | tr '\n' ' ')" = 'scratch:  steps: Y.npy ' || fail "left: $(ls -A scratch steps)"
    python3 -IS -c 'import json
d = json.load(open("stats3.json"))
p, m = d["predicted"], d["measured"]
assert d["plan"]["products"] > 1 and d["check"]["passed"], d
for key in ("words_max", "words_total", "messages_max", "disk_words"):
    assert p[key] == m[key], (key, p[key], m[key])
assert m["disk_words"] > 0 and m["memory_words"] <= p["memory_words"] <= 200, m' || fail "$ran: $(cat stats3.json)"
done
cp steps/Y.npy old.npy
contracts 2 "ijk,jr,kr->ir" T.h5:/T U.npy V.npy -o steps/Y.npy --add steps/Y.npy --alpha -2 --beta 3
is_sum "ijk,jr,kr->ir" T.npy U.npy V.npy steps/Y.npy -2 3 old.npy
grep -q ' words stay in memory$' out || fail "$ran: $(cat out)"
contract "ia,jb,kc,ijk->abc" "T.npy[:,:5,0]" U.npy V.npy T.h5:/T -o steps/Y.npy --memory 800B
contract "ia->ia" "T.npy[:,:5,0]" -o I.npy
is_sum "ia,jb,kc,ijk->abc" I.npy U.npy V.npy T.npy steps/Y.npy
test "$(ls -A steps)" = Y.npy || fail "left: $(ls -A steps)"

# Ended by a signal while a scratch file is there: it goes too.
generate --shape 100x100x100 -o large.npy
generate --shape 100x100 -o M.npy
"$ASHLAR" contract "ijk,ia,jb,kc->abc" large.npy M.npy M.npy M.npy -o steps/Z.npy --scratch scratch --memory 60kB \
    --threads 1 > out 2> err &
process=$!
seen=
while test -z "$seen" && kill -0 $process 2> /dev/null; do
    sleep 0.005
    seen=$(ls -A scratch)
done
kill -TERM $process 2> /dev/null
wait $process 2> /dev/null
test -n "$seen" || fail "contract: no scratch file: $(cat out err)"
test -z "$(ls -A scratch)" || fail "SIGTERM left $(ls -A scratch)"

# Into a tensor that is there: each run adds once, on four ranks too.
contract "abmn,cdmn->abcd" A.npy B.npy -o first.npy
cp first.npy sum.npy
contracts 4 "abmn,cdmn->abcd" A.npy B.npy -o sum.npy --add sum.npy --alpha 2 --beta -1 --memory 1kB --check
is_sum "abmn,cdmn->abcd" A.npy B.npy sum.npy 2 -1 first.npy

# One that may be gone on with adds once, however often it is run; operands may be in the output's file.
contract "abmn->abmn" A.npy -o all.h5:/A
contract "abcd->abcd" first.npy -o all.h5:/x/C
for again in 1 2; do
    contracts 2 "abmn,cdmn->abcd" all.h5:/A B.npy -o all.h5:/x/C --add all.h5:/x/C --alpha 2 --beta -1 --resume \
        --check --stats stats5.json
    grep -q '^resumed   nothing was to be done' out && test $again -eq 1 && fail "$ran: $(cat out)"
done
grep -q '^resumed   nothing was to be done: an earlier run has added this$' out || fail "$ran: $(cat out)"
grep -q '"resumed": 1.0' stats5.json || fail "$ran: $(cat stats5.json)"
contract "abcd->abcd" all.h5:/x/C -o C.npy
is_sum "abmn,cdmn->abcd" A.npy B.npy C.npy 2 -1 first.npy

# What is counted is what was predicted; bytes of files are words of the type.
python3 -IS -c 'import json, sys
d = json.load(open("stats.json"))
p, m = d["predicted"], d["measured"]
assert d["schema"] == 1 and d["problem"]["indices"] == {"n": 6, "m": 3, "b": 5, "a": 4, "d": 2, "c": 7}, d["problem"]
assert d["problem"]["memory_words"] == 80 and d["plan"]["multiply_adds"] == 6 * 3 * 5 * 4 * 2 * 7, d["plan"]
for key in ("words_max", "words_total", "messages_max", "disk_words", "disk_bytes"):
    assert p[key] == m[key] > 0, (key, p[key], m[key])
assert m["disk_bytes"] == 8 * m["disk_words"] and m["memory_words"] <= 80 and d["check"]["passed"], m' ||
    fail "stats: $(cat stats.json)"

# A run that is killed while it streams is gone on with, to the same bits.
"$ASHLAR" generate -q --shape 20x20x20x20 -o X.npy --seed 6
"$ASHLAR" generate -q --shape 20x20x20x20 -o Y.npy --seed 7
contract "aibj,cjdi->abcd" X.npy Y.npy -o whole.npy --memory 40kB --threads 1
mkdir made
for i in 1 2 3; do
    "$ASHLAR" contract "aibj,cjdi->abcd" X.npy Y.npy -o made/C.npy --memory 40kB --threads 1 --resume \
        --checkpoint 0.001 > out 2> err &
    process=$!
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        sleep 0.01
        kill -0 $process 2> /dev/null || break
        test -z "$(find made -name '.*-record' -size +4096c)" || break
    done
    kill -9 $process 2> /dev/null
    wait $process 2> /dev/null
    test -e made/C.npy && break
done
contract "aibj,cjdi->abcd" X.npy Y.npy -o made/C.npy --memory 40kB --threads 1 --resume --checkpoint 0.001
grep -q '^resumed ' out || fail "$ran: $(cat out)"
cmp whole.npy made/C.npy || fail "other bits after run $i was killed"
test "$(find made -type f | wc -l)" -eq 1 || fail "files are left: $(ls -a made)"

# killed EXPRESSION FILE... OPTION...: runs that are killed at any moment, again and again, end with the bits of one that
# was not killed and had the same options: without --resume another plan may be taken, with other bits. They go on with
# a batch, with what is between the steps of several operands, and in place.
records() { find made -name '.*-record' -exec cksum {} + 2> /dev/null; }
killed()
{
    ran="killed: $*"
    rm -rf made && mkdir made
    test -z "$old" || cp "$old" made/C.npy
    rm -f whole.npy
    contract "$@" ${old:+--add "$old"} -o whole.npy --threads 1 --resume --checkpoint 0.001
    kills=0
    for i in 1 2 3 4; do
        recorded=$(records)
        "$ASHLAR" contract "$@" ${old:+--add made/C.npy} -o made/C.npy --threads 1 --resume --checkpoint 0.001 \
            --quiet > out 2> err &
        process=$!
        while test "$(records)" = "$recorded" && kill -0 $process 2> /dev/null; do sleep 0.005; done
        sleep "0.0$((i % 4))"
        if test $i -lt 4 && kill -9 $process 2> /dev/null; then kills=$((kills + 1)); fi
        wait $process 2> /dev/null
        status=$?
        test -s err && fail "$ran: $(cat err)"
        if test -z "$old"; then test -e made/C.npy && break; else cmp -s "$old" made/C.npy || break; fi
    done
    cmp whole.npy made/C.npy || fail "$ran: other bits after $kills kills"
    if test -n "$old"; then
        contract "$@" --add made/C.npy -o made/C.npy --threads 1 --resume
        cmp whole.npy made/C.npy || fail "$ran: added again"
        cp "$old" made/C.npy
        contract "$@" --add made/C.npy -o made/C.npy --threads 1 --resume
        cmp whole.npy made/C.npy || fail "$ran: not added to an old C that was put back"
        status=0
    fi
    test $status -ne 0 || test "$(find made -type f ! -name '.C.npy.*.ashlar-done' | wc -l)" -eq 1 ||
        fail "$ran: files are left: $(ls -A made)"
    echo "$ran: $kills kills; $(grep '^resumed' out)"
}
old=
"$ASHLAR" generate -q --shape 40x60x60 -o F.npy --seed 8
"$ASHLAR" generate -q --shape 40x60x60 -o G.npy --seed 9
"$ASHLAR" generate -q --shape 60x60 -o H.npy --seed 10
killed "zij,zjk->zik" F.npy G.npy --memory 4kB
killed "zij,zjk->zik" F.npy G.npy --memory 200kB
killed "zij,jk,kl->zil" F.npy H.npy H.npy --memory 4kB
"$ASHLAR" generate -q --shape 40x60x60 -o old.npy --seed 11
old=old.npy
killed "zij,jk,kl->zil" F.npy H.npy H.npy --memory 4kB --beta 0.5
killed "zij,zjk->zik" F.npy G.npy --memory 4kB --alpha 3

# What is between the steps is gone on with by the same contraction only.
rm -rf made && mkdir made
"$ASHLAR" contract "zij,jk,kl->zil" F.npy H.npy H.npy --memory 2kB -o made/C.npy --threads 1 --resume \
    --checkpoint 0.001 > out 2> err &
process=$!
until grep -qs 'is complete' made/.*-step01.npy*-record || ! kill -0 $process 2> /dev/null; do sleep 0.005; done
kill -9 $process 2> /dev/null
wait $process 2> /dev/null
if test ! -e made/C.npy; then
    if test "$ASHLAR_MPI_FAMILY" = openmpi; then # files of other MPIs are longer
        (ulimit -f 1000 && # of 512 bytes: less than C, as if the disk were full
            "$ASHLAR" contract "zij,jk,kl->zil" F.npy H.npy H.npy --memory 2kB -o made/C.npy --threads 1 --resume \
                > out 2> err) && fail "a file that may not be so long was written"
        test "$(grep -c '^ashlar contract: made/C.npy: .*: File too large$' err)" -eq 1 || fail "$(cat err)"
        test ! -e made/C.npy || fail "half of C has its name"
        grep -q 'is complete' made/.*-step01.npy*-record || fail "step 1 is lost: $(ls -A made)"
    fi
    cp -p H.npy kept.npy
    touch H.npy
    "$ASHLAR" contract "zij,jk,kl->zil" F.npy H.npy H.npy --memory 2kB -o made/C.npy --threads 1 --resume > out 2> err &&
        fail "resumed with another operand"
    grep -q 'the run to be resumed had "operand 2: .*, this one has "operand 2: ' err || fail "resume: $(cat err)"
    cp -p kept.npy H.npy
    contract "zij,jk,kl->zil" F.npy H.npy H.npy --memory 2kB -o made/C.npy --threads 1 --resume
    grep -q '^resumed   [1-9].* % of the product was finished before' out || fail "$ran: $(cat out)"
    contract "zij,jk,kl->zil" F.npy H.npy H.npy --memory 2kB -o whole.npy --threads 1 --resume
    cmp whole.npy made/C.npy || fail "$ran: other bits"
fi

# One timeline of all steps: it ends after the last product has begun, and has events of each step's files.
contract "zij,jk,kl->zil" F.npy H.npy H.npy --memory 40kB -o C.npy --trace steps.json
python3 -IS -c 'import json
t = json.load(open("steps.json"))
events = [e for e in t["traceEvents"] if e["ph"] == "X"]
assert t["otherData"]["dropped"] == 0 and t["otherData"]["events"] == len(events), t["otherData"]
assert sum(e["args"]["words"] for e in events if e["name"] in ("read", "write")) == 302400
assert sum(e["args"]["words"] for e in events if e["name"] == "multiply") == 41 * 60**3' ||
    fail "trace of several steps"

# refuse STATUS TEXT ARGUMENT...: a line that says so and, if the expression is wrong, the expression with a caret.
refuse() {
    wanted=$1 text=$2
    shift 2
    ran="contract $*"
    "$ASHLAR" contract "$@" > out 2> err
    status=$?
    test $status -eq "$wanted" || fail "$ran: status $status, wanted $wanted"
    head -n 1 err | grep -q -- "$text" || fail "$ran: said '$(cat err)', wanted '$text'"
    test ! -s out || fail "$ran: something on standard output"
    test ! -e none.npy || fail "$ran: there is an output"
}

# points COLUMN: of the expression.
points() {
    test "$(sed -n 3p err | awk '{ print index($0, "^") - 4 }')" = "$1" || fail "$ran: no caret at $1: $(cat err)"
}

refuse 2 'no strategy "inside/rotation/ABX": schedules are ' "ab->ba" U.npy -o none.npy --method inside/rotation/ABX
refuse 2 "'>' is no index" "ab>c" A.npy -o none.npy
points 3
refuse 2 "index 'x' of the output is in no operand" "abmn,cdmn->abx" A.npy B.npy -o none.npy
points 14
refuse 2 "dimension 3 of operand 2 is 3, index 'b' has extent 5" "abmn,cdbn->acmd" A.npy B.npy -o none.npy
points 8
refuse 2 'operand 2 has 4 dimensions' "abmn,cdm->abcd" A.npy B.npy -o none.npy
refuse 2 '1 file for an expression of 2 operands' "ab,bc->ac" A.npy -o none.npy
refuse 2 'no output named' "abmn->" A.npy
refuse 2 'A.npy\[1,2:9,1,:\]: range 2:9 of dimension 2, which has 5' "an->a" "A.npy[1,2:9,1,:]" -o none.npy
refuse 2 'wanted a range' "an->a" "A.npy[1,x,1,:]" -o none.npy
refuse 2 '3 ranges, the tensor has 4' "an->a" "A.npy[1,2,:]" -o none.npy
refuse 2 "more ranges than the tensor's 4" "an->a" "A.npy[1,2,:,:,1]" -o none.npy
refuse 2 'ranges of what is created' "abmn->ab" A.npy -o "none.npy[1]"
refuse 2 'Matrix Market files are matrices' "abmn->ab" A.npy -o none.mtx
refuse 3 'cannot open' "ab->ba" nothing.npy -o none.npy
generate --shape 7x2x3x6 --type s -o S.npy
refuse 2 'A is of type d (double) and B of type s' "abmn,cdmn->abcd" A.npy S.npy -o none.npy
refuse 1 'would do' "abmn,cdmn->abcd" A.npy B.npy -o none.npy --memory 16B
refuse 1 'would do' "ijk,jr,kr->ir" T.npy U.npy V.npy -o none.npy --memory 16B
refuse 3 'nowhere/none.npy-step01.npy' "ijk,jr,kr->ir" T.npy U.npy V.npy -o none.npy --scratch nowhere --memory 1600B
refuse 2 'operand 3 of type s' "ab,bc,cdmn->a" U.npy V.npy S.npy -o none.npy
refuse 2 'stats and operand 3 name the same file' "ijk,jr,kr->ir" T.npy U.npy V.npy -o none.npy --stats V.npy
refuse 2 "dimension 2 of --add V.npy is 3, index 'k' has extent 10" "kj,ij->ik" U.npy V.npy -o none.npy --add V.npy
points 9
refuse 2 'column 8: --add V.npy has 2 dimensions, the output has 3' "kj,ij->kij" U.npy V.npy -o none.npy --add V.npy
points 8
# A result of 2^60 elements, of a vector that is a hole in its file.
{ printf '\223NUMPY\001\000v\000'
    printf '%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (1073741824,), }"; } > hole.npy
truncate -s 8589934720 hole.npy && refuse 2 'contract: none.npy: too many elements for a file' "a,b->ab" hole.npy \
    hole.npy -o none.npy --memory 64MiB
rm -f hole.npy
refuse 2 'wants --add FILE' "abmn->ab" A.npy -o none.npy --beta 2
finish
