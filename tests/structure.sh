#!/bin/sh
# The rooms' rules, read from the include lines: structure.sh ROOT. One line a breach; status 1 if there is any.
#
# A room uses itself and the rooms before it in this list, and the first ones know neither MPI nor files. What all
# strategies share includes none of them.
rooms="base layout model schedule check simulate engine search strategy choose store device kernel exec plan verify tiles tensor contract pblas compile draw cli"
pure="base layout model schedule check simulate engine search strategy choose compile"

cd "$1/src" || exit 2
find . -name '*.[ch]' -o -name '*.inc' | sort | sed 's|^\./||' | while read -r file; do
    awk -v file="$file" -v rooms="$rooms" -v pure="$pure" '
        function breach(text) { print "src/" file ":" FNR ": " text }
        BEGIN {
            n = split(rooms, list, " ")
            for (i = 1; i <= n; i++) place[list[i]] = i
            n = split(pure, list, " ")
            for (i = 1; i <= n; i++) is_pure[list[i]] = 1
            room = file
            sub(/\/.*/, "", room)
            if (!(room in place)) breach("\"" room "\" is no room: add it to tests/structure.sh in its place")
        }
        length($0) > 120 { breach("more than 120 columns") }
        /^[ \t]*#[ \t]*include[ \t]*"/ {
            split($0, part, "\"")
            other = part[2]
            if (!sub(/\/.*/, "", other) || !(other in place)) breach("include \"" part[2] "\" names no room")
            else if (place[other] > place[room]) breach("room " room " includes \"" part[2] "\", a room below it")
        }
        (room in is_pure) && /^[ \t]*#[ \t]*include[ \t]*<(mpi\.h|ashlar\/(context|move|plan|ashlar)\.h)>/ {
            breach("room " room " knows no MPI: " $0)
        }
        file ~ /^(strategy\/strategy|choose\/(choose|fitting))\.[ch]$/ &&
        /^[ \t]*#[ \t]*include[ \t]*"strategy\/(cosma|summa|25d|carma|uneven|cannon|sd_cannon|tpmm|two_level|sequential)/ {
            breach("what all strategies share includes one of them: " $0)
        }
        (room in is_pure) && !/^[ \t]*(\/?\*|\/\/|")/ && /(^|[^A-Za-z0-9_])(fopen|open|openat|creat|mkstemp)[ \t]*\(/ {
            breach("room " room " touches no file: " $0)
        }
    ' "$file"
done > "${TMPDIR:-/tmp}/ashlar-structure.$$"

# The types and include guards whose name stands twice: "the type NAME" is one name with one meaning.
find . -name '*.[ch]' -o -name '*.inc' | sort | xargs awk '
    function seen(what) {
        if (what in first) print "src/" substr(FILENAME, 3) ":" FNR ": " what " is that of src/" first[what] " too"
        else first[what] = substr(FILENAME, 3)
    }
    /^} ashi_[a-z_0-9]+;/ { sub(/;.*/, "", $2); seen("the type " $2) }
    /^(struct|enum|union) ashi_[a-z_0-9]+ \{/ { seen("the type " $2) }
    /^typedef [^({]* ashi_[a-z_0-9]+;/ { sub(/;.*/, "", $NF); if ($NF != $(NF - 1)) seen("the type " $NF) }
    /^#ifndef A[A-Z_0-9]*_H$/ { seen("the include guard " $2) }
' >> "${TMPDIR:-/tmp}/ashlar-structure.$$"

# The lines of the C sources elsewhere.
cd .. && for room in include tests bench examples; do
    [ ! -d "$room" ] || find "$room" -name '*.[ch]' -o -name '*.inc'
done | sort | while read -r file; do
    awk -v file="$file" 'length($0) > 120 { print file ":" FNR ": more than 120 columns" }' "$file"
done >> "${TMPDIR:-/tmp}/ashlar-structure.$$"

cat "${TMPDIR:-/tmp}/ashlar-structure.$$"
test ! -s "${TMPDIR:-/tmp}/ashlar-structure.$$"
status=$?
rm -f "${TMPDIR:-/tmp}/ashlar-structure.$$"
exit $status
