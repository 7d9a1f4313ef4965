#!/bin/sh
# Install into an empty prefix and use it from C and C++, by pkg-config and by the CMake package:
# consumers.sh BUILD MPICC. Every program made is also run.
set -eu
build=$1 mpicc=$2
command -v c++ > /dev/null || { echo "skipped: no C++ compiler"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

cmake --install "$build" --prefix "$prefix" > "$work/install.log"
pc=$(dirname "$(find "$prefix" -name ashlar.pc)")
lib=$(dirname "$pc")
for file in "$prefix/include/ashlar/ashlar.h" "$lib/libashlar.so" "$lib/libashlar.a" "$lib/libashlar_pblas.so" "$pc/ashlar_pblas.pc" \
    "$prefix/bin/ashlar"; do
    test -e "$file" || { echo "not installed: $file"; cat "$work/install.log"; exit 1; }
done

# By pkg-config, with the wrappers of the MPI that the library was made for.
mpicxx=$(echo "$mpicc" | sed 's|mpicc\([^/]*\)$|mpicxx\1|')
export PKG_CONFIG_PATH="$pc"
flags=$(pkg-config --define-variable=prefix="$prefix" --cflags --libs ashlar)
"$mpicc" "$ASHLAR_SOURCE/examples/multiply.c" -o "$work/pc_c" $flags "-Wl,-rpath,$lib"
"$mpicxx" "$ASHLAR_SOURCE/tests/consumer/multiply.cpp" -o "$work/pc_cxx" $flags "-Wl,-rpath,$lib"
needed=$(pkg-config --static --libs ashlar | sed 's/-lashlar//')
"$mpicc" "$ASHLAR_SOURCE/examples/multiply.c" -o "$work/pc_static" "-I$prefix/include" "$lib/libashlar.a" $needed

# By the CMake package.
cmake -G Ninja -S "$ASHLAR_SOURCE/tests/consumer" -B "$work/cmake" "-DCMAKE_PREFIX_PATH=$prefix" > "$work/cmake.log" ||
    { cat "$work/cmake.log"; exit 1; }
cmake --build "$work/cmake" > "$work/build.log" || { cat "$work/build.log"; exit 1; }

for program in pc_c pc_cxx pc_static cmake/shared_c cmake/static_c cmake/shared_cxx; do
    echo "$program"
    "$ASHLAR_LAUNCH" 2 "$work/$program"
done
"$prefix/bin/ashlar" --version
