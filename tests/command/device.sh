#!/bin/sh
# ashlar multiply and contract on emulated devices: words as predicted, who gets which device, and the choice between
# device and host.
set -u
. "$ASHLAR_SOURCE/tests/command/support.inc"
cd "$work" || exit 2
"$ASHLAR" generate --kind integers 23 31 -o a.npy --seed 1 || fail generate
"$ASHLAR" generate --kind integers 31 19 -o b.npy --seed 2 --order F || fail generate
"$ASHLAR" generate --kind integers 23 19 -o c0.npy --seed 3 || fail generate
"$ASHLAR" multiply a.npy b.npy -o alone.npy --quiet > out 2> err || fail "alone: $(cat err)"
"$ASHLAR" multiply a.npy b.npy --add c0.npy -o added.npy --quiet > out 2> err || fail "alone: $(cat err)"

# on WANTED RANKS ARGUMENT...: multiply; C is that file.
on()
{
    wanted=$1 ranks=$2
    shift 2
    launch "$ranks" "$ASHLAR" multiply a.npy b.npy -o c.npy --quiet --stats s.json "$@" > out 2> err ||
        fail "$ranks ranks: $*: $(cat err)"
    cmp -s c.npy "$wanted" || fail "$ranks ranks: $*: not what the host makes of integers"
}

# stats CONDITION: of d, what the last run said of the device.
stats()
{
    python3 -c 'import json, sys; d = json.load(open("s.json"))["device"]; p = d["predicted"]; m = d["measured"]
same = all(p[k] == m[k] for k in ("words_in_max", "words_in_total", "words_out_max", "words_out_total"))
assert eval(sys.argv[1]), d' "$1" 2> err || fail "$1: $(tail -1 err)"
}

# Words are as predicted, of matrices that fit in memory and of streamed ones, with C0 and without.
for ranks in 1 3; do
    for memory in '' '--memory 3kB'; do
        # shellcheck disable=SC2086
        on alone.npy $ranks $memory --device emulated:in=1e9,out=1e9,flops=1e10 --device-memory 1kB
        stats 'same and p["words_out_total"] >= 437 and p["words_in_total"] > 1000 and d["ranks"] == '$ranks
        stats '0 < p["memory_words"] <= 125 and p["seconds"] > 0 and p["host_seconds"] > 0 and not d["failure"]'
        # shellcheck disable=SC2086
        on added.npy $ranks $memory --add c0.npy --device emulated --device-memory 1kB
        stats 'same and d["host_products"] == 0'
        python3 -c 'import json; s = json.load(open("s.json")); held = s["measured"]["memory_words"]
assert 63 < held == s["strategies"][0]["memory_words"] and (not s["problem"]["memory_words"] or held <= 375), s' 2> err ||
            fail "memory: $(tail -1 err)"
    done
done
test "$(grep -c '^  words in, busiest rank \|^  words out, total ' out)" -eq 2 || fail "no words: $(cat out)"
grep -q '^products  on the devices of 3 of 3 ranks: predicted are .* on devices and .* on the host alone$' out ||
    fail "which way: $(cat out)"

# Whether MPI takes device memory is as it says.
stats 'd["mpi_takes_device_memory"] in (None, False, True)'
case $(python3 -c 'import json; print(json.load(open("s.json"))["device"]["mpi_takes_device_memory"])') in
False) said='from memory of the host: MPI says that it does not take device memory' ;;
True) said='from memory of the host, though MPI says that it takes device memory' ;;
*) said='from memory of the host: this MPI cannot be asked whether it takes device memory' ;;
esac
grep -q "^messages  $said\$" out || fail "messages: $(cat out)"

# Of a limit, what the host holds for copies, half of the device's memory here, is taken off: with the least, and without.
expect 1 "$ASHLAR" multiply a.npy b.npy -o c.npy --quiet --memory 512B --device emulated --device-memory 1000 \
    --strategy cosma
