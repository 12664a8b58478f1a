#!/bin/sh
# Random programs with seeds that nobody has tried, for as long as one likes. A finding is printed as
# StableHLO's text, inputs and C, and ends the run.
# usage: sh scripts/fuzz_programs.sh [SECONDS] [OPTION...]     600 seconds; options of fuzz_programs
set -eu
cd "$(dirname "$0")/.."
. scripts/common.sh

seconds=${1:-600}
[ $# -eq 0 ] || shift
install_missing test
if configured build; then
    build build fuzz_programs -DBUILD_TESTING=ON
else
    build build fuzz_programs -DBUILD_TESTING=ON -DCMAKE_BUILD_TYPE=Release
fi
# What is compiled is of no use to anyone later.
CT_CACHE_DIR=$(mktemp -d)
export CT_CACHE_DIR
trap 'rm -rf "$CT_CACHE_DIR"' EXIT
seed=$(od -An -N6 -tu8 /dev/urandom | tr -d ' ')
say "seed $seed"
build/bin/tests/fuzz/programs --seed "$seed" --seconds "$seconds" "$@"
