# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2086,SC1091
# Every option does what it says; limits; progress; Ctrl-C.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
slow=("$rehearse" test "$fixtures/slow")

# ---- limits --------------------------------------------------------------------------------------------------------------
expect 0 "${slow[@]}" --explorer dfs --max-runs 100
out_has '100 runs' 'sampled: 100 runs of about 4' # 12! is 479,001,600
expect 0 "${slow[@]}" --explorer=dfs --max-runs=100
out_has '100 runs'
expect 0 "${slow[@]}" --explorer dfs --max-all-steps 5000
grep -qE '  [0-9,]+ runs, 5,0[0-9][0-9] steps' out || problem "--max-all-steps"
expect 0 bash -c 'ulimit -t 10; exec "$@"' _ "${slow[@]}" --explorer random --max-seconds 0.3 --max-runs 1000000000
expect 0 "${slow[@]}" --explorer dfs -p n=4 --max-steps 2
out_has '12 runs' '12 cut' 'bounded: '
expect 0 "${slow[@]}" --explorer dfs -p n=5
out_has '120 runs' '120 distinct runs' 'exhaustive'
err_empty

# ---- semantics -----------------------------------------------------------------------------------------------------------
runs() { # runs NUMBER OPTION...: of dfs on 3 senders
    local n=$1
    shift
    expect 0 "${slow[@]}" -p n=3 --explorer dfs "$@"
    out_has "  $n runs"
}
runs 6 --model fifo
runs 6 --model bag
runs 6 --model causal
expect 0 "${slow[@]}" -p n=3 --explorer dfs --model mailbox
out_has '1 run,'
# Three accepts in any order, and takes in that order between them: 3! times the Catalan number 5.
runs 30 --model mailbox --granularity send
runs 6 --time ordered
runs 6 --time logical
runs 6 --set time=logical
expect 0 "${slow[@]}" -p n=1 --explorer dfs --losses 1
out_has '2 runs'
expect 0 "${slow[@]}" -p n=1 --explorer dfs --set losses=1
out_has '2 runs'
expect 0 "${slow[@]}" -p n=1 --explorer dfs --duplicates 1
grep -qE '  [2-9] runs' out || problem "--duplicates 1"
expect 0 "${slow[@]}" -p n=1 --explorer dfs --crashes 1
grep -qE '  [2-9] runs' out || problem "--crashes 1"
steps() { sed -n 's/^  .* runs, \([0-9]*\) steps.*/\1/p' out; }
one=$(steps)
expect 0 "${slow[@]}" -p n=1 --explorer dfs --crashes 1 --restarts 1
more=$(steps)
[ "${more:-0}" -gt "${one:-0}" ] || problem "--restarts 1 adds nothing to --crashes 1"
expect 0 "${slow[@]}" -p n=1 --explorer dfs --crashes 1 --kept-restarts 1
same 'a kept restart is one choice too' "$more" "$(steps)"
expect 0 "${slow[@]}" -p n=2 --explorer dfs
one=$(steps)
expect 0 "${slow[@]}" -p n=2 --explorer dfs --delays 1 --delay-steps 2
[ "$(steps)" -gt "${one:-0}" ] || problem "--delays 1 adds nothing"
expect 0 "${slow[@]}" -p n=2 --explorer dpor
one=$(steps)
expect 0 "${slow[@]}" -p n=2 --explorer dpor --delays 1 --json json
same 'a reduction ignores delays' "$one" "$(steps)"
tr -s ' \n' ' ' <out | grep -q 'delays not used' || problem "the report does not say that delays were not used"
grep -q '"changed_by_explorer":{"delays":1}' json || problem "JSON does not say that delays were not used"
expect 2 "${slow[@]}" -p n=2 --delay-steps many
expect 1 "$rehearse" test "$fixtures/bank" --explorer random --max-runs 500 --partitions 1 --save '' --keep-going
out_has '500 runs'

# ---- progress ------------------------------------------------------------------------------------------------------------
# In a pipe: a line now and then, the first after some seconds; none with --quiet.
start=$SECONDS
expect 0 "${slow[@]}" --explorer dfs --max-seconds 7
took=$((SECONDS - start)) # 7 s of processor time
grep -qE '^  [0-9,]+ runs of about 4[^ ]*, [0-9]+ (s|min|h) to the limit, [0-9,]+ a second, .* distinct runs, 0 findings, [0-9]+ s$' err ||
    problem "no line of progress within 7 s"
grep -q "$(printf '\r')" err && problem "a live line in a pipe"
[ "$(wc -l <err)" -le $((2 + took / 5)) ] || problem "$(wc -l <err) lines of progress in $took s"
expect 0 "${slow[@]}" --explorer dfs --max-seconds 6 --quiet
err_empty

# ---- Ctrl-C --------------------------------------------------------------------------------------------------------------
# As a terminal does it: to the whole group of processes.
interrupt() { # interrupt OPTION...: starts, waits until it explores, interrupts
    rm -f err
    setsid --fork bash -c 'echo $$ >pid; "$@" >out 2>err; echo $? >code' _ "$@"
    for _ in $(seq 3000); do # until it has told of runs; nothing depends on how long that takes
        grep -qs ' runs' err && break
        sleep 0.1
    done
    # bash itself ignores it while it waits for a command.
    kill -INT -- "-$(cat pid)"
    for _ in $(seq 3000); do
        [ -s code ] && break
        sleep 0.1
    done
    last="$* (interrupted)"
}
if command -v setsid >/dev/null && command -v ps >/dev/null; then
    rm -f pid code
    interrupt "${slow[@]}" --explorer dfs --max-seconds 1000 --json json
    same 'exit code of an interrupted test that found nothing' 130 "$(cat code 2>/dev/null)"
    out_has 'interrupted, nothing found in' 'sampled: '
    grep -q '"verdict":"sampled"' json || problem "no JSON of an interrupted test"
    rm -f pid code
    interrupt "${slow[@]}" --explorer random --keep-going -p bug=last --max-seconds 1000
    same 'exit code of an interrupted test that found something' 1 "$(cat code 2>/dev/null)"
    out_has 'FAILED senders' 'the first came last' 'replay it'
    [ -s rehearse-findings/latest ] || problem "the finding of an interrupted test is not kept"
else
    echo "setsid or ps is not there: Ctrl-C is not tried"
fi

finish
