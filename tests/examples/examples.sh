#!/usr/bin/env bash
# Every example passes as it stands; each bug that it names is found, and its schedule fails again when replayed; and dfs makes
# as many runs as derived below.  BUILD_DIR and SOURCE_DIR come from ctest.
set -u
: "${BUILD_DIR:?}" "${SOURCE_DIR:?}"

rehearse=$BUILD_DIR/bin/rehearse
# shellcheck source=tests/examples/lib.bash
. "$SOURCE_DIR/tests/examples/lib.bash"
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
checks=0
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: $1"
    shift
    [ $# -eq 0 ] || printf '%s\n' "$@" | sed 's/^/    /'
}

# explore EXAMPLE ARGUMENT...: fills $status, $output and result.json
explore() {
    local example=$1
    shift
    rm -rf result.json findings
    output=$("$rehearse" test "$BUILD_DIR/examples/$example" --json result.json --save findings "$@" 2>&1)
    status=$?
}

# field NAME: of each test in result.json, in order
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([a-z0-9 ]*\).*/\1/p" result.json | paste -sd ' '; }

# passes EXAMPLE ARGUMENT...: nothing is found, and the report has no note
passes() {
    checks=$((checks + 1))
    explore "$@"
    [ $status -eq 0 ] || fail "$* exits with $status instead of 0" "$output"
    case $output in *note:*) fail "$* has something to note" "$output" ;; esac
}

# finds EXAMPLE BUG KIND...: the bug is found as one of these kinds, and each saved schedule fails again.  lib.bash has the
# parameters that make rare bugs less rare.
finds() {
    local example=$1 bug=$2 kinds schedule kind
    shift 2
    kinds=$*
    checks=$((checks + 1))
    # shellcheck disable=SC2046
    explore "$example" $(smaller_for "$example" "$bug") -p "bug=$bug" --max-seconds 100
    [ $status -eq 1 ] || fail "$example -p bug=$bug exits with $status instead of 1" "$output"
    for kind in $(grep -o '"kind":"[^"]*"' result.json | cut -d '"' -f 4 | tr ' ' -); do
        case " $kinds " in *" $kind "*) ;; *) fail "$example -p bug=$bug: $kind instead of $kinds" "$output" ;; esac
    done
    for schedule in findings/*.schedule; do
        output=$("$rehearse" replay "$BUILD_DIR/examples/$example" "$schedule" 2>&1)
        status=$?
        [ $status -eq 1 ] || fail "$example: the replay of $schedule (bug $bug) exits with $status instead of 1" "$output"
    done
}

# makes COUNTS EXAMPLE ARGUMENT...: dfs makes this many runs, for each test
makes() {
    local counts=$1
    shift
    checks=$((checks + 1))
    explore "$@" --explorer dfs --max-seconds 600
    [ "$(field executions)" = "$counts" ] ||
        fail "$*: dfs makes $(field executions) runs instead of $counts" "$output"
    case "$(field verdict)" in *sampled* | *bounded*) fail "$*: dfs did not get to its end" "$output" ;; esac
}

# reduces COUNT EXAMPLE ARGUMENT...: dpor makes this many runs, and sees as many distinct runs as dfs
reduces() {
    local counts=$1 distinct runs
    shift
    checks=$((checks + 1))
    explore "$@" --explorer dfs --max-seconds 600
    distinct_runs=$(field distinct_runs)
    explore "$@" --explorer dpor --max-seconds 600
    [ "$(field executions) $(field distinct_runs)" = "$counts $distinct_runs" ] ||
        fail "$*: dpor makes $(field executions) runs instead of $counts, and finds $(field distinct_runs) distinct_runs" \
            "instead of $distinct_runs" "$output"
    [ "$(field estimate)" = "$counts" ] || fail "$*: dpor says that it makes $(field estimate) runs" "$output"
    case "$(field verdict)" in *sampled* | *bounded*) fail "$*: dpor did not get to its end" "$output" ;; esac
}

# ---- each example as it stands, and each bug with the kinds of its findings ----------------------------------------------------------------
declare -A found=(
    [gatling/ga1]=assertion
    [gatling-engine/ga1]=assertion [gatling-engine/ga2]=assertion
    [gatling-engine/ga3]=assertion [gatling-engine/ga4]=unhandled-message
    [bank/hasty]=assertion
    [threadring/careless]=misuse [threadring/dropped]=stuck
    [senders/orderly]=assertion
    [pingpong/impatient]=assertion
    [philosophers/deadlock]=stuck
    [register/inversion]=history [register/minority]=history
    [store/crossed]="assertion stuck" [store/early]=assertion
    [scheduler/double]="unhandled-message monitor" [scheduler/forgotten]=monitor
    [scheduler/both]=assertion [scheduler/late]=assertion
    [barber/lost_wakeup]=stuck [barber/eager]=unhandled-message
    [barber-morning/ba]=unhandled-message [messenger-rooms/ms]=assertion [procreg-directory/pr]=assertion
    [signal/sc1]=assertion [signal/sc2]="unhandled-message assertion" [signal/sc3]=assertion
    [messenger/hasty]=monitor [messenger/by_name]=assertion
    [procreg/check_then_act]=assertion [procreg/start_twice]=assertion
    [procreg/too_soon]=assertion [procreg/regrace]=assertion
    [own_explorer/no_wait]=assertion
    [own_delaying/careless]=assertion
    [tickets/check_then_act]=assertion
    [processes-registration/start_twice]=assertion [processes-registration/stranger]=assertion
    [processes-registration/noproc]=stuck [processes-registration/no_monitor]=stuck
    [processes-registration/hasty_stop]=assertion [processes-registration/unwatched]=stuck
    [processes-parallel/lost_wakeup]=stuck [supervisor/too_soon]=assertion
    [lease/late]=assertion [quorum/half]=assertion [quorum/first_vote]=order-of-a-set
)
[ -x "$BUILD_DIR/examples/redis" ] && found+=([redis/fr1]=assertion [redis/fr2]=assertion)

for example in $(every_example); do
    bugs=$("$rehearse" list "$BUILD_DIR/examples/$example" | awk '/^[^ ]/{on = /^bugs/; next} on{print $1}')
    case " ${!found[*]} " in *" $example/"*) ;; *) continue ;; esac # an example with a test of its own
    passes "$example" --max-seconds 1
    for bug in $bugs; do
        if [ -n "${found[$example/$bug]-}" ]; then
            # shellcheck disable=SC2086
            finds "$example" "$bug" ${found[$example/$bug]}
        else
            fail "$example has a bug $bug that this test does not know"
        fi
        unset "found[$example/$bug]"
    done
done
for bug in "${!found[@]}"; do
    fail "${bug%/*} does not list bug ${bug#*/}"
