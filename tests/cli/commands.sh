# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2086,SC1091
# The command and its commands: help, list, what is refused, exit codes.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1

# ---- help ----------------------------------------------------------------------------------------------------------------
for word in help --help -h; do
    expect 0 "$rehearse" $word
    err_empty
    out_has 'rehearse test BINARY' 'rehearse estimate BINARY' 'rehearse list BINARY' 'rehearse replay BINARY' 'rehearse corpus BINARY' 'rehearse show BINARY' 'rehearse step BINARY' 'exit: 0'
done
expect 0 "$rehearse" --version
grep -qE '^rehearse [0-9]+\.[0-9]+\.[0-9]+$' out || problem "--version"
expect 0 "$rehearse" test "$fixtures/bank" --help
out_has --explorer --model --seed --max-runs --keep-going --json --junit --tap --quiet 'exit: 0'
expect 0 "$fixtures/bank" --help
out_has corpus replay estimate --gdb --junit --set
expect 0 "$rehearse" replay "$fixtures/bank" --help
out_has '--gdb' '--losses' 'replay   SCHEDULE'
out_lacks '--junit' '--max-runs' 'corpus   DIR'

# ---- list ----------------------------------------------------------------------------------------------------------------
expect 0 "$rehearse" list "$fixtures/slow"
err_empty
out_has senders 'model=fifo' 'granularity=default' 'time=free' 'slow.c:' '12' 'where a comes last' dfs random delayed \
    roundrobin replay portfolio bound dpor optimal sample symmetry auto
expect 0 "$rehearse" list "$fixtures/slow" --model bag --losses 2 --kept-restarts 1
out_has 'model=bag' 'losses=2' 'kept_restarts=1'
expect 0 "$rehearse" list "$fixtures/own"
out_has 'lazy             always the last choice, ten times'

# ---- what is no test program ------------------------------------------------------------------------------------------------
expect 2 "$rehearse"
err_has 'rehearse test BINARY'
expect 2 "$rehearse" nonsense
err_has 'there is no command "nonsense"'
refused 'test wants a test program first' "$rehearse" test
refused 'replay wants a test program first' "$rehearse" replay --quiet
expect 0 "$rehearse" replay --help
out_has 'rehearse replay BINARY SCHEDULE'
refused 'missing: No such file' "$rehearse" test ./missing
refused 'is not a program that can be run' "$rehearse" test "$work"
echo hello >text
refused 'is not a program that can be run' "$rehearse" test text
chmod +x text
refused 'is not a test program made with rehearse' "$rehearse" test text
: >nothing && chmod +x nothing
refused 'is not a test program made with rehearse' "$rehearse" list nothing
refused 'is not a test program made with rehearse' "$rehearse" test "$rehearse"
refused 'is not a test program made with rehearse' "$rehearse" test /bin/true
for command in test list 'replay x' 'corpus x'; do
    # shellcheck disable=SC2086
    set -- $command
    refused 'has no tests (RH_TEST)' "$rehearse" "$1" "$fixtures/empty" ${2:-}
done

# Beside a person, without a slash.
ln -s "$fixtures/bank" here
expect 1 "$rehearse" test here --save ''

# ---- exit codes -------------------------------------------------------------------------------------------------------------
expect 0 "$rehearse" test "$fixtures/kinds" passes
out_has 'passed passes' 'exhaustive: '
expect 1 "$rehearse" test "$fixtures/kinds" assertion --save ''
out_has 'FAILED assertion' 'the wrong order'
expect 1 "$rehearse" test "$fixtures/kinds" chance --max-runs 3
out_has 'nondeterminism: '
expect 3 "$rehearse" test "$fixtures/own" --explorer broken
err_has 'internal error'
out_lacks FAILED
refused "explorer incomplete has no function \`choose\`" "$rehearse" test "$fixtures/own" --explorer incomplete
refused "explorer incomplete has no function \`choose\`" "$rehearse" test "$fixtures/own" --explorer 'bound(9, incomplete)'
expect 0 "$rehearse" test "$fixtures/own" --explorer lazy --verbose
out_has '10 runs' 'sampled: ' 'hello from b'
[ -e rehearse-findings ] && problem "a folder of findings was made although --save was empty"

