# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2086,SC1091
# Partitions and budgets of timers on the command line: found, told, kept, replayed, refused.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1

program=$fixtures/partitions

# Held messages arrive in the end; dropped ones do not.
for explorer in dfs dpor stateful; do
    for splits in halves groups one-way any; do
        expect 0 "$rehearse" test "$program" once --partitions 1 --splits "$splits" --explorer "$explorer" --save ''
        out_has exhaustive
        expect 1 "$rehearse" test "$program" once --partitions 1 --splits "$splits" --across dropped \
            --explorer "$explorer" --granularity handler --save "found-$explorer-$splits"
        out_has 'across dropped' 'answered' 'is dropped)'
        expect 1 "$rehearse" replay "$program" "found-$explorer-$splits"/*.schedule
        out_has 'answered'
    done
done
grep -q '^the network splits: primary#1 not heard by the rest$' found-dfs-one-way/*.schedule ||
    grep -q '^the network splits: backup#1 not heard by the rest$' found-dfs-one-way/*.schedule ||
    problem "the schedule does not name the split"
grep -q '^set across=dropped$' found-dfs-any/*.schedule || problem "the schedule does not say that messages are dropped"
for explorer in random weighted swarm phases feedback pct pctcp pos urw surw delayed auto; do
    expect 1 "$rehearse" test "$program" once --partitions 1 --splits any --across dropped --explorer "$explorer" \
        --max-runs 3000 --quiet --save ''
done

# optimal leaves out partitions that only delay, and refuses those that drop.
optimal=("$rehearse" test "$program" once --explorer optimal --partitions 1)
expect 0 "${optimal[@]}" --splits any
out_has exhaustive
refused 'a partition that drops messages' "${optimal[@]}" --across dropped
refused 'splits=thirds: it is one of halves, groups, one-way, pairs, any' "$rehearse" test "$program" --splits thirds
refused 'across=lost: it is one of held, dropped' "$rehearse" test "$program" --across lost

# A budget of timers ends runs that would not end; the schedule has it.
expect 0 "$rehearse" test "$program" beats --timer-budget beat=3 --explorer dfs --save ''
out_has exhaustive 'timer_budgets beat=3'
out_lacks 'no run has set a timer'
expect 0 "$rehearse" test "$program" beats --timer-budget baet=3 --explorer dfs --max-runs 20 --max-steps 50 --save ''
out_has 'no run has set a timer "baet", which has a budget (did you mean beat?)'
# A name that no run sets is refused when every run was made, and only if no test of the call sets it.
for j in 1 2; do
    expect 2 "$rehearse" test "$program" once --timer-budget baet=3 --explorer dfs -j $j --save ''
    err_has '--timer-budget baet=3: every run was made, and none sets a timer of that name'
done
expect 2 "$rehearse" test "$program" beats --timer-budget beat=3 --timer-budget beats=1 --explorer dfs --save ''
err_has '--timer-budget beats=1: every run was made, and none sets a timer of that name (did you mean beat?)'
grep -q "beat=3" err && problem "beat=3 is refused"
expect 0 "$rehearse" test "$program" beats --timer-budget beat=3 --timer-budget beat=2 --explorer dpor --save ''
out_has exhaustive 'timer_budgets beat=2'
expect 0 "$rehearse" test "$program" beats --timer-budget beat=3 --explorer stateful --save ''
out_has exhaustive
expect 0 "$rehearse" test "$program" beats --timer-budget beat=3 --save ''
refused 'which timers fire within a budget' "$rehearse" test "$program" beats --timer-budget beat=3 --explorer optimal
refused 'NAME=N is wanted' "$rehearse" test "$program" beats --timer-budget beat
refused 'NAME=N is wanted' "$rehearse" test "$program" beats --timer-budget beat=many

finish
