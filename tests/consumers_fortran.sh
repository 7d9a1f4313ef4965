#!/bin/sh
# Install into an empty prefix and use it from Fortran, by pkg-config and by the CMake package:
# consumers_fortran.sh BUILD MPIFORT [SCALAPACK]. Every program made is also run.
set -eu
build=$1 mpifort=$2 scalapack=${3-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
examples=$ASHLAR_SOURCE/examples

cmake --install "$build" --prefix "$prefix" > "$work/install.log"
pc=$(dirname "$(find "$prefix" -name ashlar_fortran.pc)")
lib=$(dirname "$pc")
for file in "$lib/libashlar_fortran.so" "$lib/libashlar_fortran.a" "$lib/libashlar_pblas.so"; do
    test -e "$file" || { echo "not installed: $file"; cat "$work/install.log"; exit 1; }
done

# By pkg-config, with the wrapper of the MPI that the library was made for.
export PKG_CONFIG_PATH="$pc"
flags=$(pkg-config --cflags --libs ashlar_fortran)
"$mpifort" "$examples/multiply.f90" -J "$work" -o "$work/pc_shared" $flags "-Wl,-rpath,$lib"
programs="pc_shared cmake/shared cmake/static"
if [ -n "$scalapack" ]; then
    flags=$(pkg-config --libs ashlar_pblas)
    "$mpifort" "$examples/pdgemm.f90" -o "$work/pc_pdgemm" $flags "-Wl,-rpath,$lib" "$scalapack"
    programs="$programs pc_pdgemm cmake/pdgemm"
fi

# By the CMake package.
cmake -G Ninja -S "$ASHLAR_SOURCE/tests/consumer_fortran" -B "$work/cmake" "-DCMAKE_PREFIX_PATH=$prefix" \
    "-DSCALAPACK=$scalapack" > "$work/cmake.log" 2>&1 || { cat "$work/cmake.log"; exit 1; }
cmake --build "$work/cmake" > "$work/build.log" || { cat "$work/build.log"; exit 1; }

for program in $programs; do
    echo "$program"
    "$ASHLAR_LAUNCH" 2 "$work/$program"
done
