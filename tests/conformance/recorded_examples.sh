#!/usr/bin/env bash
# Programs of examples/savina are recorded in production, on four threads, and replayed under test: every line fits, nothing
# fails, and the program prints the same result. BUILD_DIR comes from ctest.
set -u
: "${BUILD_DIR:?}"

rehearse=$BUILD_DIR/bin/rehearse
examples=$BUILD_DIR/examples
[ -x "$examples/savina-pingpong-production" ] || exit 77
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: $1"
    shift
    [ $# -eq 0 ] || printf '%s\n' "$@" | tail -n 12 | sed 's/^/    /'
}
# recorded NAME -p PARAMETER=VALUE...: the parameters are those of the program in production
recorded() {
    local name=$1 said output status
    shift
    said=$("$examples/savina-$name-production" --record "$name.schedule") || fail "$name: production fails" "$said"
    output=$("$rehearse" replay "$examples/savina-$name" "$name.schedule" "$@" 2>&1)
    status=$?
    [ $status -eq 0 ] || fail "$name: replay exits with $status" "$(head -n 7 "$name.schedule")" "$output"
    grep -qF -- "${said%%$'\n'*}" <<<"$output" || fail "$name: replay does not print \`$said\`" "$output"
}

recorded pingpong -p rounds=10000
recorded smokers -p rounds=2000 -p puffs=3
recorded prodcons -p producers=6 -p consumers=4 -p items=1000 -p bound=3
recorded philosophers -p philosophers=16 -p meals=500

# One line that production did not have, in the middle of an exact recording, is noticed.
sed -i '20{h;d};21{G}' pingpong.schedule
"$rehearse" replay "$examples/savina-pingpong" pingpong.schedule -p rounds=10000 >output 2>&1
[ $? -eq 4 ] || fail "two lines that changed places are not noticed" "$(cat output)"

# The page of a recording.
"$examples/savina-smokers-production" --record small.schedule >/dev/null
"$rehearse" show "$examples/savina-smokers" small.schedule -p rounds=2000 -p puffs=3 --html page.html >output 2>&1 ||
    fail "show --html of a recording" "$(cat output)"
grep -q 'cigarettes' page.html 2>/dev/null || fail "the page does not have the log line"

# Production programs of protocols, with the bodies and monitors of tests that do the same. A recording that says that it is
# not exact may stop to fit, at a line that is named; it must not fail in another way.
protocol() { # NAME ARGUMENT...: gives whether it was exact
    local name=$1 output status exact=yes
    shift
    "$examples/protocols-$name-production" "$@" --record "$name.schedule" >output || fail "$name: production fails" "$(cat output)"
    sed -i '1a test as_in_production' "$name.schedule"
    grep -q '^# not exact' "$name.schedule" && exact=no
    output=$("$rehearse" replay "$BUILD_DIR/tests/fixtures/production_$name" "$name.schedule" 2>&1)
    status=$?
    case $exact:$status in
    yes:0 | no:0) ;;
    no:4) grep -q 'line [0-9]*: ' <<<"$output" || fail "$name: no line is named" "$output" ;;
    *) fail "$name: replay exits with $status, exact: $exact" "$(head -n 7 "$name.schedule")" "$output" ;;
    esac
    grep -q 'begin -> ' <<<"$output" || fail "$name: no story" "$output"
    [ $exact = yes ]
}
fitted=0
for _ in 1 2 3; do
    protocol osr && fitted=1
    protocol chain
done
[ $fitted = 1 ] || echo "no recording of osr was exact"
# With stores: when writes became durable is not recorded, and yet the runs fit from beginning to end, mostly.  The replicas
# of multipaxos and tms never rest: the replay ends where the recording does, and leaves the timers.
for name in twophase paxos multipaxos tms; do
    whole=0
    for store in 1 2; do
        mkdir $name-$store
        protocol $name $name-$store
        grep -q '^# not exact: stores' $name.schedule || fail "$name: the recording says nothing of its stores"
        "$rehearse" replay "$BUILD_DIR/tests/fixtures/production_$name" $name.schedule --quiet >output 2>&1 && whole=$((whole + 1))
    done
    [ $whole -ge 1 ] || fail "no recording of $name is replayed as a whole" "$(cat output)"
    case $name in
    multipaxos | tms) grep -q 'what is left are timers' output || grep -q 'line [0-9]*: ' output ||
        fail "$name: the replay does not say where it ends" "$(cat output)" ;;
    esac
done
# What a server of raft sends depends on what is durable when: its recordings fit now and then.
mkdir raft-1
protocol raft raft-1

# A replay has an end, also if the program has none.
sed -i 's/^set time=free$/&\nset max_steps=3000/; s/^\.\.\. without timers$/.../' multipaxos.schedule
sed -i '60,$d' multipaxos.schedule
output=$("$rehearse" replay "$BUILD_DIR/tests/fixtures/production_multipaxos" multipaxos.schedule --quiet 2>&1) ||
    fail "multipaxos without end: replay fails" "$output"
grep -qF "nothing failed before event 3000, where max_steps cuts the run, after the schedule's end" <<<"$output" ||
    fail "multipaxos without end" "$output"

# A line that is missing is noticed.
if [ $fitted = 1 ]; then
    line=$(grep -n 'driver#1 takes usb_started from device#1$' osr.schedule | cut -d: -f1)
    sed -i "${line}d" osr.schedule
    "$rehearse" replay "$BUILD_DIR/tests/fixtures/production_osr" osr.schedule >output 2>&1
    [ $? -eq 4 ] || fail "osr: a missing line is not noticed" "$(cat output)"
fi

[ $failures -eq 0 ]
