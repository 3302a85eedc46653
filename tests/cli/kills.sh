# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC1091
# Exit signals between two operations of a process; operations that are no preemption points; gdb.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1

# ---- kills -----------------------------------------------------------------------------------------------------------
# Each number of sends before the kill is found, and none that is impossible.
for explorer in dfs dpor stateful random 'preempt(2, dfs)' auto; do
    for sent in 0 1 2; do
        expect 1 "$rehearse" test "$fixtures/kills" killed --explorer "$explorer" -p sent=$sent --quiet --save '' --max-runs 2000
        out_has "killed after $sent"
    done
    expect 0 "$rehearse" test "$fixtures/kills" killed --explorer "$explorer" -p sent=3 --quiet --save '' --max-runs 2000
done
expect 0 "$rehearse" test "$fixtures/kills" killed --explorer dfs -p sent=1 --granularity object --kills at-waits --quiet --save ''
expect 1 "$rehearse" test "$fixtures/kills" killed --explorer dfs -p sent=0 --granularity object --kills at-waits --quiet --save ''
for explorer in optimal 'symmetry(dpor)'; do
    refused 'between two operations (kills)' "$rehearse" test "$fixtures/kills" killed --explorer "$explorer" --quiet
done
# They want granularity object, and get it unless another one is stated: then the report says what is left of them.
expect 0 "$rehearse" test "$fixtures/kills" killed --explorer dpor -p sent=3
out_has 'granularity object (for kills anywhere)' 'exhaustive: '
expect 0 "$rehearse" test "$fixtures/kills" killed --explorer dpor -p sent=3 -j 2
out_has 'exhaustive: '
expect 0 "$rehearse" test "$fixtures/kills" killed --explorer dfs -p sent=3 --granularity handler
out_has 'kills anywhere (but with granularity handler only at waits)'
expect 1 "$rehearse" test "$fixtures/kills" killed --explorer dfs -p sent=1 --quiet --save found
expect 1 "$rehearse" replay "$fixtures/kills" found/killed-*.schedule
out_has 'killed after 1'

# ---- atomic ------------------------------------------------------------------------------------------------------------
for explorer in dfs dpor stateful; do
    for test in two_steps another_line; do
        expect 1 "$rehearse" test "$fixtures/kills" $test --explorer $explorer --quiet --save ''
        out_has 'an addition is lost'
    done
    expect 0 "$rehearse" test "$fixtures/kills" atomic_function --explorer $explorer --quiet
    expect 0 "$rehearse" test "$fixtures/kills" atomic_line --explorer $explorer --quiet
    if grep -q 'CMAKE_BUILD_TYPE:STRING=.*[RD]e' "$BUILD_DIR/CMakeCache.txt"; then
        expect 0 "$rehearse" test "$fixtures/kills" atomic_inlined --explorer $explorer --quiet
    fi
done
# A name by which nothing was found is noted, and only that.
expect 1 "$rehearse" test "$fixtures/kills" another_line --explorer dfs --save ''
out_has 'no run has made an operation at kills.c:1, which is to be atomic'
expect 0 "$rehearse" test "$fixtures/kills" atomic_function atomic_line --explorer dfs
out_lacks 'no run has made an operation'
refused '.atomic' "$rehearse" test "$fixtures/kills" atomic_function --explorer optimal --quiet

# ---- preempt goes on from a checkpoint ---------------------------------------------------------------------------------
server=$BUILD_DIR/examples/processes-registration
expect 0 "$rehearse" test "$server" attach_noping --explorer 'preempt(0, dfs)' --quiet
out_has 'granularity object (the explorer' 'bounded: '
expect 0 "$rehearse" test "$server" attach_noping --explorer 'preempt(0, dfs)' --granularity handler --quiet
out_has 'granularity handler'
for first in 10 500 1500; do
    rm -f checkpoint
    for limit in "--max-runs $first" "--resume --max-runs 3000" --resume; do
        expect 0 "$rehearse" test "$server" attach_noping --explorer 'preempt(2, dfs)' --granularity object --quiet \
            --checkpoint checkpoint $limit
    done
    out_has '6,560 runs, 185,681 steps' 'bounded: ' # as without a checkpoint: 170 + 32 + 644 + 5,714 runs
done

# ---- gdb ---------------------------------------------------------------------------------------------------------------
if command -v gdb >/dev/null && ! grep -q '^RH_SANITIZE:[A-Z]*=.' "$BUILD_DIR/CMakeCache.txt"; then
    expect 1 "$rehearse" test "$fixtures/bank" --explorer dfs --quiet --save bank_found
    s=$(ls bank_found/no_deposit_is_lost-fifo-assertion-*.schedule)
    last='replay --gdb, our commands'
    printf '%s\n' 'info rh-actors' 'print $rh_state(1)' 'continue' 'rh-back' 'info rh-actors' >commands
    timeout 3600 "$rehearse" replay "$fixtures/bank" $s --gdb >out 2>err <commands
    if grep -q 'ptrace: Operation not permitted' out err; then
        echo "gdb may not run programs here: not tried"
    else
        out_has 'rh_call_account__deposit' 'account#1' 'self=account#1' 'the run fails here' 'balance = ' \
            'account#1                runs; mailbox: deposit from client#1' # that is one event before
    fi
    # A process that waits has a stack of its own.
    expect 1 "$rehearse" test "$fixtures/stuck" circle --explorer dfs --quiet --save stuck_found
    s=$(ls stuck_found/circle-*.schedule)
    last='replay --gdb, rh-actor'
    printf '%s\n' 'info rh-actors' 'rh-actor 1' 'rh-actor' >commands
    timeout 3600 "$rehearse" replay "$fixtures/stuck" $s --gdb >out 2>err <commands
    if ! grep -q 'ptrace: Operation not permitted' out err; then
        out_has 'asker#1' 'waits at tests/fixtures/stuck.c:12' 'rh_body_of_asker'
        # By its name, too.
        printf '%s\n' 'rh-actor asker#1' 'rh-actor nobody#7' 'rh-actor asker' >commands
        timeout 3600 "$rehearse" replay "$fixtures/stuck" $s --gdb >out 2>err <commands
        out_has 'asker#1 waits at tests/fixtures/stuck.c:12' 'rh_body_of_asker'
        err_has 'there is no actor nobody#7: `info rh-actors` lists them' 'there is no actor asker: '
    fi
fi

finish
