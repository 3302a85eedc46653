#!/usr/bin/env bash
# The programs of examples/savina: each passes as it stands, its closed test exhaustively where that ends soon; each bug is found,
# and its schedule fails again, as does the one that is kept in schedules/; and each computes in production what it must.
# BUILD_DIR and SOURCE_DIR come from ctest.
set -u
: "${BUILD_DIR:?}" "${SOURCE_DIR:?}"

rehearse=$BUILD_DIR/bin/rehearse
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
checks=0
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: $1"
    shift
    [ $# -eq 0 ] || printf '%s\n' "$@" | head -n 12 | sed 's/^/    /'
}
# field NAME: of each test in result.json, in order
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([a-z0-9 ]*\).*/\1/p" result.json | paste -sd ' '; }
# explore PROGRAM ARGUMENT...: fills $status, $output and result.json
explore() {
    local program=$BUILD_DIR/examples/savina-$1
    shift
    rm -rf result.json findings
    checks=$((checks + 1))
    output=$("$rehearse" test "$program" --json result.json --save findings --quiet "$@" 2>&1)
    status=$?
}
# closed RUNS PROGRAM ARGUMENT...: this test has so many distinct runs, and none fails
closed() {
    local runs=$1
    shift
    explore "$@" --require exhaustive --max-seconds 100
    [ "$status $(field executions)" = "0 $runs" ] ||
        fail "$*: $(field executions) runs instead of $runs, exit $status" "$output"
}
# finds KINDS PROGRAM ARGUMENT...: something of one of these kinds is found, and its schedule fails again
finds() {
    local kinds=$1 program=$2 kind schedule
    shift
    explore "$@"
    [ $status -eq 1 ] || fail "$*: exit $status instead of 1" "$output"
    for kind in $(grep -o '"kind":"[^"]*"' result.json | cut -d '"' -f 4 | tr ' ' -); do
        case " $kinds " in *" $kind "*) ;; *) fail "$*: $kind instead of $kinds" "$output" ;; esac
    done
    for schedule in findings/*.schedule; do
        output=$("$rehearse" replay "$BUILD_DIR/examples/savina-$program" "$schedule" 2>&1)
        status=$?
        [ $status -eq 1 ] || fail "$program: the replay of $schedule exits with $status instead of 1" "$output"
    done
}

# ---- closed tests: every distinct run --------------------------------------------------------------------------------------
# optimal refuses dead_letters=fail, so dpor is for these.
closed 1 pingpong the_ball_comes_back --explorer dpor
# Each of two producers has 3 messages for the counter: 6! / (3! 3!).
closed 20 counting the_total_is_right --explorer optimal
# The manager hears of its workers in any order: 3!.  So does the master of trapezoid, 4!, and that of logmap, 2!.
closed 6 forkjoin_throughput all_work_is_done --explorer optimal
closed 6 forkjoin_create all_actors_are_joined --explorer optimal
closed 24 trapezoid the_area_is_the_same_every_time --explorer optimal
closed 2 logmap the_terms_are_right --explorer optimal
# Each of 3 passers that get the token from another one may get it before or after its neighbour.
closed 8 threadring the_token_comes_home --explorer optimal
# 2 for each call that makes two others: fib(4), fib(3), fib(2) twice.  In quicksort 3 parts are divided, in the tree of cobweb
# two nodes have two children.
closed 16 fibonacci the_number_is_right --explorer optimal
closed 8 quicksort the_numbers_are_sorted --explorer optimal
closed 4 cobweb the_tree_is_complete --explorer optimal
# Everything has one order; in filterbank the integrator gets 3 values from each of two branches, 6! / (3! 3!).
closed 1 smokers one_smokes_at_a_time --explorer optimal
closed 1 sieve all_primes_are_found --explorer optimal
closed 1 radixsort the_numbers_are_sorted --explorer optimal
closed 20 filterbank the_signal_is_filtered --explorer optimal
# Counted once, without a derivation.
closed 96 bitonic the_rows_are_sorted -p rows=1 --explorer optimal
closed 3240 chameneos all_meetings_take_place --explorer optimal
closed 432 big every_ping_is_answered --explorer optimal
closed 40 dictionary no_update_is_lost --explorer optimal
closed 40 sortedlist the_list_is_sorted --explorer optimal
closed 24 prodcons the_buffer_is_bounded --explorer optimal
closed 720 philosophers neighbours_do_not_eat_together --explorer optimal
closed 15162 barber everybody_is_shaved_or_turned_away --explorer optimal
closed 50 banking no_money_is_lost --explorer optimal
closed 144 apsp the_paths_are_shortest -p n=3 --explorer optimal
closed 52 astar the_way_is_shortest --explorer optimal
closed 70 nqueens all_ways_are_counted --explorer optimal
closed 6720 sor the_grid_is_right --explorer optimal
closed 480 facility every_customer_is_served --explorer optimal
# One worker has one order; two have too many: 300 of those runs are sampled below.
closed 1 matmul the_product_is_right -p workers=1 --explorer dpor
closed 1 piprecision the_places_are_those_of_pi -p workers=1 --explorer optimal

# ---- all tests, also with values from outside; every bug; production -------------------------------------------------------------
bugs=0
programs=0
while IFS='|' read -r name found printed; do
    programs=$((programs + 1))
    program=$BUILD_DIR/examples/savina-$name
    explore "$name" --explorer random --max-runs 300
    [ $status -eq 0 ] || fail "$name exits with $status instead of 0" "$output"
    case $output in *note:*) fail "$name has something to note" "$output" ;; esac

    listed=$("$rehearse" list "$program" | awk '/^[^ ]/{on = /^bugs/; next} on{print $1}' | paste -sd ' ')
    test=$("$rehearse" list "$program" | awk '/^tests/{getline; print $1; exit}')
    named=
    for pair in $found; do
        bug=${pair%%=*}
        kinds=${pair#*=}
        named="$named $bug"
        bugs=$((bugs + 1))
        finds "${kinds//,/ }" "$name" "$test" -p "bug=$bug" --explorer random --max-runs 1000
        case $kinds in *dead-letter*) explorer=dpor ;; *) explorer=optimal ;; esac
        finds "${kinds//,/ }" "$name" "$test" -p "bug=$bug" --explorer $explorer --max-seconds 100
        schedule=$SOURCE_DIR/tests/examples/schedules/savina-$name/$bug.schedule
        output=$("$rehearse" replay "$program" "$schedule" 2>&1)
        status=$?
        [ $status -eq 1 ] || fail "$name: the replay of $bug.schedule exits with $status instead of 1" "$output"
    done
    [ "$listed" = "${named# }" ] || fail "$name has the bugs \"$listed\", and this test knows \"${named# }\""

    [ -x "$program-production" ] || continue
    checks=$((checks + 1))
    output=$("$program-production" 2>&1)
    status=$?
    [ "$status $output" = "0 $name: $printed" ] || fail "$name in production: exit $status, and not \"$printed\"" "$output"
done <<'END_OF_TABLE'
pingpong|double_stop=dead-letter|10000 rounds, ball 1453904673
counting|hasty=assertion|50010000
forkjoin_throughput||3300057364
forkjoin_create|unnumbered=assertion|11515 steps, most of them from 231
threadring|careless=misuse|20000 hops, the last passer is 32
chameneos|forgotten=stuck|5000 meetings
big|early_exit=stuck|16000 pings answered
fibonacci||fib(18) is 2584, in 8361 calls
dictionary|lost_update=assertion|5917 updates
sortedlist|hasty_remove=assertion,stuck|200 elements, sum 40300
prodcons|unaccounted=assertion|the items add up to 17997000
philosophers|one_fork=assertion|8000 meals
barber|lost_wakeup=assertion,stuck|1000 customers have come
smokers|impatient=unhandled-message|669 + 660 + 671 cigarettes
logmap|stale=assertion|the last terms add up to 3.815347
banking|deferring=stuck|5000 transfers
apsp|unordered=assertion|the shortest paths add up to 1264
astar|first_found=assertion|the shortest way costs 37
nqueens|early=assertion,unhandled-message|92 ways for 8 queens
quicksort|first_come=assertion|4096 numbers from 0 to 1023
radixsort|unlinked=misuse|1000 numbers, squares add up to 1431599618151
matmul|two_stops=dead-letter|the trace is -636193
sieve|scattered=assertion|1229 primes below 10000, the last is 9973
cobweb|own_birth=assertion births=assertion|893 nodes
trapezoid|by_arrival=assertion|the area is 1.51120
piprecision|early=unhandled-message,assertion|79 terms, 64 places in base 16: 3.243f6a88...
filterbank|unready=crash,sanitizer-report by_arrival=assertion|the energy is 394268646
sor|uncounted=assertion|the fields add up to 9.776480
facility|overtaken=assertion|4000 customers are served
bitonic|mixed=assertion|100 rows, the numbers add up to 817870
END_OF_TABLE
[ "$programs $bugs" = "30 30" ] || fail "$programs programs and $bugs bugs instead of 30 and 30"

echo "$checks checks, $failures failed"
[ $failures -eq 0 ]
