# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2086,SC1091
# Every finding that is saved replays, with exit 1 and the same kind; schedules in part; edits of the program; corpora.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1

# ---- every kind of finding -----------------------------------------------------------------------------------------------
tests='assertion always eventually hot history unhandled stuck abnormal misuse dead limit heap crash stack endless exits text several
dies_at_once'
count=0
for explorer in dfs random portfolio:random+dfs; do
    rm -rf found
    # shellcheck disable=SC2086
    expect 1 "$rehearse" test "$fixtures/kinds" $tests --explorer $explorer --keep-going --max-runs 40 --quiet \
        --set dead_letters=fail --save found
    for t in $tests; do
        ls found/"$t"-* >/dev/null 2>&1 || problem "$explorer: nothing saved of $t"
    done
    for file in found/*.schedule; do
        [ -e "$file" ] || continue
        kind=$(sed -n '$s/^# \(.*\): .*$/\1/p' "$file")
        expect 1 "$rehearse" replay "$fixtures/kinds" "$file"
        out_has "$kind: "
        count=$((count + 1))
    done
done
[ "$count" -ge 60 ] || problem "$count findings replayed, 60 expected"

# In all models, with faults.
rm -rf found
expect 1 "$rehearse" test "$fixtures/bank" --model all --keep-going --losses 1 --duplicates 1 --crashes 1 --restarts 1 \
    --partitions 1 --explorer random --max-runs 2000 --quiet --save found
for model in fifo bag causal mailbox; do
    file=$(ls found/no_deposit_is_lost-$model-assertion-*.schedule)
    expect 1 "$rehearse" replay "$fixtures/bank" "$file"
    grep -q "^set model=$model$" "$file" || problem "$file does not name its model"
done
expect 1 "$rehearse" test "$fixtures/bank" --model mailbox --granularity send --explorer dfs --quiet --save sends
expect 1 "$rehearse" replay "$fixtures/bank" sends/no_deposit_is_lost-mailbox-assertion-*.schedule
out_has accepted

# A long run is kept whole.
expect 1 "$rehearse" test "$fixtures/kinds" long_run -p length=30000 --explorer roundrobin --quiet --save long
[ "$(grep -c takes long/*.schedule)" = 30001 ] || problem "$(grep -c takes long/*.schedule) lines of 30,001"
expect 1 "$rehearse" replay "$fixtures/kinds" long/*.schedule --quiet
out_has 'the end of a long run'

# Parameters go along; the command line overrides them.
expect 1 "$rehearse" test "$BUILD_DIR/examples/gatling" -p bug=ga1 -p actions=3 --quiet --save gatling
expect 1 "$rehearse" replay "$BUILD_DIR/examples/gatling" gatling/*.schedule
expect 4 "$rehearse" replay "$BUILD_DIR/examples/gatling" gatling/*.schedule -p actions=1
out_has 'is not possible here'

# a parameter or a bug that the program no longer has: refused, in a schedule as on the command line
mkdir renamed
for wrong in bug=none nosuch=7; do
    sed "s/^set param.bug=.*/set param.$wrong/" gatling/*.schedule >renamed/one.schedule
    refused "set param.$wrong: there is no such" "$rehearse" replay "$BUILD_DIR/examples/gatling" renamed/one.schedule
    expect 2 "$rehearse" corpus "$BUILD_DIR/examples/gatling" renamed
    out_has refused "set param.$wrong: there is no such" '0 pass'
