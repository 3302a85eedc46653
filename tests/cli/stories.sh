# shellcheck shell=bash disable=SC2154,SC1091
# Stories: rows that are folded, left out and between others, whole ones, in words, and as JSON.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
program=$fixtures/stories

# ---- rows ----------------------------------------------------------------------------------------------------------------
expect 1 "$rehearse" test "$program" beats --no-minimise --explorer dfs
# The second beat says something: beats 3 to 5 are one row, with the range of what they carried.
out_has '> the second beat' '3x beat < pacemaker#1' 'number=3..5' '=> beats=5'
out_lacks 'number=4' 'last logged'
expect 1 "$rehearse" test "$program" beats --no-minimise --explorer dfs --whole-story
out_has 'number=4' 'narrow'
out_lacks '3x beat' 'text that...'
[ "$(grep -c 'beat < pacemaker#1' out)" = 5 ] || problem 'not five rows of five beats'
expect 1 "$rehearse" test "$program" beats --no-minimise --explorer dfs --words
out_has 'takes beat(number=2, text="a text'

# Rows that write to different places are not one; what the steps of a row changed is told once, as it is in the end; equal
# messages to several actors are one line.
expect 1 "$rehearse" test "$program" shelves --save ''
out_has 'number=10 => count=1, at[0]=10, last=(number=10, open=false)' 'number=20 => count=2, at[1]=20, last.number=20' \
    'fill(number=40) from filler#1 to shelf#2, shelf#3, shelf#4'
out_lacks '4x fill' '3x fill' 'at[0]=7' 'at[0]=10, at[0]'

# A long run has its beginning, its end and how many rows are between.
expect 1 "$rehearse" test "$fixtures/shown" long_run -p length=300 --no-minimise
out_has ' left out (up to event ' '--whole-story shows all'
rows=$(grep -cE '^ +[0-9]+. .*pass < ' out)
[ "$rows" -lt 90 ] || problem "$rows rows of a long run"
expect 1 "$rehearse" test "$fixtures/shown" long_run -p length=300 --no-minimise --whole-story
[ "$(grep -cE '^ +[0-9]+. .*pass < ' out)" -gt 290 ] || problem 'not all rows of a long run'
out_lacks 'left out'
expect 1 "$rehearse" test "$fixtures/shown" long_run -p length=300 --no-minimise --save long
expect 1 "$rehearse" replay "$fixtures/shown" long/*.schedule --whole-story
out_lacks 'left out'

# Who is cut off, and when the network is whole again without an event.
printf 'rehearse schedule 1\ntest rounds\nset partitions=1\nset quiet_after=4\nset granularity=handler\nthe network splits: client#1\n' >split.schedule
expect 1 "$rehearse" replay "$program" split.schedule
out_has '-- the network splits: client#1 --' '-- the quiet phase begins: no more faults, and the network is whole --'
expect 1 "$rehearse" replay "$program" split.schedule --words
out_has 'the network splits: client#1'

# ---- for programs --------------------------------------------------------------------------------------------------------
have_python || finish
expect 1 "$rehearse" test "$program" beats --no-minimise --explorer dfs --json json --junit junit.xml
same 'events of the story' 8 "$(json 'len(r[0]["failures"][0]["story"])')"
same 'values' 5 "$(json '[e["values"].split(",")[0] for e in r[0]["failures"][0]["story"]].index("number=4")')"
same 'an event' "['deliver', 'heart#1', 'beat', 'pacemaker#1', 'beats=2', ['the second beat']]" \
    "$(json '[r[0]["failures"][0]["story"][3][k] for k in ("choice", "actor", "message", "from", "changes", "log")]')"
same 'sends' "['beat', 'heart#1']" "$(json 'list(r[0]["failures"][0]["story"][1]["sends"][0].values())[:2]')"
expect 1 "$rehearse" test "$fixtures/bank" --model bag --junit junit.xml --json json
grep -q 'a run in the other order passes' junit.xml || problem 'no reason in JUnit'
grep -q 'it cannot be avoided' junit.xml || problem 'no decisive event in JUnit'
expect 1 "$rehearse" test "$fixtures/bank" --model bag --tap
out_has 'reason: ' 'in the other order passes' 'decided: '
expect 0 "$rehearse" test "$program" watched --json json --junit junit.xml
same 'note on a monitor' True "$(json '"deaf was never told anything" in r[0]["monitors_note"]')"
grep -q 'name="monitors_note" value="monitor deaf' junit.xml || problem 'no note on a monitor in JUnit'
expect 0 "$rehearse" test "$program" watched --tap
out_has 'monitors_note: '

# ---- options -------------------------------------------------------------------------------------------------------------
refused '--max-seconds 0: a number of seconds is wanted, more than 0' "$rehearse" test "$program" watched --max-seconds 0
printf '1\nexplore\nquit\n' | "$rehearse" step "$program" rounds >out 2>&1
last='step, explore'
out_has 'rounds  (fifo, replay(' 'dpor'
out_lacks 'cannot go on from'

# ---- an order of two operations on a shared object says which, and where ------------------------------------------------------
objects() { # TEST TEXT...: in the reason, whatever the width
    local test=$1 explorer
    shift
    for explorer in auto dfs; do
        expect 1 "$rehearse" test "$fixtures/objects" "$test" --explorer $explorer --keep-going --save '' --json json
        have_python || continue
        for text in "$@"; do
            json 'r[0]["failures"][0]["reason"]["text"]' | grep -qF -- "$text" ||
                problem "$test, $explorer: \"$text\" is not in: $(json 'r[0]["failures"][0]["reason"]["text"]')"
        done
    done
}
objects table 'finds no "left" in table seats (objects.c:10) before buyer#' \
    'puts "left" in table seats, which had no value (objects.c:13) (events ' '; a run in the other order passes'
# The event that decides may have no row of its own: the sentence names the event, as `step` counts, and the row.
expect 1 "$rehearse" test "$fixtures/objects" table --explorer auto --save '' --json json
if have_python; then
    decisive=$(json 'r[0]["failures"][0]["decisive"]["event"]')
    out_has "  after event $decisive (in row "
fi
# What comes too late is known from the run that passes.
objects names 'finder#1 cannot send go: nobody has the name "chief" (objects.c:41) before namer#1 registers namer#1 as "chief" (objects.c:35) (event '
objects life 'short_lived#1 ends before looker#1 sees that short_lived#1 has ended (objects.c:56) (events '
objects handlers 'reader#1 finds no "x" in table seats (objects.c:76) before writer#1 puts "x" in table seats, which had no value (objects.c:69) (event '
finish
