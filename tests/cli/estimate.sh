# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2086,SC1091
# estimate: what it says, to people and to machines, and what it refuses.  optimal: what it takes for granted, what it refuses,
# and what it says of global variables.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
estimate=("$rehearse" estimate "$fixtures/slow")

# ---- to people -----------------------------------------------------------------------------------------------------------
# 4! runs are few: the samples see them all.
expect 0 "${estimate[@]}" -p n=4 --max-runs 200
err_empty
out_has 'senders  (fifo, granularity object)' '  exactly 24 distinct runs' '  optimal would take less than a second on one core'
grep -qE '^  from [0-9]+ samples in [0-9.]+ s, which saw 24 of them$' out || problem "no line of samples"
same lines 6 "$(wc -l <out)"
expect 0 "${estimate[@]}" --max-runs 50
grep -qE '^  about [45][0-9]{2},[0-9]{3},[0-9]{3} distinct runs; 95 %: [34]' out || problem "12! is 479,001,600"
out_has 'from 50 samples' 'optimal would take at most about '
expect 0 "${estimate[@]}" -p n=1 --max-runs 5
out_has 'exactly 1 distinct run' 'from 1 sample in'
expect 0 "${estimate[@]}" senders -p n=3 --max-runs 20 --model all
same 'all models' 'fifo bag causal mailbox ' "$(sed -n 's/^senders  (\([a-z]*\),.*/\1/p' out | tr '\n' ' ')"
expect 0 bash -c 'ulimit -t 8; exec "$@"' _ "${estimate[@]}" # without a limit it takes a second of processor time
expect 0 "$rehearse" estimate "$fixtures/kinds" passes several --max-runs 20
same 'those that are named' 'passes several ' "$(sed -n 's/^\([a-z_]*\)  (.*/\1/p' out | tr '\n' ' ')"
expect 0 "$fixtures/slow" estimate -p n=3 --max-runs 10
out_has 'about 6 distinct runs'
# Runs that are cut show a part of the tree: nothing is exact, and nothing is known above.
expect 0 "${estimate[@]}" -p n=4 --max-runs 200 --max-steps 2
out_has '  at least ' ': runs were cut (max_steps), and nobody knows how many there are behind' '  optimal would make about '
out_lacks exactly '95 %'
expect 0 "${estimate[@]}" -p n=4 --max-runs 200 --max-steps 2 --json -
out_has '"high":null,"exact":false'

# What its runs find is no finding of its own.
expect 0 "${estimate[@]}" -p bug=last -p n=12 --max-runs 50
out_lacks 'the first came last'
[ -e rehearse-findings ] && problem "estimate keeps schedules"

# ---- to machines ---------------------------------------------------------------------------------------------------------
fields='test model granularity of estimate low high exact confidence samples distinct_runs seconds semantics changed_by_explorer limits parameters'
expect 0 "${estimate[@]}" -p n=4 --max-runs 200 --json -
cp out json
same 'one line' 1 "$(wc -l <json)"
for f in $fields; do
    grep -q "\"$f\":" json || problem "no $f"
    grep -qE "^\| (\`[a-z]+\`, )?\`$f\`" "$SOURCE_DIR/docs/json.md" || problem "docs/json.md does not name $f"
done
expect 0 "${estimate[@]}" -p n=4 --max-runs 200 --json file
out_has 'exactly 24 distinct runs'
sed 's/"seconds":[0-9.]*/"seconds":0/' json >one
sed 's/"seconds":[0-9.]*/"seconds":0/' file >two
cmp -s one two || problem "a file and standard output, with one seed, differ"
if have_python; then
    same fields "$(printf '%s\n' $fields | sort | tr '\n' ' ')" "$(json '" ".join(sorted(r[0])) + " "')"
    same values "('senders', 'fifo', 'object', 24, 24, 24, True, 0.95)" \
        "$(json 'tuple(r[0][k] for k in ("test","model","granularity","estimate","low","high","exact","confidence"))')"
    same 'all runs, and some before' True "$(json '24 < r[0]["samples"] <= 200')"
    same 'seen, and how long' True "$(json '0 < r[0]["distinct_runs"] <= 24 and r[0]["seconds"] >= 0')"
fi
refused 'file/x.json: Not a directory' "${estimate[@]}" --json file/x.json

# ---- what is refused -----------------------------------------------------------------------------------------------------
refused 'has no test "no_such"; it has senders' "${estimate[@]}" no_such
refused 'has no test "no_such"' "${estimate[@]}" senders no_such
refused 'estimate wants a test program first' "$rehearse" estimate
refused 'has no tests (RH_TEST)' "$rehearse" estimate "$fixtures/empty"
refused 'explorer sample works with granularity object only' "${estimate[@]}" --granularity handler
# Where optimal does not apply, what is estimated are the runs of dfs: exactly if they are few, else with a lower bound that
# holds.
over_choices() {
    local all
    expect 0 "$rehearse" test "$@" --explorer dfs --max-runs 0 --save ''
    all=$(sed -n 's/^  \([0-9,]*\) runs\{0,1\}, .*/\1/p' out | tr -d , | head -n 1)
    expect 0 "$rehearse" estimate "$@" --max-runs 40000 --json json
    out_has "exactly $(printf "%'d" "$all") runs of dfs, which makes every sequence of choices"
    expect 0 "$rehearse" estimate "$@" --max-runs 60 --json json
    out_has ' runs of dfs, which makes every sequence of choices; 95 %: at least ' 'there is no upper bound' 'of distinct runs nothing is known: '
    grep -q '"of":"sequences of choices"' json || problem 'no "of"'
    have_python && same "a lower bound of $all" True "$(json "r[0]['low'] <= $all and r[0]['high'] is None")"
}
LC_ALL=C.UTF-8
over_choices "$fixtures/slow" -p n=4 --time ordered --granularity object
over_choices "$fixtures/proofs" splits -p clients=1
expect 0 "${estimate[@]}" -p n=6 --max-runs 60 --time ordered --max-steps 4
out_has '  at least ' 'runs were cut (max_steps)'
expect 0 "$rehearse" estimate "$fixtures/scenarios" one_begins
out_has 'runs of dfs, which makes every sequence of choices'
refused 'there is no such option' "${estimate[@]}" --nothing
refused '-p colour=red: there is no such parameter' "${estimate[@]}" -p colour=red

