#!/bin/sh
# The names the shared library exports are those of a list, and so are the names its headers declare:
# symbols.sh ROOT LIBRARY LIST HEADER... A name that is lost breaks programs: raise ASHLAR_SOVERSION with it.
# Names of others that a library also exports, to be called instead of them, are on LIST.others.
root=$1 library=$2 list=$root/tests/$3
shift 3
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
status=0

# differ WHAT FILE PROMISED: says which names are missing from FILE and which are too many.
differ()
{
    if ! diff "$3" "$2" > "$work/difference"; then
        echo "$1 differ from $list (< promised, > found):"
        cat "$work/difference"
        status=1
    fi
}

# Some linkers also export where the sections end.
nm -D --defined-only "$library" | awk '{ print $NF }' | grep -vxE '_init|_fini|_edata|_end|__bss_start' |
    sort > "$work/exported"
if [ -f "$list.others" ]; then cat "$list" "$list.others"; else cat "$list"; fi | sort > "$work/all"
differ "exported names" "$work/exported" "$work/all"

# From ASHLAR_API to the first bracket; the last word before it is the name.
for header; do
    grep '^ASHLAR_API' "$root/include/ashlar/$header"
done | sed 's/(.*//; s/.*[ *]//' | sort > "$work/declared"
differ "declared names" "$work/declared" "$list"
exit $status
