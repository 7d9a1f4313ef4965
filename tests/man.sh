#!/bin/sh
# The manual pages that are made from the headers: man.sh ROOT FOLDER. Every public call and type has one, with its
# header, its declaration and all that the header says of arguments and members; mandoc finds nothing wrong with any.
root=$1 pages=$2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
status=0
cat "$root"/include/ashlar/*.h > "$work/headers"

wrong()
{
    echo "$*"
    status=1
}

# Calls under the names of the lists and of the inline functions that call them; types under their names.
cat "$root/tests/symbols.txt" "$root/tests/symbols_pblas.txt" > "$work/calls"
sed -n 's/_sized$//p' "$root/tests/symbols.txt" >> "$work/calls"
sed -n 's/^typedef .* \(ashlar_[a-z_]*\);$/\1/p; s/^} \(ashlar_[a-z_]*\);$/\1/p' "$work/headers" > "$work/types"
test "$(wc -l < "$work/types")" -ge 20 || wrong "the headers' types were not understood"
while read -r name; do
    page=$pages/$name.3
    test -s "$page" || { wrong "no page of $name"; continue; }
    grep -Eqx "\.Nm $name( ,)?" "$page" || wrong "$page is not a page of $name"
    grep -Eqx '\.In ashlar/[a-z_]+\.h' "$page" || wrong "$page names no header"
    first=$(sed -n 's/^\.Nm \([a-z0-9_]*\).*/\1/p' "$page" | head -n 1)
    grep -qx "\.It Xr $first 3" "$pages/ashlar.3" || wrong "ashlar(3) does not list $first"
done << END
$(cat "$work/calls" "$work/types")
END
while read -r name; do
    grep -qx "\.Fo $name" "$pages/$name.3" || wrong "$pages/$name.3 does not declare $name"
done < "$work/calls"

# What the headers describe, some page describes.
sed -n 's/^ \* @param \([a-z_0-9, ]*[a-z_0-9]\)  .*/.It Fa \1/p' "$work/headers" | sed 's/, / , /g' > "$work/described"
sed -n 's/^    \([^ *].*[^ ]\) *\/\*\*<.*/\1/p' "$work/headers" | sed 's/[;,]$//; s/.*/.It Li "&"/' >> "$work/described"
test "$(wc -l < "$work/described")" -ge 100 || wrong "the headers' descriptions were not understood"
while read -r item; do
    grep -Fqx -e "$item" "$pages"/*.3 || wrong "no page has $item"
done < "$work/described"
said=$(grep -c '@return' "$work/headers") has=$(grep -l '^\.Sh RETURN VALUES' "$pages"/*.3 | wc -l)
test "$has" -ge "$said" || wrong "$said comments say what is returned, $has pages"

if command -v mandoc > /dev/null; then
    mandoc -T lint -W warning "$pages"/*.3 || status=1
fi
exit $status
