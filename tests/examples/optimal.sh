#!/usr/bin/env bash
# How many runs optimal makes of the examples: numbers with a derivation, or numbers that dfs confirms with the same granularity.
# And optimal finds every bug that the examples name.  BUILD_DIR and SOURCE_DIR come from ctest.
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
# Sanitizers make runs many times as long.
sanitized=
grep -qE '^RH_SANITIZE:[A-Z]+=.+' "$BUILD_DIR/CMakeCache.txt" && sanitized=1

fail() {
    failures=$((failures + 1))
    echo "FAILED: $1"
    printf '%s\n' "$output" | sed 's/^/    /'
}

# field NAME: of each test in result.json, in order
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([a-z0-9 ]*\).*/\1/p" result.json | paste -sd ' '; }

# makes COUNTS EXAMPLE ARGUMENT...: optimal makes this many runs of each test, all distinct, and no distinct run is left
makes() {
    local counts=$1 example=$2
    shift 2
    rm -f result.json
    checks=$((checks + 1))
    output=$("$rehearse" test "$BUILD_DIR/examples/$example" --explorer optimal --keep-going --max-seconds 600 --save '' \
        --json result.json "$@" 2>&1)
    if [ "$(field executions)" != "$counts" ] || [ "$(field distinct_runs)" != "$counts" ] ||
        [ "$(field estimate)" != "$counts" ] || grep -qE '"verdict":"(sampled|bounded)"' result.json; then
        fail "$example $*: optimal makes $(field executions) runs (of $(field estimate)) instead of $counts, verdict $(field verdict)"
    fi
}

# agrees COUNTS EXAMPLE ARGUMENT...: the same, and dfs sees as many distinct runs
agrees() {
    local counts=$1 example=$2
    makes "$@"
    [ -n "$sanitized" ] && return
    shift 2
    output=$("$rehearse" test "$BUILD_DIR/examples/$example" --explorer dfs --granularity object --keep-going --max-seconds 600 \
        --save '' --json result.json "$@" 2>&1)
    if [ "$(field distinct_runs)" != "$counts" ] || grep -qE '"verdict":"(sampled|bounded)"' result.json; then
        fail "$example $*: dfs has $(field distinct_runs) distinct_runs, optimal $counts; verdict of dfs: $(field verdict)"
    fi
}

# ---- known numbers -------------------------------------------------------------------------------------------------------

# any_order: n!.  by_tag: the receiver takes the items in one order, whatever the order of arrival.
agrees "2 1" senders -p senders=2
agrees "6 1" senders -p senders=3
agrees "24 1" senders -p senders=4
agrees "120 1" senders -p senders=5
makes "720 1" senders -p senders=6
makes "5040 1" senders -p senders=7
[ -n "$sanitized" ] || makes "40320 1" senders -p senders=8

# For each fork one of its two neighbours is first: 2^n ways.  With ordered forks, minus the two circles.  With left forks first,
# the circle in which everybody has one fork is a deadlock, and the other circle is impossible.
agrees 2 philosophers -p n=2
makes 6 philosophers -p n=3
makes 14 philosophers -p n=4
agrees 3 philosophers -p n=2 -p bug=deadlock
makes 7 philosophers -p n=3 -p bug=deadlock
makes 15 philosophers -p n=4 -p bug=deadlock
makes 254 philosophers -p n=8
makes 255 philosophers -p n=8 -p bug=deadlock

# One front-end, c clients, r requests each: (c r)! / (r!)^c orders of requests at the front-end.  Concuerror 0.21 with receive
# patterns makes as many runs of the last two.
agrees 2 store replies_are_not_mixed_up -p clients=2 -p requests=1
makes 6 store replies_are_not_mixed_up -p clients=3 -p requests=1
makes 6 store replies_are_not_mixed_up -p clients=2 -p requests=2
makes 90 store replies_are_not_mixed_up -p clients=3 -p requests=2
makes 2520 store replies_are_not_mixed_up -p clients=4 -p requests=2
makes 1680 store replies_are_not_mixed_up -p clients=3 -p requests=3
makes 200 store replies_are_not_mixed_up -p frontends=2 -p backends=2 -p clients=3 -p requests=3
makes 244 store replies_are_not_mixed_up -p frontends=2 -p backends=2 -p clients=4 -p requests=2

# One token.
agrees 1 threadring
makes 1 threadring -p passers=20

# In its first 50 million runs of about 860 million dfs sees the same 30 distinct runs and no more.
agrees 1 barber -p customers=1
agrees 4 barber -p customers=2
makes 30 barber

