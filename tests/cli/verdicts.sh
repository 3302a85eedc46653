# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2086,SC1091
# The word "passed" is kept for what is exhaustive or bounded; all else says what was done and what to do next; reports name the
# semantics that they hold for; --require makes less than wanted exit 5.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
v=("$rehearse" test "$fixtures/verdicts")

# ---- what was done ---------------------------------------------------------------------------------------------------------
# not_passed HEADLINE VERDICT NEXT: of the last command
not_passed() {
    grep -q '^passed' out && problem "passed: $last"
    out_has "$1" "$2"
    grep -qF -- "  next: $3" out || problem "no advice \"$3\": $last"
}
expect 0 "${v[@]}" nothing
not_passed 'no step made in nothing  (' '  empty: no actor took a message, no timer fired' 'rh_spawn actors in RH_TEST(nothing)'
expect 0 "${v[@]}" only_a_body --explorer optimal
not_passed 'no step made in only_a_body  (' '  empty: ' 'rh_spawn actors'
expect 0 "${v[@]}" only_spawns --explorer dfs
not_passed 'no step made in only_spawns  (' '  empty: no actor took a message' 'rh_spawn actors'
out_lacks 'starts nothing'
expect 0 "${v[@]}" forever --explorer dfs --max-steps 6
not_passed 'nothing found in 64 runs of forever  (' 'bounded: every sequence of choices, ' \
    'raise --max-steps'
expect 0 "${v[@]}" forever --explorer bound:4,dfs
not_passed 'nothing found in 16 runs of forever' 'no run came to' 'raise --max-steps or the bound'
for way in '--explorer dfs --max-steps 6' '--explorer bound:4,dfs' '--explorer dfs --max-steps 6 -j 2'; do
    expect 5 "${v[@]}" forever $way --require bounded
    out_has '  required: no run came to its end, and bounded is required'
done
expect 5 "${v[@]}" forever --explorer dfs --max-steps 6 --require bounded --tap
out_has 'not ok 1 - forever'
expect 0 "${v[@]}" sometimes_long --explorer dfs --max-steps 3 --require bounded
expect 0 "${v[@]}" forever --explorer random --max-steps 6 --max-runs 3
not_passed 'nothing found in 3 runs' 'none came to its end' 'raise --max-steps'
expect 0 "${v[@]}" forever --explorer roundrobin --max-steps 30000000 --max-seconds 0.2
not_passed 'nothing found in 0 runs' 'run under way had' 'more time'
expect 0 "${v[@]}" sometimes_long --explorer random --max-runs 1
not_passed 'nothing found in 1 run of' 'sampled: 1 run of an unknown number; stopped by --max-runs' 'try --explorer optimal'
expect 0 "${v[@]}" sometimes_long --explorer random --max-runs 3 --set fail_allocation=1000 # which optimal refuses
not_passed 'nothing found in 3 runs' 'sampled: ' 'more runs (--max-seconds), other seeds'
expect 0 "${v[@]}" sometimes_long --explorer random --max-runs 3 --timer-budget tick=1
not_passed 'nothing found in 3 runs' 'sampled: ' '--explorer stateful, which visits every state once'
expect 0 "$rehearse" test "$fixtures/proofs" leases --max-all-steps 300 --save ''
not_passed 'nothing found in' 'sampled: ' '--explorer stateful --granularity object, which visits every state once'
expect 0 "$rehearse" test "$fixtures/slow" --explorer optimal --max-runs 10
not_passed 'nothing found in 10 runs of senders' 'sampled: 10 runs of about 4' 'more time (--max-seconds), more workers (-j)'
# A test with few states is proved with several workers, too.
expect 0 "$rehearse" test "$BUILD_DIR/examples/liveness" detector -j 2
out_has 'passed detector' 'exhaustive: every state'
expect 0 "$rehearse" test "$BUILD_DIR/examples/gatling-engine" --explorer cover:pr --max-runs 14
not_passed 'nothing found in 14 runs' 'sampled: 14 runs of an unknown number' 'try --explorer optimal'
expect 0 "${v[@]}" sometimes_long --explorer dfs
out_has 'passed sometimes_long' 'exhaustive: every sequence'
grep -q 'next:' out && problem 'advice where it passed'
expect 0 "${v[@]}" sometimes_long --explorer dfs --max-steps 3
out_has 'passed sometimes_long' 'bounded: every sequence of choices, 2 distinct runs within the bound' 'of 2 runs were cut'
same 'no line is wider than 80' 0 "$(awk 'length > 80' out | wc -l)"

