# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2086,SC1091
# Runs that are assumed away, and whom faults may befall, as reports tell them.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
program="$fixtures/assume"

# ---- assumed away ------------------------------------------------------------------------------------------------------------
# Three votes in any order: in a third of all runs the first comes first.
expect 0 "$rehearse" test "$program" some --explorer dfs
out_has 'passed some' 'more assumed away' 'exhaustive: every sequence of choices, ' 'in which the'
expect 0 "$rehearse" test "$program" some --explorer optimal --json json
out_has 'passed some' '  2 runs' ' 2 distinct runs' '2 more assumed away' 'in which the assumptions'
grep -q '"executions":2,' json || problem "executions"
grep -q '"assumed_away":2' json || problem "assumed_away"
expect 0 "$rehearse" test "$program" some --explorer optimal --require exhaustive

# The totals of one process, whoever made the runs.
for explorer in dfs optimal bound:20,dfs; do
    expect 0 "$rehearse" test "$program" some --explorer "$explorer" --json one
    expect 0 "$rehearse" test "$program" some --explorer "$explorer" -j2 --json two
    for field in executions distinct_runs assumed_away verdict; do
        [ "$(grep -o "\"$field\":[^,]*" one)" = "$(grep -o "\"$field\":[^,]*" two)" ] || problem "$explorer -j2: $field"
    done
done

# ---- nothing left is not passed ------------------------------------------------------------------------------------------------
for explorer in dfs dpor optimal random portfolio:dfs+random; do
    expect 0 "$rehearse" test "$program" none_left --explorer "$explorer" --max-runs 100 --json json
    out_has 'no run left of none_left' 'the assumptions (rh_assume) hold' 'weaken the assumptions'
    grep -q passed out && problem "$explorer: passed"
    grep -q '"result":"empty"' json || problem "$explorer: empty"
done
expect 5 "$rehearse" test "$program" none_left --explorer dfs --require exhaustive

# A run that a search of states ends at a known state, behind which all is assumed away, does not pass either.
for explorer in 'delay(rtc, ses)' 'preempt(9, stateful)' stateful dfs; do
    expect 0 "$rehearse" test "$program" none_left_later --explorer "$explorer" --json json
    grep -q passed out && problem "$explorer: passed"
    grep -q '"result":"passed"' json && problem "$explorer: passed in JSON"
    expect 5 "$rehearse" test "$program" none_left_later --explorer "$explorer" --require exhaustive
done
expect 0 "$rehearse" test "$program" none_left_later --explorer 'delay(rtc, ses)'
out_has 'but no run came' '--explorer dfs says'

# Nor does a test whose rh_sometimes holds only where all that follows is assumed away.
for explorer in 'delay(rtc, ses)' 'preempt(9, stateful)' 'stateful(check)' stateful auto dfs dpor optimal; do
    "$rehearse" test "$program" wanted_later --explorer "$explorer" --json json >out
    grep -q '^passed' out && problem "$explorer: passed"
    grep -q '"result":"passed"' json && problem "$explorer: passed in JSON"
    "$rehearse" test "$program" wanted_later --explorer "$explorer" --require exhaustive >out && problem "$explorer: exhaustive is met"
done
expect 1 "$rehearse" test "$program" wanted_later --explorer dfs
expect 0 "$rehearse" test "$program" wanted_later --explorer 'delay(rtc, ses)'
out_has 'but rh_sometimes' 'whether rh_sometimes holds'

# ---- properties count in runs that count ---------------------------------------------------------------------------------------
expect 1 "$rehearse" test "$program" wanted --explorer dfs --json json
out_has 'sometimes `one` held in no run'
grep -q '"name":"both"[^}]*"held":1,' json || problem "held in the run that counts"

# ---- whom faults may befall --------------------------------------------------------------------------------------------------
expect 0 "$rehearse" list "$program"
out_has 'may_crash=box' 'may_lose=box,voter'
expect 0 "$rehearse" test "$program" only_boxes --explorer random --max-runs 200 --json json
out_has 'may_crash box' 'may_lose box,voter'
grep -q '"may_crash":"box"' json || problem "may_crash"
expect 0 "$rehearse" test "$program" some --explorer dfs --json json
grep -q '"may_crash":"all"' json || problem "may_crash all"
finish