# Two distinct runs for each ping: the acknowledgement is taken before or after the note that the ping was sent.
agrees 2 pingpong -p n=1 --model fifo
agrees 4 pingpong -p n=2 --model fifo
makes 32 pingpong -p n=5 --model fifo
agrees 2 pingpong -p n=1
agrees 4 pingpong -p n=2
agrees 8 pingpong -p n=3
makes 32 pingpong -p n=5
[ -n "$sanitized" ] || makes 1024 pingpong -p n=10

# The writer takes n lines, the terminator n reports: (n!)^2.
agrees 4 gatling
agrees 36 gatling -p actions=3
makes 576 gatling -p actions=4
# All go to the account: (deposits + withdrawals)!.
agrees 6 bank
agrees 120 bank -p deposits=3 -p withdrawals=2
# Two by two: which clerk gets the first seat, and whose sale the monitor hears of first.
agrees 4 tickets
# The sales have one order.
agrees 1 own_explorer -p sales=3
makes 1 own_explorer

# ---- counted once, without a derivation -----------------------------------------------------------------------------------------------
agrees 8 gatling-engine -p users=1 -p requests=1
makes 480 gatling-engine -p users=2
agrees 6 barber-morning -p customers=1 -p questions=1
makes 2700 barber-morning -p customers=3 -p questions=1
makes 6238 messenger-rooms -p users=2 -p rooms=1 -p blocks=1
[ -x "$BUILD_DIR/examples/redis" ] &&
    makes "8 840" redis -p callers=1 -p rounds=1 -p sentinels=0 -p chunk=64 -p lines=1 # dfs, by handlers: 8 in 2,323,200 runs
agrees 4 signal -p workers=2 -p branches=1 -p length=3
makes 42 signal -p workers=2 -p branches=2 -p length=3
makes 60 procreg-directory -p hosts=2 -p callers=1 -p calls=1 # dfs, by handlers, has as many in 1,801,800 runs
agrees 20 register -p replicas=2 -p reads=1
agrees 25 register -p replicas=1
agrees 45 store what_was_confirmed_is_kept
agrees 10 messenger who_is_logged_on_can_be_talked_to # the test monitors one that runs already: that only looks
makes 68 messenger no_line_is_lost # dfs: about 110 million runs
agrees "4 8 1 1" procreg
agrees "312 116 188" scheduler every_job_runs_once a_cancelled_job_is_not_reported a_late_machine_does_no_harm
agrees "312 116" scheduler every_job_runs_once a_cancelled_job_is_not_reported --time ordered --set pauses=true
makes 1064 scheduler a_late_machine_does_no_harm --time ordered --set pauses=true # dfs has as many in 13,850,304 runs
agrees "312 116 188" scheduler every_job_runs_once a_cancelled_job_is_not_reported a_late_machine_does_no_harm --time logical
makes 1316 scheduler a_job_survives_its_machine # dfs has as many in 3,236,548 runs

# ---- every bug -----------------------------------------------------------------------------------------------------------
bugs=0
for example in $(every_example); do
    [ -x "$BUILD_DIR/examples/$example" ] || continue
    case $example in
    protocols-*) continue ;; # protocols.sh; optimal does not find all of them in reasonable time
    liveness) continue ;;    # liveness.sh; its runs do not end, so it is for stateful
    lease) continue ;;       # scenarios say what comes next, which optimal cannot know
    esac
    for bug in $("$rehearse" list "$BUILD_DIR/examples/$example" | awk '/^[^ ]/{on = /^bugs/; next} on{print $1}'); do
        rm -rf findings
        checks=$((checks + 1))
        bugs=$((bugs + 1))
        # shellcheck disable=SC2046
        output=$("$rehearse" test "$BUILD_DIR/examples/$example" $(smaller_for "$example" "$bug") -p "bug=$bug" \
            --explorer optimal --max-seconds 600 --save findings 2>&1)
        status=$?
        [ $status -eq 1 ] || fail "$example -p bug=$bug: optimal exits with $status instead of 1"
        for schedule in findings/*.schedule; do
            output=$("$rehearse" replay "$BUILD_DIR/examples/$example" "$schedule" 2>&1)
            status=$?
            [ $status -eq 1 ] || fail "$example: the replay of $schedule (bug $bug) exits with $status instead of 1"
        done
    done
done
[ $bugs -ge 33 ] || fail "only $bugs bugs were looked for"

echo "$checks checks, $failures failures"
[ $failures -eq 0 ]
