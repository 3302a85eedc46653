# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2086,SC1091
# `rehearse step`: walking over runs by hand, over a pipe.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1

# steps CODE 'COMMAND; COMMAND...' ARGUMENT...: gives the commands to `rehearse step`
steps() {
    local code=$1 commands=$2 got
    shift 2
    last="step $* <<< $commands"
    printf '%s\n' "$commands" | sed 's/; */\n/g' | "$rehearse" step "$@" >out 2>err
    got=$?
    [ "$got" = "$code" ] || problem "exit $got instead of $code: $last"
}
# part N: what the answer to the N-th command was, the beginning included, as blocks that begin with "event"
part() { awk -v n="$1" '/^event /{ k++ } k == n' out; }

# ---- choices have numbers and values; one is taken, and taken back ----------------------------------------------------
steps 0 '1; n; u; u; 0' "$fixtures/shown" lease
same begin '    0  client#1 takes rh_start from test' "$(part 1 | sed -n 2p)"
same taken 'event 1: client#2: start < test' "$(part 2 | head -n 1)"
part 3 | grep -q 'server#1 takes acquire from client#1 (client=1, colour=GREEN)' || problem "choices have no values"
same undone "$(part 2 | head -n 1)" "$(part 4 | head -n 1)"
part 4 | grep -q '> 0  client#1 takes rh_start' || problem "the way forward is not marked"
same 'back at the beginning' "$(part 1 | head -n 1)" "$(part 5 | head -n 1)"
same 'another way' 'event 1: client#1: start < test' "$(part 6 | head -n 1)"

# ---- looking ------------------------------------------------------------------------------------------------------------
steps 0 '0; 0; 0; look; look server#1; look nobody#9; run' "$fixtures/shown" lease
out_has '=> grants=1, owner=client#1, becomes taken' 'log: lease 1 goes to client 1' 'server#1 is idle in taken, 1 message on the way' \
    'state: grants=1, owner=client#1' 'mailbox: acquire (client=2, colour=GREEN) < client#2' 'log at 3: lease 1 goes to client 1' 'there is no actor nobody#9'

# Who has crashed is not about to go on, also before others have noticed.
steps 0 'until server#1 crashes; look; until is gone; look' "$fixtures/shown" lease --granularity object --crashes 1
part 2 | grep -q 'has crashed, and is about to be gone' || problem 'what a crashed actor does'
part 3 | grep -q 'has ended (crashed)' || problem 'what an actor does that is gone'
# What only the event says, not the choice, is found, too.
part 3 | grep -q '^event [0-9]*: server#1: is gone$' || problem 'until does not find what an event says'
steps 0 'until server#1 crashes; until RESTART; until goes on; until no such text' "$fixtures/shown" lease --granularity object --crashes 1
part 3 | grep -q '^event [0-9]*: server#1: RESTART$' || problem 'until does not find a restart'
out_lacks 'goes on ()'
out_has 'no event has "no such text" before the run is over'

# ---- search, save, replay ------------------------------------------------------------------------------------------------
steps 0 'until granted; go 2; go 99; until nothing; save run.schedule' "$fixtures/shown" lease
part 2 | grep -q 'client#1: granted < server#1 (until=100)' || problem "until does not find granted"
same 'go' 'event 2' "$(part 3 | sed -n '1s/:.*//p')"
out_has 'the run has' 'no event has "nothing" before the run is over' 'the run is over: finished' 'saved: run.schedule'
expect 0 "$rehearse" replay "$fixtures/shown" run.schedule
out_has 'nothing failed'

# ---- along a schedule, aside, and on with an explorer -------------------------------------------------------------------
expect 1 "$rehearse" test "$fixtures/shown" lease --quiet --save found
steps 0 'go 99; u; u; look server#1' "$fixtures/shown" lease found/latest
out_has 'the run is over: assertion: ' 'hold the lease' 'tests/fixtures/shown.c:'
steps 0 'n; n; explore dfs; n; quit' "$fixtures/shown" lease --crashes 0
out_has 'FAILED lease  (fifo, replay(' 'hold the lease'
same 'goes on where it was' 'event 3' "$(part 5 | sed -n '1s/:.*//p')"

# ---- a step that ends the program -----------------------------------------------------------------------------------------
steps 0 'until second; look victim#1; quit' "$fixtures/kinds" crash --granularity handler
out_has 'that step ends the program: ' 'victim#1 is idle' # a crash, or a sanitizer's report

# ---- wrong use -----------------------------------------------------------------------------------------------------------
steps 0 '77; jump; save; save no/such/folder/x; help' "$fixtures/shown" lease
out_has 'there is no open choice 77' 'no such command: jump' 'save wants a file' 'no/such/folder' 'until TEXT'
refused 'step wants a test' "$rehearse" step "$fixtures/shown"
refused 'has no test "none"' "$rehearse" step "$fixtures/shown" none
refused 'is for test lease' "$rehearse" step "$fixtures/shown" texts found/latest
refused 'none.schedule' "$rehearse" step "$fixtures/shown" lease none.schedule
finish
