# shellcheck shell=bash disable=SC2154,SC2016,SC2086,SC1091
# rehearse target: what it reports as reached is reached when the schedule is replayed; what it calls unreachable is not
# reached by many runs with other seeds; what it cannot find it says so.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
outside=$BUILD_DIR/tests/target/outside-bitcode
bank=$BUILD_DIR/examples/bank-bitcode
[ -x "$BUILD_DIR/bin/rehearse-target" ] && [ -x "$outside" ] && have_python || exit 77
source=$SOURCE_DIR/tests/fixtures/outside.c
at() { echo "outside.c:$(grep -n -m 1 -- "$1" "$source" | cut -d: -f1)"; }
export TMPDIR=$work/tmp
mkdir tmp

# ---- lines that need values from outside ---------------------------------------------------------------------------
lucky=$(at 'a lucky number')
expect 0 "$rehearse" target "$outside" account_is_open --line "$lucky" --line "$(at 'rh_send(msg->to, paid')" --seconds 4
out_has "$lucky (line) reached by" '2 goals of account_is_open: 2 reached, 0 unreachable, 0 not found'
file=rehearse-targets/${lucky/:/-}.schedule
[ "$(tail -n 1 "$file")" = "reaches $lucky" ] || problem "the last line of $file"
expect 0 "$rehearse" replay "$outside" "$file"
out_has 'a lucky number'

# A value that nobody draws is solved for, if this build has a solver.
"$rehearse" target "$outside" account_is_open --line "$(at 'a rare number')" --seconds 0.5 >out 2>err
if grep -q 'has no solver' err; then
    out_has '(line) not found' '1 not found'
else
    out_has '(line) reached by 2 choices (solved for the last message)'
    file=rehearse-targets/$(at 'a rare number' | tr : -).schedule
    expect 0 "$rehearse" replay "$outside" "$file"
    out_has 'a rare number'
fi
# What cannot be reached is not found, and nothing more is said: the test is open.
expect 1 "$rehearse" target "$outside" account_is_open --line "$(at 'an impossible number')" --seconds 0.5
out_has '(line) not found' '0 unreachable, 1 not found'