# Symmetry may leave out the run in which a property holds: no failure, the same for every seed.
for seed in 1 2 3 4 5; do
    expect 0 "$rehearse" test "$fixtures/replicas" --explorer 'symmetry(optimal)' --seed $seed --no-determinism-check
    out_has 'passed who_is_first' 'held in no run' 'it may hold in a run that'
    expect 0 "$rehearse" test "$fixtures/replicas" --explorer optimal --seed $seed
done

# What is not controlled is not explored.
expect 0 "${v[@]}" starts_a_thread --explorer dfs --json json
out_has 'exhaustive as far as calls are controlled' 'the effects of pthread_create' 'neither explored nor undone'
expect 5 "${v[@]}" starts_a_thread --explorer dfs --require exhaustive
out_has '  required: calls that are not controlled'
expect 0 "${v[@]}" starts_a_thread --explorer dfs --require bounded
expect 0 "${v[@]}" starts_a_thread --explorer dfs --tap --junit junit.xml
out_has '  escapes: "pthread_create (' 'neither explored nor undone"'
grep -q '<property name="escapes" value="pthread_create (.*neither explored nor undone"' junit.xml ||
    problem 'JUnit does not name what escapes'
expect 0 "${v[@]}" sometimes_long --explorer dfs --tap --junit junit.xml
out_lacks escapes
grep -q escapes junit.xml && problem 'JUnit names what does not escape'

