#!/bin/sh
# Completion: the scripts of all shells have the options that --help has, and bash completes a line with its own.
. "$ASHLAR_SOURCE/tests/command/support.inc"

for shell in bash fish zsh; do
    expect 0 "$ASHLAR" completion $shell
    cp "$work/out" "$work/$shell"
done
expect 2 "$ASHLAR" completion csh
says "no script for 'csh'"
expect 2 "$ASHLAR" completion
says 'usage: ashlar completion bash.fish.zsh'

# Long options of a command in --help, and letters.
of_help() {
    "$ASHLAR" help "$1" | sed -n 's/^  \(-[a-zA-Z], \)\{0,1\}--\([a-z-]*\).*/--\2/p' | sort
}
letters_of_help() {
    "$ASHLAR" help "$1" | sed -n 's/^  \(-[a-zA-Z]\), --.*/\1/p' | sort
}

# same WHAT: of two lists in $work/help and $work/found.
same() {
    diff "$work/help" "$work/found" > "$work/diff" || fail "$1: --help (<) and completion (>): $(cat "$work/diff")"
}

# The scripts' text: what fish and zsh say of each command.
of_fish() {
    sed -n "s/^complete -c ashlar -n '__ashlar_runs $1' -l \([a-z-]*\).*/--\1/p" "$work/fish" | sort
}
of_zsh() {
    sed -n "/^        $1)\$/,/;;\$/p" "$work/zsh" | grep -o "^ *'\((-[a-z] --[a-z-]*)'{[^}]*\|--[a-z-]*\)" |
        grep -o -- '--[a-z-]*' | sort -u
}

# bash itself: complete LINE prints what the last word of the line may be, one a line.
cat > "$work/complete.bash" << 'END'
source "$1"
shift
test "$(complete -p ashlar)" = 'complete -F _ashlar ashlar' || exit 1
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_ashlar ashlar "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
test ${#COMPREPLY[@]} -eq 0 || printf '%s\n' "${COMPREPLY[@]}"
END
complete() {
    bash --norc --noprofile "$work/complete.bash" "$work/bash" ashlar "$@" || fail "bash: $*"
}

compared=0
for command in $("$ASHLAR" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'); do
    of_help "$command" > "$work/help"
    of_fish "$command" > "$work/found"
    same "fish, $command"
    of_zsh "$command" > "$work/found"
    same "zsh, $command"
    complete "$command" -- | sort > "$work/found"
    same "bash, $command"
    letters_of_help "$command" > "$work/help"
    complete "$command" - | grep '^-[^-]' | sort > "$work/found"
    same "letters in bash, $command"
    compared=$((compared + 1))
done
test "$compared" -gt 10 || fail "only $compared commands were compared"

# is WANTED WORD...: what bash makes of a line, its lines joined.
is() {
    wanted=$1
    shift
    found=$(cd "$work/files" && complete "$@" | sort | tr '\n' ' ')
    test "$found" = "$wanted" || fail "bash: ashlar $*: '$found', wanted '$wanted'"
}
mkdir "$work/files" "$work/files/folder"
touch "$work/files/a.npy" "$work/files/b file.npy"
is 'plan plan-contract ' pl
is 'check-schedule ' ch
is '--version ' --v
is 'plan plan-contract ' help pl
is 'bash fish zsh ' completion ''
is 'C N T ' plan 1 2 3 --transa ''
is 'C N T ' plan 1 2 3 --transa =
is 'T ' plan 1 2 3 --transa = T
is '--transa=T ' plan 1 2 3 --transa=T
is 'sd_cannon sequential summa summa_tpmm ' simulate --strategy s
is '' check-schedule --strategy al
is 'all ' plan --strategy al
is 'two-sided ' multiply --transport tw
is 'a.npy b file.npy folder ' multiply ''
is 'b file.npy ' multiply a.npy b
is 'a.npy ' multiply a.npy b -o a
is 'folder ' calibrate --disk ''
is '' plan 1 ''
is '' plan --ranks ''

# Every word that --help offers as a choice is a choice in the other shells too.
for words in 's d c z' 'direct tree auto rectangular' 'two-sided one-sided'; do
    grep -q -- " -x -a '$words' " "$work/fish" || fail "fish: no '$words'"
    grep -q -- ":($words)'" "$work/zsh" || fail "zsh: no '$words'"
done

# Where the other shells are installed they can read their script.
for shell in fish zsh; do
    if command -v $shell > /dev/null; then
        expect 0 $shell -n "$work/$shell"
    fi
done

# A key pressed in a terminal: bash is started on one and completes a line that is then run.
python3 - "$ASHLAR" "$work/bash" << 'END' > "$work/typed" || fail "bash on a terminal: $(cat "$work/typed")"
import os, pty, select, sys, time

ashlar, script = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    os.environ.update(PATH=os.path.dirname(ashlar) + ":" + os.environ["PATH"], TERM="dumb", PS1="ready> ")
    os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])

unread = ""

# What comes after the text, in the same read or a later one, is left for the next call.
def wait_for(text, seconds=120):
    global unread
    end = time.time() + seconds
    while text not in unread:
        if not select.select([terminal], [], [], max(0, end - time.time()))[0]:
            sys.exit("no %r in %r" % (text, unread))
        unread += os.read(terminal, 65536).decode(errors="replace")
    unread = unread.partition(text)[2]

def send(text):
    os.write(terminal, text.encode())

wait_for("ready> ")
send("source '%s'\r" % script)
wait_for("ready> ")
send("ashlar strat\t")
wait_for("ashlar strategies ")
send("\r")
wait_for("cosma ")
wait_for("ready> ")
send("ashlar plan 9 9 9 --objective=w\t")
wait_for("words ")
send("--ra\t")
wait_for("--ranks ")
send("4\r")
wait_for("chosen ")
wait_for("ready> ")
send("exit\r")
os.waitpid(child, 0)
END
finish