# ---- assertions ----------------------------------------------------------------------------------------------------
expect 0 "$rehearse" target "$outside" account_is_open --assertions --save made --seconds 4
out_has '(assertion) reached by'
for file in made/*.schedule; do
    expect 1 "$rehearse" replay "$outside" "$file"
    out_has 'assertion: account#1: the balance is'
done
# Nobody sends withdraw in this test.
expect 0 "$rehearse" target "$outside" account_takes_deposits --assertions --function account__withdraw
out_has 'unreachable: no run of the test calls rh_on_account__withdraw: the message flow graph has no way to it' '0 runs'
# No process of this type is created in this test, and one is in the other.
ring=$BUILD_DIR/examples/savina-threadring-bitcode
expect 0 "$rehearse" target "$ring" anybody_may_start_a_ring --function rh_body_of_driver
out_has 'unreachable: no run of the test calls rh_body_of_driver' '0 runs'
expect 0 "$rehearse" target "$ring" the_token_comes_home --function rh_body_of_driver
out_has '(rh_body_of_driver) reached by'
expect 0 "$rehearse" target "$bank" --assertions
out_has 'bank.c:50 (assertion) unreachable: optimal made every distinct run of the test (6)' 'by the graph 0, by optimal 1'
expect 0 "$rehearse" target "$bank" --assertions -p bug=hasty --json json
same 'result' reached "$(json 'r[0]["goals"][0]["result"]')"
expect 1 "$rehearse" replay "$bank" rehearse-targets/bank.c-50.schedule

# ---- all blocks; what is called unreachable is not reached by others -------------------------------------------------
settled=0
for program in bank barber gatling philosophers pingpong threadring tickets; do
    binary=$BUILD_DIR/examples/$program-bitcode
    "$rehearse" target "$binary" --uncovered --seconds 3 --json goals.json >/dev/null 2>err || problem "$program"
    python3 - >wanted <<'END' || problem "$program: JSON"
import json
goals = json.load(open("goals.json"))["goals"]
assert all(g["result"] in ("reached", "unreachable") for g in goals), goals
for g in goals:
    if g["result"] == "unreachable":
        print(*g["blocks"], sep="\n")
END
    settled=$((settled + $(wc -l <wanted)))
    rm -f record
    for explorer in random delayed cover; do
        "$binary" test --explorer "reach(record, wanted=wanted, $explorer)" --seed 77 --max-runs 3000 --keep-going --quiet \
            --save found >/dev/null 2>&1
    done
    [ ! -s record ] || problem "$program: runs reach what was called unreachable: $(cat record)"
done
echo "$settled blocks called unreachable"
[ "$settled" -ge 25 ] || problem "only $settled blocks are called unreachable"
# optimal does not get through, so it excludes nothing.
expect 1 "$rehearse" target "$BUILD_DIR/examples/gatling-engine-bitcode" --uncovered --seconds 1
out_has ' 0 unreachable, '
# An open test has no such argument.
expect 1 "$rehearse" target "$outside" account_is_open --uncovered --seconds 0.5
out_has "$(at 'an impossible number') (block" ' 0 unreachable, '

# ---- the explorer behind it ------------------------------------------------------------------------------------------
expect 1 "$outside" test account_is_open --explorer 'reach(all, random)' --keep-going --max-runs 300 --quiet
grep -q '^# reached [0-9]* 0$' all || problem "nothing reached in the body of the test"
# Under optimal, too, a run in which a step fails is recorded.
block=$(json 'r[0]["goals"][0]["blocks"][0]')
expect 1 "$bank" test --explorer 'reach(failed, optimal)' -p bug=hasty --keep-going --quiet
grep -q "^# reached $block " failed || problem "optimal reaches the failing assertion, and the record does not have it"
echo nonsense >list
refused 'it is a list of blocks' "$rehearse" test "$outside" account_is_open --explorer 'reach(all, wanted=list, random)'
refused 'is no list of numbers' "$rehearse" test "$outside" account_is_open --explorer 'reach(all, numbers=list, random)'
refused 'no explorer is called "reach"' "$rehearse" test "$BUILD_DIR/examples/bank" --explorer 'reach(all, random)'

# ---- refusals --------------------------------------------------------------------------------------------------------
refused 'wants a goal' "$rehearse" target "$bank"
refused 'wants a test program' "$rehearse" target
refused 'has no bitcode' "$rehearse" target "$BUILD_DIR/examples/bank" --assertions
refused 'tests: name one of them' "$rehearse" target "$outside" --assertions
refused 'has no test nothing' "$rehearse" target "$outside" nothing --assertions
refused 'one too many' "$rehearse" target "$outside" account_is_open other --assertions
refused 'no code there' "$rehearse" target "$bank" --line bank.c:1
refused 'no code there' "$rehearse" target "$bank" --line other.c:50
refused 'wants FILE:LINE' "$rehearse" target "$bank" --line bank.c
refused 'has no function nothing' "$rehearse" target "$bank" --function nothing
refused 'has no option --other' "$rehearse" target "$bank" --other 1
refused '--seconds wants a number' "$rehearse" target "$bank" --assertions --seconds soon
refused 'wants a value' "$rehearse" target "$bank" --assertions --seconds
refused 'could not explore the test' "$rehearse" target "$bank" --assertions --model none
refused 'could not explore the test' "$rehearse" target "$bank" --assertions -p unknown=1
# ---- interrupts ------------------------------------------------------------------------------------------------------
"$rehearse" target "$outside" account_is_open --line "$lucky" --line "$(at 'an impossible number')" --seconds 3 --save cut \
    >out 2>err &
pid=$!
until ls tmp/*/wanted >/dev/null 2>&1 || ! kill -0 $pid 2>/dev/null; do :; done
kill -TERM $pid
wait $pid
code=$?
last="rehearse target, ended by SIGTERM"
[ $code = 143 ] || problem "exit $code instead of 143"
out_has '2 goals of account_is_open:' 'not found'
[ -z "$(ls tmp)" ] || problem "files are left: $(ls tmp)"
finish
