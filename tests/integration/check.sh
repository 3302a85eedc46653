# shellcheck shell=bash disable=SC2046,SC2086
# A suite of Check with tests of actors in it (rehearse/check.h). Skipped where Check is not installed (Debian: check).
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
cc -std=gnu11 -o suite "$SOURCE_DIR/tests/integration/check/suite.c" $(pkg-config --cflags check) \
    $(pkg-config --cflags --libs rehearse) $(pkg-config --libs check) || exit 1
failed=0
for mode in yes no; do # every test in a process of its own, or all in one
    CK_FORK=$mode ./suite >out 2>&1
    code=$?
    [ "$code" = 1 ] || { echo "CK_FORK=$mode: exit $code instead of 1 failure"; failed=1; }
    for text in 'Checks: 4, Failures: 1, Errors: 0' '5 came after the closing' 'account#1 takes deposit from client' \
        ':P:core:something_else' ':P:core:rh_check_no_deposit_is_late' ':P:core:rh_check_in_a_bag' ':F:core:rh_check_strictly'; do
        grep -qF -- "$text" out || { echo "CK_FORK=$mode: no \"$text\""; failed=1; }
    done
done
[ $failed = 0 ] || sed 's/^/    /' out
exit $failed
