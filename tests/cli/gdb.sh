# shellcheck shell=bash disable=SC2154,SC1091
# replay --gdb: stops at the handler of the event, goes back by events, stops at the failure; printers.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
if ! command -v gdb >/dev/null || grep -q '^RH_SANITIZE:[A-Z]*=.' "$BUILD_DIR/CMakeCache.txt"; then
    echo 'gdb is not there, or a sanitizer is'
    exit 77
fi
expect 1 "$rehearse" test "$fixtures/bank" --model bag --save found

# in_gdb EVENT COMMAND...: replays up to that event; account#1 takes event 3 and event 4, and fails there
in_gdb() {
    local event=$1
    shift
    printf '%s\n' "$@" >commands
    last="gdb, event $event: $*"
    timeout 600 "$rehearse" replay "$fixtures/bank" found/*.schedule --gdb --step "$event" >out 2>err <commands
    if grep -q 'ptrace: Operation not permitted' out err; then
        echo 'gdb may not run programs here'
        exit 77
    fi
}

# The first line of the handler; what is in the world; nothing moves the run from inside a handler.
in_gdb 3 'info rh-actors' 'print $rh_state(1)' 'print *msg' 'rh-forward' 'rh-look'
out_has 'event 3 comes next' 'rh_on_account__close_account' 'bank.h:46' '{balance = 0, closed = false}' rh_no_fields
grep -qE '^(\(gdb\) )?\*   1  account#1 +runs; mailbox: deposit from client#1' out || problem 'info rh-actors'
err_has 'the run is inside a handler'

# Where the run fails.
in_gdb 4 'print $rh_state(1)' 'print $rh_message(3)' continue backtrace
out_has 'closed = true' '{amount = 5}' 'rehearse: the run fails here' 'bank.h:41'

# Back by an event: the run is made again, up to the handler of the event before; and once more; there is no story.
in_gdb 3 'rh-back' 'print self' 'rh-back' 'print self' 'rh-back' 'kill'
out_has 'RH_HANDLER(client, go)' '= client#1' 'RH_HANDLER(teller, go)' '= teller#1'
err_has 'this is the first event'
[ "$(grep -c 'its process was killed' out)" -le 1 ] || problem 'stories of runs that are made again' # one at the end, by `kill`
# Whoever ends the process in gdb has found nothing.
in_gdb 3 'kill'
out_has 'its process was killed at event 3 or later: no verdict'
out_lacks 'not the recorded finding' 'ran out of memory'

# Between two events, in a session of one's own: another choice is taken, and the run goes on from there; no such choice;
# no such actor.
cat >commands <<'END'
set breakpoint pending on
set follow-fork-mode child
handle SIGSEGV SIGVTALRM nostop noprint pass
break rh_replay_here
run
rh-look
rh-choose 1
rh-choose 99
rh-forward
rh-back
info rh-actors
rh-actor 99
kill
END
last='gdb, rh-choose'
script=$SOURCE_DIR/src/runner/gdb/rehearse-gdb.py
timeout 600 gdb -q -nx -x "$script" -x commands --args "$fixtures/bank" replay found/latest --step 2 >out 2>err </dev/null
events() { sed -n 's/^event \([0-9]*\): \([a-z]*\).*/\1 \2/p' out | tr '\n' ','; }
same 'look, choose, no such choice, forward, back' '1 teller,2 account,2 account,3 client,2 account,' "$(events)"
out_has 'there is no open choice 99' '    1  account#1 takes close_account from teller#1' '  > 0  client#1 takes go from test'
err_has 'there are actors 0 to 3'
finish