says 'would do [(]a word is 8 bytes[)], and beside them 63 words of the host for copies to and from devices: [0-9]+ would do in all$'
all=$(sed -n 's/.*: \([0-9]*\) would do in all$/\1/p' err)
on alone.npy 1 --strategy cosma --memory $((8 * all)) --device emulated --device-memory 1000
expect 1 "$ASHLAR" multiply a.npy b.npy -o c.npy --quiet --memory $((8 * all - 8)) --device emulated \
    --device-memory 1000 --strategy cosma
expect 1 "$ASHLAR" plan 23 19 31 --ranks 1 --strategy cosma --memory 512B --device emulated --device-memory 1000
says "$((all - 63)) would do, and beside them 63 words of the host for copies to and from devices\$"
expect 0 "$ASHLAR" plan 23 19 31 --ranks 1 --strategy cosma --memory $((8 * all)) --device emulated \
    --device-memory 1000
prints '^host     63 words a rank for copies, beside those above$'

# A device that fails under streamed matrices, for which the host finishes.
on alone.npy 3 --memory 3kB --device emulated:fail-copy=7 --device-memory 1kB
grep -q '^note      a device failed, and the host did [1-9][0-9]* multiply-adds: device: emulated: a copy failed$' out ||
    fail "a device that fails: $(cat out)"

# Local ranks by turns; a list; a warning.
export ASHLAR_EMULATED_DEVICES=2
on alone.npy 3 --device emulated:memory=64kB
grep -q '^device    rank 0: emulated:0, rank 1: emulated:1, rank 2: emulated:0$' out || fail "devices: $(cat out)"
stats '[(x["first"], x["last"], x["name"]) for x in d["on_ranks"]] == [(i, i, f"emulated:{i % 2}") for i in range(3)]'
grep -q "^rule      of rank 0: the rank's number on its node, modulo the number of emulated devices there, 2\$" \
    out || fail "the rule: $(cat out)"
grep -q '^warning' out && fail "a warning without a reason: $(cat out)"
on alone.npy 3 --device emulated:1
stats 'd["warning"] == "rank 0 and 2 more of its node share device 1 while device 0 is not used"'
grep -q '^device    ranks 0-2: emulated:1$' out || fail "devices: $(cat out)"
grep -q '^warning   rank 0 and 2 more of its node share device 1' out || fail "no warning: $(cat out)"
ASHLAR_DEVICE='emulated:1 emulated:0' on alone.npy 2 --device emulated
stats 'd["rank_0"] == "emulated:1" and d["rule"] == "ASHLAR_DEVICE says so" and d["warning"] is None'
on alone.npy 2 --device 'none emulated'
stats 'd["rank_0"] is None and d["rule"] == "none is wanted" and d["ranks"] == 1 and same'
grep -q '^device    rank 0: none, rank 1: emulated:[01]$' out || fail "devices: $(cat out)"
on alone.npy 9 --device emulated
grep -q '^device    emulated:0 on 5 ranks, emulated:1 on 4 ranks$' out || fail "devices of many ranks: $(cat out)"

# auto takes what is predicted to be faster. Without a device it takes the host.
ASHLAR_DEVICE=emulated:in=1e13,out=1e13,flops=1e14 on alone.npy 2 --device auto
stats 'same and d["ranks"] == 2 and p["seconds"] < p["host_seconds"]'
ASHLAR_DEVICE=emulated:in=1e8,out=1e8,flops=1e14 on alone.npy 2 --device auto
stats 'm["words_in_total"] == 0 and p["words_in_total"] > 0 and d["ranks"] == 0 and p["seconds"] >= p["host_seconds"]'
grep -q '^products  on the host: predicted are .* on devices and .* on the host alone$' out || fail "host: $(cat out)"
ASHLAR_DEVICE=none on alone.npy 2 --device auto
stats 'd["rank_0"] is None and d["ranks"] == 0 and m["words_in_total"] == 0'
on alone.npy 2 --device none
stats 'd["rank_0"] is None and d["ranks"] == 0'

