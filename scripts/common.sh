# shellcheck shell=sh
# What demo.sh, test.sh and .ci/run share. Read by sh (`. scripts/common.sh`) from the source root.

CT_JOBS=${CT_JOBS:-$(nproc 2>/dev/null || echo 2)}
CT_TEST_TIMEOUT=${CT_TEST_TIMEOUT:-600} # seconds for one test program

say() { printf '%s\n' "$*"; }

have() { command -v "$1" >/dev/null 2>&1; }

now() { date +%s; }

# have_library MODULE PACKAGE: without pkg-config to ask, only dpkg can say yes.
have_library()
{
    if have pkg-config; then
        pkg-config --exists "$1"
    else
        have dpkg-query && dpkg-query -W -f '${Status}\n' "$2" 2>/dev/null | grep -q ' installed$'
    fi
}

# The compiler that CMake would take.
compiler()
{
    for c in "${CC:-}" cc gcc clang; do
        if [ -n "$c" ] && have "$c"; then
            say "$c"
            return
        fi
    done
    return 1
}

# A compiler without the headers of the C library builds nothing.
have_libc_headers()
{
    if c=$(compiler); then
        echo '#include <stdio.h>' | "$c" -E - >/dev/null 2>&1
    else
        [ -e /usr/include/stdio.h ]
    fi
}

# have_header NAME: of a library that tells pkg-config nothing.
have_header()
{
    c=$(compiler) && echo "#include <$1>" | "$c" -E - >/dev/null 2>&1
}

# missing demo|test: the Debian packages of what is not there, one a line. Does not call apt.
missing()
{
    compiler >/dev/null || say gcc
    have_libc_headers || say libc6-dev
    have cmake || say cmake
    have ninja || have make || say ninja-build
    have pkg-config || say pkg-config
    have_library libffi libffi-dev || say libffi-dev
    have_library zlib zlib1g-dev || say zlib1g-dev
    have_library gmp libgmp-dev || say libgmp-dev
    have_library mpfr libmpfr-dev || say libmpfr-dev
    have_header mpc.h || say libmpc-dev
    if [ "$1" = test ]; then
        have_library cmocka libcmocka-dev || say libcmocka-dev
    fi
}

what_it_is()
{
    case $1 in
    gcc) say "a C11 compiler (gcc 12 or newer, or clang 14 or newer)" ;;
    libc6-dev) say "the headers of the C library" ;;
    cmake) say "CMake 3.22 or newer" ;;
    ninja-build) say "Ninja or make" ;;
    pkg-config) say "pkg-config" ;;
    libffi-dev) say "libffi and its headers" ;;
    zlib1g-dev) say "zlib and its headers" ;;
    libgmp-dev) say "GMP and its headers" ;;
    libmpfr-dev) say "MPFR and its headers" ;;
    libmpc-dev) say "MPC and its headers" ;;
    libcmocka-dev) say "cmocka and its headers" ;;
    *) say "$1" ;;
    esac
}

apt_get()
{
    if [ "$(id -u)" = 0 ]; then
        DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@"
    else
        sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@"
    fi
}

# apt_install LOG PACKAGE...: one more try if the first fails, for mirrors have bad moments.
apt_install()
{
    log=$1
    shift
    for try in 1 2; do
        if apt_get update >"$log" 2>&1 &&
            apt_get install --no-install-recommends "$@" >>"$log" 2>&1; then
            return 0
        fi
        [ "$try" = 2 ] || { say "that failed; once more in 5 seconds"; sleep 5; }
    done
    tail -n 30 "$log"
    return 1
}

