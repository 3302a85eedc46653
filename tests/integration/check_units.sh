# shellcheck shell=bash disable=SC2046,SC2086
# A suite of Check with RH_UNIT tests (rehearse/unit.h): linked with librehearse-rt it runs once in production, linked with
# librehearse in every order. Skipped where Check is not installed (Debian: check).
set -u
: "${BUILD_DIR:?}" "${SOURCE_DIR:?}"
if ! pkg-config --exists check 2>/dev/null; then
    echo "Check is not installed (Debian: check): skipped"
    exit 77
fi
if grep -qE '^RH_(SANITIZE:[A-Z]*=.|COVERAGE:BOOL=ON)' "$BUILD_DIR/CMakeCache.txt"; then
    echo "librehearse is instrumented: skipped"
    exit 77
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

cmake --install "$BUILD_DIR" --prefix "$dir/prefix" >log 2>&1 || { cat log; exit 1; }
PKG_CONFIG_PATH=$(dirname "$(find "$dir/prefix" -name rehearse.pc)"):${PKG_CONFIG_PATH:-}
export PKG_CONFIG_PATH
for library in rehearse rehearse-rt; do
    cc -std=gnu11 -g -Wall -Werror -o $library "$SOURCE_DIR/tests/integration/check/units.c" $(pkg-config --cflags check) \
        $(pkg-config --cflags --libs $library) $(pkg-config --libs check) || exit 1
done
failed=0
# has MODE TEXT...: each text is in ./out
has() {
    local mode=$1 text
    shift
    for text in "$@"; do
        grep -qF -- "$text" out || { echo "$mode: no \"$text\""; sed 's/^/    /' out; failed=1; }
    done
}
for mode in yes no; do # every test in a process of its own, or all in one
    CK_FORK=$mode ./rehearse >out 2>&1
    code=$?
    [ "$code" = 1 ] || { echo "explored, CK_FORK=$mode: exit $code instead of 1 failure"; failed=1; }
    has "explored, CK_FORK=$mode" 'Checks: 10, Failures: 1, Errors: 0' ':P:core:a_deposit_is_kept' ':P:core:two_savers_lose_nothing' \
        ':F:core:the_saver_is_always_first' 'balance_of(a) is 0, 1 is 1'
    CK_FORK=$mode ./rehearse-rt >out 2>&1
    code=$? # in production the last test passes, nearly always
    [ "$code" -le 1 ] || { echo "production, CK_FORK=$mode: exit $code"; failed=1; }
    has "production, CK_FORK=$mode" 'Checks: 10' ':P:core:a_deposit_is_kept' ':P:core:a_request_in_time_is_answered'
done
REHEARSE_OPTIONS='--explorer preempt(0,dfs)' CK_RUN_CASE=core ./rehearse >out 2>&1
has 'with options' 'Checks: 10'
exit $failed