done
refused '-p nosuch=7: there is no such' "$rehearse" replay "$BUILD_DIR/examples/gatling" gatling/*.schedule -p nosuch=7

# The actors of a stuck run are named once; the sentence is broken where `test` breaks it, if a width is known.
expect 1 "$rehearse" test "$fixtures/stuck" circle --quiet --save deep/er/stuck
expect 1 "$rehearse" replay "$fixtures/stuck" deep/er/stuck/latest --quiet
grep -qE '^stuck: deadlock: asker#[123] waits for asker#[123] \(' out || problem "the headline of a stuck run"
same 'lines of a stuck run' 4 "$(wc -l <out)"
expect 1 env COLUMNS=60 "$rehearse" replay "$fixtures/stuck" deep/er/stuck/latest --quiet
same 'longest line, at most 60' 0 "$(awk 'length > 60' out | wc -l)"
[ "$(wc -l <out)" -gt 8 ] || problem "the headline is not broken at 60 columns"

# ---- telling -------------------------------------------------------------------------------------------------------------
rm -rf found
expect 1 "$rehearse" test "$fixtures/bank" --explorer dfs --quiet --save found
s=$(ls found/no_deposit_is_lost-fifo-assertion-*.schedule)
[ -s $s ] || problem "no $s"
expect 1 "$rehearse" replay "$fixtures/bank" $s
out_has 'assertion: account#1: 5 came after the closing' 'deposit < client#1' '   4!'
expect 1 "$rehearse" replay "$fixtures/bank" $s --quiet
out_lacks 'deposit < client#1'
out_has '5 came after the closing'
expect 0 "$rehearse" replay "$fixtures/bank" $s --step 2
out_has '   2  '
out_lacks '   3  '

# A stop behind the end changes nothing but that it does not say why: an assertion, a crash, a schedule that does not fit.
expect 1 "$rehearse" test "$fixtures/kinds" several --explorer dfs --keep-going --save kinds_found
same 'findings to replay' 2 "$(find kinds_found -name '*.schedule' | wc -l)"
sed 's/ takes .*/ takes nothing from nobody/' $s >kinds_found/misfit.schedule
for schedule in kinds_found/*.schedule; do
    binary=$fixtures/kinds
    [ $schedule = kinds_found/misfit.schedule ] && binary=$fixtures/bank
    "$rehearse" replay "$binary" $schedule >whole
    expect $? "$rehearse" replay "$binary" $schedule --step 1000
    same "$schedule" "$(grep -v '^    .*\(avoided\| passes$\)' whole)" "$(cat out)"
done
expect 1 "$rehearse" replay "$fixtures/bank" $s
out_has 'account#1 took close_account from teller#1 before deposit from client#1 (events 3, 4); a run in the other order passes' \
    'after event 3 it cannot be avoided'
expect 1 "$rehearse" test "$fixtures/bank" --explorer dfs --no-explain --save ''
out_has 'close_account'
out_lacks 'the other order passes' 'cannot be avoided'

# In a debugger, stopped before the event that was asked for.
if command -v gdb >/dev/null && ! grep -q '^RH_SANITIZE:[A-Z]*=.' "$BUILD_DIR/CMakeCache.txt"; then
    last='replay --gdb'
    timeout 3600 "$rehearse" replay "$fixtures/bank" $s --gdb --step 3 >out 2>err </dev/null
    if grep -q 'ptrace: Operation not permitted' out err; then
        echo "gdb may not run programs here: not tried"
    else
        out_has 'hit Breakpoint 1, rh_replay_here' 'event 3 comes next'
        # From there gdb looks around, goes back and takes another way; also without debugging information of the library.
        last='replay --gdb, stepping'
        cp "$fixtures/bank" bank_without && strip -g bank_without
        printf 'call (void)%s\n' 'rh_step_look()' 'rh_step_back()' 'rh_step_choose(1)' 'rh_step_choose(9)' >commands
        echo continue >>commands
        timeout 3600 "$rehearse" replay ./bank_without $s --gdb --step 3 >out 2>err <commands
        out_has 'event 2: teller#1 takes go from test' 'on the way to it: deposit from client#1, close_account from teller#1' \
            'event 1: client#1 takes go from test' '  > 0  teller#1 takes go from test' \
            'event 2: account#1 takes deposit from client#1' 'there is no open choice 9' 'stopped after event 3'
    fi
else
    echo "gdb is not there, or a sanitizer is: --gdb is not tried"
fi
mkdir nowhere
refused 'gdb cannot be started' env PATH="$work/nowhere" "$rehearse" replay "$fixtures/bank" $s --gdb

# ---- schedules in part ---------------------------------------------------------------------------------------------------
cat >part <<END
rehearse schedule 1
...
account#1 takes close_account from teller#1
...
account#1 takes deposit from client#1   # too late
END
expect 1 "$rehearse" replay "$fixtures/bank" part
cat >prefix <<END
rehearse schedule 1
client#1 takes go from test
...
END
expect 0 "$rehearse" replay "$fixtures/bank" prefix
out_has 'nothing failed'
sed -i '$d' prefix
expect 1 "$rehearse" test "$fixtures/bank" --explorer replay:prefix,dfs --keep-going --save ''
out_has '3 runs' '1 failed'
cat >never <<END
rehearse schedule 1
...
account#1 takes deposit from teller#1
END
expect 4 "$rehearse" replay "$fixtures/bank" never
out_has 'line 3: `account#1 takes deposit from teller#1` is not possible: the run is over'

# ---- edits ---------------------------------------------------------------------------------------------------------------
expect 1 "$rehearse" replay "$fixtures/bank_edited" $s
out_has '5 came after the closing'
expect 4 "$rehearse" replay "$fixtures/bank_changed" $s
line=$(grep -n 'takes deposit' $s | cut -d: -f1)
out_has "$s: line $line: \`account#1 takes deposit from client#1\` is not possible here; possible is:" \
    '    account#1 takes pay_in from client#1'

# ---- schedules that make no sense ------------------------------------------------------------------------------------------
bad() { # bad SENTENCE TEXT: a schedule of that text
    printf '%b' "$2" >bad.schedule
    refused "$1" "$rehearse" replay "$fixtures/bank" bad.schedule
}
bad 'bad.schedule: it is empty' ''
bad 'bad.schedule: it is empty' '# nothing\n'
bad 'bad.schedule: line 1: a schedule begins with' 'hello\n'
bad 'bad.schedule: line 1: version 9 of the schedule format is not known' 'rehearse schedule 9\n'
bad 'bad.schedule: line 2: `set` needs name=value' 'rehearse schedule 1\nset model\n'
bad 'bad.schedule: line 2: a zero byte' 'rehearse schedule 1\na\0b\n'
bad 'it is for test other, which this program does not have' 'rehearse schedule 1\ntest other\n'
bad 'model=lifo: it is one of' 'rehearse schedule 1\nset model=lifo\n'
bad 'speed: there is no such setting' 'rehearse schedule 1\nset speed=3\n'
bad 'granularity send requires' 'rehearse schedule 1\nset granularity=send\n'
refused 'missing: No such file' "$rehearse" replay "$fixtures/bank" missing
refused "$work: it cannot be read whole" "$rehearse" replay "$fixtures/bank" "$work"
refused 'replay wants one schedule' "$rehearse" replay "$fixtures/bank"
refused 'replay wants one schedule' "$rehearse" replay "$fixtures/bank" a b
head -c 300000 /dev/urandom >bad.schedule
refused 'bad.schedule: line' "$rehearse" replay "$fixtures/bank" bad.schedule
printf 'rehearse schedule 1\nnonsense\n' >bad.schedule
expect 4 "$rehearse" replay "$fixtures/bank" bad.schedule
out_has 'line 2: `nonsense` is not possible here; possible is:' '    client#1 takes go from test'

# A comma in a name is part of the name.
cp $s 'with,comma.schedule'
expect 1 "$rehearse" replay "$fixtures/bank" 'with,comma.schedule'

# ---- a folder of them ----------------------------------------------------------------------------------------------------
mkdir corpus
expect 0 "$rehearse" corpus "$fixtures/bank" corpus
out_has '0 schedules: 0 fail, 0 pass, 0 stale, 0 refused'
cp prefix corpus/b_prefix.schedule
echo 'not looked at' >corpus/README
expect 0 "$rehearse" corpus "$fixtures/bank" corpus
out_has 'passes   corpus/b_prefix.schedule' '1 schedule: 0 fail, 1 pass, 0 stale, 0 refused'
expect 0 "$rehearse" corpus "$fixtures/bank" corpus --quiet
out_lacks 'passes   '
cp never corpus/a_never.schedule
expect 4 "$rehearse" corpus "$fixtures/bank" corpus
out_has 'stale    corpus/a_never.schedule: line 3' '2 schedules: 0 fail, 1 pass, 1 stale'
echo nonsense >corpus/c_bad.schedule
expect 2 "$rehearse" corpus "$fixtures/bank" corpus
out_has 'refused  corpus/c_bad.schedule: line 1: ' '3 schedules: 0 fail, 1 pass, 1 stale, 1 refused'
cp $s corpus/d_bug.schedule
expect 1 "$rehearse" corpus "$fixtures/bank" corpus
out_has 'FAILS    corpus/d_bug.schedule: assertion: account#1: 5 came after the closing'
same 'in order of their names' 'a_never b_prefix c_bad d_bug ' "$(sed -n 's/.*corpus\/\([a-z_]*\)\.schedule.*/\1/p' out | tr '\n' ' ')"
mkdir changed && cp $s changed/
expect 4 "$rehearse" corpus "$fixtures/bank_changed" changed
out_has 'stale    changed/no_deposit_is_lost' "line $line"
refused 'missing: No such file' "$rehearse" corpus "$fixtures/bank" missing
refused 'corpus wants one folder' "$rehearse" corpus "$fixtures/bank"

