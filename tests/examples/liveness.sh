#!/usr/bin/env bash
# Programs that do something wrong for ever: found with the bug, and not without; the schedules replay, and stale ones are told.
# BUILD_DIR and SOURCE_DIR come from ctest.
set -u
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
program=$BUILD_DIR/examples/liveness

for bug in lock/stack detector/shared_count retry/crossed; do
    name=${bug%/*}
    expect 1 "$rehearse" test "$program" "$name" -p "bug=${bug#*/}" --explorer stateful --save found
    out_has 'liveness: ' 'stays hot for ever' '-- the loop begins --' 'in the same state, for ever --'
    expect 0 "$rehearse" test "$program" "$name" --explorer stateful --require exhaustive
    out_has exhaustive
    schedule=$(ls found/"$name"-fifo-liveness-*.schedule)
    expect 1 "$rehearse" replay "$program" "$schedule"
    out_has 'liveness: ' 'stays hot for ever'
    out_lacks 'not the recorded finding'
    # without its last line the loop does not come back
    sed '$!N;/^.*\n# finding/!P;D' "$schedule" | grep -v '^#' >short.schedule
    expect 4 "$rehearse" replay "$program" short.schedule
    out_has 'does not come back to the state in which it began'
done

expect 1 "$rehearse" test "$program" numbers -p bug=runs_ahead --explorer random --max-runs 100 --save found
out_has 'liveness: ' '300 events of the quiet phase'
expect 1 "$rehearse" replay "$program" found/numbers-*.schedule --quiet
out_has '300 events of the quiet phase'
expect 0 "$rehearse" test "$program" numbers --explorer random --max-runs 300
expect 1 "$rehearse" test "$program" numbers -p bug=runs_ahead --explorer random --max-runs 100 --quiet-after 5 --temperature 40 --quiet
for explorer in optimal dpor; do
    refused 'quiet_after counts events' "$rehearse" test "$program" numbers --explorer $explorer
done
refused 'temperature depends on the run' "$rehearse" test "$program" lock --temperature 50 --explorer 'delay(rtc, ses)'

# schedules by hand
head=$(grep -B99 'the loop begins' found/retry-*.schedule | grep -v '^#')
printf '%s\n' "$head" >nothing.schedule
refused 'there is nothing behind' "$rehearse" replay "$program" nothing.schedule
printf '%s\nthe loop begins\nx\n' "$head" >twice.schedule
refused 'for the second time' "$rehearse" replay "$program" twice.schedule
finish
