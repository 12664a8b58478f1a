#!/bin/sh
# usage: try.sh BUILD-FOLDER SCRATCH-FOLDER SOURCE-FOLDER
# Installs into the scratch folder and builds program.c against the installed tree: with pkg-config and
# every compiler at hand, shared and static, and by the CMake package; then moves the tree and tries
# again. Compiles every header alone, as each language that a user may have. Prints a line per try.
set -eu
build=$1 scratch=$2 source=$3
here=$source/tests/install
# As the build: a machine may have Ninja alone, and no make.
generator=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$build/CMakeCache.txt")
prefix=$scratch/prefix
expected='[20. 28.] '

fail() { printf 'FAIL %s\n' "$*"; exit 1; }

try() # WHAT COMMAND...
{
    what=$1
    shift
    output=$("$@" 2>&1) || fail "$what: $output"
    [ "$output" = "$expected" ] || fail "$what: printed $output"
    printf 'ok %s\n' "$what"
}

build_and_try() # WHAT: everything against $prefix
{
    place=$1
    libdir=$(dirname "$(find "$prefix" -name 'libcotangent.so')")
    PKG_CONFIG_PATH=$libdir/pkgconfig
    export PKG_CONFIG_PATH
    for cc in gcc clang; do
        command -v $cc >/dev/null 2>&1 || { printf 'missing %s\n' $cc; continue; }
        # What pkg-config prints is quoted for a shell.
        eval "set -- $(pkg-config --cflags --libs cotangent)"
        $cc -Wall -Wextra -Wpedantic -Werror "$here/program.c" -o "$scratch/$cc-shared" "$@"
        LD_LIBRARY_PATH=$libdir try "$place: $cc, pkg-config, shared" "$scratch/$cc-shared"
        eval "set -- $(pkg-config --cflags cotangent) \"\$libdir/libcotangent.a\" \
            $(pkg-config --static --libs-only-l cotangent | sed 's/-lcotangent//')"
        $cc "$here/program.c" -o "$scratch/$cc-static" "$@"
        try "$place: $cc, pkg-config, static" "$scratch/$cc-static"
    done
    rm -rf "$scratch/cmake"
    if ! cmake -G "$generator" -S "$here" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$prefix" \
            >"$scratch/cmake.log" 2>&1 ||
        ! cmake --build "$scratch/cmake" >>"$scratch/cmake.log" 2>&1; then
        fail "$place: cmake: $(tail -n 20 "$scratch/cmake.log")"
    fi
    try "$place: CMake package, shared" "$scratch/cmake/shared"
    try "$place: CMake package, static" "$scratch/cmake/static"
}

compile_headers() # LANGUAGE COMPILER STANDARD: each alone, and the program, which uses numbers
{
    for header in "$prefix"/include/cotangent/*.h "$here/program.c"; do
        "$2" -x "$1" "-std=$3" -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
            -I"$prefix/include" "$header" || fail "$header as $3 by $2"
    done
    printf 'ok headers as %s by %s\n' "$3" "$2"
}

rm -rf "$scratch"
mkdir -p "$scratch"
cmake --install "$build" --prefix "$prefix" >"$scratch/install.log" 2>&1 ||
    fail "install: $(tail -n 20 "$scratch/install.log")"
[ -x "$prefix/bin/cotangent" ] || fail "the command is not installed"
build_and_try "installed"
mv "$prefix" "$scratch/moved"
prefix=$scratch/moved
build_and_try "moved"
for standard in c99 c11 c17; do
    for cc in gcc clang; do
        if command -v $cc >/dev/null 2>&1; then compile_headers c $cc $standard; fi
    done
done
for cxx in g++ clang++; do
    if command -v $cxx >/dev/null 2>&1 && echo '#include <type_traits>' | $cxx -x c++ -E - >/dev/null 2>&1
    then compile_headers c++ $cxx c++17
    else printf 'missing %s\n' $cxx; fi
done
