# shellcheck shell=bash disable=SC2154,SC1091
# Scenarios: what their body asks for happens, and nothing else; mistakes are told.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
program=$fixtures/scenarios
runs() { sed -n 's/^  \([0-9,]*\) runs\{0,1\}, .*/\1/p' out | tr -d , | head -n 1; }

for test in fields_and_states time_passes processes_and_stores; do
    for explorer in dfs random pct:2 'portfolio(random, dfs)'; do
        expect 0 "$rehearse" test "$program" "$test" --explorer "$explorer" --max-runs 20
    done
done

# The runs of dfs are those that begin with one client, or with another, or with the third: no order is lost.
expect 0 "$rehearse" test "$program" every_order --explorer dfs --max-runs 0
all=$(runs)
sum=0
for first in 0 1 2; do
    expect 0 "$rehearse" test "$program" one_begins -p first=$first --max-runs 0
    out_has 'within the scenario'
    out_lacks exhaustive
    sum=$((sum + $(runs)))
done
same 'runs that begin with one of three clients' "$all" "$sum"
expect 0 "$rehearse" test "$program" one_begins --max-runs 0
same 'runs of a scenario that says nothing' "$all" "$(runs)"
out_has 'bounded: '
expect 0 "$rehearse" test "$program" any_client_begins --max-runs 0
same 'runs of a scenario in which several messages fit' "$all" "$(runs)"

# What is missing, or too much, is a finding that says what was possible, and its schedule fails again.
expect 1 "$rehearse" test "$program" expects_too_much --save found
out_has 'rh_expect: sum from adder#1 cannot be taken now; possible is: go from test to client#2'
expect 1 "$rehearse" replay "$program" found/*.schedule
out_has 'rh_expect: sum from adder#1 cannot be taken now'
expect 1 "$rehearse" test "$program" disallows_too_much
out_has 'rh_disallow: add from client#1 to adder#1 can be taken now'
expect 1 "$rehearse" test "$program" expects_too_much --words
out_has 'expects sum'

# Mistakes.
expect 1 "$rehearse" test "$program" no_scenario
out_has 'misuse' 'rh_expect is for the body of a scenario: RH_SCENARIO(name)'
mistake() {
    expect 1 "$rehearse" test "$program" mistakes -p "wrong=$1"
    out_has misuse "$2"
}
mistake actor 'rh_advance_time is for the body of a scenario'
mistake self '.to is the scenario itself, which takes messages by rh_receive'
mistake unknown rh_expect
mistake back 'rh_advance_time(-1): time does not go back'
mistake type 'rh_state_of: client#1 is no adder'

for explorer in optimal dpor stateful 'symmetry(dfs)'; do
    refused "is a scenario, whose body says what comes next: explorer $explorer cannot know that; use dfs or a sampler" \
        "$rehearse" test "$program" any_client_begins --explorer "$explorer"
done
# One of several tests is left out, and the report says so; who names it, or nothing else, is refused.
expect 0 "$rehearse" test "$program" every_order 'one*' --explorer stateful
out_has 'passed every_order' 'not run, 1 of 2 tests: one_begins (fifo)'
err_has 'not run: one_begins is a scenario, whose body says what comes next'
expect 0 "$rehearse" test "$program" every_order 'one*' --granularity object --tap --junit junit.xml
out_has 'ok 1 - one_begins (fifo) # SKIP one_begins is a scenario' 'ok 2 - every_order (fifo)' '1..2'
grep -q '<skipped message="one_begins is a scenario' junit.xml || problem 'JUnit does not skip'
expect 1 "$rehearse" test "$program" no_scenario 'one*' --explorer dpor
expect 2 "$rehearse" test "$program" every_order one_begins --explorer stateful
err_has 'one_begins is a scenario'
refused 'is a scenario, whose body says' "$rehearse" test "$program" 'one*' 'any*' --explorer stateful
refused 'any_client_begins is a scenario: its steps have granularity handler, and no other' \
    "$rehearse" test "$program" any_client_begins --granularity object
finish
