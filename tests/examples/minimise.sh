#!/usr/bin/env bash
# rehearse minimise over the kept schedules of all example bugs: what it keeps fails in the same way (kind and place), is no
# longer, and a schedule of at most 40 events has no line that can be left out.  BUILD_DIR and SOURCE_DIR come from ctest.
set -u
: "${BUILD_DIR:?}" "${SOURCE_DIR:?}"
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
checks=0
failures=0
removed=0

problem() {
    failures=$((failures + 1))
    echo "FAILED: $*"
}

events() { grep -cvE '^(#|set |test |rehearse |$)' "$1"; }

# The failure that a replay tells: its kind and its place.
failure() {
    local told
    told=$("$program" replay "$1" --quiet 2>&1 </dev/null | head -n 1 | sed "s/^after the schedule's end: //")
    echo "${told%%:*} $(sed -nE 's/.*  \(([^()]*)\)$/\1/p' <<<"$told")"
}

# without LINE: the schedule without it does not fail, or does so only behind its end, as another schedule
without() {
    local output status
    sed "${2}d" "$1" >shorter.schedule
    output=$("$program" replay shorter.schedule --quiet 2>&1 </dev/null)
    status=$?
    removed=$((removed + 1))
    [ $status -ne 1 ] || case $output in *"after the schedule's end"*) ;; *) problem "$1: its line $2 can be left out" ;; esac
}

for schedule in "$SOURCE_DIR"/tests/examples/schedules/*/*.schedule; do
    program=$BUILD_DIR/examples/$(basename "$(dirname "$schedule")")
    [ -x "$program" ] || continue # redis without hiredis
    checks=$((checks + 1))
    rm -rf kept
    output=$("$program" minimise "$schedule" --save kept --quiet --max-runs 2000 2>&1 </dev/null)
    status=$?
    smaller=$(ls kept/*.schedule 2>/dev/null)
    if [ $status -ne 1 ] || [ ! -f "$smaller" ]; then
        problem "$schedule: minimise exits with $status: $output"
        continue
    fi
    [ "$(failure "$schedule")" = "$(failure "$smaller")" ] ||
        problem "$schedule: fails otherwise: $(failure "$schedule") / $(failure "$smaller")"
    case $output in *"limit reached"* | *"the limit was"*) continue ;; esac
    [ "$(events "$smaller")" -le 40 ] || continue
    for line in $(grep -nvE '^(#|set |test |rehearse |$)' "$smaller" | cut -d : -f 1); do
        without "$smaller" "$line"
    done
done
[ $checks -ge 60 ] || problem "only $checks schedules"
[ $removed -ge 300 ] || problem "only $removed lines were left out"
echo "$checks schedules, $removed lines left out, $failures failed"
[ $failures -eq 0 ]
