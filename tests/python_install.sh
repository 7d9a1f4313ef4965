#!/bin/sh
# Install Ashlar into an empty prefix and the Python package by pip into a virtual environment, and use it there:
# python_install.sh BUILD PYTHON.
set -eu
build=$1 python=$2
"$python" -c 'import ensurepip, venv, setuptools, wheel' 2> /dev/null ||
    { echo "skipped: no venv, setuptools or wheel"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" > "$work/install.log"
"$python" -m venv --system-site-packages "$work/venv"
cp -r "$ASHLAR_SOURCE/python" "$work/python" # pip builds in the folder

cd "$work"
ASHLAR_PREFIX=$work/none "$work/venv/bin/pip" install --no-build-isolation ./python > pip.log 2>&1 &&
    { echo "a prefix without Ashlar was taken"; exit 1; }
grep -q "ASHLAR_PREFIX is $work/none, which has no ashlar.pc" pip.log || { cat pip.log; exit 1; }
ASHLAR_PREFIX=$work/prefix "$work/venv/bin/pip" install --no-build-isolation ./python > pip.log 2>&1 ||
    { cat pip.log; exit 1; }
unset PYTHONPATH
"$work/venv/bin/python" -c 'import ashlar, numpy as np; print(ashlar.matmul(np.ones((2, 3)), np.ones((3, 2))))' > out
printf '[[3. 3.]\n [3. 3.]]\n' | cmp - out
test "$("$work/venv/bin/python" -m ashlar --version)" = "$("$work/prefix/bin/ashlar" --version)"
"$work/venv/bin/pip" show ashlar | grep -q "^Version: $("$work/prefix/bin/ashlar" --version | sed 's/ashlar //')\$"
test -e "$("$work/venv/bin/python" -c 'import ashlar; print(ashlar.__path__[0])')/py.typed"