# ---- names ---------------------------------------------------------------------------------------------------------------
# kept: how many schedules there are in ./names
kept() { find names -name '*.schedule' | wc -l; }
last=names
rm -rf names && mkdir names
bank=$fixtures/bank
expect 1 "$rehearse" test "$bank" --explorer dfs --quiet --save names
same 'one finding' 1 "$(kept)"
one=$(ls names/*.schedule)
[[ $one =~ -assertion-[0-9a-f]{6}\.schedule$ ]] || problem "a name without a hash: $one"
same 'the latest' "$(basename "$one")" "$(readlink names/latest)"
expect 1 "$rehearse" replay "$bank" names/latest
cp "$one" before
# Again, with other seeds and explorers: the same finding.
for seed in 1 2 3 4 5; do
    expect 1 "$rehearse" test "$bank" --explorer random --seed $seed --quiet --save names
    out_has "$one"
    same "seed $seed" 1 "$(kept)"
    expect 1 "$rehearse" replay "$bank" "$one"
    [ "$(grep -c takes "$one")" -le "$(grep -c takes before)" ] || problem 'a longer run in place of a shorter one'
done
# A run that is longer stays away, and the report says so; but of a program that was built anew the old one may be stale.
cp "$fixtures/kinds" built
expect 1 "$rehearse" test ./built several --explorer dfs --keep-going --quiet --save runs
long=$(ls runs/several-bag-assertion-*)
same 'steps of the first' 1 "$(grep -c takes "$long")"
expect 1 "$rehearse" test ./built several --explorer random --seed 2 --max-runs 50 --no-minimise --quiet --save runs
out_has "  replay it (a shorter run, found earlier): rehearse replay ./built $long"
same 'steps of the shorter' 1 "$(grep -c takes "$long")"
touch -d '2001-02-03' built
expect 1 "$rehearse" test ./built several --explorer random --seed 2 --max-runs 50 --no-minimise --quiet --save runs
out_has "  replay it: rehearse replay ./built $long"
[ "$(grep -c takes "$long")" -gt 1 ] || problem 'a schedule of before the program was built anew stays'
same 'a folder of schedules does not see the link' 1 "$("$rehearse" corpus "$bank" names | grep -c FAILS)"
# Other semantics, another program with a test of that name, another model: other findings.
expect 1 "$rehearse" test "$bank" --explorer dfs --losses 1 --quiet --save names
same 'with losses' 2 "$(kept)"
expect 1 "$rehearse" test "$fixtures/bank_edited" --explorer dfs --quiet --save names
same 'another program' 3 "$(kept)"
same 'the latest' "$(ls -t names | grep schedule | head -n 1)" "$(readlink names/latest)"
mkdir other && cp "$bank" other/bank && cp "$bank" bank
for place in . other; do
    (cd $place && "$rehearse" test ./bank --explorer dfs --quiet --save "$work/same") >out 2>err
done
same 'two programs of one name' 2 "$(find same -name '*.schedule' | wc -l)"
# Two bugs of one kind.
rm -rf names
expect 1 "$rehearse" test "$fixtures/verdicts" two_bugs --explorer dfs --quiet --save names
expect 1 "$rehearse" test "$fixtures/verdicts" two_bugs --explorer dfs --quiet --save names -p second=1
same 'two bugs in two invocations' 2 "$(kept)"
rm -rf names
expect 1 "$rehearse" test "$fixtures/verdicts" two_bugs --explorer dfs --keep-going --quiet --save names
same 'two bugs in one' 2 "$(kept)"
# What was edited by hand is somebody's own, and so is what has the name for another reason.
rm -rf names && mkdir names
expect 1 "$rehearse" test "$bank" --explorer dfs --quiet --save names
one=$(ls names/*.schedule)
echo '# my own words' >>"$one"
expect 1 "$rehearse" test "$bank" --explorer dfs --quiet --save names
same 'words behind it are no edit of the run' 1 "$(kept)"
sed -i '2i # my own words' "$one"
cp "$one" edited
expect 1 "$rehearse" test "$bank" --explorer dfs --quiet --save names
same 'an edited file' 2 "$(kept)"
cmp -s edited "$one" || problem 'an edited file was replaced'
expect 1 "$rehearse" test "$bank" --explorer dfs --quiet --save names
same 'and again' 2 "$(kept)"
# A link that cannot be made is none; a file called latest stays.
rm names/latest && echo mine >names/latest
expect 1 "$rehearse" test "$bank" --explorer dfs --quiet --save names
same 'a file called latest' mine "$(cat names/latest)"
same 'nothing is left over' 0 "$(find names -name '*.new' | wc -l)"

finish
