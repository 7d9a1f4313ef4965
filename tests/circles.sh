#!/bin/sh
# No circles between files: circles.sh ROOT NM OBJECTS. One line a use within a circle; status 1 if there is any.
#
# A source file uses another if it calls a function, or names a variable, that the other defines: that is read from the
# object files, which are listed in the file OBJECTS, one a line. A header uses those that it includes.
root=$1
nm=$2
objects=$3
lines=$(mktemp) || exit 2
trap 'rm -f "$lines" "$lines.names"' EXIT

test -r "$objects" || { echo "there is no $objects" >&2; exit 2; }
cd "$root/src" || exit 2
find . -name '*.h' | sort | sed 's|^\./||' | while read -r header; do
    awk -v from="$header" '/^[ \t]*#[ \t]*include[ \t]*"/ { split($0, part, "\""); print "use", from, part[2], part[2] }' \
        "$header"
done > "$lines"
tr '\n' '\0' < "$objects" | xargs -0 "$nm" -A -P -g > "$lines.names" || { echo "there is no such object file" >&2; exit 2; }
awk '{
    at = index($0, ".o: ")
    source = substr($0, 1, at - 1)
    sub(/.*\/src\//, "", source)
    split(substr($0, at + 4), part, " ")
    print part[2] == "U" ? "needs" : "has", source, part[1]
}' "$lines.names" >> "$lines"
if ! grep -q '^has' "$lines"; then
    echo "skipped: $nm finds no names in the object files"
    exit 77
fi

awk '
    # Whether `to` is reached from `from` along uses.
    function reaches(from, to,    stack, top, n, list, i, seen) {
        stack[top = 1] = from
        while (top > 0) {
            n = split(uses[stack[top--]], list, " ")
            for (i = 1; i <= n; i++) {
                if (list[i] == to) return 1
                if (!(list[i] in seen)) { seen[list[i]] = 1; stack[++top] = list[i] }
            }
        }
        return 0
    }
    function add(from, to, name) {
        if (from == to || (from, to) in why) return
        why[from, to] = name
        uses[from] = uses[from] " " to
        edge[++edges] = from " " to
    }
    $1 == "use" { add($2, $3, $4) }
    $1 == "has" && !($3 in home) { home[$3] = $2 }
    $1 == "needs" { need[++needs] = $2 " " $3 }
    END {
        for (i = 1; i <= needs; i++) {
            split(need[i], pair, " ")
            if (pair[2] in home) add(pair[1], home[pair[2]], pair[2])
        }
        for (i = 1; i <= edges; i++) {
            split(edge[i], pair, " ")
            if (!reaches(pair[2], pair[1])) continue
            print "src/" pair[1] " uses " why[pair[1], pair[2]] " of src/" pair[2] ", which in the end uses src/" pair[1]
            circles = 1
        }
        exit circles
    }
' "$lines"
