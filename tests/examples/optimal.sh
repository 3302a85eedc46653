#!/usr/bin/env bash
# How many runs optimal makes of the examples: known numbers, each with where it comes from.  BUILD_DIR comes from ctest.
set -u
: "${BUILD_DIR:?}"

rehearse=$BUILD_DIR/bin/rehearse
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
checks=0
failures=0

# makes COUNTS EXAMPLE ARGUMENT...: so many runs of each of its tests, each another behaviour, and no other is left
makes() {
    local counts=$1 example=$2 output runs
    shift 2
    rm -f result.json
    checks=$((checks + 1))
    output=$("$rehearse" test "$BUILD_DIR/examples/$example" --explorer optimal --keep-going --max-seconds 60 \
        --json result.json "$@" 2>&1)
    runs=$(sed -n 's/.*"executions":\([0-9]*\).*/\1/p' result.json | paste -sd ' ')
    if [ "$runs" != "$counts" ] ||
        [ "$runs" != "$(sed -n 's/.*"behaviours":\([0-9]*\).*/\1/p' result.json | paste -sd ' ')" ] ||
        grep -qE '"verdict":"(sampled|bounded)"' result.json; then
        failures=$((failures + 1))
        echo "FAILED: $example $*: optimal makes $runs runs instead of $counts"
        printf '%s\n' "$output" | sed 's/^/    /'
    fi
}

# any_order: n!.  by_tag: the receiver takes them in one order, whatever the order of arrival.
makes "2 1" senders -p senders=2
makes "6 1" senders -p senders=3
makes "24 1" senders -p senders=4
makes "120 1" senders -p senders=5
makes "720 1" senders -p senders=6
makes "5040 1" senders -p senders=7
makes "40320 1" senders -p senders=8

# For each fork one of its two neighbours is first: 2^n ways, less the two circles where forks are ordered; left forks
# first the circle in which everybody has one fork is a deadlock, the other cannot be.
makes 2 philosophers -p n=2
makes 6 philosophers -p n=3
makes 14 philosophers -p n=4
makes 3 philosophers -p n=2 -p bug=deadlock
makes 7 philosophers -p n=3 -p bug=deadlock
makes 15 philosophers -p n=4 -p bug=deadlock

# One front-end: (c r)! / (r!)^c orders of requests.  The last two are those that Concuerror 0.21 makes with receive patterns.
makes 6 store replies_are_not_mixed_up -p clients=2 -p requests=2
makes 90 store replies_are_not_mixed_up -p clients=3 -p requests=2
makes 2520 store replies_are_not_mixed_up -p clients=4 -p requests=2
makes 1680 store replies_are_not_mixed_up -p clients=3 -p requests=3
makes 200 store replies_are_not_mixed_up -p frontends=2 -p backends=2 -p clients=3 -p requests=3
makes 244 store replies_are_not_mixed_up -p frontends=2 -p backends=2 -p clients=4 -p requests=2

# One token.
makes 1 threadring
# dfs has seen the same 30 behaviours and no more in its first 50 million runs of about 860 million.
makes 30 barber

# Two behaviours for each ping under fifo, three under mailbox, where the order of acceptance counts: dfs with granularity
# object has 2, 4 for n = 1, 2 and 3, 9, 27 for n = 1, 2, 3.
makes 32 pingpong -p n=5 --model fifo
makes 243 pingpong -p n=5

echo "$checks checks, $failures failures"
[ $failures -eq 0 ]