# install_missing demo|test: installs what `missing` names, or ends the script with 2.
install_missing()
{
    list=$(missing "$1")
    [ -n "$list" ] || return 0
    say "Missing:"
    for package in $list; do
        printf '  %-14s %s\n' "$package" "$(what_it_is "$package")"
    done
    list=$(say "$list" | tr '\n' ' ')
    if ! have apt-get; then
        say "This system has no apt-get. Install the above by its own means (the names are Debian's)"
        say "and run this again."
        exit 2
    fi
    if [ "$(id -u)" != 0 ] && ! have sudo; then
        say "Neither root nor sudo. As root: apt-get install --no-install-recommends $list"
        exit 2
    fi
    mkdir -p build
    say "Installing by apt-get (log: build/install.log)"
    # shellcheck disable=SC2086 # one word a package
    if ! apt_install build/install.log $list; then
        say "apt-get could not install: $list"
        exit 2
    fi
    still=$(missing "$1")
    if [ -n "$still" ]; then
        say "Still missing after installing:" "$still"
        exit 2
    fi
}

# configured FOLDER ARGUMENT...: whether the folder's cache already has every -DNAME=VALUE.
configured()
{
    cache=$1/CMakeCache.txt
    shift
    [ -f "$cache" ] || return 1
    # A checkout that was moved or copied with its build folder starts again.
    if ! grep -qxF -e "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd -P)" \
        -e "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd)" "$cache"; then
        rm -rf "$cache" "${cache%/*}/CMakeFiles"
        return 1
    fi
    { [ -f "${cache%/*}/build.ninja" ] || [ -f "${cache%/*}/Makefile" ]; } || return 1
    for argument; do
        name=${argument#-D} value=${argument#*=}
        name=${name%%=*}
        grep -qE "^$name:[A-Z]+=$value\$" "$cache" || return 1
    done
}

# Reads the lines of ninja or make and says every tenth part of the way.
progress()
{
    next=10
    while IFS= read -r line; do
        case $line in
        '['*/*'] '*)
            done_=${line#[} total=${line#*/}
            done_=${done_%%/*} total=${total%%]*}
            ;;
        '['*%'] '*)
            done_=${line#[} total=100
            done_=${done_%%\%*} done_=${done_## } done_=${done_## }
            ;;
        *) continue ;;
        esac
        case $done_$total in
        *[!0-9]* | '') continue ;;
        esac
        # Nothing but the last steps of an up-to-date build: not worth a line.
        [ "$total" -ge 10 ] || continue
        percent=$((done_ * 100 / total))
        if [ "$percent" -ge "$next" ]; then
            say "  $percent %"
            next=$((percent / 10 * 10 + 10))
        fi
    done
}

# configure FOLDER [-DNAME=VALUE...]: unless it already is, quietly; on failure shows the log.
configure()
{
    folder=$1
    ! configured "$@" || return 0
    shift
    mkdir -p "$folder"
    say "Configuring $folder (log: $folder/configure.log)"
    # The generator of an existing cache stays.
    generator=
    if [ ! -f "$folder/CMakeCache.txt" ] && [ -z "${CMAKE_GENERATOR:-}" ] && have ninja; then
        generator=Ninja
    fi
    cmake -S . -B "$folder" ${generator:+-G "$generator"} "$@" >"$folder/configure.log" 2>&1 ||
        {
            cat "$folder/configure.log"
            say "Configuring $folder failed"
            return 1
        }
}

# build FOLDER TARGET [-DNAME=VALUE...]: configure if needed, then build, quietly. TARGET may be
# "all". On failure shows the end of the log and returns 1.
build()
{
    folder=$1 target=$2 log=$1/build.log started=$(now)
    shift 2
    configure "$folder" "$@" || return 1
    say "Building $folder (log: $log)"
    {
        status=0
        cmake --build "$folder" --target "$target" --parallel "$CT_JOBS" 2>&1 || status=$?
        echo "$status" >"$folder/build.status"
    } | tee "$log" | progress
    if [ "$(cat "$folder/build.status")" != 0 ]; then
        # The steps that went well are left out.
        sed -E '/^\[ *[0-9]+(\/[0-9]+|%)\] (Building|Linking|Built|Creating)/d' "$log" | tail -n 80
        say "Building $folder failed; the whole log is $log"
        return 1
    fi
    say "Built in $(($(now) - started)) s"
}

# count_of WORD LINE: the number before WORD in `N passed, N failed, N skipped`.
count_of()
{
    printf '%s\n' "$2" | sed -nE "s/.*(^|[ ,])([0-9]+) $1.*/\\2/p"
}

# report_test FOLDER NAME: prints what one program did and adds to passed, failed and skipped.
report_test()
{
    log=$1/test-logs/$2.log
    status=$(cat "$1/test-logs/$2.status")
    last=$(tail -n 1 "$log" | tr -d '\000')
    if ! printf '%s\n' "$last" | grep -qxE '[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped'; then
        last='0 passed, 0 failed, 0 skipped'
    fi
    p=$(count_of passed "$last") f=$(count_of failed "$last") s=$(count_of skipped "$last")
    how=
    if [ "$status" = 124 ] || [ "$status" = 137 ]; then
        how="stopped after $CT_TEST_TIMEOUT s"
    elif [ "$status" -gt 128 ]; then
        how="ended by signal $((status - 128))"
    elif [ "$status" != 0 ] && [ "$f" = 0 ]; then
        how="ended with status $status"
    elif [ "$status" = 0 ] && [ $((p + f + s)) = 0 ]; then
        how="ran no test"
    fi
    if [ -n "$how" ]; then
        f=$((f + 1))
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    if [ "$f" = 0 ]; then
        printf 'ok    %-28s %s\n' "$2" "$last"
        sed -n 's/^skipped: /      &/p' "$log"
    else
        printf 'FAIL  %-28s %s\n' "$2" "${how:-$last}"
        sed 's/^/      /' "$log"
    fi
}

# Runs the tests that the other worker has not taken. Ended by a signal, it takes its program along.
test_worker()
{
    logs=$1/test-logs child=
    trap '[ -z "$child" ] || kill "$child" 2>/dev/null; exit 1' INT TERM
    for name in $2; do
        mkdir "$logs/$name.taken" 2>/dev/null || continue
        if have timeout; then
            timeout -k 10 "$CT_TEST_TIMEOUT" "$1/bin/tests/$name" >"$logs/$name.log" 2>&1 &
        else
            "$1/bin/tests/$name" >"$logs/$name.log" 2>&1 &
        fi
        child=$! status=0
        wait "$child" || status=$?
        echo "$status" >"$logs/$name.part"
        mv "$logs/$name.part" "$logs/$name.status"
    done
}

# run_tests FOLDER [PART]: every test program whose name contains PART, two at a time, reported in
# the order of their names. Last line: `N passed, N failed[, N skipped]`. Returns 1 if any failed
# or none ran.
run_tests()
{
    folder=$1
    passed=0 failed=0 skipped=0
    rm -rf "$folder/test-logs"
    mkdir -p "$folder/test-logs"
    names=
    while IFS= read -r name; do
        case $name in
        *"${2:-}"*) names="$names $name" ;;
        esac
    done <"$folder/tests.txt"
    test_worker "$folder" "$names" &
    one=$!
    test_worker "$folder" "$names" &
    two=$!
    trap 'kill "$one" "$two" 2>/dev/null; exit 1' INT TERM
    for name in $names; do
        while [ ! -f "$folder/test-logs/$name.status" ]; do
            sleep 0.05 2>/dev/null || sleep 1
        done
        report_test "$folder" "$name"
    done
    wait "$one" "$two" || :
    trap - INT TERM
    summary="$passed passed, $failed failed"
    [ "$skipped" = 0 ] || summary="$summary, $skipped skipped"
    if [ $((passed + failed + skipped)) = 0 ]; then
        say "No test ran"
        failed=1
    fi
    say "$summary"
    [ "$failed" = 0 ]
}
