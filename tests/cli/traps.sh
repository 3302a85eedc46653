# shellcheck shell=bash disable=SC2154,SC2034,SC1091
# What beginners meet: each mistake gives what, where, and what to do.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
traps=$fixtures/traps
t=("$rehearse" test "$traps" --save '')

# ---- printf ----------------------------------------------------------------------------------------------------------
# Below the event in whose handler the program printed, without control characters, with the end of an unfinished line.
expect 1 "${t[@]}" it_prints -p bug=count
printed=$(grep -A2 'ping < client#1' out | tail -n 2)
same 'lines below their event' '        | server: got 7
        | server: from \x1b[31mclient#1' "$printed"
out_lacks 'your program printed'
# A crash leaves what was printed before it.  An event that ends in a sanitizer's report is not made again for the story.
expect 1 "${t[@]}" it_prints -p bug=crash
[ -n "$(setting RH_SANITIZE)" ] || same 'lines before a crash' '        | server: got 7
        | server: from \x1b[31mclient#1
        | server: now' "$(grep '  | ' out)"
# Nothing found: the number of lines of one run.
expect 0 "${t[@]}" it_prints
tr -s ' \n' ' ' <out | grep -qF "note: your program printed 2 lines in its first run. A finding shows such lines at their \
events; --verbose prints those of every run" || problem "no note of the lines"
expect 0 "${t[@]}" it_prints --verbose
out_lacks 'your program printed'
out_has 'server: got 7'
expect 0 "${t[@]}" it_prints --quiet
out_lacks 'your program printed'
# With several workers the same.
expect 1 "${t[@]}" it_prints -p bug=count -j 2
out_has '        | server: got 7'
# A replay has them in its table, and only there.
expect 1 "$rehearse" test "$traps" it_prints -p bug=count --quiet
expect 1 "$rehearse" replay "$traps" rehearse-findings/latest
same 'a replay shows a line once' '      | server: got 7' "$(grep 'got 7' out)"

# ---- messages that nobody handles ------------------------------------------------------------------------------------
expect 1 "${t[@]}" unhandled
line() { grep -n "$1" "$SOURCE_DIR/tests/fixtures/traps.c" | cut -d: -f1; }
grep -qE "unhandled message: deaf#1: behaviour hearing_nothing has no handler for pong from server#1, sent at \
[^ ]*traps.c:$(line 'rh_reply(pong')  \([^ ]*traps.c:$(line 'RH_BEHAVIOUR(deaf')\)\$" out || problem "no places of an unhandled message"
out_has '      write RH_HANDLER(deaf, pong) and list pong in this RH_BEHAVIOUR,' \
    '      or RH_IGNORE(pong) to drop it, or RH_DEFER(pong) to keep it for another behaviour'

# ---- time ------------------------------------------------------------------------------------------------------------
expect 1 "${t[@]}" it_is_renewed_in_time
out_has 'time is free: timer expire of lease#1 came before timer renew of lease#1, which was due earlier;' \
    'if the program relies on its delays, use --time ordered (.time = RH_TIME_ORDERED)'
expect 0 "${t[@]}" it_is_renewed_in_time --time ordered
out_lacks 'time is free:'

# ---- limits ----------------------------------------------------------------------------------------------------------
expect 1 "${t[@]}" many_lives --set max_actors=20
out_has 'limit: mayfly#' 'more than 20 actors, with those that have ended (max_actors)'

# ---- misspelt words --------------------------------------------------------------------------------------------------
refused "$traps has no test \"unhandeld\" (did you mean unhandled?); it has" "${t[@]}" unhandeld
refused "has no test \"xyz\"; it has" "${t[@]}" xyz
refused 'no explorer is called "optmal" (did you mean optimal?); there are' "${t[@]}" --explorer optmal
refused '--modle: there is no such option (did you mean --model? --help lists them all)' "${t[@]}" --modle fifo
refused '--xyz: there is no such option (--help lists them)' "${t[@]}" --xyz
refused 'modle: there is no such setting (did you mean model?)' "${t[@]}" --set modle=fifo
refused '-p client=2: there is no such parameter (did you mean clients?); there are clients, and bug, which may be' \
    "${t[@]}" -p client=2
refused '-p bug=crahs: there is no such bug (did you mean crash?); there are' "${t[@]}" -p bug=crahs
refused '--weight tmier=5: there is no such class of choices (did you mean timer?); there are deliver value timer' \
    "${t[@]}" --weight tmier=5
refused '--weight timer=5: explorer auto has no weights: use weighted, swarm or phases' "${t[@]}" --weight timer=5
expect 2 "$rehearse" tset "$traps"
err_has 'there is no command "tset" (did you mean test?)'

# ---- names of tests --------------------------------------------------------------------------------------------------
tests_run() { # tests_run NAMES WORD...: of the tests that these words name
    local names=$1
    shift
    expect 0 "$rehearse" estimate "$traps" "$@"
    same "tests of $*" "$names" "$(sed -n 's/^\([a-z_]*\)  (.*/\1/p' out | sort | tr '\n' ' ')"
}
tests_run 'it_is_renewed_in_time it_prints ' it_
tests_run 'it_is_renewed_in_time it_prints ' 'it*'
tests_run 'it_prints ' '*prints'
tests_run 'it_prints unhandled ' it_prints 'u?handled'

# ---- help without a program ------------------------------------------------------------------------------------------
for command in test replay estimate corpus list; do
    expect 0 "$rehearse" "$command" --help
    err_empty
    out_has "rehearse $command BINARY"
    cp out alone
    expect 0 "$rehearse" "$command" "$traps" --help
    same "options of $command, with and without a program" "$(sed -n '/^    -/p' out)" "$(sed -n '/^    -/p' alone)"
done
expect 0 "$rehearse" test --help
out_has '--explorer EXPRESSION' '--losses N'

# ---- schedules of another test ---------------------------------------------------------------------------------------
sed 's/^test .*/test somebody_elses/' rehearse-findings/latest >other.schedule
refused 'other.schedule: it is for test somebody_elses, which this program does not have' \
    "$rehearse" replay "$traps" other.schedule
refused 'other.schedule is for test somebody_elses, not for' "${t[@]}" it_prints --explorer replay:other.schedule

finish