# ---- words and options that are refused ---------------------------------------------------------------------------------------
t=("$rehearse" test "$fixtures/kinds")
refused 'has no test "no_such"; it has passes' "${t[@]}" no_such
refused 'has no test "no_such"' "${t[@]}" passes no_such
refused '--nothing: there is no such option' "${t[@]}" --nothing
refused '-x: there is no such option' "${t[@]}" -x
refused '-seed: there is no such option' "${t[@]}" -seed 3
refused '--p: there is no such option' "${t[@]}" --p a=b
refused '--seed wants N' "${t[@]}" --seed
refused '--quiet takes no value' "${t[@]}" --quiet=yes
for value in x -1 1.5 1e6 0x10 '' ' 1' 99999999999999999999; do
    refused "--seed $value: a whole number is wanted" "${t[@]}" --seed "$value"
    refused "--max-runs $value: a whole number is wanted" "${t[@]}" --max-runs "$value"
done
refused '--max-all-steps y: a whole number is wanted' "${t[@]}" --max-all-steps y
refused '--step 4294967296: a whole number is wanted' "$rehearse" replay "$fixtures/kinds" --step 4294967296
# Options that the command would ignore.
refused '--step is for `replay`' "${t[@]}" --step 3
refused '--junit is for `test`' "$rehearse" estimate "$fixtures/kinds" --junit xml
refused '--model all is for `test` and `estimate`' "$rehearse" replay "$fixtures/kinds" x --model all
refused '-j is for `test`' "$rehearse" estimate "$fixtures/kinds" -j3
refused '--max-runs is for `test`, `estimate` and `minimise`' "$rehearse" replay "$fixtures/kinds" x --max-runs 3
refused '-p is for `test`, `estimate`, `replay`, `show`, `minimise`, `step` and `corpus`' "$rehearse" list "$fixtures/kinds" -p a=b
for value in x -1 '' nan inf 1s; do
    refused "--max-seconds $value: a number of seconds is wanted" "${t[@]}" --max-seconds "$value"
done
refused 'model=lifo: it is one of fifo, bag, causal, mailbox' "${t[@]}" --model lifo
refused 'granularity=fine: it is one of' "${t[@]}" --granularity fine
refused 'time=late: it is one of' "${t[@]}" --time late
refused 'losses=many: a whole number is wanted' "${t[@]}" --losses many
refused 'restarts=-1: a whole number is wanted' "${t[@]}" --restarts -1
refused 'NAME=VALUE is wanted' "${t[@]}" --set losses
refused 'colour: there is no such setting' "${t[@]}" --set colour=red
refused 'NAME=VALUE is wanted' "${t[@]}" -p bug
refused 'NAME=VALUE is wanted' "${t[@]}" -p =x
refused 'no explorer is called "clever"; there are' "${t[@]}" --explorer clever passes
refused 'column 5 of the explorer: dfs takes no argument' "${t[@]}" --explorer dfs:5 passes
refused 'bound wants a depth, runs or steps' "${t[@]}" --explorer bound:dfs passes
refused 'portfolio wants an explorer' "${t[@]}" --explorer portfolio: passes
refused 'No such file' "${t[@]}" --explorer replay:missing passes
many=()
for i in $(seq 65); do many+=(-p "p$i=1"); done
refused 'more than 64 parameters' "${t[@]}" "${many[@]}"
many=()
for i in $(seq 257); do many+=(passes); done
refused 'too many words' "${t[@]}" "${many[@]}"