# auto with a plug-in that is none: the host, and why.
mkdir wrong
echo text > wrong/libashlar_cuda.so
ASHLAR_PLUGINS=$PWD/wrong on alone.npy 2 --device auto
stats 'd["rank_0"] is None and d["rule"].startswith("none was found: device: cuda: ") and "libashlar_cuda.so" in d["rule"]'
rm wrong/libashlar_cuda.so
ASHLAR_PLUGINS=$PWD/wrong on alone.npy 2 --device auto
stats 'd["rule"] == "none was found"'

# plan, without MPI, has the same words for the same schedule as multiply, in memory and streamed.
unset ASHLAR_EMULATED_DEVICES
same_as_plan()
{
    on alone.npy 3 --grid 1x3x1 --strategy cosma --device emulated --device-memory 1kB
    cp s.json run.json
    "$ASHLAR" plan 23 19 31 --ranks 3 --grid 1x3x1 --strategy cosma --device emulated --device-memory 1kB --json > s.json ||
        fail plan
    python3 -c 'import json; p = json.load(open("s.json"))["device"]; m = json.load(open("run.json"))["device"]["measured"]
for key in "words_in_max", "words_in_total", "words_out_max", "words_out_total":
    assert p[key] == m[key] > 0, (key, p, m)
assert 0 < p["memory_words"] <= p["limit_words"] == 125 and p["used"]' || fail "plan and multiply differ"
}
same_as_plan
expect 0 "$ASHLAR" plan 23 19 31 --ranks 3 --files --memory 3kB --device emulated --device-memory 1kB
prints '^words    in [1-9][0-9]* on the busiest rank, [1-9][0-9]* in all; out [1-9]'
prints '^products .* on the device with copies, .* on the host alone$'

# Contractions: the host's result, words as predicted, in memory and streamed, of two operands and of three.
"$ASHLAR" generate --kind integers --shape 6x5x7 -o x.npy --seed 4 || fail generate
"$ASHLAR" generate --kind integers --shape 7x9x6 -o y.npy --seed 5 || fail generate
"$ASHLAR" generate --kind integers --shape 9x4 -o z.npy --seed 6 || fail generate
contracted()
{
    ranks=$1 expression=$2
    shift 2
    "$ASHLAR" contract "$expression" "$@" -o host.npy --quiet > out 2> err || fail "$expression: $(cat err)"
    for memory in '' '--memory 3kB'; do
        # shellcheck disable=SC2086
        launch "$ranks" "$ASHLAR" contract "$expression" "$@" -o c.npy --quiet --stats s.json --device emulated \
            --device-memory 1kB $memory > out 2> err || fail "$ranks ranks: $expression $memory: $(cat err)"
        cmp -s c.npy host.npy || fail "$ranks ranks: $expression $memory: not what the host makes of integers"
        stats 'same and (d["ranks"] == 0 or 0 < p["memory_words"] <= 125)'
    done
}
for ranks in 1 2 3 4; do
    contracted $ranks 'abc,cda->bd' x.npy y.npy
    stats 'd["ranks"] == '$ranks' and p["words_in_total"] > 0 and p["words_out_total"] > 0'
    contracted $ranks 'abc,cda->abd' x.npy y.npy
    contracted $ranks 'abc,cda,de->be' x.npy y.npy z.npy
done
grep -q '^device    ranks 0-3: emulated:0$' out || fail "the devices of a contraction: $(cat out)"
ASHLAR_DEVICE=emulated:in=1e3,out=1e3,flops=1e14 launch 2 "$ASHLAR" contract 'abc,cda->bd' x.npy y.npy -o c.npy \
    --quiet --stats s.json --device auto --device-memory 1kB --memory 3kB > out 2> err || fail "auto: $(cat err)"
