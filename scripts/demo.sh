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
say "  README.md                what the library is, and how to build a program with it"
say "  examples/                numbered programs; they are built: build/bin/examples/01_first"
say "  docs/getting_started.md  the guide"
say "  include/cotangent/       the reference: a header per subject"
