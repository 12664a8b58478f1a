#!/bin/sh
# Builds the benchmarks and times them beside JAX, PyTorch and CasADi, by turns, on the same inputs: one
# table, and last `geometric mean R over N rows, worst W` (how many times faster than the fastest peer).
#
# usage: sh scripts/bench.sh [OPTION...]
#   --quick            some minutes; without it about half an hour
#   --threads 2        all with two threads, on two cores
#   --only PART        rows whose name has PART; may be repeated
#   --peers jax,torch  without the others (jax,torch,compiled,casadi)
#   --check            only compare the results
#   --memory           only compare peaks of memory
#   --json FILE        everything that was measured
#   …                  python3 bench/peers.py --help
#
# The peers are installed from the package index into build/peers. Nothing else should run meanwhile.
set -eu
cd "$(dirname "$0")/.."
. scripts/common.sh

install_missing demo
if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    apt_install build/install.log python3-venv || exit 2
fi
if configured build; then
    build build bench -DCT_BUILD_BENCH=ON
else
    build build bench -DCMAKE_BUILD_TYPE=Release -DCT_BUILD_BENCH=ON -DBUILD_TESTING=OFF
fi
exec python3 bench/peers.py "$@"
