#!/bin/sh
# Very many ranks: what would take hours is refused at once and says what to do; what takes seconds shows a sign of life
# on a terminal, and ends when it is interrupted.
. "$ASHLAR_SOURCE/tests/command/support.inc"

# refused MOST WHAT COMMAND...: at once, with what has the ranks walked and how many can be.
refused() {
    most=$1 what=$2
    shift 2
    expect 2 timeout 60 "$ASHLAR" "$@"
    says "^ashlar $1: $what has each rank's schedule walked, of at most $most ranks, not [0-9]+; 'ashlar plan' has closed "
}
refused 1000000 simulate simulate 100 100 100 --ranks 1000001
refused 1000000 simulate simulate 1e5 1e5 1e5 --ranks 2147483647 --memory-words 1e7
refused 1000000 'a torus' plan 1e5 1e5 1e5 --ranks 2147483647 --torus 2147483647
refused 1000000 'this route' plan 1e5 1e5 1e5 --ranks 1e7 --route tree
refused 1000000 'a layout' plan 1e5 1e5 1e5 --ranks 2e9 --layout block-cyclic:64x64:100x1000
refused 1000000 cannon plan 1e5 1e5 1e5 --ranks 2147483647 --strategy cannon
refused 1000000 sd_cannon plan 1e5 1e5 1e5 --ranks 1e7 --strategy sd_cannon
refused 20000 carma plan 1e5 1e5 1e5 --ranks 2147483647 --strategy carma
refused 20000 tpmm plan 1e5 1e5 1e5 --ranks 20001 --strategy tpmm
refused 20000 --strategy=all plan 1e5 1e5 1e5 --ranks 1e6 --strategy all
refused 100000 check-schedule check-schedule 100 100 100 --ranks 100001
expect 2 timeout 300 "$ASHLAR" check-schedule 1e5 1e5 1e5 --ranks 12000
says '^ashlar check-schedule: [0-9]+ messages would have to be followed, which is done for at most 5000000: '
expect 2 timeout 60 "$ASHLAR" plan 1e5 1e5 1e5 --ranks 2147483647 --node-ranks 48
says "^ashlar plan: --node-ranks has a list made of each rank's node, for at most 100000000 ranks$"
expect 2 timeout 60 "$ASHLAR" plan 1e5 1e5 1e5 --ranks 2147483647 --strategy sequential
says 'only matrices in files are streamed'
expect 0 timeout 60 "$ASHLAR" bounds 1e5 1e5 1e5 --ranks 2147483647 --memory-words 1e7

# Closed forms answer for as many.
expect 0 timeout 120 "$ASHLAR" plan 1e5 1e5 1e5 --ranks 1e6
expect 0 timeout 120 "$ASHLAR" plan 1e5 1e5 1e5 --ranks 2147483647 --strategy 2.5d
expect 0 timeout 120 "$ASHLAR" plan 1e5 1e5 1e5 --ranks 1073741824 --strategy carma
expect 0 timeout 120 "$ASHLAR" plan 1e5 1e5 1e5 --ranks 2147483647 --grid 1290x1290x1290

# On a terminal: shown WANTED COMMAND... waits until it is shown, interrupts, and wants an end by that signal.
cat > "$work/shown.py" << 'END'
import os, pty, select, signal, sys, time

wanted, command = sys.argv[1], sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    os.execv(command[0], command)
seen, end = "", time.time() + 120
while wanted not in seen:
    if not select.select([terminal], [], [], max(0, end - time.time()))[0]:
        sys.exit("no %r in %r" % (wanted, seen))
    try:
        seen += os.read(terminal, 65536).decode(errors="replace")
    except OSError:
        sys.exit("it ended without %r: %r" % (wanted, seen))
os.write(terminal, b"\x03")
for i in range(300):
    done, status = os.waitpid(child, os.WNOHANG)
    if done:
        sys.exit(0 if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT else "ended by %d" % status)
    time.sleep(0.1)
os.kill(child, signal.SIGKILL)
sys.exit("it goes on when interrupted")
END
shown() {
    expect 0 python3 "$work/shown.py" "$@"
}
shown 'planning: 2 s' "$ASHLAR" plan 1e5 1e5 1e5 --ranks 2147483647 --strategy summa --objective words
shown "walking the ranks' schedules: 0 %" "$ASHLAR" simulate 1e5 1e5 1e5 --ranks 1e5
shown "following the ranks' operations: 1 %" "$ASHLAR" check-schedule 1000 1000 1000 --ranks 30000

# Elsewhere, and with --quiet, nothing is shown.
timeout 3 "$ASHLAR" plan 1e5 1e5 1e5 --ranks 2147483647 --strategy summa --objective words 2> "$work/err"
test ! -s "$work/err" || fail "something on standard error that is no terminal"
for command in plan check-schedule; do
    python3 - "$ASHLAR" $command 100 90 80 --ranks 13 -q << 'END' || fail "$command --quiet shows something"
import os, pty, sys
main, terminal = pty.openpty()
if os.fork() == 0:
    os.dup2(terminal, 2)
    os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
    os.execv(sys.argv[1], sys.argv[1:])
os.close(terminal)
os.wait()
try:
    sys.exit(len(os.read(main, 100)) > 0)
except OSError:
    pass
END
done
finish
