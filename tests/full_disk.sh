#!/bin/sh
# full_disk.sh LAUNCH PROGRAM ASHLAR: a compiled program that can be resumed meets a full disk: one error that names
# what could not be written, no output, inputs untouched; with room it goes on to the bits of a run that always had it.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() { echo "FAILED: $*" && exit 1; }

"$3" generate -q --shape 12x8 -o C.npy --seed 1 && "$3" generate -q --shape 12x12x12x12 -o ao.npy --seed 2 || exit 1
inputs=$(cksum C.npy ao.npy)
for ranks in 1 3; do
    rm -f mo.npy
    "$1" $ranks "$2" n=12 m=8 resume || fail "with room on $ranks ranks"
    mv mo.npy want
    steps=0
    # Bytes that each rank may write: the record's head takes 512 on rank 0, and the first array 110592 of all ranks.
    for room in 0 300 512 40000 111104 111112 111120 184848 240000; do
        ran="room for $room bytes on each of $ranks ranks"
        ASHLAR_TEST_ROOM=$room "$1" $ranks "$2" n=12 m=8 resume 2> err
        status=$?
        if [ $status -eq 0 ]; then # a rank of several writes a part only
            [ $ranks -gt 1 ] || fail "$ran: no error"
            cmp mo.npy want || fail "$ran: other bits"
            rm mo.npy
            continue
        fi
        [ "$(grep -c 'No space left on device' err)" -eq 1 ] || fail "$ran: $(cat err)"
        what='[.]/ashlar[.]record|.* its scratch file in [.]'
        grep -Eq ": ($what)(:| cannot be written:)+ No space left on device\$" err ||
            fail "$ran: $(cat err)"
        [ ! -e mo.npy ] && [ "$(cksum C.npy ao.npy)" = "$inputs" ] || fail "$ran: $(ls -A)"
        [ "$(stat -c %s ashlar.record)" -lt 528 ] || steps=$((steps + 1))
        "$1" $ranks "$2" n=12 m=8 resume || fail "$ran: it cannot be resumed"
        cmp mo.npy want || fail "$ran: other bits"
        rm mo.npy
        [ "$(ls | grep -c '^ashlar')" -eq 0 ] || fail "$ran: files are left: $(ls)"
    done
    [ $steps -gt 0 ] || fail "no step was finished before the disk was full on $ranks ranks"
done
