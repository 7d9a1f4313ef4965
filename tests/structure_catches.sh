#!/bin/sh
# structure.sh sees each kind of breach, and none where there is none: structure_catches.sh PATH/structure.sh.
checker=$1
root=$(mktemp -d) || exit 2
trap 'rm -rf "$root"' EXIT
failed=0

# judge STATUS WHAT: the tree that was made gives that status.
judge()
{
    sh "$checker" "$root" > "$root/said"
    status=$?
    if [ $status -ne "$1" ]; then
        echo "status $status, wanted $1, for $2"
        failed=1
    fi
}

# expect STATUS FILE LINE: a tree of that one file gives that status.
expect()
{
    rm -rf "$root/src"
    mkdir -p "$root/src/$(dirname "$2")"
    printf '%s\n' "$3" > "$root/src/$2"
    judge "$1" "$2: $3"
}

expect 0 model/a.c '#include "base/error.h"'
expect 0 model/a.c '#include "model/bounds.h"'
expect 0 exec/a.c '#include <mpi.h>'
expect 0 store/a.c 'f = fopen(name, "r");'
expect 0 model/a.c '/* a window is open (see below) */'
expect 0 model/a.c 'ashi_reopen(x);'
expect 1 base/a.c '#include "model/bounds.h"'
expect 1 model/a.h '#include "plan/plan.h"'
expect 1 model/a.c '#include "bounds.h"'
expect 1 strategy/a.c '#include <mpi.h>'
expect 1 strategy/a.c '#include <ashlar/plan.h>'
expect 1 layout/a.c '    f = fopen(name, "r");'
expect 1 layout/a.c '    fd = open (name, 0);'
expect 1 strategy/strategy.h '#include "strategy/cosma_grid.h"'
expect 1 choose/choose.c '#include "strategy/uneven_cut.h"'
expect 0 strategy/grids.c '#include "strategy/cosma_query.h"'
expect 1 misc/a.c 'int x;'
expect 0 base/a.c "$(printf '%120s' x)"
expect 1 base/a.c "$(printf '%121s' x)"

# Lines outside src/.
expect 0 base/a.c 'int x;'
mkdir -p "$root/tests/unit"
printf '%120s\n' x > "$root/tests/unit/a.c"
judge 0 "120 columns in tests/unit"
printf '%121s\n' x > "$root/tests/unit/a.c"
judge 1 "121 columns in tests/unit"
rm -r "$root/tests"

# expect_twice STATUS LINE LINE: the same of a tree of two files with a line each.
expect_twice()
{
    expect 0 base/a.h "$2"
    printf '%s\n' "$3" > "$root/src/base/b.h"
    judge "$1" "$2 and $3"
}

expect_twice 0 '} ashi_box;' '} ashi_boxes;'
expect_twice 0 'typedef struct ashi_box ashi_box;' 'typedef struct ashi_box ashi_box;'
expect_twice 0 '#ifndef ASHI_BOX_H' '#ifndef ASHI_BOXES_H'
expect_twice 1 '} ashi_box;' '} ashi_box;'
expect_twice 1 'struct ashi_box {' 'struct ashi_box {'
expect_twice 1 '#ifndef ASHI_BOX_H' '#ifndef ASHI_BOX_H'
exit $failed