done

# ---- processes: ping_pong fails as it stands, in the line that names the child; pidigits has one distinct run ------------
checks=$((checks + 2))
explore processes-ping_pong
line=$(grep -n 'rh_register("ping_pong"' "$SOURCE_DIR/examples/processes/ping_pong/ping_pong.c" | cut -d : -f 1)
[ $status -eq 1 ] || fail "processes-ping_pong exits with $status instead of 1" "$output"
case $output in *"(examples/processes/ping_pong/ping_pong.c:$line)"*) ;; *) fail "ping_pong: not line $line" "$output" ;; esac
explore processes-pidigits --explorer optimal
[ "$status $(field executions) $(field verdict)" = "0 1 exhaustive" ] || fail "pidigits" "$output"
# Found within two preemptions, as the paper's case was.
checks=$((checks + 1))
for explorer in random dfs stateful; do
    explore processes-parallel -p bug=lost_wakeup --explorer "preempt(2, $explorer)" --granularity object --max-runs 20000
    [ $status -eq 1 ] || fail "processes-parallel: preempt(2, $explorer) does not find lost_wakeup" "$output"
done
# It needs exactly one: with three workers, where every state within a bound can be visited.
for bound in 0 1; do
    checks=$((checks + 1))
    explore processes-parallel -p bug=lost_wakeup -p components=3 -p phases=1 --explorer "preempt($bound, only, stateful)" --granularity object
    [ $status -eq $bound ] || fail "processes-parallel: lost_wakeup with $bound preemptions: status $status" "$output"
done

