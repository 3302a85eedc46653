# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2086,SC1091
# The search over states that auto makes beside its runs, where optimal does not apply.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
program=$fixtures/proofs
v=("$rehearse" test "$program" --save '')

# alike COMMAND...: proves the test, with the runs and states of stateful alone
alike() {
    expect 0 "${v[@]}" "$@" --require exhaustive
    out_has 'exhaustive: every state ('
    grep -oE '^  [0-9,]+ runs, [0-9,]+ steps|^  [0-9]+ states, [0-9]+ transitions' out >mine
    expect 0 "${v[@]}" "$@" --explorer stateful --granularity "$grain"
    grep -oE '^  [0-9,]+ runs, [0-9,]+ steps|^  [0-9]+ states, [0-9]+ transitions' out >alone
    [ -s mine ] || problem "no counts: $last"
    cmp -s mine alone || problem "$(paste -sd' ' mine) by auto, $(paste -sd' ' alone) alone: $last"
}
grain=object alike leases -p clients=2
grain=handler alike splits -p clients=2 -p rounds=3
grain=handler alike splits

# With two workers the search follows their runs.
expect 0 "${v[@]}" splits -p clients=2 -p rounds=3 -j2 --max-all-steps 2000000 --require exhaustive
out_has 'exhaustive: every state (mailbox, 1 partition)'

# It is counted in work: within little it is not through, and says so.
expect 0 "${v[@]}" splits --max-all-steps 60000
out_has 'sampled: ' 'beside these runs, stateful made ' 'found nothing and was not through'
[ "$(grep -o 'stateful made [0-9,]* steps' out)" = "$(expect 0 "${v[@]}" splits --max-all-steps 60000; grep -o 'stateful made [0-9,]* steps' out)" ] || problem 'the same work twice'

# Bugs are found; the search may find them, too.
for bug in 'leases -p clients=2 -p bug=late' 'splits -p bug=any' 'splits -p bug=any -j2 --max-all-steps 1000000' 'hearts -p bug=same'; do
    expect 1 "${v[@]}" $bug
    out_has 'FAILED'
done

# Runs that do not end and clocks that go on have no end of states: the search gives up when a run is cut.
expect 0 "${v[@]}" hearts --max-all-steps 200000
out_has 'sampled: '
out_lacks 'beside these runs'

# With little memory the search gives up.
expect 0 "${v[@]}" splits --explorer 'stateful(kb=64, fits)'
out_has 'sampled: ' 'the memory was full, so the search gave up (fits)'
expect 0 "${v[@]}" splits -p clients=1 --explorer 'stateful(kb=64, fits)' --require exhaustive

# The runs of the members are all runs, also with two workers.
for workers in 1 2; do
    expect 0 "$rehearse" test "$fixtures/slow" --save '' --max-all-steps 100000 -j$workers
    all=$(sed -n 's/^  \([0-9,]*\) runs, .*/\1/p' out | tr -d ,)
    same "runs of members with $workers workers" "$all" \
        $(($(grep '^ *runs: ' out | grep -oE '[0-9]+ by' | sed 's/ by/+/' | tr -d '\n')0))
    out_has ' by optimal' ' by pctcp' ' by random'
done
expect 0 "$rehearse" test "$fixtures/slow" --save '' --max-runs 300 -j2 --explorer 'feedback(swarm)'
out_has ' of 300 runs went on from runs that a worker has kept'

finish
