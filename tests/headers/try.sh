#!/bin/sh
# usage: try.sh SOURCE-FOLDER
# Compiles types.c without a warning and refused.c not at all, in every language and compiler at hand.
set -eu
source=$1
here=$source/tests/headers
warnings='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror'

# refused.c is tried without the warnings: it is to be an error whatever the user asks for.
try() # LANGUAGE COMPILER STANDARD
{
    # shellcheck disable=SC2086
    "$2" -x "$1" "-std=$3" $warnings -fsyntax-only -I"$source/include" "$here/types.c" || {
        printf 'FAIL types.c as %s by %s\n' "$3" "$2"; exit 1; }
    "$2" -x "$1" "-std=$3" -w -fsyntax-only -DWRONG=0 -I"$source/include" "$here/refused.c" || {
        printf 'FAIL refused.c as %s by %s\n' "$3" "$2"; exit 1; }
    for wrong in 1 2 3 4 5 6 7; do
        if "$2" -x "$1" "-std=$3" -w -fsyntax-only -DWRONG=$wrong -I"$source/include" \
            "$here/refused.c" 2>/dev/null
        then printf 'FAIL refused.c, line %s, compiles as %s by %s\n' $wrong "$3" "$2"; exit 1; fi
    done
    printf 'ok %s by %s\n' "$3" "$2"
}

for cc in gcc clang; do
    command -v $cc >/dev/null 2>&1 || continue
    for standard in c99 c11 c17; do try c $cc $standard; done
done
for cxx in g++ clang++; do
    if command -v $cxx >/dev/null 2>&1 && echo '#include <type_traits>' | $cxx -x c++ -E - >/dev/null 2>&1
    then try c++ $cxx c++17; fi
done
