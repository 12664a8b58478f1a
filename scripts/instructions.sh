#!/bin/sh
# Instructions that ten programs take on the tile machine, counted by callgrind: in two runs, and while
# they are traced, derived and compiled. Time varies from run to run, and these do not; they depend on
# the compiler and on the instruction set, which the first lines of bench/instructions.txt tell.
#
# usage: sh scripts/instructions.sh                  compare with bench/instructions.txt
#        sh scripts/instructions.sh --tolerance 5    and fail where one is more than 5 % above it
#        sh scripts/instructions.sh --update         write that file
set -eu
cd "$(dirname "$0")/.."
. scripts/common.sh

update='' tolerance=''
case ${1:-} in
--update) update=yes ;;
--tolerance) tolerance=${2:?a number of percent is missing} ;;
'') ;;
*)
    say "usage: sh scripts/instructions.sh [--update | --tolerance PERCENT]"
    exit 2
    ;;
esac
if ! have valgrind; then
    say "valgrind is missing (Debian and Ubuntu: apt-get install valgrind)"
    exit 2
fi

programs="call_sumsq_4:grad rosenbrock_1000:grad unrolled_100:grad unrolled_1000:grad unrolled_shared_60:grad
          lotka_rk4_1000:grad matmul_64:value mlp_64_32_10_b32:grad transformer_d64_l2_t64_b8:grad
          sum_axis0_2048:value"

build build bench_count -DCT_BUILD_BENCH=ON >/dev/null
out=build/instructions
mkdir -p "$out"

# count NAME MODE FUNCTION...: instructions inside of these functions.
count()
{
    name=$1 mode=$2
    shift 2
    options=
    for f; do
        options="$options --toggle-collect=$f"
    done
    # shellcheck disable=SC2086 # several options
    valgrind --tool=callgrind --callgrind-out-file="$out/callgrind" $options \
        build/bin/bench/count cpu "$name" "$mode" 2 >"$out/log" 2>&1 || { cat "$out/log" >&2; exit 1; }
    sed -nE 's/.*Collected : ([0-9]+).*/\1/p' "$out/log"
}

{
    say "# $($(compiler) --version | head -n 1); $(uname -m), as valgrind shows it"
    say "# program, mode, instructions of two runs, of making it ready"
    for program in $programs; do
        name=${program%:*} mode=${program#*:}
        say "$name $mode $(count "$name" "$mode" ct_run) $(count "$name" "$mode" ct_trace_many_at \
            ct_value_and_grad_at ct_compile_at)"
    done
} >"$out/found"

if [ -n "$update" ]; then
    cp "$out/found" bench/instructions.txt
    cat bench/instructions.txt
    exit 0
fi
head -n 1 bench/instructions.txt "$out/found" | grep '^#' | sort -u
awk -v tolerance="$tolerance" '
    /^#/ { next }
    FNR == NR { run[$1] = $3; ready[$1] = $4; next }
    !($1 in run) { printf "%-28s is new\n", $1; next }
    {
        a = 100 * ($3 / run[$1] - 1); b = 100 * ($4 / ready[$1] - 1)
        printf "%-28s runs %12d %+7.2f %%   ready %12d %+7.2f %%\n", $1, $3, a, $4, b
        if (tolerance != "" && (a > tolerance || b > tolerance)) { failed++ }
        n++; sum += log($3 / run[$1]); other += log($4 / ready[$1])
    }
    END {
        printf "instructions: runs %+.2f %%, ready %+.2f %%, in the mean of %d programs", 100 * (exp(sum / n) - 1),
            100 * (exp(other / n) - 1), n
        if (tolerance != "") printf ", %d above %s %%", failed, tolerance
        printf "\n"
        exit failed > 0
    }' bench/instructions.txt "$out/found"
