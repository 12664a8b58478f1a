#!/bin/sh
# Installs what is missing, builds, and runs every test program.
# usage: sh scripts/test.sh [PART]     only programs whose name contains PART
set -eu
cd "$(dirname "$0")/.."
. scripts/common.sh

install_missing test
if configured build; then
    build build all -DBUILD_TESTING=ON
else
    build build all -DBUILD_TESTING=ON -DCMAKE_BUILD_TYPE=Release
fi
run_tests build "${1:-}"
