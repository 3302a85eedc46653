# shellcheck shell=bash disable=SC2154,SC2016,SC1091
# `reaches FILE:LINE` as the last line of a schedule: replay says whether the line ran within the schedule.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
program=$BUILD_DIR/tests/target/outside-bitcode
[ -x "$BUILD_DIR/bin/rehearse-target" ] && [ -x "$program" ] || exit 77
lucky=$(grep -n 'a lucky number' "$SOURCE_DIR/tests/fixtures/outside.c" | cut -d: -f1)
pays=$(grep -n 'rh_send(msg->to, paid' "$SOURCE_DIR/tests/fixtures/outside.c" | cut -d: -f1)

schedule() { # VALUE PLACE
    printf '%s\n' 'rehearse schedule 1' 'test account_takes_deposits' "outside 1 sends deposit { .amount = $1 } to account#1" \
        'account#1 takes deposit from outside 1' "reaches $2" >made.schedule
}
schedule 77 "outside.c:$lucky"
expect 0 "$rehearse" replay "$program" made.schedule
out_has 'a lucky number'
schedule 77 "fixtures/outside.c:$lucky"
expect 0 "$rehearse" replay "$program" made.schedule
schedule 76 "outside.c:$lucky"
expect 4 "$rehearse" replay "$program" made.schedule
out_has "line 5: the schedule does not reach outside.c:$lucky"
schedule 77 "outside.c:$pays"
expect 4 "$rehearse" replay "$program" made.schedule
# Not by luck behind the schedule.
printf '%s\n' 'rehearse schedule 1' 'test account_takes_deposits' 'outside 1 sends deposit { .amount = 77 } to account#1' \
    "reaches outside.c:$lucky" >early.schedule
expect 4 "$rehearse" replay "$program" early.schedule
out_has 'does not reach'
# A line that fails is reached.
printf '%s\n' 'rehearse schedule 1' 'test account_is_open' 'outside 1 sends withdraw { .amount = 11, .to = nobody } to account#1' \
    'account#1 takes withdraw from outside 1' "reaches outside.c:$((pays + 1))" >fails.schedule
expect 1 "$rehearse" replay "$program" fails.schedule
# In the body of the test, which has run when the schedule begins.
body=$(grep -n 'rh_open(rh_spawn(account), deposit' "$SOURCE_DIR/tests/fixtures/outside.c" | cut -d: -f1)
schedule 1 "outside.c:$body"
expect 0 "$rehearse" replay "$program" made.schedule

schedule 77 outside.c:9999
expect 2 "$rehearse" replay "$program" made.schedule
err_has '`reaches outside.c:9999`: the program has no code there'
schedule 77 "side.c:$lucky"
expect 2 "$rehearse" replay "$program" made.schedule
finish