# ---- a search that a limit ends ------------------------------------------------------------------------------------------
# After 10 % of the runs the estimate is right within a factor of 2, and depends on nothing but the seed.  The share of the
# tree that is done would make it 11 times too high here.
cut=("$rehearse" test "$BUILD_DIR/examples/barber" --explorer optimal -p customers=5 --max-runs 408 --save '')
expect 0 "${cut[@]}" --json one
expect 0 "${cut[@]}" --json two
cmp -s <(sed 's/"seconds":[0-9.]*//' one) <(sed 's/"seconds":[0-9.]*//' two) || problem "the estimate of a search differs"
if have_python; then
    cp one json
    same 'about 4,080' True "$(json '2040 < r[0]["estimate"] < 8160')"
    same 'samples are no runs of the search' "(408, 408)" "$(json '(r[0]["executions"], r[0]["distinct_runs"])')"
fi
# What samples find is no finding of the search: one order of 12 fails, but none of the first.
expect 0 "$rehearse" test "$fixtures/slow" --explorer optimal -p n=12 -p bug=last --max-runs 50 --save ''
out_lacks 'the first came last'

# ---- optimal -------------------------------------------------------------------------------------------------------------
optimal=("$rehearse" test "$fixtures/slow" --explorer optimal -p n=4)
expect 0 "${optimal[@]}"
out_has '24 runs' '24 distinct runs' 'exhaustive: every one of 24 distinct runs (fifo)'
expect 0 "${optimal[@]}" --granularity object
out_has '24 runs'
refused 'explorer optimal works with granularity object only' "${optimal[@]}" --granularity handler
refused 'works with granularity object only' "${optimal[@]}" --explorer bound:3,optimal --granularity handler
for time in ordered logical; do
    expect 0 "${optimal[@]}" --time $time --set pauses=true
    out_has '24 runs' "exhaustive: every one of 24 distinct runs (fifo, $time time)"
done
refused 'it is written optimal([private-globals])' "${optimal[@]}" --explorer optimal:fast
refused 'explorer optimal: partitions under model mailbox' "${optimal[@]}" --partitions 1 --model mailbox
expect 0 "$rehearse" test "$fixtures/slow" --explorer dfs --granularity object -p n=4
out_has '24 distinct runs' 'exhaustive'
expect 0 "$rehearse" test "$fixtures/slow" --explorer sample -p n=4 --max-runs 30
out_has '30 runs' 'sampled: '

# ---- global variables ----------------------------------------------------------------------------------------------------
globals=("$rehearse" test "$fixtures/globals" --json json)
verdict() { sed -n 's/.*"verdict":"\([a-z]*\)".*/\1/p' json; }
for explorer in optimal dpor; do
    for workers in '' '-j 2'; do
        expect 0 "${globals[@]}" two --explorer $explorer $workers
        out_has 'changes a global variable' 'rh_table_put' 'rh_announce' '--explorer dfs' 'optimal:private-globals' 'sampled: '
        out_lacks exhaustive
        same "$explorer $workers: verdict" sampled "$(verdict)"
        expect 0 "${globals[@]}" none --explorer $explorer $workers
        out_lacks 'global variable'
        same "$explorer $workers: verdict of a program without" exhaustive "$(verdict)"
    done
done
for workers in '' '-j 2'; do
    expect 0 "${globals[@]}" two --explorer optimal:private-globals -p own=1 $workers
    out_lacks 'global variable'
    out_has 'exhaustive: the only distinct run'
    same "private-globals $workers: verdict" exhaustive "$(verdict)"
done
expect 0 "${globals[@]}" two --explorer dfs
same 'dfs sees every order' exhaustive "$(verdict)"
out_has 'counter#2 changes a global variable, which other actors may read'
# And there is something to be missed.
expect 1 "${globals[@]}" two --explorer dfs -p bug=second --save ''
out_has 'the first came second'


# A run that is longer than the time: nothing is known, and that is what is said.
expect 0 "$fixtures/rally" estimate -p hits=33000 -p cheers=1 --max-seconds 0.2 --json json
out_has 'no estimate: the first sample did not come to its end in ' 'next: give it more time (--max-seconds)'
out_lacks 'about 0' 'optimal would take'
have_python && same 'no estimate in JSON' '[None, None, 0]' "$(json '[r[0][k] for k in ("estimate", "high", "samples")]')"
finish