# Semantics that cannot be.
refused 'granularity send requires delivery model mailbox' "${t[@]}" --granularity send passes
refused 'max_steps is' "${t[@]}" --max-steps 4000000000 passes
refused 'max_stack_bytes' "${t[@]}" --set max_stack_bytes=100 passes
refused 'max_actors' "${t[@]}" --set max_actors=1000000 passes
refused '-p n=two: a whole number of 64 bits is wanted' "$rehearse" test "$fixtures/slow" -p n=two --max-runs 1
refused '-p n=9223372036854775808: a whole number' "$rehearse" test "$fixtures/slow" -p n=9223372036854775808 --max-runs 1
refused '-p n: it is given twice, as 2 and as 3' "$rehearse" test "$fixtures/slow" -p n=2 -p n=3 --max-runs 1
refused '-p bug: it is given twice' "${t[@]}" -p bug=a -p bug=b
# A program that declares nothing: it is known when the test asks.
for explorer in dfs portfolio:random+delayed:100; do
    refused '-p length=many: a whole number' "$rehearse" test "$fixtures/kinds" long_run -p length=many --explorer $explorer
done
refused '-p length=1x: a whole number' "$rehearse" test "$fixtures/kinds" long_run -p length=1x -j 2
refused '-p length=99999999999999999999: a whole' "$rehearse" test "$fixtures/kinds" long_run -p length=99999999999999999999
refused '-p length=: a whole number' "$rehearse" estimate "$fixtures/kinds" long_run -p length=
[ ! -e rehearse-findings ] || problem "a parameter that was refused left a schedule"
refused '-p colour=red: there is no such parameter; there are n' "$rehearse" test "$fixtures/slow" -p colour=red --max-runs 1
refused '-p bug=nix: there is no such bug; there are none' "$rehearse" test "$fixtures/rally" -p bug=nix --max-runs 1
for way in '' '-j 2' '--no-determinism-check'; do
    expect 0 "$rehearse" test "$fixtures/kinds" passes -p nonsense=1 -p bug=nix --explorer dfs $way --json json --junit xml
    out_has '  note: parameters that no run has asked for: nonsense, bug'
    grep -q '"parameters_note":"parameters that no run has asked for: nonsense, bug"' json || problem "no note in JSON: $way"
    grep -q 'name="parameters_note"' xml || problem "no note in JUnit: $way"
    expect 1 "$rehearse" test "$fixtures/kinds" long_run -p length=30 --explorer dfs $way --save ''
    out_lacks 'no run has asked for'
done
expect 0 "$rehearse" test "$fixtures/kinds" passes -p nonsense=1 --tap
out_has '  note: "parameters that no run has asked for: nonsense"'
refused 'bug=unheard' "$rehearse" test "$fixtures/slow" -p bug=unheard --max-runs 1

# Where nothing can be written: below a file, which stops root as well.
: >file
refused 'schedules cannot be kept there' "${t[@]}" passes --save file/folder
refused 'schedules cannot be kept there' "${t[@]}" passes --save file
refused 'file/x.json: Not a directory' "${t[@]}" passes --json file/x.json
refused 'file/x.xml: Not a directory' "${t[@]}" passes --junit file/x.xml
refused 'Is a directory' "${t[@]}" passes --json "$work"
long=$(printf 'a%.0s' $(seq 200))
mkdir -p "$long/$long/$long"
expect 1 "${t[@]}" assertion --save "$long/$long/$long"
err_has 'too long'
out_has 'FAILED assertion' # what was found is shown all the same
if [ -e /dev/full ]; then
    expect 3 "${t[@]}" passes --json /dev/full
    err_has '/dev/full: not written'
    out_has 'passed passes'
    expect 3 "${t[@]}" passes --junit /dev/full
    err_has '/dev/full: not written'
fi

# The default folder cannot be made: the finding is shown, its schedule is missing, and that is said.
: >rehearse-findings
expect 1 "${t[@]}" assertion
err_has 'rehearse-findings: schedules cannot be kept there'
out_has 'FAILED assertion' 'the wrong order'
out_lacks 'replay it'

finish