stats 'd["ranks"] == 0 and m["words_in_total"] == 0 and p["seconds"] >= p["host_seconds"] > 0'
# auto for what each rank contracts in its memory: a batch that is dealt out.
contracted_auto()
{
    ASHLAR_DEVICE=emulated:$1 launch 2 "$ASHLAR" contract 'abc,cda->abd' x.npy y.npy -o c.npy --quiet --stats s.json \
        --device auto > out 2> err || fail "auto: $(cat err)"
}
contracted_auto in=1e3,out=1e3,flops=1e14
stats 'd["ranks"] == 0 and m["words_in_total"] == 0 and p["seconds"] >= p["host_seconds"] > 0'
contracted_auto in=1e13,out=1e13,flops=1e14
stats 'same and d["ranks"] == 2 and (p["words_in_total"], p["words_out_total"]) == (6 * 5 * 7 + 7 * 9 * 6, 6 * 5 * 9)'
launch 2 "$ASHLAR" contract 'abc,cda->bd' x.npy y.npy -o c.npy --quiet --device emulated:fail-copy=2 \
    --device-memory 1kB --memory 3kB > out 2> err || fail "a device that fails: $(cat err)"
grep -q '^note      a device failed, and the host did [1-9][0-9]* multiply-adds: device: emulated: a copy failed$' out ||
    fail "a device that fails: $(cat out)"
expect 2 "$ASHLAR" contract 'abc,cda->bd' x.npy y.npy -o c.npy --device-memory 1kB
says 'device-memory wants --device$'
expect 1 "$ASHLAR" contract 'abc,cda->bd' x.npy y.npy -o c.npy --device emulated --device-memory 23
says '2 words of device memory are too few: 3 would do'

# calibrate measures what is emulated, never faster than that; plan goes by it where there is no device.
launch 2 "$ASHLAR" calibrate -o machine.json --seconds 0.1 --quiet \
    --device emulated:in=1e8,out=2e8,delay=1e-4,flops=1e8,memory=1MiB > out 2> err || fail "calibrate: $(cat err)"
grep -q "^messages  $said\$" out || fail "messages: $(cat out)"
grep -q '^  device, copies in ' out || fail "no figures of the device: $(cat out)"
python3 -c 'import json; m = json.load(open("machine.json"))
assert 0 < m["device_in_bandwidth"] <= 1e8 and 0 < m["device_out_bandwidth"] <= 2e8 and m["device_delay"] >= 1e-4, m
assert all(0 < m["device_flops_" + t] <= 1e8 for t in "sdcz") and m["device_memory"] == 1 << 19, m' 2> err ||
    fail "the device's figures: $(tail -1 err)"
expect 0 "$ASHLAR" plan 100 100 100 --ranks 2 --device auto --machine machine.json
prints "^device   auto, by the machine's figures: products on the host\$"
sed 's/"device_\(in\|out\|flops\)\([a-z_]*\)": [^,]*,/"device_\1\2": 1e30,/; s/"device_delay": [^,]*,//' machine.json > fast.json
expect 0 "$ASHLAR" plan 100 100 100 --ranks 2 --device auto --machine fast.json
prints "^device   auto, by the machine's figures: products on the device\$"

# What cannot be is said in one line.
expect 3 "$ASHLAR" plan 9 9 9 --ranks 2 --device auto
says "no device is here, and the machine's figures are of none"
expect 2 "$ASHLAR" plan 9 9 9 --ranks 2 --device-memory 1kB
says 'device-memory wants --device$'
expect 1 "$ASHLAR" plan 9 9 9 --ranks 2 --device emulated --device-memory 23
says '2 words of device memory are too few: 3 would do$'
expect 3 "$ASHLAR" plan 9 9 9 --ranks 2 --device emulated:memory=1kB --device-memory 1MB
says 'device-memory is 1000000 bytes, the device has 1000$'
expect 2 env ASHLAR_DEVICE=emulatd "$ASHLAR" plan 9 9 9 --ranks 2 --device emulated
says "device: 'emulatd' is none of the kinds that there are: emulated, cuda [(]ASHLAR_DEVICE[)]\$"
expect 3 "$ASHLAR" plan 9 9 9 --ranks 2 --device emulated:1
says 'there is no device emulated:1, only 1 of this kind'
expect 1 "$ASHLAR" calibrate -o machine.json --device emulated --device-memory 1kB
says '1000 bytes of device memory are too few to measure: 12288 would do$'
expect 3 "$ASHLAR" calibrate -o machine.json --device none
says 'there is no device to be measured$'
finish
