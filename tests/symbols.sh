#!/bin/sh
# The names the shared library exports are those of symbols.txt, and so are the names the headers declare:
# symbols.sh ROOT LIBRARY. A name that is lost breaks programs: raise ASHLAR_SOVERSION with it.
root=$1 library=$2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
status=0

# differ WHAT FILE: says which names are missing from FILE and which are too many.
differ()
{
    if ! diff "$root/tests/symbols.txt" "$2" > "$work/difference"; then
        echo "$1 differ from tests/symbols.txt (< promised, > found):"
        cat "$work/difference"
        status=1
    fi
}

# Some linkers also export where the sections end.
nm -D --defined-only "$library" | awk '{ print $NF }' | grep -vxE '_init|_fini|_edata|_end|__bss_start' |
    sort > "$work/exported"
differ "exported names" "$work/exported"

# From ASHLAR_API to the first bracket; the last word before it is the name.
cat "$root"/include/ashlar/*.h | grep '^ASHLAR_API' | sed 's/(.*//; s/.*[ *]//' | sort > "$work/declared"
differ "declared names" "$work/declared"
exit $status