# ---- schedules that do not fit -----------------------------------------------------------------------------------------------
expect 1 "$rehearse" test "$fixtures/bank" --explorer dfs --quiet --save found
cp found/*.schedule old
for explorer in replay:old,random replay:old bound:50,replay:old,dfs; do
    expect 4 "$rehearse" test "$fixtures/bank_changed" --explorer $explorer --max-runs 5 --junit junit.xml
    not_passed 'stale schedule for no_deposit_is_lost' '  stale: old: line 11: `account#1 takes deposit from client#1` is not' \
        'explore again without the schedule, or delete it'
    out_has '      account#1 takes pay_in from client#1'
    grep -q 'failures="0" errors="1"' junit.xml || problem 'no error in JUnit'
    grep -q '<error type="stale schedule"' junit.xml || problem 'no stale schedule in JUnit'
done
expect 4 "$rehearse" test "$fixtures/bank_changed" --explorer replay:old,random --tap
out_has 'not ok 1 - no_deposit_is_lost (fifo)' '  result: stale'
expect 1 "$rehearse" test "$fixtures/bank_changed" --explorer portfolio:replay:old+random --save ''
out_has 'FAILED no_deposit_is_lost' '  stale: old: line 11'
refused 'old is for test no_deposit_is_lost, not for passes' "$rehearse" test "$fixtures/kinds" passes --explorer replay:old,random
expect 1 "$rehearse" test "$fixtures/bank" --explorer replay:old,random --save ''

# ---- what it holds for -------------------------------------------------------------------------------------------------------
expect 0 "${v[@]}" sometimes_long --explorer dfs --junit junit.xml
out_has '  under fifo, granularity handler, time free, no faults, seed 1'
expect 0 "${v[@]}" sometimes_long --explorer optimal
out_has "  under fifo, granularity object (the explorer's choice),"
expect 0 "${v[@]}" a_handler_is_a_step --explorer optimal
out_has '  under fifo, granularity object (the explorer changed it from handler),'
expect 0 "${v[@]}" a_handler_is_a_step
out_has '  under fifo, granularity handler, time free' 'exhaustive: '
expect 0 "${v[@]}" sometimes_long
out_has "  under fifo, granularity object (the explorer's choice)," 'exhaustive: '
expect 0 "${v[@]}" sometimes_long --explorer optimal --granularity object
out_has '  under fifo, granularity object, time free'
faults='--losses 1 --duplicates 2 --crashes 1 --restarts 1 --kept-restarts 3 --partitions 1'
expect 0 "${v[@]}" sometimes_long --explorer random --max-runs 5 $faults --model causal --time ordered --granularity handler \
    --seed 77 --max-steps 500 --set dead_letters=ignore --set max_actors=99 --tap --json json
out_has 'under: "causal, granularity handler, time ordered, dead_letters ignore, losses 1, duplicates 2, crashes 1 (between handlers only), restarts 1, kept_restarts 3, partitions 1, max_actors 99, max_steps 500, seed 77"'
for name in model granularity time losses duplicates crashes restarts kept_restarts partitions max_steps seed result verdict; do
    grep -q "<property name=\"$name\" value=\"" junit.xml || problem "JUnit does not name $name"
done
if have_python; then
    same 'semantics in JSON' "('causal', 'handler', 'ordered', 1, 2, 1, 1, 3, 1, 500, 77, False)" \
        "$(json 'tuple(r[0]["semantics"][k] for k in ("model","granularity","time","losses","duplicates","crashes","restarts","kept_restarts","partitions","max_steps","seed","check_isolation"))')"
    same 'limits in JSON' "{'max_runs': 5, 'max_seconds': None, 'max_all_steps': None}" "$(json 'r[0]["limits"]')"
    same 'nothing was changed' "{}" "$(json 'r[0]["changed_by_explorer"]')"
    expect 0 "${v[@]}" sometimes_long --explorer optimal --json json
    same 'what the explorer chose is not changed' "{}" "$(json 'r[0]["changed_by_explorer"]')"
    expect 0 "${v[@]}" a_handler_is_a_step --explorer optimal --json json
    same 'what was changed' "{'granularity': 'handler'}" "$(json 'r[0]["changed_by_explorer"]')"
    same 'result' "('passed', 'exhaustive', None, True, None)" "$(json 'tuple(r[0][k] for k in ("result", "verdict", "required", "met", "next"))')"
    expect 5 "${v[@]}" nothing --require bounded --json json
    same 'an empty test' "('empty', 'empty', 'bounded', False)" "$(json 'tuple(r[0][k] for k in ("result", "verdict", "required", "met"))')"
    expect 0 "${v[@]}" starts_a_thread --explorer dfs --json json
    same 'escapes' "['pthread_create']" "$(json '[e["call"] for e in r[0]["escapes"]]')"
    expect 4 "$rehearse" test "$fixtures/bank_changed" --explorer replay:old,random --json json
    same 'a stale schedule' "('stale', True)" "$(json '(r[0]["result"], r[0]["stale"].startswith("old: line 11"))')"
fi

# ---- --require -----------------------------------------------------------------------------------------------------------------
expect 0 "${v[@]}" sometimes_long --explorer dfs --require exhaustive
expect 0 "${v[@]}" sometimes_long --explorer dfs --require bounded
expect 5 "${v[@]}" sometimes_long --explorer dfs --max-steps 3 --require exhaustive
out_has '  required: the result is bounded, and exhaustive is required'
expect 0 "${v[@]}" sometimes_long --explorer dfs --max-steps 3 --require bounded
expect 5 "${v[@]}" sometimes_long --explorer random --max-runs 3 --require bounded --tap
out_has 'not ok 1' 'required: "the result is sampled, and bounded is required"'
expect 1 "$rehearse" test "$fixtures/bank" --explorer dfs --require exhaustive --save ''
expect 4 "$rehearse" test "$fixtures/bank_changed" --explorer replay:old,random --require exhaustive
expect 5 "${v[@]}" sometimes_long nothing --explorer dfs --require exhaustive
refused '--require sampled: it is one of exhaustive, bounded' "${v[@]}" --require sampled


# ---- places of rh_cover and rh_sometimes that no run reaches ------------------------------------------------------------
gaps=('`asked a hundred times` (tests/fixtures/sites.c:12)' '`names[1]` (tests/fixtures/sites.c:15)')
expect 0 "$fixtures/sites" --explorer dfs --save '' --json json --junit junit.xml
out_has 'reached: `asked` in 1 run, `first` in 1 run, `in an expression` in 1 run' '  never reached: ' "${gaps[@]}" \
    '`never sent` (tests/fixtures/sites.c:20)'
grep -q 'name="gaps" value="[^"]*asked a hundred times' junit.xml || problem 'no gap in JUnit'
if have_python; then
    same 'JSON' 3 "$(json 'r[0]["unreached"].count("(tests/fixtures/sites.c:")')"
fi
expect 0 "$fixtures/sites" --explorer dfs -j 2 --save '' --tap
out_has 'gaps: "' '`never sent` (tests/fixtures/sites.c:20)'
out_lacks 'sites.c:10)' 'sites.c:13)' 'sites.c:16)'
# Of several tests: what none of them reaches, if all were run.
expect 0 "$fixtures/sites_of_two" --save ''
out_has 'never reached by any test: ' "${gaps[@]}"
out_lacks 'sites.c:20)' '  never reached: '
expect 0 "$fixtures/sites_of_two" --save '' --tap
out_has '# never reached by any test: ' "${gaps[@]}"
expect 0 "$fixtures/sites_of_two" one --save ''
out_lacks 'never reached'
# Of runs that do not end nobody knows how many there are.
expect 0 "$rehearse" test "$fixtures/partitions" beats --explorer dfs --max-runs 20 --max-steps 2000
out_has 'sampled: 20 runs of an unknown number' 'none came to its end'

finish
