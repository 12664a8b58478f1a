#!/bin/sh
# From a fresh machine to a running example: installs what is missing, builds, runs.
set -eu
cd "$(dirname "$0")/.."
. scripts/common.sh

install_missing demo
# The tests of an earlier scripts/test.sh stay configured; a new folder does without them.
if configured build; then
    build build demo
else
    build build demo -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF
fi

say ""
status=0
build/bin/examples/digits || status=$?
say ""
if [ "$status" != 0 ]; then
    say "build/bin/examples/digits ended with status $status"
    exit 1
fi
say "That was build/bin/examples/digits. Where to look next:"
say "  README.md   what the library is and a first program"
say "  examples/   short programs, built in build/bin/examples/"
say "  docs/       the guide and the reference"
