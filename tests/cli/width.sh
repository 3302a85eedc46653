#!/usr/bin/env bash
# Reports fit the terminal: lines are broken between words at 80, 120 and 200 columns; colours only on a terminal, and not with
# NO_COLOR; the decisive and the failing event are marked.  In a file headlines stay on one line.
set -u
: "${BUILD_DIR:?}" "${SOURCE_DIR:?}"
. "$SOURCE_DIR/tests/cli/lib.bash"

# too_wide COLUMNS: lines that are wider, but for commands to copy
too_wide() { grep -vE '^  replay it' out | awk -v most="$1" 'length($0) > most' | head -n 3; }

for columns in 80 120 200; do
    for bug in 'gatling -p bug=ga1' 'bank -p bug=hasty' 'barber -p bug=ba' \
        'protocols-chain messages_come_twice -p bug=applies_twice' \
        'protocols-osr -p bug=late_interrupt --explorer weighted' 'messenger -p bug=me'; do
        # shellcheck disable=SC2086
        COLUMNS=$columns "$BUILD_DIR/examples/"$bug --save '' --max-runs 2000 >out 2>err
        grep -q '^FAILED' out || continue
        shown=$((${shown-0} + 1))
        same "$bug at $columns columns" '' "$(too_wide $columns)"
        grep -qE '^ +[0-9]+! ' out || problem "$bug: the failing event is not marked"
    done
done
[ "${shown-0}" -ge 9 ] || problem "only ${shown-0} reports had a finding"
"$BUILD_DIR/examples/gatling" -p bug=ga1 --save '' >out 2>err
out_has '  assertion: writer#1: "done" of action#1 came after the flush and is lost: `!state->flushed` does not hold  (examples/gatling/gatling.c:33)'
grep -qE '^ +5\* ' out || problem 'the decisive event is not marked'
grep -q $'\033' out && problem 'colours in a file'
if command -v script >/dev/null; then
    script -qec "$BUILD_DIR/examples/gatling -p bug=ga1 --save ''" /dev/null </dev/null >out 2>err
    grep -q $'\033\[1;31m' out || problem 'no colours on a terminal'
    NO_COLOR=1 script -qec "$BUILD_DIR/examples/gatling -p bug=ga1 --save ''" /dev/null </dev/null >out 2>err
    grep -q $'\033\[[0-9;]*m' out && problem 'colours with NO_COLOR'
fi
finish
