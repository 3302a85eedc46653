# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2086,SC1091
# What the default explorer looks at before it explores.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
v=("$rehearse" test "$fixtures/first_look")

# A pointer into another actor's memory is found without any option, and replayed.
expect 1 "${v[@]}" shares_a_pointer --save kept
out_has 'isolation: reader#1: reader#1 used memory of owner#1' 'check_isolation'
expect 1 "$rehearse" replay "$fixtures/first_look" kept/*.schedule
out_has 'used memory of owner#1'
expect 0 "${v[@]}" shares_a_pointer --explorer optimal

# A test that never ends, with few states, is proved; and so is one with ordered time.
expect 0 "${v[@]}" beats_for_ever --require exhaustive
out_has 'passed beats_for_ever' 'exhaustive: every state (fifo)'
expect 0 "${v[@]}" in_order --require exhaustive
out_has 'passed in_order' 'granularity object' 'exhaustive: every one of 3 distinct runs (fifo, ordered time)'

finish
