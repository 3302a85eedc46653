# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2086,SC1091
# What machines read: JSON (the contract of docs/json.md), JUnit, TAP; and quiet.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
kinds=("$rehearse" test "$fixtures/kinds")

# ---- JSON ----------------------------------------------------------------------------------------------------------------
fields='test summary globals explorer model granularity time seed workers executions steps distinct_runs distinct_runs_at_least blocked cut pruned failed
result verdict incomplete seconds estimate properties unreached deterministic failures required met stale next unfinished semantics
changed_by_explorer limits parameters escapes assumed_away determinism_checked'
expect 1 "${kinds[@]}" passes several --explorer dfs --keep-going --seed 7 --json json
for f in $fields; do
    [ "$(grep -c "\"$f\":" json)" = 2 ] || problem "not every object has $f"
done
for f in kind message place actor run count schedule; do
    grep -q "\"$f\":" json || problem "no failure has $f"
done
# Every field is in the documentation, and nothing else is.
for f in $fields kind message place actor run count schedule; do
    grep -q "^| \`$f\`" "$SOURCE_DIR/docs/json.md" || problem "docs/json.md does not name $f"
done
if have_python; then
    same fields "$(printf '%s\n' $fields | sort | tr '\n' ' ')" "$(json '" ".join(sorted(r[0])) + " "')"
    same tests "['passes', 'several']" "$(json '[x["test"] for x in r]')"
    same 'a test that passes' "('dfs', 'fifo', 7, 2, 4, 2, 0, 0, 0, 'exhaustive', 2, True, [])" \
        "$(json 'tuple(r[0][k] for k in ("explorer","model","seed","executions","steps","distinct_runs","blocked","cut","failed","verdict","estimate","deterministic","failures"))')"
    same 'a test that fails' "('bag', 12, 'failed', 12, 6)" \
        "$(json 'tuple(r[1][k] for k in ("model","executions","verdict","estimate","failed"))')"
    same 'its findings' "[('crash', 2, 3), ('assertion', 6, 3)]" \
        "$(json '[(f["kind"], f["run"], f["count"]) for f in r[1]["failures"]]')"
    same 'schedules are files' True "$(json 'all(__import__("os").path.exists(f["schedule"]) for f in r[1]["failures"])')"
    same 'seconds is a number' True "$(json 'all(isinstance(x["seconds"], float) and x["seconds"] >= 0 for x in r)')"

    expect 1 "${kinds[@]}" stuck --explorer dfs --keep-going --json json
    same blocked 2 "$(json 'r[0]["blocked"]')"
    expect 0 "${kinds[@]}" never_ends --explorer dfs --max-steps 50 --max-runs 1 --json json
    same 'cut, and no more is known' "(1, 'sampled')" "$(json '(r[0]["cut"], r[0]["verdict"])')"
    expect 0 "${kinds[@]}" passes --explorer random --max-runs 5 --json json
    same 'a sampler knows no estimate' "(None, 'sampled', 5)" "$(json '(r[0]["estimate"], r[0]["verdict"], r[0]["executions"])')"
    expect 0 "${kinds[@]}" passes --explorer bound:1,dfs --json json
    same bounded bounded "$(json 'r[0]["verdict"]')"
    expect 0 "${kinds[@]}" passes --json json
    same 'the default is exhaustive here, and its estimate exact' "('exhaustive', 2)" \
        "$(json '(r[0]["verdict"], r[0]["estimate"])')"
    expect 0 "${kinds[@]}" passes --model all --json json
    same 'all models' "['fifo', 'bag', 'causal', 'mailbox']" "$(json '[x["model"] for x in r]')"
    expect 1 "${kinds[@]}" chance --max-runs 2 --json json
    same nondeterminism False "$(json 'r[0]["deterministic"]')"
    same checked True "$(json 'r[0]["determinism_checked"]')"
    expect 0 "${kinds[@]}" chance --max-runs 2 --no-determinism-check --json json --junit junit.xml
    out_has 'determinism not checked'
    same unchecked False "$(json 'r[0]["determinism_checked"]')"
    grep -q 'determinism not checked' junit.xml || problem "JUnit does not say that determinism was not checked"
    expect 0 "${kinds[@]}" chance --max-runs 2 --no-determinism-check --tap
    out_has 'determinism not checked'
    expect 1 "${kinds[@]}" assertion --save '' --json json
    same 'nothing kept' None "$(json 'r[0]["failures"][0]["schedule"]')"

    # A property counts runs: the check for determinism makes a run of its own, which is none of them.
    expect 0 "$rehearse" test "$BUILD_DIR/examples/store" what_was_confirmed_is_kept --explorer roundrobin --json json
    same 'a property in one run' "[(0, 1)]" "$(json '[(p["held"], p["not_held"]) for p in r[0]["properties"]]')"
    # A run that is under way when time is up is no run yet.
    expect 0 "${kinds[@]}" never_ends --explorer roundrobin --max-seconds 0.2 --max-steps 30000000 --json json
    same 'no run is over' "(0, 0, 0, 0)" "$(json 'tuple(r[0][k] for k in ("executions", "steps", "distinct_runs", "cut"))')"

    # The program's texts may hold anything.
    expect 1 "${kinds[@]}" text --json json
    same 'odd text' True "$(json '"<&>\"'"'"'\\ \u00e9 \ufffd\u0001 \ufffd\ufffd\ufffd two\nlines # no comment" in r[0]["failures"][0]["message"]')"

    # One after the other, nothing but JSON on standard output.
    expect 1 "${kinds[@]}" passes assertion --json -
    cp out json
    same 'on standard output' "['passes', 'assertion']" "$(json '[x["test"] for x in r]')"
