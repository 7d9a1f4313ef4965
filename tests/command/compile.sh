#!/bin/sh
# `ashlar compile`: what it writes compiles without a warning, mistakes are pointed at, and nothing is left of them.
. "$ASHLAR_SOURCE/tests/command/support.inc"
examples=$ASHLAR_SOURCE/examples

# A function and its header, and a program; the same input gives the same C.
expect 0 "$ASHLAR" compile "$examples/ccsd/ccsd.ash" -o "$work/ccsd.c" --function ccsd
grep -Eq '^[^ ]*ccsd.c: 5.60704e\+08 multiply-adds at typical extents, [^ ]+ if every term' "$work/err" ||
    fail "$ran: $(cat "$work/err")"
cp "$work/ccsd.c" "$work/again.c"
expect 0 "$ASHLAR" compile "$examples/ccsd/ccsd.ash" -o "$work/ccsd.c" --function ccsd
cmp -s "$work/ccsd.c" "$work/again.c" || fail "$ran: another text the second time"
grep -q 'const double \*V_oovv; /\* o, o, v, v; dealt 0 \*/' "$work/ccsd.h" || fail "$ran: no V_oovv in the header"
expect 0 "$ASHLAR" compile "$examples/ccsd/ccsd.ash" -o "$work/ccsd.c" --function ccsd o=10 v=100
grep -q '1.40172e+10 multiply-adds' "$work/err" || fail "$ran: $(cat "$work/err")"
expect 0 "$ASHLAR" compile "$examples/four_index.ash" -o "$work/four_index.c" --type z
grep -q 'for (int64_t from = 0, to, step = ash_step(r, n,' "$work/four_index.c" ||
    fail "$ran: no loop over blocks"
grep -q '1\. X3.* n^4 m multiply-adds, 7.78e+08; 1.3e+07 words of files, 0.41 s' "$work/four_index.c" ||
    fail "$ran: $(grep '1\. X3' "$work/four_index.c")"
expect 0 "$ASHLAR" compile "$examples/four_index.ash" -o "$work/four_index.c" --ranks 4 --memory 20MB
grep -Eq '1\. X3.* 7.78e\+08; [1-9][^ ]* words received, 1.3[^ ]* words of files, ' "$work/four_index.c" ||
    fail "$ran: $(grep '1\. X3' "$work/four_index.c")"
expect 2 "$ASHLAR" compile "$examples/four_index.ash" -o "$work/four_index.c" --memory 16
says '--memory holds fewer than 3 words: one of each array would do'

# points LINE COLUMN PATTERN: three lines, the second a line of the program, the third a caret below the column.
points() {
    test "$(wc -l < "$work/err")" -eq 3 || fail "$ran: not three lines: $(cat "$work/err")"
    sed -n 1p "$work/err" | grep -Eq -- "^ashlar compile: line $1, column $2: $3\$" || fail "$ran: $(cat "$work/err")"
    test "$(sed -n 2p "$work/err")" = "    $(sed -n "$1p" "$work/p.ash")" || fail "$ran: $(cat "$work/err")"
    test "$(sed -n 3p "$work/err")" = "$(printf '    %*s^' "$(($2 - 1))" '')" || fail "$ran: $(cat "$work/err")"
    test ! -e "$work/p.c" || fail "$ran: something is left"
}
program() {
    { printf 'range o = 4\nrange v = 5\nindex i, j : o\nindex a : v\ninput A[o,v]\n'; cat; } > "$work/p.ash"
}
refuse() { expect 2 "$ASHLAR" compile "$work/p.ash" -o "$work/p.c" "$@"; }
program << 'END'
output X[o]
X[i] = A[i,a]*B[a]
END
refuse
points 7 15 "array 'B' is not declared"
program << 'END'
output X[o]
array Y[o]
X[i] = Y[i]
Y[i] = X[i]
END
refuse
points 8 1 "'X' needs itself: X needs Y needs X"
program << 'END'
output X[o]
X[i] = A[i,a]
END
refuse
points 6 8 "'X' has no file: a main needs one, or give the name of a function"
refuse --function 3x
says "--function is '3x', wanted a name of C"
refuse --function int
says "--function is 'int', wanted a name of C"
refuse --function MPI_f
says "--function is 'MPI_f', wanted a name of C"
# A factor that no element holds is no C, and none is written.
program << 'END'
output X[o]
X[i] = 1e200*A[i,a]
END
refuse --function f --type s
says 'the factor 1e[+]200 of a product is more than an element holds'
test ! -e "$work/f.h" || fail "$ran: a header is left"
expect 0 "$ASHLAR" compile "$work/p.ash" -o "$work/f.c" --function f
program << 'END'
output X[o]
X[i] = 1e308*A[i,a] + 1e308*A[i,a]
END
refuse --function f
says 'the factor inf of a product is more than an element holds'

# below LINE CARET: the last two lines. Files of other systems and editors, and long lines, are shown as they are read.
below() {
    test "$(sed -n 2p "$work/err")" = "    $1" || fail "$ran: $(cat "$work/err")"
    test "$(sed -n 3p "$work/err")" = "$2" || fail "$ran: $(cat "$work/err")"
}
printf 'range o = 4\r\nindex i : p\r\n' > "$work/p.ash"
refuse
below 'index i : p' '              ^'
printf 'range o = 4\nindex\ti\t:\tp\n' > "$work/p.ash"
refuse
below 'index i : p' '              ^'
printf '\357\273\277range o = 4\ninput e[o] from "\303\251.npy" p' > "$work/p.ash"
refuse
below "$(printf 'input e[o] from "\303\251.npy" p')" '                            ^'
grep -q "line 2, column 25: 'p', wanted the end of the line" "$work/err" || fail "$ran: $(cat "$work/err")"
{
    printf 'range o = 4\nindex i : o\ninput e[o]\noutput X[o]\nX[i] = '
    printf 'e[i] + %.0s' $(seq 100)
    echo 'f[i] + e[i]'
} > "$work/p.ash"
refuse
grep -q "line 5, column 708: array 'f' is not declared" "$work/err" || fail "$ran: $(cat "$work/err")"
below "...] + $(printf 'e[i] + %.0s' $(seq 8))f[i] + e[i]" "$(printf '%67s^' '')"
program << 'END'
output X[o]
X[i] = A[i,a]
END
cp "$work/p.ash" "$work/kept.ash"
expect 2 "$ASHLAR" compile "$work/p.ash" -o "$work/p.ash"
says "-o and the program name the same file"
cmp -s "$work/p.ash" "$work/kept.ash" || fail "the program was overwritten"
refuse --function f q=3
says "'q=3': the program has no range 'q' with a number"
refuse --function f o=0
says "'o=0', wanted a range and a typical extent, such as o=20"
expect 2 "$ASHLAR" compile "$work/p.ash"
says 'no output named, wanted -o FILE.c'
expect 3 "$ASHLAR" compile "$work/none.ash" -o "$work/p.c"
says 'none.ash: No such file'
expect 3 "$ASHLAR" compile "$work/p.ash" --function f -o "$work/none/p.c"
says 'none'
finish
