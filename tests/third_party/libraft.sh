#!/usr/bin/env bash
# Debian's libraft in actors (libraft/): both bugs are found, their kept schedules fail again and none of their events can be left
# out, and a single server, which has nobody to disagree with, passes.  BUILD_DIR and SOURCE_DIR come from ctest.
set -u
: "${BUILD_DIR:?}" "${SOURCE_DIR:?}"
program=$BUILD_DIR/tests/third_party/libraft
if [ ! -x "$program" ]; then
    echo "skipped: built without libraft (Debian: libraft-dev)"
    exit 77
fi
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
checks=0
failures=0

# check CODE TEXT ARGUMENT...: how the program must end, and what it must say
check() {
    local code=$1 text=$2 output status
    shift 2
    checks=$((checks + 1))
    output=$("$program" "$@" 2>&1 </dev/null)
    status=$?
    case $status$output in "$code"*"$text"*) return ;; esac
    failures=$((failures + 1))
    echo "FAILED: libraft $* exits with $status instead of $code, or does not say \"$text\""
    printf '%s\n' "$output" | head -n 12 | sed 's/^/    /'
}

# kept NAME TEXT: the schedule fails with this text, and without any one of its events it does not.  (A replay goes on behind the
# end of a schedule; what it finds there does not count.)
kept() {
    local schedule=$SOURCE_DIR/tests/third_party/libraft/schedules/$1.schedule lines line status
    check 1 "$2" replay "$schedule"
    lines=$(grep -nE '^server' "$schedule" | cut -d : -f 1)
    [ "$(wc -w <<<"$lines")" -ge 17 ] || { echo "FAILED: $1 has too few events" && failures=$((failures + 1)); }
    for line in $lines; do
        checks=$((checks + 1))
        sed "${line}d" "$schedule" >"$folder/shorter.schedule"
        "$program" replay "$folder/shorter.schedule" >"$folder/output" 2>&1
        status=$?
        [ $status -ne 1 ] || grep -q "^after the schedule's end" "$folder/output" || { echo "FAILED: $1 fails also without its line $line" && failures=$((failures + 1)); }
    done
}
kept committed_entry_lost 'has another entry 2 than that which was committed in term 3'
kept two_leaders_in_a_term 'term 4 has two leaders'

check 1 'committed_entries' test a_committed_entry_is_never_lost --explorer weighted --max-runs 5000 --save '' --quiet
check 1 'two leaders' test a_term_has_one_leader --explorer weighted --max-runs 5000 --save '' --quiet
check 0 'passed' test -p servers=1 -p elections=1 -p heartbeats=1 -p writes=2 --explorer dfs --require exhaustive --save '' --quiet
check 1 'servers is 1 to 7, not 8' test -p servers=8 --save '' --quiet

# Memory that is given back at the end of a run only makes the same runs, byte for byte, as memory that is undone by steps.
# (Events have addresses of the program, which are the same without randomisation.)
for explorer in random swarm 'pct(3)'; do
    for mode in noted undone; do
        RH_TEST_NOTED=$folder/$mode setarch -R "$program-noted" test a_committed_entry_is_never_lost --explorer "$mode:$explorer" --max-runs 250 \
            --keep-going --no-minimise --save '' --quiet >"$folder/output" 2>&1
    done
    checks=$((checks + 1))
    if ! cmp -s "$folder/noted" "$folder/undone" || [ "$(wc -l <"$folder/noted")" -lt 250 ] || ! grep -q '2[0-9][0-9] events' "$folder/noted"; then
        failures=$((failures + 1))
        echo "FAILED: $explorer makes other runs when memory is given back at the end of a run only: $(diff "$folder/noted" "$folder/undone" | head -n 2)"
    fi
    rm -f "$folder/noted" "$folder/undone"
done

driver=$BUILD_DIR/tests/third_party/libraft-driver
for options in 'find=entries' 'find=leaders transfer=2'; do
    checks=$((checks + 1))
    # shellcheck disable=SC2086
    "$driver" $options runs=20000 >"$folder/output" 2>&1
    [ $? -eq 1 ] || { echo "FAILED: libraft-driver $options finds nothing" && failures=$((failures + 1)); }
done
"$driver" deliver=0 >"$folder/output" 2>&1
[ $? -eq 2 ] || { echo "FAILED: libraft-driver deliver=0 is not refused" && failures=$((failures + 1)); }

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
