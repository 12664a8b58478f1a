#!/bin/sh
# The errors of elementary functions of every f32 against MPFR, as rows of docs/accuracy.md: a function
# takes from half an hour to some hours.
#
#   scripts/accuracy.sh [FUNCTION...]     "exponential", "lgamma", …; without any, all of them
#   scripts/accuracy.sh --table           the table of docs/accuracy.md, of every 65537th f32
set -eu
cd "$(dirname "$0")/.."
. scripts/common.sh
build build all -DCMAKE_BUILD_TYPE=Release
run()
{
    CT_ACCURACY_WRITE=1 "$@" build/bin/tests/test_accuracy 2>/dev/null | grep '^|'
}
if [ "${1:-}" = --table ]; then
    run env
elif [ $# = 0 ]; then
    run env CT_ACCURACY_STEP=1
else
    for function; do
        run env CT_ACCURACY_STEP=1 CT_ACCURACY_OP="$function"
    done
fi
