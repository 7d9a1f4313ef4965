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
    "$prefix/bin/ashlar" "$prefix/share/man/man3/ashlar.3" "$prefix/share/man/man3/ashlar_plan_create.3" \
    "$prefix/share/bash-completion/completions/ashlar" "$prefix/share/fish/vendor_completions.d/ashlar.fish" \
    "$prefix/share/zsh/site-functions/_ashlar"; do
    test -e "$file" || { echo "not installed: $file"; cat "$work/install.log"; exit 1; }
done

# By pkg-config, with the wrappers of the MPI that the library was made for.
mpicxx=$(echo "$mpicc" | sed 's|mpicc\([^/]*\)$|mpicxx\1|')
export PKG_CONFIG_PATH="$pc"
flags=$(pkg-config --cflags --libs ashlar)
"$mpicc" "$ASHLAR_SOURCE/examples/multiply.c" -o "$work/pc_c" $flags "-Wl,-rpath,$lib"
"$mpicxx" "$ASHLAR_SOURCE/tests/consumer/multiply.cpp" -o "$work/pc_cxx" $flags "-Wl,-rpath,$lib"
needed=$(pkg-config --static --libs ashlar | sed 's/-lashlar//')
"$mpicc" "$ASHLAR_SOURCE/examples/multiply.c" -o "$work/pc_static" "-I$prefix/include" "$lib/libashlar.a" $needed

# By the CMake package, from a project in C and C++ and from one in C++ alone.
for consumer in consumer consumer_cxx; do
    cmake -G Ninja -S "$ASHLAR_SOURCE/tests/$consumer" -B "$work/$consumer" "-DCMAKE_PREFIX_PATH=$prefix" \
        > "$work/cmake.log" 2>&1 || { cat "$work/cmake.log"; exit 1; }
    cmake --build "$work/$consumer" > "$work/build.log" || { cat "$work/build.log"; exit 1; }
done

for program in pc_c pc_cxx pc_static consumer/shared_c consumer/static_c consumer/shared_cxx consumer_cxx/shared \
    consumer_cxx/static; do
    echo "$program"
    "$ASHLAR_LAUNCH" 2 "$work/$program"
done
"$prefix/bin/ashlar" --version
