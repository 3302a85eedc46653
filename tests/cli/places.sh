# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2086,SC1091
# Every kind of error names its file and line; stuck processes say what they wait for, what is in their mailboxes, and
# whether they wait in a circle; and the same in words.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1

# The line of a fixture that has this comment.
line()
{
    grep -n "$2" "$SOURCE_DIR/tests/fixtures/$1.c" | head -1 | cut -d: -f1
}

# ---- stuck -----------------------------------------------------------------------------------------------------------
at=$(line stuck 'line 12')
same 'the comments of the fixture' 12 "$at"
for explorer in dfs dpor optimal stateful random; do
    expect 1 "$rehearse" test "$fixtures/stuck" circle --explorer $explorer --quiet --save ''
    out_has "stuck: deadlock: asker#1 waits for asker#2 (tests/fixtures/stuck.c:12), asker#2 waits for asker#3" \
        'asker#3 waits for asker#1 (tests/fixtures/stuck.c:12)' \
        'asker#2 waits for the reply of asker#3 to hello (tests/fixtures/stuck.c:12); mailbox: hello from asker#1'
done
# A question to the one that asks is no reply by mistake.
expect 1 "$rehearse" test "$fixtures/stuck" two_ask --quiet --save ''
out_has 'mailbox: hello from asker#2'
out_lacks 'is not a reply'
expect 1 "$rehearse" test "$fixtures/stuck" waits_for_one_that_has_ended --quiet --save ''
out_has 'test waits for answer from leaver#1, which has ended (tests/fixtures/stuck.c:73); mailbox empty'
expect 1 "$rehearse" test "$fixtures/stuck" two_listen --quiet --save ''
out_has 'deadlock: test waits for listener#1 (tests/fixtures/stuck.c:36), listener#1 waits for test (tests/fixtures/stuck.c:27)' \
    'test waits for hello from listener#1 (tests/fixtures/stuck.c:36); mailbox empty' \
    'listener#1 waits for hello from test (tests/fixtures/stuck.c:27); mailbox: 2 answer from test'
expect 1 "$rehearse" test "$fixtures/stuck" waits_alone --quiet --save ''
out_has 'test waits for rh_down from listener#1 (tests/fixtures/stuck.c:43)' \
    'listener#1 waits for hello from environment (tests/fixtures/stuck.c:27); mailbox: answer from test'
out_lacks deadlock

# ---- messages that are never received ----------------------------------------------------------------------------------
expect 0 "$rehearse" test "$fixtures/stuck" never_received --quiet
for grain in object handler; do
    for explorer in dfs dpor stateful; do
        expect 1 "$rehearse" test "$fixtures/stuck" never_received --quiet --set dead_letters=strict --save '' \
            --explorer $explorer --granularity $grain
        out_has 'dead letter: test: answer from test to server#1 was never taken: server#1 does not take it any more  (tests/fixtures/stuck.c:57)'
    done
done
expect 1 "$rehearse" test "$fixtures/stuck" waits_alone --quiet --set dead_letters=strict --save ''
out_has 'stuck: ' # what hinders everybody is told first

# ---- every kind has its place ------------------------------------------------------------------------------------------
# The test, the kind of its finding, and what stands on the line that it names.
while IFS='|' read -r test kind text; do
    for grain in handler object; do
        case $test in dead_end) name=abnormal ;; *) name=$test ;; esac
        [ $test$grain = dead_endobject ] && continue # there its exit is the first failure
        case $test in crash | stack) [ -z "$(setting RH_SANITIZE)" ] || continue ;; esac # a sanitizer tells of them
        letters=ignore
        case $test in dead | dead_end) letters=fail ;; esac
        expect 1 "$rehearse" test "$fixtures/kinds" $name --explorer dfs --max-runs 40 --quiet --set dead_letters=$letters \
            --granularity $grain --save ''
        out_has "  $kind: " "fixtures/kinds.c:$(line kinds "$text")"
    done
done <<'END'
assertion|assertion|rh_assert(kind != ASSERTION
always|property|rh_always(
eventually|property|rh_eventually(
hot|monitor|^RH_HOT_BEHAVIOUR(promise, owed
history|history|^RH_HISTORY(service
unhandled|unhandled message|^RH_BEHAVIOUR(victim, on
stuck|stuck|rh_receive(note)
abnormal|abnormal exit|rh_exit("tired")
misuse|misuse|rh_timer(NULL
dead|dead letter|rh_send(gone, note)
dead_end|dead letter|rh_send_from(rh_external("a"), v, first)
limit|limit|rh_spawn(idler);
crash|crash|\*nowhere = 1
stack|stack overflow|large\[n % 4096\] = 
endless|endless handler|for (;;)$
exits|exit|exit(7)
text|assertion|rh_assert(kind != TEXT
END
# With a sanitizer, too, a stack that is used up is told of, as its size; the line is that of the function.
for grain in handler object; do
    expect 1 "$rehearse" test "$fixtures/kinds" stack --explorer dfs --max-runs 40 --quiet --granularity $grain --save ''
    out_has '  stack overflow: victim#1: it used more than 65536 bytes of stack (max_stack_bytes)' 'fixtures/kinds.c:7' ' in deep'
done
# A handler that ends with the call that fails may have left its frame to it: then it is the line of the handler.
expect 1 "$rehearse" test "$fixtures/kinds" heap --explorer dfs --max-runs 40 --quiet --save ''
out_has '  heap corruption: ' 'fixtures/kinds.c:'

# ---- in words ----------------------------------------------------------------------------------------------------------
expect 1 "$rehearse" test "$BUILD_DIR/examples/processes-ping_pong" --words --save words
out_has 'P1 is test, P1.1 is child#1' 'P1 spawns P1.1, a child  (ping_pong.c:12)' 'P1.1 starts' \
    'P1.1 sends ping to P1  (ping_pong.c:7)' 'P1.1 ends (normal)' \
    'P1 fails to register P1.1 as "ping_pong" because it has ended or the name is taken  (ping_pong.c:13)'
expect 1 "$rehearse" replay "$BUILD_DIR/examples/processes-ping_pong" words/*.schedule --words
out_has 'P1.1 sends ping to P1  (ping_pong.c:7)'
expect 1 "$rehearse" test "$fixtures/stuck" circle --words --explorer optimal --save ''
out_has 'P1.1 receives start_with(other=asker#2) from P1  (stuck.c:11)' 'P1.3 sends hello(number=0) to P1.1, and waits for answer  (stuck.c:12)' \
    'P1 spawns P1.3, an asker  (stuck.c:18)'
# Each line that tells of an operation names a line that has the call.
expect 1 "$rehearse" test "$BUILD_DIR/examples/processes-registration" only_the_owner_detaches -p bug=stranger --words \
    --explorer dfs --save ''
checked=0
while read -r verb place; do
    file=${place%%:*} number=${place##*:}
    text=$(sed -n "${number}p" "$SOURCE_DIR/examples/processes/registration/$file")
    case $verb in
    sends) want='rh_send\|rh_ask' ;;
    receives) want='rh_receive\|rh_ask' ;;
    spawns) want='rh_spawn' ;;
    registers) want='rh_register' ;;
    monitors) want='rh_monitor' ;;
    *) continue ;;
    esac
    printf '%s\n' "$text" | grep -q "$want" || problem "$verb at $place: $text"
    checked=$((checked + 1))
done < <(sed -n 's/.*P[0-9.]* \([a-z]*\) .*  (\([a-z_]*\.c:[0-9]*\))$/\1 \2/p' out)
[ "$checked" -ge 10 ] || problem "$checked operations looked at, 10 expected"

finish