else
    echo "python3 is not there: values in JSON are not looked at"
fi

# The same seed gives the same bytes, but for the time it took.
for explorer in dfs random delayed:20 portfolio:random+dfs; do
    for i in 1 2; do
        expect 1 "${kinds[@]}" several --explorer $explorer --keep-going --max-runs 300 --seed 5 --json json$i
        sed -i 's/"seconds":[0-9.]*/"seconds":0/' json$i
    done
    cmp -s json1 json2 || problem "$explorer: two runs with one seed differ"
done
"${kinds[@]}" several --explorer random --max-runs 300 --seed 6 --keep-going --json json3 >/dev/null 2>&1
"${kinds[@]}" several --explorer random --max-runs 300 --seed 7 --keep-going --json json4 >/dev/null 2>&1
sed -i 's/"seconds":[0-9.]*/"seconds":0/; s/"seed":[0-9]*/"seed":0/' json3 json4
cmp -s json3 json4 && problem "two seeds give the same"

# ---- JUnit ---------------------------------------------------------------------------------------------------------------
expect 1 "${kinds[@]}" passes text several chance --explorer dfs --keep-going --max-runs 20 --junit junit.xml
grep -q '<testsuite name=".*" tests="4" failures="3"' junit.xml || problem "totals of JUnit: $(head -n 2 junit.xml)"
same 'test cases' 4 "$(grep -c '<testcase ' junit.xml)"
same failures 4 "$(grep -c '<failure ' junit.xml)"
if command -v xmllint >/dev/null; then
    xmllint --noout junit.xml || problem "JUnit is not well-formed"
elif have_python; then
    python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("junit.xml")' || problem "JUnit is not well-formed"
fi
expect 0 "${kinds[@]}" passes --junit -
head -n 1 out | grep -q '^<?xml' || problem "something else than XML on standard output"

# ---- TAP -----------------------------------------------------------------------------------------------------------------
expect 1 "${kinds[@]}" passes text several --explorer dfs --tap
out_has 'ok 1 - passes (fifo)' 'not ok 2 - text (fifo)' 'not ok 3 - several (bag)' '1..3' '  ---' '  ...'
same 'lines of results' 3 "$(grep -cE '^(not )?ok [0-9]+ - ' out)"
# Nothing but results, plan and indented notes: a text of two lines must not become two.
grep -vE '^((not )?ok |1\.\.|  )' out && problem "lines that are not TAP"

# ---- people --------------------------------------------------------------------------------------------------------------
expect 1 "${kinds[@]}" several --explorer dfs --keep-going
err_empty
same 'each finding once' 2 "$(grep -c '^  found in run' out)"
out_has 'found in run 2, and in 2 more' 'victim#2' '12 runs' '6 failed' 'replay it: rehearse replay' \
    'kept going: exhaustive: every sequence of choices, 7 distinct runs (bag)'
expect 1 "${kinds[@]}" several --explorer dfs --keep-going --quiet
err_empty
out_has 'FAILED several' 'replay it'
out_lacks 'still under way' 'second < b' # the story
expect 1 "${kinds[@]}" several --explorer dfs
same 'without --keep-going one finding' 1 "$(grep -c '^  found in run' out)"
out_lacks 'kept going'
expect 1 "${kinds[@]}" several --explorer random --keep-going --max-runs 20 --quiet
out_has 'kept going: sampled: 20 runs of an unknown number, '
expect 0 "${kinds[@]}" passes --seed 9
out_has 'seed 9'

finish
