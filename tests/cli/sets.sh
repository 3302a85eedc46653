# shellcheck shell=bash disable=SC2154,SC1091
# rh_receive_set: how many runs there are, what a story and a schedule show.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
election=("$rehearse" test "$fixtures/quorum" election)

# Two of three votes are three sets, two of five are ten; one by one they are 6 and 20 orders.
expect 0 "${election[@]}" --explorer dpor
out_has '3 distinct runs' 'exhaustive: every one of 3 distinct runs'
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
out_has '3 distinct runs' 'exhaustive: every one of 3 distinct runs'
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

# ---- actors: RH_SETS -------------------------------------------------------------------------------------------------------
actors=("$rehearse" test "$fixtures/quorum" actors_election)
for explorer in dfs dpor optimal; do
    expect 0 "${actors[@]}" --explorer $explorer
    out_has '3 distinct runs' 'exhaustive'
done
# All of seven votes are one set: one run, in each model; one by one they are 5040.
expect 0 "${actors[@]}" --explorer optimal -p voters=7 -p quorum=7 --model all
same 'one set' 4 "$(grep -c '  1 run, .* 1 distinct run' out)"
expect 0 "${actors[@]}" --explorer optimal -p voters=6 -p quorum=1
out_has '720 distinct runs'
# Two beats of one sender come before, between or after two sets of four votes: C(4, 2) ways to interleave, and 6 ways to divide
# the votes.
expect 0 "${actors[@]}" --explorer optimal -p voters=4 -p beats=2
out_has '36 distinct runs'
expect 0 "${actors[@]}" --explorer optimal -p voters=4 -p beats=2 -j 2
out_has '36 distinct runs'

# A handler that depends on the order is found by running it twice, whatever explorer made the run.
rm -rf found
for explorer in random dpor optimal; do
    expect 1 "${actors[@]}" --explorer $explorer -p bug=2 --save found
    out_has 'order of a set: counter#1: the handler of vote depends on the order of a set (RH_SETS)' \
        'the messages that it sends differ'
done
expect 1 "$rehearse" replay "$fixtures/quorum" "$(find found -name '*.schedule' | head -1)"
out_has 'the messages that it sends differ'
expect 0 "${actors[@]}" --explorer optimal -p bug=3
out_has 'depends on the order of a set' 'but nothing that it sends' 'exhaustive'
expect 0 "${actors[@]}" --explorer optimal -p bug=2 --no-determinism-check
expect 2 "${actors[@]}" --explorer 'symmetry(optimal)'
finish
