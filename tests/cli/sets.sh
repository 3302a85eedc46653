# shellcheck shell=bash disable=SC2154,SC1091
# rh_receive_set: how many runs there are, what a story and a schedule show.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
election=("$rehearse" test "$fixtures/quorum")

# Two of three votes are three sets, two of five are ten; one by one they are 6 and 20 orders.
expect 0 "${election[@]}" --explorer dpor
out_has '3 distinct runs' 'exhaustive: every distinct run'
expect 0 "${election[@]}" --explorer dpor -p voters=5 --model all
same 'ten sets of two of five' 3 "$(grep -c '  10 runs, .* 10 distinct runs' out)" # fifo, bag, causal
expect 0 "${election[@]}" --explorer dfs --granularity handler
out_has '3 distinct runs' 'exhaustive'
sed -n '2s/, [0-9.]* s.*//p' out >alone
expect 0 "${election[@]}" --explorer dfs --granularity handler -j 2
same 'the totals of two workers' "$(cat alone)" "$(sed -n '2s/, [0-9.]* s.*//p' out)"
expect 0 "${election[@]}" --explorer random --max-runs 200
out_has '3 distinct runs'
expect 0 "${election[@]}" --explorer dpor --coverage all
out_has 'coverage pr: 0 goals' # the votes of a set come at the same time

# ---- a finding -----------------------------------------------------------------------------------------------------------
expect 1 "${election[@]}" --explorer dpor -p bug=1 --save found
out_has 'voter 2 is first' 'vote < voter#2 (1 of 2)' 'vote < voter#3 (2 of 2)'
schedule=$(ls found/*.schedule)
grep -q '^collector#1 takes vote from voter#2$' "$schedule" || problem "no line for the first vote"
expect 1 "$rehearse" replay "$fixtures/quorum" "$schedule"
out_has 'voter 2 is first'
expect 1 "${election[@]}" -p quorum=4 --explorer dpor
out_has 'collector#1 waits for a set of 4: vote'

# ---- optimal: a run for each set -----------------------------------------------------------------------------------------
expect 0 "${election[@]}" --explorer optimal
out_has '3 distinct runs' 'exhaustive: every distinct run'
expect 0 "${election[@]}" --explorer optimal -p voters=5 --model all
same 'ten sets of two of five' 4 "$(grep -c '  10 runs, .* 10 distinct runs' out)"
expect 0 "${election[@]}" --explorer optimal -p voters=5 -j 2
out_has '10 distinct runs'
expect 2 "${election[@]}" --explorer 'symmetry(optimal)'
err_has 'explorer symmetry(optimal) does not explore rh_receive_set: use optimal'

# What is refused is refused whoever meets it first: this process or a worker.
for workers in 1 2; do
    expect 2 "$rehearse" test "$fixtures/patient" --explorer optimal -j $workers
    err_has 'does not explore rh_receive_set with a time limit under model mailbox'
    out_lacks FAILED
done
finish
