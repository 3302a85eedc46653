#!/usr/bin/env bash
# Examples on another processor than this machine's, under an emulator (EMULATOR, from ctest; scripts/arm64). An emulated
# step takes milliseconds, so this is a part of examples.sh: every example passes a few runs, every schedule of
# schedules/ fails again, and gatling's bug is found.
set -u
: "${BUILD_DIR:?}" "${SOURCE_DIR:?}"
[ -n "${EMULATOR:-}" ] || exit 77
# shellcheck source=tests/examples/lib.bash
. "$SOURCE_DIR/tests/examples/lib.bash"
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
checks=0
failures=0

# check CODE EXAMPLE ARGUMENT...: how the program must end
check() {
    local code=$1 example=$2 output status
    shift 2
    checks=$((checks + 1))
    # shellcheck disable=SC2086  # the emulator has arguments
    output=$($EMULATOR "$BUILD_DIR/examples/$example" "$@" 2>&1)
    status=$?
    [ $status -eq "$code" ] && return
    failures=$((failures + 1))
    echo "FAILED: $example $* exits with $status instead of $code"
    printf '%s\n' "$output" | head -n 12 | sed 's/^/    /'
}

for example in $(every_example); do
    check 0 "$example" test --explorer random --max-runs 5 --max-seconds 1000 --save ''
    for schedule in "$SOURCE_DIR/tests/examples/schedules/$example"/*.schedule; do
        [ -e "$schedule" ] && check 1 "$example" replay "$schedule"
    done
done
check 1 gatling test -p bug=ga1 --save ''
check 0 gatling test --explorer dfs --require exhaustive --max-seconds 1000 --save ''

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
