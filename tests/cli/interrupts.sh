# shellcheck shell=bash disable=SC2154,SC2016,SC1091
# SIGINT, SIGTERM and SIGHUP end an exploration with totals, findings, JSON and the last checkpoint; limits count processor
# time and are looked at in the middle of long runs.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
slow=("$fixtures/slow" --max-seconds 1000 --keep-going)

# interrupt SIGNAL COMMAND...: once it has made a checkpoint or written to ./begun; its exit status in $code
interrupt() {
    local signal=$1 pid
    shift
    rm -f kept json out err
    last="$* (SIG$signal)"
    (trap - INT; exec env "$@") >out 2>err &
    pid=$!
    for _ in $(seq 3000); do
        { [ -s kept ] || grep -qs ' runs' err; } && break
        sleep 0.1 # no result depends on how long it takes
    done
    kill -s "$signal" $pid
    wait $pid
    code=$?
}

# A shell starts what is in the background with SIGINT ignored; then it must stay so, and cli/options.sh tries it otherwise.
for signal in TERM:143 HUP:129; do
    for j in 1 2; do
        interrupt ${signal%:*} "${slow[@]}" --explorer dfs -j $j --json json --checkpoint kept
        same "exit status of SIG${signal%:*} with -j $j" ${signal#*:} $code
        out_has 'interrupted, nothing found in ' 'sampled: ' 'next: continue with --checkpoint kept --resume'
        if have_python; then
            same 'verdict' sampled "$(json 'r[0]["verdict"]')"
            runs=$(json 'r[0]["executions"]')
            expect 0 "$fixtures/slow" --explorer dfs --max-runs $((runs + 1)) --checkpoint kept --resume --json json
            same 'it goes on from there' $((runs + 1)) "$(json 'r[0]["executions"]')"
        fi
    done
done
interrupt TERM "${slow[@]}" --explorer dfs --json json # without a checkpoint: when the first line of progress is there
same 'exit status' 143 $code
[ -s json ] || problem "no JSON after SIGTERM"
out_has 'next: --checkpoint FILE saves the progress'
out_lacks 'not run'

# Tests that were not begun do not vanish.
several=("$fixtures/failures" counts goes_on hopes votes --explorer dfs --max-seconds 1000)
interrupt TERM "${several[@]}" --json json --junit junit.xml
same 'exit status' 143 $code
out_has 'passed counts' 'interrupted, nothing found in ' 'not run, 2 of 4 tests: hopes (fifo), votes (fifo)'
grep -q 'tests="4" failures="0" errors="1" skipped="2"' junit.xml || problem "JUnit: $(sed -n 2p junit.xml)"
same 'skipped' 2 "$(grep -c '<skipped message="not run: ' junit.xml)"
same 'interrupted' 1 "$(grep -c '<error type="interrupted"' junit.xml)"
tap=("${several[@]}" --tap)
last="${tap[*]}"
"${tap[@]}" >out 2>err &
pid=$!
for _ in $(seq 3000); do grep -qs '^ok 1' out && break; sleep 0.1; done
kill -s TERM $pid
wait $pid
same 'exit status' 143 $?
out_has 'ok 1 - counts' 'ok 2 - goes_on' '1..4' 'Bail out! interrupted; 2 of 4 tests not run'
out_lacks 'ok 3'
interrupt TERM "${slow[@]}" --explorer random -p bug=last --json json
same 'a bug was found' 1 $code
out_has 'FAILED senders' 'the first came last'
ls | grep -q '\.new$' && problem "unfinished files: $(ls)"

# A handler that does not return: it may use up its time, and is a finding in whichever phase the interrupt comes.
busy_child() { # of process $1: it has computed for 0.3 s
    local child
    for child in $(children "$1") $(for c in $(children "$1"); do children "$c"; done); do
        [ "$(awk '{ print ($14 >= 30) }' "/proc/$child/stat" 2>/dev/null)" = 1 ] && return 0
    done
    return 1
}
children() { ps -o pid= --ppid "$1" 2>/dev/null; }
spins=("$fixtures/spins" --save '' --json json)
for phase in '' '--explorer dfs' '--explorer dfs -j 2'; do
    command -v ps >/dev/null || break
    last="${spins[*]} $phase"
    # shellcheck disable=SC2086  # words
    "${spins[@]}" $phase >out 2>err &
    pid=$!
    for _ in $(seq 3000); do busy_child $pid && break; sleep 0.05; done
    kill -s TERM $pid
    wait $pid
    same 'an endless handler was found' 1 $?
    out_has 'FAILED spins' 'endless handler: spinner#1: its handler ran for more than 1500 ms' '1 run, '
done
last=nohup
rm -f err
nohup "$fixtures/slow" --explorer dfs --max-runs 3000000 >out 2>err </dev/null &
pid=$!
while kill -0 $pid 2>/dev/null && ! grep -qs ' runs' err; do sleep 0.1; done
kill -HUP $pid 2>/dev/null
wait $pid
same 'nohup' 0 $?

# ---- limits -----------------------------------------------------------------------------------------------------------------
# within SECONDS COMMAND...: of processor time, or it is killed
within() {
    local seconds=$1
    shift
    expect 0 bash -c 'ulimit -t "$1"; shift; exec "$@"' _ "$seconds" "$@"
}
rally=("$fixtures/rally" --save '')
within 60 "${rally[@]}" --explorer dpor -p hits=99000
out_has '1 run, ' exhaustive
for model in bag causal mailbox; do
    within 60 "${rally[@]}" --explorer dpor -p hits=4000 -p pairs=10 --max-runs 1 --model $model
done
for explorer in dpor dfs optimal random cover:all; do
    within 60 "${rally[@]}" --explorer $explorer -p hits=30000 -p cheers=1 --max-seconds 0.5
    out_has 'sampled'
done

# What limits count is processor time: an exploration that is stopped for a while makes as many runs as one that is not.
"$fixtures/slow" --explorer dfs --max-seconds 2 >out 2>err &
pid=$!
kill -STOP $pid
if command -v ps >/dev/null; then
    kill -CONT $pid
    for _ in $(seq 600); do [ -n "$(children $pid)" ] && break; sleep 0.1; done
    child=$(children $pid | head -n 1)
    kill -STOP $child 2>/dev/null
    sleep 4 # longer than the limit
    kill -0 $pid 2>/dev/null || problem "it ended while it did nothing"
    kill -CONT $child 2>/dev/null
else
    kill -CONT $pid
fi
wait $pid || problem "stopped and continued: exit $?"
finish
