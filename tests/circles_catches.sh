#!/bin/sh
# circles.sh sees each kind of circle, and none if there is none: circles_catches.sh PATH/circles.sh.
#
# The object files are texts, as nm would print them, and nm is a script that shows them.
checker=$1
root=$(mktemp -d) || exit 2
trap 'rm -rf "$root"' EXIT
failed=0
mkdir -p "$root/a room/src/x"
cat > "$root/nm" <<'EOF'
#!/bin/sh
shift 3
for file in "$@"; do
    sed "s|^|$file: |" "$file" || exit
done
EOF
chmod +x "$root/nm"

# object NAME LINE...: the object file of src/x/NAME.c.
object()
{
    file="$root/a room/lib.dir/./src/x/$1.c.o"
    mkdir -p "$(dirname "$file")"
    shift
    printf '%s\n' "$@" > "$file"
    printf '%s\n' "$file" >> "$root/objects"
}

# judge STATUS PATTERN WHAT: what was made gives that status and, unless it is 0, a line like that.
judge()
{
    sh "$checker" "$root/a room" "$root/nm" "$root/objects" > "$root/said" 2>&1
    status=$?
    grep -q "$2" "$root/said"
    matched=$?
    if [ $status -ne "$1" ] || [ $matched -ne $((status == 0)) ]; then
        echo "status $status, wanted $1 and '$2', for $3: $(cat "$root/said")"
        failed=1
    fi
    rm -rf "$root/a room/lib.dir" "$root/objects"
    rm -f "$root"/a\ room/src/x/*
}

object a 'ashi_a T 0 8' 'ashi_b U'
object b 'ashi_b T 0 8' 'malloc U'
object c 'ashi_c R 0 8' 'ashi_a U' 'ashi_b U' 'ashi_c U'
judge 0 . 'files one above the other'

object a 'ashi_a T 0 8' 'ashi_b U'
object b 'ashi_b T 0 8' 'ashi_a U'
object c 'ashi_c T 0 8' 'ashi_a U'
judge 1 '^src/x/a.c uses ashi_b of src/x/b.c, which in the end uses src/x/a.c$' 'two files that call each other'

object a 'ashi_a T 0 8' 'ashi_table U'
object b 'ashi_b T 0 8' 'ashi_a U'
object c 'ashi_table D 0 8' 'ashi_b U'
judge 1 '^src/x/c.c uses ashi_b of src/x/b.c' 'a table in a circle of three'

object a 'ashi_a T 0 8' 'ashi_b U'
object b 'ashi_b T 0 8' 'ashi_c U'
object c 'ashi_c T 0 8' 'ashi_d U'
object d 'ashi_d T 0 8' 'ashi_c U'
above=$(sh "$checker" "$root/a room" "$root/nm" "$root/objects" | grep -c 'src/x/[ab].c uses')
test "$above" -eq 0 || { echo "files that lead to a circle are called part of it"; failed=1; }
judge 1 '^src/x/d.c uses ashi_c' 'a circle below others'

object a 'ashi_a T 0 8'
echo '#include "x/b.h"' > "$root/a room/src/x/a.h"
echo '#include "x/c.h"' > "$root/a room/src/x/b.h"
judge 0 . 'headers one above the other'

object a 'ashi_a T 0 8'
echo '#include "x/b.h"' > "$root/a room/src/x/a.h"
echo '#include "x/a.h"' > "$root/a room/src/x/b.h"
judge 1 '^src/x/b.h uses x/a.h of src/x/a.h' 'two headers that include each other'

object a 'malloc U'
judge 77 '^skipped' 'object files without names'

printf '%s\n' "$root/none.o" > "$root/objects"
judge 2 'there is no' 'an object file that is not there'
judge 2 'there is no' 'no list of object files'
exit $failed