# ---- rare bugs: schedules that differ from an ordinary run in the order of one pair of messages ------------------------------
for schedule in "$SOURCE_DIR"/tests/examples/schedules/*/*.schedule; do
    example=$(basename "$(dirname "$schedule")")
    [ "$example" = redis ] && [ ! -x "$BUILD_DIR/examples/redis" ] && continue
    checks=$((checks + 1))
    output=$("$rehearse" replay "$BUILD_DIR/examples/$example" "$schedule" 2>&1)
    status=$?
    [ $status -eq 1 ] || fail "$example: the replay of $(basename "$schedule") exits with $status instead of 1" "$output"
done

# ---- how many runs dfs makes, and why ----------------------------------------------------------------------------------------

# senders: any_order has one run for each of the n! orders of arrival.  by_tag has one run: only the item that the process waits
# for can be taken.
factorial=(1 1 2 6 24 120 720 5040)
for n in 3 4 5 6 7; do
    makes "${factorial[n]} 1" senders -p senders=$n
done

# pingpong under mailbox: with each ping two messages are under way, `ping` to the ponger and `sent` to the pinger itself.  Either
# may be taken first, and the rest is determined:
#     ping, sent, ack, next      `ack` is in the pinger's mailbox behind `sent`; `next` is deferred until `ack`
#     sent, ping, ack, next      `next` is deferred, so only `ping` can be taken
# That makes two ways for each ping, and two for the end, where `bye` and `sent` are under way: 2^n * 2, as in Eta's Table 1.
for n in 1 2 3 4 5 6 7 8 9 10; do
    makes $((2 ** (n + 1))) pingpong -p n=$n
done
# Under fifo `ack` may also come before `sent`, which makes three ways for each ping: 3^n * 2.
makes 162 pingpong -p n=4 --model fifo

# bank: the client takes the d deposits and w withdrawals in any order, and between two of them only one thing can happen:
# (d + w)!.
makes 6 bank
makes 120 bank -p deposits=3 -p withdrawals=2

# threadring: 1 * 3 * 5 * ... * (2n - 1) runs for n passers if the token gets round (hops >= n - 1).  The events form a tree with
# the last one as its root: the token's arrivals are a chain, and the i-th arrival comes after the message that tells the i-th
# passer its neighbour.  A tree of N events has N! linear orders divided by the sizes of all subtrees, which are 1 for each of
# these messages, 2i for the i-th arrival, and 2n + 1, 2n + 2, ... for later arrivals.
makes 15 threadring -p passers=3
makes 945 threadring -p passers=5

# tickets: a clerk takes its message, tries seat 1, and announces its sale if the seat was free: three steps.  The other clerk
# also tries seat 2: four steps.  The test's body sends to the second clerk in a step of its own, before that clerk's steps.
#   - The first clerk gets seat 1: C(8, 3) = 56 ways to interleave three steps with five, minus the 1 * C(5, 2) + 3 * C(4, 2) = 28
#     in which the second clerk tries seat 1 earlier, when the first has made no step or one: 28.
#   - The second clerk gets seat 1, when the first has made no step or one: 1 * C(5, 1) + 3 * C(4, 1) = 17.
makes 45 tickets

# own_explorer: the Catalan number C(s + 1) for s sales.  The shop's s + 1 messages to itself come in order, and so do the s
# requests that the first s of them send to the prices; no request comes before the message that sends it.
makes 14 own_explorer -p sales=3
makes 16796 own_explorer -p sales=9

# barber with one customer: the shop is opened before or after the customer starts (2), and he hears that he is shaved before,
# between or after the two messages with which the barber goes back to sleep (3).
makes 6 barber -p customers=1

# store and philosophers: counts.py has models that share nothing with the examples.
makes 1 store replies_are_not_mixed_up -p clients=1 -p requests=1
makes 96 store replies_are_not_mixed_up -p clients=2 -p requests=1
makes 59586 store replies_are_not_mixed_up -p clients=3 -p requests=1
makes 1860 philosophers -p n=2
makes 1880 philosophers -p n=2 -p bug=deadlock --keep-going
if command -v python3 >counts.txt; then
    checks=$((checks + 1))
    counts=$(python3 "$SOURCE_DIR/tests/examples/counts.py")
    [ "$counts" = "1 96 59586 1860 1880 73303144" ] || fail "counts.py gives $counts"
fi

# Counted once, without a derivation.
makes 3024 barber -p customers=2
makes 20340 gatling-engine -p users=1 -p requests=1
makes 140 signal -p workers=2 -p branches=1 -p length=3
makes "816 324" scheduler every_job_runs_once a_cancelled_job_is_not_reported
makes 20 messenger who_is_logged_on_can_be_talked_to
makes "288 15" procreg a_name_has_one_owner a_child_gets_its_name

# ---- how many runs dpor makes ------------------------------------------------------------------------------------------------

# pingpong: Eta's reduction treats two messages as dependent when their handlers send to the same mailbox.  `ping` and `sent` both
# send to the pinger, so their order counts; `bye` and the last `sent` send nothing, so theirs does not: 2^n, as in Eta's Table 2.
# Both actors always take the same messages in the same order, so there is one distinct run.
for n in 1 2 3 4 5 6 7 8 9 10; do
    reduces $((2 ** n)) pingpong -p n=$n
done
reduces 32768 pingpong -p n=15
# The others are counted once, without a derivation.
reduces 9 philosophers -p n=2 --model mailbox
reduces 5 philosophers -p n=2
reduces 803 store replies_are_not_mixed_up -p clients=2 -p requests=3 --model mailbox
reduces 823 store replies_are_not_mixed_up -p backends=2 -p clients=2 -p requests=3 --model mailbox
reduces 90 store replies_are_not_mixed_up -p clients=3 -p requests=1 --model mailbox
reduces 6 store replies_are_not_mixed_up -p clients=3 -p requests=1 # 3!
reduces 170 scheduler a_job_survives_its_machine --model mailbox

# ---- a user's own explorer ---------------------------------------------------------------------------------------------
checks=$((checks + 1))
explore own_explorer -p bug=no_wait --explorer starve
[ "$status $(field executions)" = "1 3" ] || fail "starve does not find no_wait in run 3" "$output"
lines=$(wc -l <"$SOURCE_DIR/examples/own_explorer/starve.c")
[ "$lines" -lt 50 ] || fail "starve.c has $lines lines"
checks=$((checks + 1))
explore own_delaying -p bug=careless --explorer 'delay(settled, ses)'
[ "$status $(field executions)" = "1 1" ] || fail "settled does not find careless in run 1" "$output"
lines=$(wc -l <"$SOURCE_DIR/examples/own_delaying/settled.c")
[ "$lines" -lt 50 ] || fail "settled.c has $lines lines"

echo "$checks checks, $failures failed"
[ $failures -eq 0 ]
