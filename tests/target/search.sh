# shellcheck shell=bash disable=SC2154,SC1091,SC2086
# rehearse target searches backwards: lines of programs/chains.c that need several messages are reached by the search
# alone; each schedule, and each generated test in C, reaches its line outside of the generator.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
program=$BUILD_DIR/tests/target/chains-bitcode
source=$SOURCE_DIR/tests/target/programs/chains.c
[ -x "$BUILD_DIR/bin/rehearse-target" ] && [ -x "$program" ] || exit 77
goals=
count=0
for line in $(grep -n 'rh_log("reached' "$source" | cut -d: -f1); do
    goals="$goals --line chains.c:$line"
    count=$((count + 1))
done
last="rehearse target"
"$rehearse" target "$program" $goals --stages search --seconds 9 --tests tests.c >out 2>err
code=$?
grep -q 'has no solver' err && exit 77
[ $code -le 1 ] || problem "exit $code"
reached=$(grep -c '(line) reached by' out)
echo "$reached of $count lines reached"
[ "$reached" -ge $((count - 2)) ] || problem "only $reached of $count lines are reached"
grep 'not found' out | grep -qv 'not found: \|goals of' && problem "a goal is not found, and no reason is given"
checked=0
for file in rehearse-targets/*.schedule; do
    line=$(sed -n 's/^reaches chains.c:\([0-9]*\)$/\1/p' "$file")
    text=$(sed -n "${line}s/.*\"\(reached: [^\"]*\)\".*/\1/p" "$source")
    expect 0 "$rehearse" replay "$program" "$file"
    out_has "${text:-nothing at line $line}"
    checked=$((checked + 1))
done
[ $checked = "$reached" ] || problem "$checked schedules for $reached lines"

# ---- the generated tests in C --------------------------------------------------------------------------------------
if compiler=$(command -v cc); then
    libraries=("-Wl,--push-state,--whole-archive,$BUILD_DIR/lib/librehearse-interpose.a,--pop-state" "$BUILD_DIR/lib/librehearse.a"
        -l:libboost_context.a -ldl -lm -pthread)
    include=(-I"$SOURCE_DIR/include")
    expect 0 "$BUILD_DIR/bin/rehearse-bitcode" "$compiler" -g -std=gnu11 "${include[@]}" -o generated tests.c "${libraries[@]}"
    expect 0 ./generated list
    reaches=0
    for line in $(sed -n 's/^RH_TEST(reaches_chains_c_\([0-9]*\),.*/\1/p' tests.c); do
        "$rehearse" target ./generated "reaches_chains_c_$line" --line "chains.c:$line" --stages concrete --seconds 0.5 \
            --save again >out 2>err && reaches=$((reaches + 1))
    done
    echo "$reaches generated tests reach their lines"
    [ $reaches = "$reached" ] || problem "only $reaches of $reached generated tests reach their lines"
fi

# ---- what it says when it finds nothing ------------------------------------------------------------------------------
expect 1 "$rehearse" target "$BUILD_DIR/tests/target/outside-bitcode" account_is_open --stages search --seconds 1 \
    --line "outside.c:$(grep -n -m 1 'an impossible number' "$SOURCE_DIR/tests/fixtures/outside.c" | cut -d: -f1)"
out_has '(line) not found: the search' '0 unreachable'
refused 'has no "all"' "$rehearse" target "$program" --assertions --stages all
refused 'has no "h3"' "$rehearse" target "$program" --assertions --search h1,h3

# ---- summaries say what runs show --------------------------------------------------------------------------------------
compared=0
for name in bank barber store; do
    binary=$BUILD_DIR/examples/$name-bitcode
    test=$("$binary" list | sed -n '2s/^ *\([^ ]*\).*/\1/p')
    expect 0 "$BUILD_DIR/bin/rehearse-target" summaries "$binary" "$test"
    out_has ' 0 differences'
    compared=$((compared + $(sed -n 's/^\([0-9]*\) steps compared.*/\1/p' out)))
done
echo "$compared steps of examples compared with their summaries"
[ $compared -ge 20 ] || problem "only $compared steps were compared"
finish
