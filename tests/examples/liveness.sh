#!/usr/bin/env bash
# Programs that do something wrong for ever: found with the bug, and not without; the schedules replay, and stale ones are told.
# BUILD_DIR and SOURCE_DIR come from ctest.
set -u
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
program=$BUILD_DIR/examples/liveness

for bug in lock/stack detector/shared_count retry/crossed; do
    name=${bug%/*}
    expect 1 "$rehearse" test "$program" "$name" -p "bug=${bug#*/}" --explorer stateful --save found
    out_has 'liveness: ' 'stays hot for ever' '-- the loop begins --' 'in the same state, for ever --' \
        'no event decides it: other continuations avoid it'
    expect 0 "$rehearse" test "$program" "$name" --explorer stateful --require exhaustive
    out_has exhaustive
    schedule=$(ls found/"$name"-fifo-liveness-*.schedule)
    expect 1 "$rehearse" replay "$program" "$schedule"
    out_has 'liveness: ' 'stays hot for ever'
    out_lacks 'not the recorded finding'
    # A lasso whose loop is gone round twice, and twice on the way there, is made smaller again; nothing can be left out then.
    awk '/^#/{ print; next } /^the loop begins/{ begins = $0; next }
         !begins { print; next } { body = body $0 "\n" }
         END { printf "%s%s%s\n%s%s", body, body, begins, body, body }' "$schedule" |
        awk '/ takes / { sub(/ \([0-9]+\)$/, ""); if (seen[$0]++) $0 = $0 " (" seen[$0] ")" } { print }' >padded.schedule
    size() { grep -vcE '^(rehearse|test|set|#|the loop)' "$1"; }
    expect 1 "$rehearse" minimise "$program" padded.schedule --save smaller
    out_has "minimised from $(size padded.schedule) to $(size "$schedule") events" 'in the same state, for ever --'
    out_lacks 'limit reached'
    small=$(ls smaller/"$name"-fifo-liveness-*.schedule)
    expect 1 "$rehearse" replay "$program" "$small"
    out_has 'liveness: ' 'stays hot for ever'
    tried=0
    for line in $(grep -nvE '^(rehearse|test|set|#|the loop)' "$small" | cut -d: -f1); do
        sed "${line}d; /^#/d" "$small" >less.schedule
        "$rehearse" replay "$program" less.schedule >out 2>err && problem "it passes without line $line of $small"
        grep -q 'stays hot for ever' out && problem "line $line of $small can be left out"
        tried=$((tried + 1))
    done
    [ $tried -ge 8 ] || problem "only $tried lines"
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
