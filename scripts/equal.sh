#!/bin/sh
# The same bits in every way: every conformance and gradient file, the derivatives that the latter ask
# for, and the benchmarks' programs, on the tile machine and as compiled C, with all passes, without
# each, without all, with 2, 3 and 8 threads, twice, with an empty cache of compiled C and with a full
# one, must give what the interpreter gives in machine numerics (== element by element; a NaN equals a NaN). So must every
# example, and the tests of clamped indices must pass.
#
# usage: sh scripts/equal.sh             all of it: about an hour on two cores
#        sh scripts/equal.sh --tenth     a fixed tenth of the files, compiled C with few passes off and one thread
#
# Last line: `equal: N programs, R runs, S skipped, D different; E examples, C runs of the clamp tests`.
set -eu
cd "$(dirname "$0")/.."
. scripts/common.sh

tenth=
[ "${1:-}" != --tenth ] || tenth=yes

install_missing test
build build equal -DBUILD_TESTING=ON ${CMAKE_BUILD_TYPE:+"-DCMAKE_BUILD_TYPE=$CMAKE_BUILD_TYPE"}

out=build/equal
rm -rf "$out"
mkdir -p "$out"
CT_CACHE_DIR=$(pwd)/$out/cache
export CT_CACHE_DIR

# The files that the shared material has; without it, those of its part in the tree.
for pair in ../shared/stablehlo/testdata:tests/conformance ../shared/gradients/cases:tests/gradients; do
    folder=${pair%%:*}
    [ -d "$folder" ] || folder=${pair#*:}
    find "$folder" -name '*.mlir'
done | LC_ALL=C sort >"$out/names"

# matrix NAME WAYS SHARE...: runs a process for each share at once; their output is out/NAME.*.
matrix()
{
    name=$1 ways=$2
    shift 2
    pids=
    for share; do
        # shellcheck disable=SC2086 # --workloads or nothing
        build/bin/tests/equal/programs --ways "$ways" --share "$share" ${workloads:-} - \
            <"$out/names" >"$out/$name.${share%/*}" 2>&1 &
        pids="$pids $!"
    done
    for pid in $pids; do
        wait "$pid" || status=1
    done
    grep -hv ' programs, ' "$out/$name".* | head -n 40 || :
}

# sum WORD: of the numbers before it in the last lines of all processes.
sum()
{
    total=0
    for n in $(tail -qn 1 "$out"/*.[0-9]* | sed -nE "s/.*(^| )([0-9]+) $1.*/\\2/p"); do
        total=$((total + n))
    done
    echo "$total"
}

status=0
if [ -n "$tenth" ]; then
    matrix cold usual 3/20 13/20
    matrix warm some 3/20 13/20
else
    workloads=--workloads
    matrix cold all 0/2 1/2
    workloads=
    matrix warm some 0/2 1/2
fi

# ---- Examples: what they print, without the times that some tell.

print_example()
{
    (cd . && "build/bin/tests/equal/examples/$1" 2>&1) | sed -E 's/[0-9.]+ (m?s|seconds)\b/TIME/g'
}

examples=0
for path in build/bin/tests/equal/examples/*; do
    example=${path##*/}
    EQUAL_WAY=machine print_example "$example" >"$out/$example.machine"
    for way in cpu jit; do
        EQUAL_WAY=$way print_example "$example" >"$out/$example.$way"
        if ! cmp -s "$out/$example.machine" "$out/$example.$way"; then
            say "example $example prints something else as $way:"
            diff "$out/$example.machine" "$out/$example.$way" | head -n 10 || :
            status=1
        fi
    done
    examples=$((examples + 1))
done

# ---- Clamped indices. Compiling each of the many little programs takes a quarter of an hour.

clamps=0
ways="machine cpu"
[ -n "$tenth" ] || ways="$ways jit"
for way in $ways; do
    for without in '' all; do
        if EQUAL_WAY=$way EQUAL_WITHOUT=$without build/bin/tests/equal/test_clamp >"$out/clamp.log" 2>&1; then
            clamps=$((clamps + 1))
        else
            say "clamp tests as $way without '$without':"
            tail -n 20 "$out/clamp.log"
            status=1
        fi
    done
done

say "equal: $(sum programs) programs, $(sum runs) runs, $(sum skipped) skipped, $(sum different) different;" \
    "$examples examples, $clamps runs of the clamp tests"
exit $status
